//! Tahoe (Jacobson 1988): fast retransmit without fast recovery.
//!
//! The third duplicate ACK is treated like a timeout, except that the timer is not backed off:
//! the window restarts at one segment and slow start sends everything outstanding again, minus
//! what cumulative ACKs skip.

use super::discipline::{LossRecovery, Phase, Start, View};

/// Tahoe's recovery.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tahoe;

impl LossRecovery for Tahoe {
    fn allows_prr(&self) -> bool {
        false
    }

    fn begin(&mut self, _view: &View<'_>, _before: u64) -> Start {
        Start { phase: Phase::Timeout, lose_all: true, restart_repairs: false, ..Start::SELECTIVE }
    }
}

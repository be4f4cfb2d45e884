//! Tahoe (Jacobson 1988): fast retransmit without fast recovery.
//!
//! Tahoe treats the third duplicate ACK like a timeout but does not back off the timer. The window
//! restarts at one segment, and slow start retransmits everything outstanding except what
//! cumulative ACKs skip.

use super::discipline::{LossRecovery, Phase, Start, View};

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

//! Fast retransmit and fast recovery, RFC 5681 section 3.2.
//!
//! The law sets its window to the threshold. The three segments that left the network and each
//! further duplicate inflate it. Reno leaves fast recovery at the first ACK of new data, so two
//! losses in a window are two episodes.

use super::discipline::{LossRecovery, Phase, Start, Verdict, View};

#[derive(Debug, Clone, Default)]
pub(crate) struct Reno;

impl LossRecovery for Reno {
    fn begin(&mut self, view: &View<'_>, _before: u64) -> Start {
        Start::counting(view, false)
    }

    #[inline]
    fn on_new(&mut self, view: &View<'_>, _acked: u64) -> Verdict {
        Verdict { leaves: view.phase == Phase::Fast, ..Verdict::default() }
    }
}

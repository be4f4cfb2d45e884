//! NewReno, RFC 6582 section 3.2: fast recovery lasts until everything outstanding at its
//! beginning is acknowledged, and a partial ACK shows the next hole.

use airtcp_units::Narrow;

use super::discipline::{LossRecovery, Phase, Start, Verdict, View};
use crate::tcp::config::{PartialAckTimer, RecoveryExit};

#[derive(Debug, Clone, Default)]
pub(crate) struct NewReno {
    /// Partial ACKs so far in this recovery.
    partials: u32,
}

impl LossRecovery for NewReno {
    fn begin(&mut self, view: &View<'_>, _before: u64) -> Start {
        self.partials = 0;
        Start::counting(view, true)
    }

    /// Step 3: the impatient variant restarts the timer with the first partial ACK only.
    #[inline]
    fn restarts_timer(&self, view: &View<'_>) -> bool {
        let impatient = view.config.partial_ack_timer == PartialAckTimer::Impatient;
        !(impatient && view.is_partial() && self.partials > 0)
    }

    #[inline]
    fn on_new(&mut self, view: &View<'_>, acked: u64) -> Verdict {
        if view.phase != Phase::Fast {
            return Verdict::default();
        }
        if view.is_covered() {
            return full_ack(view);
        }
        // Step 3, partial acknowledgement: retransmit the next hole, deflate by the acknowledged
        // bytes, and add one segment if at least that much was acknowledged.
        self.partials += 1;
        let back = if acked >= view.mss { view.mss } else { 0 };
        let inflate = i64::narrow(back) - i64::narrow(acked);
        Verdict { inflate, repair_head: true, ..Verdict::default() }
    }
}

/// Step 3, full acknowledgement: the window is the threshold, or less if little is outstanding,
/// which avoids a burst.
fn full_ack(view: &View<'_>) -> Verdict {
    let by_flight = view.config.recovery_exit == RecoveryExit::Flight;
    let exit_window = by_flight.then(|| (view.nxt - view.una).max(view.mss) + view.mss);
    Verdict { exit_window, ..Verdict::default() }
}

//! F-RTO: detects spurious timeouts without any option, RFC 5682.
//!
//! After a timeout the sender retransmits only the first segment. If its ACK advances the window
//! but not to the end, the sender sends two new segments instead of retransmissions. If the next
//! ACK advances again, originals caused it, and the timeout was spurious.
//!
//! ```text
//! step                          without SACK (section 2.1)          with SACK (section 3.1)
//! 2  duplicate                  real                                stay
//!    ACK of all outstanding     real                                real, cwnd <= 2 MSS
//!    ACK of less than step 1's  real                                -
//!    ACK of more, new data      two new segments, step 3            the same
//!    ACK of more, none to send  real                                the same
//! 3  duplicate                  real, cwnd <= 3 MSS                 real unless it SACKs older data
//!    beyond what was outstanding -                                  real, cwnd <= 3 MSS
//!    ACK of new data            spurious                            spurious, also by SACK
//! ```
//!
//! F-RTO does not begin if a recovery already runs. [`Frto::Linux`] adds two rules of Linux with
//! SACK. If data that was never retransmitted is SACKed for the first time after the timeout, the
//! timeout was spurious. And repeated timeouts begin F-RTO again.
//!
//! [choice] `keep_sack_after_rto`, not section 3.1 step 1, decides whether the timeout clears the
//! scoreboard. Step 2 does not override Nagle's algorithm, and Appendix A (limits by the receiver's
//! window) is left out. Without SACK the duplicates for the two new segments make room for
//! retransmissions, so that F-RTO does not delay the repair of a real loss. Bytes.

use super::evidence::{Evidence, SenderView};
use crate::tcp::config::Frto;
use crate::tcp::scoreboard::SentSegment;

/// New segments sent in step 2.
const NEW_SEGMENTS: u32 = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Step {
    /// Not running.
    #[default]
    Off,
    /// Step 1 is done: F-RTO waits for the ACK of the retransmission, which ends at this offset.
    Resent(u64),
    /// Step 2b is done: this many new segments may still leave.
    New(u32),
}

/// Restriction on the next segment while F-RTO runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gate {
    /// No restriction.
    Open,
    /// No segment may leave.
    Closed,
    /// Only new data may leave.
    New,
}

/// F-RTO's conclusion from an acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finding {
    /// None yet.
    Undecided,
    /// The retransmission is acknowledged: duplicates for data sent by now count again. A value
    /// bounds the window.
    Advanced(Option<u64>),
    /// The timeout was real; a value bounds the window.
    Real(u64),
    /// The timeout was spurious.
    Spurious,
}

#[derive(Debug, Clone, Default)]
pub(super) struct FrtoState {
    step: Step,
    /// Bytes of new data sent in step 2 whose arrival duplicates may still show, and bytes whose
    /// arrival they have shown.
    unseen: u64,
    credit: u64,
}

impl FrtoState {
    /// Ends the algorithm: the timeout counts as real or as spurious.
    pub(super) const fn stop(&mut self) {
        self.step = Step::Off;
        self.unseen = 0;
        self.credit = 0;
    }

    /// Bytes that duplicates add to the window of the slow start after a real timeout.
    pub(super) const fn credit(&self) -> u64 {
        self.credit
    }

    /// Without SACK: one more segment has left the network.
    pub(super) fn on_duplicate(&mut self, mss: u64) {
        if self.step == Step::Off {
            let seen = self.unseen.min(mss);
            self.unseen -= seen;
            self.credit += seen;
        }
    }

    /// Step 1: the first segment is about to be retransmitted, and everything outstanding counts as
    /// lost. Returns the offset up to which the scoreboard watches for SACKs of originals. `kept`
    /// is true if the timeout kept the SACK information.
    pub(super) fn begin(&mut self, kept: bool, view: &SenderView<'_>) -> u64 {
        self.step = Step::Resent(view.board.front().map_or(view.nxt, SentSegment::end));
        let early = view.config.frto == Frto::Linux && view.sack && kept;
        if early { view.nxt } else { 0 }
    }

    /// Steps 2 and 3.
    pub(super) fn on_ack(&mut self, ack: &Evidence, view: &SenderView<'_>) -> Finding {
        match self.step {
            Step::Off => Finding::Undecided,
            _ if view.board.watched() => Finding::Spurious,
            Step::Resent(end) => self.on_first_ack(end, ack, view),
            Step::New(_) => self.on_second_ack(ack, view),
        }
    }

    /// Step 2; the retransmission ended at `end`.
    fn on_first_ack(&mut self, end: u64, ack: &Evidence, view: &SenderView<'_>) -> Finding {
        if ack.acked == 0 {
            if ack.duplicate && !view.sack {
                self.step = Step::Off;
            }
            return Finding::Undecided;
        }
        let all = view.una >= view.nxt || (!view.sack && view.una < end);
        let goes_on = !all && view.new_data;
        self.step = if goes_on { Step::New(NEW_SEGMENTS) } else { Step::Off };
        Finding::Advanced((all && view.sack).then_some(2 * view.mss))
    }

    /// Step 3.
    fn on_second_ack(&mut self, ack: &Evidence, view: &SenderView<'_>) -> Finding {
        let highest = view.una.max(view.board.highest_sacked().unwrap_or(0));
        let beyond = view.sack && highest > view.recover;
        if !beyond && (ack.acked > 0 || (view.sack && ack.new_sack)) {
            return Finding::Spurious;
        }
        if !(beyond || ack.duplicate) {
            return Finding::Undecided;
        }
        self.step = Step::Off;
        self.unseen = if view.sack { 0 } else { view.nxt - view.recover };
        Finding::Real(3 * view.mss)
    }

    /// The restriction now; `timed_out` while the segment of step 1 has not left.
    #[inline]
    pub(super) const fn gate(&self, timed_out: bool) -> Gate {
        match self.step {
            Step::Off => Gate::Open,
            Step::Resent(_) if timed_out => Gate::Open,
            Step::New(left) if left > 0 => Gate::New,
            Step::Resent(_) | Step::New(_) => Gate::Closed,
        }
    }

    /// A new segment left.
    #[inline]
    pub(super) const fn on_new(&mut self) {
        if let Step::New(left) = &mut self.step {
            *left = left.saturating_sub(1);
        }
    }
}

//! RACK: detects losses by time instead of counting duplicates, RFC 8985 sections 6 and 8.
//!
//! A segment is lost if a later one was delivered and the segment itself is overdue:
//!
//! ```text
//! lost        sent before RACK.xmit_ts, and now >= xmit_ts + RACK.rtt + reo_wnd
//! reo_wnd     min(RACK.reo_wnd_mult * min_RTT / 4, SRTT); 0 while no reordering was ever seen and
//!             a recovery runs or DupThresh segments are SACKed
//! mult        +1 per round trip with a DSACK; 1 again after 16 recoveries without
//! ```
//!
//! A timer waits for segments that are not overdue yet. Retransmissions follow the same rule as
//! originals, so RACK detects a lost one without a timeout. A timeout marks the first segment and
//! all overdue segments lost, and leaves the rest in flight. `IsLost` and the rules 3 and 4 of RFC
//! 6675's NextSeg do not apply (section 9.2): lost segments go first, then new data.
//!
//! The losses of one window cause one reaction. A lost retransmission causes another (section 9.3)
//! unless PRR runs, which reduces the sending rate by itself.
//!
//! The scoreboard's part is in `scoreboard/rack.rs`, the timers are in `sender/loss_timers.rs`.
//! Leaves out: a windowed minimum of the round-trip time (the connection's minimum is used), and
//! RACK without SACK. Times in nanoseconds, offsets in bytes.

use airtcp_units::{Nanos, Span};

use super::discipline::{Duplicate, End, LossRecovery, Next, Phase, Room, Signs, Start, View};
use super::tlp::Tlp;
use crate::tcp::config::TcpConfig;

/// State of RACK outside the scoreboard, and of TLP.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rack {
    /// RACK.reo_wnd_mult and RACK.reo_wnd_persist.
    mult: u32,
    persist: u32,
    dsack_round: Option<u64>,
    /// A recovery has ended since the last ACK was processed.
    exiting: bool,
    /// Time of the last loss report to the law. A retransmission sent later belongs to a new
    /// window.
    reported_at: Nanos,
    pub(crate) tlp: Tlp,
}

impl Rack {
    /// Section 6.2 step 4, first half: the window grows with each round trip that sees DSACKs.
    pub(crate) fn on_reports(&mut self, view: &View<'_>, dsack: bool) {
        if self.dsack_round.is_some_and(|round| view.una >= round) {
            self.dsack_round = None;
        }
        let exiting = std::mem::take(&mut self.exiting);
        if self.dsack_round.is_none() && dsack {
            self.dsack_round = Some(view.nxt);
            self.mult = self.mult.saturating_add(1);
            self.persist = view.config.rack_reo_wnd_persist;
        } else if exiting {
            self.persist = self.persist.saturating_sub(1);
            if self.persist == 0 {
                self.mult = 0;
            }
        }
    }

    /// RACK.reo_wnd (section 6.2 step 4, second half).
    pub(crate) fn reo_wnd(
        &self,
        view: &View<'_>,
        min_rtt: Option<Span>,
        srtt: Option<Span>,
    ) -> Span {
        if !view.board.reordering_seen() {
            let enough = view.board.segments_sacked() >= view.config.dup_thresh as usize;
            if view.phase != Phase::Open || enough {
                return Span::ZERO;
            }
        }
        let Some(min_rtt) = min_rtt else { return Span::ZERO };
        let mult = u64::from(view.config.rack_reo_wnd_mult) + u64::from(self.mult);
        let window = Span(min_rtt.0.saturating_mul(mult) / 4);
        srtt.map_or(window, |srtt| window.min(srtt))
    }

    /// Whether a retransmission sent at `sent_at` belongs to a window without a loss report to the
    /// law.
    pub(crate) fn is_in_unreported_window(&self, sent_at: Nanos) -> bool {
        sent_at >= self.reported_at
    }
}

impl LossRecovery for Rack {
    #[inline]
    fn trusts_pipe(&self) -> bool {
        true
    }

    fn judging_threshold(&self, _config: &TcpConfig) -> u32 {
        u32::MAX
    }

    fn on_duplicate(&mut self, view: &View<'_>, _signs: Signs) -> Duplicate {
        if view.phase == Phase::Open { Duplicate::Counted } else { Duplicate::Ignored }
    }

    fn begin(&mut self, _view: &View<'_>, _before: u64) -> Start {
        Start::SELECTIVE
    }

    /// A recovery sends no probe.
    fn on_episode(&mut self, now: Nanos) {
        self.reported_at = now;
        self.tlp.reset();
    }

    fn on_loss_reported(&mut self, now: Nanos) {
        self.reported_at = now;
    }

    fn end(&mut self, _phase: Phase) -> End {
        self.exiting = true;
        End { repairs_rest: false, any_duplicates: false }
    }

    /// A lost segment, otherwise new data (section 9.2).
    fn next(&self, view: &View<'_>, room: &Room) -> Next {
        let due = view.board.next_due();
        if view.phase == Phase::Timeout {
            return Next::after_timeout(view, room, due);
        }
        due.map_or(Next::New, |at| Next::Again { at, repair: true })
    }
}

//! Recovery of ns-2's SACK sender (`Agent/TCP/Sack1` of ns-2.35, `tcp-sack1.cc`), after Fall and
//! Floyd (1996).
//!
//! The results of ns-2 studies follow these rules, not those of RFC 6675:
//!
//! - A hole is never inferred to be lost. `pipe` counts packets: at the third duplicate it is the
//!   number outstanding less three; every ACK takes one, a partial ACK two; every packet sent adds
//!   one.
//! - While `pipe < floor(cwnd)`, the sender sends the lowest hole that has SACKed data above it and
//!   was not retransmitted in this recovery, otherwise new data. No hole is retransmitted twice
//!   before a timeout.
//! - A duplicate is an ACK that acknowledges nothing new and SACKs something new. Outside recovery,
//!   the sender drops SACK blocks on an ACK of new data, so the next duplicate reports them as new.
//! - A timeout discards all SACK information and goes back over everything outstanding in order.
//!   The sender ignores SACK blocks until the next ACK of new data. No recovery begins before data
//!   sent after the timeout is acknowledged. After a fast recovery the next may begin at once.
//! - The window is halved without the minimum of two segments that the threshold has.
//!
//! Pipe in packets, all else in bytes. Leaves out Quick-Start, F-RTO, ECN's part in the rules
//! (`ecn_`), and `partial_ack_`, off by default.

use airtcp_units::Narrow;

use super::discipline::{
    Duplicate, End, LossRecovery, Next, Phase, Room, Signs, Start, Verdict, View,
};
use crate::tcp::config::TcpConfig;

/// The recovery of ns-2's `Sack1`.
#[derive(Debug, Clone, Default)]
pub(crate) struct SackNs2 {
    /// Packets counted as in the network; negative if more ACKs than packets were counted.
    pipe: i64,
    /// Nothing new was acknowledged since the last timeout: SACK blocks are ignored.
    deaf: bool,
}

impl LossRecovery for SackNs2 {
    #[inline]
    fn is_selective(&self) -> bool {
        true
    }

    #[inline]
    fn reads_sacks(&self) -> bool {
        !self.deaf
    }

    fn judging_threshold(&self, _config: &TcpConfig) -> u32 {
        u32::MAX
    }

    #[inline]
    fn counts_pipe(&self, _phase: Phase, _config: &TcpConfig) -> bool {
        false
    }

    #[inline]
    fn adds_limited_transmit(&self, phase: Phase) -> bool {
        phase != Phase::Fast
    }

    fn allows_prr(&self) -> bool {
        false
    }

    /// ns-2 stops timing when a recovery begins, and times only segments sent within it.
    #[inline]
    fn keeps_timing(&self, phase: Phase) -> bool {
        phase == Phase::Fast
    }

    #[inline]
    fn is_duplicate(&self, _bare: bool, new_sack: bool, new: bool) -> bool {
        new_sack && !new
    }

    #[inline]
    fn on_any_ack(&mut self) {
        self.pipe -= 1;
    }

    #[inline]
    fn follows_open_acks(&self) -> bool {
        true
    }

    fn rests(&self) -> bool {
        !self.deaf
    }

    fn on_new(&mut self, view: &View<'_>, _acked: u64) -> Verdict {
        self.deaf = false;
        if view.is_partial() {
            // The retransmission has left the network, and the packet after it.
            self.pipe -= 1;
            Verdict { reset_backoff: true, ..Verdict::default() }
        } else {
            Verdict { forget_sacks: true, ..Verdict::default() }
        }
    }

    fn on_duplicate(&mut self, view: &View<'_>, signs: Signs) -> Duplicate {
        match view.phase {
            Phase::Fast => Duplicate::Ignored,
            Phase::Open | Phase::Timeout => Duplicate::counted(view, signs),
        }
    }

    /// The third duplicate halves the window, retransmits the first segment and restarts the timer.
    fn begin(&mut self, view: &View<'_>, before: u64) -> Start {
        self.pipe = i64::narrow(view.board.len()) - i64::from(view.config.dup_thresh);
        let limit_cwnd = (before < 4 * view.mss).then_some(before / 2);
        Start { restart_timer: true, limit_cwnd, ..Start::SELECTIVE }
    }

    fn on_timeout(&mut self) -> bool {
        self.deaf = true;
        false
    }

    /// After a fast recovery, any three duplicates may begin the next.
    fn end(&mut self, phase: Phase) -> End {
        End { repairs_rest: true, any_duplicates: phase == Phase::Fast }
    }

    #[inline]
    fn is_full(&self, view: &View<'_>, room: &Room) -> bool {
        self.pipe >= i64::narrow(room.window / view.mss)
    }

    fn next(&self, view: &View<'_>, room: &Room) -> Next {
        if view.phase == Phase::Timeout {
            return in_order(view, room);
        }
        let highest = view.board.highest_sacked().unwrap_or(0);
        let below = |at: &usize| view.board.get(*at).is_some_and(|s| s.start < highest);
        let hole = view.board.next_hole().filter(below);
        hole.map_or(Next::New, |at| Next::Again { at, repair: true })
    }

    #[inline]
    fn on_sent(&mut self, view: &View<'_>, _next: Next) {
        if view.phase == Phase::Fast {
            self.pipe += 1;
        }
    }
}

/// After a timeout everything outstanding is retransmitted in order.
fn in_order(view: &View<'_>, room: &Room) -> Next {
    let Some((at, start)) = view.board.next_in_order() else { return Next::NewInWindow };
    let len = view.board.get(at).map_or(0, |s| u64::from(s.len));
    let sent = start - view.una;
    if sent > 0 && sent + len > room.window {
        Next::Limited
    } else {
        Next::Again { at, repair: true }
    }
}

//! Recovery as ns-2's SACK sender does it (`Agent/TCP/Sack1` of ns-2.35, `tcp-sack1.cc`), after
//! Fall and Floyd (1996).
//!
//! Studies made with ns-2 have these rules in their results, not those of RFC 6675:
//!
//! - No loss is inferred for a hole. `pipe` counts packets: at the third duplicate it is what is
//!   outstanding less three; every ACK takes one, a partial ACK two; every packet sent adds one.
//! - While `pipe < floor(cwnd)`: the lowest hole not sent again in this recovery that has SACKed
//!   data above it, else new data. No hole is sent again twice before a timeout.
//! - A duplicate is an ACK of nothing new that reports something new; reports on an ACK of new
//!   data outside recovery are dropped with the scoreboard, so that the next duplicate brings them
//!   as news.
//! - A timeout forgets all reports and goes back over everything outstanding in order; none are
//!   taken until the next ACK of new data. No recovery begins before something sent after the
//!   timeout is acknowledged; after a fast recovery the next may begin at once.
//! - The window is halved without the floor of two segments that the threshold has.
//!
//! Pipe in packets, all else in bytes. Leaves out Quick-Start, F-RTO, ECN's part in the rules
//! (`ecn_`), and `partial_ack_`, off by default.

use super::Phase;
use crate::tcp::config::{Recovery, TcpConfig};
use crate::tcp::sender::{Env, Outgoing, Sender};
use airtcp_congestion::CongestionControl;

/// A DupThresh that is never reached.
const NONE: u32 = u32::MAX;

/// State of ns-2's rules.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Ns2 {
    /// Packets taken to be in the network; below zero when ACKs outnumber them.
    pub(super) pipe: i64,
    /// Since the last timeout nothing new was acknowledged: reports are not listened to.
    pub(super) deaf: bool,
}

impl Recovery {
    /// Whether it works from selective acknowledgements.
    pub(crate) const fn is_selective(self) -> bool {
        matches!(self, Self::Sack | Self::SackNs2)
    }

    /// The DupThresh by which the scoreboard judges holes lost: none under ns-2's rules, and none
    /// where RACK detects losses.
    pub(crate) const fn judging_threshold(self, config: &TcpConfig) -> u32 {
        let others = matches!(self, Self::SackNs2) || (config.rack && self.is_selective());
        if others { NONE } else { config.dup_thresh }
    }
}

impl Sender {
    pub(crate) fn is_ns2(&self) -> bool {
        self.recovery.discipline == Recovery::SackNs2
    }

    /// An ACK that is not of the future arrived, old ones included.
    pub(crate) fn ns2_on_ack(&mut self) {
        if self.recovery.is_fast() {
            self.recovery.ns2.pipe -= 1;
        }
    }

    /// New data was acknowledged; `ends` says that this ends a recovery.
    pub(super) fn ns2_on_new(&mut self, ends: bool) {
        self.recovery.ns2.deaf = false;
        if self.recovery.is_fast() && !ends {
            // Partial: what was sent again has left the network, and the packet behind it.
            self.recovery.ns2.pipe -= 1;
            self.rtt.reset_backoff();
        } else {
            self.board.forget_sacks();
        }
    }

    /// The third duplicate: half the window, the first segment again, and the timer anew.
    pub(super) fn ns2_enter(&mut self, before: u64, env: &mut Env<'_>) {
        let mss = u64::from(self.mss);
        if before < 4 * mss {
            self.law.limit_cwnd(before / 2);
        }
        let r = &mut self.recovery;
        r.phase = Phase::Fast;
        r.recover = self.nxt;
        r.ns2.pipe = self.board.len() as i64 - i64::from(env.config.dup_thresh);
        self.board.restart_repairs();
        self.send_head();
    }

    /// A fast recovery is over: the next may begin with any three duplicates.
    pub(super) fn ns2_end(&mut self) {
        self.recovery.recover = 0;
    }

    /// What leaves next in fast recovery. `window` in bytes.
    pub(crate) fn ns2_next(
        &mut self,
        now: airtcp_units::Nanos,
        (window, options): (u64, u32),
        env: &mut Env<'_>,
    ) -> Option<Outgoing> {
        if self.recovery.ns2.pipe >= (window / u64::from(self.mss)) as i64 {
            self.note_window_limited();
            return None;
        }
        let highest = self.board.highest_sacked().unwrap_or(0);
        let hole = self
            .board
            .next_hole()
            .filter(|&at| self.board.get(at).is_some_and(|s| s.start < highest));
        let out = match hole {
            Some(at) => self.send_again(now, at, true, env),
            None => self.send_new_if_any(now, options, env),
        };
        self.recovery.ns2.pipe += i64::from(out.is_some());
        out
    }
}

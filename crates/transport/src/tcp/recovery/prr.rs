//! Proportional Rate Reduction: how much is sent while a loss is being repaired.
//!
//! RFC 9937 section 6 ([`RateReduction::Prr`]) and its predecessor RFC 6937 section 3
//! ([`RateReduction::PrrRfc6937`]). The window that the congestion law answers the loss with is the
//! target, the documents' `ssthresh`; without PRR it is in force at once and half a window of ACKs
//! passes in silence. PRR spreads the reduction over the round trip. On every ACK of the recovery,
//! `inflight` after it:
//!
//! ```text
//! prr_delivered += DeliveredData
//! inflight > ssthresh:  SndCnt = ceil(prr_delivered * ssthresh / RecoverFS) - prr_out
//! otherwise:            SndCnt = min(ssthresh - inflight, limit)
//!   CRB, RFC 6937:      limit = prr_delivered - prr_out
//!   CRB, RFC 9937:      limit = max(prr_delivered - prr_out, DeliveredData)
//!   SSRB:               limit = max(prr_delivered - prr_out, DeliveredData) + SMSS
//! window = inflight + SndCnt, and ssthresh when the recovery is over
//! ```
//!
//! RFC 9937 takes CRB, and SSRB on a `SafeACK`: one that advances SND.UNA and shows no further
//! loss. Its RecoverFS leaves out what was SACKed before the recovery, it does nothing on an ACK
//! that delivers nothing, and it never holds back the first segment.
//!
//! [choice] The proportional count is rounded up to whole segments, as in the documents' tables
//! and in Linux: in bytes the segment due on an odd ACK would leave with the next. With
//! `spread_marks` the answer to a congestion mark is spread in the same way, as by Linux (its state
//! CWR), until something is acknowledged that was sent after it. An episode that the reordering timer
//! begins has no ACK: by Linux's rules (`law_rules`) the timer counts as a segment delivered. Bytes.

use super::RecoveryState;
use crate::tcp::config::{PrrBound, RateReduction, Recovery, TcpConfig};
use crate::tcp::sender::Sender;
use airtcp_congestion::{CongestionControl, LawRules};

/// What one acknowledgement of a recovery says.
#[derive(Debug, Clone, Copy)]
struct Delivery {
    /// DeliveredData.
    bytes: u64,
    /// Data in the network after it.
    inflight: u64,
    /// The law's target.
    ssthresh: u64,
    /// SND.UNA advanced and nothing more was judged lost.
    safe: bool,
}

/// What the sender noted before it took the acknowledgement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PrrAck {
    /// Bytes delivered in all.
    pub(crate) delivered: u64,
    /// Bytes ever judged lost.
    pub(crate) lost: u64,
    /// Bytes it acknowledged cumulatively.
    pub(crate) acked: u64,
    /// It counted as a duplicate.
    pub(crate) duplicate: bool,
}

/// State of one PRR episode.
#[derive(Debug, Clone)]
pub(crate) struct Prr {
    old: bool,
    bound: PrrBound,
    mss: u64,
    /// RecoverFS; `None` until the first acknowledgement of the episode was counted.
    recover_fs: Option<u64>,
    /// `prr_delivered` and `prr_out`.
    delivered: u64,
    out: u64,
    /// Bytes the connection had delivered when last looked at.
    seen: u64,
    /// `inflight + SndCnt` of the last ACK.
    window: u64,
    /// What a timer that begins the episode counts as delivered.
    timer_delivers: u64,
    /// Without SACK: what duplicates have shown to be delivered and no cumulative ACK yet has.
    duplicates: u64,
    /// Without SACK: the estimate of what is in flight.
    pipe: u64,
}

impl Prr {
    /// An episode under `config`, if it asks for one.
    pub(super) fn begin(config: &TcpConfig, mss: u64) -> Option<Self> {
        let old = match config.rate_reduction {
            RateReduction::None => return None,
            RateReduction::Prr => false,
            RateReduction::PrrRfc6937 => true,
        };
        let recommended = if old { PrrBound::Ssrb } else { PrrBound::SafeAck };
        Some(Self {
            old,
            bound: config.prr_bound.unwrap_or(recommended),
            mss: mss.max(1),
            recover_fs: None,
            delivered: 0,
            out: 0,
            seen: 0,
            window: 0,
            timer_delivers: if config.law_rules == LawRules::Linux { mss } else { 0 },
            duplicates: 0,
            pipe: 0,
        })
    }

    /// The window until the next acknowledgement.
    pub(crate) const fn window(&self) -> u64 {
        self.window
    }

    /// Without SACK, what is held against it.
    pub(crate) const fn pipe(&self) -> u64 {
        self.pipe
    }

    /// Data left: `prr_out += data sent`.
    pub(crate) const fn on_sent(&mut self, bytes: u64) {
        self.out += bytes;
        self.pipe += bytes;
    }

    /// SndCnt for this acknowledgement.
    fn on_ack(&mut self, d: Delivery) {
        if d.bytes == 0 && !self.old {
            if self.out == 0 && self.delivered == 0 {
                // Begun by a timer: there is no ACK to count, and the first segment may go.
                self.window = d.inflight + self.mss;
                self.delivered = self.timer_delivers;
            }
            return;
        }
        self.delivered += d.bytes;
        let mut count = if d.inflight > d.ssthresh {
            let total = u128::from(self.delivered) * u128::from(d.ssthresh);
            let due = total.div_ceil(u128::from(self.recover_fs.unwrap_or(0).max(1)));
            let due = due.div_ceil(u128::from(self.mss)) * u128::from(self.mss);
            u64::try_from(due).unwrap_or(u64::MAX).saturating_sub(self.out)
        } else {
            let banked = self.delivered.saturating_sub(self.out);
            let conserving = if self.old { banked } else { banked.max(d.bytes) };
            let limit = match self.bound {
                PrrBound::Ssrb => banked.max(d.bytes) + self.mss,
                PrrBound::SafeAck if d.safe => conserving + self.mss,
                PrrBound::SafeAck | PrrBound::Crb => conserving,
            };
            limit.min(d.ssthresh - d.inflight)
        };
        if self.out == 0 && count == 0 && !self.old {
            count = self.mss;
        }
        self.window = d.inflight + count;
    }

    /// DeliveredData without SACK (RFC 9937 section 6.2): a segment for each duplicate, and for
    /// cumulative progress what the duplicates have not counted already; in all no more than was
    /// outstanding.
    fn estimate(&mut self, acked: u64, duplicate: bool) -> u64 {
        let bytes = if acked > 0 {
            let bytes = acked.saturating_sub(self.duplicates);
            self.duplicates = self.duplicates.saturating_sub(acked);
            bytes
        } else if duplicate {
            self.duplicates += self.mss;
            self.mss
        } else {
            0
        };
        bytes.min(self.recover_fs.unwrap_or(0).saturating_sub(self.delivered))
    }
}

impl RecoveryState {
    /// The window PRR gives, while it does.
    pub(crate) fn prr(&self) -> Option<&Prr> {
        if self.is_reducing() { self.prr.as_ref() } else { None }
    }

    /// In fast recovery, or while the answer to a mark is being spread.
    pub(crate) const fn is_reducing(&self) -> bool {
        self.is_fast() || self.marked_to.is_some()
    }
}

impl Sender {
    /// The window the law wants to end with: the one it has, since a reaction sets it at once. Its
    /// threshold is another matter: Jersey keeps a window above it.
    fn prr_target(&self) -> u64 {
        self.law.cwnd().max(u64::from(self.mss))
    }

    /// An acknowledgement began or continued a fast recovery.
    pub(crate) fn prr_on_ack(&mut self, before: PrrAck) {
        let selective = self.recovery.discipline == Recovery::Sack;
        let (in_flight, ssthresh) = (self.in_flight(), self.prr_target());
        let (delivered, lost) = (self.rate.delivered(), self.board.lost_total());
        let (pipe, sacked) = (self.board.pipe(), self.board.sacked());
        let head = self.recovery.head_due_len(&self.board);
        let dup_acks = u64::from(self.recovery.dup_acks);
        let Some(prr) = self.recovery.prr.as_mut() else { return };
        let first = prr.recover_fs.is_none();
        if first {
            let now = delivered - before.delivered;
            // What was SACKed before the episode is not delivered in it; what this ACK delivers
            // is, although it is outstanding no more.
            let fresh = in_flight.saturating_sub(sacked) + now;
            let all = selective && !prr.old;
            prr.recover_fs = Some(if all { fresh } else { in_flight + before.acked });
            prr.seen = before.delivered;
            prr.duplicates = dup_acks.saturating_sub(1) * prr.mss;
        }
        let safe = before.acked > 0 && lost == before.lost;
        let d = if selective {
            let bytes = delivered - prr.seen;
            prr.seen = delivered;
            Delivery { bytes, inflight: pipe, ssthresh, safe }
        } else {
            let bytes = prr.estimate(before.acked, before.duplicate);
            let gone = prr.duplicates.min(prr.recover_fs.unwrap_or(0)) + head;
            prr.pipe = in_flight.saturating_sub(gone);
            Delivery { bytes, inflight: prr.pipe, ssthresh, safe: safe && head == 0 }
        };
        prr.on_ack(d);
    }

    /// The law has answered a mark: its reduction is spread, if that is asked for.
    pub(crate) fn prr_begin_mark(&mut self, config: &TcpConfig) {
        let able = self.recovery.is_open() && self.recovery.discipline == Recovery::Sack;
        if config.spread_marks && able && !self.law.governs_recovery() {
            self.recovery.prr = Prr::begin(config, u64::from(self.mss));
            self.recovery.marked_to = self.recovery.prr.is_some().then_some(self.nxt);
        }
    }

    /// Something sent after the answer to a mark is acknowledged: the window is the target.
    pub(crate) fn prr_end_mark(&mut self) {
        if self.recovery.marked_to.is_some_and(|to| self.una > to) {
            (self.recovery.marked_to, self.recovery.prr) = (None, None);
        }
    }

    /// The recovery is over: the window is the law's, which is the target.
    pub(super) fn prr_end(&mut self) {
        self.recovery.prr = None;
    }
}

#[cfg(test)]
mod tests;

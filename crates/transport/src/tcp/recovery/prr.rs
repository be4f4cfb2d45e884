//! Proportional Rate Reduction: how much is sent during a loss recovery.
//!
//! RFC 9937 section 6 ([`RateReduction::Prr`]) and its predecessor RFC 6937 section 3
//! ([`RateReduction::PrrRfc6937`]). The law's reduced window is the target, the documents'
//! `ssthresh`. Without PRR that window applies at once, and half a window of ACKs passes without a
//! transmission. PRR spreads the reduction over the round trip. On every ACK of the recovery, with
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
//! loss. Its RecoverFS leaves out data SACKed before the recovery. It does nothing on an ACK that
//! delivers nothing, and it never delays the first segment.
//!
//! [choice] The proportional count is rounded up to whole segments, as in the documents' tables and
//! in Linux. In bytes, the segment due on an odd ACK would leave with the next. With `spread_marks`
//! PRR also spreads the reduction for a congestion mark, as Linux does (its state CWR), until data
//! sent after the reduction is acknowledged. If the reordering timer begins an episode, there is no
//! ACK: by Linux's rules (`law_rules`) the timer counts as a delivered segment. Bytes.

use crate::tcp::config::{PrrBound, RateReduction, TcpConfig};
use airtcp_congestion::LawRules;

/// One acknowledgement of a recovery.
#[derive(Debug, Clone, Copy)]
struct Delivery {
    /// DeliveredData.
    bytes: u64,
    /// Data in the network after the acknowledgement.
    inflight: u64,
    /// The law's target.
    ssthresh: u64,
    /// True if SND.UNA advanced and no further loss was found.
    safe: bool,
}

/// The sender's counters before it processed the acknowledgement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PrrAck {
    /// Bytes delivered in total.
    pub(crate) delivered: u64,
    /// Bytes judged lost in total.
    pub(crate) lost: u64,
    /// Bytes that the ACK acknowledged cumulatively.
    pub(crate) acked: u64,
    /// The ACK counted as a duplicate.
    pub(crate) duplicate: bool,
}

/// The sender after the acknowledgement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PrrSender {
    /// The scoreboard tracks the data in flight (RFC 6675).
    pub(crate) selective: bool,
    /// Bytes outstanding, in the network, and SACKed.
    pub(crate) in_flight: u64,
    pub(crate) pipe: u64,
    pub(crate) sacked: u64,
    /// Bytes delivered, and judged lost, in total.
    pub(crate) delivered: u64,
    pub(crate) lost: u64,
    /// Size of the first outstanding segment if it is retransmitted next.
    pub(crate) head: u64,
    pub(crate) dup_acks: u64,
    /// The law's window for the end of the recovery.
    pub(crate) target: u64,
}

#[derive(Debug, Clone)]
pub(crate) struct Prr {
    rfc6937: bool,
    bound: PrrBound,
    mss: u64,
    /// RecoverFS; `None` before the first acknowledgement of the episode.
    recover_fs: Option<u64>,
    /// `prr_delivered` and `prr_out`.
    delivered: u64,
    out: u64,
    /// Bytes that the connection had delivered at the previous call.
    seen: u64,
    /// `inflight + SndCnt` of the last ACK.
    window: u64,
    /// Bytes that the timer counts as delivered if it begins the episode.
    timer_delivers: u64,
    /// Without SACK: bytes that duplicates have shown as delivered and no cumulative ACK has
    /// covered.
    duplicates: u64,
    /// Without SACK: estimate of the data in flight.
    pipe: u64,
}

impl Prr {
    /// Begins an episode if `config` asks for PRR.
    pub(crate) fn begin(config: &TcpConfig, mss: u64) -> Option<Self> {
        let rfc6937 = match config.rate_reduction {
            RateReduction::None => return None,
            RateReduction::Prr => false,
            RateReduction::PrrRfc6937 => true,
        };
        let recommended = if rfc6937 { PrrBound::Ssrb } else { PrrBound::SafeAck };
        Some(Self {
            rfc6937,
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

    /// Without SACK: the data that counts against the window.
    pub(crate) const fn pipe(&self) -> u64 {
        self.pipe
    }

    /// Data was sent: `prr_out += data sent`.
    pub(crate) const fn on_sent(&mut self, bytes: u64) {
        self.out += bytes;
        self.pipe += bytes;
    }

    /// SndCnt for this acknowledgement.
    fn on_ack(&mut self, d: Delivery) {
        if d.bytes == 0 && !self.rfc6937 {
            if self.out == 0 && self.delivered == 0 {
                // A timer began the episode: there is no ACK to count, and the first segment may
                // leave.
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
            let delivered_minus_out = self.delivered.saturating_sub(self.out);
            let conservative =
                if self.rfc6937 { delivered_minus_out } else { delivered_minus_out.max(d.bytes) };
            let limit = match self.bound {
                PrrBound::Ssrb => delivered_minus_out.max(d.bytes) + self.mss,
                PrrBound::SafeAck if d.safe => conservative + self.mss,
                PrrBound::SafeAck | PrrBound::Crb => conservative,
            };
            limit.min(d.ssthresh - d.inflight)
        };
        if self.out == 0 && count == 0 && !self.rfc6937 {
            count = self.mss;
        }
        self.window = d.inflight + count;
    }

    /// DeliveredData without SACK (RFC 9937 section 6.2): a segment for each duplicate, and the
    /// cumulative progress less what duplicates have counted already; in total at most what was
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

    /// An acknowledgement began or continued the episode.
    pub(crate) fn take(&mut self, before: PrrAck, s: &PrrSender) {
        if self.recover_fs.is_none() {
            let now = s.delivered - before.delivered;
            // Data SACKed before the episode is not delivered in it. Data that this ACK delivers
            // is, although it is not outstanding any more.
            let not_sacked = s.in_flight.saturating_sub(s.sacked) + now;
            let all = s.selective && !self.rfc6937;
            self.recover_fs = Some(if all { not_sacked } else { s.in_flight + before.acked });
            self.seen = before.delivered;
            self.duplicates = s.dup_acks.saturating_sub(1) * self.mss;
        }
        let (safe, ssthresh) = (before.acked > 0 && s.lost == before.lost, s.target);
        let d = if s.selective {
            let bytes = s.delivered - self.seen;
            self.seen = s.delivered;
            Delivery { bytes, inflight: s.pipe, ssthresh, safe }
        } else {
            let bytes = self.estimate(before.acked, before.duplicate);
            let not_in_flight = self.duplicates.min(self.recover_fs.unwrap_or(0)) + s.head;
            self.pipe = s.in_flight.saturating_sub(not_in_flight);
            Delivery { bytes, inflight: self.pipe, ssthresh, safe: safe && s.head == 0 }
        };
        self.on_ack(d);
    }
}

#[cfg(test)]
mod tests;

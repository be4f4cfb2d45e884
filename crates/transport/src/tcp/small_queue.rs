//! TCP small queues: what a sender may have below it, in the queue discipline and in the device of its own host.
//!
//! ```text
//! unit  = pacing rate / 2^shift + 65215 B / 2^(minimum RTT / 512 us), 2 segments to 65215 B    (tcp_tso_autosize)
//! limit = max(2 memory(unit), pacing rate / 2^shift)                                    (tcp_small_queue_check)
//! ```
//! The pacing rate is that of the law, otherwise 1.2 times (in slow start 2 times) the window per smoothed round-trip
//! time, also where nothing is paced. A unit is a packet before segmentation: the sender checks once for each, and then
//! all segments of the unit may leave. A law with a send quantum paces units instead of its quanta. A unit is smaller
//! if the window, or what was written, is. A unit leaves if the memory of what is below is at most the limit, so that
//! the queue has up to a unit more. The limit of a retransmission, which is one segment, is twice as high. Without
//! pacing, the limit is at most 4 MiB (`tcp_limit_output_bytes`). A sender with one unit outstanding always sends.
//!
//! Memory (`truesize`) is payload and 832 B a packet [measured, Linux 6.18, x86-64]. Packets below the sender are single
//! segments: a device without segmentation offload, and mac80211, cut units up when they enter the queue.
//!
//! Source: Linux 6.18 `net/ipv4/tcp_output.c` (`tcp_small_queue_check`, `tcp_tso_autosize`, `tcp_wfree`). Left out: the
//! drop of a retransmission whose original is still in the queue, and the check of tail loss probes.

use airtcp_units::{BitRate, Nanos, Span};

use super::config::Tsq;

/// Memory of a packet beyond its payload: its record, its headers and the list of its pages.
const OVERHEAD: u64 = 832;

/// Longest unit: 64 KiB without the headers (`sk_gso_max_size`).
const LONGEST: u64 = 65_215;

/// `tcp_limit_output_bytes`, for senders that do not pace.
const UNPACED: u64 = 4 << 20;

/// `tcp_tso_rtt_log`: the share of the longest unit halves with each 512 us of the minimum round-trip time.
const RTT_LOG: u32 = 9;

/// Maximum shift of the pacing rate.
pub(crate) const MAX_SHIFT: u32 = 31;

/// What a sender asks to send.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request {
    /// Payload that window and data permit, at least a segment.
    pub(crate) bytes: u64,
    pub(crate) mss: u64,
    /// Payload outstanding.
    pub(crate) in_flight: u64,
    /// The pacing rate, or what stands for it; `None` before the first round-trip time.
    pub(crate) rate: Option<BitRate>,
    /// The law's send quantum, if it has one.
    pub(crate) quantum: Option<u64>,
    pub(crate) min_rtt: Option<Span>,
    pub(crate) is_paced: bool,
    pub(crate) retransmission: bool,
}

/// What a sender has below it, and its limit.
#[derive(Debug)]
pub(crate) struct SmallQueue {
    shift: u32,
    fixed: Option<u64>,
    /// Memory of the packets below.
    below: u64,
    /// When the last unit passed the check, and what of it has not left.
    passed: (Nanos, u64),
    /// Payload of that unit.
    unit: u64,
    /// The last check failed.
    held: bool,
}

impl SmallQueue {
    /// For a device that reports what it has completed. `None` if the sender has no limit.
    pub(crate) fn new(tsq: Tsq, shift: u32) -> Option<Self> {
        let fixed = match tsq {
            Tsq::Rule(false) => return None,
            Tsq::Rule(true) => None,
            Tsq::Fixed(bytes) => Some(bytes.0),
        };
        let shift = shift.min(MAX_SHIFT);
        Some(Self { shift, fixed, below: 0, passed: (Nanos::ZERO, 0), unit: 0, held: false })
    }

    /// True if the segment may leave now. If not, the sender waits for [`on_completed`](Self::on_completed).
    pub(crate) fn admits(&mut self, now: Nanos, asked: &Request) -> bool {
        if !asked.retransmission && self.passed.0 == now && self.passed.1 > 0 {
            return true;
        }
        let (unit, limit) = self.unit_and_limit(asked);
        self.held = self.below > limit && asked.in_flight > unit;
        if !self.held && !asked.retransmission {
            (self.passed, self.unit) = ((now, unit), unit);
        }
        !self.held
    }

    /// Payload of the next unit, and the limit in memory.
    fn unit_and_limit(&self, asked: &Request) -> (u64, u64) {
        let mss = asked.mss.max(1);
        let share = asked.rate.map_or(u64::MAX, |rate| (rate.bps() / 8) >> self.shift);
        if asked.retransmission {
            return (mss, self.limit(mss, share, asked.is_paced).saturating_mul(2));
        }
        let near = asked.min_rtt.map_or(0, |rtt| {
            let halvings = u32::try_from((rtt.0 / 1000) >> RTT_LOG).unwrap_or(u32::MAX);
            LONGEST.checked_shr(halvings).unwrap_or(0)
        });
        let least = asked.quantum.unwrap_or(u64::MAX).clamp(mss, 2 * mss) / mss;
        let whole = (share.saturating_add(near).min(LONGEST) / mss).max(least);
        let segments = whole.min(asked.bytes.div_ceil(mss)).max(1);
        let unit = segments * mss;
        (unit, self.limit(unit, share, asked.is_paced))
    }

    fn limit(&self, unit: u64, share: u64, is_paced: bool) -> u64 {
        if let Some(fixed) = self.fixed {
            return fixed;
        }
        let limit = share.max(2 * memory(unit));
        if is_paced { limit } else { limit.min(UNPACED) }
    }

    /// A segment of this payload leaves.
    pub(crate) fn on_sent(&mut self, now: Nanos, bytes: u64, retransmission: bool) {
        self.below += memory(bytes);
        if !retransmission && self.passed.0 == now {
            self.passed.1 = self.passed.1.saturating_sub(bytes);
        }
    }

    /// Payload of the last unit that passed the check. It is paced as one.
    pub(crate) const fn unit(&self) -> u64 {
        self.unit
    }

    /// The device has completed a packet of this payload. True if the sender waits for it.
    pub(crate) fn on_completed(&mut self, bytes: u64) -> bool {
        self.below = self.below.saturating_sub(memory(bytes));
        self.held
    }
}

/// Memory of a packet with this payload.
const fn memory(bytes: u64) -> u64 {
    bytes + OVERHEAD
}

#[cfg(test)]
mod tests;

//! Counters of one end, as a sender and as a receiver. Packets and bytes since the start.

use airtcp_probe::RttStats;
use airtcp_units::Span;
use serde::Serialize;

/// What a sender has measured of its path. Before the first answer and the first loss: the assumed round trip, no losses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Path {
    /// Smoothed round-trip time.
    pub srtt: Span,
    /// What of it is above the least of the path: the queue.
    pub queue: Span,
    /// Share of the latest packets that were lost.
    pub loss: f64,
    /// Mean length of a run of lost packets, at least 1.
    pub mean_burst: f64,
    /// Packets that may be on their way.
    pub window: u64,
}

/// Counters of an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct SlidingStats {
    /// Symbols sent for the first time.
    pub symbols: u64,
    /// Symbols retransmitted because they were lost.
    pub resent: u64,
    /// Combinations sent.
    pub combinations: u64,
    /// Of resent symbols and combinations, those sent as probes during silence.
    pub probes: u64,
    /// Payload of all of them, in bytes.
    pub bytes_sent: u64,
    /// Bytes of the stream known to have arrived in order.
    pub bytes_acked: u64,
    /// Packets judged lost.
    pub lost: u64,
    /// Of those, packets that arrived after all.
    pub misjudged: u64,
    /// Expirations of the timer for silence.
    pub timeouts: u64,
    /// Times the window was reduced for a loss, while the queue was shared.
    pub reductions: u64,
    /// Times the window was reduced for marks.
    pub ecn_reactions: u64,
    /// Times another flow was found to fill the queue.
    pub shared: u64,
    /// Feedback that cannot be true.
    pub feedback_refused: u64,
    /// Round trips.
    #[serde(flatten)]
    pub rtt: RttStats,
    /// Receiver: packets with new information.
    pub useful: u64,
    /// Receiver: packets without new information, duplicates included.
    pub useless: u64,
    /// Receiver: symbols computed from combinations.
    pub computed: u64,
    /// Receiver: packets that contradict the stream or do not fit the buffer.
    pub refused: u64,
}

impl SlidingStats {
    /// Data packets sent.
    pub const fn packets_sent(&self) -> u64 {
        self.symbols + self.resent + self.combinations
    }
}

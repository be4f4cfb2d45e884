//! Duplicate ACKs after a timeout: RFC 6582 section 4.
//!
//! NewReno's careful variant ignores duplicates that do not acknowledge more than `recover`, since
//! unnecessary retransmissions of the timeout may have caused them. If one of the timeout's
//! retransmissions is lost, this costs another timeout. The heuristics distinguish the two cases:
//!
//! - 4.1: the window is larger than a segment, and the last ACK of new data advanced by at most
//!   four segments. After unnecessary retransmissions the cumulative ACK jumps over data that had
//!   arrived.
//! - 4.2: the last ACK of new data echoed the timestamp of the last segment that it acknowledged.
//!   After a jump it echoes the segment that filled the gap.
//!
//! Recoveries with SACK do not need them. Bytes.

use airtcp_units::Nanos;

use crate::tcp::config::{CarefulHeuristic, TcpConfig};
use crate::tcp::timestamps::clock_at;

/// Maximum advance of an ACK after necessary retransmissions, in segments.
const MAX_SEGMENTS: u64 = 4;

/// The last ACK of new data.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LastAdvance {
    /// `highest_ack - prev_highest_ack`.
    bytes: u64,
    /// The ACK echoed the timestamp of the last segment that it acknowledged.
    echo_matches: bool,
}

impl LastAdvance {
    /// An ACK of `bytes` of new data, whose last segment was last sent at `sent`, echoed the
    /// timestamp `echoed`.
    #[inline]
    pub(crate) fn note(
        &mut self,
        bytes: u64,
        sent: Option<Nanos>,
        echoed: Option<u32>,
        config: &TcpConfig,
    ) {
        if config.careful_heuristic != CarefulHeuristic::None {
            let expected = sent.map(|at| clock_at(at, config.timestamp_tick));
            let echo_matches = expected.is_some() && expected == echoed;
            *self = Self { bytes, echo_matches };
        }
    }

    /// Whether duplicates for data up to `recover` signal a loss, with the window `cwnd`.
    pub(crate) const fn is_credible(&self, cwnd: u64, mss: u64, config: &TcpConfig) -> bool {
        match config.careful_heuristic {
            CarefulHeuristic::None => false,
            CarefulHeuristic::Ack => cwnd > mss && self.bytes <= MAX_SEGMENTS * mss,
            CarefulHeuristic::Timestamp => self.echo_matches,
        }
    }
}

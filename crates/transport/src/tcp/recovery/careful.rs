//! Duplicate ACKs after a timeout: RFC 6582 section 4.
//!
//! NewReno's careful variant takes no duplicates for a sign of loss that do not acknowledge more
//! than `recover`: they may answer what the timeout sent again needlessly. That costs a timeout
//! when one of these retransmissions is lost. The heuristics tell the two apart:
//!
//! - 4.1: the window is larger than a segment, and the last ACK of new data advanced by at most
//!   four segments. Needless retransmissions follow a jump of the cumulative ACK over data that
//!   had arrived.
//! - 4.2: the last ACK of new data echoed the timestamp of the segment it acknowledged last. After
//!   a jump it echoes the one that filled the gap.
//!
//! They need no SACK, which has better evidence. Bytes.

use airtcp_units::Nanos;

use crate::tcp::config::{CarefulHeuristic, TcpConfig};
use crate::tcp::timestamps::clock_at;

/// The most that an ACK of needed retransmissions advances, in segments.
const MAX_SEGMENTS: u64 = 4;

/// What is remembered of the last ACK of new data.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LastAdvance {
    /// `highest_ack - prev_highest_ack`.
    bytes: u64,
    /// It echoed the timestamp of the last segment it acknowledged.
    echo_matches: bool,
}

impl LastAdvance {
    /// An ACK of `bytes` of new data, the last of which was last sent at `sent`, echoed a
    /// timestamp.
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

    /// Whether duplicates for data up to `recover` signal a loss, under the window `cwnd`.
    pub(crate) const fn is_credible(&self, cwnd: u64, mss: u64, config: &TcpConfig) -> bool {
        match config.careful_heuristic {
            CarefulHeuristic::None => false,
            CarefulHeuristic::Ack => cwnd > mss && self.bytes <= MAX_SEGMENTS * mss,
            CarefulHeuristic::Timestamp => self.echo_matches,
        }
    }
}

//! Counters of an LT-TCP end. Symbols and bytes of payload since the start.

use serde::Serialize;

use super::block::{Kind, kind_of};
use super::wire::Data;
use airtcp_probe::RttStats;

/// Symbols and their payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Amount {
    /// Symbols.
    pub symbols: u64,
    /// Bytes of payload.
    pub bytes: u64,
}

impl Amount {
    pub(crate) fn add(&mut self, bytes: u16) {
        self.symbols += 1;
        self.bytes += u64::from(bytes);
    }
}

/// Counters of an LT-TCP end, as a sender and as a receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct LtStats {
    /// Data symbols sent for the first time.
    pub data: Amount,
    /// Parity sent with its block (PFEC).
    pub proactive: Amount,
    /// Parity sent because a block could not be decoded (RFEC).
    pub reactive: Amount,
    /// Symbols sent a second time.
    pub resent: Amount,
    /// Blocks begun.
    pub blocks_sent: u64,
    /// Blocks that the peer has delivered.
    pub blocks_acked: u64,
    /// Repair rounds.
    pub reactive_rounds: u64,
    /// Symbols judged lost.
    pub symbols_lost: u64,
    /// Of those, symbols that arrived after all.
    pub misjudged: u64,
    /// Expirations of the retransmission timer.
    pub timeouts: u64,
    /// Probes of a silent path.
    pub probes: u64,
    /// Windows restored after an outage.
    pub restored: u64,
    /// Reactions to marks.
    pub ecn_reactions: u64,
    /// Reactions to losses.
    pub loss_reactions: u64,
    /// Feedback that cannot be true.
    pub feedback_refused: u64,
    /// Feedback that retracts earlier feedback (RFC 2018 section 8); it is processed.
    pub feedback_taken_back: u64,
    /// Bytes of the stream that the peer has delivered.
    pub bytes_acked: u64,
    /// Round trips.
    #[serde(flatten)]
    pub rtt: RttStats,
    /// Receiver: blocks decoded.
    pub blocks_decoded: u64,
    /// Receiver: data that arrived when its block was complete.
    pub wasted_data: Amount,
    /// Receiver: PFEC that arrived when its block was complete.
    pub wasted_proactive: Amount,
    /// Receiver: RFEC that arrived when its block was complete.
    pub wasted_reactive: Amount,
    /// Receiver: packets that arrived twice.
    pub duplicates: u64,
    /// Receiver: symbols that contradict their block or do not fit the buffer.
    pub refused: u64,
}

impl LtStats {
    /// All payload sent.
    pub const fn bytes_sent(&self) -> u64 {
        self.data.bytes + self.proactive.bytes + self.reactive.bytes + self.resent.bytes
    }

    /// All symbols sent.
    pub const fn symbols_sent(&self) -> u64 {
        self.data.symbols + self.proactive.symbols + self.reactive.symbols + self.resent.symbols
    }

    /// An unnecessary symbol arrived.
    pub(crate) fn waste(&mut self, data: &Data) {
        // Parity without the reactive flag is proactive: the header does not contain P.
        let kind = match kind_of(data.index, u16::from(data.k), u16::MAX / 2) {
            Kind::Data => Kind::Data,
            _ if data.reactive => Kind::Reactive,
            _ => Kind::Proactive,
        };
        match kind {
            Kind::Data => self.wasted_data.add(data.len),
            Kind::Proactive => self.wasted_proactive.add(data.len),
            Kind::Reactive => self.wasted_reactive.add(data.len),
        }
    }
}

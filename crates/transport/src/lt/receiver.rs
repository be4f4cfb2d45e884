//! The receiving half: the symbols of each block, delivery, and feedback.
//!
//! A block decodes with any K of its symbols. The receiver delivers it once the blocks before it
//! are delivered, so the stream is in order and each byte is delivered once. Symbols that arrive
//! after K others were wasted. Feedback leaves with every segment while packets are missing,
//! otherwise by the rules of delayed acknowledgements (RFC 5681 section 4.2). Bytes, packet
//! numbers.
//!
//! The receiver refuses and counts symbols that contradict their block, blocks beyond
//! [`MAX_BLOCKS`], and blocks beyond the receive buffer.

use std::collections::VecDeque;

use airtcp_packet::{Ecn, Seq};
use airtcp_units::{LowBits, Nanos, Narrow};

use super::block::{Symbols, recovers};
use super::config::Delivery;
use super::stats::LtStats;
use super::wire::{Data, Feedback};
use crate::tcp::TcpConfig;
use airtcp_packet::ack_bitmap::BITMAP_LEN;

/// Maximum number of blocks between the first undelivered and the last open one.
pub(crate) const MAX_BLOCKS: u64 = 4096;

/// The most recent 32 packets: if one of them is missing, every segment is answered at once.
const RECENT: u128 = u32::MAX as u128;

/// A block that has begun to arrive.
#[derive(Debug, Clone, Copy)]
struct Incoming {
    k: u8,
    padding: u8,
    symbol: u16,
    last: bool,
    symbols: Symbols,
    count: u16,
}

impl Incoming {
    fn bytes(&self) -> u64 {
        u64::from(self.k) * u64::from(self.symbol) - u64::from(self.padding)
    }

    const fn decodes(&self) -> bool {
        self.count >= self.k as u16
    }

    /// Bytes at the head of the block that need no decoding.
    fn head(&self) -> u64 {
        let data = u16::from(self.k);
        let missing = self.symbols.first_missing(0, data).map_or(data, u16::from);
        (u64::from(missing) * u64::from(self.symbol)).min(self.bytes())
    }
}

#[derive(Debug)]
pub(crate) struct LtReceiver {
    delivery: Delivery,
    buffer: u64,
    ack_every: u32,
    ack_delay: airtcp_units::Span,
    /// One past the highest packet number received.
    next_number: u64,
    /// Bit `i`: packet `next_number - 1 - i` has arrived. Bits before the first packet are set.
    arrived: u128,
    /// First block not delivered.
    next_block: u64,
    /// Blocks from `next_block` on.
    blocks: VecDeque<Option<Incoming>>,
    /// Bytes of the blocks that have begun to arrive.
    held: u64,
    /// Bytes of the blocks delivered.
    in_blocks: u64,
    delivered: u64,
    closed: bool,
    capable: u16,
    marked: u16,
    /// Number of segments not answered.
    unanswered: u32,
    owed: bool,
    deadline: Nanos,
}

impl LtReceiver {
    pub(crate) fn new(delivery: Delivery, tcp: &TcpConfig) -> Self {
        Self {
            delivery,
            buffer: tcp.receive_buffer.0,
            ack_every: tcp.ack_every,
            ack_delay: tcp.ack_delay,
            next_number: 0,
            arrived: u128::MAX,
            next_block: 0,
            blocks: VecDeque::new(),
            held: 0,
            in_blocks: 0,
            delivered: 0,
            closed: false,
            capable: 0,
            marked: 0,
            unanswered: 0,
            owed: false,
            deadline: Nanos::NEVER,
        }
    }

    /// Bytes delivered to the application.
    pub(crate) const fn delivered(&self) -> u64 {
        self.delivered
    }

    /// The last block of the stream was delivered.
    pub(crate) const fn is_closed(&self) -> bool {
        self.closed
    }

    /// Time of the next delayed feedback.
    pub(crate) const fn deadline(&self) -> Nanos {
        self.deadline
    }

    pub(crate) fn on_timer(&mut self, now: Nanos) {
        if self.deadline <= now {
            self.owed = true;
        }
    }

    /// Takes a symbol; returns the bytes that became deliverable.
    pub(crate) fn on_data(
        &mut self,
        now: Nanos,
        data: &Data,
        ecn: Ecn,
        stats: &mut LtStats,
    ) -> u64 {
        self.note_packet(now, data, ecn, stats);
        let Some(block) = Seq(data.block).unwrap_near(Seq(0), self.next_block) else {
            stats.refused += 1;
            return 0;
        };
        if block < self.next_block {
            stats.waste(data);
            return 0;
        }
        let Some(at) = self.open(block, data) else {
            stats.refused += 1;
            return 0;
        };
        self.take(at, data, stats)
    }

    /// Notes the arrival of a packet, and whether feedback is due.
    #[inline]
    fn note_packet(&mut self, now: Nanos, data: &Data, ecn: Ecn, stats: &mut LtStats) {
        let number = Seq(data.number).unwrap_near(Seq(0), self.next_number).unwrap_or(u64::MAX);
        let mut fresh = true;
        let mut at_once = number != self.next_number;
        if !at_once {
            self.arrived = self.arrived << 1 | 1;
            self.next_number += 1;
        } else if number == u64::MAX {
            fresh = false;
        } else if number >= self.next_number {
            let ahead = number - self.next_number + 1;
            self.arrived =
                if ahead < u64::from(BITMAP_LEN) { self.arrived << ahead | 1 } else { 1 };
            self.next_number = number + 1;
        } else {
            let behind = self.next_number - 1 - number;
            // Packets beyond the reach of feedback are neither reported nor counted.
            fresh = behind < u64::from(BITMAP_LEN) && self.arrived & (1 << behind) == 0;
            if fresh {
                self.arrived |= 1 << behind;
            }
        }
        if fresh {
            match ecn {
                Ecn::Ce => {
                    self.marked = self.marked.wrapping_add(1);
                    at_once = true;
                }
                Ecn::Ect0 => self.capable = self.capable.wrapping_add(1),
                Ecn::Ect1 | Ecn::NotEct => {}
            }
        } else {
            stats.duplicates += 1;
        }
        self.unanswered += 1;
        let missing = self.arrived & RECENT != RECENT;
        if at_once || missing || self.unanswered >= self.ack_every {
            self.owed = true;
        } else if self.deadline == Nanos::NEVER {
            self.deadline = now + self.ack_delay;
        }
    }

    /// Position of a block among the open ones, opened if it is new; `None` if the symbol
    /// contradicts the block.
    #[inline]
    fn open(&mut self, block: u64, data: &Data) -> Option<usize> {
        let ahead = block - self.next_block;
        if ahead >= MAX_BLOCKS {
            return None;
        }
        let at = usize::narrow(ahead);
        let symbol = u16::try_from(data.symbol()).ok()?;
        if let Some(Some(known)) = self.blocks.get_mut(at) {
            let same = known.k == data.k && known.symbol == symbol && known.padding == data.padding;
            if same && data.last {
                known.last = true;
            }
            return same.then_some(at);
        }
        let new = Incoming {
            k: data.k,
            padding: data.padding,
            symbol,
            last: data.last,
            symbols: Symbols::default(),
            count: 0,
        };
        // The first block is accepted at any size, since nothing can continue without it.
        if at > 0 && self.held + new.bytes() > self.buffer {
            return None;
        }
        self.held += new.bytes();
        if self.blocks.len() <= at {
            self.blocks.resize(at + 1, None);
        }
        self.blocks[at] = Some(new);
        Some(at)
    }

    #[inline]
    fn take(&mut self, at: usize, data: &Data, stats: &mut LtStats) -> u64 {
        let Some(Some(block)) = self.blocks.get_mut(at) else { return 0 };
        if block.decodes() || !block.symbols.insert(data.index) {
            stats.waste(data);
            return 0;
        }
        block.count += 1;
        if block.decodes() {
            debug_assert!(recovers(u16::from(block.k), &block.symbols));
            stats.blocks_decoded += 1;
        }
        if at > 0 {
            return 0;
        }
        let before = self.delivered;
        while let Some(Some(front)) = self.blocks.front() {
            if !front.decodes() {
                break;
            }
            let bytes = front.bytes();
            self.closed = self.closed || front.last;
            self.in_blocks += bytes;
            self.held -= bytes;
            self.next_block += 1;
            self.blocks.pop_front();
        }
        let head = match (self.delivery, self.blocks.front()) {
            (Delivery::Segment, Some(Some(front))) => front.head(),
            _ => 0,
        };
        self.delivered = self.in_blocks + head;
        self.delivered - before
    }

    /// True if feedback is due now.
    #[inline]
    pub(crate) const fn owes_feedback(&self) -> bool {
        self.owed
    }

    /// The feedback due now, if any. `shift` is the scale of the window.
    pub(crate) fn feedback(&mut self, shift: u8) -> Option<Feedback> {
        if !self.owed {
            return None;
        }
        self.owed = false;
        self.unanswered = 0;
        self.deadline = Nanos::NEVER;
        Some(Feedback {
            next_block: u32::low_bits(self.next_block),
            greatest: u32::low_bits(self.next_number.wrapping_sub(1)),
            marked: self.marked,
            capable: self.capable,
            arrived: self.arrived,
            window: self.window(shift),
        })
    }

    /// The window field: the whole buffer, since the application reads at once. `shift` is the
    /// scale.
    pub(crate) fn window(&self, shift: u8) -> u16 {
        (self.buffer >> shift).min(0xffff) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airtcp_units::Bytes;

    const fn symbol(number: u32, block: u32, index: u8, k: u8) -> Data {
        let (padding, last, reactive, len) = (0, false, false, 100);
        Data { number, block, index, k, padding, last, reactive, len }
    }

    fn receiver() -> LtReceiver {
        let tcp = TcpConfig { receive_buffer: Bytes(100_000), ..TcpConfig::default() };
        LtReceiver::new(Delivery::Block, &tcp)
    }

    /// Any two of the three, in any order, deliver the block once; the third is wasted.
    #[test]
    fn any_k_of_the_symbols_and_each_byte_once() {
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let (mut r, mut stats) = (receiver(), LtStats::default());
            let mut got = Vec::new();
            for (n, index) in order.into_iter().enumerate() {
                let data = symbol(n as u32, 0, index, 2);
                got.push(r.on_data(Nanos(0), &data, Ecn::NotEct, &mut stats));
            }
            assert_eq!(got, [0, 200, 0]);
            assert_eq!((r.delivered(), stats.blocks_decoded), (200, 1));
            assert_eq!(stats.wasted_proactive.symbols + stats.wasted_data.symbols, 1);
        }
    }

    #[test]
    fn blocks_are_delivered_in_order_and_heads_at_once_if_asked() {
        let mut stats = LtStats::default();
        for (delivery, steps) in
            [(Delivery::Block, [0, 0, 0, 400]), (Delivery::Segment, [0, 0, 100, 300])]
        {
            let mut r = LtReceiver { delivery, ..receiver() };
            // Block 1 whole, then block 0.
            let order =
                [symbol(0, 1, 0, 2), symbol(1, 1, 2, 2), symbol(2, 0, 0, 2), symbol(3, 0, 1, 2)];
            let got = order.map(|d| r.on_data(Nanos(0), &d, Ecn::NotEct, &mut stats));
            assert_eq!(got, steps);
            assert_eq!((r.delivered(), r.next_block, r.held), (400, 2, 0));
        }
    }

    /// Worked example of feedback: packets 0, 1, 4 and 3 of five.
    #[test]
    fn bits_report_missing_packets() {
        let (mut r, mut stats) = (receiver(), LtStats::default());
        for number in [0, 1, 4, 3, 3] {
            let ecn = if number == 4 { Ecn::Ce } else { Ecn::Ect0 };
            r.on_data(Nanos(0), &symbol(number, 0, number as u8, 9), ecn, &mut stats);
        }
        let f = r.feedback(0).unwrap();
        assert_eq!((f.greatest, f.next_block, f.marked, f.capable), (4, 0, 1, 3));
        assert_eq!(f.arrived, !0b100, "packet 2 is missing");
        assert_eq!((stats.duplicates, f.window), (1, 0xffff));
        assert!(r.feedback(0).is_none(), "each is answered once");
    }

    #[test]
    fn answers_wait_only_while_nothing_is_missing() {
        let (mut r, mut stats) = (receiver(), LtStats::default());
        let mut answers = |number| {
            r.on_data(Nanos(5), &symbol(number, 0, number as u8, 99), Ecn::NotEct, &mut stats);
            let due = r.deadline();
            (r.feedback(0).is_some(), due != Nanos::NEVER)
        };
        assert_eq!(answers(0), (false, true));
        assert_eq!(answers(1), (true, true), "every second one");
        assert_eq!(answers(3), (true, false), "a gap");
        assert_eq!(answers(4), (true, false), "and what follows it");
    }

    #[test]
    fn contradictions_are_refused() {
        let (mut r, mut stats) = (receiver(), LtStats::default());
        let mut refused = |data: &Data| {
            let before = stats.refused;
            r.on_data(Nanos(0), data, Ecn::NotEct, &mut stats);
            stats.refused > before
        };
        assert!(!refused(&symbol(0, 5, 0, 9)));
        assert!(refused(&symbol(1, 5, 1, 8)), "another K");
        assert!(refused(&Data { len: 99, ..symbol(2, 5, 1, 9) }), "another length");
        assert!(refused(&Data { padding: 1, ..symbol(3, 5, 1, 9) }), "another padding");
        assert!(refused(&symbol(4, MAX_BLOCKS as u32, 0, 9)), "too far ahead");
        assert!(refused(&Data { len: 60_000, ..symbol(5, 6, 0, 9) }), "beyond the buffer");
        assert!(
            !refused(&Data { len: 60_000, ..symbol(6, 0, 0, 9) }),
            "the first block is accepted"
        );
        assert!(!refused(&symbol(7, 5, 1, 9)));
    }
}

//! A block in flight: the symbols sent, their fates, and the next symbol.

use airtcp_units::{Nanos, Narrow};

use super::super::block::Kind;
use super::super::block::{MAX_SYMBOLS, Plan, Symbols, kind_of, repairs};
use super::super::config::{LtConfig, Reactive};
use super::super::estimate::Protection;

/// How the loss of a packet was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loss {
    /// Later packets have arrived.
    Seen,
    /// Later packets have arrived, and the loss belongs to an outage of the link.
    Outage,
    /// A timeout.
    Timeout,
}

/// A block of the sender.
#[derive(Debug, Clone)]
pub(crate) struct Outgoing {
    pub(crate) plan: Plan,
    /// Stream offset of the block's end.
    pub(crate) end: u64,
    /// Window for which the block was made, bytes sent before it, and the time of its beginning.
    window: u64,
    sent_from: u64,
    begun: Nanos,
    /// Next unused index, and one past the last that may leave now.
    fresh: u16,
    limit: u16,
    /// Symbols to send again, and where to search for the next.
    again: u16,
    cursor: u16,
    arrived: Symbols,
    count: u16,
    /// Symbols in the network.
    flying: u16,
    /// Number of judged segments among the first N, and of lost ones among these.
    judged: u16,
    lost: u16,
    /// Number of segments lost in an outage.
    outage: u16,
    sampled: bool,
    /// A timeout marked some of the first N lost.
    doubtful: bool,
    rounds: u16,
    delivered: bool,
}

impl Outgoing {
    pub(crate) fn new(plan: Plan, end: u64, (window, sent_from, begun): (u64, u64, Nanos)) -> Self {
        Self {
            plan,
            end,
            window,
            sent_from,
            begun,
            fresh: 0,
            limit: plan.data + plan.parity,
            again: 0,
            cursor: 0,
            arrived: Symbols::default(),
            count: 0,
            flying: 0,
            judged: 0,
            lost: 0,
            outage: 0,
            sampled: false,
            doubtful: false,
            rounds: 0,
            delivered: false,
        }
    }

    /// Segments of the first window.
    const fn first(&self) -> u16 {
        self.plan.data + self.plan.parity
    }

    /// True if the block has a symbol to send.
    pub(crate) const fn has_next(&self) -> bool {
        self.fresh < self.limit || self.again > 0
    }

    /// The next symbol to send, and whether it was sent before. Only call it if there is one.
    pub(crate) fn take_next(&mut self) -> (u8, bool) {
        self.flying += 1;
        if self.fresh < self.limit {
            self.fresh += 1;
            return (u8::narrow(self.fresh - 1), false);
        }
        self.again -= 1;
        // Nothing of the block was in the network when the round began, so what has not arrived was
        // lost.
        let first = self.arrived.first_missing(self.cursor, self.fresh);
        let index = first.or_else(|| self.arrived.first_missing(0, self.fresh)).unwrap_or(0);
        self.cursor = u16::from(index) + 1;
        (index, true)
    }

    /// The window for which the block was made.
    pub(crate) const fn window(&self) -> u64 {
        self.window
    }

    /// The time of its beginning.
    pub(crate) const fn begun(&self) -> Nanos {
        self.begun
    }

    /// Bytes sent before the block.
    pub(crate) const fn sent_from(&self) -> u64 {
        self.sent_from
    }

    pub(crate) const fn is_repairing(&self) -> bool {
        self.rounds > 0
    }

    pub(crate) const fn len_of(&self, index: u8) -> u16 {
        let last = index as u16 + 1 == self.plan.data;
        self.plan.symbol - if last { self.plan.padding as u16 } else { 0 }
    }

    pub(crate) const fn kind_of(&self, index: u8) -> Kind {
        kind_of(index, self.plan.data, self.plan.parity)
    }

    /// A packet of the block has arrived that was in the network, or judged lost.
    pub(crate) fn on_arrived(&mut self, index: u8, was_lost: bool) {
        let first = u16::from(index) < self.first();
        if was_lost {
            // The packet was misjudged.
            if first && !self.sampled && self.rounds == 0 {
                self.lost = self.lost.saturating_sub(1);
            }
        } else {
            self.flying = self.flying.saturating_sub(1);
            if first && self.rounds == 0 {
                self.judged += 1;
            }
        }
        if self.arrived.insert(index) {
            self.count += 1;
        }
    }

    /// A packet of the block that was in the network is lost.
    pub(crate) fn on_lost(&mut self, index: u8, how: Loss) {
        self.flying = self.flying.saturating_sub(1);
        if u16::from(index) < self.first() && self.rounds == 0 {
            self.judged += 1;
            match how {
                Loss::Seen => self.lost += 1,
                Loss::Outage => self.outage += 1,
                Loss::Timeout => {
                    self.lost += 1;
                    self.doubtful = true;
                }
            }
        }
    }

    /// Allows up to `count` unused symbols to leave. Returns false if there are none.
    pub(crate) fn probe(&mut self, count: u16) -> bool {
        let fresh = count.min(MAX_SYMBOLS.saturating_sub(self.limit));
        self.limit += fresh;
        fresh > 0
    }

    /// The timer expired. The peer should have delivered the block by then, so its acknowledgements
    /// of the block's symbols are discarded (RFC 2018 section 8).
    pub(crate) fn on_timeout(&mut self) {
        if !self.delivered && self.count >= self.plan.data {
            self.arrived = Symbols::default();
            self.count = 0;
        }
    }

    /// The peer has delivered the block: nothing more of it needs to leave.
    pub(crate) fn on_delivered(&mut self) {
        self.delivered = true;
        self.limit = self.fresh;
        self.again = 0;
    }

    pub(crate) const fn is_delivered(&self) -> bool {
        self.delivered
    }

    /// True if the block is delivered and has nothing in the network.
    pub(crate) const fn is_over(&self) -> bool {
        self.delivered && self.flying == 0 && self.sampled
    }

    /// If the block was delivered early, the rest of it never left.
    fn first_sent(&self) -> u16 {
        self.first().min(self.fresh)
    }

    /// True if all of the first segments are judged and no sample was taken.
    fn is_to_sample(&self) -> bool {
        let complete = self.delivered || self.fresh >= self.first();
        !self.sampled && complete && self.judged >= self.first_sent()
    }

    /// True if the block is ready for its sample, for a repair, or for removal.
    #[inline]
    pub(crate) fn is_settled(&self) -> bool {
        self.flying == 0 || self.is_to_sample()
    }

    /// Number of lost and of sent segments among the first, once all of them are judged. Returned
    /// once.
    pub(crate) fn take_sample(&mut self, on_timeout: bool) -> Option<(u16, u16)> {
        let sent = self.first_sent();
        if !self.is_to_sample() {
            return None;
        }
        self.sampled = true;
        (on_timeout || !self.doubtful).then_some((self.lost, sent.saturating_sub(self.outage)))
    }

    /// Begins a repair round if the block cannot be decoded and has nothing in the network.
    pub(crate) fn repair(&mut self, protection: &Protection, config: &LtConfig) -> bool {
        let missing = self.plan.data.saturating_sub(self.count);
        if self.delivered || self.flying > 0 || self.has_next() || missing == 0 {
            return false;
        }
        let proactive = if self.rounds == 0 { self.plan.parity } else { 0 };
        self.rounds = self.rounds.saturating_add(1);
        match config.reactive {
            Reactive::Parity => {
                let wanted = repairs(self.first(), proactive, missing, protection);
                let fresh = wanted.min(MAX_SYMBOLS - self.fresh);
                self.limit = self.fresh + fresh;
                self.again = wanted - fresh;
            }
            Reactive::Retransmission => self.again = missing,
        }
        self.cursor = 0;
        true
    }
}

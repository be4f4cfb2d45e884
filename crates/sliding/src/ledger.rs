//! Every packet in flight by its number: its payload, its departure, and its fate.

use std::collections::{BTreeMap, VecDeque};

use airtcp_packet::AckBitmap;
use airtcp_units::{Nanos, Narrow, Span};

use super::wire::{Feedback, Payload};

/// Initial number of later packets after which a missing one is lost (RFC 9002 section 6.1.1).
const FIRST_THRESHOLD: u64 = 3;
/// Maximum of that number under reordering.
const MAX_THRESHOLD: u64 = 64;
/// Number of packets without a wrong judgement after which the expected reordering is halved.
const FORGET_AFTER: u64 = 2048;
/// Maximum factor of reordering on the loss delay (RFC 8985 bounds its reordering window by the
/// round-trip time).
const MAX_LOSS_DELAY_FACTOR: u64 = 2;
/// Number of resolved packets kept, to detect wrong judgements.
const STORED_PACKETS: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Flying,
    Arrived,
    Lost,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Sent {
    pub(crate) payload: Payload,
    pub(crate) at: Nanos,
    /// The greatest number known to have arrived at departure, and since when.
    passed: (u64, Nanos),
    fate: Fate,
    /// The packet carries a retransmitted symbol.
    again: bool,
}

/// Changes made by feedback.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(crate) arrived: Vec<Payload>,
    /// Lost payloads with the numbers of their packets.
    pub(crate) lost: Vec<(u64, Payload)>,
    /// The newly known fates, in order of packet numbers: true for lost.
    pub(crate) fates: Vec<bool>,
    /// Pairs of packets that left at the same instant, of which the second arrived, and how many of
    /// the first were lost.
    pub(crate) pairs: (u64, u64),
    /// Packets judged lost that arrived.
    pub(crate) misjudged: u64,
    /// Round-trip time of the newest packet.
    pub(crate) rtt: Option<Span>,
    /// Packets per second through the bottleneck between two arrivals, lost ones included.
    pub(crate) passed: Option<f64>,
}

/// Packets whose answers are overdue.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Overdue {
    pub(crate) symbols: u64,
    pub(crate) combinations: u64,
}

impl Overdue {
    pub(crate) const fn packets(&self) -> u64 {
        self.symbols + self.combinations
    }
}

impl Changes {
    /// Clears the changes and keeps the allocations.
    fn clear(&mut self) {
        self.arrived.clear();
        self.lost.clear();
        self.fates.clear();
        (self.misjudged, self.rtt, self.passed, self.pairs) = (0, None, None, (0, 0));
    }
}

#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// Number of the first packet in `sent`.
    first: u64,
    sent: VecDeque<Sent>,
    flying: u64,
    /// Number of combinations among these.
    combinations: u64,
    /// Numbers and first symbols of combinations, from the oldest in flight on; the first symbols
    /// never decrease.
    combined: VecDeque<(u64, u64)>,
    /// One past the last symbol sent.
    symbols: u64,
    /// Packets in flight with retransmitted symbols.
    again: BTreeMap<u64, u32>,
    greatest: Option<(u64, Nanos)>,
    acked: AckBitmap,
    /// Every packet before this number is resolved.
    settled: u64,
    /// The maximum number of packets that overtook a wrongly judged one, and the maximum delay,
    /// both halved now and then; and the packet at which they are halved.
    reordering: u64,
    late: Span,
    forget_at: u64,
}

impl Ledger {
    #[inline]
    pub(crate) fn next(&self) -> u64 {
        self.first + self.sent.len() as u64
    }

    /// Number of packets without a known fate.
    #[inline]
    pub(crate) const fn flying(&self) -> u64 {
        self.flying
    }

    /// Number of combinations among these.
    #[inline]
    pub(crate) const fn flying_combinations(&self) -> u64 {
        self.combinations
    }

    /// True if a packet with this symbol, retransmitted, is in flight.
    #[inline]
    pub(crate) fn carries(&self, symbol: u64) -> bool {
        self.again.contains_key(&symbol)
    }

    /// Greatest number known to have arrived.
    #[inline]
    pub(crate) fn greatest(&self) -> u64 {
        self.greatest.map_or(0, |g| g.0)
    }

    #[inline]
    pub(crate) fn send(&mut self, now: Nanos, payload: Payload) -> u64 {
        let number = self.next();
        self.flying += 1;
        let mut again = false;
        match payload {
            Payload::Combination { first, .. } => {
                self.combinations += 1;
                self.combined.push_back((number, first));
            }
            Payload::Symbol(symbol) if symbol < self.symbols => {
                *self.again.entry(symbol).or_default() += 1;
                again = true;
            }
            Payload::Symbol(symbol) => self.symbols = symbol + 1,
        }
        let passed = self.greatest.unwrap_or((number, now));
        self.sent.push_back(Sent { payload, at: now, passed, fate: Fate::Flying, again });
        number
    }

    /// First symbol of the oldest combination in flight.
    #[inline]
    pub(crate) fn oldest_combined(&self) -> Option<u64> {
        if self.combinations == 0 { None } else { self.combined.front().map(|c| c.1) }
    }

    #[inline]
    fn of(&mut self, number: u64) -> Option<&mut Sent> {
        let i = number.checked_sub(self.first)?;
        self.sent.get_mut(usize::try_from(i).ok()?)
    }

    #[inline]
    fn settle(&mut self, number: u64, fate: Fate) -> Option<Payload> {
        let sent = self.of(number)?;
        if sent.fate != Fate::Flying {
            return None;
        }
        sent.fate = fate;
        let (payload, again) = (sent.payload, sent.again);
        self.flying -= 1;
        match payload {
            Payload::Combination { .. } => {
                self.combinations -= 1;
                while let Some((first, _)) = self.combined.front().copied()
                    && self.of(first).is_none_or(|s| s.fate != Fate::Flying)
                {
                    self.combined.pop_front();
                }
            }
            Payload::Symbol(symbol) if again => {
                let left = self.again.remove(&symbol).unwrap_or_default();
                if left > 1 {
                    self.again.insert(symbol, left - 1);
                }
            }
            Payload::Symbol(_) => {}
        }
        Some(payload)
    }

    /// Processes feedback and puts the changes into `changes`. Returns false if the feedback
    /// reports packets that were never sent.
    #[inline]
    pub(crate) fn take(
        &mut self,
        now: Nanos,
        feedback: &Feedback,
        loss_delay: Span,
        changes: &mut Changes,
    ) -> bool {
        changes.clear();
        if feedback.greatest >= self.next() {
            return false;
        }
        let is_newer = self.greatest.is_none_or(|g| feedback.greatest > g.0);
        if is_newer {
            if let Some(sent) = self.of(feedback.greatest)
                && sent.fate == Fate::Flying
            {
                let (at, passed) = (sent.at, sent.passed);
                changes.rtt = Some(now.since(at));
                let time = now.since(passed.1).as_secs_f64();
                if self.greatest.is_some() && time > 0.0 && feedback.greatest > passed.0 {
                    changes.passed = Some((feedback.greatest - passed.0) as f64 / time);
                }
            }
            self.greatest = Some((feedback.greatest, now));
        }
        for number in self.acked.update(feedback.greatest, feedback.arrived) {
            if let Some(payload) = self.settle(number, Fate::Arrived) {
                changes.arrived.push(payload);
            } else if let Some(sent) = self.of(number)
                && sent.fate == Fate::Lost
            {
                sent.fate = Fate::Arrived;
                changes.arrived.push(sent.payload);
                changes.misjudged += 1;
                let late = now.since(sent.at);
                self.late = self.late.max(late);
                let passed = (self.greatest() - number + 1).min(MAX_THRESHOLD);
                self.reordering = self.reordering.max(passed);
                self.forget_at = self.next() + FORGET_AFTER;
            }
        }
        self.judge(now, loss_delay, changes);
        true
    }

    /// The given loss delay, extended as far as packets were found to be late.
    #[inline]
    fn loss_delay(&self, loss_delay: Span) -> Span {
        loss_delay.max(self.late.min(loss_delay * MAX_LOSS_DELAY_FACTOR))
    }

    /// Marks packets lost that later ones overtook, by number or by time.
    #[inline]
    pub(crate) fn judge(&mut self, now: Nanos, loss_delay: Span, changes: &mut Changes) {
        if self.settled >= self.forget_at {
            self.forget_at = self.settled + FORGET_AFTER;
            (self.reordering, self.late) = (self.reordering / 2, self.late / 2);
        }
        let loss_delay = self.loss_delay(loss_delay);
        let greatest = self.greatest();
        let threshold = self.reordering.max(FIRST_THRESHOLD);
        let mut number = self.settled;
        let mut gap = false;
        while number < self.next().min(greatest + 1) {
            let Some(sent) = self.of(number) else {
                number = self.first.max(number + 1);
                continue;
            };
            if sent.fate == Fate::Flying {
                let late = number + threshold <= greatest || now >= sent.at + loss_delay;
                if late {
                    if let Some(payload) = self.settle(number, Fate::Lost) {
                        changes.lost.push((number, payload));
                    }
                } else {
                    gap = true;
                }
            }
            if !gap {
                let sent = self.of(number).copied();
                let lost = sent.is_some_and(|s| s.fate == Fate::Lost);
                changes.fates.push(lost);
                if let Some(sent) = sent
                    && !lost
                    && let Some(before) = number.checked_sub(1).and_then(|n| self.of(n).copied())
                    && before.at == sent.at
                {
                    changes.pairs.0 += 1;
                    changes.pairs.1 += u64::from(before.fate == Fate::Lost);
                }
                self.settled = number + 1;
            }
            number += 1;
        }
        while self.sent.len() > STORED_PACKETS
            && self.first < self.settled
            && self.sent.front().is_some_and(|s| s.fate != Fate::Flying)
        {
            self.sent.pop_front();
            self.first += 1;
        }
    }

    /// Packets in flight whose answers are overdue.
    #[inline]
    pub(crate) fn overdue(&self, now: Nanos, answer: Span) -> Overdue {
        let mut overdue = Overdue::default();
        let skip = usize::narrow(self.settled.saturating_sub(self.first));
        for sent in self.sent.iter().skip(skip).take_while(|s| s.at + answer <= now) {
            match (sent.fate, sent.payload) {
                (Fate::Flying, Payload::Symbol(_)) => overdue.symbols += 1,
                (Fate::Flying, Payload::Combination { .. }) => overdue.combinations += 1,
                _ => {}
            }
        }
        overdue
    }

    /// Time at which the answer to another packet becomes overdue.
    #[inline]
    pub(crate) fn next_overdue(&self, now: Nanos, answer: Span) -> Nanos {
        let from = self.sent.partition_point(|s| s.at + answer <= now);
        let mut later = self.sent.iter().skip(from);
        later.find(|s| s.fate == Fate::Flying).map_or(Nanos::NEVER, |s| s.at + answer)
    }

    /// Departure of the packet after which `window - 1` more have left.
    #[inline]
    pub(crate) fn sent_before(&self, window: u64) -> Option<Nanos> {
        let i = self.next().checked_sub(window)?.checked_sub(self.first)?;
        self.sent.get(usize::narrow(i)).map(|s| s.at)
    }

    /// Time at which the oldest overtaken packet is to be marked lost.
    #[inline]
    pub(crate) fn deadline(&self, loss_delay: Span) -> Nanos {
        let Some((greatest, _)) = self.greatest else { return Nanos::NEVER };
        let loss_delay = self.loss_delay(loss_delay);
        let skip = usize::narrow(self.settled.saturating_sub(self.first));
        let overtaken = usize::narrow(greatest.saturating_sub(self.first));
        let mut between = self.sent.iter().take(overtaken).skip(skip);
        between.find(|s| s.fate == Fate::Flying).map_or(Nanos::NEVER, |s| s.at + loss_delay)
    }
}

//! Every packet under way, by its number: what it carried, when it left, what became of it.

use std::collections::{BTreeMap, VecDeque};

use airtcp_packet::AckBitmap;
use airtcp_units::{Nanos, Narrow, Span};

use super::wire::{Feedback, Payload};

/// Packets after which one that did not come is judged lost, to begin with (RFC 9002 section 6.1.1).
const FIRST_THRESHOLD: u64 = 3;
/// The largest that reordering may make it.
const MAX_THRESHOLD: u64 = 64;
/// Packets whose fates become known without a wrong judgement, after which half as much reordering
/// is expected.
const FORGET_AFTER: u64 = 2048;
/// Reordering lengthens the patience at most by this factor (RFC 8985 bounds its reordering window by the
/// round-trip time).
const MAX_PATIENCE_FACTOR: u64 = 2;
/// Resolved packets that are remembered, to notice judgements that were wrong.
const REMEMBERED: usize = 256;

/// What became of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Flying,
    Arrived,
    Lost,
}

/// A packet that was sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sent {
    pub(crate) payload: Payload,
    pub(crate) at: Nanos,
    /// The greatest number known to have arrived when it left, and since when.
    passed: (u64, Nanos),
    fate: Fate,
    /// It carries a symbol that was sent before.
    again: bool,
}

/// What feedback changed.
#[derive(Debug, Default)]
pub(crate) struct News {
    /// What arrived.
    pub(crate) arrived: Vec<Payload>,
    /// What was lost, with the numbers of its packets.
    pub(crate) lost: Vec<(u64, Payload)>,
    /// The fates that became known, in order of packet numbers: true for lost.
    pub(crate) fates: Vec<bool>,
    /// Packets judged lost that arrived.
    pub(crate) misjudged: u64,
    /// Round trip of the newest packet.
    pub(crate) rtt: Option<Span>,
    /// Packets per second that passed the bottleneck between two arrivals, lost ones included.
    pub(crate) passed: Option<f64>,
}

/// Packets that should have been answered.
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

impl News {
    /// Nothing changed; the memory stays.
    fn clear(&mut self) {
        self.arrived.clear();
        self.lost.clear();
        self.fates.clear();
        (self.misjudged, self.rtt, self.passed) = (0, None, None);
    }
}

/// All packets of a sender.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// Number of the first packet in `sent`.
    first: u64,
    sent: VecDeque<Sent>,
    flying: u64,
    /// Of those, combinations.
    combinations: u64,
    /// Numbers and first symbols of combinations from the oldest under way on; they never go back.
    combined: VecDeque<(u64, u64)>,
    /// One past the last symbol sent.
    symbols: u64,
    /// Packets under way with symbols sent again.
    again: BTreeMap<u64, u32>,
    greatest: Option<(u64, Nanos)>,
    acked: AckBitmap,
    /// Every packet before this number is resolved.
    settled: u64,
    /// The most packets that overtook one judged lost that came, and the most time it took, both
    /// halved now and then; the packet at which they are.
    reordering: u64,
    late: Span,
    forget_at: u64,
}

impl Ledger {
    /// The number of the next packet.
    #[inline]
    pub(crate) fn next(&self) -> u64 {
        self.first + self.sent.len() as u64
    }

    /// Packets whose fate is not known.
    #[inline]
    pub(crate) const fn flying(&self) -> u64 {
        self.flying
    }

    /// Of those, combinations.
    #[inline]
    pub(crate) const fn flying_combinations(&self) -> u64 {
        self.combinations
    }

    /// A packet with this symbol, sent again, is under way.
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

    /// First symbol of the oldest combination under way.
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

    /// Takes in feedback and puts into `news` what it changed; false if it tells of packets that
    /// were never sent.
    #[inline]
    pub(crate) fn take(
        &mut self,
        now: Nanos,
        feedback: &Feedback,
        patience: Span,
        news: &mut News,
    ) -> bool {
        news.clear();
        if feedback.greatest >= self.next() {
            return false;
        }
        let is_newer = self.greatest.is_none_or(|g| feedback.greatest > g.0);
        if is_newer {
            if let Some(sent) = self.of(feedback.greatest)
                && sent.fate == Fate::Flying
            {
                let (at, passed) = (sent.at, sent.passed);
                news.rtt = Some(now.since(at));
                let time = now.since(passed.1).as_secs_f64();
                if self.greatest.is_some() && time > 0.0 && feedback.greatest > passed.0 {
                    news.passed = Some((feedback.greatest - passed.0) as f64 / time);
                }
            }
            self.greatest = Some((feedback.greatest, now));
        }
        for number in self.acked.update(feedback.greatest, feedback.arrived) {
            if let Some(payload) = self.settle(number, Fate::Arrived) {
                news.arrived.push(payload);
            } else if let Some(sent) = self.of(number)
                && sent.fate == Fate::Lost
            {
                sent.fate = Fate::Arrived;
                news.arrived.push(sent.payload);
                news.misjudged += 1;
                let late = now.since(sent.at);
                self.late = self.late.max(late);
                let passed = (self.greatest() - number + 1).min(MAX_THRESHOLD);
                self.reordering = self.reordering.max(passed);
                self.forget_at = self.next() + FORGET_AFTER;
            }
        }
        self.judge(now, patience, news);
        true
    }

    /// The patience given, or as much more as packets were found to be late.
    #[inline]
    fn patience(&self, patience: Span) -> Span {
        patience.max(self.late.min(patience * MAX_PATIENCE_FACTOR))
    }

    /// Judges packets lost that later ones overtook, by number or by time.
    #[inline]
    pub(crate) fn judge(&mut self, now: Nanos, patience: Span, news: &mut News) {
        if self.settled >= self.forget_at {
            self.forget_at = self.settled + FORGET_AFTER;
            (self.reordering, self.late) = (self.reordering / 2, self.late / 2);
        }
        let patience = self.patience(patience);
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
                let late = number + threshold <= greatest || now >= sent.at + patience;
                if late {
                    if let Some(payload) = self.settle(number, Fate::Lost) {
                        news.lost.push((number, payload));
                    }
                } else {
                    gap = true;
                }
            }
            if !gap {
                let lost = self.of(number).is_some_and(|s| s.fate == Fate::Lost);
                news.fates.push(lost);
                self.settled = number + 1;
            }
            number += 1;
        }
        while self.sent.len() > REMEMBERED
            && self.first < self.settled
            && self.sent.front().is_some_and(|s| s.fate != Fate::Flying)
        {
            self.sent.pop_front();
            self.first += 1;
        }
    }

    /// Packets under way that left so long ago that an answer is due.
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

    /// When the next one is due whose answer is not due yet.
    #[inline]
    pub(crate) fn next_overdue(&self, now: Nanos, answer: Span) -> Nanos {
        let from = self.sent.partition_point(|s| s.at + answer <= now);
        let mut later = self.sent.iter().skip(from);
        later.find(|s| s.fate == Fate::Flying).map_or(Nanos::NEVER, |s| s.at + answer)
    }

    /// When the packet left after which `window - 1` more have left.
    #[inline]
    pub(crate) fn sent_before(&self, window: u64) -> Option<Nanos> {
        let i = self.next().checked_sub(window)?.checked_sub(self.first)?;
        self.sent.get(usize::narrow(i)).map(|s| s.at)
    }

    /// When the oldest packet that a later one overtook is to be judged lost.
    #[inline]
    pub(crate) fn deadline(&self, patience: Span) -> Nanos {
        let Some((greatest, _)) = self.greatest else { return Nanos::NEVER };
        let patience = self.patience(patience);
        let skip = usize::narrow(self.settled.saturating_sub(self.first));
        let overtaken = usize::narrow(greatest.saturating_sub(self.first));
        let mut between = self.sent.iter().take(overtaken).skip(skip);
        between.find(|s| s.fate == Fate::Flying).map_or(Nanos::NEVER, |s| s.at + patience)
    }
}

//! The receiving end of a link protocol, without clock or wire.
//!
//! It collects the units of frames, says when a frame is there, when it goes up, when it is no
//! longer waited for, and what to report. A transmission is over, and reported on, when its last
//! unit arrives ([`Trigger::EndOfBlock`]), when a unit of any other transmission arrives, or when
//! nothing has come for a while after it should have ended. A frame that others have overtaken
//! altogether lost its whole first transmission, and is reported as well.
//!
//! In order, a frame that is not there holds up those behind it until it is: or until its last
//! transmission is over, the sender says that it no longer tries (each unit names the oldest frame it
//! does try), or a timer of several times the longest that all attempts may take runs out.
//!
//! Units may come in any order, several times, or with impossible heads: those are counted and
//! ignored, and memory stays bounded: a sender has no more frames between its oldest and its newest than
//! the receiver keeps ([`REACH`]). After a silence in which it gave up more than that, the oldest frame that
//! a unit names takes the receiver along.

use std::collections::VecDeque;

use airtcp_units::{Nanos, Narrow, Span};

use super::limits::{MIN_DURATION, REACH, patience};
use super::{Block, Decision, MAX_SYMBOLS, Report, SymbolSet, Timed, Train, Trigger, Unit};

/// What a receiver is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReceiverParts {
    /// What makes it report.
    pub trigger: Trigger,
    /// Whether frames go up in order.
    pub in_order: bool,
    /// How long it waits after a transmission should have ended; as long as that takes if not
    /// given.
    pub idle: Option<Span>,
    /// To the sender and back, transmissions left out.
    pub round_trip: Span,
    /// Transmissions of a frame in all.
    pub attempts: u16,
}

#[derive(Debug, Clone, Copy, Default)]
struct Partial {
    have: SymbolSet,
    decoded: bool,
    given_up: bool,
    released: bool,
}

/// The transmission whose units are coming in.
#[derive(Debug, Clone, Copy)]
struct Current {
    frame: u64,
    attempt: u16,
    last: bool,
    received: u16,
    /// When it is over if nothing else comes.
    due: Nanos,
}

/// The receiving end.
#[derive(Debug)]
pub struct Receiver {
    parts: ReceiverParts,
    /// Number of the first of `frames`: all before it are decided.
    base: u64,
    frames: VecDeque<Partial>,
    current: Option<Current>,
    /// Until when the first of `frames` is waited for.
    hold: Nanos,
    /// Which frame the hold is for.
    held: u64,
    longest: Span,
    decisions: VecDeque<Timed>,
    strange: u64,
}

impl Receiver {
    /// A receiver that waits for frame 0.
    pub const fn new(parts: ReceiverParts) -> Self {
        Self {
            parts,
            base: 0,
            frames: VecDeque::new(),
            current: None,
            hold: Nanos::NEVER,
            held: u64::MAX,
            longest: MIN_DURATION,
            decisions: VecDeque::new(),
            strange: 0,
        }
    }

    /// Units with impossible heads so far.
    pub const fn strange(&self) -> u64 {
        self.strange
    }

    /// A unit has arrived; true if it was of use.
    pub fn on_unit(&mut self, now: Nanos, unit: &Unit) -> bool {
        let possible = (1..=MAX_SYMBOLS).contains(&unit.needed)
            && unit.symbol < MAX_SYMBOLS
            && unit.attempt > 0
            && unit.of > 0
            && unit.oldest <= unit.frame
            && unit.frame - unit.oldest < REACH
            && unit.frame < u64::MAX;
        if !possible {
            self.strange += 1;
            return false;
        }
        let same = |c: &Current| (c.frame, c.attempt) == (unit.frame, unit.attempt);
        if self.current.as_ref().is_some_and(|c| !same(c)) {
            self.finish(now);
        }
        self.no_longer_before(now, unit.oldest);
        self.reach(now, unit);
        let place = unit.frame.checked_sub(self.base);
        let partial = place.and_then(|i| self.frames.get_mut(usize::narrow(i)));
        let partial = partial.filter(|p| !p.decoded && !p.given_up);
        let useful = partial.is_some_and(|p| {
            let new = p.have.insert(unit.symbol);
            if p.have.len() >= unit.needed {
                p.decoded = true;
                self.decisions.push_back((now, Decision::Decoded(unit.frame)));
                if !self.parts.in_order {
                    p.released = true;
                    self.decisions.push_back((now, Decision::Released(unit.frame)));
                }
            }
            new
        });
        self.longest = self.longest.max(unit.block_time());
        let idle = self.parts.idle.unwrap_or_else(|| unit.block_time().max(MIN_DURATION));
        let due = now + unit.rest() + idle;
        let current = self.current.get_or_insert(Current {
            frame: unit.frame,
            attempt: unit.attempt,
            last: unit.last,
            received: 0,
            due,
        });
        current.received = current.received.saturating_add(1);
        current.due = due;
        let ended = unit.position.saturating_add(1) >= unit.of;
        if ended && self.parts.trigger == Trigger::EndOfBlock {
            self.finish(now);
        }
        self.decide(now);
        useful
    }

    /// A transmission arrives, or what is left of it: as if each of its units came at its own time, and each
    /// timer that ends before ran first. Gives back how many units were of use.
    pub fn on_train(&mut self, train: &Train) -> u16 {
        let arriving = train.arriving();
        let (Some(first), Some(last)) = (arriving.lowest(), arriving.highest()) else { return 0 };
        // The first one may end another transmission; nothing else can but a timer.
        let useful = self.arrive(train, first);
        let rest = arriving.without(SymbolSet::range(0, first + 1));
        if rest.is_empty() {
            return useful;
        }
        let Block { frame, attempt, .. } = train.block;
        let same = self.current.is_some_and(|c| (c.frame, c.attempt) == (frame, attempt));
        // Where the wait after this unit is long enough, so is that after each of the rest: they come at
        // the pace by which it was worked out, or a whole nanosecond slower in places, and those it covers too.
        if same && self.next_timer() >= train.at(last) {
            return useful + self.on_rest(train, rest, last);
        }
        rest.iter().fold(useful, |useful, place| useful + self.arrive(train, place))
    }

    /// One unit of a train, and the timers before it.
    fn arrive(&mut self, train: &Train, place: u16) -> u16 {
        let at = train.at(place);
        while self.next_timer() < at {
            self.on_timer(self.next_timer());
        }
        u16::from(train.unit(place).is_some_and(|unit| self.on_unit(at, &unit)))
    }

    /// The units at the places `rest`, of which `last` is the last: more of the transmission under way, and no
    /// timer ends before all are there. Of them at most one changes anything: with which enough are there.
    fn on_rest(&mut self, train: &Train, rest: SymbolSet, last: u16) -> u16 {
        let Block { frame, symbols, needed, .. } = train.block;
        let (end, of) = (train.at(last), symbols.len());
        let reported = last + 1 >= of && self.parts.trigger == Trigger::EndOfBlock;
        let place = frame.checked_sub(self.base);
        let partial = place.and_then(|i| self.frames.get_mut(usize::narrow(i)));
        let mut useful = 0;
        if let Some(partial) = partial.filter(|p| !p.decoded && !p.given_up) {
            let new = symbols.at(rest).without(partial.have);
            let wanted = needed.saturating_sub(partial.have.len()).max(1);
            let used = new.first(wanted);
            useful = used.len();
            partial.have = partial.have.union(used);
            if useful == wanted
                && let Some(symbol) = used.highest()
            {
                partial.decoded = true;
                let place = symbols.place_of(symbol);
                let at = train.at(place);
                self.decisions.push_back((at, Decision::Decoded(frame)));
                if !self.parts.in_order {
                    partial.released = true;
                    self.decisions.push_back((at, Decision::Released(frame)));
                }
                // What is reported with this unit is reported before anything goes up.
                if place < last || !reported {
                    self.decide(at);
                }
            }
        }
        if let Some(current) = &mut self.current {
            current.received = current.received.saturating_add(rest.len());
            let block_time = train.unit_time() * u64::from(of);
            let idle = self.parts.idle.unwrap_or_else(|| block_time.max(MIN_DURATION));
            current.due = end + train.unit_time() * u64::from(of - 1 - last) + idle;
        }
        if reported {
            self.finish(end);
        }
        self.decide(end);
        useful
    }

    /// The time has come that [`next_timer`](Self::next_timer) gave.
    pub fn on_timer(&mut self, now: Nanos) {
        if self.current.is_some_and(|c| c.due <= now) {
            self.finish(now);
        }
        if self.hold <= now {
            if let Some(first) = self.frames.front_mut() {
                first.given_up = true;
            }
            self.hold = Nanos::NEVER;
        }
        self.decide(now);
    }

    /// When it next wants to run.
    pub fn next_timer(&self) -> Nanos {
        self.current.map_or(Nanos::NEVER, |c| c.due).min(self.hold)
    }

    /// The next decision.
    pub fn poll(&mut self) -> Option<Timed> {
        self.decisions.pop_front()
    }

    /// Makes room up to the frame of a unit, and reports those that were lost altogether.
    fn reach(&mut self, now: Nanos, unit: &Unit) {
        let next = self.base + self.frames.len() as u64;
        for frame in next..=unit.frame {
            let mut partial = Partial::default();
            if frame < unit.frame {
                let have = SymbolSet::EMPTY;
                let report = Report { frame, attempt: 1, received: 0, have, settled: false };
                self.decisions.push_back((now, Decision::Tell(report)));
                partial.given_up = self.parts.attempts <= 1;
            }
            self.frames.push_back(partial);
        }
    }

    /// The sender no longer tries what is before `oldest`.
    fn no_longer_before(&mut self, now: Nanos, oldest: u64) {
        let settled = usize::narrow(oldest.saturating_sub(self.base));
        for partial in self.frames.iter_mut().take(settled) {
            if !partial.decoded {
                partial.given_up = true;
            }
        }
        if settled > self.frames.len() {
            // Of those beyond nothing has ever been heard.
            self.decide(now);
            self.decisions.push_back((now, Decision::SkippedBefore(oldest)));
            self.base = oldest;
        }
    }

    /// The transmission under way is over.
    fn finish(&mut self, now: Nanos) {
        let Some(current) = self.current.take() else { return };
        let Current { frame, attempt, last, received, .. } = current;
        let place = frame.checked_sub(self.base);
        let partial = place.and_then(|i| self.frames.get_mut(usize::narrow(i)));
        let (have, settled) = match partial {
            Some(p) => {
                if last && !p.decoded {
                    p.given_up = true;
                }
                (p.have, p.decoded || p.given_up)
            }
            None => (SymbolSet::EMPTY, true),
        };
        let report = Report { frame, attempt, received, have, settled };
        self.decisions.push_back((now, Decision::Tell(report)));
        self.decide(now);
    }

    /// Lets up what can go up.
    fn decide(&mut self, now: Nanos) {
        while let Some(first) = self.frames.pop_front_if(|p| p.decoded || p.given_up) {
            let decision = if !first.decoded {
                Some(Decision::Skipped(self.base))
            } else if first.released {
                None
            } else {
                Some(Decision::Released(self.base))
            };
            self.decisions.extend(decision.map(|d| (now, d)));
            self.base += 1;
        }
        if self.frames.is_empty() {
            self.hold = Nanos::NEVER;
            self.held = u64::MAX;
        } else if self.held != self.base {
            self.held = self.base;
            let ReceiverParts { round_trip, attempts, .. } = self.parts;
            self.hold = now + patience(round_trip, self.longest, attempts);
        }
    }
}

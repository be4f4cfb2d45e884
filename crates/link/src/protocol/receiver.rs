//! The receiving end of a link protocol, without clock or wire.
//!
//! The receiver collects units and decides when a frame is decoded, delivered or abandoned, and
//! what to report. A transmission ends, and the receiver reports on it, when its last unit arrives
//! ([`Trigger::EndOfBlock`]), when a unit of another transmission arrives, or when no unit arrives
//! for some time after its expected end. If all units of a frame's first transmission are lost,
//! units of later frames trigger the report.
//!
//! With in-order delivery, an incomplete frame delays later frames until one of these events: the
//! frame is decoded; its last transmission ends; the sender abandons it (each unit names the oldest
//! frame that the sender still tries to deliver); or a timer of several times the maximum duration
//! of all attempts expires.
//!
//! Units may arrive in any order, several times, or with impossible headers. The receiver counts
//! and ignores impossible headers. Memory is bounded: the sender never has more than
//! [`MAX_FRAME_SPAN`] frames between its oldest and its newest. If the sender abandons more frames
//! than that during an outage, the receiver advances to the oldest frame that the next unit names.

use std::collections::VecDeque;

use airtcp_units::{Nanos, Narrow, Span};

use super::limits::{MAX_FRAME_SPAN, MIN_DURATION, max_frame_wait};
use super::{Block, Decision, MAX_SYMBOLS, Report, SymbolSet, Timed, Train, Trigger, Unit};

/// Parameters of a receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReceiverParams {
    /// Event that triggers a report.
    pub trigger: Trigger,
    /// If true, frames are delivered in order.
    pub in_order: bool,
    /// Time after the expected end of a transmission at which the receiver reports without a
    /// trigger. Default: the duration of that transmission.
    pub idle: Option<Span>,
    /// Round-trip time to the sender, without transmission times.
    pub round_trip: Span,
    /// Maximum transmissions of a frame.
    pub attempts: u16,
}

#[derive(Debug, Clone, Copy, Default)]
struct Partial {
    have: SymbolSet,
    decoded: bool,
    given_up: bool,
    released: bool,
}

/// The transmission in progress.
#[derive(Debug, Clone, Copy)]
struct Current {
    frame: u64,
    attempt: u16,
    last: bool,
    received: u16,
    /// End of the transmission if no further unit arrives.
    due: Nanos,
}

/// Receiving end of a link protocol.
#[derive(Debug)]
pub struct Receiver {
    params: ReceiverParams,
    /// Number of the first frame in `frames`; all earlier frames are decided.
    base: u64,
    frames: VecDeque<Partial>,
    current: Option<Current>,
    /// Time until which the receiver waits for the first frame in `frames`.
    hold: Nanos,
    /// Frame to which `hold` applies.
    held: u64,
    longest: Span,
    decisions: VecDeque<Timed>,
    malformed: u64,
}

impl Receiver {
    /// A receiver that waits for frame 0.
    pub const fn new(params: ReceiverParams) -> Self {
        Self {
            params,
            base: 0,
            frames: VecDeque::new(),
            current: None,
            hold: Nanos::NEVER,
            held: u64::MAX,
            longest: MIN_DURATION,
            decisions: VecDeque::new(),
            malformed: 0,
        }
    }

    /// Units with impossible headers so far.
    pub const fn malformed(&self) -> u64 {
        self.malformed
    }

    /// Handles the arrival of a unit. Returns true if the unit was needed.
    pub fn on_unit(&mut self, now: Nanos, unit: &Unit) -> bool {
        let possible = (1..=MAX_SYMBOLS).contains(&unit.needed)
            && unit.symbol < MAX_SYMBOLS
            && unit.attempt > 0
            && unit.of > 0
            && unit.oldest <= unit.frame
            && unit.frame - unit.oldest < MAX_FRAME_SPAN
            && unit.frame < u64::MAX;
        if !possible {
            self.malformed += 1;
            return false;
        }
        let same = |c: &Current| (c.frame, c.attempt) == (unit.frame, unit.attempt);
        if self.current.as_ref().is_some_and(|c| !same(c)) {
            self.finish(now);
        }
        self.abandon_before(now, unit.oldest);
        self.extend_to(now, unit);
        let place = unit.frame.checked_sub(self.base);
        let partial = place.and_then(|i| self.frames.get_mut(usize::narrow(i)));
        let partial = partial.filter(|p| !p.decoded && !p.given_up);
        let useful = partial.is_some_and(|p| {
            let new = p.have.insert(unit.symbol);
            if p.have.len() >= unit.needed {
                p.decoded = true;
                self.decisions.push_back((now, Decision::Decoded(unit.frame)));
                if !self.params.in_order {
                    p.released = true;
                    self.decisions.push_back((now, Decision::Released(unit.frame)));
                }
            }
            new
        });
        self.longest = self.longest.max(unit.block_time());
        let idle = self.params.idle.unwrap_or_else(|| unit.block_time().max(MIN_DURATION));
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
        if ended && self.params.trigger == Trigger::EndOfBlock {
            self.finish(now);
        }
        self.decide(now);
        useful
    }

    /// Handles the arrival of a transmission. The result equals that of [`on_unit`](Self::on_unit)
    /// for each unit at its own time, with each timer run when it expires. Returns the number of
    /// units that were needed.
    pub fn on_train(&mut self, train: &Train) -> u16 {
        let arriving = train.arriving();
        let (Some(first), Some(last)) = (arriving.lowest(), arriving.highest()) else { return 0 };
        // Only the first unit, or a timer, can end another transmission.
        let useful = self.arrive(train, first);
        let rest = arriving.without(SymbolSet::range(0, first + 1));
        if rest.is_empty() {
            return useful;
        }
        let Block { frame, attempt, .. } = train.block;
        let same = self.current.is_some_and(|c| (c.frame, c.attempt) == (frame, attempt));
        // If the wait after this unit is long enough, it is long enough after each of the rest: the
        // wait follows from their pace, with a margin for rounding to whole nanoseconds.
        if same && self.next_timer() >= train.at(last) {
            return useful + self.on_rest(train, rest, last);
        }
        rest.iter().fold(useful, |useful, place| useful + self.arrive(train, place))
    }

    /// Handles one unit of a train, and the timers that expire before it.
    fn arrive(&mut self, train: &Train, place: u16) -> u16 {
        let at = train.at(place);
        while self.next_timer() < at {
            self.on_timer(self.next_timer());
        }
        u16::from(train.unit(place).is_some_and(|unit| self.on_unit(at, &unit)))
    }

    /// Handles the units at the places `rest`, up to `last`. They belong to the transmission in
    /// progress, and no timer expires before the last one. At most one of them has an effect: the
    /// unit that completes the frame.
    fn on_rest(&mut self, train: &Train, rest: SymbolSet, last: u16) -> u16 {
        let Block { frame, symbols, needed, .. } = train.block;
        let (end, of) = (train.at(last), symbols.len());
        let reported = last + 1 >= of && self.params.trigger == Trigger::EndOfBlock;
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
                if !self.params.in_order {
                    partial.released = true;
                    self.decisions.push_back((at, Decision::Released(frame)));
                }
                // A report that this unit triggers precedes the delivery.
                if place < last || !reported {
                    self.decide(at);
                }
            }
        }
        if let Some(current) = &mut self.current {
            current.received = current.received.saturating_add(rest.len());
            let block_time = train.unit_time() * u64::from(of);
            let idle = self.params.idle.unwrap_or_else(|| block_time.max(MIN_DURATION));
            current.due = end + train.unit_time() * u64::from(of - 1 - last) + idle;
        }
        if reported {
            self.finish(end);
        }
        self.decide(end);
        useful
    }

    /// Handles the timer at [`next_timer`](Self::next_timer).
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

    /// Time of the next timer.
    pub fn next_timer(&self) -> Nanos {
        self.current.map_or(Nanos::NEVER, |c| c.due).min(self.hold)
    }

    /// The next decision.
    pub fn poll(&mut self) -> Option<Timed> {
        self.decisions.pop_front()
    }

    /// Extends `frames` to the frame of a unit, and reports frames whose units were all lost.
    fn extend_to(&mut self, now: Nanos, unit: &Unit) {
        let next = self.base + self.frames.len() as u64;
        for frame in next..=unit.frame {
            let mut partial = Partial::default();
            if frame < unit.frame {
                let have = SymbolSet::EMPTY;
                let report = Report { frame, attempt: 1, received: 0, have, settled: false };
                self.decisions.push_back((now, Decision::Report(report)));
                partial.given_up = self.params.attempts <= 1;
            }
            self.frames.push_back(partial);
        }
    }

    /// Abandons the frames before `oldest`, which the sender no longer tries to deliver.
    fn abandon_before(&mut self, now: Nanos, oldest: u64) {
        let settled = usize::narrow(oldest.saturating_sub(self.base));
        for partial in self.frames.iter_mut().take(settled) {
            if !partial.decoded {
                partial.given_up = true;
            }
        }
        if settled > self.frames.len() {
            // No unit of the frames beyond has arrived.
            self.decide(now);
            self.decisions.push_back((now, Decision::SkippedBefore(oldest)));
            self.base = oldest;
        }
    }

    /// Ends the transmission in progress.
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
        self.decisions.push_back((now, Decision::Report(report)));
        self.decide(now);
    }

    /// Delivers the frames that can be delivered.
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
            let ReceiverParams { round_trip, attempts, .. } = self.params;
            self.hold = now + max_frame_wait(round_trip, self.longest, attempts);
        }
    }
}

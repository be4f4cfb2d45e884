//! Packets of a connection that wait for what they acknowledge (`causality`), and those for which they wait.

use super::Connection;
use crate::dissect::{Flags, Segment};
use crate::tcp::causality::{Causality, EarlyAcks, Held, PROVED, Proof};
use crate::tcp::direction::Direction;
use crate::tcp::sequence::later;
use crate::tcp::vantage::{CLIENT, SERVER};

/// How a packet stops waiting.
#[derive(Debug, Clone, Copy)]
enum Released {
    /// What it waited for came at this time.
    By(u64),
    /// The capture lacks what it waited for.
    InVain,
}

impl Connection {
    /// True if a segment acknowledges what has not come yet.
    pub(super) fn is_early(&self, from: usize, segment: &Segment) -> bool {
        if !segment.flags.has(Flags::ACK) || segment.flags.has(Flags::RST) {
            return false;
        }
        let other = &self.directions[1 - from];
        if !other.is_started() {
            let first = self.packets == 0 && segment.flags.has(Flags::SYN);
            return (first || self.ends[from].syn_ns.is_some()) && !self.waits_in_vain();
        }
        if !other.has_seen(segment) {
            return !self.waits_in_vain();
        }
        let Some(causality) = self.causality.as_ref().filter(|c| c.is_proved()) else {
            return false;
        };
        let echo = segment.options.timestamps.map(|(_, echo)| echo);
        let unseen =
            echo.zip(self.ends[1 - from].last_stamp).is_some_and(|(echo, last)| later(echo, last));
        unseen && !causality.is_vain()
    }

    fn waits_in_vain(&self) -> bool {
        self.causality.as_ref().is_some_and(|causality| causality.is_vain())
    }

    /// Takes a segment, or makes it wait for what it acknowledges.
    #[inline(never)]
    pub(super) fn in_order(&mut self, from: usize, segment: &Segment, room: &mut usize) {
        let overdue = |c: &Causality| c.is_overdue(segment.time_ns);
        if self.causality.as_deref().is_some_and(overdue) {
            self.give_up(room);
        }
        self.release_due(segment.time_ns, false, room);
        let waiting = self.causality.as_ref().filter(|c| c.is_waiting()).map(|c| c.from);
        let is_early = self.is_early(from, segment);
        if waiting.is_none() && !is_early && self.skew_ns(from).is_none() {
            self.take(segment, segment.time_ns, false);
            return;
        }
        if waiting == Some(1 - from) {
            if is_early {
                // Each waits for the other: the capture lacks something.
                self.give_up(room);
                self.take(segment, segment.time_ns, false);
            } else {
                self.take_cause(from, segment, room);
            }
            return;
        }
        let causality = self.causality.get_or_insert_default();
        if causality.has_room() && *room > 0 {
            causality.hold(from, segment, is_early);
            *room -= 1;
            return;
        }
        self.give_up(room);
        self.directions[1 - from].give_up(segment);
        self.take(segment, segment.time_ns, false);
    }

    /// Takes a segment that others may wait for, and those that do not wait any more.
    fn take_cause(&mut self, from: usize, segment: &Segment, room: &mut usize) {
        let now = segment.time_ns;
        let (start, end, seen) = self.directions[from].span(segment);
        let skew_ns = self.skew_ns(1 - from);
        if !self.directions[from].is_started() {
            if !segment.flags.has(Flags::SYN) {
                // The capture lacks the SYN that they wait for.
                self.give_up(room);
            }
        } else if seen < end {
            if start > seen && skew_ns.is_none() {
                // What lies before it is missing.
                self.release(room, |held, data| {
                    (data.acknowledged(&held.segment) <= start).then_some(Released::InVain)
                });
            }
            if !self.is_original(from, segment) {
                self.give_up(room);
            }
        }
        self.take(segment, now, false);
        let (data, stamp) = (&self.directions[from], self.ends[from].last_stamp);
        let has_come = |held: &Segment| {
            let echo = held.options.timestamps.map(|(_, echo)| echo);
            let is_stamped = !echo.zip(stamp).is_some_and(|(echo, stamp)| later(echo, stamp));
            !held.flags.has(Flags::ACK) || (data.is_started() && data.has_seen(held) && is_stamped)
        };
        if let Some(causality) = &mut self.causality {
            causality.meet(now, has_come);
        }
        if skew_ns.is_some() {
            self.release_due(now, true, room);
        } else {
            self.release(room, |held, _| held.met_ns.map(Released::By));
        }
    }

    /// True if data that the first waiting packet acknowledges were sent once.
    fn is_original(&self, from: usize, segment: &Segment) -> bool {
        let Some(causality) = &self.causality else { return true };
        let Some(front) = causality.front() else { return true };
        let value = segment.options.timestamps.map(|(value, _)| value);
        let echo = front.segment.options.timestamps.map(|(_, echo)| echo);
        let data = &self.directions[from];
        let is_echoed = value.is_some() && value == echo;
        let proof = if is_echoed { Proof::Original } else { data.proof(segment) };
        let lag_ns = segment.time_ns.saturating_sub(front.segment.time_ns);
        if let Some(skew_ns) = self.skew_ns(1 - from) {
            return lag_ns <= skew_ns + skew_ns / 2;
        }
        let (start, end, seen) = data.span(segment);
        // Whoever sends again waits for the ACK of it: others far beyond it are ACKs of data that still come.
        let far = PROVED * u64::from(segment.payload);
        let is_delayed = start <= seen
            && causality.back().is_some_and(|back| data.acknowledged(&back.segment) >= end + far);
        if is_delayed && proof == Proof::None {
            return true;
        }
        // Data that the capture lacks explain a missing number.
        let proof = if start > seen && proof == Proof::Again { Proof::None } else { proof };
        causality.is_original(lag_ns, proof, data.counters.capture_losses)
    }

    /// Takes the first packets that wait, as long as `how` tells how.
    fn release(&mut self, room: &mut usize, how: impl Fn(&Held, &Direction) -> Option<Released>) {
        let Some(mut causality) = self.causality.take() else { return };
        let from = causality.from;
        while let Some(held) = causality.front()
            && let Some(released) = how(held, &self.directions[1 - from])
            && let Some(mut held) = causality.pop()
        {
            *room += 1;
            let own_ns = held.segment.time_ns;
            let waited = match released {
                Released::InVain => {
                    self.directions[1 - from].give_up(&held.segment);
                    causality.in_vain(u64::from(held.is_early));
                    false
                }
                Released::By(now) => {
                    held.segment.time_ns = own_ns.max(now);
                    true
                }
            };
            self.take(&held.segment, own_ns, waited);
        }
        self.causality = Some(causality);
    }

    /// By how much the packets of an end are early, if its clock is another than that of the other end.
    fn skew_ns(&self, from: usize) -> Option<u64> {
        let acks = self.directions[1 - from].counters.covering_acks;
        self.causality.as_ref()?.skew_ns(from, acks)
    }

    /// Takes packets of another clock that the capture has reached by the clock of the other end, those of this
    /// very time only if `at_once`, unless what they acknowledge has not come.
    fn release_due(&mut self, now: u64, at_once: bool, room: &mut usize) {
        let from = self.causality.as_ref().map_or(CLIENT, |causality| causality.from);
        let Some(skew_ns) = self.skew_ns(from) else { return };
        self.release(room, |held, data| {
            let due_ns = held.segment.time_ns.saturating_add(skew_ns);
            let is_due = due_ns < now || (at_once && due_ns == now);
            let acks = held.segment.flags.has(Flags::ACK);
            let has_come = !acks || (data.is_started() && data.has_seen(&held.segment));
            let at_ns = due_ns.max(held.met_ns.unwrap_or(0));
            (is_due && has_come).then_some(Released::By(at_ns))
        });
    }

    /// Takes all packets that wait, in the order of the capture, or of their own clock.
    pub(super) fn give_up(&mut self, room: &mut usize) {
        let from = self.causality.as_ref().map_or(CLIENT, |causality| causality.from);
        let skew_ns = self.skew_ns(from);
        self.release(room, |held, _| {
            let due = |skew_ns: u64| Released::By(held.segment.time_ns.saturating_add(skew_ns));
            Some(skew_ns.map_or(Released::InVain, due))
        });
    }

    /// Leaves out times from a packet of one end to one of the other if they are of two clocks.
    pub(super) fn merged_clocks(&mut self) {
        let Some(causality) = &self.causality else { return };
        let merged = |from: usize| {
            causality.is_merged(from, self.directions[1 - from].counters.covering_acks)
        };
        if merged(CLIENT) || merged(SERVER) {
            self.has_two_clocks = true;
            for direction in &mut self.directions {
                direction.forget_times();
            }
        }
    }

    /// ACKs before their data, of the end that has most of them.
    pub(in crate::tcp) fn early_acks(&self) -> Option<EarlyAcks> {
        let early = |from: usize| {
            let waited = self.causality.as_ref().map(|c| c.lags[from].clone()).unwrap_or_default();
            let late = self.directions[1 - from].counters.late_records.as_deref();
            (from, waited.and(late))
        };
        let (from, lags) =
            [CLIENT, SERVER].map(early).into_iter().max_by_key(|(_, lags)| lags.count())?;
        let seconds = |ns: u64| ns as f64 / 1e9;
        let longest = lags.max_ns()?;
        let most = self.ends[1 - from].half_ns.filter(|ns| self.has_two_clocks && *ns >= longest);
        Some(EarlyAcks {
            from: self.ends[from].endpoint.to_string(),
            count: lags.count(),
            lag_p50_s: lags.quantile_ns(0.5).map(|ns| ns / 1e9),
            lag_max_s: seconds(longest),
            skew_at_most_s: most.map(seconds),
            two_clocks: self.has_two_clocks,
        })
    }
}

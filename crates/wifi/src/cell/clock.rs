//! The clock of a medium, which `mac.ablation.speed` makes faster or slower than the clock of the run.
//!
//! ```text
//! own time = speed x time of the run
//! ```
//! The medium computes in its own time. All of its durations are therefore divided by the speed, and stay in the
//! same proportions to the nanosecond: frames, spaces, slots, timeouts, limits, lifetimes, beacon intervals and the
//! periods of rate controls. The driver speaks in times of the run. Fading, noise and interferers are functions of
//! the time of the run.
//!
//! Several own instants may fall into one nanosecond of the run. The medium then tells the driver its next event
//! only, and the others one nanosecond later. It remembers its exact own instant. Leaves out: the times of drops on
//! the air in the fingerprint of a run, which are own times.

use airtcp_probe::air::{AirEvent, AirFrame};
use airtcp_probe::{Event, EventSource, Probe};
use airtcp_units::{Nanos, Narrow, Saturate, Span};

/// Nanoseconds of the run in which [`Clock::pace`] counts those of the medium.
const UNIT: u64 = 1_000_000_000;

/// How own times follow from times of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Clock {
    /// Own nanoseconds in a second of the run.
    pace: u64,
}

impl Clock {
    /// The clock of the run.
    pub(crate) const RUN: Self = Self { pace: UNIT };

    /// A clock that is `speed` times as fast, to a part in 10^9.
    pub(crate) fn new(speed: f64) -> Self {
        Self { pace: u64::saturate((speed * UNIT as f64).round()).max(1) }
    }

    /// True if own times are times of the run.
    #[inline]
    pub(crate) const fn is_run(self) -> bool {
        self.pace == UNIT
    }

    /// The last own instant at or before a time of the run.
    pub(super) fn own(self, at: Nanos) -> Nanos {
        if self.is_run() || at == Nanos::NEVER {
            return at;
        }
        Nanos(ratio(at.0, self.pace, UNIT))
    }

    /// The first own instant that is not before a time of the run.
    pub(crate) fn own_from(self, at: Nanos) -> Nanos {
        if self.is_run() || at == Nanos::NEVER || at == Nanos::ZERO {
            return at;
        }
        self.own(Nanos(at.0 - 1)) + Span(1)
    }

    /// The first time of the run that is not before an own instant.
    #[inline]
    pub(crate) fn run(self, own: Nanos) -> Nanos {
        if self.is_run() || own == Nanos::NEVER {
            return own;
        }
        let whole = ratio(own.0, UNIT, self.pace);
        Nanos(if ratio(whole, self.pace, UNIT) < own.0 { whole + 1 } else { whole })
    }

    /// An own duration in time of the run.
    #[inline]
    pub(crate) fn span(self, own: Span) -> Span {
        if self.is_run() { own } else { Span(ratio(own.0, UNIT, self.pace)) }
    }
}

/// `value` times `up` over `down`, rounded down.
fn ratio(value: u64, up: u64, down: u64) -> u64 {
    u64::narrow(u128::from(value) * u128::from(up) / u128::from(down))
}

/// Where a medium with a clock of its own is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    /// Its exact own instant.
    pub(super) own: Nanos,
    /// The time of the run at which the driver last called.
    pub(super) run: Nanos,
}

impl Moment {
    /// The start of a run.
    pub(super) const START: Self = Self { own: Nanos::ZERO, run: Nanos::ZERO };
}

/// A probe of the run that receives events in own times.
pub(super) struct Clocked<'a, P: Probe> {
    probe: &'a mut P,
    clock: Clock,
}

impl<'a, P: Probe> Clocked<'a, P> {
    pub(super) const fn new(probe: &'a mut P, clock: Clock) -> Self {
        Self { probe, clock }
    }

    fn frame(&self, frame: &AirFrame) -> AirFrame {
        AirFrame {
            duration: self.clock.span(frame.duration),
            started: self.clock.run(frame.started),
            body: self.clock.run(frame.body),
            ended: self.clock.run(frame.ended),
            ..*frame
        }
    }

    fn event(&self, event: &AirEvent) -> AirEvent {
        let run = |at| self.clock.run(at);
        match *event {
            AirEvent::Sent { frame, loss } => AirEvent::Sent { frame: self.frame(&frame), loss },
            AirEvent::Heard { station, frame, signal_dbm, noise_dbm, decoded } => {
                let frame = self.frame(&frame);
                AirEvent::Heard { station, frame, signal_dbm, noise_dbm, decoded }
            }
            AirEvent::BackedOff { station, category, from, until, slots, left } => {
                let (from, until) = (run(from), run(until));
                AirEvent::BackedOff { station, category, from, until, slots, left }
            }
            AirEvent::Reserved { station, until } => {
                AirEvent::Reserved { station, until: run(until) }
            }
        }
    }
}

impl<P: Probe> Probe for Clocked<'_, P> {
    const ON: bool = P::ON;

    fn record(&mut self, now: Nanos, source: EventSource, event: &Event) {
        match event {
            Event::Air(air) if !self.clock.is_run() => {
                let event = Event::Air(self.event(air));
                self.probe.record(self.clock.run(now), source, &event);
            }
            _ => self.probe.record(self.clock.run(now), source, event),
        }
    }

    fn wants_air(&self, now: Nanos) -> bool {
        self.probe.wants_air(self.clock.run(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_times_and_back() {
        let twice = Clock::new(2.0);
        assert_eq!(
            (twice.own(Nanos(7)), twice.run(Nanos(14)), twice.run(Nanos(13))),
            (Nanos(14), Nanos(7), Nanos(7))
        );
        assert_eq!((twice.span(Span(9)), twice.own_from(Nanos(7))), (Span(4), Nanos(13)));
        assert!(Clock::new(1.0).is_run() && !Clock::new(1.000_001).is_run());
        for speed in [0.1, 0.5, 0.7, 1.0, 1.1, 2.0, 3.3, 10.0] {
            let clock = Clock::new(speed);
            for t in (0..300).chain([u64::MAX / 1_000, u64::MAX / 1_000 + 1]).map(Nanos) {
                // The first time of the run at which the own instant has been reached.
                let run = clock.run(t);
                assert!(clock.own(run) >= t && (run.0 == 0 || clock.own(Nanos(run.0 - 1)) < t));
                // The first own instant whose time of the run is not before.
                let own = clock.own_from(t);
                assert!(clock.run(own) >= t && (own.0 == 0 || clock.run(Nanos(own.0 - 1)) < t));
            }
            assert_eq!(clock.run(Nanos::NEVER), Nanos::NEVER);
            assert_eq!(clock.own_from(Nanos::NEVER), Nanos::NEVER);
        }
    }
}

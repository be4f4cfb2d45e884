//! Probes, the receivers of events.

use airtcp_units::Nanos;

use crate::{Event, EventSource};

/// Receives the events of machines. `ON` is a constant, so that a disabled probe costs nothing.
pub trait Probe {
    /// False only for probes that ignore everything.
    const ON: bool;

    /// `event` happened to the machine `source` at `now`.
    fn record(&mut self, now: Nanos, source: EventSource, event: &Event);

    /// True if the probe records the events of shared media ([`Event::Air`]) at `now`. There is one per frame
    /// and radio: they outnumber all other events and cost as much as the simulation itself.
    fn wants_air(&self, _now: Nanos) -> bool {
        false
    }
}

/// Ignores all events, at no cost.
#[derive(Debug, Default, Clone, Copy)]
pub struct NoProbe;

impl Probe for NoProbe {
    const ON: bool = false;
    #[inline]
    fn record(&mut self, _: Nanos, _: EventSource, _: &Event) {}
}

impl<A: Probe, B: Probe> Probe for (A, B) {
    const ON: bool = A::ON || B::ON;
    fn record(&mut self, now: Nanos, source: EventSource, event: &Event) {
        self.0.record(now, source, event);
        self.1.record(now, source, event);
    }
    fn wants_air(&self, now: Nanos) -> bool {
        self.0.wants_air(now) || self.1.wants_air(now)
    }
}

impl<A: Probe> Probe for Option<A> {
    const ON: bool = A::ON;
    fn record(&mut self, now: Nanos, source: EventSource, event: &Event) {
        if let Some(probe) = self {
            probe.record(now, source, event);
        }
    }
    fn wants_air(&self, now: Nanos) -> bool {
        self.as_ref().is_some_and(|probe| probe.wants_air(now))
    }
}

impl<A: Probe> Probe for &mut A {
    const ON: bool = A::ON;
    fn record(&mut self, now: Nanos, source: EventSource, event: &Event) {
        (**self).record(now, source, event);
    }
    fn wants_air(&self, now: Nanos) -> bool {
        (**self).wants_air(now)
    }
}

/// Passes events to a function. It is the probe behind an interface that cannot be generic, such as a
/// boxed queue discipline. Always on.
pub struct Relay<'a>(pub &'a mut dyn FnMut(Nanos, EventSource, &Event));

impl Probe for Relay<'_> {
    const ON: bool = true;
    fn record(&mut self, now: Nanos, source: EventSource, event: &Event) {
        (self.0)(now, source, event);
    }
}

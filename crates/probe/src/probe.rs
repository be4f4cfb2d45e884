//! Receivers of events.

use airtcp_units::Nanos;

use crate::{Event, Who};

/// Receives what machines do. `ON` is a constant, so that an unobserved run pays nothing.
pub trait Probe {
    /// False only for probes that ignore everything.
    const ON: bool;

    /// Something happened to `who` at `now`.
    fn record(&mut self, now: Nanos, who: Who, event: &Event);

    /// Whether it wants to be told at `now` of what happens on shared media, frame by frame and
    /// radio by radio, which is far more than all else and costs as much as the simulation.
    fn wants_air(&self, _now: Nanos) -> bool {
        false
    }
}

/// Observes nothing, at no cost.
#[derive(Debug, Default, Clone, Copy)]
pub struct NoProbe;

impl Probe for NoProbe {
    const ON: bool = false;
    #[inline]
    fn record(&mut self, _: Nanos, _: Who, _: &Event) {}
}

impl<A: Probe, B: Probe> Probe for (A, B) {
    const ON: bool = A::ON || B::ON;
    fn record(&mut self, now: Nanos, who: Who, event: &Event) {
        self.0.record(now, who, event);
        self.1.record(now, who, event);
    }
    fn wants_air(&self, now: Nanos) -> bool {
        self.0.wants_air(now) || self.1.wants_air(now)
    }
}

impl<A: Probe> Probe for Option<A> {
    const ON: bool = A::ON;
    fn record(&mut self, now: Nanos, who: Who, event: &Event) {
        if let Some(probe) = self {
            probe.record(now, who, event);
        }
    }
    fn wants_air(&self, now: Nanos) -> bool {
        self.as_ref().is_some_and(|probe| probe.wants_air(now))
    }
}

impl<A: Probe> Probe for &mut A {
    const ON: bool = A::ON;
    fn record(&mut self, now: Nanos, who: Who, event: &Event) {
        (**self).record(now, who, event);
    }
    fn wants_air(&self, now: Nanos) -> bool {
        (**self).wants_air(now)
    }
}

/// Passes events to a function: the probe behind an interface that cannot be generic, such as a
/// boxed machine somebody adds from outside. Always on; the function decides.
pub struct Relay<'a>(pub &'a mut dyn FnMut(Nanos, Who, &Event));

impl Probe for Relay<'_> {
    const ON: bool = true;
    fn record(&mut self, now: Nanos, who: Who, event: &Event) {
        (self.0)(now, who, event);
    }
}

//! Probes, the receivers of events.

use std::any::Any;

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

/// [`Probe`] without its constant, which makes it safe for objects.
trait Record {
    fn record(&mut self, now: Nanos, source: EventSource, event: &Event);
    fn wants_air(&self, now: Nanos) -> bool;
    /// The probe that is kept here, if it is.
    fn kept(&self) -> Option<&dyn Any> {
        None
    }
    fn into_kept(self: Box<Self>) -> Option<Box<dyn Any>> {
        None
    }
}

impl<P: Probe> Record for P {
    fn record(&mut self, now: Nanos, source: EventSource, event: &Event) {
        Probe::record(self, now, source, event);
    }
    fn wants_air(&self, now: Nanos) -> bool {
        Probe::wants_air(self, now)
    }
}

/// A probe that a relay keeps.
struct Kept<P>(P);

impl<P: Probe + 'static> Record for Kept<P> {
    fn record(&mut self, now: Nanos, source: EventSource, event: &Event) {
        self.0.record(now, source, event);
    }
    fn wants_air(&self, now: Nanos) -> bool {
        self.0.wants_air(now)
    }
    fn kept(&self) -> Option<&dyn Any> {
        Some(&self.0)
    }
    fn into_kept(self: Box<Self>) -> Option<Box<dyn Any>> {
        Some(Box::new(self.0))
    }
}

/// Passes events to a probe of any type. It is the probe of code that is compiled once for all probes, and of what
/// cannot be generic, such as a boxed queue discipline. Always on.
pub struct Relay<'a>(To<'a>);

enum To<'a> {
    Lent(&'a mut dyn Record),
    Kept(Box<dyn Record>),
}

impl<'a> Relay<'a> {
    /// Passes events to this probe.
    pub fn to<P: Probe>(probe: &'a mut P) -> Self {
        Self(To::Lent(probe))
    }
}

impl Relay<'static> {
    /// Passes events to a probe that it keeps.
    pub fn keeping<P: Probe + 'static>(probe: P) -> Self {
        Self(To::Kept(Box::new(Kept(probe))))
    }

    /// The probe that it keeps, if it is of this type.
    pub fn kept<P: Probe + 'static>(&self) -> Option<&P> {
        match &self.0 {
            To::Lent(_) => None,
            To::Kept(probe) => probe.kept()?.downcast_ref(),
        }
    }

    /// Gives the probe back that it keeps, if it is of this type.
    pub fn into_kept<P: Probe + 'static>(self) -> Option<P> {
        match self.0 {
            To::Lent(_) => None,
            To::Kept(probe) => Some(*probe.into_kept()?.downcast().ok()?),
        }
    }
}

impl Probe for Relay<'_> {
    const ON: bool = true;
    fn record(&mut self, now: Nanos, source: EventSource, event: &Event) {
        match &mut self.0 {
            To::Lent(probe) => probe.record(now, source, event),
            To::Kept(probe) => probe.record(now, source, event),
        }
    }
    fn wants_air(&self, now: Nanos) -> bool {
        match &self.0 {
            To::Lent(probe) => probe.wants_air(now),
            To::Kept(probe) => probe.wants_air(now),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Event, EventSource, Nanos, NoProbe, Probe, Relay};

    /// The times of events; it wants those on the air after 5 ns.
    #[derive(Debug, PartialEq)]
    struct Times(Vec<Nanos>);

    impl Probe for Times {
        const ON: bool = true;
        fn record(&mut self, now: Nanos, _: EventSource, _: &Event) {
            self.0.push(now);
        }
        fn wants_air(&self, now: Nanos) -> bool {
            now > Nanos(5)
        }
    }

    fn pass(relay: &mut Relay<'_>) {
        relay.record(Nanos(3), EventSource::Link(0), &Event::Recovered);
        relay.record(Nanos(7), EventSource::Link(0), &Event::Recovered);
        assert!(!relay.wants_air(Nanos(5)) && relay.wants_air(Nanos(6)));
    }

    #[test]
    fn a_relay_passes_all_to_the_probe_that_is_lent_or_kept() {
        let heard = Times(vec![Nanos(3), Nanos(7)]);
        let mut lent = Times(Vec::new());
        pass(&mut Relay::to(&mut lent));
        assert_eq!(lent, heard);
        let mut relay = Relay::keeping(Times(Vec::new()));
        pass(&mut relay);
        assert_eq!(relay.kept::<Times>(), Some(&heard));
        assert!(relay.kept::<NoProbe>().is_none());
        assert_eq!(relay.into_kept::<Times>(), Some(heard));
    }

    #[test]
    fn a_relay_has_no_probe_of_another_type() {
        assert!(Relay::keeping(NoProbe).into_kept::<Times>().is_none());
    }
}

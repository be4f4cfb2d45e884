//! The sans-IO machine: how every endpoint is driven, and what queues, links and cells are given.

use airtcp_packet::{Packet, PacketId, Pool};
use airtcp_units::Nanos;

use crate::{DropReason, Event, Probe, EventSource};

/// What a machine is given with every call: a probe to tell, and who it is in this run.
pub struct Cx<'a, P: Probe> {
    /// Receives what happens.
    pub probe: &'a mut P,
    /// The name under which the machine's events are recorded.
    pub source: EventSource,
}

impl<'a, P: Probe> Cx<'a, P> {
    /// A context for one call.
    pub const fn new(probe: &'a mut P, source: EventSource) -> Self {
        Self { probe, source }
    }

    /// Records an event; the closure is not even called when the probe is off.
    #[inline]
    pub fn record(&mut self, now: Nanos, event: impl FnOnce() -> Event) {
        if P::ON {
            self.probe.record(now, self.source, &event());
        }
    }
}

/// What a queue, a link or a cell is given with every call: the pool that its packets live in, too.
pub struct PoolCx<'a, P: Probe> {
    /// Receives what happens.
    pub probe: &'a mut P,
    /// Holds the packets that travel.
    pub pool: &'a mut Pool,
    /// The name under which its events are recorded.
    pub source: EventSource,
}

impl<'a, P: Probe> PoolCx<'a, P> {
    /// A context for one call.
    pub const fn new(probe: &'a mut P, pool: &'a mut Pool, source: EventSource) -> Self {
        Self { probe, pool, source }
    }

    /// Records an event; the closure is not even called when the probe is off.
    #[inline]
    pub fn record(&mut self, now: Nanos, event: impl FnOnce() -> Event) {
        if P::ON {
            self.probe.record(now, self.source, &event());
        }
    }

    /// Drops a packet: records it, takes it out of the pool and counts it there under this name
    /// and, of a medium, the station that drops it (0 elsewhere).
    pub fn discard(
        &mut self,
        now: Nanos,
        packet: PacketId,
        reason: DropReason,
        part: u32,
    ) -> Packet {
        self.record(now, || Event::Dropped { packet, reason });
        self.pool.discard(now, packet, self.source.place(part), reason as u8)
    }
}

/// A transport endpoint that is driven from outside: segments come in and go out.
///
/// The driver drains [`poll`](Machine::poll) after every call and then reads
/// [`next_timer`](Machine::next_timer) once. A machine never schedules itself.
pub trait Machine {
    /// What is fed in.
    type In;
    /// What comes out.
    type Out;

    /// Takes an input that arrives at `now`.
    fn handle<P: Probe>(&mut self, now: Nanos, input: Self::In, cx: &mut Cx<'_, P>);

    /// Tells the machine that the time of its next timer has come. Spurious calls do nothing.
    fn on_timer<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>);

    /// When it wants to be called; [`Nanos::NEVER`] when idle. Never earlier than the present.
    fn next_timer(&self) -> Nanos;

    /// The next output that is ready at `now`, if any.
    fn poll<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>) -> Option<Self::Out>;
}

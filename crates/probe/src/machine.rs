//! The sans-IO machine: the interface of endpoints, and the contexts that drivers pass to machines.

use airtcp_packet::{Packet, PacketId, Pool};
use airtcp_units::Nanos;

use crate::{DropReason, Event, EventSource, Probe};

/// Context of a machine's call: the probe, and the machine's identity in the run.
pub struct Cx<'a, P: Probe> {
    /// Receives the machine's events.
    pub probe: &'a mut P,
    /// Source of the recorded events.
    pub source: EventSource,
}

impl<'a, P: Probe> Cx<'a, P> {
    /// A context for one call.
    pub const fn new(probe: &'a mut P, source: EventSource) -> Self {
        Self { probe, source }
    }

    /// Records an event. The closure is not called if the probe is off.
    #[inline]
    pub fn record(&mut self, now: Nanos, event: impl FnOnce() -> Event) {
        if P::ON {
            self.probe.record(now, self.source, &event());
        }
    }
}

/// Context of a call to a queue, a link or a cell: as [`Cx`], with the pool of packets.
pub struct PoolCx<'a, P: Probe> {
    /// Receives the events.
    pub probe: &'a mut P,
    /// Holds the packets.
    pub pool: &'a mut Pool,
    /// Source of the recorded events.
    pub source: EventSource,
}

impl<'a, P: Probe> PoolCx<'a, P> {
    /// A context for one call.
    pub const fn new(probe: &'a mut P, pool: &'a mut Pool, source: EventSource) -> Self {
        Self { probe, pool, source }
    }

    /// Records an event. The closure is not called if the probe is off.
    #[inline]
    pub fn record(&mut self, now: Nanos, event: impl FnOnce() -> Event) {
        if P::ON {
            self.probe.record(now, self.source, &event());
        }
    }

    /// Drops a packet: records the event, removes the packet from the pool and counts it there under this
    /// source. `part` is the station of a medium that drops the packet, and 0 elsewhere.
    pub fn discard(
        &mut self,
        now: Nanos,
        packet: PacketId,
        reason: DropReason,
        part: u32,
    ) -> Packet {
        self.record(now, || Event::Dropped { packet, reason, part });
        self.pool.discard(now, packet, self.source.place(part), reason as u8)
    }
}

/// A transport endpoint: segments come in and go out, and a driver makes all calls.
///
/// The driver drains [`poll`](Machine::poll) after every call and then reads
/// [`next_timer`](Machine::next_timer) once. A machine never schedules itself.
pub trait Machine {
    /// Input.
    type In;
    /// Output.
    type Out;

    /// Handles an input that arrives at `now`.
    fn handle<P: Probe>(&mut self, now: Nanos, input: Self::In, cx: &mut Cx<'_, P>);

    /// Handles an expired timer. Spurious calls do nothing.
    fn on_timer<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>);

    /// Time of the next timer, not in the past; [`Nanos::NEVER`] when idle.
    fn next_timer(&self) -> Nanos;

    /// The next output that is ready at `now`, if any.
    fn poll<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>) -> Option<Self::Out>;
}

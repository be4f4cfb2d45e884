//! Endpoints that stand for the world outside: packets enter and leave there, at times that a driver gives.
//!
//! A packet that enters and one that leaves are events of the probe, which alone knows what the records stand for.

use airtcp_link::LinkChange;
use airtcp_packet::{EndpointId, Segment};
use airtcp_probe::{DropReason, Event, EventSource, PoolCx, Probe};
use airtcp_queueing::QueueChange;
use airtcp_units::Nanos;

use super::World;
use super::interface::Interface;
use super::transport::Transport;

impl<P: Probe> World<P> {
    /// The endpoints from this number on stand for the world outside.
    pub(crate) fn open_from(&mut self, first: usize) {
        for endpoint in self.endpoints.iter_mut().skip(first) {
            endpoint.transport = Transport::Outside;
        }
    }

    /// True if an endpoint stands for the world outside.
    pub(super) fn is_outside(&self, end: EndpointId) -> bool {
        matches!(self.endpoints[end.index()].transport, Transport::Outside)
    }

    /// A packet for `to` enters at the other end of its flow, now. Events of this instant that are due have run. A packet
    /// longer than `longest` is dropped there.
    pub(crate) fn inject(&mut self, to: EndpointId, segment: Segment, longest: u64) {
        let from = to.peer();
        let packet = self.pool.send(self.now, to, &segment);
        self.probe.record(self.now, EventSource::Endpoint(from), &Event::Entered { packet });
        if u64::from(segment.wire_len()) > longest {
            let source = EventSource::Endpoint(from);
            let mut cx = PoolCx::new(&mut self.probe, &mut self.pool, source);
            cx.discard(self.now, packet, DropReason::TooLong, 0);
            return;
        }
        match self.endpoints[from.index()].first_hop.or_else(|| self.first_hop(from)) {
            Some(next) => self.put(packet, to, next),
            None => self.drop_unroutable(packet),
        }
        if self.pool.has_completed() {
            self.hear_completions();
        }
    }

    /// Changes the link of interface `number`, and its queue, now.
    pub(crate) fn change(&mut self, number: usize, link: LinkChange, queue: Option<QueueChange>) {
        let Some(interface) = self.interfaces.get_mut(number) else { return };
        let pace = link.changes_pace();
        interface.link.change(self.now, link);
        if let Some(change) = queue {
            interface.queue.change(change);
        }
        if pace {
            let Interface { queue, link, .. } = interface;
            queue.on_rate(&|bytes| link.time_for(bytes));
        }
        debug_assert!(!interface.ahead, "a link whose departures are known changes");
    }

    /// Time of the next event, if there is one.
    pub(crate) fn next_event(&mut self) -> Option<Nanos> {
        self.queue.peek()
    }

    /// The probe, for what only its owner knows.
    pub(crate) const fn probe_mut(&mut self) -> &mut P {
        &mut self.probe
    }
}

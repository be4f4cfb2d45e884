//! What an endpoint sends after it was given something: its application reacts, its transport is polled, and its segments
//! become packets on their first hop.

use airtcp_packet::{EndpointId, PacketId, Segment};
use airtcp_probe::{Cx, EventSource, Probe};

use super::routes::Hop;
use super::transport::Transport;
use super::{Endpoint, World, endpoint_id};

impl<P: Probe> World<P> {
    /// Lets the application react, then sends the transport's segments.
    pub(super) fn pump(&mut self, number: u32) {
        let id = endpoint_id(number);
        let mut endpoint = &mut self.endpoints[number as usize];
        endpoint.transport.write_on(self.now);
        endpoint.app.on_progress(self.now, &mut endpoint.transport);
        if matches!(endpoint.transport, Transport::Tcp { .. }) {
            self.send_runs(id);
        } else {
            self.send_others(id);
        }
        endpoint = &mut self.endpoints[number as usize];
        self.queue.set(endpoint.timer, endpoint.transport.timer_bound());
        if endpoint.app.sets_timer_on_progress() {
            self.queue.set(endpoint.app_timer, endpoint.app.next_timer());
        }
    }

    /// Sends what TCP has to send now.
    #[inline]
    fn send_runs(&mut self, id: EndpointId) {
        loop {
            let Transport::Tcp { connection, .. } = &mut self.endpoints[id.index()].transport
            else {
                return;
            };
            let mut cx = Cx::new(&mut self.probe, EventSource::Endpoint(id));
            // With a probe one at a time, so that tests can compare.
            let most = if P::ON { 1 } else { u32::MAX };
            let Some(run) = connection.poll_run(self.now, most, &mut cx) else { return };
            for segment in run {
                self.send(id, segment);
            }
            if run.ends {
                return;
            }
        }
    }

    /// Sends what another transport has to send now.
    #[inline(never)]
    fn send_others(&mut self, id: EndpointId) {
        loop {
            let mut cx = Cx::new(&mut self.probe, EventSource::Endpoint(id));
            let transport = &mut self.endpoints[id.index()].transport;
            let Some(segment) = transport.poll_other(self.now, &mut cx) else { return };
            self.send(id, segment);
        }
    }

    /// Sends a segment of an endpoint.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once a packet, by two callers")]
    fn send(&mut self, from: EndpointId, segment: Segment) {
        let to = from.peer();
        let packet = self.pool.send(self.now, to, &segment);
        let Endpoint { is_held, first_hop, .. } = self.endpoints[from.index()];
        if is_held && segment.len > 0 {
            self.pool.hold(packet);
        }
        match first_hop.or_else(|| self.first_hop(from)) {
            // As `put`, which is a call that most packets need not take.
            Some(Hop::Link(number)) if self.interfaces[number as usize].ahead => {
                self.enqueue_ahead(packet, number);
            }
            Some(next) => self.put(packet, to, next),
            None => self.drop_unroutable(packet),
        }
    }

    /// Finds the first hop of an endpoint's packets, when it sends the first one.
    #[cold]
    pub(super) fn first_hop(&mut self, from: EndpointId) -> Option<Hop> {
        let [node, destination] = [from, from.peer()].map(|end| self.endpoints[end.index()].node);
        let hop = self.routes.next(node, destination);
        self.endpoints[from.index()].first_hop = hop;
        hop
    }

    /// Sends a packet from `node` to its next hop.
    pub(super) fn forward(&mut self, packet: PacketId, node: u32) {
        let to = self.pool.get(packet).to;
        let destination = self.endpoints[to.index()].node;
        let Some(next) = self.routes.next(node, destination) else {
            self.drop_unroutable(packet);
            return;
        };
        self.put(packet, to, next);
    }

    /// Puts a packet for `to` on a hop.
    #[inline(never)]
    pub(super) fn put(&mut self, packet: PacketId, to: EndpointId, next: Hop) {
        match next {
            Hop::Link(number) => {
                let interface = &mut self.interfaces[number as usize];
                if interface.ahead {
                    self.enqueue_ahead(packet, number);
                } else if interface.enqueue(self.now, packet, &mut self.probe, &mut self.pool) {
                    self.queue.set(interface.timer, interface.next_timer());
                }
            }
            Hop::Air(number) => self.put_on_air(packet, to, number),
        }
    }
}

//! The world: owner of nodes, interfaces and endpoints, and their event loop.
//!
//! Packets move by return values. A transport returns a segment; the world puts it into the pool and passes
//! it to the next interface; the link later returns it; the world passes it to the following interface or
//! to its endpoint.

use airtcp_link::CorruptionNotice;
use airtcp_packet::{EndpointId, PacketId, Pool};
use airtcp_probe::{Cx, DropReason, Event, EventSource, PoolCx, Probe};
use airtcp_units::{Bytes, Nanos, Narrow};
use airtcp_wifi::mac::Category;

mod ahead;
mod air;
pub(crate) mod application;
mod below;
pub(crate) mod boundary;
mod crossing;
mod given_up;
pub(crate) mod interface;
pub(crate) mod medium;
mod notices;
mod outside;
mod queue;
pub(crate) mod routes;
mod scheduled;
mod sending;
#[cfg(test)]
mod shaper_tests;
mod small_queues;
pub(crate) mod transport;

use application::App;
use boundary::Boundaries;
use interface::Interface;
use medium::{AirEvent, AirHop, Medium};
use notices::Notices;
use queue::{EventQueue, MachineId, Phase};
use routes::{Hop, Routes};
use transport::Transport;

/// One end of a flow: its node, transport and application.
pub(crate) struct Endpoint {
    pub(crate) node: u32,
    /// Access category of packets to it.
    category: Category,
    pub(crate) transport: Transport,
    pub(crate) app: App,
    timer: MachineId,
    app_timer: MachineId,
    /// First hop of its packets; `None` until it sends one.
    first_hop: Option<Hop>,
    /// The pool holds its data packets while they are in the device of its host.
    is_held: bool,
    pub(crate) carried: Carried,
}

/// Bytes of packets with payload carried to an endpoint.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Carried {
    /// Bytes of the IP packets that reached the endpoint.
    pub(crate) ip_bytes: u64,
    /// Bytes of the MAC frames that carried them through the air, summed over the hops.
    pub(crate) mac_bytes: u64,
}

/// Owner of an entry in the event queue.
#[derive(Debug, Clone, Copy)]
enum Actor {
    Interface(u32),
    Endpoint(u32),
    App(u32),
    AirEnds(u32),
    AirTimers(u32),
    AirStarts(u32),
    /// Ends on a medium where a boundary waits for MAC acknowledgements.
    WatchedAirEnds(u32),
    Boundary(u32),
    /// Notices of packets that stations gave up.
    Notices,
}

/// The state of a replication.
pub(crate) struct World<P: Probe> {
    now: Nanos,
    /// End of the part of the run that is simulated now.
    until: Nanos,
    queue: EventQueue,
    actors: Vec<Actor>,
    interfaces: Vec<Interface>,
    media: Vec<Medium>,
    /// The medium whose events run now, if any (see `air`).
    running: Option<u32>,
    /// For each cell of the scenario, its medium and its number there.
    cells: Vec<(u32, u32)>,
    /// Hops through the air, in the order of their numbers in routes.
    air_hops: Vec<AirHop>,
    boundaries: Boundaries,
    /// Notices of packets that stations gave up, if a sender asked.
    notices: Option<Box<Notices>>,
    endpoints: Vec<Endpoint>,
    /// Senders that wait for their devices; empty between events.
    held_senders: Vec<EndpointId>,
    routes: Routes,
    pool: Pool,
    delivered: u64,
    unroutable: u64,
    events: u64,
    probe: P,
}

impl<P: Probe> World<P> {
    pub(crate) fn new(routes: Routes, probe: P) -> Self {
        Self {
            now: Nanos::ZERO,
            until: Nanos::ZERO,
            queue: EventQueue::new(),
            actors: Vec::new(),
            interfaces: Vec::new(),
            media: Vec::new(),
            running: None,
            cells: Vec::new(),
            air_hops: Vec::new(),
            boundaries: Boundaries::default(),
            notices: None,
            endpoints: Vec::new(),
            held_senders: Vec::new(),
            routes,
            pool: Pool::new(),
            delivered: 0,
            unroutable: 0,
            events: 0,
            probe,
        }
    }

    fn register(&mut self, actor: Actor, phase: Phase, salt: u64) -> MachineId {
        self.actors.push(actor);
        self.queue.register(phase, salt)
    }

    /// Adds an interface, numbered in order. `salt` derives from seed and name.
    pub(crate) fn add_interface(&mut self, mut interface: Interface, salt: u64) {
        let number = u32::narrow(self.interfaces.len());
        interface.timer = self.register(Actor::Interface(number), Phase::Arrival, salt);
        interface.choose_path::<P>();
        self.interfaces.push(interface);
    }

    /// Sends the reports of interface `number`'s link protocol over interface `reverse`.
    pub(crate) fn report_over(&mut self, number: usize, reverse: usize, size: Bytes) {
        let (Some(ours), Some(other)) = two(&mut self.interfaces, number, reverse) else { return };
        ours.link.allow_reports_over(&other.link);
        other.link.carry_reports(size);
        ours.reverse = Some(u32::narrow(reverse));
        other.choose_path::<P>();
    }

    /// Adds an endpoint. The order is client and server of flow 0, then of flow 1, and so on.
    pub(crate) fn add_endpoint(
        &mut self,
        node: u32,
        category: Category,
        transport: Transport,
        app: App,
        salt: u64,
    ) {
        let number = u32::narrow(self.endpoints.len());
        let timer = self.register(Actor::Endpoint(number), Phase::Timer, salt);
        let app_timer = self.register(Actor::App(number), Phase::Application, salt.rotate_left(32));
        self.queue.set(app_timer, app.next_timer());
        let carried = Carried::default();
        let (first_hop, is_held) = (None, false);
        let endpoint = Endpoint {
            node,
            category,
            transport,
            app,
            timer,
            app_timer,
            first_hop,
            is_held,
            carried,
        };
        self.endpoints.push(endpoint);
    }

    /// Runs until `end` or for `budget` events, whichever comes first. True if `end` was reached.
    pub(crate) fn run_until(&mut self, end: Nanos, budget: u64) -> bool {
        self.until = end;
        let mut left = budget;
        while left > 0 {
            if let Some((now, link)) = self.queue.pop_apart(end) {
                debug_assert!(now >= self.now, "an event in the past");
                self.now = now;
                self.events += 1;
                left -= 1;
                self.on_ahead(link);
                if self.pool.has_completed() {
                    self.hear_completions();
                }
                continue;
            }
            let Some((now, machine)) = self.queue.pop(end) else {
                self.now = end;
                self.depart_ahead();
                return true;
            };
            debug_assert!(now >= self.now, "an event in the past");
            self.now = now;
            self.events += 1;
            left -= 1;
            match self.actors[machine.0 as usize] {
                Actor::Interface(i) => self.on_interface(i),
                Actor::Endpoint(e) => {
                    if !self.on_endpoint_timer(e) {
                        (self.events, left) = (self.events - 1, left + 1);
                    }
                }
                Actor::App(e) => left = self.on_app(e, left),
                Actor::AirEnds(i) | Actor::WatchedAirEnds(i) => {
                    left = self.run_air(i, AirEvent::Ends, left);
                }
                Actor::AirTimers(i) => left = self.run_air(i, AirEvent::Timers, left),
                Actor::AirStarts(i) => left = self.run_air(i, AirEvent::Starts, left),
                Actor::Boundary(i) => self.on_boundary(i),
                Actor::Notices => self.on_notices(),
            }
            if self.pool.has_completed() {
                self.hear_completions();
            }
        }
        false
    }

    /// Stops the run at the last event, so that its counters can be read.
    pub(crate) fn stop(&mut self) {
        self.depart_ahead();
    }

    #[inline(never)]
    fn on_interface(&mut self, number: u32) {
        if self.interfaces[number as usize].ahead {
            self.on_ahead(number);
        } else {
            self.on_plain(number);
        }
    }

    fn on_plain(&mut self, number: u32) {
        let i = number as usize;
        self.interfaces[i].on_timer(self.now, &mut self.probe, &mut self.pool);
        loop {
            let interface = &mut self.interfaces[i];
            let node = interface.to_node;
            let next = interface.poll(self.now, &mut self.probe, &mut self.pool);
            let Some(packet) = next else { break };
            self.arrive(packet, node, number);
        }
        if self.interfaces[i].link.needs_service() {
            while let Some(notice) = self.interfaces[i].link.take_corruption_notice(self.now) {
                self.notify_corruption(&notice);
            }
            self.exchange_reports(i);
        }
        self.set_interface(number);
    }

    /// Carries reports of link protocols from one direction of a link to the other.
    fn exchange_reports(&mut self, i: usize) {
        let now = self.now;
        if let Some(reverse) = self.interfaces[i].reverse {
            let mut any = false;
            while let Some(report) = self.interfaces[i].link.take_outgoing_report(now) {
                self.interfaces[reverse as usize].link.send_report(now, report);
                any = true;
            }
            if any {
                self.set_interface(reverse);
            }
        }
        // The two directions of a link are adjacent.
        let ours = i ^ 1;
        let mut any = false;
        while let Some(report) = self.interfaces[i].link.take_carried_report(now) {
            self.interfaces[ours].link.on_report(now, report);
            any = true;
        }
        if any {
            self.interfaces[ours].feed(now, &mut self.probe, &mut self.pool);
            self.set_interface(u32::narrow(ours));
        }
    }

    #[inline]
    fn set_interface(&mut self, number: u32) {
        let interface = &self.interfaces[number as usize];
        self.queue.set(interface.timer, interface.next_timer());
    }

    /// The entry of an endpoint. Its timer may be later, since an endpoint only says when none is due before
    /// ([`Transport::timer_bound`]): then nothing happens, which is no event, and false is returned.
    fn on_endpoint_timer(&mut self, number: u32) -> bool {
        let id = endpoint_id(number);
        let endpoint = &mut self.endpoints[number as usize];
        let next = endpoint.transport.settle_timers();
        if next > self.now {
            self.queue.set(endpoint.timer, next);
            return false;
        }
        let mut cx = Cx::new(&mut self.probe, EventSource::Endpoint(id));
        endpoint.transport.on_timer(self.now, &mut cx);
        self.pump(number);
        true
    }

    /// The timer of an application, and its next ones for as long as they come before the events of all other
    /// machines: until the end of the run, or `left` events. Returns what is left of them. With a probe, each one
    /// goes through the event queue, so that tests can compare.
    fn on_app(&mut self, number: u32, mut left: u64) -> u64 {
        loop {
            let endpoint = &mut self.endpoints[number as usize];
            endpoint.app.on_timer(self.now, &mut endpoint.transport);
            self.pump(number);
            if self.pool.has_completed() {
                self.hear_completions();
            }
            let endpoint = &self.endpoints[number as usize];
            let (timer, next) = (endpoint.app_timer, endpoint.app.next_timer());
            let ends = P::ON || left == 0 || next > self.until;
            if ends || !self.queue.runs_on(timer, next) {
                self.queue.set(timer, next);
                return left;
            }
            self.now = next;
            self.events += 1;
            left -= 1;
        }
    }

    /// Puts a packet on the hop through the air of this number, or passes it to a boundary.
    fn put_on_air(&mut self, packet: PacketId, to: EndpointId, number: u32) {
        let Some(&hop) = self.air_hops.get(number as usize) else {
            self.cross_boundary(packet, number);
            return;
        };
        let mut categories = [to, to.peer()].map(|end| self.endpoints[end.index()].category);
        let medium = &self.media[hop.medium as usize];
        let segment = &self.pool.get(packet).segment;
        if medium.reads_dscp(hop.from) && self.is_outside(to) {
            categories[0] = segment.service().into();
        }
        let category = medium.category(hop.from, segment, categories);
        self.enqueue_for_air(hop, category, packet);
    }

    /// Handles the arrival of a packet at `node` through interface `number`.
    fn arrive(&mut self, packet: PacketId, node: u32, number: u32) {
        let (to, wire_len) = self.pool.arrived(self.now, u64::from(number), packet);
        let endpoint = &mut self.endpoints[to.index()];
        if endpoint.node != node {
            self.forward(packet, node);
            return;
        }
        if P::ON && matches!(endpoint.transport, Transport::Outside) {
            let segment = self.pool.get(packet).segment;
            self.probe.record(
                self.now,
                EventSource::Endpoint(to),
                &Event::Left { packet, segment },
            );
        }
        let segment = self.pool.get(packet).segment;
        self.pool.free(packet);
        self.delivered += 1;
        if segment.len > 0 {
            endpoint.carried.ip_bytes += u64::from(wire_len);
        }
        let mut cx = Cx::new(&mut self.probe, EventSource::Endpoint(to));
        endpoint.transport.handle(self.now, segment, &mut cx);
        if endpoint.app.only_reads() && endpoint.transport.rests() {
            // As `pump`, which would find nothing to do but this.
            self.queue.set(endpoint.timer, endpoint.transport.timer_bound());
            return;
        }
        self.pump(u32::narrow(to.index()));
    }

    /// Passes a corruption notice to the sender.
    fn notify_corruption(&mut self, notice: &CorruptionNotice) {
        let endpoint = &mut self.endpoints[notice.from.index()];
        endpoint.transport.on_corrupted(self.now, notice);
        self.pump(u32::narrow(notice.from.index()));
    }

    fn drop_unroutable(&mut self, packet: PacketId) {
        let to = self.pool.get(packet).to;
        let mut cx = PoolCx::new(&mut self.probe, &mut self.pool, EventSource::Endpoint(to));
        cx.discard(self.now, packet, DropReason::NoRoute, 0);
        self.unroutable += 1;
    }

    pub(crate) const fn now(&self) -> Nanos {
        self.now
    }

    pub(crate) fn interfaces(&self) -> &[Interface] {
        &self.interfaces
    }

    pub(crate) fn media(&self) -> &[Medium] {
        &self.media
    }

    pub(crate) const fn routes(&self) -> &Routes {
        &self.routes
    }

    /// For each cell of the scenario, its medium and its number there.
    pub(crate) fn cells(&self) -> &[(u32, u32)] {
        &self.cells
    }

    pub(crate) fn endpoints(&self) -> &[Endpoint] {
        &self.endpoints
    }

    /// Counts the open waits of senders until now: a measurement begins.
    pub(crate) fn settle_waits(&mut self) {
        for endpoint in &mut self.endpoints {
            endpoint.transport.settle_waits(self.now);
        }
    }

    /// Resets the counts of exchanges.
    pub(crate) fn forget_exchanges(&mut self) {
        for endpoint in &mut self.endpoints {
            endpoint.app.forget_exchanges();
        }
    }

    pub(crate) const fn boundaries(&self) -> &Boundaries {
        &self.boundaries
    }

    pub(crate) const fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Events processed so far.
    pub(crate) const fn events(&self) -> u64 {
        self.events
    }

    /// Packets that reached their endpoint.
    pub(crate) const fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Packets dropped because there was no route to their destination.
    pub(crate) const fn unroutable(&self) -> u64 {
        self.unroutable
    }

    pub(crate) const fn probe(&self) -> &P {
        &self.probe
    }

    /// Returns the probe.
    pub(crate) fn into_probe(self) -> P {
        self.probe
    }
}

/// Mutable references to two different elements.
fn two<T>(list: &mut [T], a: usize, b: usize) -> (Option<&mut T>, Option<&mut T>) {
    match list.get_disjoint_mut([a, b]) {
        Ok([a, b]) => (Some(a), Some(b)),
        Err(_) => (None, None),
    }
}

const fn endpoint_id(number: u32) -> EndpointId {
    use airtcp_packet::Side;
    EndpointId::new(number >> 1, if number & 1 == 0 { Side::Client } else { Side::Server })
}

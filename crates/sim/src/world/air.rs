//! The media of a world: events, deliveries, and packets for their stations.

use airtcp_packet::{PacketId, Pool};
use airtcp_probe::Probe;
use airtcp_units::{Nanos, Narrow};
use airtcp_wifi::cell;
use airtcp_wifi::node::NodeId;

use super::boundary::Boundaries;
use super::medium::{AirEvent, AirHop, Medium, StationQueues};
use super::queue::Phase;
use super::routes::Hop;
use super::{Actor, World};

impl<P: Probe> World<P> {
    /// Adds a medium with the queues of its stations. `salt` derives from seed and name.
    pub(crate) fn add_medium(
        &mut self,
        mut cell: cell::Medium,
        station_queues: Vec<StationQueues>,
        salt: u64,
    ) {
        let number = u32::narrow(self.media.len());
        let ends = self.register(Actor::AirEnds(number), Phase::Arrival, salt);
        let timers = self.register(Actor::AirTimers(number), Phase::Timer, salt.rotate_left(16));
        let starts = self.register(Actor::AirStarts(number), Phase::Start, salt.rotate_left(48));
        let before: usize = self.media.iter().map(Medium::queue_count).sum();
        let first_queue = u32::narrow(self.interfaces.len() + before);
        self.queue.set(ends, cell.next_end());
        self.queue.set(timers, cell.next_timer());
        self.media.push(Medium::new(
            number,
            cell,
            station_queues,
            first_queue,
            [ends, timers, starts],
        ));
    }

    /// Sets the medium of each cell of the scenario, and the cell's number there.
    pub(crate) fn set_cells(&mut self, cells: Vec<(u32, u32)>) {
        self.cells = cells;
    }

    /// Sets the hops through the air, in the order of their numbers in routes.
    pub(crate) fn set_air_hops(&mut self, hops: Vec<AirHop>) {
        self.air_hops = hops;
    }

    /// Puts a packet into the queue of the transmitting station.
    pub(super) fn enqueue_for_air(&mut self, hop: AirHop, category: usize, packet: PacketId) {
        let AirHop { medium: number, from, .. } = hop;
        let medium = &mut self.media[number as usize];
        if !medium.enqueue(self.now, from, category, packet, &mut self.probe, &mut self.pool) {
            return;
        }
        self.feed(number, from);
        self.reschedule(number);
    }

    /// Handles an event of a medium, and those that follow it for as long as the medium comes first: until
    /// the end of the run, another entry of the event queue, or `left` events. Returns what is left of them. The queue
    /// gets the next event of the medium only then.
    pub(super) fn run_air(&mut self, number: u32, event: AirEvent, mut left: u64) -> u64 {
        self.running = Some(number);
        self.queue.settle();
        let mut next = Some(event);
        while let Some(event) = next {
            match event {
                AirEvent::Ends => self.on_air_ends(number),
                AirEvent::Timers => self.on_air_timers(number),
                AirEvent::Starts => self.on_air_starts(number),
            }
            if self.pool.has_completed() {
                self.hear_completions();
            }
            next = if left > 0 { self.next_air_event(number) } else { None };
            if let Some(event) = next {
                self.events += 1;
                left -= u64::from(event != AirEvent::Starts);
            }
        }
        self.running = None;
        self.reschedule(number);
        left
    }

    /// Goes on to the next event of a medium, if it is not after the end of the run and nothing else comes first.
    fn next_air_event(&mut self, number: u32) -> Option<AirEvent> {
        let medium = &mut self.media[number as usize];
        let (ends, timers) = (medium.cell.next_end(), medium.next_timer());
        let (at, machine, event) = if medium.cell.is_starting() && ends.min(timers) > self.now {
            (self.now, medium.starts, AirEvent::Starts)
        } else if ends <= timers {
            (ends, medium.ends, AirEvent::Ends)
        } else {
            (timers, medium.timers, AirEvent::Timers)
        };
        if at > self.until || !self.queue.runs_on(machine, at) {
            return None;
        }
        self.now = at;
        Some(event)
    }

    fn on_air_timers(&mut self, number: u32) {
        self.media[number as usize].on_timers(self.now, &mut self.probe, &mut self.pool);
        // A receiver may have handed over packets that it held back.
        self.after_ends(number);
        if self.media[number as usize].cell.preparing(0).is_some() {
            self.fill(number);
        }
    }

    /// Fills the aggregates that begin at this instant.
    #[inline(never)]
    fn fill(&mut self, number: u32) {
        let (routes, hops, endpoints) = (&self.routes, &self.air_hops, &self.endpoints);
        let boundaries = &self.boundaries;
        let medium = &mut self.media[number as usize];
        let mut aggregate = 0;
        while let Some(station) = medium.cell.preparing(aggregate) {
            let node = medium.nodes[station.index()];
            let next = |pool: &Pool, packet: PacketId| {
                let destination = endpoints[pool.get(packet).to.index()].node;
                next_station(routes.next(node, destination), hops, boundaries, station)
            };
            medium.fill(self.now, aggregate, next, &mut self.probe, &mut self.pool);
            aggregate += 1;
        }
    }

    fn on_air_starts(&mut self, number: u32) {
        self.media[number as usize].on_starts(self.now, &mut self.probe, &mut self.pool);
        // A station that cancelled its access may have packets in its queue.
        self.feed_ready(number);
    }

    fn on_air_ends(&mut self, number: u32) {
        let medium = &mut self.media[number as usize];
        if matches!(self.actors[medium.ends.0 as usize], Actor::WatchedAirEnds(_)) {
            self.on_watched_air_ends(number);
            return;
        }
        medium.on_ends(self.now, &mut self.probe, &mut self.pool);
        self.after_ends(number);
    }

    /// Feeds the stations that have become ready, and hands over what they received.
    #[inline]
    pub(super) fn after_ends(&mut self, number: u32) {
        let i = number as usize;
        self.feed_ready(number);
        while let Some(delivery) = self.media[i].poll() {
            let queue = self.media[i].queue_number(delivery.to, 0);
            let node = self.media[i].nodes[delivery.to.index()];
            let packet = self.pool.get(delivery.packet);
            if packet.segment.len > 0 {
                let carried = &mut self.endpoints[packet.to.index()].carried;
                carried.mac_bytes += u64::from(delivery.frame_bytes);
            }
            self.arrive(delivery.packet, node, queue);
        }
    }

    /// Gives ready stations their next packets.
    pub(super) fn feed_ready(&mut self, number: u32) {
        while let Some(station) = self.media[number as usize].cell.take_ready() {
            if self.notices.is_some() {
                self.collect_given_up(number);
            }
            self.feed(number, station);
        }
        while let Some(station) = self.media[number as usize].take_released(self.now) {
            self.feed(number, station);
        }
    }

    pub(super) fn feed(&mut self, number: u32, station: NodeId) {
        let (routes, hops, endpoints) = (&self.routes, &self.air_hops, &self.endpoints);
        let boundaries = &self.boundaries;
        let medium = &mut self.media[number as usize];
        let node = medium.nodes[station.index()];
        let next = |pool: &Pool, packet: PacketId| {
            let destination = endpoints[pool.get(packet).to.index()].node;
            next_station(routes.next(node, destination), hops, boundaries, station)
        };
        medium.feed(self.now, station, next, &mut self.probe, &mut self.pool);
    }

    /// Sets the next event of a medium in the event queue, unless its events run now.
    fn reschedule(&mut self, number: u32) {
        if self.running == Some(number) {
            return;
        }
        let medium = &mut self.media[number as usize];
        let (ends, timers) = (medium.cell.next_end(), medium.next_timer());
        // The later one follows from the state after the earlier one.
        let first = ends.min(timers);
        let only = |at: Nanos| if at == first { at } else { Nanos::NEVER };
        self.queue.set(medium.ends, only(ends));
        self.queue.set(medium.timers, only(timers));
        let starts = if medium.cell.is_starting() { self.now } else { Nanos::NEVER };
        self.queue.set(medium.starts, starts);
    }
}

/// The next station of a packet in a queue of `station`. A station's queues hold only packets whose next hop is
/// through the air.
fn next_station(
    hop: Option<Hop>,
    hops: &[AirHop],
    boundaries: &Boundaries,
    station: NodeId,
) -> NodeId {
    match hop {
        Some(Hop::Air(number)) => match hops.get(number as usize) {
            Some(hop) => hop.to,
            None => boundaries.behind(number, hops).map_or(station, |hop| hop.to),
        },
        Some(Hop::Link(_)) | None => station,
    }
}

//! The media of a world: events, deliveries, and packets for their stations.

use airtcp_packet::{PacketId, Pool};
use airtcp_probe::Probe;
use airtcp_units::{Nanos, Narrow};
use airtcp_wifi::cell;
use airtcp_wifi::mac::NodeId;

use super::medium::{AirHop, Medium, StationQueues};
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
        medium.enqueue(self.now, from, category, packet, &mut self.probe, &mut self.pool);
        self.feed(number, from);
        self.reschedule(number);
    }

    pub(super) fn on_air_timers(&mut self, number: u32) {
        self.media[number as usize].on_timers(self.now, &mut self.probe, &mut self.pool);
        self.feed_ready(number);
        self.reschedule(number);
    }

    pub(super) fn on_air_starts(&mut self, number: u32) {
        self.media[number as usize].on_starts(self.now, &mut self.probe, &mut self.pool);
        self.reschedule(number);
    }

    pub(super) fn on_air_ends(&mut self, number: u32) {
        let i = number as usize;
        self.media[i].on_ends(self.now, &mut self.probe, &mut self.pool);
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
        self.reschedule(number);
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
            match routes.next(node, destination) {
                Some(Hop::Air(number)) => match hops.get(number as usize) {
                    Some(hop) => hop.to,
                    None => boundaries.behind(number, hops).map_or(station, |hop| hop.to),
                },
                // A station's queues hold only packets whose next hop is through the air.
                Some(Hop::Link(_)) | None => station,
            }
        };
        medium.feed(self.now, station, next, &mut self.probe, &mut self.pool);
    }

    pub(super) fn reschedule(&mut self, number: u32) {
        let medium = &mut self.media[number as usize];
        self.queue.set(medium.ends, medium.cell.next_end());
        self.queue.set(medium.timers, medium.next_timer());
        let starting = medium.cell.is_starting();
        // A start with no earlier event at this instant runs now, without the event queue.
        if starting && self.queue.is_quiet(self.now) {
            self.events += 1;
            medium.on_starts(self.now, &mut self.probe, &mut self.pool);
            self.queue.set(medium.ends, medium.cell.next_end());
            self.queue.set(medium.timers, medium.next_timer());
        } else {
            self.queue.set(medium.starts, if starting { self.now } else { Nanos::NEVER });
        }
    }
}

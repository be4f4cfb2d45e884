//! Packets that cross a boundary, and what its machine emits.
//!
//! A boundary may guard stations (it sees what they send), and it may wait for MAC acknowledgements:
//! then the heads of its station are noted before each end of a transmission, and the station's counts
//! are compared after it.

use airtcp_packet::{EndpointId, PacketId};
use airtcp_probe::Probe;
use airtcp_transport::middle::Verdict;
use airtcp_units::Narrow;
use airtcp_wifi::mac::CATEGORIES;

use super::boundary::{Boundary, BoundaryPlan, Crossing, Head, Losses, Watch};
use super::queue::Phase;
use super::routes::Hop;
use super::{Actor, World};

impl<P: Probe> World<P> {
    /// Adds a boundary, after all hops through the air. `salt` comes from seed and name.
    pub(crate) fn add_boundary(&mut self, plan: BoundaryPlan, salt: u64) {
        let BoundaryPlan { scheme, cell, machine, node, flows, splits, crossings } = plan;
        self.boundaries.air_hops = u32::narrow(self.air_hops.len());
        let number = u32::narrow(self.boundaries.list.len());
        let timer = self.register(Actor::Boundary(number), Phase::Timer, salt);
        self.queue.set(timer, machine.next_timer());
        for (at, destination, from_station) in crossings {
            let air = u32::narrow(self.air_hops.len() + self.boundaries.crossings.len());
            if let Some(next) = self.routes.replace(at, destination, air) {
                self.boundaries.crossings.push(Crossing { boundary: number, from_station, next });
            }
        }
        let watch = machine.watches_air().then(|| self.watch(cell)).flatten();
        let losses = machine.hears_losses().then(|| self.losses(cell)).flatten();
        let boundary = Boundary {
            scheme,
            cell,
            machine,
            node,
            flows,
            splits,
            absorbed: 0,
            created: 0,
            marked: 0,
            timer,
            watch,
            losses,
        };
        self.boundaries.list.push(boundary);
    }

    /// Watches the access point of a cell of the scenario.
    fn watch(&mut self, cell: usize) -> Option<Watch> {
        let (medium, number) = *self.cells.get(cell)?;
        let ends = self.media.get(medium as usize)?.ends;
        self.actors[ends.0 as usize] = Actor::WatchedAirEnds(medium);
        let station = self.media[medium as usize].station(number as usize, 0);
        Some(Watch { medium, station, heads: [Head::default(); CATEGORIES] })
    }

    /// The stations of a cell of the scenario.
    fn losses(&self, cell: usize) -> Option<Losses> {
        let (medium, number) = *self.cells.get(cell)?;
        let stations = self.media.get(medium as usize)?.station_range(number as usize);
        Some(Losses { medium, stations })
    }

    /// A packet is to take the hop of this number, which leads through a boundary.
    #[cold]
    pub(super) fn cross_boundary(&mut self, packet: PacketId, air: u32) {
        let Some(crossing) = self.boundaries.crossing(air) else {
            self.drop_unroutable(packet);
            return;
        };
        let Crossing { boundary: number, from_station, next } = *crossing;
        let boundary = &mut self.boundaries.list[number as usize];
        let record = self.pool.get(packet);
        let to = record.to;
        let verdict = if from_station {
            boundary.machine.leave(self.now, record)
        } else {
            boundary.machine.pass(self.now, record)
        };
        match verdict {
            Verdict::Pass => self.put(packet, to, next),
            Verdict::Mark => {
                boundary.marked += 1;
                self.pool.get_mut(packet).segment.set_loss_mark();
                self.put(packet, to, next);
            }
            Verdict::Absorb => {
                boundary.absorbed += 1;
                let place = u64::from(boundary.node);
                self.pool.absorb(self.now, packet, place);
            }
        }
        self.drain_boundary(number);
    }

    pub(super) fn on_boundary(&mut self, number: u32) {
        self.boundaries.list[number as usize].machine.on_timer(self.now);
        self.drain_boundary(number);
    }

    /// The access point of a boundary loses the packets in its queues for the air. They count as
    /// absorbed.
    fn lose_queued(&mut self, number: u32) {
        let boundary = &mut self.boundaries.list[number as usize];
        let Some((medium, cell)) = self.cells.get(boundary.cell) else { return };
        let medium = &mut self.media[*medium as usize];
        let station = medium.station(*cell as usize, 0);
        while let Some(packet) =
            medium.take_queued(self.now, station, &mut self.probe, &mut self.pool)
        {
            boundary.absorbed += 1;
            self.pool.absorb(self.now, packet, u64::from(boundary.node));
        }
    }

    /// Sends what a boundary emits, after any call of its machine.
    fn drain_boundary(&mut self, number: u32) {
        if self.boundaries.list[number as usize].machine.take_failure() {
            self.lose_queued(number);
        }
        loop {
            let boundary = &mut self.boundaries.list[number as usize];
            let Some(packet) = boundary.machine.poll(self.now) else { break };
            boundary.created += 1;
            let (node, to) = (boundary.node, packet.to);
            let id = self.pool.send(self.now, packet.to, &packet.segment);
            match self.beyond(number, node, to) {
                Some(next) => self.put(id, to, next),
                None => self.drop_unroutable(id),
            }
        }
        let boundary = &self.boundaries.list[number as usize];
        let next = boundary.machine.next_timer();
        self.queue.set(boundary.timer, next);
    }

    /// The hop from a boundary towards an endpoint.
    fn beyond(&self, number: u32, node: u32, to: EndpointId) -> Option<Hop> {
        let mut hop = self.routes.next(node, self.endpoints[to.index()].node)?;
        while let Hop::Air(air) = hop
            && let Some(crossing) = self.boundaries.crossing(air)
        {
            hop = crossing.next;
            if crossing.boundary == number {
                break;
            }
        }
        Some(hop)
    }

    /// Transmissions end on a medium where a boundary waits for MAC acknowledgements.
    #[cold]
    pub(super) fn on_watched_air_ends(&mut self, medium: u32) {
        let cell = &self.media[medium as usize].cell;
        let watches = self.boundaries.list.iter_mut().filter_map(|b| b.watch.as_mut());
        for watch in watches.filter(|watch| watch.medium == medium) {
            let stats = cell.stats(watch.station);
            for (category, head) in watch.heads.iter_mut().enumerate() {
                let packet = cell.head(watch.station, category);
                head.is_waiting = packet.is_some();
                head.packet = packet.map(|id| *self.pool.get(id)).or(head.packet);
                head.acknowledged = stats.categories[category].acknowledged;
            }
        }
        self.media[medium as usize].on_ends(self.now, &mut self.probe, &mut self.pool);
        for number in 0..self.boundaries.list.len() {
            self.tell_ends(medium, number);
        }
        self.after_ends(medium);
    }

    /// Tells a boundary of the packets that were received at this instant, and of those whose MAC
    /// acknowledgement was.
    fn tell_ends(&mut self, medium: u32, number: usize) {
        let Boundary { watch, machine, .. } = &mut self.boundaries.list[number];
        let Some(watch) = watch.as_mut().filter(|watch| watch.medium == medium) else { return };
        let cell = &self.media[medium as usize].cell;
        let stats = cell.stats(watch.station);
        for (category, head) in watch.heads.iter_mut().enumerate() {
            let Some(packet) = head.packet else { continue };
            if head.is_waiting && cell.is_received(watch.station, category) {
                machine.on_received(self.now, &packet);
            }
            if stats.categories[category].acknowledged > head.acknowledged {
                machine.on_acknowledged(self.now, &packet);
                head.packet = None;
            }
        }
        self.drain_boundary(u32::narrow(number));
    }
}

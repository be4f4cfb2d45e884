//! A medium in the world: its cells, and the queues of their stations.

mod fill;
mod turns;

use std::collections::VecDeque;
use std::ops::Range;

use airtcp_packet::{Kind, PacketId, Pool, Segment};
use airtcp_probe::{EventSource, PoolCx, Probe};
use airtcp_queueing::{Qdisc, Queue, Verdict};
use airtcp_units::{Nanos, Narrow};
use airtcp_wifi::cell::{self, Delivery, Offered};
use airtcp_wifi::mac::Category;
use airtcp_wifi::node::NodeId;
use airtcp_wifi::scheme::ControlCategory;

use super::below::Below;
use super::queue::MachineId;

/// The queues of the stations of one cell.
pub(crate) struct StationQueues {
    /// Node of each station.
    pub(crate) nodes: Vec<u32>,
    /// Queue of each station and access category.
    pub(crate) queues: Vec<Queue>,
    /// By station, true if its aggregates are filled by receiver.
    pub(crate) by_receiver: Vec<bool>,
    /// Access categories per station.
    pub(crate) categories: usize,
    /// True if the access category of a real packet follows its DSCP.
    pub(crate) reads_dscp: bool,
    /// Packets that each queue's station holds below it.
    pub(crate) below: usize,
}

/// A hop through the air: from one station on a medium to another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AirHop {
    pub(crate) medium: u32,
    pub(crate) from: NodeId,
    pub(crate) to: NodeId,
}

/// Kind of event of a medium.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AirEvent {
    /// Transmissions end.
    Ends,
    /// Timers of stations expire.
    Timers,
    /// Transmissions start.
    Starts,
}

/// A medium, the queues of its stations, and its three entries in the event queue.
pub(crate) struct Medium {
    pub(crate) cell: cell::Medium,
    /// Queue of each station and access category.
    queues: Vec<Queue>,
    /// Waiting packets of each queue with their arrival times; empty if packets do not expire.
    waiting: Vec<VecDeque<(PacketId, Nanos)>>,
    /// Packets between the queues and the stations.
    below: Below,
    /// Packets that have left their queue and did not fit into an aggregate, with the number of the queue.
    set_aside: Vec<(usize, Offered)>,
    /// By queue, true if aggregates take the packets for their receiver, also those behind packets for others.
    by_receiver: Vec<bool>,
    /// Stations with a queue that holds packets back, and the time of its release.
    held: Vec<(NodeId, Nanos)>,
    /// True if a queue asks for the airtime of exchanges.
    shares_airtime: bool,
    /// By queue, true if MPDUs to send again wait for the turn of their receiver.
    orders_repeats: Vec<bool>,
    /// First queue of each station, then the number of queues.
    station_queues: Vec<usize>,
    /// First station of each cell, then the number of stations.
    cells: Vec<usize>,
    /// By station, true if the access category of a real packet follows its DSCP.
    reads_dscp: Vec<bool>,
    /// Node of each station.
    pub(crate) nodes: Vec<u32>,
    /// Number of its first queue among all queues of the run.
    pub(crate) first_queue: u32,
    /// Number of the medium.
    pub(crate) number: u32,
    pub(crate) ends: MachineId,
    pub(crate) timers: MachineId,
    pub(crate) starts: MachineId,
}

impl Medium {
    /// Adds the queues and nodes of the cells to a medium.
    pub(crate) fn new(
        number: u32,
        cell: cell::Medium,
        station_queues: Vec<StationQueues>,
        first_queue: u32,
        [ends, timers, starts]: [MachineId; 3],
    ) -> Self {
        let mut medium = Self {
            cell,
            queues: Vec::new(),
            waiting: Vec::new(),
            below: Below::default(),
            set_aside: Vec::new(),
            by_receiver: Vec::new(),
            held: Vec::new(),
            shares_airtime: false,
            orders_repeats: Vec::new(),
            station_queues: vec![0],
            cells: vec![0],
            reads_dscp: Vec::new(),
            nodes: Vec::new(),
            first_queue,
            number,
            ends,
            timers,
            starts,
        };
        for own in station_queues {
            let StationQueues { nodes, queues, by_receiver, categories, reads_dscp, below } = own;
            let each = by_receiver.into_iter().flat_map(|own| (0..categories).map(move |_| own));
            let named = each.zip(&queues).map(|(own, queue)| own && queue.names_receivers());
            medium.by_receiver.extend(named);
            medium.below.extend(queues.len(), below);
            let end = medium.queues.len() + queues.len();
            medium
                .station_queues
                .extend((medium.queues.len()..end).step_by(categories).map(|q| q + categories));
            medium.queues.extend(queues);
            medium.nodes.extend(nodes);
            medium.reads_dscp.resize(medium.nodes.len(), reads_dscp);
            medium.cells.push(medium.nodes.len());
        }
        medium.waiting.resize_with(medium.queues.len(), VecDeque::new);
        medium.shares_airtime = medium.queues.iter().any(Queue::wants_airtime);
        if medium.shares_airtime {
            medium.cell.measure_airtime();
        }
        medium.order_repeats();
        medium
    }

    /// Replaces all queues.
    #[cfg(test)]
    pub(crate) fn replace_queues(&mut self, queue: &dyn Fn() -> Queue) {
        self.queues.fill_with(queue);
    }

    /// The stations of a cell, by its number on the medium.
    pub(crate) fn stations(&self, cell: usize) -> impl Iterator<Item = NodeId> + use<> {
        (self.cells[cell]..self.cells[cell + 1]).map(|i| NodeId(u32::narrow(i)))
    }

    /// The access point of a cell, by its number on the medium, and one past its last station.
    pub(crate) fn station_range(&self, cell: usize) -> Range<NodeId> {
        self.station(cell, 0)..self.station(cell + 1, 0)
    }

    /// A station of a cell, by its number there.
    pub(crate) fn station(&self, cell: usize, number: usize) -> NodeId {
        NodeId(u32::narrow(self.cells[cell] + number))
    }

    /// A station's queues, by access category.
    pub(crate) fn queues(&self, station: NodeId) -> &[Queue] {
        &self.queues[self.places(station)]
    }

    /// Number of queues of the medium.
    pub(crate) const fn queue_count(&self) -> usize {
        self.queues.len()
    }

    /// Number of a queue in the run.
    pub(crate) fn queue_number(&self, station: NodeId, category: usize) -> u32 {
        self.first_queue + u32::narrow(self.place(station, category))
    }

    /// The node of the queue with this number, if the queue is on this medium.
    pub(crate) fn node_of_queue(&self, number: u32) -> Option<u32> {
        let place = number.checked_sub(self.first_queue)? as usize;
        let station = self.station_queues.windows(2).position(|f| (f[0]..f[1]).contains(&place))?;
        self.nodes.get(station).copied()
    }

    fn place(&self, station: NodeId, category: usize) -> usize {
        self.station_queues[station.index()] + category
    }

    fn places(&self, station: NodeId) -> Range<usize> {
        self.station_queues[station.index()]..self.station_queues[station.index() + 1]
    }

    /// True if the access category of a real packet at a station follows its DSCP.
    pub(crate) fn reads_dscp(&self, station: NodeId) -> bool {
        self.reads_dscp[station.index()]
    }

    /// Access category of a packet at a station. `own` and `of_data` are the categories of its flow
    /// in its direction and in the other one.
    pub(crate) fn category(
        &self,
        station: NodeId,
        segment: &Segment,
        [own, of_data]: [Category; 2],
    ) -> usize {
        let own = own as usize;
        if segment.len > 0 || segment.kind == Kind::Udp {
            return own;
        }
        match self.cell.control_category(station) {
            ControlCategory::Own => own,
            ControlCategory::OfData => of_data as usize,
            ControlCategory::Fixed(category) => usize::from(category),
        }
    }

    /// Enqueues a packet at a station, in the queue of a category (one for all under DCF). False if nothing has
    /// changed for the station, since its queue has dropped the packet.
    pub(crate) fn enqueue<P: Probe>(
        &mut self,
        now: Nanos,
        station: NodeId,
        category: usize,
        packet: PacketId,
        probe: &mut P,
        pool: &mut Pool,
    ) -> bool {
        let category = if self.places(station).len() == 1 { 0 } else { category };
        let mut cx =
            PoolCx::new(probe, pool, EventSource::Queue(self.queue_number(station, category)));
        let place = self.place(station, category);
        let queue = &mut self.queues[place];
        let verdict = queue.enqueue(now, packet, &mut cx);
        // Other disciplines may change with each packet offered. Runs with a probe take the long way, so that
        // tests can compare.
        if !P::ON
            && verdict != Verdict::Queued
            && matches!(queue, Queue::DropTail(_) | Queue::PerStation(_))
            && !self.cell.has_ready()
            && self.held.is_empty()
            && !self.shares_airtime
        {
            let waits = queue.backlog().packets > 0;
            debug_assert!(!waits || !self.cell.is_ready(station, category), "a packet waits");
            return false;
        }
        if verdict == Verdict::Queued && self.cell.has_lifetime(station, category) {
            let waiting = &mut self.waiting[place];
            waiting.push_back((packet, now));
            let queued = self.queues[place].backlog().packets as usize;
            forget_dropped(waiting, queued, cx.pool);
        }
        self.refill(now, place, probe, pool);
        // The packet waits until its station is ready for the category. Those of other categories have waited before.
        P::ON
            || self.cell.is_ready(station, category)
            || self.cell.has_ready()
            || !self.held.is_empty()
            || self.shares_airtime
    }

    /// Takes packets out of a queue while its station has places below it.
    #[inline]
    fn refill<P: Probe>(&mut self, now: Nanos, place: usize, probe: &mut P, pool: &mut Pool) {
        while self.below.has_place(place)
            && let Some((packet, entered)) = self.dequeue(now, place, probe, pool)
        {
            self.below.push(place, packet, entered);
        }
    }

    /// The first packet of a queue, and when it entered.
    #[inline]
    fn dequeue<P: Probe>(
        &mut self,
        now: Nanos,
        place: usize,
        probe: &mut P,
        pool: &mut Pool,
    ) -> Option<(PacketId, Nanos)> {
        let source = EventSource::Queue(self.first_queue + u32::narrow(place));
        let packet = self.queues[place].dequeue(now, &mut PoolCx::new(probe, pool, source))?;
        Some((packet, left(&mut self.waiting[place], packet).unwrap_or(now)))
    }

    /// Gives a station its next packets while it is ready; `to` is the receiving station of a packet.
    pub(crate) fn feed<P: Probe>(
        &mut self,
        now: Nanos,
        station: NodeId,
        to: impl Fn(&Pool, PacketId) -> NodeId,
        probe: &mut P,
        pool: &mut Pool,
    ) {
        if !self.held.is_empty() {
            self.held.retain(|(holding, _)| *holding != station);
        }
        if self.shares_airtime {
            self.report_airtime();
        }
        for category in 0..self.places(station).len() {
            let place = self.place(station, category);
            while self.cell.is_ready(station, category) {
                let next = self.next_packet(now, (station, category), &to, probe, pool);
                let Some(offered) = next else { break };
                let mut cx = PoolCx::new(probe, pool, EventSource::Medium(self.number));
                self.cell.offer(now, station, offered, &mut cx);
            }
            let until = self.queues[place].next_timer();
            if until != Nanos::NEVER && self.cell.is_ready(station, category) {
                self.held.push((station, until));
            }
        }
    }

    /// The next packet of a category of a station: the one set aside, or the first of the queue. `None` also if it is the
    /// turn of MPDUs to send again, which then are at the head.
    #[inline]
    fn next_packet<P: Probe>(
        &mut self,
        now: Nanos,
        (station, category): (NodeId, usize),
        to: &impl Fn(&Pool, PacketId) -> NodeId,
        probe: &mut P,
        pool: &mut Pool,
    ) -> Option<Offered> {
        let place = self.place(station, category);
        if !self.set_aside.is_empty()
            && let Some(aside) = self.set_aside.iter().position(|(queue, _)| *queue == place)
        {
            return Some(self.set_aside.remove(aside).1);
        }
        let next = if self.below.has_places(place) {
            self.refill(now, place, probe, pool);
            let next = self.below.pop(place);
            self.refill(now, place, probe, pool);
            next
        } else if self.orders_repeats[place] {
            self.dequeue_in_turn(now, (station, category), probe, pool)
        } else {
            self.dequeue(now, place, probe, pool)
        };
        let (packet, entered) = next?;
        Some(Offered { packet, to: to(pool, packet), category, entered })
    }

    /// Takes a packet out of a station's queues that is not to be sent.
    pub(crate) fn take_queued<P: Probe>(
        &mut self,
        now: Nanos,
        station: NodeId,
        probe: &mut P,
        pool: &mut Pool,
    ) -> Option<PacketId> {
        let places = self.places(station);
        if let Some(own) = self.set_aside.iter().position(|(queue, _)| places.contains(queue)) {
            return Some(self.set_aside.remove(own).1.packet);
        }
        places.into_iter().find_map(|place| {
            let next = self.below.pop(place).or_else(|| self.dequeue(now, place, probe, pool));
            Some(next?.0)
        })
    }

    /// A station whose queue has reached its release time.
    pub(crate) fn take_released(&mut self, now: Nanos) -> Option<NodeId> {
        let place = self.held.iter().position(|(_, until)| *until <= now)?;
        Some(self.held.swap_remove(place).0)
    }

    /// Time of the next timer of a station or of a queue's release.
    pub(crate) fn next_timer(&mut self) -> Nanos {
        let released = self.held.iter().map(|(_, until)| *until).min();
        self.cell.next_timer().min(released.unwrap_or(Nanos::NEVER))
    }

    /// Ends transmissions.
    pub(crate) fn on_ends<P: Probe>(&mut self, now: Nanos, probe: &mut P, pool: &mut Pool) {
        let mut cx = PoolCx::new(probe, pool, EventSource::Medium(self.number));
        self.cell.on_ends(now, &mut cx);
    }

    /// Handles the timers of stations.
    pub(crate) fn on_timers<P: Probe>(&mut self, now: Nanos, probe: &mut P, pool: &mut Pool) {
        // The timer may be the release of a queue.
        if self.held.is_empty() || self.cell.next_timer() <= now {
            let mut cx = PoolCx::new(probe, pool, EventSource::Medium(self.number));
            self.cell.on_timers(now, &mut cx);
        }
    }

    /// Starts transmissions.
    pub(crate) fn on_starts<P: Probe>(&mut self, now: Nanos, probe: &mut P, pool: &mut Pool) {
        let mut cx = PoolCx::new(probe, pool, EventSource::Medium(self.number));
        self.cell.on_starts(now, &mut cx);
    }

    /// The next delivered packet.
    pub(crate) fn poll(&mut self) -> Option<Delivery> {
        self.cell.poll()
    }

    /// Packets in queues, set aside, and in stations.
    pub(crate) fn in_flight(&self) -> u64 {
        let waiting: u64 = self.queues.iter().map(|q| u64::from(q.backlog().packets)).sum();
        let aside = self.set_aside.len() as u64;
        waiting + self.below.len() + aside + self.cell.in_flight()
    }

    /// Packets dropped by queues and by stations.
    pub(crate) fn dropped(&self) -> u64 {
        let queues: u64 = self.queues.iter().map(|q| q.stats().dropped()).sum();
        let stats = (0..self.cell.len()).map(|i| self.cell.stats(NodeId(u32::narrow(i))));
        let stations = stats.map(|stats| stats.dropped + stats.refused + stats.all().expired_lost);
        let early = (0..self.cell.len())
            .filter_map(|i| self.cell.link_red_counts(NodeId(u32::narrow(i))))
            .map(|counts| counts.dropped);
        queues + stations.sum::<u64>() + early.sum::<u64>()
    }
}

/// Forgets packets that a queue dropped after enqueueing them, once they are most of `waiting`.
fn forget_dropped(waiting: &mut VecDeque<(PacketId, Nanos)>, queued: usize, pool: &Pool) {
    if waiting.len() > 2 * queued + 16 {
        waiting.retain(|(packet, _)| pool.contains(*packet));
    }
}

/// Arrival time of a packet that leaves its queue. It is the first in `waiting`, unless the discipline
/// reorders.
fn left(waiting: &mut VecDeque<(PacketId, Nanos)>, packet: PacketId) -> Option<Nanos> {
    let place = waiting.iter().position(|(id, _)| *id == packet)?;
    waiting.remove(place).map(|(_, entered)| entered)
}

#[cfg(test)]
mod tests {
    use airtcp_packet::{EndpointId, Packet, Segment, Side};

    use super::*;

    /// Packets that a queue dropped after enqueueing them do not accumulate, and waiting packets are kept.
    #[test]
    fn packets_dropped_from_within_a_queue_are_forgotten() {
        let mut pool = Pool::new();
        let mut waiting = VecDeque::new();
        let to = EndpointId::new(0, Side::Server);
        let mut kept = Vec::new();
        for i in 0..1000 {
            let packet = pool.insert(Packet { to, segment: Segment::default() });
            waiting.push_back((packet, Nanos(i)));
            if i % 100 == 0 {
                kept.push((packet, i));
            } else {
                pool.remove(packet);
            }
            forget_dropped(&mut waiting, kept.len(), &pool);
            assert!(waiting.len() <= 2 * kept.len() + 16);
        }
        for (packet, at) in kept {
            assert_eq!(left(&mut waiting, packet), Some(Nanos(at)));
        }
    }
}

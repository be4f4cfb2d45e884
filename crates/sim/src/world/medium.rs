//! A medium in the world: its cell or cells, and the queues in front of their stations.

use std::collections::VecDeque;
use std::ops::Range;

use airtcp_packet::{Kind, PacketId, Pool, Segment};
use airtcp_probe::{PoolCx, Probe, Who};
use airtcp_queueing::{Qdisc, Queue, Verdict};
use airtcp_units::{Nanos, Narrow};
use airtcp_wifi::cell::{self, Delivery, Offered};
use airtcp_wifi::mac::{Category, NodeId};
use airtcp_wifi::scheme::ControlCategory;

use super::queue::MachineId;

/// What stands in front of the stations of one cell.
pub(crate) struct StationQueues {
    /// By station, its node.
    pub(crate) nodes: Vec<u32>,
    /// By station and access category, the queue behind the category's head.
    pub(crate) queues: Vec<Queue>,
    /// Access categories a station has.
    pub(crate) categories: usize,
}

/// A hop through the air: from one station on a medium to another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AirHop {
    pub(crate) medium: u32,
    pub(crate) from: NodeId,
    pub(crate) to: NodeId,
}

/// A medium, the queues of its stations, and its three places in the event queue.
pub(crate) struct Medium {
    pub(crate) cell: cell::Medium,
    /// By station and access category, the queue behind the category's head.
    queues: Vec<Queue>,
    /// By queue, what waits there since when; empty where packets do not expire.
    waiting: Vec<VecDeque<(PacketId, Nanos)>>,
    /// Stations one of whose queues holds packets back, and until when it does.
    held: Vec<(NodeId, Nanos)>,
    /// By station, its first queue; and how many there are.
    station_queues: Vec<usize>,
    /// By cell, its first station; and how many there are.
    cells: Vec<usize>,
    /// By station, its node.
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
    /// Puts queues and nodes of the cells, in their order, before a medium.
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
            held: Vec::new(),
            station_queues: vec![0],
            cells: vec![0],
            nodes: Vec::new(),
            first_queue,
            number,
            ends,
            timers,
            starts,
        };
        for StationQueues { nodes, queues, categories } in station_queues {
            let end = medium.queues.len() + queues.len();
            medium
                .station_queues
                .extend((medium.queues.len()..end).step_by(categories).map(|q| q + categories));
            medium.queues.extend(queues);
            medium.nodes.extend(nodes);
            medium.cells.push(medium.nodes.len());
        }
        medium.waiting.resize_with(medium.queues.len(), VecDeque::new);
        medium
    }

    /// Puts other queues in place of those there are.
    #[cfg(test)]
    pub(crate) fn replace_queues(&mut self, queue: &dyn Fn() -> Queue) {
        self.queues.fill_with(queue);
    }

    /// The stations of a cell, by its number on the medium.
    pub(crate) fn stations(&self, cell: usize) -> impl Iterator<Item = NodeId> + use<> {
        (self.cells[cell]..self.cells[cell + 1]).map(|i| NodeId(u32::narrow(i)))
    }

    /// A station of a cell, by its number there.
    pub(crate) fn station(&self, cell: usize, number: usize) -> NodeId {
        NodeId(u32::narrow(self.cells[cell] + number))
    }

    /// A station's queues, by access category.
    pub(crate) fn queues(&self, station: NodeId) -> &[Queue] {
        &self.queues[self.places(station)]
    }

    /// How many queues the medium has.
    pub(crate) const fn queue_count(&self) -> usize {
        self.queues.len()
    }

    /// Number of a queue in the run.
    pub(crate) fn queue_number(&self, station: NodeId, category: usize) -> u32 {
        self.first_queue + u32::narrow(self.place(station, category))
    }

    /// The node whose station has the queue of this number, if that is on this medium.
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

    /// Takes a packet into a station's queue of a category (under DCF there is one for all).
    pub(crate) fn enqueue<P: Probe>(
        &mut self,
        now: Nanos,
        station: NodeId,
        category: usize,
        packet: PacketId,
        probe: &mut P,
        pool: &mut Pool,
    ) {
        let category = if self.places(station).len() == 1 { 0 } else { category };
        let mut cx = PoolCx::new(probe, pool, Who::Queue(self.queue_number(station, category)));
        let place = self.place(station, category);
        let verdict = self.queues[place].enqueue(now, packet, &mut cx);
        if verdict == Verdict::Queued && self.cell.has_lifetime(station, category) {
            let waiting = &mut self.waiting[place];
            waiting.push_back((packet, now));
            let queued = self.queues[place].backlog().packets as usize;
            forget_dropped(waiting, queued, cx.pool);
        }
    }

    /// Gives a station its next packets while it is ready; `to` says whom a packet is for.
    pub(crate) fn feed<P: Probe>(
        &mut self,
        now: Nanos,
        station: NodeId,
        to: impl Fn(&Pool, PacketId) -> NodeId,
        probe: &mut P,
        pool: &mut Pool,
    ) {
        self.held.retain(|(holding, _)| *holding != station);
        for category in 0..self.places(station).len() {
            let place = self.place(station, category);
            while self.cell.is_ready(station, category) {
                let mut cx =
                    PoolCx::new(probe, pool, Who::Queue(self.queue_number(station, category)));
                let Some(packet) = self.queues[place].dequeue(now, &mut cx) else { break };
                let to = to(cx.pool, packet);
                cx.who = Who::Air(self.number);
                let entered = left(&mut self.waiting[place], packet).unwrap_or(now);
                let offered = Offered { packet, to, category, entered };
                self.cell.offer(now, station, offered, &mut cx);
            }
            let until = self.queues[place].next_timer();
            if until != Nanos::NEVER && self.cell.is_ready(station, category) {
                self.held.push((station, until));
            }
        }
    }

    /// Takes a packet out of a station's queues that is not to be sent.
    pub(crate) fn take_queued<P: Probe>(
        &mut self,
        now: Nanos,
        station: NodeId,
        probe: &mut P,
        pool: &mut Pool,
    ) -> Option<PacketId> {
        self.places(station).find_map(|place| {
            let who = Who::Queue(self.first_queue + u32::narrow(place));
            let packet = self.queues[place].dequeue(now, &mut PoolCx::new(probe, pool, who))?;
            left(&mut self.waiting[place], packet);
            Some(packet)
        })
    }

    /// A station whose queue holds packets back no longer.
    pub(crate) fn take_released(&mut self, now: Nanos) -> Option<NodeId> {
        let place = self.held.iter().position(|(_, until)| *until <= now)?;
        Some(self.held.swap_remove(place).0)
    }

    /// When stations next decide, or a queue stops holding packets back.
    pub(crate) fn next_timer(&mut self) -> Nanos {
        let released = self.held.iter().map(|(_, until)| *until).min();
        self.cell.next_timer().min(released.unwrap_or(Nanos::NEVER))
    }

    /// Transmissions end.
    pub(crate) fn on_ends<P: Probe>(&mut self, now: Nanos, probe: &mut P, pool: &mut Pool) {
        let mut cx = PoolCx::new(probe, pool, Who::Air(self.number));
        self.cell.on_ends(now, &mut cx);
    }

    /// Stations decide.
    pub(crate) fn on_timers<P: Probe>(&mut self, now: Nanos, probe: &mut P, pool: &mut Pool) {
        if self.cell.next_timer() <= now {
            let mut cx = PoolCx::new(probe, pool, Who::Air(self.number));
            self.cell.on_timers(now, &mut cx);
        }
    }

    /// Transmissions start.
    pub(crate) fn on_starts<P: Probe>(&mut self, now: Nanos, probe: &mut P, pool: &mut Pool) {
        let mut cx = PoolCx::new(probe, pool, Who::Air(self.number));
        self.cell.on_starts(now, &mut cx);
    }

    /// The next packet that has come through.
    pub(crate) fn poll(&mut self) -> Option<Delivery> {
        self.cell.poll()
    }

    /// Packets waiting, or at the head of a station.
    pub(crate) fn in_flight(&self) -> u64 {
        let waiting: u64 = self.queues.iter().map(|q| u64::from(q.backlog().packets)).sum();
        waiting + self.cell.in_flight()
    }

    /// Packets dropped by queues and given up by stations.
    pub(crate) fn dropped(&self) -> u64 {
        let queues: u64 = self.queues.iter().map(|q| q.stats().dropped()).sum();
        let stats = (0..self.cell.len()).map(|i| self.cell.stats(NodeId(u32::narrow(i))));
        let stations = stats.map(|stats| stats.dropped + stats.refused + stats.all().expired_lost);
        queues + stations.sum::<u64>()
    }
}

/// Forgets packets that a queue dropped though it had taken them, once these are most of what is noted.
fn forget_dropped(waiting: &mut VecDeque<(PacketId, Nanos)>, queued: usize, pool: &Pool) {
    if waiting.len() > 2 * queued + 16 {
        waiting.retain(|(packet, _)| pool.contains(*packet));
    }
}

/// When a packet that leaves its queue entered it. It is the first, unless the discipline has
/// another order.
fn left(waiting: &mut VecDeque<(PacketId, Nanos)>, packet: PacketId) -> Option<Nanos> {
    let place = waiting.iter().position(|(id, _)| *id == packet)?;
    waiting.remove(place).map(|(_, entered)| entered)
}

#[cfg(test)]
mod tests {
    use airtcp_packet::{EndpointId, Packet, Segment, Side};

    use super::*;

    /// A queue that drops what it had taken leaves nothing behind for good, and what waits is kept.
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

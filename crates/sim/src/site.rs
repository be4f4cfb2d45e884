//! A cell in the world: the medium, and the queues in front of its stations.

use airtcp_packet::{PacketId, Pool};
use airtcp_probe::{Cx, Probe, Who};
use airtcp_queueing::{Qdisc, Queue};
use airtcp_units::Nanos;
use airtcp_wifi::cell::{Cell, Delivery};
use airtcp_wifi::mac::NodeId;

use crate::queue::MachineId;

/// A cell, its stations' queues, and its three places in the event queue.
pub(crate) struct Site {
    pub(crate) cell: Cell,
    /// By station and access category, the queue behind the category's head.
    pub(crate) queues: Vec<Queue>,
    /// Access categories a station has.
    pub(crate) categories: usize,
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

impl Site {
    /// Number of a queue in the run.
    pub(crate) const fn queue_number(&self, station: NodeId, category: usize) -> u32 {
        self.first_queue + self.place(station, category) as u32
    }

    const fn place(&self, station: NodeId, category: usize) -> usize {
        station.index() * self.categories + category
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
        let category = if self.categories == 1 { 0 } else { category };
        let mut cx = Cx::new(probe, pool, Who::Queue(self.queue_number(station, category)));
        let place = self.place(station, category);
        self.queues[place].enqueue(now, packet, &mut cx);
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
        for category in 0..self.categories {
            let place = self.place(station, category);
            while self.cell.is_ready(station, category) {
                let mut cx = Cx::new(probe, pool, Who::Queue(self.queue_number(station, category)));
                let Some(packet) = self.queues[place].dequeue(now, &mut cx) else { break };
                let next = to(cx.pool, packet);
                cx.who = Who::Air(self.number);
                self.cell.offer(now, station, next, category, packet, &mut cx);
            }
        }
    }

    /// Transmissions end.
    pub(crate) fn on_ends<P: Probe>(&mut self, now: Nanos, probe: &mut P, pool: &mut Pool) {
        let mut cx = Cx::new(probe, pool, Who::Air(self.number));
        self.cell.on_ends(now, &mut cx);
    }

    /// Stations decide.
    pub(crate) fn on_timers<P: Probe>(&mut self, now: Nanos, probe: &mut P, pool: &mut Pool) {
        let mut cx = Cx::new(probe, pool, Who::Air(self.number));
        self.cell.on_timers(now, &mut cx);
    }

    /// Transmissions start.
    pub(crate) fn on_starts<P: Probe>(&mut self, now: Nanos, probe: &mut P, pool: &mut Pool) {
        let mut cx = Cx::new(probe, pool, Who::Air(self.number));
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
        let stations = (0..self.cell.len()).map(|i| self.cell.stats(NodeId(i as u32)).dropped);
        queues + stations.sum::<u64>()
    }
}

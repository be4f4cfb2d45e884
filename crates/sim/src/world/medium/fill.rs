//! Packets from a station's queue into the aggregate that begins at this instant.
//!
//! One by one, the world asks the cell for the room, the queue for a packet, and the cell to take it. If the aggregate
//! takes only packets of the queue, the cell keeps what stays the same between them ([`FillRun`]): no packet waits below
//! the queue or aside, so that the next packet is the next one of the queue, in the same order and at the same instant.
//!
//! [`FillRun`]: airtcp_wifi::cell::FillRun

use airtcp_packet::{PacketId, Pool};
use airtcp_probe::{EventSource, PoolCx, Probe};
use airtcp_queueing::{Backlog, Qdisc, Wanted};
use airtcp_units::{Nanos, Narrow};
use airtcp_wifi::cell::{Filling, Offered};
use airtcp_wifi::node::NodeId;

use super::{Medium, left};

impl Medium {
    /// The next packet for the receiver of an aggregate, whatever comes before it, if it fits: one that waits below the
    /// queue, or where nothing waits there one of the queue.
    fn next_packet_for<P: Probe>(
        &mut self,
        now: Nanos,
        filling: Filling,
        to: &impl Fn(&Pool, PacketId) -> NodeId,
        probe: &mut P,
        pool: &mut Pool,
    ) -> Option<Offered> {
        let Filling { station, category, to: receiver, .. } = filling;
        let place = self.place(station, category);
        let offered = |(packet, entered)| Offered { packet, to: receiver, category, entered };
        if self.below.has_places(place) {
            self.refill(now, place, probe, pool);
            let found = self.below.find(place, |packet| to(pool, packet) == receiver)?;
            let packet = self.below.get(place, found)?;
            if !self.cell.has_room(station, pool.get(packet).wire_len()) {
                return None;
            }
            return self.below.remove(place, found).map(offered);
        }
        let source = EventSource::Queue(self.first_queue + u32::narrow(place));
        let Self { cell, queues, .. } = self;
        let fits = |length: u32| cell.has_room(station, length);
        let wanted = Wanted { receiver: *self.nodes.get(receiver.index())?, fits: &fits };
        let packet = queues[place].dequeue_for(now, &wanted, &mut PoolCx::new(probe, pool, source));
        let packet = packet?;
        Some(offered((packet, left(&mut self.waiting[place], packet).unwrap_or(now))))
    }

    /// Plans the multi-user access of number `number` of this instant, if it is one: names the stations with packets
    /// in the queue.
    fn plan<P: Probe>(&mut self, now: Nanos, number: usize, probe: &mut P, pool: &mut Pool) {
        let Some((station, category)) = self.cell.planning(number) else { return };
        let place = self.place(station, category);
        let receivers = self.queues[place].waiting_receivers();
        let cell = self.cells.partition_point(|first| *first <= station.index()) - 1;
        let named = |to: &NodeId| self.nodes.get(to.index()).is_some_and(|n| receivers.contains(n));
        let queued: Vec<NodeId> = self.stations(cell).filter(named).collect();
        let mut cx = PoolCx::new(probe, pool, EventSource::Medium(self.number));
        self.cell.plan(now, station, &queued, &mut cx);
    }

    /// Tells a station the length of its queue, which its data frame reports.
    fn report_queue(&mut self, number: usize, pool: &Pool) {
        let Some((station, category)) = self.cell.reporting(number) else { return };
        let place = self.place(station, category);
        let Backlog { packets, bytes } = self.queues[place].backlog();
        let aside = self.set_aside.iter().filter(|(queue, _)| *queue == place);
        let length = |(_, offered): &(usize, Offered)| pool.get(offered.packet).wire_len();
        let queued = aside.map(length).fold((packets, bytes), |(packets, bytes), length| {
            (packets + 1, bytes + u64::from(length))
        });
        self.cell.set_queued(station, category, queued);
    }

    /// Fills aggregate number `number` of this instant with packets for its receiver from the queue of its category, as
    /// long as there is room. A discipline that does not name receivers gives them only as long as they follow one
    /// another. `to` is the receiving station of a packet.
    pub(crate) fn fill<P: Probe>(
        &mut self,
        now: Nanos,
        number: usize,
        to: impl Fn(&Pool, PacketId) -> NodeId,
        probe: &mut P,
        pool: &mut Pool,
    ) {
        if self.shares_airtime {
            self.report_airtime();
        }
        self.plan(now, number, probe, pool);
        // Runs with a probe take the long way, so that tests can compare.
        if P::ON || !self.fill_run(now, number, &to, probe, pool) {
            self.fill_one_by_one(now, number, &to, probe, pool);
        }
        self.report_queue(number, pool);
    }

    fn fill_one_by_one<P: Probe>(
        &mut self,
        now: Nanos,
        number: usize,
        to: &impl Fn(&Pool, PacketId) -> NodeId,
        probe: &mut P,
        pool: &mut Pool,
    ) {
        while let Some(Some(filling)) = self.cell.filling(number) {
            let Filling { station, category, multi_user, .. } = filling;
            let place = self.place(station, category);
            let next = if self.by_receiver[place] {
                self.next_packet_for(now, filling, to, probe, pool)
            } else {
                self.next_packet(now, (station, category), to, probe, pool)
            };
            let mut cx = PoolCx::new(probe, pool, EventSource::Medium(self.number));
            if let Some(offered) = next {
                if self.cell.fill(now, station, offered, &mut cx) {
                    continue;
                }
                self.set_aside.push((place, offered));
            }
            if !multi_user {
                break;
            }
            self.cell.close_filling(station);
        }
    }

    /// The same for an aggregate that takes only packets of the queue, in a row. False if it is another one.
    #[inline(never)]
    fn fill_run<P: Probe>(
        &mut self,
        now: Nanos,
        number: usize,
        to: &impl Fn(&Pool, PacketId) -> NodeId,
        probe: &mut P,
        pool: &mut Pool,
    ) -> bool {
        let Some(Some(filling)) = self.cell.filling(number) else { return false };
        let Filling { station, category, to: receiver, .. } = filling;
        let place = self.place(station, category);
        if !self.set_aside.is_empty() || self.below.has_places(place) {
            return false;
        }
        let Self { cell, queues, waiting, by_receiver, nodes, set_aside, .. } = self;
        let (queue, waiting) = (&mut queues[place], &mut waiting[place]);
        let Some(node) = nodes.get(receiver.index()).copied() else { return false };
        let source = EventSource::Queue(self.first_queue + u32::narrow(place));
        let Some(mut run) = cell.fill_run(now, filling) else { return false };
        while run.is_open() {
            let cx = &mut PoolCx::new(probe, pool, source);
            let packet = if by_receiver[place] {
                let fits = |length: u32| run.has_room(length);
                queue.dequeue_for(now, &Wanted { receiver: node, fits: &fits }, cx)
            } else {
                queue.dequeue(now, cx)
            };
            let Some(packet) = packet else { break };
            let next = if by_receiver[place] { receiver } else { to(pool, packet) };
            let entered = left(waiting, packet).unwrap_or(now);
            let offered = Offered { packet, to: next, category, entered };
            let mut cx = PoolCx::new(probe, pool, EventSource::Medium(self.number));
            if !run.add(offered, &mut cx) {
                set_aside.push((place, offered));
                break;
            }
        }
        true
    }
}

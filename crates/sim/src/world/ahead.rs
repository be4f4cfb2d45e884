//! Departures in closed form: the link is handed a packet when the packet is enqueued.
//!
//! A drop-tail queue keeps its order and drops only arrivals, and a link of constant rate transmits one packet after
//! the other. So nothing that happens after a packet is enqueued changes when its transmission starts, whether it is
//! lost, or when it arrives. The link computes all three at once, and the event queue has an entry for the
//! arrival only (and for the loss, which removes the packet when its transmission starts). The plain path, in
//! `interface.rs`, has a second entry, for the end of a transmission with more packets waiting.
//!
//! Every counter and the fingerprint stay equal to those of the plain path:
//!
//! - The departures from the queue are counted later, with their own times and in order: before the next packet is
//!   enqueued, at each event of the interface, and when the run stops, which is before anything reads the counters.
//! - A packet that leaves at the very instant at which another arrives has left before if the event of its departure
//!   comes before the running event in the order of that instant. [`EventQueue::comes_before`] finds that out without
//!   the entry. If not, it leaves directly after the arrival is enqueued, as in the plain path.
//! - A departure counts as one event, unless the plain path takes it with another event of the same instant: an
//!   arrival at the far end, a loss, or the arrival of the next packet at the queue.
//!
//! A probe sees departures and starts of transmissions at their times, so runs with a probe take the plain path.
//! `tests/ahead.rs` compares both on random links.
//!
//! [`EventQueue::comes_before`]: super::queue::EventQueue::comes_before

use airtcp_packet::{Packet, PacketId};
use airtcp_probe::{EventSource, PoolCx, Probe};
use airtcp_queueing::{Queue, Verdict};
use airtcp_units::Span;

use super::World;
use super::interface::Interface;
use super::queue::MachineId;

impl Interface {
    /// Chooses between this path and the plain one, before the run.
    pub(super) fn choose_path<P: Probe>(&mut self) {
        let drop_tail = matches!(self.queue, Queue::DropTail(_));
        self.ahead = !P::ON && drop_tail && !self.is_device && self.link.is_predictable();
    }

    /// Takes another queue, before the run.
    #[cfg(test)]
    pub(super) fn replace_queue<P: Probe>(&mut self, queue: Queue) {
        self.queue = queue;
        self.choose_path::<P>();
    }
}

impl<P: Probe> World<P> {
    /// Offers a packet to the queue of an interface, and hands it to the link.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once a packet, by two callers")]
    pub(super) fn enqueue_ahead(&mut self, packet: PacketId, number: u32) {
        let now = self.now;
        let Interface { queue, link, timer, apart, .. } = &mut self.interfaces[number as usize];
        let Queue::DropTail(queue) = queue else { return };
        if queue.next_departure() <= now {
            self.events += queue.depart(now, false);
            if queue.next_departure() == now && self.queue.comes_before(*timer) {
                queue.depart(now, true);
                self.events += 1;
            }
        }
        let len = self.pool.wire_len(packet);
        let Packet { to, segment } = self.pool.get(packet);
        let what = (len, segment.len, *to);
        let mut cx = PoolCx::new(&mut self.probe, &mut self.pool, EventSource::Queue(number));
        let start = now.max(link.ready_at());
        let verdict = queue.enqueue_until(now, (packet, len), start, &mut cx);
        if queue.next_departure() <= now {
            queue.depart(now, true);
        }
        cx.source = EventSource::Link(number);
        if verdict == Verdict::Queued {
            link.handle_ahead(now, packet, what);
        }
        link.lose(now, &mut cx);
        match apart {
            Some(place) => self.queue.set_apart(*place, link.next_ahead()),
            None => self.queue.set(*timer, link.next_ahead()),
        }
    }

    /// Keeps the interfaces apart in the event queue, if they are few. After all of them are added.
    pub(crate) fn keep_links_apart(&mut self) {
        let ahead = || self.interfaces.iter().filter(|interface| interface.ahead);
        let timers: Vec<(MachineId, u32)> =
            ahead().map(|interface| (interface.timer, interface.number)).collect();
        let places = self.queue.keep_apart(&timers);
        let ahead = self.interfaces.iter_mut().filter(|interface| interface.ahead);
        for (interface, place) in ahead.zip(places) {
            interface.apart = Some(place);
        }
    }

    /// The event of an interface, and the next ones if they come before the events of all other machines: packets arrive
    /// at the far end of its link, or are lost.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once an event, by two callers")]
    pub(super) fn on_ahead(&mut self, number: u32) {
        loop {
            let now = self.now;
            let mut interface = &mut self.interfaces[number as usize];
            let node = interface.to_node;
            if let Queue::DropTail(queue) = &mut interface.queue
                && queue.next_departure() <= now
            {
                self.events += queue.depart(now, true);
            }
            let source = EventSource::Link(number);
            interface.link.lose(now, &mut PoolCx::new(&mut self.probe, &mut self.pool, source));
            while let Some(packet) = interface.link.take_ahead(now, &self.pool) {
                self.arrive(packet, node, number);
                interface = &mut self.interfaces[number as usize];
            }
            if let Some(place) = interface.apart {
                self.queue.set_apart(place, interface.link.next_ahead());
                return;
            }
            if self.pool.has_completed() {
                self.hear_completions();
            }
            let Interface { link, timer, .. } = &self.interfaces[number as usize];
            let (timer, next) = (*timer, link.next_ahead());
            if next > self.until || !self.queue.runs_on(timer, next) {
                self.queue.set(timer, next);
                return;
            }
            self.now = next;
            self.events += 1;
        }
    }

    /// The run stops at the end of `now`: counts the departures until then.
    pub(super) fn depart_ahead(&mut self) {
        for interface in &mut self.interfaces {
            if let Queue::DropTail(queue) = &mut interface.queue {
                self.events += queue.depart(self.now + Span(1), false);
            }
        }
    }
}

//! A network interface: a queue discipline and the one-way link behind it.

use airtcp_link::{Link, LinkStats};
use airtcp_packet::{Completed, PacketId, Pool};
use airtcp_probe::{EventSource, PoolCx, Probe};
use airtcp_queueing::{Qdisc, Queue, Verdict};
use airtcp_units::Nanos;

use super::queue::{MachineId, Place};

/// Queue and link of one direction. The link takes a packet only when its transmitter is free;
/// until then packets wait in the queue.
pub(crate) struct Interface {
    pub(crate) queue: Queue,
    pub(crate) link: Link,
    pub(crate) to_node: u32,
    pub(crate) number: u32,
    /// The interface that carries the reports of the link's protocol, if any.
    pub(crate) reverse: Option<u32>,
    /// Its entry in the event queue.
    pub(crate) timer: MachineId,
    /// Its place apart from the entries of the event queue, if it has one.
    pub(super) apart: Option<Place>,
    /// True if packets are handed to the link when they are enqueued (`ahead.rs`).
    pub(super) ahead: bool,
    /// True if it is the device of the hosts whose packets begin here (`small_queues.rs`).
    pub(crate) is_device: bool,
    /// The packet that it transmits, if the packet's sender is to hear of the end.
    sending: Option<Completed>,
}

impl Interface {
    pub(crate) fn new(queue: Queue, link: Link, to_node: u32, number: u32) -> Self {
        let timer = MachineId(u32::MAX);
        Self {
            queue,
            link,
            to_node,
            number,
            reverse: None,
            timer,
            apart: None,
            ahead: false,
            is_device: false,
            sending: None,
        }
    }

    /// Enqueues a packet that the policer lets pass, and feeds the link if it is free. False if the next timer does not change.
    #[inline]
    pub(crate) fn enqueue<P: Probe>(
        &mut self,
        now: Nanos,
        packet: PacketId,
        probe: &mut P,
        pool: &mut Pool,
    ) -> bool {
        let mut cx = PoolCx::new(probe, pool, EventSource::Link(self.number));
        if !self.link.admits(now, packet, &mut cx) {
            return false;
        }
        cx.source = EventSource::Queue(self.number);
        let verdict = self.queue.enqueue(now, packet, &mut cx);
        if self.link.is_ready(now) {
            self.feed(now, probe, pool);
            return true;
        }
        let waited = self.link.is_waited_for();
        if verdict == Verdict::Queued {
            self.link.set_waiting(true);
        }
        // A custom queue may have its own timers.
        !waited || self.link.needs_service() || matches!(self.queue, Queue::Dyn(_))
    }

    /// Passes packets from the queue to the link while the link is free. If a sender is to hear of the end of the last
    /// transmission, the timer comes then, also with nothing more waiting.
    pub(crate) fn feed<P: Probe>(&mut self, now: Nanos, probe: &mut P, pool: &mut Pool) {
        while self.link.is_ready(now) {
            if let Some(completed) = self.sending.take() {
                pool.complete(completed);
            }
            let mut cx = PoolCx::new(probe, pool, EventSource::Queue(self.number));
            let Some(packet) = self.queue.dequeue(now, &mut cx) else { break };
            cx.source = EventSource::Link(self.number);
            if self.is_device {
                self.sending = cx.pool.take_held(packet);
            }
            self.link.handle(now, packet, &mut cx);
        }
        // If the link is still free, the discipline holds its packets back until its timer.
        let waits = self.queue.backlog().packets > 0 || self.sending.is_some();
        let waiting = waits && !self.link.is_ready(now);
        self.link.set_waiting(waiting);
    }

    /// Handles a timer: the transmitter may be free, packets may have arrived, or the discipline may release one.
    #[inline]
    pub(crate) fn on_timer<P: Probe>(&mut self, now: Nanos, probe: &mut P, pool: &mut Pool) {
        if self.link.needs_service() {
            self.link.on_timer(now);
        }
        let due = if self.link.is_waited_for() {
            self.link.is_ready(now)
        } else {
            self.queue.next_timer() <= now
        };
        if due {
            self.feed(now, probe, pool);
        }
    }

    /// The next packet that has reached the far end.
    #[inline]
    pub(crate) fn poll<P: Probe>(
        &mut self,
        now: Nanos,
        probe: &mut P,
        pool: &mut Pool,
    ) -> Option<PacketId> {
        self.link.poll(now, &mut PoolCx::new(probe, pool, EventSource::Link(self.number)))
    }

    /// Time of the next arrival, of the end of a transmission with more packets waiting, or of the
    /// discipline's timer, which has no effect while the link transmits.
    #[inline]
    pub(crate) fn next_timer(&self) -> Nanos {
        let link = self.link.next_timer();
        if self.link.is_waited_for() { link } else { link.min(self.queue.next_timer()) }
    }

    /// Packets waiting or in the air.
    pub(crate) fn in_flight(&self) -> u64 {
        // The link counts packets that it was handed ahead.
        let waiting = if self.ahead { 0 } else { u64::from(self.queue.backlog().packets) };
        waiting + self.link.in_flight() as u64
    }

    /// Counters of the link since the start.
    pub(crate) fn link_stats(&self) -> LinkStats {
        let mut stats = self.link.stats().clone();
        if self.ahead {
            let waiting = self.queue.backlog();
            stats.sent -= u64::from(waiting.packets);
            stats.sent_bytes -= waiting.bytes;
        }
        stats
    }
}

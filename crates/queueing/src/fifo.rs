//! First-in first-out queue with its counters and events, shared by the disciplines.
//!
//! Sizes in packets and in bytes on the wire, times in nanoseconds.

use airtcp_packet::{Ecn, PacketId};
use airtcp_probe::{DropReason, Event, PoolCx, Probe};
use airtcp_units::{Delays, Nanos, Span};

use crate::arrivals::Arrivals;
use crate::{LinkInfo, Wanted};

/// Result of offering a packet to a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The packet waits in the queue.
    Queued,
    /// The queue dropped the packet: it removed the packet from the pool and recorded the drop.
    Dropped(DropReason),
}

/// Current length of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Backlog {
    /// Packets waiting.
    pub packets: u32,
    /// Bytes on the wire waiting.
    pub bytes: u64,
}

/// Counters of a queue since the start.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stats {
    /// Packets enqueued.
    pub enqueued: u64,
    /// Bytes enqueued.
    pub enqueued_bytes: u64,
    /// Packets dequeued.
    pub dequeued: u64,
    /// Bytes dequeued.
    pub dequeued_bytes: u64,
    /// Packets dropped because the queue was full.
    pub dropped_full: u64,
    /// Packets dropped early by active queue management.
    pub dropped_early: u64,
    /// Acknowledgements dropped because a newer one of their flow replaced them.
    pub dropped_filtered: u64,
    /// Bytes of all dropped packets.
    pub dropped_bytes: u64,
    /// Packets marked instead of dropped.
    pub marked: u64,
    /// Maximum queue length, in packets.
    pub peak_packets: u32,
    /// Maximum queue length, in bytes.
    pub peak_bytes: u64,
    /// Times in the queue of the dequeued packets.
    pub delays: Delays,
    /// Integral of the queue length over time up to the last change, in packet-nanoseconds.
    packet_ns: u128,
    last_change: Nanos,
}

impl Stats {
    /// Packets dropped, for any reason.
    pub const fn dropped(&self) -> u64 {
        self.dropped_full + self.dropped_early + self.dropped_filtered
    }

    /// Mean queue length in packets from the start until `now`; `backlog` is the current length.
    pub fn mean_packets(&self, now: Nanos, backlog: Backlog) -> f64 {
        if now == Nanos::ZERO {
            return 0.0;
        }
        self.packet_ns(now, backlog) as f64 / now.0 as f64
    }

    /// Integral of the queue length from the start until `now`, in packet-nanoseconds; `backlog` is
    /// the current length. The integral never decreases, and its differences are exact.
    pub fn packet_ns(&self, now: Nanos, backlog: Backlog) -> u128 {
        let tail = u128::from(now.since(self.last_change).0) * u128::from(backlog.packets);
        self.packet_ns + tail
    }
}

/// Backlog and counters, shared by all disciplines.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    packets: u32,
    bytes: u64,
    pub(crate) stats: Stats,
}

impl Ledger {
    pub(crate) const fn backlog(&self) -> Backlog {
        Backlog { packets: self.packets, bytes: self.bytes }
    }

    #[inline]
    fn account(&mut self, now: Nanos) {
        let span = now.since(self.stats.last_change);
        self.stats.packet_ns += u128::from(span.0) * u128::from(self.packets);
        self.stats.last_change = now;
    }

    /// Records that a packet of `len` bytes was enqueued.
    pub(crate) fn enter<P: Probe>(
        &mut self,
        now: Nanos,
        id: PacketId,
        len: u32,
        cx: &mut PoolCx<'_, P>,
    ) -> Verdict {
        self.arrive(now, len);
        let Backlog { packets, bytes } = self.backlog();
        cx.pool.set_queued(now, id);
        cx.record(now, || Event::Enqueued { packet: id, packets, bytes });
        Verdict::Queued
    }

    /// Counts a packet of `len` bytes that was enqueued.
    #[inline]
    pub(crate) fn arrive(&mut self, now: Nanos, len: u32) {
        self.account(now);
        self.packets += 1;
        self.bytes += u64::from(len);
        self.stats.enqueued += 1;
        self.stats.enqueued_bytes += u64::from(len);
        self.stats.peak_packets = self.stats.peak_packets.max(self.packets);
        self.stats.peak_bytes = self.stats.peak_bytes.max(self.bytes);
    }

    /// Counts a packet of `len` bytes that was enqueued and dequeued at the same instant.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once a packet, by one caller")]
    pub(crate) fn pass(&mut self, now: Nanos, len: u32) {
        self.account(now);
        let bytes = u64::from(len);
        self.stats.enqueued += 1;
        self.stats.enqueued_bytes += bytes;
        self.stats.dequeued += 1;
        self.stats.dequeued_bytes += bytes;
        self.stats.peak_packets = self.stats.peak_packets.max(self.packets + 1);
        self.stats.peak_bytes = self.stats.peak_bytes.max(self.bytes + bytes);
        self.stats.delays.add(Span::ZERO);
    }

    /// Counts a packet of `len` bytes that waited from `since` to `now` and was dequeued.
    #[inline]
    pub(crate) fn depart(&mut self, since: Nanos, now: Nanos, len: u32) {
        self.remove(now, len);
        self.stats.dequeued += 1;
        self.stats.dequeued_bytes += u64::from(len);
        self.stats.delays.add(now.since(since));
    }

    #[inline]
    fn remove(&mut self, now: Nanos, len: u32) {
        self.account(now);
        self.packets -= 1;
        self.bytes -= u64::from(len);
    }

    /// Records that a packet was dequeued for transmission.
    pub(crate) fn leave<P: Probe>(
        &mut self,
        now: Nanos,
        id: PacketId,
        len: u32,
        cx: &mut PoolCx<'_, P>,
    ) {
        self.depart(cx.pool.queued(id), now, len);
        let Backlog { packets, bytes } = self.backlog();
        cx.record(now, || Event::Dequeued { packet: id, packets, bytes });
    }

    /// Drops a waiting packet and removes it from the pool.
    pub(crate) fn discard<P: Probe>(
        &mut self,
        now: Nanos,
        id: PacketId,
        len: u32,
        reason: DropReason,
        cx: &mut PoolCx<'_, P>,
    ) {
        self.remove(now, len);
        self.refuse(now, id, reason, cx);
    }

    /// Drops an arriving packet and removes it from the pool.
    pub(crate) fn refuse<P: Probe>(
        &mut self,
        now: Nanos,
        id: PacketId,
        reason: DropReason,
        cx: &mut PoolCx<'_, P>,
    ) -> Verdict {
        let packet = cx.discard(now, id, reason, 0);
        self.stats.dropped_bytes += u64::from(packet.wire_len());
        match reason {
            DropReason::QueueFull => self.stats.dropped_full += 1,
            DropReason::AckFiltered => self.stats.dropped_filtered += 1,
            _ => self.stats.dropped_early += 1,
        }
        Verdict::Dropped(reason)
    }

    /// Marks a packet if it is ECN-capable. Returns false if it is not.
    pub(crate) fn mark<P: Probe>(
        &mut self,
        now: Nanos,
        id: PacketId,
        cx: &mut PoolCx<'_, P>,
    ) -> bool {
        let segment = &mut cx.pool.get_mut(id).segment;
        if !segment.ecn.is_capable() {
            return false;
        }
        segment.ecn = Ecn::Ce;
        self.stats.marked += 1;
        cx.record(now, || Event::Marked { packet: id });
        true
    }
}

/// A first-in first-out queue with its counters.
#[derive(Debug, Default)]
pub(crate) struct Fifo {
    line: Arrivals<(PacketId, u32)>,
    pub(crate) ledger: Ledger,
}

impl Fifo {
    pub(crate) const fn backlog(&self) -> Backlog {
        self.ledger.backlog()
    }

    /// Enqueues a packet of `len` bytes.
    pub(crate) fn push<P: Probe>(
        &mut self,
        now: Nanos,
        id: PacketId,
        len: u32,
        cx: &mut PoolCx<'_, P>,
    ) -> Verdict {
        self.line.push_back((id, len), || cx.pool.get(id).to.index());
        self.ledger.enter(now, id, len, cx)
    }

    /// Length of the first packet, if one waits.
    pub(crate) fn first_len(&self) -> Option<u32> {
        self.line.get(0).map(|(_, len)| *len)
    }

    /// Dequeues the first packet. Returns the packet and its length in bytes.
    pub(crate) fn pop<P: Probe>(
        &mut self,
        now: Nanos,
        cx: &mut PoolCx<'_, P>,
    ) -> Option<(PacketId, u32)> {
        let (id, len) = self.line.pop_front()?;
        self.ledger.leave(now, id, len, cx);
        Some((id, len))
    }

    /// Takes the receivers of the packets, if the owner names them.
    pub(crate) fn on_link(&mut self, link: &LinkInfo<'_>) {
        self.line.on_link(link);
    }

    /// Dequeues the first packet for a receiver, if it fits.
    pub(crate) fn pop_for<P: Probe>(
        &mut self,
        now: Nanos,
        wanted: &Wanted<'_>,
        cx: &mut PoolCx<'_, P>,
    ) -> Option<(PacketId, u32)> {
        let place = self.line.find(wanted.receiver)?;
        self.line.get(place).filter(|(_, len)| (wanted.fits)(*len))?;
        let (id, len) = self.line.remove(place)?;
        self.ledger.leave(now, id, len, cx);
        Some((id, len))
    }

    /// Drops a packet that waits, if it does; the search starts with the last one.
    pub(crate) fn discard<P: Probe>(
        &mut self,
        now: Nanos,
        id: PacketId,
        reason: DropReason,
        cx: &mut PoolCx<'_, P>,
    ) {
        let place = self.line.rfind(|(waits, _)| *waits == id);
        if let Some((_, len)) = place.and_then(|place| self.line.remove(place)) {
            self.ledger.discard(now, id, len, reason, cx);
        }
    }

    /// Drops an arriving packet and removes it from the pool.
    pub(crate) fn refuse<P: Probe>(
        &mut self,
        now: Nanos,
        id: PacketId,
        reason: DropReason,
        cx: &mut PoolCx<'_, P>,
    ) -> Verdict {
        self.ledger.refuse(now, id, reason, cx)
    }
}

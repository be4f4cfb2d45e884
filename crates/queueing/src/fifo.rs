//! What every first-in first-out discipline shares: the line itself, its counters, its events.
//!
//! Sizes in packets and in bytes on the wire, times in nanoseconds.

use std::collections::VecDeque;

use airtcp_packet::{Ecn, PacketId};
use airtcp_probe::{DropReason, Event, PoolCx, Probe};
use airtcp_units::Nanos;

/// What became of a packet offered to a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It waits in the queue.
    Queued,
    /// It is gone: the queue took it out of the pool and recorded the drop.
    Dropped(DropReason),
}

/// What waits in a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Backlog {
    /// Number of packets.
    pub packets: u32,
    /// Their bytes on the wire.
    pub bytes: u64,
}

/// Counters of a queue since the start.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stats {
    /// Packets put into the queue.
    pub enqueued: u64,
    /// Their bytes.
    pub enqueued_bytes: u64,
    /// Packets taken out at the head.
    pub dequeued: u64,
    /// Their bytes.
    pub dequeued_bytes: u64,
    /// Packets dropped because the queue was full.
    pub dropped_full: u64,
    /// Packets dropped early by an active discipline.
    pub dropped_early: u64,
    /// Bytes of all dropped packets.
    pub dropped_bytes: u64,
    /// Packets marked instead of dropped.
    pub marked: u64,
    /// Longest the queue ever was, in packets.
    pub peak_packets: u32,
    /// Most bytes that ever waited.
    pub peak_bytes: u64,
    /// Integral of the length over time, up to the last change: packets times nanoseconds.
    packet_ns: u128,
    last_change: Nanos,
}

impl Stats {
    /// Packets dropped, for any reason.
    pub const fn dropped(&self) -> u64 {
        self.dropped_full + self.dropped_early
    }

    /// Mean number of waiting packets over the time until `now`; `backlog` is the present one.
    pub fn mean_packets(&self, now: Nanos, backlog: Backlog) -> f64 {
        if now == Nanos::ZERO {
            return 0.0;
        }
        self.packet_ns(now, backlog) as f64 / now.0 as f64
    }

    /// Integral of the length over the time until `now`, in packets times nanoseconds; `backlog` is
    /// the present one. It never falls, and differences of it are exact.
    pub fn packet_ns(&self, now: Nanos, backlog: Backlog) -> u128 {
        let tail = u128::from(now.since(self.last_change).0) * u128::from(backlog.packets);
        self.packet_ns + tail
    }
}

/// What waits and what became of it: every discipline's book-keeping, whatever its order.
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

    fn account(&mut self, now: Nanos) {
        let span = now.since(self.stats.last_change);
        self.stats.packet_ns += u128::from(span.0) * u128::from(self.packets);
        self.stats.last_change = now;
    }

    /// A packet of `len` bytes was put into the queue.
    pub(crate) fn enter<P: Probe>(
        &mut self,
        now: Nanos,
        id: PacketId,
        len: u32,
        cx: &mut PoolCx<'_, P>,
    ) -> Verdict {
        self.account(now);
        self.packets += 1;
        self.bytes += u64::from(len);
        let Backlog { packets, bytes } = self.backlog();
        self.stats.enqueued += 1;
        self.stats.enqueued_bytes += u64::from(len);
        self.stats.peak_packets = self.stats.peak_packets.max(packets);
        self.stats.peak_bytes = self.stats.peak_bytes.max(bytes);
        cx.record(now, || Event::Enqueued { packet: id, packets, bytes });
        Verdict::Queued
    }

    fn remove(&mut self, now: Nanos, len: u32) {
        self.account(now);
        self.packets -= 1;
        self.bytes -= u64::from(len);
    }

    /// A packet that waited was taken out to be sent.
    pub(crate) fn leave<P: Probe>(
        &mut self,
        now: Nanos,
        id: PacketId,
        len: u32,
        cx: &mut PoolCx<'_, P>,
    ) {
        self.remove(now, len);
        self.stats.dequeued += 1;
        self.stats.dequeued_bytes += u64::from(len);
        let Backlog { packets, bytes } = self.backlog();
        cx.record(now, || Event::Dequeued { packet: id, packets, bytes });
    }

    /// Drops a packet that waited: it leaves the pool here.
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

    /// Drops a packet that was offered: it leaves the pool here.
    pub(crate) fn refuse<P: Probe>(
        &mut self,
        now: Nanos,
        id: PacketId,
        reason: DropReason,
        cx: &mut PoolCx<'_, P>,
    ) -> Verdict {
        let packet = cx.discard(now, id, reason, 0);
        self.stats.dropped_bytes += u64::from(packet.wire_len());
        if reason == DropReason::QueueFull {
            self.stats.dropped_full += 1;
        } else {
            self.stats.dropped_early += 1;
        }
        Verdict::Dropped(reason)
    }

    /// Marks a packet if it is ECN-capable; false if it is not.
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

/// A line of packets with its counters.
#[derive(Debug, Default)]
pub(crate) struct Fifo {
    line: VecDeque<(PacketId, u32)>,
    pub(crate) ledger: Ledger,
}

impl Fifo {
    pub(crate) const fn backlog(&self) -> Backlog {
        self.ledger.backlog()
    }

    /// Puts a packet of `len` bytes at the end.
    pub(crate) fn push<P: Probe>(
        &mut self,
        now: Nanos,
        id: PacketId,
        len: u32,
        cx: &mut PoolCx<'_, P>,
    ) -> Verdict {
        self.line.push_back((id, len));
        self.ledger.enter(now, id, len, cx)
    }

    /// Takes the first packet; returns it with its length in bytes.
    pub(crate) fn pop<P: Probe>(
        &mut self,
        now: Nanos,
        cx: &mut PoolCx<'_, P>,
    ) -> Option<(PacketId, u32)> {
        let (id, len) = self.line.pop_front()?;
        self.ledger.leave(now, id, len, cx);
        Some((id, len))
    }

    /// Drops a packet that was offered: it leaves the pool here.
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

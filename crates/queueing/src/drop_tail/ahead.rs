//! Packets whose departure is known when they arrive.
//!
//! A drop-tail queue never changes its order, and drops only arrivals. If the owner knows when each packet leaves, no
//! event is needed for the departures: the owner takes them later, before the next arrival and before it reads the
//! counters. Each departure is counted with its own time, in order, so the counters are those of a queue that
//! the owner dequeues in time. An owner uses either these methods or those of [`Qdisc`](crate::Qdisc).

use airtcp_packet::PacketId;
use airtcp_probe::{DropReason, PoolCx, Probe};
use airtcp_units::Nanos;

use super::{DropTail, Waiting};
use crate::Verdict;

impl DropTail {
    /// Offers a packet of `len` bytes that leaves at `until` if it is enqueued at `now`, not before the previous packet.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once a packet, by one caller")]
    pub fn enqueue_until<P: Probe>(
        &mut self,
        now: Nanos,
        (id, len): (PacketId, u32),
        until: Nanos,
        cx: &mut PoolCx<'_, P>,
    ) -> Verdict {
        if !self.has_room(len) {
            return self.fifo.refuse(now, id, DropReason::QueueFull, cx);
        }
        if until <= now {
            self.fifo.ledger.pass(now, len);
        } else {
            self.fifo.ledger.arrive(now, len);
            self.ahead.push_back(Waiting { since: now, until, len });
            self.next_departure = self.next_departure.min(until);
        }
        Verdict::Queued
    }

    /// When the first packet leaves that has not left yet; [`Nanos::NEVER`] if none waits.
    #[inline]
    pub const fn next_departure(&self) -> Nanos {
        self.next_departure
    }

    /// Takes the departures before `now`, and at `now` if `included`. Returns the number of different instants
    /// before `now` among them.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once a packet, and the call costs a fifth of it")]
    pub fn depart(&mut self, now: Nanos, included: bool) -> u64 {
        let (mut instants, mut last) = (0, now);
        while (self.next_departure < now || (self.next_departure == now && included))
            && let Some(Waiting { since, until, len }) = self.ahead.pop_front()
        {
            self.next_departure = self.ahead.front().map_or(Nanos::NEVER, |first| first.until);
            self.fifo.ledger.depart(since, until, len);
            instants += u64::from(until != last && until != now);
            last = until;
        }
        instants
    }
}

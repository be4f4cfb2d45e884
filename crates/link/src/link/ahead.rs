//! Packets handed over before their transmission starts.
//!
//! If transmissions start in the order of the packets and last a time that only the packets decide, the start, the
//! loss and the arrival of a packet are known as soon as its predecessor is handed over. No event is then needed for
//! the start. Only a loss needs an event at that time: the packet leaves the pool when its transmission starts.

use airtcp_packet::{EndpointId, PacketId, Pool};
use airtcp_probe::{DropReason, PoolCx, Probe};
use airtcp_units::Nanos;

use super::wire::Transmitter;
use super::{InFlight, Link, LossAhead};
use crate::Loss;

impl Link {
    /// True if [`handle_ahead`](Self::handle_ahead) may be used: the link only carries packets, at a constant rate or
    /// in slots, each once and in order, of any length.
    #[inline]
    pub const fn is_predictable(&self) -> bool {
        self.is_regular && !self.needs_service
    }

    /// What [`is_predictable`](Self::is_predictable) asks of the configuration.
    pub(super) fn is_regular(&self) -> bool {
        // A loss model from outside this crate may depend on when it is asked.
        !matches!(self.wire.transmitter, Transmitter::Varying(_))
            && !matches!(self.wire.loss, Loss::Dyn(_))
            && self.mtu == u32::MAX
            && self.policer.is_none()
            && self.super_segments.is_none()
            && self.jitter.is_none()
            && self.delays.is_none()
            && self.reordering.is_none()
            && self.duplication.is_none()
    }

    /// Accepts a packet at `now`, also while the transmitter is busy. Its transmission starts at
    /// [`ready_at`](Self::ready_at), or at `now` if that is later, and counts at once. `what` are its length on the wire,
    /// its payload and its destination. Records no events.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once a packet, by one caller")]
    pub fn handle_ahead(&mut self, now: Nanos, id: PacketId, what: (u32, u16, EndpointId)) {
        let (start, ordinal, _) = self.wire.occupy(now, what.0);
        self.stats.sent += 1;
        self.stats.sent_bytes += u64::from(what.0);
        if self.wire.loses(start, ordinal, what) {
            self.losses_ahead.push_back(LossAhead { start, id });
            self.next_loss = self.next_loss.min(start);
            return;
        }
        // As `arrival` without jitter, reordering and changes of the delay.
        let at = self.last_in_order.max(self.wire.ready_at + self.wire.delay);
        self.last_in_order = at;
        if self.in_flight.is_empty() {
            self.next_arrival = at;
        }
        self.in_flight.push_back(InFlight { at, ordinal, id });
    }

    /// The next packet that has arrived at `now`, if any: [`poll`](Self::poll) for packets that arrive in order.
    #[inline]
    pub fn take_ahead(&mut self, now: Nanos, pool: &Pool) -> Option<PacketId> {
        if self.next_arrival > now {
            return None;
        }
        let InFlight { ordinal, id, .. } = self.in_flight.pop_front()?;
        self.next_arrival = self.in_flight.front().map_or(Nanos::NEVER, |p| p.at);
        self.highest_delivered = Some(ordinal);
        self.stats.delivered += 1;
        self.stats.delivered_bytes += u64::from(pool.wire_len(id));
        Some(id)
    }

    /// Drops the packets whose transmission was lost and has started.
    #[inline]
    pub fn lose<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) {
        if self.next_loss <= now {
            self.lose_due(now, cx);
        }
    }

    fn lose_due<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) {
        while self.next_loss <= now
            && let Some(LossAhead { start, id }) = self.losses_ahead.pop_front()
        {
            self.next_loss = self.losses_ahead.front().map_or(Nanos::NEVER, |next| next.start);
            self.stats.lost += 1;
            cx.discard(start, id, DropReason::Loss, 0);
        }
    }

    /// Time of the next arrival or loss of packets that were handed over ahead.
    #[inline]
    pub fn next_ahead(&self) -> Nanos {
        self.next_arrival.min(self.next_loss)
    }
}

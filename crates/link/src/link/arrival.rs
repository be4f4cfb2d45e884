//! Arrival times at the far end: jitter, reordering, changes of the delay and in-order delivery.

use airtcp_packet::Packet;
use airtcp_units::{Nanos, detmath};

use super::{InFlight, Link};
use crate::Distribution;

impl Link {
    /// Arrival time of a packet that leaves the transmitter at `out`.
    #[inline]
    pub(super) fn arrival(&mut self, out: Nanos, ordinal: u64) -> Nanos {
        if self.jitter.is_some() || self.reordering.is_some() || self.delays.is_some() {
            return self.irregular_arrival(out, ordinal);
        }
        self.last_in_order = self.last_in_order.max(out + self.wire.delay);
        self.last_in_order
    }

    /// [`arrival`](Self::arrival) on a link with jitter, reordering or a changing delay. A packet on a shorter route
    /// overtakes those that left before the change.
    pub(super) fn irregular_arrival(&mut self, out: Nanos, ordinal: u64) -> Nanos {
        let delay = self.delays.as_ref().and_then(|all| all.at(out)).copied();
        let mut at = out + delay.unwrap_or(self.wire.delay);
        let mut keeps_order = delay.is_none();
        if let Some((jitter, draws)) = &self.jitter {
            let u = draws.unit(ordinal);
            let factor = match jitter.distribution {
                Distribution::Uniform => 2.0 * u,
                Distribution::Exponential => -detmath::ln(1.0 - u),
            };
            at += jitter.mean.mul_f64(factor);
            keeps_order &= jitter.keep_order;
        }
        if let Some((held, draws)) = &self.reordering {
            let by_count = held.every.is_some_and(|n| (ordinal + 1).is_multiple_of(n));
            if by_count || draws.unit(2 * ordinal) < held.probability.get() {
                let room = held.extra_max.unwrap_or(held.extra) - held.extra;
                // A packet held back neither waits for the previous packet nor delays the next one.
                return at + held.extra + room.mul_f64(draws.unit(2 * ordinal + 1));
            }
        }
        if keeps_order {
            at = at.max(self.last_in_order);
            self.last_in_order = at;
        }
        at
    }

    /// Schedules the corruption notice of a lost packet. A lost packet neither waits for the
    /// previous packet nor delays the next one.
    pub(super) fn notify_loss(&mut self, packet: Packet, started: Nanos, ordinal: u64) {
        let last = self.last_in_order;
        let out = self.arrival(self.wire.ready_at, ordinal);
        self.last_in_order = last;
        if let Some(notices) = &mut self.notices {
            notices.on_lost(&packet, started, out);
        }
    }

    #[inline]
    pub(super) fn launch(&mut self, packet: InFlight) {
        self.next_arrival = self.next_arrival.min(packet.at);
        if self.in_flight.back().is_none_or(|last| last.at <= packet.at) {
            self.in_flight.push_back(packet);
        } else {
            let place = self.in_flight.partition_point(|p| p.at <= packet.at);
            self.in_flight.insert(place, packet);
        }
    }
}

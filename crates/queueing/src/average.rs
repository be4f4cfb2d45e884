//! The average length of a queue: exponentially weighted over arrivals, decaying while the link is idle.
//!
//! S. Floyd and V. Jacobson, "Random Early Detection Gateways for Congestion Avoidance", IEEE/ACM
//! Transactions on Networking 1(4), 1993, section 4, as ns-2 computes it. For every arrival, with `q`
//! packets already waiting:
//!
//! ```text
//! avg = (1 - w)^m avg                m = whole packets that the link could have sent while it was idle
//! avg = (1 - w) avg + w q            also if q = 0
//! ```
//!
//! The link is idle when it has nothing to send: a packet in transmission has left the queue, and an
//! arrival that finds the queue empty behind it has m = 0. The 1993 paper's figure 2 leaves out the
//! second line if the queue is empty. Lengths in packets, or in whatever unit `q` is given.

use airtcp_units::{Bytes, Nanos, Narrow, Span, detmath};

use crate::Behind;

/// The average length of a queue.
#[derive(Debug, Clone)]
pub(crate) struct Average {
    weight: f64,
    value: f64,
    /// From when the link is idle, as far as is known: [`Nanos::NEVER`] if it still transmits and will
    /// ask for the next packet; `None` while something waits.
    idle_from: Option<Nanos>,
    /// How long the link takes for a typical packet; zero if the average does not decay.
    packet_time: Span,
    /// How long the link takes for a packet of no length, and of the typical one.
    service: [Span; 2],
    /// The typical packet.
    mean_packet: Bytes,
    /// The link asks for a packet when it becomes idle.
    asks: bool,
}

impl Average {
    /// Of an empty queue, with weight `w` of the present length. Without `packet_time` it follows from
    /// the link ([`Average::on_link`]).
    pub(crate) fn new(weight: f64, mean_packet: Bytes, packet_time: Option<Span>) -> Self {
        let packet_time = packet_time.unwrap_or(Span::ZERO);
        Self {
            weight,
            value: 0.0,
            idle_from: Some(Nanos::ZERO),
            packet_time,
            service: [Span::ZERO; 2],
            mean_packet,
            asks: false,
        }
    }

    /// The average.
    pub(crate) const fn get(&self) -> f64 {
        self.value
    }

    /// A packet arrives and finds `length` waiting.
    #[inline]
    pub(crate) fn arrival(&mut self, now: Nanos, length: f64) {
        if let Some(since) = self.idle_from.take() {
            // Nothing decays to nothing: the queue of acknowledgements is mostly so.
            if self.value > 0.0 && self.packet_time > Span::ZERO && since < now {
                let m = now.since(since).0 / self.packet_time.0;
                self.value *= detmath::pow(1.0 - self.weight, m as f64);
            }
        }
        self.value += self.weight * (length - self.value);
    }

    /// The last packet, of `len` bytes, left for the link.
    pub(crate) fn emptied(&mut self, now: Nanos, len: u32) {
        self.idle_from = Some(if self.asks { Nanos::NEVER } else { now + self.time_of(len) });
    }

    /// The link asked for a packet and got none.
    pub(crate) fn asked(&mut self, now: Nanos) {
        if let Some(from) = &mut self.idle_from {
            *from = now.min(*from);
        }
    }

    /// What the link behind the queue is like; `given` if the scenario says how long a typical packet takes, or
    /// that the average does not decay.
    pub(crate) fn on_link(&mut self, link: &Behind<'_>, given: bool) {
        self.service = [Bytes(0), self.mean_packet].map(|bytes| (link.time_for)(bytes));
        self.asks = link.asks;
        if !given {
            self.packet_time = self.service[1];
        }
    }

    /// How long the link takes for a packet of `len` bytes.
    fn time_of(&self, len: u32) -> Span {
        let [none, mean] = self.service;
        let slope = u128::from(mean.0.saturating_sub(none.0)) * u128::from(len);
        Span(none.0 + u64::narrow(slope / u128::from(self.mean_packet.0)))
    }

    /// What a typical packet takes on the link behind the queue.
    #[cfg(test)]
    pub(crate) const fn packet_time(&self) -> Span {
        self.packet_time
    }

    /// Holds the average at a value.
    #[cfg(test)]
    pub(crate) const fn set(&mut self, value: f64) {
        self.value = value;
    }
}

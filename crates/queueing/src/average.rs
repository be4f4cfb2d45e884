//! Average queue length: exponentially weighted over arrivals, with decay while the link is idle.
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

use crate::LinkInfo;
use crate::fifo::Backlog;

/// Average queue length.
#[derive(Debug, Clone)]
pub(crate) struct Average {
    weight: f64,
    value: f64,
    /// Start of the idle period, as far as known: [`Nanos::NEVER`] if the link still transmits and
    /// will poll the queue; `None` while packets wait.
    idle_from: Option<Nanos>,
    /// Transmission time of a typical packet; zero if the average does not decay.
    packet_time: Span,
    /// Transmission times of a packet of zero bytes and of the typical packet.
    service: [Span; 2],
    /// Size of the typical packet.
    mean_packet: Bytes,
    /// True if the link polls the queue when it becomes idle.
    polls_when_idle: bool,
}

impl Average {
    /// The average of an empty queue; `weight` is the weight of the current length. Without
    /// `packet_time`, the decay follows from the link ([`Average::on_link`]).
    pub(crate) fn new(weight: f64, mean_packet: Bytes, packet_time: Option<Span>) -> Self {
        let packet_time = packet_time.unwrap_or(Span::ZERO);
        Self {
            weight,
            value: 0.0,
            idle_from: Some(Nanos::ZERO),
            packet_time,
            service: [Span::ZERO; 2],
            mean_packet,
            polls_when_idle: false,
        }
    }

    /// The average.
    pub(crate) const fn get(&self) -> f64 {
        self.value
    }

    /// Handles an arrival that finds `length` waiting.
    #[inline]
    pub(crate) fn arrival(&mut self, now: Nanos, length: f64) {
        if let Some(since) = self.idle_from.take() {
            // Shortcut: an average of 0 stays 0, as in most queues of acknowledgements.
            if self.value > 0.0 && self.packet_time > Span::ZERO && since < now {
                let m = now.since(since).0 / self.packet_time.0;
                self.value *= detmath::pow(1.0 - self.weight, m as f64);
            }
        }
        self.value += self.weight * (length - self.value);
    }

    /// Handles the departure of a packet of `len` bytes, with which `backlog` is left.
    #[inline]
    pub(crate) fn left(&mut self, now: Nanos, len: u32, backlog: Backlog) {
        if backlog.packets == 0 {
            self.idle_from =
                Some(if self.polls_when_idle { Nanos::NEVER } else { now + self.time_of(len) });
        }
    }

    /// Handles a poll of the empty queue by the link.
    pub(crate) fn on_idle_poll(&mut self, now: Nanos) {
        if let Some(from) = &mut self.idle_from {
            *from = now.min(*from);
        }
    }

    /// Learns the transmission times of the link behind the queue. `given` is true if the scenario
    /// sets the time of a typical packet or disables the decay.
    pub(crate) fn on_link(&mut self, link: &LinkInfo<'_>, given: bool) {
        self.service = [Bytes(0), self.mean_packet].map(|bytes| (link.time_for)(bytes));
        self.polls_when_idle = link.polls_when_idle;
        if !given {
            self.packet_time = self.service[1];
        }
    }

    /// Transmission time of a packet of `len` bytes.
    fn time_of(&self, len: u32) -> Span {
        let [none, mean] = self.service;
        let slope = u128::from(mean.0.saturating_sub(none.0)) * u128::from(len);
        Span(none.0 + u64::narrow(slope / u128::from(self.mean_packet.0)))
    }

    /// Transmission time of a typical packet.
    #[cfg(test)]
    pub(crate) const fn packet_time(&self) -> Span {
        self.packet_time
    }

    /// Sets the average.
    #[cfg(test)]
    pub(crate) const fn set(&mut self, value: f64) {
        self.value = value;
    }
}

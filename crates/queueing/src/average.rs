//! The average length of a queue: exponentially weighted over arrivals, decaying while idle.
//!
//! S. Floyd and V. Jacobson, "Random Early Detection Gateways for Congestion Avoidance", IEEE/ACM
//! Transactions on Networking 1(4), 1993, section 4 and figure 2. For every arrival, with `q`
//! already waiting:
//!
//! ```text
//! avg = (1 - w) avg + w q            if q > 0
//! avg = (1 - w)^m avg                if q = 0; m = idle time / transmission time of a mean packet
//! ```
//!
//! Lengths in packets, or in whatever unit `q` is given.

use airtcp_units::{Nanos, Span, detmath};

/// The average length of a queue.
#[derive(Debug, Clone)]
pub(crate) struct Average {
    weight: f64,
    value: f64,
    /// When the queue became empty, or when an arrival last looked at the empty queue; `None`
    /// while something waits.
    idle_since: Option<Nanos>,
    /// How long the link takes for a typical packet; zero if it takes no time.
    packet_time: Span,
}

impl Average {
    /// Of an empty queue, with weight `w` of the present length.
    pub(crate) const fn new(weight: f64, packet_time: Span) -> Self {
        Self { weight, value: 0.0, idle_since: Some(Nanos::ZERO), packet_time }
    }

    /// The average.
    pub(crate) const fn get(&self) -> f64 {
        self.value
    }

    /// A packet arrives and finds `length` waiting.
    #[inline]
    pub(crate) fn arrival(&mut self, now: Nanos, length: f64) {
        match self.idle_since {
            None => self.value += self.weight * (length - self.value),
            Some(since) if self.packet_time > Span::ZERO => {
                // Nothing decays to nothing: the queue of acknowledgements is mostly so.
                if self.value > 0.0 {
                    // The 1993 paper's m: how many packets could have been sent while idle.
                    let m = now.since(since).as_secs_f64() / self.packet_time.as_secs_f64();
                    self.value *= detmath::pow(1.0 - self.weight, m);
                }
                // The next arrival, if the queue is still empty then, decays only what is new.
                self.idle_since = Some(now);
            }
            Some(_) => {}
        }
    }

    /// A packet was put into the queue.
    pub(crate) const fn filled(&mut self) {
        self.idle_since = None;
    }

    /// The last packet left.
    pub(crate) const fn emptied(&mut self, now: Nanos) {
        self.idle_since = Some(now);
    }

    /// What a typical packet takes on the link behind the queue.
    pub(crate) const fn set_packet_time(&mut self, span: Span) {
        self.packet_time = span;
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

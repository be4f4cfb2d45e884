//! PIE: drops arrivals with a probability that a controller derives from the queueing delay.
//!
//! R. Pan, P. Natarajan, F. Baker and G. White, RFC 8033, section 4. Every `update`, with `d` the delay of the
//! last packet that left (0 with an empty queue) and `d'` that of the update before:
//!
//! ```text
//! p += s(p) (alpha (d - target) + beta (d - d'))         alpha, beta in 1/s
//! s  = 1/2048, 1/512, 1/128, 1/32, 1/8, 1/2, 1           p below 1e-6, 1e-5, ... 0.1, from 0.1
//! p *= 0.98                                              if d = d' = 0
//! ```
//!
//! From p = 0.1, a step is at most 0.02 (5.5). An arrival is never dropped during a burst allowance
//! (`burst` after the start, and again once p = 0 and d, d' are below half the target), if d' is
//! below half the target and p is below 0.2, or if at most two mean packets wait. Any other arrival
//! is dropped with probability p. Let S be the sum of p over the arrivals since the last drop:
//! below S = 0.85 no packet is dropped, and from S = 8.5 the next one always is (5.4). With `ecn`,
//! an ECN-capable packet is marked instead while p is below `mark_p` (5.1).
//!
//! Delays are measured by timestamps (4.3), not by a departure rate. A call first makes the updates
//! that have become due since the previous call. Leaves out: switching PIE off below a third of the
//! limit (5.3, optional), and Linux's steps of 2 % beyond 250 ms.

use airtcp_packet::PacketId;
use airtcp_probe::{ConfigError, DropReason, PoolCx, Probe};
use airtcp_random::{Keyed, Seed};
use airtcp_units::{Bytes, Nanos, Probability, Span};

use crate::arrivals::Arrivals;
use crate::fifo::{Backlog, Ledger, Stats};
use crate::{Discipline, LinkInfo, Qdisc, Verdict, Wanted};

/// PIE queue.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PieConfig {
    /// Target queueing delay. Default: 15 ms.
    pub target: Span,
    /// Time between two updates of the probability. Default: 15 ms.
    pub update: Span,
    /// Gain for the distance from the target, in 1/s. Default: 0.125.
    pub alpha: f64,
    /// Gain for the change since the last update, in 1/s. Default: 1.25.
    pub beta: f64,
    /// Burst allowance: time after an uncongested period during which no packet is dropped.
    /// Default: 150 ms.
    pub burst: Span,
    /// Maximum queue length in packets. Default: 1000 (Linux).
    pub limit: u32,
    /// Size of a typical packet. No packet is dropped while at most twice this size waits. Default:
    /// 1024 B.
    pub mean_packet: Bytes,
    /// If true, mark ECN-capable packets instead of dropping them while the probability is below
    /// `mark_p`.
    pub ecn: bool,
    /// Drop probability up to which `ecn` marks. Default: 0.1.
    pub mark_p: Probability,
}

impl Default for PieConfig {
    fn default() -> Self {
        Self {
            target: Span::from_millis(15),
            update: Span::from_millis(15),
            alpha: 0.125,
            beta: 1.25,
            burst: Span::from_millis(150),
            limit: 1000,
            mean_packet: Bytes(1024),
            ecn: false,
            mark_p: Probability::clamped(0.1),
        }
    }
}

/// The controller.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Controller {
    p: f64,
    delay: Span,
    old_delay: Span,
    burst: Span,
}

impl Controller {
    /// Updates the probability.
    fn update(&mut self, c: &PieConfig) {
        let seconds = |span: Span| span.as_secs_f64();
        let error = seconds(self.delay) - seconds(c.target);
        let change = seconds(self.delay) - seconds(self.old_delay);
        let mut step = (c.alpha * error + c.beta * change) * scale(self.p);
        if self.p >= 0.1 {
            step = step.min(0.02);
        }
        self.p += step;
        if self.delay == Span::ZERO && self.old_delay == Span::ZERO {
            self.p *= 0.98;
        }
        self.p = self.p.clamp(0.0, 1.0);
        self.burst = Span(self.burst.0.saturating_sub(c.update.0));
        let half = Span(c.target.0 / 2);
        if self.p == 0.0 && self.delay < half && self.old_delay < half {
            self.burst = c.burst;
        }
        self.old_delay = self.delay;
    }
}

/// Scaling of a step at probability `p` (section 4.2).
fn scale(p: f64) -> f64 {
    let table =
        [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (0.01, 8.0), (0.1, 2.0)];
    table.iter().find(|(below, _)| p < *below).map_or(1.0, |(_, divisor)| 1.0 / divisor)
}

/// PIE queue.
#[derive(Debug)]
pub struct Pie {
    config: PieConfig,
    line: Arrivals<(PacketId, u32, Nanos)>,
    ledger: Ledger,
    controller: Controller,
    /// When the next update is due.
    next_update: Nanos,
    /// Sum of p over the arrivals since the last drop.
    summed: f64,
    draws: Keyed,
    /// Arrivals since the start; the count numbers the random draws.
    arrivals: u64,
}

impl Pie {
    /// The current drop probability.
    pub const fn probability(&self) -> f64 {
        self.controller.p
    }

    /// Makes the updates due by `now`.
    fn catch_up(&mut self, now: Nanos) {
        while self.next_update <= now {
            let before = self.controller;
            self.controller.update(&self.config);
            self.next_update += self.config.update;
            if before == self.controller {
                // The probability stays the same until a packet arrives or leaves.
                let due = now.since(self.next_update).0 / self.config.update.0;
                if self.next_update <= now {
                    self.next_update += Span((due + 1) * self.config.update.0);
                }
            }
        }
    }

    /// Records that a packet leaves.
    fn leave<P: Probe>(
        &mut self,
        now: Nanos,
        (id, len, since): (PacketId, u32, Nanos),
        cx: &mut PoolCx<'_, P>,
    ) -> PacketId {
        self.ledger.leave(now, id, len, cx);
        self.controller.delay = if self.line.is_empty() { Span::ZERO } else { now.since(since) };
        id
    }

    /// True if an arrival must be dropped or marked.
    fn is_unlucky(&mut self) -> bool {
        let arrival = self.arrivals;
        self.arrivals += 1;
        let Controller { p, old_delay, burst, .. } = self.controller;
        if burst > Span::ZERO {
            return false;
        }
        let few = self.ledger.backlog().bytes <= 2 * self.config.mean_packet.0;
        if few || (old_delay < Span(self.config.target.0 / 2) && p < 0.2) {
            return false;
        }
        self.summed = if p == 0.0 { 0.0 } else { self.summed + p };
        if self.summed < 0.85 {
            return false;
        }
        if self.summed < 8.5 && self.draws.unit(arrival) >= p {
            return false;
        }
        self.summed = 0.0;
        true
    }
}

impl Qdisc for Pie {
    #[inline]
    fn enqueue<P: Probe>(&mut self, now: Nanos, id: PacketId, cx: &mut PoolCx<'_, P>) -> Verdict {
        self.catch_up(now);
        if self.ledger.backlog().packets >= self.config.limit {
            self.summed = 0.0;
            return self.ledger.refuse(now, id, DropReason::QueueFull, cx);
        }
        if self.is_unlucky() {
            let marks = self.config.ecn && self.controller.p < self.config.mark_p.get();
            if !(marks && self.ledger.mark(now, id, cx)) {
                return self.ledger.refuse(now, id, DropReason::QueueEarly, cx);
            }
        }
        let len = cx.pool.wire_len(id);
        self.line.push_back((id, len, now), || cx.pool.get(id).to.index());
        self.ledger.enter(now, id, len, cx)
    }

    fn dequeue<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) -> Option<PacketId> {
        self.catch_up(now);
        let first = self.line.pop_front()?;
        Some(self.leave(now, first, cx))
    }

    fn dequeue_for<P: Probe>(
        &mut self,
        now: Nanos,
        wanted: &Wanted<'_>,
        cx: &mut PoolCx<'_, P>,
    ) -> Option<PacketId> {
        self.catch_up(now);
        let place = self.line.find(wanted.receiver)?;
        self.line.get(place).filter(|(_, len, _)| (wanted.fits)(*len))?;
        let first = self.line.remove(place)?;
        Some(self.leave(now, first, cx))
    }

    fn names_receivers(&self) -> bool {
        true
    }

    fn backlog(&self) -> Backlog {
        self.ledger.backlog()
    }

    fn stats(&self) -> &Stats {
        &self.ledger.stats
    }

    fn on_link(&mut self, link: &LinkInfo<'_>) {
        self.line.on_link(link);
    }
}

impl Discipline for Pie {
    type Config = PieConfig;

    fn build(config: &PieConfig, seed: Seed, label: &str) -> Result<Self, ConfigError> {
        let err = |key, message: String| Err(ConfigError::new(key, message));
        if config.limit == 0 {
            let message = "a queue of 0 packets passes nothing; expected 1 or more";
            return err("limit", message.to_owned());
        }
        for (key, value) in [("target", config.target), ("update", config.update)] {
            if value == Span::ZERO {
                return err(key, "is 0 s; expected values above 0 s (RFC 8033: 15 ms)".to_owned());
            }
        }
        for (key, value) in [("alpha", config.alpha), ("beta", config.beta)] {
            if !(value.is_finite() && value >= 0.0) {
                return err(key, format!("{value} is out of range: expected 0 or more, in 1/s"));
            }
        }
        Ok(Self {
            line: Arrivals::default(),
            ledger: Ledger::default(),
            controller: Controller {
                p: 0.0,
                delay: Span::ZERO,
                old_delay: Span::ZERO,
                burst: config.burst,
            },
            next_update: Nanos::ZERO + config.update,
            summed: 0.0,
            draws: seed.keyed(label),
            arrivals: 0,
            config: config.clone(),
        })
    }

    #[cfg(test)]
    fn samples() -> Vec<PieConfig> {
        let base = PieConfig {
            target: Span::from_micros(100),
            update: Span::from_millis(1),
            alpha: 20.0,
            beta: 200.0,
            burst: Span::from_millis(2),
            limit: 9,
            mean_packet: Bytes(100),
            ..PieConfig::default()
        };
        let always = Probability::ONE;
        vec![
            base.clone(),
            PieConfig { ecn: true, mark_p: always, ..base },
            PieConfig { limit: 30, ..PieConfig::default() },
        ]
    }

    #[cfg(test)]
    fn limit(config: &PieConfig) -> Backlog {
        Backlog { packets: config.limit, bytes: u64::MAX }
    }
}

#[cfg(test)]
mod tests;

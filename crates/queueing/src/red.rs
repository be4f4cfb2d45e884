//! Random early detection with ECN marking.
//!
//! S. Floyd and V. Jacobson, "Random Early Detection Gateways for Congestion Avoidance", IEEE/ACM
//! Transactions on Networking 1(4), 1993 (section 4 and figure 2); the gentle variant: S. Floyd,
//! "Recommendation on using the gentle_ variant of RED", 2000; marking: RFC 3168 section 7.
//!
//! For every arrival, with `q` the packets already waiting:
//!
//! ```text
//! avg = (1 - w) avg + w q            if q > 0
//! avg = (1 - w)^m avg                if q = 0; m = idle time / transmission time of a mean packet
//! p_b = 0                            avg < min
//!     = max_p (avg - min)/(max - min)            min <= avg < max
//!     = max_p + (1 - max_p)(avg - max)/max       max <= avg < 2 max, gentle only
//!     = 1                            above
//! p_a = p_b / (1 - count p_b)        count = packets let through since the last mark or drop
//! ```
//!
//! so that with a constant `p_b` the gap between marks is uniform on `1 ..= 1/p_b`. With `wait`
//! it is uniform on `1/p_b + 1 ..= 2/p_b`: no two marks come close together. In byte mode lengths
//! are counted in packets of mean size and `p_b` is scaled by the packet's size.
//!
//! Leaves out: adaptive `max_p`, dropping a random victim instead of the arrival.

use airtcp_packet::{Ecn, PacketId};
use airtcp_probe::{ConfigError, Cx, DropReason, Event, Probe};
use airtcp_random::{Keyed, Seed};
use airtcp_units::{Bytes, Nanos, Probability, Span};

use crate::average::Average;
use crate::fifo::{Backlog, Fifo, Stats};
use crate::{Discipline, Qdisc, Verdict};

/// What lengths and thresholds of a RED queue count.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum RedUnit {
    /// Packets of any size; small packets are as likely to be dropped as large ones.
    #[default]
    Packets,
    /// Bytes, in multiples of `mean_packet`; a packet's chance is proportional to its size.
    Bytes,
}

/// The table of a RED queue. The defaults are S0's: thresholds 25 and 90 in a queue of 100.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RedConfig {
    /// Average queue length below which nothing is dropped early, in packets.
    pub min: f64,
    /// Average queue length at which the probability reaches `max_p`, in packets.
    pub max: f64,
    /// Most packets that wait (in byte mode: this many packets of mean size).
    pub limit: u32,
    /// Weight of the present length in the average.
    pub weight: f64,
    /// Probability of a drop or mark at `max`.
    pub max_p: Probability,
    /// Let the probability rise from `max_p` to 1 between `max` and twice `max`, instead of
    /// dropping everything above `max`.
    pub gentle: bool,
    /// Mark ECN-capable packets instead of dropping them early.
    pub ecn: bool,
    /// Drop even ECN-capable packets when the probability is `mark_p` or more.
    pub use_mark_p: bool,
    /// See `use_mark_p`.
    pub mark_p: Probability,
    /// Keep at least `1/p` packets between two marks.
    pub wait: bool,
    /// What lengths and thresholds count.
    pub unit: RedUnit,
    /// Size of a typical packet: the unit of byte mode, and what an idle link could have sent.
    pub mean_packet: Bytes,
    /// How long the link takes for a typical packet, for the decay of the average while idle.
    /// Follows from the link's rate if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packet_time: Option<Span>,
}

impl Default for RedConfig {
    fn default() -> Self {
        Self {
            min: 25.0,
            max: 90.0,
            limit: 100,
            weight: 0.002,
            max_p: Probability::clamped(0.1),
            gentle: true,
            ecn: false,
            use_mark_p: true,
            mark_p: Probability::clamped(0.1),
            wait: false,
            unit: RedUnit::Packets,
            mean_packet: Bytes(1500),
            packet_time: None,
        }
    }
}

/// A RED queue.
#[derive(Debug)]
pub struct Red {
    config: RedConfig,
    fifo: Fifo,
    draws: Keyed,
    /// Packets ever offered: numbers the draws, so that a packet's luck does not depend on how
    /// many earlier ones needed a draw.
    arrivals: u64,
    avg: Average,
    /// Packets let through since the last mark or drop, while the average is above `min`.
    count: u64,
}

/// What RED decides about an arrival before looking at the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decision {
    Pass,
    Mark,
    Drop,
}

impl Red {
    /// The average queue length, in packets (of mean size in byte mode).
    pub const fn average(&self) -> f64 {
        self.avg.get()
    }

    /// The queue's length in the unit of the thresholds.
    fn length(&self) -> f64 {
        let Backlog { packets, bytes } = self.fifo.backlog();
        match self.config.unit {
            RedUnit::Packets => f64::from(packets),
            RedUnit::Bytes => bytes as f64 / self.config.mean_packet.0 as f64,
        }
    }

    /// `p_b` for the present average, or `None` where every packet is dropped.
    fn base_probability(&self) -> Option<f64> {
        let RedConfig { min, max, gentle, .. } = self.config;
        let (max_p, avg) = (self.config.max_p.get(), self.avg.get());
        if avg < min {
            Some(0.0)
        } else if avg < max {
            Some(max_p * (avg - min) / (max - min))
        } else if gentle && avg < 2.0 * max {
            Some(max_p + (1.0 - max_p) * (avg - max) / max)
        } else {
            None
        }
    }

    /// `p_a`: spreads marks evenly (section 7 of the 1993 paper, method 2).
    fn spread(&self, p: f64) -> f64 {
        let expected = self.count as f64 * p;
        if self.config.wait {
            if expected < 1.0 {
                0.0
            } else if expected < 2.0 {
                (p / (2.0 - expected)).min(1.0)
            } else {
                1.0
            }
        } else if expected < 1.0 {
            (p / (1.0 - expected)).min(1.0)
        } else {
            1.0
        }
    }

    #[inline]
    fn decide(&mut self, len: u32, ecn: Ecn) -> Decision {
        let arrival = self.arrivals;
        self.arrivals += 1;
        if self.avg.get() < self.config.min {
            self.count = 0;
            return Decision::Pass;
        }
        let Some(mut p) = self.base_probability() else {
            self.count = 0;
            return Decision::Drop;
        };
        let too_much = self.config.use_mark_p && p >= self.config.mark_p.get();
        if self.config.unit == RedUnit::Bytes {
            p = (p * f64::from(len) / self.config.mean_packet.0 as f64).min(1.0);
        }
        if self.draws.unit(arrival) >= self.spread(p) {
            self.count += 1;
            return Decision::Pass;
        }
        self.count = 0;
        // RFC 3168 section 7: mark where a drop would have signalled incipient congestion.
        if self.config.ecn && ecn.is_capable() && !too_much {
            Decision::Mark
        } else {
            Decision::Drop
        }
    }

    fn is_full(&self, len: u32) -> bool {
        let Backlog { packets, bytes } = self.fifo.backlog();
        match self.config.unit {
            RedUnit::Packets => packets >= self.config.limit,
            RedUnit::Bytes => {
                let room = u64::from(self.config.limit).saturating_mul(self.config.mean_packet.0);
                bytes + u64::from(len) > room
            }
        }
    }
}

impl Qdisc for Red {
    #[inline]
    fn enqueue<P: Probe>(&mut self, now: Nanos, id: PacketId, cx: &mut Cx<'_, P>) -> Verdict {
        let packet = cx.pool.get(id);
        let (len, ecn) = (packet.wire_len(), packet.segment.ecn);
        self.avg.arrival(now, self.length());
        let decision = self.decide(len, ecn);
        if decision == Decision::Drop {
            return self.fifo.refuse(now, id, DropReason::QueueEarly, cx);
        }
        if self.is_full(len) {
            // A drop tells the sender as much as a mark would have.
            self.count = 0;
            return self.fifo.refuse(now, id, DropReason::QueueFull, cx);
        }
        if decision == Decision::Mark {
            cx.pool.get_mut(id).segment.ecn = Ecn::Ce;
            self.fifo.stats.marked += 1;
            cx.record(now, || Event::Marked { packet: id });
        }
        self.avg.filled();
        self.fifo.push(now, id, len, cx)
    }

    fn dequeue<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>) -> Option<PacketId> {
        let id = self.fifo.pop(now, cx)?;
        if self.fifo.backlog().packets == 0 {
            self.avg.emptied(now);
        }
        Some(id)
    }

    fn backlog(&self) -> Backlog {
        self.fifo.backlog()
    }

    fn stats(&self) -> &Stats {
        &self.fifo.stats
    }

    fn on_link(&mut self, time_for: &dyn Fn(Bytes) -> Span) {
        if self.config.packet_time.is_none() {
            self.avg.set_packet_time(time_for(self.config.mean_packet));
        }
    }
}

impl Discipline for Red {
    type Config = RedConfig;

    fn build(config: &RedConfig, seed: Seed, label: &str) -> Result<Self, ConfigError> {
        check(config)?;
        Ok(Self {
            draws: seed.keyed(label),
            fifo: Fifo::default(),
            arrivals: 0,
            avg: Average::new(config.weight, config.packet_time.unwrap_or(Span::ZERO)),
            count: 0,
            config: config.clone(),
        })
    }

    #[cfg(test)]
    fn samples() -> Vec<RedConfig> {
        let base = RedConfig { min: 2.0, max: 6.0, limit: 9, weight: 0.2, ..RedConfig::default() };
        vec![
            RedConfig::default(),
            base.clone(),
            RedConfig { ecn: true, use_mark_p: false, wait: true, ..base.clone() },
            RedConfig { gentle: false, ecn: true, max_p: Probability::ONE, ..base.clone() },
            RedConfig { unit: RedUnit::Bytes, mean_packet: Bytes(600), ..base },
        ]
    }
}

/// Refuses what no queue can be.
fn check(c: &RedConfig) -> Result<(), ConfigError> {
    let err = |key, message| Err(ConfigError::new(key, message));
    if !(c.min.is_finite() && c.min >= 0.0) {
        return err("min", format!("{} is not a queue length: it is 0 packets or more", c.min));
    }
    if !(c.max.is_finite() && c.max > c.min) {
        let (max, min) = (c.max, c.min);
        return err("max", format!("{max} is not above min, which is {min}: max lies above min"));
    }
    if !(c.weight > 0.0 && c.weight <= 1.0) {
        let w = c.weight;
        return err("weight", format!("{w} is out of range: it is above 0 and at most 1"));
    }
    if c.limit == 0 {
        let message = "a queue of 0 packets would let nothing pass; the limit is at least 1";
        return err("limit", message.to_owned());
    }
    if c.mean_packet.0 == 0 {
        let message = "a mean packet of 0 B is impossible; an IP packet has at least 20 B";
        return err("mean_packet", message.to_owned());
    }
    if c.packet_time == Some(Span::ZERO) {
        let message = "a packet takes some time; leave it out on a link of unlimited rate";
        return err("packet_time", message.to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests;

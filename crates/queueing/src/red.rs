//! Random early detection with ECN marking.
//!
//! S. Floyd and V. Jacobson, "Random Early Detection Gateways for Congestion Avoidance", IEEE/ACM
//! Transactions on Networking 1(4), 1993 (section 4 and figure 2); the gentle variant: S. Floyd,
//! "Recommendation on using the gentle_ variant of RED", 2000; marking: RFC 3168 section 7.
//!
//! For every arrival, with `q` the packets already waiting (as in ns-2's red.cc; compared with it
//! over wired links and in cells):
//!
//! ```text
//! avg = (1 - w)^m avg                m = whole packets that the link could have sent while it was idle
//! avg = (1 - w) avg + w q            also if q = 0
//! p_b = 0                            avg < min, or q <= 1
//!     = max_p (avg - min)/(max - min)            min <= avg < max
//!     = max_p + (1 - max_p)(avg - max)/max       max <= avg < 2 max, gentle only
//!     = 1                            above
//! p_a = p_b / (1 - count p_b)        count = packets since the last mark or drop, this one included
//! ```
//!
//! With a constant `p_b` the gap between marks is then uniform on `1 ..= 1/p_b - 1`. With `wait`
//! the gap is uniform on `1/p_b ..= 2/p_b - 1`, which separates marks. The first packet that finds
//! the average above `min` passes and starts the count. In byte mode lengths are counted in packets
//! of mean size, `count` in bytes, and `p_a` is scaled by the packet's size.
//!
//! Leaves out: adaptive `max_p`, dropping a random victim instead of the arrival.

use airtcp_packet::{Ecn, PacketId};
use airtcp_probe::{ConfigError, DropReason, PoolCx, Probe};
use airtcp_random::{Keyed, Seed};
use airtcp_units::{Bytes, Nanos, Probability, Span};

use crate::average::Average;
use crate::fifo::{Backlog, Fifo, Stats};
use crate::{Discipline, LinkInfo, Qdisc, Verdict, Wanted};

/// Unit of lengths and thresholds of a RED queue.
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
    /// Packets. The drop probability does not depend on the packet's size.
    #[default]
    Packets,
    /// Bytes, in multiples of `mean_packet`. A packet's drop probability is proportional to its
    /// size.
    Bytes,
}

/// RED queue. The defaults are S0's: thresholds 25 and 90, limit 100 packets.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RedConfig {
    /// Average queue length in packets below which no packet is dropped early.
    pub min: f64,
    /// Average queue length in packets at which the probability reaches `max_p`.
    pub max: f64,
    /// Maximum queue length in packets; in byte mode, in packets of mean size.
    pub limit: u32,
    /// Weight of the current length in the average.
    pub weight: f64,
    /// Probability of a drop or mark at `max`.
    pub max_p: Probability,
    /// If true, the probability rises from `max_p` to 1 between `max` and twice `max`. If false,
    /// every arrival above `max` is dropped.
    pub gentle: bool,
    /// If true, mark ECN-capable packets instead of dropping them early.
    pub ecn: bool,
    /// If true, drop ECN-capable packets too when the probability is `mark_p` or more.
    pub use_mark_p: bool,
    /// Probability at which `use_mark_p` starts to drop ECN-capable packets.
    pub mark_p: Probability,
    /// If true, at least `1/p` packets pass between two marks.
    pub wait: bool,
    /// Unit of lengths and thresholds.
    pub unit: RedUnit,
    /// Size of a typical packet: the unit of byte mode, and the packet for the decay of the average
    /// while the link is idle.
    pub mean_packet: Bytes,
    /// Transmission time of a typical packet, for the decay of the average while the link is idle.
    /// Default: on a link, from its rate; in a cell, the duration of one frame exchange with mean
    /// back-off at the initial or fastest rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packet_time: Option<Span>,
    /// If true, the average decays while the link is idle. If false, only arrivals lower it, as in
    /// ns-2's wireless nodes, whose queues do not know a rate.
    pub idle_decay: bool,
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
            idle_decay: true,
        }
    }
}

/// RED queue.
#[derive(Debug)]
pub struct Red {
    config: RedConfig,
    fifo: Fifo,
    draws: Keyed,
    /// Arrivals since the start. The count numbers the random draws, so that a packet's draw does
    /// not depend on how many earlier packets needed one.
    arrivals: u64,
    avg: Average,
    /// Packets, and their bytes, since the last mark or drop while the average is above `min`.
    count: u64,
    count_bytes: u64,
    /// True if the last arrival found the average above `min` and more than one packet waiting.
    above: bool,
}

/// Decision on an arrival, before the limit applies.
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

    /// `p_b` for the current average, which is above `min`.
    fn base_probability(&self) -> f64 {
        let RedConfig { min, max, gentle, .. } = self.config;
        let (max_p, avg) = (self.config.max_p.get(), self.avg.get());
        if avg < max {
            max_p * (avg - min) / (max - min)
        } else if gentle && avg < 2.0 * max {
            max_p + (1.0 - max_p) * (avg - max) / max
        } else {
            1.0
        }
    }

    /// `p_a`: spreads marks evenly (section 7 of the 1993 paper, method 2).
    fn spread(&self, p: f64, len: u32) -> f64 {
        let mean = self.config.mean_packet.0;
        let by_bytes = self.config.unit == RedUnit::Bytes;
        let count = if by_bytes { self.count_bytes / mean } else { self.count };
        let expected = count as f64 * p;
        let spread = if self.config.wait {
            if expected < 1.0 {
                0.0
            } else if expected < 2.0 {
                p / (2.0 - expected)
            } else {
                1.0
            }
        } else if expected < 1.0 {
            p / (1.0 - expected)
        } else {
            1.0
        };
        if by_bytes && spread < 1.0 {
            return (spread * f64::from(len) / mean as f64).min(1.0);
        }
        spread.min(1.0)
    }

    /// Decides on an arrival of `len` bytes; `alone` if it finds at most one packet waiting.
    #[inline]
    fn decide(&mut self, len: u32, ecn: Ecn, alone: bool) -> Decision {
        let arrival = self.arrivals;
        self.arrivals += 1;
        self.count += 1;
        self.count_bytes += u64::from(len);
        if self.avg.get() < self.config.min || alone {
            self.above = false;
            return Decision::Pass;
        }
        let p = self.base_probability();
        if p >= 1.0 && !self.config.use_mark_p {
            self.restart_count();
            return Decision::Drop;
        }
        if !self.above {
            self.above = true;
            (self.count, self.count_bytes) = (1, u64::from(len));
            return Decision::Pass;
        }
        if self.draws.unit(arrival) >= self.spread(p, len) {
            return Decision::Pass;
        }
        self.restart_count();
        // RFC 3168 section 7: mark where a drop would have signalled incipient congestion.
        let too_much = self.config.use_mark_p && p >= self.config.mark_p.get();
        if self.config.ecn && ecn.is_capable() && !too_much {
            Decision::Mark
        } else {
            Decision::Drop
        }
    }

    const fn restart_count(&mut self) {
        (self.count, self.count_bytes) = (0, 0);
    }

    /// True if at most one packet waits (in byte mode: none). An arrival then passes whatever the
    /// average.
    fn is_nearly_empty(&self) -> bool {
        let least = u32::from(self.config.unit == RedUnit::Packets);
        self.fifo.backlog().packets <= least
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
    fn enqueue<P: Probe>(&mut self, now: Nanos, id: PacketId, cx: &mut PoolCx<'_, P>) -> Verdict {
        let packet = cx.pool.get(id);
        let (len, ecn) = (packet.wire_len(), packet.segment.ecn);
        self.avg.arrival(now, self.length());
        let decision = self.decide(len, ecn, self.is_nearly_empty());
        if decision == Decision::Drop {
            return self.fifo.refuse(now, id, DropReason::QueueEarly, cx);
        }
        if self.is_full(len) {
            // A drop signals congestion as a mark does.
            self.restart_count();
            return self.fifo.refuse(now, id, DropReason::QueueFull, cx);
        }
        if decision == Decision::Mark {
            self.fifo.ledger.mark(now, id, cx);
        }
        self.fifo.push(now, id, len, cx)
    }

    fn dequeue<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) -> Option<PacketId> {
        let Some((id, len)) = self.fifo.pop(now, cx) else {
            self.avg.on_idle_poll(now);
            return None;
        };
        self.avg.left(now, len, self.fifo.backlog());
        Some(id)
    }

    fn dequeue_for<P: Probe>(
        &mut self,
        now: Nanos,
        wanted: &Wanted<'_>,
        cx: &mut PoolCx<'_, P>,
    ) -> Option<PacketId> {
        let (id, len) = self.fifo.pop_for(now, wanted, cx)?;
        self.avg.left(now, len, self.fifo.backlog());
        Some(id)
    }

    fn names_receivers(&self) -> bool {
        true
    }

    fn backlog(&self) -> Backlog {
        self.fifo.backlog()
    }

    fn stats(&self) -> &Stats {
        &self.fifo.ledger.stats
    }

    fn on_link(&mut self, link: &LinkInfo<'_>) {
        self.fifo.on_link(link);
        let given = self.config.packet_time.is_some() || !self.config.idle_decay;
        self.avg.on_link(link, given);
    }
}

impl Discipline for Red {
    type Config = RedConfig;

    fn build(config: &RedConfig, seed: Seed, label: &str) -> Result<Self, ConfigError> {
        check(config)?;
        let packet_time = config.packet_time.filter(|_| config.idle_decay);
        Ok(Self {
            draws: seed.keyed(label),
            fifo: Fifo::default(),
            arrivals: 0,
            avg: Average::new(config.weight, config.mean_packet, packet_time),
            count: 0,
            count_bytes: 0,
            above: false,
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
            RedConfig { unit: RedUnit::Bytes, mean_packet: Bytes(600), ..base.clone() },
            RedConfig { idle_decay: false, ..base },
        ]
    }

    #[cfg(test)]
    fn limit(config: &RedConfig) -> Backlog {
        let bytes = u64::from(config.limit) * config.mean_packet.0;
        match config.unit {
            RedUnit::Packets => Backlog { packets: config.limit, bytes: u64::MAX },
            RedUnit::Bytes => Backlog { packets: u32::MAX, bytes },
        }
    }
}

/// Rejects impossible values.
fn check(c: &RedConfig) -> Result<(), ConfigError> {
    let err = |key, message| Err(ConfigError::new(key, message));
    if !(c.min.is_finite() && c.min >= 0.0) {
        return err("min", format!("{} is out of range: expected 0 packets or more", c.min));
    }
    if !(c.max.is_finite() && c.max > c.min) {
        let (max, min) = (c.max, c.min);
        return err("max", format!("{max} is out of range: expected values above min, {min}"));
    }
    if !(c.weight > 0.0 && c.weight <= 1.0) {
        let w = c.weight;
        return err("weight", format!("{w} is out of range: expected values above 0, up to 1"));
    }
    if c.limit == 0 {
        let message = "a queue of 0 packets passes nothing; expected 1 or more";
        return err("limit", message.to_owned());
    }
    if c.mean_packet.0 == 0 {
        let message = "is 0 B; expected 1 B or more (an IP header has 20 B)";
        return err("mean_packet", message.to_owned());
    }
    if c.packet_time.is_some() && !c.idle_decay {
        let message = "has no effect without idle_decay; omit one of the two";
        return err("packet_time", message.to_owned());
    }
    if c.packet_time == Some(Span::ZERO) {
        let message = "is 0 s; expected values above 0 s; omit the key on a link of unlimited rate";
        return err("packet_time", message.to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests;

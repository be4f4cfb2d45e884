//! TCP Jersey's queue: marks every ECN-capable packet while the queue length is above a threshold.
//!
//! K. Xu, Y. Tian and N. Ansari, "TCP-Jersey for Wireless IP Communications", IEEE JSAC 22(4),
//! 2004, where it is called congestion warning. Marking is deterministic, so the sender can treat a
//! loss without marks as link loss. For every arrival, with `q` packets already waiting:
//!
//! ```text
//! avg = (1 - w) avg + w q            as RED's, with its decay while idle
//! mark if avg > threshold            or q > threshold, if instantaneous
//! drop if q >= limit
//! ```
//!
//! Packets that are not ECN-capable are subject only to the limit. Lengths in packets. Source: the
//! paper's abstract and later descriptions, so weight, threshold and limit are parameters. Leaves
//! out: marking at departure.

use airtcp_packet::PacketId;
use airtcp_probe::{ConfigError, DropReason, PoolCx, Probe};
use airtcp_random::Seed;
use airtcp_units::{Bytes, Nanos, Span};

use crate::average::Average;
use crate::fifo::{Backlog, Fifo, Stats};
use crate::{Discipline, LinkInfo, Qdisc, Verdict, Wanted};

/// TCP Jersey queue. The defaults of threshold and limit are S0's lower RED threshold and buffer.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JerseyConfig {
    /// Queue length in packets above which every ECN-capable packet is marked. Default: 25.
    pub threshold: f64,
    /// Maximum queue length in packets. Default: 100.
    pub limit: u32,
    /// If true, compare the current length instead of the average. Default: false.
    pub instantaneous: bool,
    /// Weight of the current length in the average. Default: 0.002, as in RED.
    pub weight: f64,
    /// Size of a typical packet, for the decay of the average while the link is idle. Default: 1500
    /// B.
    pub mean_packet: Bytes,
    /// Transmission time of a typical packet, for the decay of the average while the link is idle.
    /// Default: from the link's rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packet_time: Option<Span>,
}

impl Default for JerseyConfig {
    fn default() -> Self {
        Self {
            threshold: 25.0,
            limit: 100,
            instantaneous: false,
            weight: 0.002,
            mean_packet: Bytes(1500),
            packet_time: None,
        }
    }
}

/// TCP Jersey queue.
#[derive(Debug)]
pub struct Jersey {
    config: JerseyConfig,
    fifo: Fifo,
    avg: Average,
}

impl Jersey {
    /// The average queue length, in packets.
    pub const fn average(&self) -> f64 {
        self.avg.get()
    }

    /// True if the length found by an arrival is above the threshold.
    fn is_congested(&self) -> bool {
        let length = if self.config.instantaneous {
            f64::from(self.fifo.backlog().packets)
        } else {
            self.avg.get()
        };
        length > self.config.threshold
    }
}

impl Qdisc for Jersey {
    fn enqueue<P: Probe>(&mut self, now: Nanos, id: PacketId, cx: &mut PoolCx<'_, P>) -> Verdict {
        let waiting = self.fifo.backlog().packets;
        self.avg.arrival(now, f64::from(waiting));
        let len = cx.pool.wire_len(id);
        if waiting >= self.config.limit {
            return self.fifo.refuse(now, id, DropReason::QueueFull, cx);
        }
        if self.is_congested() {
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
        self.avg.on_link(link, self.config.packet_time.is_some());
    }
}

impl Discipline for Jersey {
    type Config = JerseyConfig;

    fn build(config: &JerseyConfig, _: Seed, _: &str) -> Result<Self, ConfigError> {
        let c = config;
        let err = |key, message| Err(ConfigError::new(key, message));
        if !(c.threshold.is_finite() && c.threshold >= 0.0) {
            let t = c.threshold;
            return err("threshold", format!("{t} is out of range: expected 0 packets or more"));
        }
        if c.limit == 0 {
            let message = "a queue of 0 packets passes nothing; expected 1 or more";
            return err("limit", message.to_owned());
        }
        if !(c.weight > 0.0 && c.weight <= 1.0) {
            let w = c.weight;
            return err("weight", format!("{w} is out of range: expected values above 0, up to 1"));
        }
        if c.mean_packet < Bytes(20) {
            let size = c.mean_packet;
            let message = format!("is {size}; expected 20 B (an IP header) or more");
            return err("mean_packet", message);
        }
        if c.packet_time == Some(Span::ZERO) {
            let message =
                "is 0 s; expected values above 0 s; omit the key on a link of unlimited rate";
            return err("packet_time", message.to_owned());
        }
        let avg = Average::new(c.weight, c.mean_packet, c.packet_time);
        Ok(Self { fifo: Fifo::default(), avg, config: config.clone() })
    }

    #[cfg(test)]
    fn samples() -> Vec<JerseyConfig> {
        let base =
            JerseyConfig { threshold: 2.0, limit: 7, weight: 0.3, ..JerseyConfig::default() };
        vec![
            JerseyConfig::default(),
            base.clone(),
            JerseyConfig { instantaneous: true, limit: 3, ..base },
        ]
    }

    #[cfg(test)]
    fn limit(config: &JerseyConfig) -> Backlog {
        Backlog { packets: config.limit, bytes: u64::MAX }
    }
}

#[cfg(test)]
mod tests {
    use airtcp_packet::{Ecn, Pool};
    use airtcp_probe::{EventSource, NoProbe};
    use airtcp_units::detmath;

    use super::*;
    use crate::conformance::packet;

    /// Offers `n` packets at once and returns the codepoint of each in the queue, `None` for a
    /// dropped one.
    fn offer(queue: &mut Jersey, n: u32, ecn: Ecn) -> Vec<Option<Ecn>> {
        let (mut pool, mut probe) = (Pool::new(), NoProbe);
        let mut cx = PoolCx::new(&mut probe, &mut pool, EventSource::Queue(0));
        (0..n)
            .map(|k| {
                let id = cx.pool.insert(packet(k, 1000, ecn));
                let verdict = queue.enqueue(Nanos::ZERO, id, &mut cx);
                (verdict == Verdict::Queued).then(|| cx.pool.get(id).segment.ecn)
            })
            .collect()
    }

    fn build(config: &JerseyConfig) -> Jersey {
        Jersey::build(config, Seed::new(1), "queue").unwrap()
    }

    #[test]
    fn all_above_the_threshold_and_none_below() {
        let config = JerseyConfig { instantaneous: true, ..JerseyConfig::default() };
        let seen = offer(&mut build(&config), 120, Ecn::Ect0);
        // Arrival k finds k packets: 0 to 25 are not above 25, 26 to 99 are, then the queue is full.
        assert!(seen[..26].iter().all(|e| *e == Some(Ecn::Ect0)));
        assert!(seen[26..100].iter().all(|e| *e == Some(Ecn::Ce)));
        assert!(seen[100..].iter().all(Option::is_none));
        let incapable = offer(&mut build(&config), 120, Ecn::NotEct);
        assert!(incapable[..100].iter().all(|e| *e == Some(Ecn::NotEct)));
    }

    /// The first mark under a burst, from the closed form of the average.
    #[test]
    fn the_average_decides_when_marking_begins() {
        let (w, threshold) = (0.02, 25.0);
        let config = JerseyConfig { weight: w, threshold, limit: 1000, ..JerseyConfig::default() };
        let seen = offer(&mut build(&config), 300, Ecn::Ect1);
        let first = seen.iter().position(|e| *e == Some(Ecn::Ce)).unwrap();
        // Arrival n finds n packets; with r = 1 - w the average is n - (r/w)(1 - r^n).
        let average = |n: f64| {
            let r: f64 = 1.0 - w;
            n - r / w * (1.0 - detmath::pow(r, n))
        };
        let expected = (0..300u32).position(|n| average(f64::from(n)) > threshold).unwrap();
        assert_eq!(first, expected);
        assert!(first > 50, "the average lags: {first}");
        assert!(seen[first..].iter().all(|e| *e == Some(Ecn::Ce)), "and from then on all are");
    }
}

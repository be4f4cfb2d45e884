//! A policer: a token bucket without a queue, which drops what exceeds a rate and a burst.
//!
//! Internet providers police at the entrance of their network, and Linux does in `act_police`. A packet that comes to
//! the queue of a link passes if the bucket holds a token for each of its bytes, IP header included; otherwise it is
//! dropped, and takes no tokens ([`TokenBucket`], RFC 2697 section 3 with one colour). The packets that pass go to the
//! queue.
//!
//! Leaves out: marking instead of dropping, peak rates, and reports of a link protocol, which no queue holds.

use airtcp_probe::ConfigError;
use airtcp_units::{BitRate, Bytes, Nanos, TokenBucket};

/// Policer in front of the queue of a link.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct PolicerConfig {
    /// Rate at which the bucket fills, for instance "8 Mb/s".
    pub rate: BitRate,
    /// Size of the bucket: bytes that pass at once after a silence, for instance "15 kB". At least the longest packet.
    pub burst: Bytes,
}

impl PolicerConfig {
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        if self.burst == Bytes(0) {
            return Err(ConfigError::new(
                "policer.burst",
                "a bucket of \"0 B\" passes nothing; expected one packet's length or more",
            ));
        }
        Ok(())
    }
}

/// Policer of a link.
#[derive(Debug)]
pub(crate) struct Policer {
    bucket: TokenBucket,
}

impl Policer {
    pub(crate) const fn new(config: &PolicerConfig) -> Self {
        Self { bucket: TokenBucket::new(config.rate, config.burst) }
    }

    /// True if a packet of `bytes` passes.
    pub(crate) fn passes(&mut self, now: Nanos, bytes: u32) -> bool {
        self.bucket.take(now, u64::from(bytes))
    }
}

#[cfg(test)]
mod tests {
    use airtcp_packet::{EndpointId, Packet, Pool, Segment, Side};
    use airtcp_probe::{Counters, DropReason, EventSource, PoolCx};
    use airtcp_random::Seed;

    use crate::{Link, LinkConfig};

    fn link(policer: &str) -> Result<Link, String> {
        let text = format!("delay = \"1 ms\"\npolicer = {policer}");
        let config: LinkConfig = toml::from_str(&text).map_err(|e| e.to_string())?;
        Link::new(&config, Seed::new(1), "l", &|p| Err(p.into())).map_err(|e| e.to_string())
    }

    /// 8 Mb/s, burst 15,000 B; eight packets of 1500 B every 10 ms. By hand: 15,000 B, 13,000, 11,000, 10,500, 10,000
    /// pass 8, 8, 7, 7, 6 packets; the bucket then has 1000 B, and 7, 7, 6 pass for ever: 20 in 30 ms, 8 Mb/s.
    #[test]
    fn drops_what_exceeds_rate_and_burst() {
        let mut link = link("{ rate = \"8 Mb/s\", burst = \"15000 B\" }").unwrap();
        let (mut pool, mut probe) = (Pool::new(), Counters::default());
        let mut cx = PoolCx::new(&mut probe, &mut pool, EventSource::Link(0));
        let mut passed = Vec::new();
        for train in 0..11 {
            let now = super::Nanos(train * 10_000_000);
            passed.push(0);
            for _ in 0..8 {
                let to = EndpointId::new(0, Side::Server);
                let id = cx.pool.insert(Packet { to, segment: Segment::datagram(0, 1472) });
                if link.admits(now, id, &mut cx) {
                    *passed.last_mut().unwrap() += 1;
                    cx.pool.remove(id);
                }
            }
        }
        assert_eq!(passed, [8, 8, 7, 7, 6, 7, 7, 6, 7, 7, 6]);
        assert_eq!(link.stats().policed, 88 - 76);
        assert_eq!(probe.dropped_for(DropReason::Policed), 12);
        assert_eq!(pool.in_flight(), 0);
    }

    #[test]
    fn impossible_values_are_refused() {
        for (policer, part) in [
            ("{ rate = \"8 Mb/s\" }", "burst"),
            ("{ rate = \"0 Mb/s\", burst = \"3 kB\" }", "rate"),
            ("{ rate = \"8 Mb/s\", burst = \"0 B\" }", "policer.burst: "),
            ("{ rate = \"8 Mb/s\", burst = \"3 kB\", queue = 3 }", "queue"),
        ] {
            let error = link(policer).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }
}

//! Token bucket filter, a shaper: a queue that releases packets at a rate, after a burst at the rate of the link.
//!
//! Linux's `sch_tbf` without a peak rate, and RFC 2697's token bucket: [`TokenBucket`]. The packet at the head leaves
//! when the bucket has a token for each of its bytes. The bucket starts full, so after a silence of `burst / rate` a
//! burst leaves as fast as the link takes it. A full queue drops arrivals.
//!
//! Lengths are those of IP packets; `tc` adds the Ethernet header (14 bytes). Linux drops packets longer than the burst,
//! as this queue does; a scenario whose flows send such packets is refused.

use airtcp_packet::PacketId;
use airtcp_probe::{ConfigError, DropReason, PoolCx, Probe};
use airtcp_random::Seed;
use airtcp_units::{BitRate, Bytes, Nanos, Span, TokenBucket};

use crate::drop_tail::limits;
use crate::fifo::{Backlog, Fifo, Stats};
use crate::{Discipline, LinkInfo, Qdisc, Verdict, Wanted};

/// Token bucket filter. Without a limit it holds 100 packets.
#[derive(
    Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct TbfConfig {
    /// Rate at which the bucket fills, for instance "8 Mb/s".
    pub rate: BitRate,
    /// Size of the bucket: bytes that leave at once after a silence, for instance "15 kB". At least the longest packet.
    pub burst: Bytes,
    /// Maximum queue length in packets. Default: 100, or no limit if `bytes` or `latency` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packets: Option<u32>,
    /// Maximum queue length in bytes (`limit` of `tc`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Bytes>,
    /// Maximum queue length as the longest time in the queue, instead of `bytes`: `rate latency + burst`, as `tc`
    /// computes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<Span>,
}

impl TbfConfig {
    /// Limits in packets and bytes.
    fn limits(&self) -> Result<(u32, u64), ConfigError> {
        let bytes = match (self.bytes, self.latency) {
            (Some(_), Some(_)) => {
                return Err(ConfigError::new(
                    "latency",
                    "limits the queue, and bytes does too; accepted is one of them",
                ));
            }
            (None, Some(latency)) => {
                let bits = u128::from(self.rate.bps()) * u128::from(latency.0) / 1_000_000_000;
                let bytes = u64::try_from(bits / 8).unwrap_or(u64::MAX);
                Some(Bytes(bytes.saturating_add(self.burst.0)))
            }
            (bytes, None) => bytes,
        };
        limits(self.packets, bytes)
    }
}

/// Token bucket filter.
#[derive(Debug)]
pub struct Tbf {
    fifo: Fifo,
    bucket: TokenBucket,
    burst: u64,
    packets: u32,
    bytes: u64,
    /// When the packet at the head may leave.
    next: Nanos,
}

impl Tbf {
    /// Computes again when the packet at the head may leave.
    fn hold(&mut self, now: Nanos) {
        let head = self.fifo.first_len();
        self.next = head.map_or(Nanos::NEVER, |len| self.bucket.ready_at(now, u64::from(len)));
    }
}

impl Qdisc for Tbf {
    fn enqueue<P: Probe>(&mut self, now: Nanos, id: PacketId, cx: &mut PoolCx<'_, P>) -> Verdict {
        let len = cx.pool.wire_len(id);
        let Backlog { packets, bytes } = self.fifo.backlog();
        let has_room = packets < self.packets && bytes + u64::from(len) <= self.bytes;
        let verdict = if has_room && u64::from(len) <= self.burst {
            self.fifo.push(now, id, len, cx)
        } else {
            self.fifo.refuse(now, id, DropReason::QueueFull, cx)
        };
        self.hold(now);
        verdict
    }

    fn dequeue<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) -> Option<PacketId> {
        let passes = |len: u32| self.bucket.take(now, u64::from(len));
        let next = if self.fifo.first_len().is_some_and(passes) {
            self.fifo.pop(now, cx).map(|(id, _)| id)
        } else {
            None
        };
        self.hold(now);
        next
    }

    fn dequeue_for<P: Probe>(
        &mut self,
        now: Nanos,
        wanted: &Wanted<'_>,
        cx: &mut PoolCx<'_, P>,
    ) -> Option<PacketId> {
        let bucket = &mut self.bucket;
        let fits = |len: u32| (wanted.fits)(len) && bucket.ready_at(now, u64::from(len)) <= now;
        let wanted = Wanted { receiver: wanted.receiver, fits: &fits };
        let next = self.fifo.pop_for(now, &wanted, cx).map(|(id, len)| {
            self.bucket.take(now, u64::from(len));
            id
        });
        self.hold(now);
        next
    }

    fn names_receivers(&self) -> bool {
        true
    }

    fn backlog(&self) -> Backlog {
        self.fifo.backlog()
    }

    fn next_timer(&self) -> Nanos {
        self.next
    }

    fn stats(&self) -> &Stats {
        &self.fifo.ledger.stats
    }

    fn on_link(&mut self, link: &LinkInfo<'_>) {
        self.fifo.on_link(link);
    }
}

impl Discipline for Tbf {
    type Config = TbfConfig;

    fn build(config: &TbfConfig, _: Seed, _: &str) -> Result<Self, ConfigError> {
        let (packets, bytes) = config.limits()?;
        if config.burst == Bytes(0) {
            return Err(ConfigError::new(
                "burst",
                "a bucket of \"0 B\" passes nothing; expected one packet's length or more",
            ));
        }
        let bucket = TokenBucket::new(config.rate, config.burst);
        let (fifo, burst) = (Fifo::default(), config.burst.0);
        Ok(Self { fifo, bucket, burst, packets, bytes, next: Nanos::NEVER })
    }

    #[cfg(test)]
    fn samples() -> Vec<TbfConfig> {
        let rate = BitRate::from_mbps(8);
        let config = |burst, packets, bytes, latency| TbfConfig {
            rate,
            burst: Bytes(burst),
            packets,
            bytes,
            latency,
        };
        vec![
            config(15_000, None, None, None),
            config(2000, Some(7), None, None),
            config(3000, None, Some(Bytes(6000)), None),
            config(3000, None, None, Some(Span::from_millis(10))),
        ]
    }

    #[cfg(test)]
    fn limit(config: &TbfConfig) -> Backlog {
        let (packets, bytes) = config.limits().unwrap();
        Backlog { packets, bytes }
    }
}

#[cfg(test)]
mod tests;

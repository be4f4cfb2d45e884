//! Drop-tail: first in, first out; a full queue drops arrivals.
//!
//! The limit is in packets, in bytes on the wire, or both; then the tighter limit applies. S0's
//! simulations use 100 packets. Leaves out: dropping at the head or at random.

mod ahead;

use std::collections::VecDeque;

use airtcp_packet::PacketId;
use airtcp_probe::{ConfigError, DropReason, PoolCx, Probe};
use airtcp_random::Seed;
use airtcp_units::{Bytes, Nanos};

use crate::fifo::{Backlog, Fifo, Stats};
use crate::{Discipline, LinkInfo, Qdisc, Verdict, Wanted};

/// Default limit of a drop-tail queue, in packets.
pub(crate) const DEFAULT_PACKETS: u32 = 100;

/// Drop-tail queue. Without a limit it holds 100 packets, or 1000 at stations of 802.11n, ac and ax.
#[derive(
    Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct DropTailConfig {
    /// Maximum queue length in packets. Default: 100, 1000 in cells of 802.11n, ac and ax, or no limit if
    /// `bytes` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packets: Option<u32>,
    /// Maximum queue length in bytes on the wire, for instance "64 kB".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Bytes>,
}

/// A packet whose departure is known.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    /// When it arrived.
    since: Nanos,
    /// When it leaves.
    until: Nanos,
    len: u32,
}

/// Drop-tail queue.
#[derive(Debug)]
pub struct DropTail {
    fifo: Fifo,
    packets: u32,
    bytes: u64,
    /// Packets whose departure is known.
    ahead: VecDeque<Waiting>,
    /// When the first of them leaves.
    next_departure: Nanos,
}

/// Limits in packets and in bytes, of which one may be open.
///
/// # Errors
/// If a limit is 0.
pub(crate) fn limits(
    packets: Option<u32>,
    bytes: Option<Bytes>,
) -> Result<(u32, u64), ConfigError> {
    if packets == Some(0) {
        return Err(ConfigError::new(
            "packets",
            "a queue of 0 packets passes nothing; expected 1 or more",
        ));
    }
    if bytes == Some(Bytes(0)) {
        return Err(ConfigError::new(
            "bytes",
            "a queue of \"0 B\" passes nothing; expected one packet's length or more",
        ));
    }
    let packets = match (packets, bytes) {
        (Some(n), _) => n,
        (None, Some(_)) => u32::MAX,
        (None, None) => DEFAULT_PACKETS,
    };
    Ok((packets, bytes.map_or(u64::MAX, |b| b.0)))
}

impl DropTail {
    /// Takes other limits; packets above them stay.
    pub(crate) const fn set_limits(&mut self, packets: u32, bytes: u64) {
        (self.packets, self.bytes) = (packets, bytes);
    }

    #[inline]
    fn has_room(&self, len: u32) -> bool {
        let Backlog { packets, bytes } = self.fifo.backlog();
        packets < self.packets && bytes + u64::from(len) <= self.bytes
    }
}

impl Qdisc for DropTail {
    #[inline]
    fn enqueue<P: Probe>(&mut self, now: Nanos, id: PacketId, cx: &mut PoolCx<'_, P>) -> Verdict {
        let len = cx.pool.wire_len(id);
        if !self.has_room(len) {
            return self.fifo.refuse(now, id, DropReason::QueueFull, cx);
        }
        self.fifo.push(now, id, len, cx)
    }

    #[inline]
    fn dequeue<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) -> Option<PacketId> {
        self.fifo.pop(now, cx).map(|(id, _)| id)
    }

    fn dequeue_for<P: Probe>(
        &mut self,
        now: Nanos,
        wanted: &Wanted<'_>,
        cx: &mut PoolCx<'_, P>,
    ) -> Option<PacketId> {
        self.fifo.pop_for(now, wanted, cx).map(|(id, _)| id)
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
    }
}

impl Discipline for DropTail {
    type Config = DropTailConfig;

    fn build(config: &DropTailConfig, _: Seed, _: &str) -> Result<Self, ConfigError> {
        let (packets, bytes) = limits(config.packets, config.bytes)?;
        let (ahead, next_departure) = (VecDeque::new(), Nanos::NEVER);
        Ok(Self { fifo: Fifo::default(), packets, bytes, ahead, next_departure })
    }

    #[cfg(test)]
    fn samples() -> Vec<DropTailConfig> {
        vec![
            DropTailConfig { packets: Some(1), bytes: None },
            DropTailConfig { packets: Some(7), bytes: None },
            DropTailConfig { packets: None, bytes: Some(Bytes(4000)) },
            DropTailConfig { packets: Some(3), bytes: Some(Bytes(3000)) },
            DropTailConfig::default(),
        ]
    }

    #[cfg(test)]
    fn limit(config: &DropTailConfig) -> Backlog {
        Backlog {
            packets: config.packets.unwrap_or(if config.bytes.is_some() { u32::MAX } else { 100 }),
            bytes: config.bytes.map_or(u64::MAX, |b| b.0),
        }
    }
}

//! ACK filter: a drop-tail queue in which a new TCP ACK replaces an older one of its flow that says no
//! more.
//!
//! RFC 3449 section 5.2.2 (ACK filtering); Linux's CAKE has a filter with the same purpose. For a new
//! ACK N and the last replaceable ACK O of its flow that still waits:
//!
//! ```text
//! pure         TCP, no payload, ACK its only flag (SYN, FIN, RST, PSH, ECN echo and CWR exclude it), no mark of a
//!              loss on the air
//! duplicate    no payload, acknowledgement number and window of the flow's last ACK (RFC 5681)
//! update       no payload, acknowledgement number of the flow's last ACK, another window
//! replaceable  pure, no SACK block, neither duplicate nor update, and neither of it has followed
//! replaced     O, if N is pure, acknowledges more, and both or neither have timestamps
//! aggressive   a duplicate beyond the third of an acknowledgement number is replaceable, too; N replaces it if N's
//!              SACK blocks cover its own
//! ```
//!
//! N joins the end of the queue, so that the order within a flow stays. The three duplicates that
//! trigger fast retransmit, and the ACK before them, always pass. An ACK is replaced only if N is queued.
//! The window of O does not count if N acknowledges more, because N has a newer one. (The field of a scaled
//! window changes from ACK to ACK by rounding alone.)
//! Lengths in bytes on the wire. Leaves out: CAKE's second ACK that it keeps, its comparison of SACK
//! blocks for ACKs below the threshold of duplicates, and reconstruction of ACKs (section 5.2.3). The sender
//! gets fewer round-trip samples, and with them larger jumps of the acknowledgement number.

use std::collections::BTreeMap;

use airtcp_packet::{Flags, Kind, PacketId, Segment, Seq};
use airtcp_probe::{ConfigError, DropReason, PoolCx, Probe};
use airtcp_random::Seed;
use airtcp_units::{Bytes, Nanos};
use serde::{Deserialize, Serialize};

use crate::drop_tail::limits;
use crate::fifo::{Backlog, Fifo, Stats};
use crate::{Discipline, LinkInfo, Qdisc, Verdict, Wanted};

/// Duplicate ACKs that trigger fast retransmit (RFC 5681).
const DUP_THRESHOLD: u32 = 3;

/// Which ACKs the filter replaces.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum AckFilterMode {
    /// Those that carry no more than the new one.
    #[default]
    Conservative,
    /// Also duplicate ACKs beyond the third of an acknowledgement number.
    Aggressive,
}

/// Drop-tail queue with an ACK filter. Without a limit it holds 100 packets, or 1000 at stations of 802.11n, ac
/// and ax.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AckFilterConfig {
    /// Which ACKs a new one replaces.
    #[serde(default)]
    pub mode: AckFilterMode,
    /// Maximum queue length in packets. Default: 100, 1000 in cells of 802.11n, ac and ax, or no limit if
    /// `bytes` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packets: Option<u32>,
    /// Maximum queue length in bytes on the wire, for instance "64 kB".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Bytes>,
}

/// What the filter knows of one direction of a flow.
#[derive(Debug, Clone, Copy)]
struct Flow {
    /// Last acknowledgement number and window.
    ack: Seq,
    window: u16,
    /// Duplicates of it so far.
    duplicates: u32,
    /// The last replaceable ACK, if it waits.
    replaceable: Option<PacketId>,
}

/// Drop-tail queue with an ACK filter.
#[derive(Debug)]
pub struct AckFilter {
    fifo: Fifo,
    packets: u32,
    bytes: u64,
    aggressive: bool,
    /// By endpoint.
    flows: BTreeMap<usize, Flow>,
}

fn is_pure(segment: &Segment) -> bool {
    let bare = segment.kind == Kind::Tcp && segment.len == 0 && segment.flags == Flags::ACK;
    bare && segment.ace() == 0 && !segment.has_loss_mark()
}

/// True if `new` has all that the SACK blocks of `old` say.
fn covers(new: &Segment, old: &Segment) -> bool {
    let within = |inner: Seq, outer: Seq| inner.distance_from(outer) >= 0;
    old.sacks()
        .iter()
        .all(|o| new.sacks().iter().any(|n| within(o.start, n.start) && within(n.end, o.end)))
}

impl AckFilter {
    /// Records that a packet to an endpoint has left the queue.
    fn left(&mut self, id: PacketId, endpoint: usize) {
        if let Some(flow) = self.flows.get_mut(&endpoint) {
            flow.replaceable.take_if(|waits| *waits == id);
        }
    }

    /// State of the flow after an ACK, and the waiting ACK that it replaces.
    fn decide(
        &self,
        endpoint: usize,
        id: PacketId,
        new: &Segment,
        old: impl Fn(PacketId) -> Segment,
    ) -> (Flow, Option<PacketId>) {
        let first = Flow { ack: new.ack, window: new.window, duplicates: 0, replaceable: None };
        let (plain, known) = (new.sacks().is_empty(), self.flows.get(&endpoint).copied());
        let pure = is_pure(new);
        let Some(flow) = known else {
            return (Flow { replaceable: (pure && plain).then_some(id), ..first }, None);
        };
        let ahead = new.ack.distance_from(flow.ack);
        if ahead < 0 {
            // It was overtaken on its way: it stays, and nothing follows from it.
            return (flow, None);
        }
        let control = new.flags.has(Flags::SYN) || new.flags.has(Flags::FIN);
        let waits = flow.replaceable.map(|id| (id, old(id)));
        if ahead == 0 && new.len == 0 && !control {
            // What waits has a duplicate or a window update now.
            if new.window != flow.window {
                return (first, None);
            }
            let duplicates = flow.duplicates.saturating_add(1);
            let beyond = self.aggressive && pure && duplicates > DUP_THRESHOLD;
            let waits = waits.filter(|_| flow.duplicates > DUP_THRESHOLD);
            let replaced = waits.filter(|(_, old)| beyond && is_replaced(old, new));
            let replaceable = beyond.then_some(id);
            return (Flow { duplicates, replaceable, ..flow }, replaced.map(|(id, _)| id));
        }
        if !pure {
            return (Flow { replaceable: flow.replaceable, ..first }, None);
        }
        let replaced = waits.filter(|(_, old)| is_replaced(old, new));
        (Flow { replaceable: plain.then_some(id), ..first }, replaced.map(|(id, _)| id))
    }
}

/// True if `old`, which acknowledges no more than `new`, carries nothing that `new` lacks.
fn is_replaced(old: &Segment, new: &Segment) -> bool {
    old.has_timestamps() == new.has_timestamps() && covers(new, old)
}

impl Qdisc for AckFilter {
    fn enqueue<P: Probe>(&mut self, now: Nanos, id: PacketId, cx: &mut PoolCx<'_, P>) -> Verdict {
        let packet = cx.pool.get(id);
        let (len, endpoint, segment) = (packet.wire_len(), packet.to.index(), packet.segment);
        let is_ack = segment.kind == Kind::Tcp && segment.flags.has(Flags::ACK);
        let decided =
            is_ack.then(|| self.decide(endpoint, id, &segment, |old| cx.pool.get(old).segment));
        let replaced = decided.and_then(|(_, replaced)| replaced);
        let freed = replaced.map_or(0, |old| cx.pool.get(old).wire_len());
        let Backlog { packets, bytes } = self.fifo.backlog();
        let packets = packets - u32::from(replaced.is_some());
        let bytes = bytes - u64::from(freed);
        if packets >= self.packets || bytes + u64::from(len) > self.bytes {
            return self.fifo.refuse(now, id, DropReason::QueueFull, cx);
        }
        if let Some((flow, _)) = decided {
            self.flows.insert(endpoint, flow);
        }
        if let Some(old) = replaced {
            self.fifo.discard(now, old, DropReason::AckFiltered, cx);
        }
        self.fifo.push(now, id, len, cx)
    }

    fn dequeue<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) -> Option<PacketId> {
        let (id, _) = self.fifo.pop(now, cx)?;
        self.left(id, cx.pool.get(id).to.index());
        Some(id)
    }

    fn dequeue_for<P: Probe>(
        &mut self,
        now: Nanos,
        wanted: &Wanted<'_>,
        cx: &mut PoolCx<'_, P>,
    ) -> Option<PacketId> {
        let (id, _) = self.fifo.pop_for(now, wanted, cx)?;
        self.left(id, cx.pool.get(id).to.index());
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
    }
}

impl Discipline for AckFilter {
    type Config = AckFilterConfig;

    fn build(config: &AckFilterConfig, _: Seed, _: &str) -> Result<Self, ConfigError> {
        let (packets, bytes) = limits(config.packets, config.bytes)?;
        Ok(Self {
            fifo: Fifo::default(),
            packets,
            bytes,
            aggressive: config.mode == AckFilterMode::Aggressive,
            flows: BTreeMap::new(),
        })
    }

    #[cfg(test)]
    fn samples() -> Vec<AckFilterConfig> {
        let mode = AckFilterMode::Aggressive;
        vec![
            AckFilterConfig { packets: Some(7), ..AckFilterConfig::default() },
            AckFilterConfig { mode, packets: Some(1), bytes: None },
            AckFilterConfig { mode, packets: None, bytes: Some(Bytes(4000)) },
            AckFilterConfig::default(),
        ]
    }

    #[cfg(test)]
    fn limit(config: &AckFilterConfig) -> Backlog {
        let (packets, bytes) = limits(config.packets, config.bytes).unwrap_or_default();
        Backlog { packets, bytes }
    }

    #[cfg(test)]
    const REPLACES: bool = true;
}

#[cfg(test)]
mod tests;

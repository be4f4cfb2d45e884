//! Queues per station: round robin over stations, each with a drop-tail queue; when all together are full, the
//! longest one loses its last packet.
//!
//! This is how drivers of access points hold packets: a queue for each station and access category, served in turn
//! with an aggregate each (ath9k before Linux 4.9: `ath_txq_schedule`). The drop at the longest queue is that of
//! stochastic fair queueing (P. McKenney, "Stochastic Fairness Queueing", IEEE INFOCOM 1990; Linux's `sch_sfq`).
//!
//! ```text
//! arrival   to the end of its station's queue; a station that was not in the list joins its end
//! turn      the first station of the list is served, and goes to the end if packets still wait for it
//! full      the station with the most bytes, the arriving packet included, loses its last packet; of several, that
//!           of the arriving packet
//! ```
//! A turn is an access: its aggregate takes further packets of the same station
//! ([`Qdisc::dequeue_for`](crate::Qdisc::dequeue_for)). Over a wired link each destination counts as a station, and a
//! turn is a packet. With one station it is drop-tail. Lengths in bytes on the wire. Leaves out: a limit for each
//! station.

use std::collections::VecDeque;

use airtcp_packet::PacketId;
use airtcp_probe::{ConfigError, DropReason, PoolCx, Probe};
use airtcp_random::Seed;
use airtcp_units::{Bytes, Nanos};

use crate::drop_tail::limits;
use crate::fifo::{Backlog, Ledger, Stats};
use crate::stations::{Stations, Turns};
use crate::{Discipline, LinkInfo, Qdisc, Verdict, Wanted};

/// Queues per station. Without a limit they hold 100 packets together, or 1000 at stations of 802.11n, ac and ax.
#[derive(
    Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct PerStationConfig {
    /// Maximum number of packets in all queues. Default: 100, 1000 in cells of 802.11n, ac and ax, or no limit if
    /// `bytes` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packets: Option<u32>,
    /// Maximum bytes on the wire in all queues, for instance "64 kB".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Bytes>,
}

/// The queue of a station.
#[derive(Debug, Default)]
struct Line {
    packets: VecDeque<(PacketId, u32)>,
    bytes: u64,
}

impl Line {
    fn pop(&mut self, last: bool) -> Option<(PacketId, u32)> {
        let (id, len) = if last { self.packets.pop_back() } else { self.packets.pop_front() }?;
        self.bytes -= u64::from(len);
        Some((id, len))
    }
}

/// Queues per station.
#[derive(Debug)]
pub struct PerStation {
    packets: u32,
    bytes: u64,
    stations: Stations<Line>,
    turns: Turns,
    ledger: Ledger,
}

impl PerStation {
    fn has_room(&self, len: u32) -> bool {
        let Backlog { packets, bytes } = self.ledger.backlog();
        packets < self.packets && bytes + u64::from(len) <= self.bytes
    }

    /// The place of the longest queue, if it is longer than that of `own` with a packet of `len` bytes.
    fn longer_than(&self, own: usize, len: u32) -> Option<usize> {
        let bytes = |(i, line): (usize, &Line)| {
            (line.bytes + if i == own { u64::from(len) } else { 0 }, i == own, usize::MAX - i)
        };
        let (_, is_own, from_last) = self.stations.iter().enumerate().map(bytes).max()?;
        (!is_own).then_some(usize::MAX - from_last)
    }
}

impl Qdisc for PerStation {
    fn enqueue<P: Probe>(&mut self, now: Nanos, id: PacketId, cx: &mut PoolCx<'_, P>) -> Verdict {
        let packet = cx.pool.get(id);
        let (len, endpoint) = (packet.wire_len(), packet.to.index());
        let place = self.stations.of(endpoint, Line::default);
        while !self.has_room(len) {
            let longest = self.longer_than(place, len);
            let last = longest.and_then(|longest| self.stations.at(longest).pop(true));
            let Some((old, bytes)) = last else {
                return self.ledger.refuse(now, id, DropReason::QueueFull, cx);
            };
            self.ledger.discard(now, old, bytes, DropReason::QueueFull, cx);
        }
        let line = self.stations.at(place);
        line.packets.push_back((id, len));
        line.bytes += u64::from(len);
        self.turns.join(place);
        self.ledger.enter(now, id, len, cx)
    }

    fn dequeue<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) -> Option<PacketId> {
        while let Some(place) = self.turns.next() {
            let line = self.stations.at(place);
            // Aggregates may have emptied the queue.
            let Some((id, len)) = line.pop(false) else { continue };
            if !line.packets.is_empty() {
                self.turns.join(place);
            }
            self.ledger.leave(now, id, len, cx);
            return Some(id);
        }
        None
    }

    fn dequeue_for<P: Probe>(
        &mut self,
        now: Nanos,
        wanted: &Wanted<'_>,
        cx: &mut PoolCx<'_, P>,
    ) -> Option<PacketId> {
        let place = self.stations.place(wanted.receiver)?;
        let line = self.stations.at(place);
        line.packets.front().filter(|(_, len)| (wanted.fits)(*len))?;
        let (id, len) = line.pop(false)?;
        self.ledger.leave(now, id, len, cx);
        Some(id)
    }

    fn names_receivers(&self) -> bool {
        true
    }

    fn waiting_receivers(&self) -> Vec<u32> {
        self.stations.numbers(|line| !line.packets.is_empty())
    }

    fn backlog(&self) -> Backlog {
        self.ledger.backlog()
    }

    fn stats(&self) -> &Stats {
        &self.ledger.stats
    }

    fn on_link(&mut self, link: &LinkInfo<'_>) {
        self.stations.set_receivers((link.receivers)());
    }
}

impl Discipline for PerStation {
    type Config = PerStationConfig;

    fn build(config: &PerStationConfig, _: Seed, _: &str) -> Result<Self, ConfigError> {
        let (packets, bytes) = limits(config.packets, config.bytes)?;
        Ok(Self {
            packets,
            bytes,
            stations: Stations::default(),
            turns: Turns::default(),
            ledger: Ledger::default(),
        })
    }

    #[cfg(test)]
    fn samples() -> Vec<PerStationConfig> {
        vec![
            PerStationConfig { packets: Some(1), bytes: None },
            PerStationConfig { packets: Some(7), bytes: None },
            PerStationConfig { packets: None, bytes: Some(Bytes(4000)) },
            PerStationConfig::default(),
        ]
    }

    #[cfg(test)]
    fn limit(config: &PerStationConfig) -> Backlog {
        let (packets, bytes) = limits(config.packets, config.bytes).unwrap_or_default();
        Backlog { packets, bytes }
    }

    #[cfg(test)]
    const BY_FLOW: bool = true;
}

#[cfg(test)]
mod tests;

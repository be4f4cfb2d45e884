//! Airtime-fair queueing: deficit round robin over stations by time on the air, with FQ-CoDel for the
//! flows of each station.
//!
//! T. Hoeiland-Joergensen, M. Kazior, D. Taht, P. Hurtig and A. Brunstrom, "Ending the Anomaly: Achieving
//! Low Latency and Airtime Fairness in WiFi", USENIX ATC 2017, section 3.2, and Linux's mac80211.
//!
//! ```text
//! arrival   to its flow at its station; a station that was not listed joins the new ones with the credit it has
//! round     the first of the new stations, else the first of the old; without credit it gets `quantum` and goes
//!           to the end of the old; if nothing waits for it, a new station goes to the end of the old, an old one
//!           is forgotten
//! charge    credit -= time on the air of the finished exchange: all attempts, with RTS, CTS and ACK
//! overload  beyond `limit`: the longest flow of all stations loses half of its bytes at its head, 64 packets at most
//! ```
//!
//! A station starts with one quantum. It keeps its debt while it is not listed, so that short bursts
//! gain nothing. A packet at the head of an access category has left the queue: the discipline
//! chooses the order in which packets reach the head, and is charged when the exchange ends.
//!
//! An access point with multi-user operation also takes packets for a station that it names, out of turn. They are
//! charged like others.
//!
//! Over a wired link each destination counts as a station, and a packet is charged its
//! serialisation time when it leaves. Times in nanoseconds. Leaves out: weights, the queue limit in
//! airtime (AQL), CoDel's parameters for slow stations (50 ms, 300 ms).

use std::collections::{BTreeMap, VecDeque};

use airtcp_packet::PacketId;
use airtcp_probe::{ConfigError, DropReason, PoolCx, Probe};
use airtcp_random::Seed;
use airtcp_units::{Bytes, Nanos, Narrow, Span};

use crate::codel::{Rules, Waiting};
use crate::fifo::{Backlog, Ledger, Stats};
use crate::flows::{FlowQueues, FlowRules, Listed};
use crate::{Airtime, Discipline, LinkInfo, Qdisc, Verdict};

/// Size of the packet whose transmission time gives the rate of a link.
const PROBE: Bytes = Bytes(1500);

/// Airtime-fair queue.
#[derive(
    Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields, default)]
pub struct AirtimeFairConfig {
    /// Airtime that a station may use per round. Default: 300 us.
    pub quantum: Span,
    /// If true, exchanges in which the station sends count as well, as in Linux. Default: true.
    pub received: bool,
    /// Maximum number of packets in all queues. Default: 8192.
    pub limit: u32,
    /// Number of queues into which the flows of a station are hashed. Default: 1024.
    pub flows: u32,
    /// Bytes that a flow may send per round of its station's flows. Default: 300 B.
    pub flow_quantum: Bytes,
    /// Acceptable standing queueing delay of a flow. Default: 20 ms.
    pub target: Span,
    /// Time for which the queueing delay must exceed `target` before the first drop. Default: 100
    /// ms.
    pub interval: Span,
    /// Backlog of a flow at or below which CoDel never drops. Default: 1500 B.
    pub mtu: Bytes,
    /// If true, mark ECN-capable packets instead of dropping them. Default: true.
    pub ecn: bool,
}

impl Default for AirtimeFairConfig {
    fn default() -> Self {
        Self {
            quantum: Span::from_micros(300),
            received: true,
            limit: 8192,
            flows: 1024,
            flow_quantum: Bytes(300),
            target: Span::from_millis(20),
            interval: Span::from_millis(100),
            mtu: Bytes(1500),
            ecn: true,
        }
    }
}

/// A station: its flows and the airtime that it may still use in this round.
#[derive(Debug)]
struct Station {
    flows: FlowQueues,
    /// In nanoseconds.
    credit: i64,
    listed: Listed,
}

/// Airtime-fair queue.
#[derive(Debug)]
pub struct AirtimeFair {
    limit: u32,
    quantum: i64,
    received: bool,
    rules: FlowRules,
    /// By endpoint, the number of its station.
    receivers: Vec<u32>,
    /// By number of a station, its place in `stations`.
    places: BTreeMap<u32, u32>,
    stations: Vec<Station>,
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    /// Transmission times of a packet of zero bytes and of [`PROBE`]; `None` if the owner reports airtime.
    service: Option<[Span; 2]>,
    ledger: Ledger,
}

impl AirtimeFair {
    /// Place of the station of an endpoint. Endpoints without a known station share one.
    fn station_of(&mut self, endpoint: usize) -> usize {
        let number = self.receivers.get(endpoint).copied().unwrap_or(u32::MAX);
        let (next, quantum, rules) = (self.stations.len(), self.quantum, self.rules);
        let place = *self.places.entry(number).or_insert(u32::narrow(next)) as usize;
        if place == next {
            let flows = FlowQueues::new(rules);
            self.stations.push(Station { flows, credit: quantum, listed: Listed::Nowhere });
        }
        place
    }

    /// Makes room for a packet of `len` bytes of flow `own` of `station`. Returns false if the packet
    /// itself must be dropped.
    fn make_room<P: Probe>(
        &mut self,
        now: Nanos,
        (station, own): (usize, usize),
        len: u32,
        cx: &mut PoolCx<'_, P>,
    ) -> bool {
        let longest = self.stations.iter().enumerate().filter_map(|(i, s)| {
            let (bytes, flow) = s.flows.longest((i == station).then_some((own, len)))?;
            Some((bytes, usize::MAX - i, flow))
        });
        let Some((bytes, from_last, flow)) = longest.max() else { return true };
        let place = usize::MAX - from_last;
        let flows = &mut self.stations[place].flows;
        flows.shorten(now, flow, bytes, &mut self.ledger, cx) || (place, flow) != (station, own)
    }

    /// Lets rounds pass in which no station has credit: they change nothing else.
    fn skip_rounds(&mut self) {
        let missing = self.old.iter().map(|place| -self.stations[*place as usize].credit);
        let rounds = missing.min().map_or(0, |least| least.max(0) / self.quantum);
        for place in &self.old {
            let credit = &mut self.stations[*place as usize].credit;
            *credit = credit.saturating_add(rounds.saturating_mul(self.quantum));
        }
    }

    /// Charges a packet of `len` bytes that leaves over a wired link.
    fn charge(&mut self, place: usize, len: u32) {
        let Some([none, full]) = self.service else { return };
        let slope = u128::from(full.0.saturating_sub(none.0)) * u128::from(len);
        let time = none.0.saturating_add(u64::narrow(slope / u128::from(PROBE.0)));
        self.spend(place, Span(time));
    }

    fn spend(&mut self, place: usize, time: Span) {
        let credit = &mut self.stations[place].credit;
        *credit = credit.saturating_sub_unsigned(time.0);
    }
}

impl Qdisc for AirtimeFair {
    fn enqueue<P: Probe>(&mut self, now: Nanos, id: PacketId, cx: &mut PoolCx<'_, P>) -> Verdict {
        let packet = cx.pool.get(id);
        let (len, endpoint) = (packet.wire_len(), packet.to.index());
        let place = self.station_of(endpoint);
        let own = self.stations[place].flows.flow_of(endpoint);
        if self.ledger.backlog().packets >= self.limit
            && !self.make_room(now, (place, own), len, cx)
        {
            return self.ledger.refuse(now, id, DropReason::QueueFull, cx);
        }
        let station = &mut self.stations[place];
        station.flows.push(own, Waiting { id, len, since: now });
        if station.listed == Listed::Nowhere {
            station.listed = Listed::New;
            self.new.push_back(u32::narrow(place));
        }
        self.ledger.enter(now, id, len, cx)
    }

    fn dequeue<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) -> Option<PacketId> {
        let mut without_credit = 0;
        loop {
            let list = if self.new.is_empty() { &mut self.old } else { &mut self.new };
            let place = *list.front()?;
            let station = &mut self.stations[place as usize];
            if station.credit <= 0 {
                station.credit += self.quantum;
                station.listed = Listed::Old;
                list.pop_front();
                self.old.push_back(place);
                without_credit += 1;
                if without_credit > self.old.len() && self.new.is_empty() {
                    self.skip_rounds();
                    without_credit = 0;
                }
                continue;
            }
            if let Some(packet) = station.flows.take(now, &mut self.ledger, cx) {
                self.charge(place as usize, packet.len);
                return Some(packet.id);
            }
            list.pop_front();
            if station.listed == Listed::New {
                // The station waits behind the old stations once, so that a station that is sent single
                // packets cannot always go first.
                station.listed = Listed::Old;
                self.old.push_back(place);
            } else {
                station.listed = Listed::Nowhere;
            }
        }
    }

    fn dequeue_for<P: Probe>(
        &mut self,
        now: Nanos,
        receiver: u32,
        cx: &mut PoolCx<'_, P>,
    ) -> Option<PacketId> {
        let place = *self.places.get(&receiver)?;
        let station = &mut self.stations[place as usize];
        let packet = station.flows.take(now, &mut self.ledger, cx)?;
        self.charge(place as usize, packet.len);
        Some(packet.id)
    }

    fn waiting_receivers(&self) -> Vec<u32> {
        let waits = |(_, place): &(&u32, &u32)| !self.stations[**place as usize].flows.is_empty();
        self.places.iter().filter(waits).map(|(receiver, _)| *receiver).collect()
    }

    fn backlog(&self) -> Backlog {
        self.ledger.backlog()
    }

    fn stats(&self) -> &Stats {
        &self.ledger.stats
    }

    fn on_link(&mut self, link: &LinkInfo<'_>) {
        self.receivers = (link.receivers)();
        let times = || [Bytes(0), PROBE].map(|bytes| (link.time_for)(bytes));
        self.service = (!link.reports_airtime).then(times);
    }

    fn wants_airtime(&self) -> bool {
        true
    }

    fn on_airtime(&mut self, airtime: &Airtime) {
        if airtime.received && !self.received {
            return;
        }
        // A station to which no packet went yet owes nothing.
        if let Some(place) = self.places.get(&airtime.peer) {
            self.spend(*place as usize, airtime.time);
        }
    }
}

impl Discipline for AirtimeFair {
    type Config = AirtimeFairConfig;

    fn build(config: &AirtimeFairConfig, seed: Seed, label: &str) -> Result<Self, ConfigError> {
        if config.limit == 0 {
            let message = "a queue of 0 packets passes nothing; accepted are 1 or more";
            return Err(ConfigError::new("limit", message));
        }
        let quantum = config.quantum;
        if !(Span::from_micros(1)..=Span::from_secs(1)).contains(&quantum) {
            let message = format!("{quantum} is out of range: accepted are 1 us to 1 s");
            return Err(ConfigError::new("quantum", message));
        }
        let codel = Rules::new((config.target, config.interval), config.mtu, config.ecn)?;
        let flow_quantum = ("flow_quantum", config.flow_quantum);
        Ok(Self {
            limit: config.limit,
            quantum: i64::narrow(quantum.0),
            received: config.received,
            rules: FlowRules::new(config.flows, flow_quantum, codel, seed.keyed(label))?,
            receivers: Vec::new(),
            places: BTreeMap::new(),
            stations: Vec::new(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            service: None,
            ledger: Ledger::default(),
        })
    }

    #[cfg(test)]
    fn samples() -> Vec<AirtimeFairConfig> {
        let (target, interval) = (Span::from_micros(100), Span::from_millis(1));
        let base = AirtimeFairConfig { target, interval, limit: 9, ..AirtimeFairConfig::default() };
        vec![
            AirtimeFairConfig { flows: 2, mtu: Bytes(100), ..base.clone() },
            AirtimeFairConfig { quantum: Span::from_micros(1), ecn: false, limit: 1, ..base },
            AirtimeFairConfig { limit: 40, received: false, ..AirtimeFairConfig::default() },
        ]
    }

    #[cfg(test)]
    fn limit(config: &AirtimeFairConfig) -> Backlog {
        Backlog { packets: config.limit, bytes: u64::MAX }
    }

    #[cfg(test)]
    const BY_FLOW: bool = true;
}

#[cfg(test)]
mod tests;

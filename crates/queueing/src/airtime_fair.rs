//! Airtime-fair queueing: deficit round robin over stations by time on the air, with FQ-CoDel for the
//! flows of each station.
//!
//! T. Hoeiland-Joergensen, M. Kazior, D. Taht, P. Hurtig and A. Brunstrom, "Ending the Anomaly: Achieving
//! Low Latency and Airtime Fairness in WiFi", USENIX ATC 2017, section 3.2, and Linux's mac80211.
//!
//! ```text
//! arrival   to its flow at its station; a station that was not listed joins the new ones with the credit it has
//! repeats   a station with MPDUs to send again takes its turns like one with packets, and sends these first
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
//! Aggregates and multi-user PPDUs also take packets for a station that they name, out of turn. They are charged like
//! others.
//!
//! Over a wired link each destination counts as a station, and a packet is charged its
//! serialisation time when it leaves. Times in nanoseconds. Leaves out: weights, the queue limit in
//! airtime (AQL), CoDel's parameters for slow stations (50 ms, 300 ms).

use std::collections::VecDeque;

use airtcp_packet::PacketId;
use airtcp_probe::{ConfigError, DropReason, PoolCx, Probe};
use airtcp_random::Seed;
use airtcp_units::{Bytes, Nanos, Narrow, Span};

use crate::codel::{Rules, Waiting};
use crate::fifo::{Backlog, Ledger, Stats};
use crate::flows::{FlowQueues, FlowRules, Listed};
use crate::stations::{Stations, UNKNOWN};
use crate::{Airtime, Discipline, LinkInfo, Next, Qdisc, Verdict, Wanted};

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

/// The airtime that a station may still use in this round.
#[derive(Debug)]
struct Account {
    /// In nanoseconds.
    credit: i64,
    listed: Listed,
    /// How often MPDUs to send again wait for the turn of the station: several times only where receivers share it.
    repeats: u32,
}

/// Airtime-fair queue.
#[derive(Debug)]
pub struct AirtimeFair {
    limit: u32,
    quantum: i64,
    received: bool,
    rules: FlowRules,
    stations: Stations<FlowQueues>,
    /// By place of a station.
    accounts: Vec<Account>,
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    /// Transmission times of a packet of zero bytes and of [`PROBE`]; `None` if the owner reports airtime.
    service: Option<[Span; 2]>,
    ledger: Ledger,
}

impl AirtimeFair {
    /// Place of the station of an endpoint.
    fn station_of(&mut self, endpoint: usize) -> usize {
        let rules = self.rules;
        let place = self.stations.of(endpoint, || FlowQueues::new(rules));
        if place == self.accounts.len() {
            self.accounts.push(Account {
                credit: self.quantum,
                listed: Listed::Nowhere,
                repeats: 0,
            });
        }
        place
    }

    /// Lets a station take turns.
    fn list(&mut self, place: usize) {
        let account = &mut self.accounts[place];
        if account.listed == Listed::Nowhere {
            account.listed = Listed::New;
            self.new.push_back(u32::narrow(place));
        }
    }

    /// Lets rounds pass in which no station has credit: they change nothing else.
    fn skip_rounds(&mut self) {
        let missing = self.old.iter().map(|place| -self.accounts[*place as usize].credit);
        let rounds = missing.min().map_or(0, |least| least.max(0) / self.quantum);
        for place in &self.old {
            let credit = &mut self.accounts[*place as usize].credit;
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

    /// MPDUs for a station wait to be sent again.
    fn await_turn(&mut self, receiver: u32) {
        let known = self.stations.place(receiver);
        let Some(place) = known.or_else(|| self.stations.place(UNKNOWN)) else { return };
        self.accounts[place].repeats += 1;
        self.list(place);
    }

    fn spend(&mut self, place: usize, time: Span) {
        let credit = &mut self.accounts[place].credit;
        *credit = credit.saturating_sub_unsigned(time.0);
    }
}

impl Qdisc for AirtimeFair {
    fn enqueue<P: Probe>(&mut self, now: Nanos, id: PacketId, cx: &mut PoolCx<'_, P>) -> Verdict {
        let packet = cx.pool.get(id);
        let (len, endpoint) = (packet.wire_len(), packet.to.index());
        let place = self.station_of(endpoint);
        let own = self.stations.at(place).flow_of(endpoint);
        if self.ledger.backlog().packets >= self.limit
            && !self.stations.make_room(now, (place, own), len, &mut self.ledger, cx)
        {
            return self.ledger.refuse(now, id, DropReason::QueueFull, cx);
        }
        self.stations.at(place).push(own, Waiting { id, len, since: now });
        self.list(place);
        self.ledger.enter(now, id, len, cx)
    }

    fn dequeue<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) -> Option<PacketId> {
        let mut passed = Vec::new();
        let packet = loop {
            match self.next(now, cx) {
                Some(Next::Repeat(receiver)) => passed.push(receiver),
                Some(Next::Packet(id)) => break Some(id),
                None => break None,
            }
        };
        for receiver in passed {
            self.await_turn(receiver);
        }
        packet
    }

    fn next<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) -> Option<Next> {
        let mut without_credit = 0;
        loop {
            let list = if self.new.is_empty() { &mut self.old } else { &mut self.new };
            let place = *list.front()?;
            let account = &mut self.accounts[place as usize];
            if account.credit <= 0 {
                account.credit += self.quantum;
                account.listed = Listed::Old;
                list.pop_front();
                self.old.push_back(place);
                without_credit += 1;
                if without_credit > self.old.len() && self.new.is_empty() {
                    self.skip_rounds();
                    without_credit = 0;
                }
                continue;
            }
            if account.repeats > 0 {
                account.repeats -= 1;
                return Some(Next::Repeat(self.stations.number(place as usize)));
            }
            let flows = self.stations.at(place as usize);
            if let Some(packet) = flows.take(now, None, &mut self.ledger, cx) {
                self.charge(place as usize, packet.len);
                return Some(Next::Packet(packet.id));
            }
            list.pop_front();
            if account.listed == Listed::New {
                // The station waits behind the old stations once, so that a station that is sent single
                // packets cannot always go first.
                account.listed = Listed::Old;
                self.old.push_back(place);
            } else {
                account.listed = Listed::Nowhere;
            }
        }
    }

    fn orders_repeats(&self) -> bool {
        true
    }

    fn dequeue_for<P: Probe>(
        &mut self,
        now: Nanos,
        wanted: &Wanted<'_>,
        cx: &mut PoolCx<'_, P>,
    ) -> Option<PacketId> {
        let place = self.stations.place(wanted.receiver)?;
        let flows = self.stations.at(place);
        let packet = flows.take(now, Some(wanted.fits), &mut self.ledger, cx)?;
        self.charge(place, packet.len);
        Some(packet.id)
    }

    fn names_receivers(&self) -> bool {
        true
    }

    fn waiting_receivers(&self) -> Vec<u32> {
        self.stations.numbers(|flows| !flows.is_empty())
    }

    fn backlog(&self) -> Backlog {
        self.ledger.backlog()
    }

    fn stats(&self) -> &Stats {
        &self.ledger.stats
    }

    fn on_link(&mut self, link: &LinkInfo<'_>) {
        self.stations.set_receivers((link.receivers)());
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
        if let Some(place) = self.stations.place(airtime.peer) {
            self.spend(place, airtime.time);
        }
        if airtime.repeats {
            self.await_turn(airtime.peer);
        }
    }
}

impl Discipline for AirtimeFair {
    type Config = AirtimeFairConfig;

    fn build(config: &AirtimeFairConfig, seed: Seed, label: &str) -> Result<Self, ConfigError> {
        if config.limit == 0 {
            let message = "a queue of 0 packets passes nothing; expected 1 or more";
            return Err(ConfigError::new("limit", message));
        }
        let quantum = config.quantum;
        if !(Span::from_micros(1)..=Span::from_secs(1)).contains(&quantum) {
            let message = format!("{quantum} is out of range: expected 1 us to 1 s");
            return Err(ConfigError::new("quantum", message));
        }
        let codel = Rules::new((config.target, config.interval), config.mtu, config.ecn)?;
        let flow_quantum = ("flow_quantum", config.flow_quantum);
        Ok(Self {
            limit: config.limit,
            quantum: i64::narrow(quantum.0),
            received: config.received,
            rules: FlowRules::new(config.flows, flow_quantum, codel, seed.keyed(label))?,
            stations: Stations::default(),
            accounts: Vec::new(),
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

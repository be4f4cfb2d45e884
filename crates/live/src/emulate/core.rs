//! Frames enter, the model runs, frames leave.

use std::collections::VecDeque;

use airtcp_packet::{Ecn, Kind, Segment};
use airtcp_scenario::{Resolved, ScenarioError};
use airtcp_sim::TraceLoader;
use airtcp_sim::outside::Outside;
use airtcp_units::{Nanos, Narrow, Span};

use super::change::Set;
use super::fates::{Counts, Fate};
use super::flows::{Flows, SLOTS};
use super::frame::{ETHERNET, Packet, Parsed, mark, parse};
use super::record::{Arrival, Recorded};
use super::tracker::{Outcome, Tracker, What};

/// Address of a port on Ethernet.
pub type Mac = [u8; 6];

/// A frame to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaving {
    /// Number of the port.
    pub port: usize,
    /// The whole frame.
    pub bytes: Vec<u8>,
    /// When it left the model.
    pub at: Nanos,
}

/// A frame in the model.
#[derive(Debug)]
struct Inside {
    bytes: Vec<u8>,
    port: usize,
    to: usize,
    entered: Nanos,
    packet: Packet,
    flow: u32,
    /// It, and the copies of it that links made.
    records: u32,
}

/// Real frames in the world of a scenario.
pub struct Emulation {
    outside: Outside<Tracker>,
    names: Vec<String>,
    macs: Vec<Mac>,
    /// By pair of ports.
    flows: Vec<Flows>,
    inside: Vec<Option<Inside>>,
    free: Vec<u32>,
    spare: Vec<Vec<u8>>,
    leaving: VecDeque<Leaving>,
    fates: VecDeque<Fate>,
    arrivals: Option<Vec<Recorded>>,
    counts: Counts,
    /// Whether ARP and neighbour discovery pass beside the model.
    beside: bool,
}

/// Frames whose memory is kept for others.
const SPARE: usize = 4_096;

impl Emulation {
    /// Builds the world of a scenario. `macs` are the Ethernet addresses of the ports; with two ports they are not needed.
    ///
    /// # Errors
    /// If the scenario cannot run, or has parts that cannot do with real traffic.
    pub fn new(
        plan: &Resolved,
        macs: Vec<Mac>,
        load: &TraceLoader<'_>,
    ) -> Result<Self, ScenarioError> {
        let outside = Outside::begin(plan, SLOTS, load, Tracker::default())?;
        let names: Vec<String> = outside.ports().map(str::to_owned).collect();
        let pairs = names.len() * (names.len() - 1) / 2;
        Ok(Self {
            outside,
            flows: (0..pairs).map(|_| Flows::default()).collect(),
            names,
            macs,
            inside: Vec::new(),
            free: Vec::new(),
            spare: Vec::new(),
            leaving: VecDeque::new(),
            fates: VecDeque::new(),
            arrivals: None,
            counts: Counts::default(),
            beside: true,
        })
    }

    /// The ports are interfaces that were given: all frames pass the model.
    #[must_use]
    pub fn between(mut self) -> Self {
        self.beside = false;
        self
    }

    /// Names of the nodes that the ports stand for.
    pub fn ports(&self) -> &[String] {
        &self.names
    }

    /// Keeps arrivals and changes from now on, for [`take_arrivals`](Self::take_arrivals).
    pub fn record(&mut self) {
        self.arrivals.get_or_insert_default();
    }

    /// Arrivals and changes since the last call.
    pub fn take_arrivals(&mut self) -> Vec<Recorded> {
        self.arrivals.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// A frame arrives at a port at its stamp. Frames come in the order of their stamps. The model runs until then.
    pub fn enter(&mut self, port: usize, bytes: &[u8], stamp: Nanos) {
        let parsed = parse(bytes, bytes.len(), self.beside);
        let now = self.outside.now();
        let at = stamp.max(now);
        self.counts.clamped += u64::from(stamp < now);
        self.run_until(at);
        if let Some(arrivals) = &mut self.arrivals {
            let head = match &parsed {
                Parsed::Packet(packet) => packet.head,
                Parsed::Beside => bytes.len(),
            };
            arrivals.push(Recorded::Arrival(Arrival::new(at, port, bytes, head)));
        }
        let targets = self.targets(port, bytes);
        self.counts.stray += u64::from(targets.is_empty());
        for to in targets {
            match parsed {
                Parsed::Beside => {
                    self.counts.beside += 1;
                    self.leaving.push_back(Leaving { port: to, bytes: bytes.to_vec(), at });
                }
                Parsed::Packet(packet) => self.inject(port, to, bytes, packet, at),
            }
        }
        self.settle();
    }

    /// The ports that a frame goes to.
    fn targets(&self, port: usize, bytes: &[u8]) -> Vec<usize> {
        let others = (0..self.names.len()).filter(|other| *other != port);
        if self.names.len() == 2 || bytes.first().is_some_and(|first| first & 1 != 0) {
            return others.collect();
        }
        let is_for = |to: &usize| self.macs.get(*to).is_some_and(|mac| bytes.starts_with(mac));
        others.filter(is_for).collect()
    }

    fn inject(&mut self, port: usize, to: usize, bytes: &[u8], mut packet: Packet, at: Nanos) {
        let pair = self.pair(port, to);
        let flow = packet.tuple.map_or(0, |tuple| self.flows[pair].number(tuple));
        let wire = packet.segment.wire_len();
        if flow == 0 {
            let (ecn, service) = (packet.segment.ecn, packet.segment.service());
            let len = u16::try_from(wire).unwrap_or(u16::MAX);
            packet.segment = Segment::raw(len, ecn);
            packet.segment.set_service(service);
        }
        let Some(end) = self.outside.end(port, to, flow) else { return };
        self.flows[pair].enter(flow);
        let mut kept = self.spare.pop().unwrap_or_default();
        kept.clear();
        kept.extend_from_slice(bytes);
        let inside = Inside { bytes: kept, port, to, entered: at, packet, flow, records: 1 };
        let key = self.free.pop().unwrap_or_else(|| {
            self.inside.push(None);
            u32::narrow(self.inside.len() - 1)
        });
        self.inside[key as usize] = Some(inside);
        self.counts.entered += 1;
        self.outside.probe_mut().expect(key);
        self.outside.inject(end, packet.segment, at);
    }

    /// Number of a pair of ports.
    fn pair(&self, a: usize, b: usize) -> usize {
        let (low, high) = (a.min(b), a.max(b));
        // The pairs before those of `low`, and those of `low` before this one.
        low * (2 * self.names.len() - low - 1) / 2 + (high - low - 1)
    }

    /// Runs the model until `until`. An earlier time than before does nothing.
    pub fn run_until(&mut self, until: Nanos) {
        self.outside.run_until(until);
        self.settle();
    }

    /// The scenario becomes `plan`, at the time until which the model has run. `set` is the change that made it, to be recorded.
    ///
    /// # Errors
    /// If such a change is impossible while the model runs. Then nothing changes.
    pub fn change(
        &mut self,
        set: &Set,
        plan: &Resolved,
        load: &TraceLoader<'_>,
    ) -> Result<(), ScenarioError> {
        self.outside.change(plan, load)?;
        if let Some(arrivals) = &mut self.arrivals {
            arrivals.push(Recorded::Change(self.outside.now(), set.clone()));
        }
        Ok(())
    }

    /// When something happens next in the model; earlier if a frame arrives.
    pub fn next_event(&mut self) -> Option<Nanos> {
        self.outside.next_event()
    }

    /// The time until which the model has run.
    pub const fn now(&self) -> Nanos {
        self.outside.now()
    }

    /// The next frame to write.
    pub fn leave(&mut self) -> Option<Leaving> {
        self.leaving.pop_front()
    }

    /// Gives the memory of a written frame back.
    pub fn recycle(&mut self, bytes: Vec<u8>) {
        if self.spare.len() < SPARE {
            self.spare.push(bytes);
        }
    }

    /// The next packet that has left the model or was dropped.
    pub fn take_fate(&mut self) -> Option<Fate> {
        self.fates.pop_front()
    }

    /// Numbers of packets so far.
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Packets that wait in the queues of links, and those in the stations of cells; simulated ones count.
    pub fn waiting(&self) -> u64 {
        self.outside.waiting()
    }

    /// For each cell, the time in which at least one of its frames was on the air.
    pub fn on_air(&self) -> Vec<Span> {
        self.outside.on_air()
    }

    /// Packets that are in the model.
    pub fn in_flight(&self) -> usize {
        self.inside.len() - self.free.len()
    }

    /// The plan, with the flows that are simulated.
    pub const fn plan(&self) -> &Resolved {
        self.outside.plan()
    }

    /// Takes what the model has done.
    fn settle(&mut self) {
        while let Some(outcome) = self.outside.probe_mut().take() {
            let place = outcome.key as usize;
            let Some(mut inside) = self.inside[place].take() else { continue };
            if outcome.what == What::Copied {
                self.counts.copied += 1;
                inside.records += 1;
                let pair = self.pair(inside.port, inside.to);
                self.flows[pair].enter(inside.flow);
            } else {
                self.end(&mut inside, &outcome);
            }
            if inside.records > 0 {
                self.inside[place] = Some(inside);
            } else {
                self.free.push(outcome.key);
                self.recycle(inside.bytes);
            }
        }
    }

    /// A record of a packet has come to its end.
    fn end(&mut self, inside: &mut Inside, outcome: &Outcome) {
        inside.records -= 1;
        let pair = self.pair(inside.port, inside.to);
        self.flows[pair].leave(inside.flow);
        let (fate, place) = match outcome.what {
            What::Left { ecn, .. } => {
                let marked = ecn == Ecn::Ce && inside.packet.segment.ecn != Ecn::Ce;
                self.counts.delivered += 1;
                self.counts.marked += u64::from(marked);
                let mut bytes = if inside.records > 0 {
                    inside.bytes.clone()
                } else {
                    std::mem::take(&mut inside.bytes)
                };
                if marked {
                    mark(&mut bytes);
                }
                self.leaving.push_back(Leaving { port: inside.to, bytes, at: outcome.at });
                (if marked { "marked" } else { "delivered" }, self.names[inside.to].clone())
            }
            What::Dropped { source, part, reason } => {
                self.counts.dropped += 1;
                (reason.name(), self.outside.place(source, part))
            }
            What::Copied => return,
        };
        let segment = &inside.packet.segment;
        self.fates.push_back(Fate {
            port: self.names[inside.port].clone(),
            flow: inside.flow,
            ends: inside.packet.tuple.map(|tuple| tuple.ends()),
            ip_id: inside.packet.ip_id,
            seq: if segment.kind == Kind::Tcp { segment.seq.0 } else { 0 },
            length: segment.wire_len(),
            entered: inside.entered,
            left: outcome.at,
            fate,
            place,
        });
    }
}

/// A frame shorter than an Ethernet header is no frame.
pub const SHORTEST: usize = ETHERNET;

//! Tests that drive a cell without the simulator.

mod ablation;
mod aggregate;
mod alike;
mod amsdu;
mod association;
mod bands;
mod beacons;
mod capture;
mod exchange;
mod fragment;
mod given_up;
mod hidden;
mod interference;
mod lifetime;
mod mcs_rates;
mod mixed;
mod odd;
mod ofdma;
mod preamble;
mod protection;
mod rates;
mod reuse;
mod saturation;
mod schemes;
mod sensing;
mod shared;
mod speed;
mod widths;

use airtcp_packet::{EndpointId, Packet, PacketId, Pool, Segment, Side};
use airtcp_probe::{EventSource, NoProbe, PoolCx};
use airtcp_random::Seed;
use airtcp_units::{Nanos, Span};

use super::alike::state::Alike;
use super::*;
use crate::mac::{AccessParams, Class, Frame, Kind, MacConfig, data_bytes};
use crate::node::NodeId;
use crate::phy::error::{ErrorModel, ErrorModelConfig, IdealConfig};
use crate::phy::fading::{Fading, FadingConfig};
use crate::phy::{PhySetup, Standard, Timing, TimingConfig};
use crate::rate::RatePlan;
use crate::scheme::StationSeams;

/// A cell and its driver.
struct Bench {
    cell: Medium,
    pool: Pool,
    now: Nanos,
    delivered: Vec<u64>,
    /// Times and stations of deliveries.
    received: Vec<(Nanos, NodeId)>,
    /// Numbers of the packets in the order of their deliveries, and the number of the next packet.
    order: Vec<u32>,
    number: u32,
    /// Saturated stations, and the destinations of their packets.
    saturated: Vec<(NodeId, NodeId)>,
    /// Category in which each station sends (or, `by_entry`, each entry of `saturated`).
    categories: Vec<usize>,
    by_entry: bool,
    /// The entries of `saturated` take turns.
    in_turn: bool,
    payload: u16,
    /// Frames that began while stations shared a view.
    shared_starts: usize,
    /// Transmitted frames, with their start times.
    log: Vec<(Nanos, Frame)>,
    /// Packets offered with an age, and the times at which they entered the queue.
    queued: Vec<(PacketId, Nanos)>,
    /// Ages at delivery of these packets.
    ages: Vec<u64>,
}

fn plan(n: usize, standard: Standard, mac: MacConfig, timing: TimingConfig) -> CellPlan {
    let timing = Timing::new(standard, &timing).unwrap();
    let access = mac.params(standard, false).unwrap();
    let mode = *standard.modes().collect::<Vec<_>>().last().unwrap();
    CellPlan {
        timing,
        mac,
        error: ErrorModel::new(&ErrorModelConfig::Ideal(IdealConfig::default())).unwrap(),
        capture: Capture::None,
        sensing: Sensing::default(),
        width: PhySetup::usual(standard).width,
        noise_mw: 1e-10,
        noise_steps: Vec::new(),
        interference: Vec::new(),
        power_mw: vec![vec![1e-6; n]; n],
        fading: Fading::new(&FadingConfig::None, Seed::new(1), "cell").unwrap(),
        ignore_below_mw: 1e-12,
        residual_error: 0.0,
        controllers: Vec::new(),
        reuse: None,
        stations: vec![
            StationPlan {
                rate: RatePlan::fixed(mode),
                towards: std::collections::BTreeMap::new(),
                dsss_only: false,
                decodes: standard.format(),
                width: PhySetup::usual(standard).width,
                others: Vec::new(),
                seams: StationSeams::plain(access)
            };
            n
        ],
    }
}

impl Bench {
    fn new(plan: CellPlan, seed: u64) -> Self {
        Self::of(Medium::new(plan, Seed::new(seed), "cell").unwrap())
    }

    fn of(cell: Medium) -> Self {
        let n = cell.len();
        Self {
            cell,
            pool: Pool::new(),
            now: Nanos::ZERO,
            delivered: vec![0; n],
            received: Vec::new(),
            order: Vec::new(),
            number: 0,
            saturated: Vec::new(),
            categories: vec![0; n],
            by_entry: false,
            in_turn: false,
            payload: 1460,
            shared_starts: 0,
            log: Vec::new(),
            queued: Vec::new(),
            ages: Vec::new(),
        }
    }

    /// Treats every station by itself, before a test changes who hears whom.
    fn by_themselves(&mut self) {
        self.cell.leave_all();
        self.cell.alike = Alike::none(self.cell.len());
    }

    fn offer(&mut self, from: NodeId, to: NodeId) {
        self.offer_in(from, to, self.categories[from.index()]);
    }

    fn offer_in(&mut self, from: NodeId, to: NodeId, category: usize) {
        self.offer_aged(from, to, category, self.now);
    }

    /// Offers a packet that entered the station's queue at `entered`.
    fn offer_aged(&mut self, from: NodeId, to: NodeId, category: usize, entered: Nanos) {
        let packet = self.packet(from);
        if entered < self.now {
            self.queued.push((packet, entered));
        }
        let mut probe = NoProbe;
        let mut cx = PoolCx::new(&mut probe, &mut self.pool, EventSource::Link(0));
        let offered = Offered { packet, to, category, entered };
        self.cell.offer(self.now, from, offered, &mut cx);
    }

    fn feed(&mut self) {
        while let Some(got) = self.cell.poll() {
            self.delivered[got.to.index()] += 1;
            self.received.push((self.now, got.to));
            let aged = self.queued.iter().find(|(packet, _)| *packet == got.packet);
            self.ages.extend(aged.map(|(_, entered)| self.now.since(*entered).0));
            self.order.push(self.pool.get(got.packet).segment.seq.0);
            self.pool.remove(got.packet);
        }
        for i in 0..self.saturated.len() {
            let (from, to) = self.saturated[i];
            let category = self.categories[if self.by_entry { i } else { from.index() }];
            if self.cell.is_ready(from, category) {
                self.offer_in(from, to, category);
                if self.in_turn {
                    self.saturated.rotate_left(1);
                    return;
                }
            }
        }
    }

    /// The next packet of a station.
    fn packet(&mut self, from: NodeId) -> PacketId {
        let to = EndpointId::new(from.0, Side::Server);
        let segment = Segment::datagram(self.number, self.payload);
        self.number += 1;
        self.pool.insert(Packet { to, segment })
    }

    /// Whether a station has packets for another one in a category.
    fn is_saturated(&self, (station, to): (NodeId, NodeId), category: usize) -> bool {
        let by = |i: usize| self.categories[if self.by_entry { i } else { station.index() }];
        let mut entries = self.saturated.iter().enumerate();
        entries.any(|(i, entry)| *entry == (station, to) && by(i) == category)
    }

    /// Fills the aggregates of saturated stations.
    fn fill(&mut self) {
        let mut place = 0;
        while self.cell.filling(place).is_some() {
            if let Some((station, category)) = self.cell.planning(place) {
                let all = (0..u32::try_from(self.cell.len()).unwrap()).map(NodeId);
                let queued: Vec<NodeId> =
                    all.filter(|to| self.is_saturated((station, *to), category)).collect();
                let mut probe = NoProbe;
                let mut cx = PoolCx::new(&mut probe, &mut self.pool, EventSource::Link(0));
                self.cell.plan(self.now, station, &queued, &mut cx);
            }
            while let Some(Some(filling)) = self.cell.filling(place) {
                let Filling { station, category, to, multi_user } = filling;
                if self.is_saturated((station, to), category) {
                    self.join(station, to, category);
                }
                if !multi_user {
                    break;
                }
                self.cell.close_filling(station);
            }
            if let Some((station, category)) = self.cell.reporting(place) {
                let saturated = self.saturated.iter().any(|(from, _)| *from == station);
                let queue = if saturated { (1_000, 1_488_000) } else { (0, 0) };
                self.cell.set_queued(station, category, queue);
            }
            place += 1;
        }
    }

    /// Adds packets to an aggregate until it is full.
    fn join(&mut self, station: NodeId, to: NodeId, category: usize) {
        loop {
            let packet = self.packet(station);
            let (mut probe, entered) = (NoProbe, self.now);
            let mut cx = PoolCx::new(&mut probe, &mut self.pool, EventSource::Link(0));
            let offered = Offered { packet, to, category, entered };
            if !self.cell.fill(self.now, station, offered, &mut cx) {
                self.pool.remove(packet);
                self.number -= 1;
                return;
            }
        }
    }

    fn run(&mut self, until: Nanos) {
        self.feed();
        loop {
            let now = self.cell.next_end().min(self.cell.next_timer());
            if now > until {
                self.now = until;
                return;
            }
            self.now = now;
            let mut probe = NoProbe;
            let mut cx = PoolCx::new(&mut probe, &mut self.pool, EventSource::Link(0));
            if self.cell.next_end() == now {
                self.cell.on_ends(now, &mut cx);
                self.feed();
            }
            let mut cx = PoolCx::new(&mut probe, &mut self.pool, EventSource::Link(0));
            if self.cell.next_timer() <= now {
                self.cell.on_timers(now, &mut cx);
            }
            self.fill();
            let mut cx = PoolCx::new(&mut probe, &mut self.pool, EventSource::Link(0));
            if self.cell.is_starting() {
                let frames = self.cell.air.starting().len();
                self.shared_starts += if self.cell.alike.is_shared() { frames } else { 0 };
                let own = self.cell.at_event(now);
                self.cell.compose(own);
                self.log.extend(self.cell.air.starting().iter().map(|frame| (now, *frame)));
                self.cell.on_starts(now, &mut cx);
            }
            self.feed();
            self.assert_deadlines();
        }
    }

    /// The cell's deadline of every station with its own view is that of the station.
    fn assert_deadlines(&mut self) {
        // The next event asks for them.
        self.cell.next_timer();
        for place in 0..self.cell.alike.apart.len().min(8) {
            let i = self.cell.alike.apart[place] as usize;
            let station = &self.cell.stations[i];
            let next = station.next_timer(&self.cell.cells.of(i).rules);
            assert_eq!(self.cell.deadline(i), next, "station {i} at {:?}", self.now);
        }
    }
}

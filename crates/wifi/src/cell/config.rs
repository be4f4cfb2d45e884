//! What a cell is built from: who is heard by whom and how strongly, and by what rules.

use std::collections::VecDeque;

use airtcp_probe::ConfigError;
use airtcp_random::Seed;
use airtcp_units::{Dbm, Nanos, Span};

use super::Cell;
use super::air::Transmission;
use super::ambient::Ambient;
use super::bss::{Bss, Parts};
use super::capture::{Capture, Factors, Sensing};
use super::radio::Radio;
use super::report::{FlowShares, StationStats};
use crate::interference::Source;
use crate::mac::{Association, Beacons, Contender, Kind, MacConfig, NodeId, Rules, Station};
use crate::phy::Timing;
use crate::phy::error::ErrorModel;
use crate::phy::fading::Fading;
use crate::rate::{Rate, RatePlan, Surroundings};

/// Access parameters of one category.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccessParams {
    /// Slots of the inter-frame space: 2 for DIFS.
    pub aifsn: u32,
    /// Least contention window.
    pub cw_min: u32,
    /// Greatest contention window.
    pub cw_max: u32,
    /// Longest transmission opportunity; one frame exchange if zero.
    pub txop: Span,
    /// How old a packet may be when an attempt begins; as old as it likes if absent.
    pub lifetime: Option<Span>,
}

impl AccessParams {
    /// The same, with one frame an access.
    const fn for_one_frame(self) -> Self {
        Self { txop: Span::ZERO, ..self }
    }
}

/// One station.
#[derive(Debug, Clone, PartialEq)]
pub struct StationPlan {
    /// Rates of its data frames.
    pub rate: RatePlan,
    /// Its access categories, lowest priority first; one under DCF.
    pub access: Vec<AccessParams>,
}

/// A cell.
#[derive(Debug)]
pub struct CellPlan {
    /// Times.
    pub timing: Timing,
    /// Medium access.
    pub mac: MacConfig,
    /// What can be decoded.
    pub error: ErrorModel,
    /// What becomes of overlapping frames.
    pub capture: Capture,
    /// What is noticed.
    pub sensing: Sensing,
    /// Noise in mW.
    pub noise_mw: f64,
    /// Noise in mW from an instant on, in order of time.
    pub noise_steps: Vec<(Nanos, f64)>,
    /// What disturbs frames and is no frame.
    pub interference: Vec<Source>,
    /// Power in mW at which each station (second index) hears each (first index).
    pub power_mw: Vec<Vec<f64>>,
    /// How these powers change over time.
    pub fading: Fading,
    /// Powers below this are left out of everything, in mW.
    pub ignore_below_mw: f64,
    /// Probability that a data frame is lost to what the models leave out.
    pub residual_error: f64,
    /// The stations.
    pub stations: Vec<StationPlan>,
}

/// What joins cells that share a medium.
#[derive(Debug)]
pub struct Between {
    /// Power in mW at which each station (second index) hears each (first index) of another cell;
    /// the stations of all cells in order. What it says of two stations of one cell is not read.
    pub power_mw: Vec<Vec<f64>>,
    /// How these powers change over time.
    pub fading: Fading,
    /// By cell, its channel: frames on another are energy that cannot be decoded.
    pub channels: Vec<u16>,
}

/// Thresholds of a cell's radios in mW.
#[derive(Debug)]
pub(crate) struct Levels {
    pub(crate) sensitivity: f64,
    pub(crate) carrier_sense: f64,
    pub(crate) energy_detect: f64,
    pub(crate) detection_time: Span,
    residual: f64,
    pub(crate) factors: Factors,
}

impl Levels {
    /// Whether a frame of `power` stands out from the sum of `others` by `ratio`. Where no ratio
    /// is enough, only others that are heard count.
    pub(crate) fn amid(&self, power: f64, others: f64, ratio: f64) -> bool {
        if ratio.is_finite() { power >= others * ratio } else { others < self.carrier_sense }
    }

    /// Probability that a frame is not lost to what the models leave out (residual errors).
    pub(crate) fn clear(&self, sent: &Transmission) -> f64 {
        if sent.frame.kind == Kind::Data { 1.0 - self.residual } else { 1.0 }
    }
}

/// Who hears whom how strongly, in mW.
#[derive(Debug, Default)]
pub(crate) struct Powers {
    mw: Vec<Vec<f64>>,
    /// By station that hears.
    ignore_below: Vec<f64>,
}

impl Powers {
    /// Power at which `to` hears `from`; `None` for broadcast, for itself and for nothing.
    pub(crate) fn get(&self, from: NodeId, to: NodeId) -> Option<f64> {
        let power = *self.mw.get(from.index())?.get(to.index())?;
        (from != to && power >= self.ignore_below[to.index()]).then_some(power)
    }

    /// Who hears a station, and how strongly.
    fn hearers(&self, from: usize) -> Vec<(u32, f64)> {
        let heard = |to| self.get(NodeId(from as u32), NodeId(to)).map(|power| (to, power));
        (0..self.mw.len() as u32).filter_map(heard).collect()
    }
}

impl Cell {
    /// Builds a cell that has its medium for itself; its random draws come from `seed` under
    /// `label`.
    ///
    /// # Errors
    /// If the rules of medium access are impossible, or a station's access parameters are.
    pub fn new(plan: CellPlan, seed: Seed, label: &str) -> Result<Self, ConfigError> {
        let fading = plan.fading;
        let between = Between { power_mw: Vec::new(), fading, channels: vec![0] };
        Self::shared(vec![(plan, label.to_owned())], between, seed).map_err(|(_, e)| e)
    }

    /// Builds cells that share a medium, each with the label of its draws: what one of them draws
    /// does not depend on the others.
    ///
    /// # Errors
    /// As [`Self::new`], with the number of the cell.
    pub fn shared(
        cells: Vec<(CellPlan, String)>,
        between: Between,
        seed: Seed,
    ) -> Result<Self, (usize, ConfigError)> {
        let total = cells.iter().map(|(plan, _)| plan.stations.len()).sum();
        let mut medium = Self {
            bss: Vec::with_capacity(cells.len()),
            of: Vec::with_capacity(total),
            powers: Powers { mw: between.power_mw, ignore_below: Vec::with_capacity(total) },
            fading: between.fading,
            stations: Vec::with_capacity(total),
            radios: (0..total).map(|_| Radio::default()).collect(),
            hearers: Vec::new(),
            air: Vec::new(),
            next_end: Nanos::NEVER,
            detections: VecDeque::new(),
            starting: Vec::new(),
            deadlines: vec![Nanos::NEVER; total],
            next_timer: Nanos::NEVER,
            stale: false,
            out: VecDeque::new(),
            ready: Vec::new(),
            touched: Vec::new(),
            over: Vec::new(),
            waits: Vec::new(),
            decoded: None,
            blamed: None,
            stats: vec![StationStats::default(); total],
            shares: FlowShares::new(total),
        };
        for (number, (plan, label)) in cells.into_iter().enumerate() {
            let channel = between.channels.get(number).copied().unwrap_or_default();
            medium.add(plan, channel, seed, &label).map_err(|e| (number, e))?;
        }
        medium.hearers = (0..total).map(|from| medium.powers.hearers(from)).collect();
        // Beacons are waited for from the start.
        (0..total as u32).for_each(|station| medium.refresh(station));
        medium.interferers_begin(Nanos::ZERO);
        Ok(medium)
    }

    /// Adds a cell and its stations after those that are there.
    fn add(
        &mut self,
        plan: CellPlan,
        channel: u16,
        seed: Seed,
        label: &str,
    ) -> Result<(), ConfigError> {
        plan.mac.validate()?;
        plan.mac.check_protection(&plan.timing)?;
        let n = plan.stations.len();
        let (first, total) = (self.stations.len(), self.radios.len());
        let rules = Rules { timing: plan.timing, mac: plan.mac };
        for (i, station) in plan.stations.iter().enumerate() {
            if station.access.len() != rules.mac.categories() {
                return Err(ConfigError::new("access", "does not fit the access method"));
            }
            let contender = |a: &AccessParams| {
                let ifs = rules.timing.aifs(a.aifsn);
                Contender::new(ifs, a.cw_min, a.cw_max, a.txop).with_lifetime(a.lifetime)
            };
            let contenders = station.access.iter().map(contender).collect();
            let highest = station.access.last().map(|a| contender(&a.for_one_frame()));
            let random = seed.stream(&format!("{label}/sta/{i}/backoff"));
            let beacons = rules.mac.beacons.filter(|_| i == 0).map(|config| {
                let phase = |below| seed.stream(&format!("{label}/beacon")).below(below);
                Beacons::new(&config, phase)
            });
            let label = format!("{label}/sta/{i}/rate");
            let around =
                Surroundings { timing: &rules.timing, error: &plan.error, seed, label: &label };
            let rate = Rate::new(&station.rate, around)?;
            let id = NodeId((first + i) as u32);
            let slowest = station.rate.slowest();
            let mut station = Station::new(id, total, contenders, rate, slowest, random);
            let association =
                rules.mac.association.zip(rules.mac.beacons).map(|(config, beacons)| {
                    Association::new(&config, beacons.interval, id, NodeId(first as u32))
                });
            if let Some(contender) = highest.filter(|_| beacons.is_some() || association.is_some())
            {
                station.manage(beacons, association, contender);
            }
            self.stations.push(station);
        }
        if self.powers.mw.is_empty() {
            self.powers.mw = plan.power_mw;
        } else {
            for (from, row) in plan.power_mw.iter().enumerate() {
                self.powers.mw[first + from][first..first + n].copy_from_slice(row);
            }
        }
        self.powers.ignore_below.resize(first + n, plan.ignore_below_mw);
        self.of.resize(first + n, self.bss.len());
        let levels = Levels {
            sensitivity: Dbm(plan.sensing.sensitivity_dbm).milliwatts(),
            carrier_sense: Dbm(plan.sensing.carrier_sense_dbm).milliwatts(),
            energy_detect: Dbm(plan.sensing.energy_detect_dbm).milliwatts(),
            detection_time: plan.sensing.detection_time,
            residual: plan.residual_error,
            factors: plan.capture.factors(),
        };
        let ambient = Ambient::new(
            plan.noise_mw,
            plan.noise_steps,
            plan.interference,
            n,
            levels.energy_detect,
        );
        let draws = [format!("{label}/decode"), format!("{label}/decode abroad")];
        let draws = draws.map(|label| seed.keyed(&label));
        let parts = Parts { rules, error: plan.error, fading: plan.fading, levels, ambient, draws };
        self.bss.push(Bss::new(first, channel, parts));
        Ok(())
    }
}

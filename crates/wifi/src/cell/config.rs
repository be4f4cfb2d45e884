//! What a cell is built from: who is heard by whom and how strongly, and by what rules.

use std::collections::VecDeque;

use airtcp_probe::ConfigError;
use airtcp_random::Seed;
use airtcp_units::{Dbm, Nanos, Span};

use super::Cell;
use super::ambient::Ambient;
use super::capture::{Capture, Factors, Sensing};
use super::radio::Radio;
use super::report::StationStats;
use crate::interference::Source;
use crate::mac::{Contender, MacConfig, NodeId, Rules, Station};
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

/// Powers and thresholds in mW.
#[derive(Debug)]
pub(crate) struct Levels {
    pub(crate) sensitivity: f64,
    pub(crate) carrier_sense: f64,
    pub(crate) energy_detect: f64,
    pub(crate) residual: f64,
    pub(crate) factors: Factors,
    power: Vec<Vec<f64>>,
    ignore_below: f64,
}

impl Levels {
    /// Power at which `to` hears `from`; `None` for broadcast, for itself and for nothing.
    pub(crate) fn power(&self, from: NodeId, to: NodeId) -> Option<f64> {
        let power = *self.power.get(from.index())?.get(to.index())?;
        (from != to && power >= self.ignore_below).then_some(power)
    }

    /// Whether a frame of `power` stands out from the sum of `others` by `ratio`. Where no ratio
    /// is enough, only others that are heard count.
    pub(crate) fn amid(&self, power: f64, others: f64, ratio: f64) -> bool {
        if ratio.is_finite() { power >= others * ratio } else { others < self.carrier_sense }
    }
}

impl Cell {
    /// Builds a cell; its random draws come from `seed` under `label`.
    ///
    /// # Errors
    /// If the rules of medium access are impossible, or a station's access parameters are.
    pub fn new(plan: CellPlan, seed: Seed, label: &str) -> Result<Self, ConfigError> {
        plan.mac.validate()?;
        let n = plan.stations.len();
        let rules = Rules { timing: plan.timing, mac: plan.mac };
        let mut stations = Vec::with_capacity(n);
        for (i, station) in plan.stations.iter().enumerate() {
            if station.access.len() != rules.mac.categories() {
                return Err(ConfigError::new("access", "does not fit the access method"));
            }
            let contender = |a: &AccessParams| {
                Contender::new(rules.timing.aifs(a.aifsn), a.cw_min, a.cw_max, a.txop)
            };
            let contenders = station.access.iter().map(contender).collect();
            let random = seed.stream(&format!("{label}/sta/{i}/backoff"));
            let label = format!("{label}/sta/{i}/rate");
            let around =
                Surroundings { timing: &rules.timing, error: &plan.error, seed, label: &label };
            let rate = Rate::new(&station.rate, around)?;
            stations.push(Station::new(NodeId(i as u32), n, contenders, rate, random));
        }
        let hearers = (0..n).map(|from| {
            let heard =
                |to: &usize| *to != from && plan.power_mw[from][*to] >= plan.ignore_below_mw;
            (0..n).filter(heard).map(|to| (to as u32, plan.power_mw[from][to])).collect()
        });
        let ambient = Ambient::new(plan.noise_mw, plan.noise_steps, plan.interference, n);
        let mut cell = Self {
            ambient,
            hearers: hearers.collect(),
            levels: Levels {
                sensitivity: Dbm(plan.sensing.sensitivity_dbm).milliwatts(),
                carrier_sense: Dbm(plan.sensing.carrier_sense_dbm).milliwatts(),
                energy_detect: Dbm(plan.sensing.energy_detect_dbm).milliwatts(),
                residual: plan.residual_error,
                factors: plan.capture.factors(),
                ignore_below: plan.ignore_below_mw,
                power: plan.power_mw,
            },
            rules,
            error: plan.error,
            fading: plan.fading,
            stations,
            radios: (0..n).map(|_| Radio::default()).collect(),
            air: Vec::new(),
            next_end: Nanos::NEVER,
            starting: Vec::new(),
            deadlines: vec![Nanos::NEVER; n],
            next_timer: Nanos::NEVER,
            stale: false,
            ordinal: 0,
            draws: seed.keyed(&format!("{label}/decode")),
            out: VecDeque::new(),
            ready: Vec::new(),
            touched: Vec::new(),
            over: Vec::new(),
            decoded: None,
            blamed: None,
            stats: vec![StationStats::default(); n],
            busy_since: Nanos::ZERO,
            busy_ns: 0,
        };
        cell.interferers_begin(Nanos::ZERO);
        Ok(cell)
    }
}

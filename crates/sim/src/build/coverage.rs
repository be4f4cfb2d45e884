//! Positions of the stations of a cell, and the signal of each at the access point. In a chain, it is the
//! signal at the neighbour towards the access point.
//!
//! ```text
//! signal = power - loss(station, access point)                       dBm
//! SNR    = signal - noise floor                                      dB
//! margin = signal - sensitivity, or signal - (noise floor + SINR)    dB
//! ```
//!
//! `SINR` is the ratio at which half of the frames of 1000 bytes survive, at the station's rate or the
//! lowest rate that its rate control can choose. The noise floor is that in the band of its frames. Leaves out fading and interference.

use std::collections::BTreeMap;

use airtcp_random::Seed;
use airtcp_scenario::{Cell as Plan, CellSpec, Hops, Resolved};
use airtcp_units::detmath;
use airtcp_wifi::ConfigError;
use airtcp_wifi::cell::noise_part;
use airtcp_wifi::phy::propagation::{PathLossConfig, Position};
use airtcp_wifi::phy::{Mode, Width};
use airtcp_wifi::rate::{RateConfig, RatePlan};

use super::radio_map::RadioMap;
use super::{amsdu, curves};

/// Length of the frames that define the range (a choice).
const FRAME_BITS: u64 = 8000;
/// Share of these frames that survives at the edge of the range (a choice).
const EDGE: f64 = 0.5;

/// A station's position and signal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) at: Position,
    /// Number of stations, access point excluded, whose frames it does not sense.
    pub(crate) hidden: u32,
    /// Its signal at the access point, or in a chain at its neighbour towards the access point; `None` for
    /// the access point.
    pub(crate) heard: Option<Heard>,
}

/// Signal of a station at the node that receives its packets for the access point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heard {
    pub(crate) distance_m: f64,
    /// Minus infinity if no power arrives.
    pub(crate) signal_dbm: f64,
    pub(crate) snr_db: f64,
}

fn places_on(map: &RadioMap, spec: &CellSpec) -> Vec<Place> {
    let (at, hops) = (&map.positions, spec.hops);
    let keys = spec.station_keys();
    let floor = |i: usize| {
        let width = keys.setup(i).map_or(map.width, |setup| setup.width);
        decibels(map.noise.floor_mw() * noise_part(None, width, map.width))
    };
    let mut hidden = vec![0; at.len()];
    for i in 1..at.len() {
        for j in 1..i {
            if map.signal_dbm(i, j) < map.sensing.carrier_sense_dbm {
                hidden[i] += 1;
                hidden[j] += 1;
            }
        }
    }
    let place = |i: usize| {
        let receiver = hops.next_to_access_point(i);
        let signal_dbm = map.signal_dbm(i, receiver);
        let heard = || Heard {
            distance_m: at[receiver].distance_m(at[i]),
            signal_dbm,
            snr_db: signal_dbm - floor(i),
        };
        Place { at: at[i], hidden: hidden[i], heard: (i > 0).then(heard) }
    };
    (0..at.len()).map(place).collect()
}

/// The places of a cell's stations, the access point's first. Empty if a model refuses its parameters,
/// which building the cell reports.
pub(crate) fn places(plan: &Plan, seed: Seed) -> Vec<Place> {
    RadioMap::new(plan, seed).map(|map| places_on(&map, &plan.spec)).unwrap_or_default()
}

/// Warnings about stations that are out of range, for the positions of the first replication, and about modes without
/// measured error rates.
pub fn warnings(plan: &Resolved) -> Vec<String> {
    let seed = Seed::new(plan.scenario.seed);
    plan.cells.iter().flat_map(|cell| cell_warnings(cell, seed).unwrap_or_default()).collect()
}

fn cell_warnings(plan: &Plan, seed: Seed) -> Result<Vec<String>, ConfigError> {
    let spec = &plan.spec;
    let map = RadioMap::new(plan, seed).map_err(|(_, e)| e)?;
    let places = places_on(&map, spec);
    let noticed = map.sensing.sensitivity_dbm;
    let error = spec.error_model()?;
    let survives = |mode: Mode| {
        // Stations that send non-HT frames in a cell of 802.11n, ac or ax are 20 MHz wide, as all others.
        let floor = map.noise.floor_mw() * noise_part(Some(mode), Width::Mhz20, map.width);
        decibels(floor) + decibels(error.sinr_for(mode, FRAME_BITS, EDGE))
    };
    let mut deaf = Vec::new();
    // By mode, the stations that are too weak for it.
    let mut weak: BTreeMap<Mode, Vec<(&str, Heard)>> = BTreeMap::new();
    let keys = spec.station_keys();
    for (i, (name, place)) in map.names.iter().zip(&places).enumerate() {
        let Some(heard) = place.heard else { continue };
        let mode = slowest(&keys.rate_plan(i)?)?;
        if heard.signal_dbm < noticed {
            deaf.push((name.as_str(), heard));
        } else if heard.signal_dbm < survives(mode) {
            weak.entry(mode).or_default().push((name, heard));
        }
    }
    let all = places.len() - 1;
    let count = |n: usize, what: &str| match n {
        n if n < all => format!("{n} of {all} stations are {what}"),
        1 => format!("the station is {what}"),
        _ => format!("all stations are {what}"),
    };
    let mut found: Vec<String> = curves::warning(plan, &error)?.into_iter().collect();
    found.extend(amsdu::warning(plan));
    if !deaf.is_empty() {
        let subject = match spec.hops {
            Hops::Chain => count(deaf.len(), "out of the range of the previous node of the chain"),
            Hops::AccessPoint if deaf.len() == all => {
                format!("the access point \"{}\" is out of everyone's range", spec.access_point)
            }
            Hops::AccessPoint => count(deaf.len(), "out of the access point's range"),
        };
        let rule = match &spec.propagation.path_loss {
            PathLossConfig::Ranges(ranges) => {
                format!("frames are received up to {} m", ranges.decode_m)
            }
            _ => format!("frames below {noticed:.1} dBm are not noticed"),
        };
        found.push(format!("{}: {subject}: {rule}; {}", plan.path, nearest(deaf, noticed, spec)));
    }
    for (mode, weak) in weak {
        let survives = survives(mode);
        let subject = count(weak.len(), &format!("too weak for {mode}"));
        if !survives.is_finite() {
            let never =
                "with this error model, half of the frames of 1000 B never survive in this mode";
            found.push(format!("{}: {subject}: {never}", plan.path));
            continue;
        }
        let rule = format!("at that rate half of the frames of 1000 B survive {survives:.1} dBm");
        found.push(format!("{}: {subject}: {rule}; {}", plan.path, nearest(weak, survives, spec)));
    }
    Ok(found)
}

/// Describes the station with the strongest signal, and its margin to `needed`.
fn nearest(mut stations: Vec<(&str, Heard)>, needed: f64, spec: &CellSpec) -> String {
    stations.sort_by(|a, b| b.1.signal_dbm.total_cmp(&a.1.signal_dbm));
    let Some((name, heard)) = stations.first() else { return String::new() };
    let Heard { distance_m, signal_dbm, .. } = heard;
    let best = if stations.len() > 1 { ", the nearest to it," } else { "" };
    let place = format!("\"{name}\"{best} is {distance_m:.1} m away");
    let real = !matches!(spec.propagation.path_loss, PathLossConfig::Ranges(_));
    if real && signal_dbm.is_finite() {
        let below = signal_dbm - needed;
        // A margin that rounds to 0 has no sign.
        let margin = if below.abs() < 0.05 { 0.0 } else { below };
        format!("{place} and arrives with {signal_dbm:.1} dBm (margin {margin:.1} dB)")
    } else {
        place
    }
}

/// The rate that defines the range: the station's rate, or the lowest rate of its rate control.
fn slowest(plan: &RatePlan) -> Result<Mode, ConfigError> {
    let modes = plan.modes.iter().copied();
    let chosen = if plan.control == RateConfig::default() {
        plan.start.or_else(|| modes.max_by_key(|mode| mode.rate()))
    } else {
        modes.min_by_key(|mode| mode.rate())
    };
    chosen.ok_or_else(|| ConfigError::new("rates", "names no rate"))
}

/// A ratio, or a power in mW, in decibels.
fn decibels(ratio: f64) -> f64 {
    10.0 * detmath::log10(ratio)
}

//! Builds the cells of a medium: positions, powers, noise.
//!
//! ```text
//! power = power sent - loss(a, b) - rejection of the other channel          dBm, between two cells
//! ```
//! Of the frames of 802.11n, ac and ax, the medium takes the share that lies in the band of the radio.

use std::collections::BTreeMap;

use airtcp_random::Seed;
use airtcp_scenario::{Cell as Plan, ScenarioError};
use airtcp_units::Dbm;
use airtcp_wifi::ConfigError;
use airtcp_wifi::cell::{self, CellPlan, Coupling, Reuse, StationPlan};
use airtcp_wifi::interference::{self, Source};
use airtcp_wifi::phy::fading::Fading;
use airtcp_wifi::phy::propagation::Position;
use airtcp_wifi::scheme::StationSeams;

use super::radio_map::{RadioMap, label, propagation};

/// Powers below this share of the noise are ignored (a choice: they change no SINR by 0.05 dB).
const IGNORED_BELOW_NOISE: f64 = 0.01;

/// Builds the cells on one medium, in one replication.
pub(crate) fn medium(cells: &[&Plan], seed: Seed) -> Result<cell::Medium, ScenarioError> {
    let parts = cells.iter().map(|plan| cell(plan, seed)).collect::<Result<Vec<_>, _>>()?;
    let (plans, grounds): (Vec<CellPlan>, Vec<RadioMap>) = parts.into_iter().unzip();
    let between = between(cells, &grounds, seed)?;
    let labels = cells.iter().map(|plan| label(&plan.spec));
    cell::Medium::shared(plans.into_iter().zip(labels).collect(), between, seed)
        .map_err(|(number, e)| at(cells[number], "mac")(e))
}

/// Adds the path of a cell's table to an error.
fn at(plan: &Plan, table: &str) -> impl Fn(ConfigError) -> ScenarioError + use<> {
    let (path, table) = (plan.path.clone(), table.to_owned());
    move |e| {
        let keys = [path.as_str(), &table, e.key];
        let path: Vec<&str> = keys.into_iter().filter(|k| !k.is_empty()).collect();
        ScenarioError::at(path.join("."), e.message)
    }
}

/// Powers between the cells of one medium.
fn between(cells: &[&Plan], grounds: &[RadioMap], seed: Seed) -> Result<Coupling, ScenarioError> {
    let first = cells[0];
    let label = format!("medium/{}", first.spec.name);
    let fading = Fading::new(&first.spec.fading, seed, &label).map_err(at(first, "fading"))?;
    let channels = cells.iter().map(|plan| plan.spec.radio_channel().map_err(at(plan, "")));
    let channels = channels.collect::<Result<Vec<_>, _>>()?;
    if cells.len() == 1 {
        return Ok(Coupling { power_mw: Vec::new(), fading, channels });
    }
    let names: Vec<String> = grounds.iter().flat_map(|g| g.names.iter().cloned()).collect();
    let positions: Vec<Position> =
        grounds.iter().flat_map(|g| g.positions.iter().copied()).collect();
    let propagation =
        propagation(&first.spec, &names, seed, &label).map_err(|(table, e)| at(first, table)(e))?;
    let last = cells[cells.len() - 1];
    propagation.check(&positions, &names).map_err(at(last, "layout"))?;
    // Cell and power of each station.
    let of: Vec<(&Plan, f64)> = cells
        .iter()
        .zip(grounds)
        .flat_map(|(plan, g)| g.power_dbm.iter().map(|power| (*plan, *power)))
        .collect();
    let power = |from: usize, to: usize| {
        let ((sender, power_dbm), (hearer, _)) = (of[from], of[to]);
        // Within a cell, the cell's own table applies.
        let apart =
            if sender.path == hearer.path { None } else { sender.spec.rejection_db(&hearer.spec) };
        let Some(rejection) = apart else { return 0.0 };
        let loss = propagation.loss_db(from, positions[from], to, positions[to]);
        Dbm(power_dbm - loss - rejection).milliwatts()
    };
    let n = names.len();
    let power_mw = (0..n).map(|from| (0..n).map(|to| power(from, to)).collect()).collect();
    Ok(Coupling { power_mw, fading, channels })
}

/// The stations of a cell, the access point first.
fn stations(plan: &Plan, seams: Vec<StationSeams>) -> Result<Vec<StationPlan>, ScenarioError> {
    let keys = plan.spec.station_keys();
    let towards = keys.modes_towards().map_err(at(plan, ""))?;
    let station = |(i, seams)| {
        let rate = keys.rate_plan(i).map_err(at(plan, ""))?;
        let towards = if i == 0 { towards.clone() } else { BTreeMap::new() };
        let others =
            if i == 0 { keys.plans_towards_older().map_err(at(plan, ""))? } else { Vec::new() };
        let (dsss_only, decodes) = (keys.is_dsss_only(i), keys.standard(i).format());
        let width = keys.setup(i).map_err(at(plan, ""))?.width;
        Ok(StationPlan { rate, towards, dsss_only, decodes, width, others, seams })
    };
    seams.into_iter().enumerate().map(station).collect()
}

/// A cell of one replication, and its radio map.
fn cell(plan: &Plan, seed: Seed) -> Result<(CellPlan, RadioMap), ScenarioError> {
    let spec = &plan.spec;
    let label = &label(spec);
    let at = |table: &str| at(plan, table);
    let timing = spec.times().map_err(at("timing"))?;
    spec.sensing.validate().map_err(at("sensing"))?;
    let map = RadioMap::new(plan, seed).map_err(|(table, e)| at(table)(e))?;
    let RadioMap { names, positions, propagation, noise, sensing, .. } = &map;
    propagation.check(positions, names).map_err(at("layout"))?;
    let noise_mw = noise.floor_mw();
    let error = spec.error_model().map_err(at("error"))?;
    let n = positions.len();
    let power = |from: usize, to: usize| {
        if from == to { 0.0 } else { Dbm(map.signal_dbm(from, to)).milliwatts() }
    };
    let power_mw = (0..n).map(|from| (0..n).map(|to| power(from, to)).collect()).collect();
    let seams = spec.seams().map_err(|(table, e)| at(&table)(e))?;
    let controllers = seams.controllers;
    let stations = stations(plan, seams.stations)?;
    let streams = spec.setup().map_err(at(""))?.streams;
    let power_dbm = map.power_dbm.clone();
    let reuse = spec.bss_color.map(|color| Reuse { color, power_dbm, streams });
    let interferer = |(number, config)| {
        let context = interference::InterferenceContext {
            stations: names,
            positions,
            propagation,
            energy_detect_mw: Dbm(sensing.energy_detect_dbm).milliwatts(),
            number,
            seed,
            label: &format!("{label}/interference/{number}"),
        };
        Source::new(config, &context).map_err(at(&format!("interference[{number}]")))
    };
    let interference: Result<_, _> = spec.interference.iter().enumerate().map(interferer).collect();
    let cell = CellPlan {
        timing,
        mac: spec.mac.clone(),
        error,
        capture: spec.capture,
        sensing: *sensing,
        width: map.width,
        noise_mw,
        noise_steps: noise.steps().to_vec(),
        interference: interference?,
        power_mw,
        fading: Fading::new(&spec.fading, seed, label).map_err(at("fading"))?,
        ignore_below_mw: noise_mw * IGNORED_BELOW_NOISE,
        residual_error: spec.residual_error.get(),
        reuse,
        stations,
        controllers,
    };
    Ok((cell, map))
}

//! From a cell as the scenario describes it to one ready to run: positions, powers, noise.

use airtcp_random::Seed;
use airtcp_scenario::{Cell as Plan, ScenarioError};
use airtcp_units::Dbm;
use airtcp_wifi::ConfigError;
use airtcp_wifi::cell::{Cell, CellPlan, StationPlan};
use airtcp_wifi::interference::{self, Source};
use airtcp_wifi::phy::Timing;
use airtcp_wifi::phy::error::ErrorModel;
use airtcp_wifi::phy::fading::Fading;

use crate::ground::{Ground, label};

/// Powers this far below the noise are left out (a choice: they change no SINR by 0.05 dB).
const IGNORED_BELOW_NOISE: f64 = 0.01;

/// Builds a cell of one replication.
pub(crate) fn cell(plan: &Plan, seed: Seed) -> Result<Cell, ScenarioError> {
    let spec = &plan.spec;
    let label = &label(spec);
    let at = |table: &str| {
        let table = table.to_owned();
        move |e: ConfigError| {
            let keys = [plan.path.as_str(), &table, e.key].map(str::to_owned);
            let path: Vec<String> = keys.into_iter().filter(|k| !k.is_empty()).collect();
            ScenarioError::at(path.join("."), e.message)
        }
    };
    let timing = Timing::new(spec.standard, &spec.timing).map_err(at("timing"))?;
    let rate = spec.rate_plan().map_err(at(""))?;
    let ground = Ground::new(spec, seed).map_err(|(table, e)| at(table)(e))?;
    let Ground { names, positions, propagation, noise, sensing, .. } = &ground;
    propagation.check(positions, names).map_err(at("layout"))?;
    let noise_mw = noise.floor_mw();
    let error = ErrorModel::new(&spec.error).map_err(at("error"))?;
    let n = positions.len();
    let power = |from: usize, to: usize| {
        if from == to { 0.0 } else { Dbm(ground.signal_dbm(from, to)).milliwatts() }
    };
    let power_mw = (0..n).map(|from| (0..n).map(|to| power(from, to)).collect()).collect();
    let station = |i: usize| {
        let access = spec.mac.params(spec.standard, i == 0).map_err(at("mac"))?;
        Ok(StationPlan { rate: rate.clone(), access })
    };
    let stations = (0..n).map(station).collect::<Result<_, ScenarioError>>()?;
    let interferer = |(number, config)| {
        let site = interference::Site {
            stations: names,
            positions,
            propagation,
            energy_detect_mw: Dbm(sensing.energy_detect_dbm).milliwatts(),
            number,
            seed,
            label: &format!("{label}/interference/{number}"),
        };
        Source::new(config, &site).map_err(at(&format!("interference[{number}]")))
    };
    let interference: Result<_, _> = spec.interference.iter().enumerate().map(interferer).collect();
    let cell = CellPlan {
        timing,
        mac: spec.mac.clone(),
        error,
        capture: spec.capture,
        sensing: *sensing,
        noise_mw,
        noise_steps: noise.steps().to_vec(),
        interference: interference?,
        power_mw,
        fading: Fading::new(&spec.fading, seed, label).map_err(at("fading"))?,
        ignore_below_mw: noise_mw * IGNORED_BELOW_NOISE,
        residual_error: spec.residual_error.get(),
        stations,
    };
    Cell::new(cell, seed, label).map_err(at("mac"))
}

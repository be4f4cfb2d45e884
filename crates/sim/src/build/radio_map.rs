//! Radio map of a cell, for its simulation and its report: positions, propagation, noise and sensitivity.

use airtcp_random::Seed;
use airtcp_scenario::{Cell as Plan, CellSpec};
use airtcp_units::Dbm;
use airtcp_wifi::ConfigError;
use airtcp_wifi::cell::{Sensing, UnreceivedFrames};
use airtcp_wifi::phy::Width;
use airtcp_wifi::phy::noise::Noise;
use airtcp_wifi::phy::propagation::{Position, Propagation, PropagationContext};

use super::beside;

/// Label of a cell's random streams.
pub(crate) fn label(spec: &CellSpec) -> String {
    format!("cell/{}", spec.name)
}

/// The radio map of a cell in one replication.
pub(crate) struct RadioMap {
    /// Names of the nodes, the access point's first, in the order of `positions`.
    pub(crate) names: Vec<String>,
    pub(crate) positions: Vec<Position>,
    pub(crate) propagation: Propagation,
    pub(crate) noise: Noise,
    /// Width of the channel, over which the noise is counted.
    pub(crate) width: Width,
    /// Thresholds of the scenario, or of a path loss model with its own thresholds.
    pub(crate) sensing: Sensing,
    /// Power of the transmitters, by station.
    pub(crate) power_dbm: Vec<f64>,
}

impl RadioMap {
    /// The radio map of one replication.
    ///
    /// # Errors
    /// An error of a model, with the cell's table of the model.
    pub(crate) fn new(plan: &Plan, seed: Seed) -> Result<Self, (&'static str, ConfigError)> {
        let spec = &plan.spec;
        let label = label(spec);
        let names = spec.node_names();
        let moved = |p: Position| Position::new(p.x_m + spec.center.x_m, p.y_m + spec.center.y_m);
        let drawn = spec.layout.positions(seed, &label).into_iter().map(moved).collect();
        let positions = beside::placed(drawn, &plan.beside);
        // A loss matrix may also name nodes of neighbouring cells.
        let all: Vec<String> = names.iter().chain(&plan.neighbours).cloned().collect();
        let propagation = propagation(spec, &all, seed, &label)?;
        let setup = spec.setup().map_err(|e| ("", e))?;
        let noise = Noise::new(&spec.noise, setup.bandwidth_hz()).map_err(|e| ("noise", e))?;
        let mut sensing = spec.sensing;
        if let Some(ranges) = propagation.thresholds(Dbm(spec.power_dbm)) {
            sensing.sensitivity_dbm = ranges.decode.0;
            sensing.carrier_sense_dbm = ranges.sense.0;
            if sensing.unreceived_frames == UnreceivedFrames::Energy {
                // 802.11-2020 17.3.10.6: 20 dB above the minimum sensitivity.
                sensing.energy_detect_dbm = ranges.decode.0 + 20.0;
            }
        }
        let keys = spec.station_keys();
        // What cannot be applied was refused with the scenario.
        let seams = spec.seams().ok();
        let gain = |station: usize| {
            seams.as_ref().and_then(|s| s.stations.get(station)).map_or(0.0, |s| s.power_gain_db)
        };
        let power = |station| keys.power_dbm(station) + gain(station);
        let power_dbm = (0..names.len()).map(power).collect();
        let width = setup.width;
        Ok(Self { names, positions, propagation, noise, width, sensing, power_dbm })
    }

    /// Received power of station `from` at station `to`, in dBm; minus infinity if no power arrives.
    pub(crate) fn signal_dbm(&self, from: usize, to: usize) -> f64 {
        let at = &self.positions;
        self.power_dbm[from] - self.propagation.loss_db(from, at[from], to, at[to])
    }
}

/// The propagation between stations of the given names; an error comes with its table.
pub(crate) fn propagation(
    spec: &CellSpec,
    stations: &[String],
    seed: Seed,
    label: &str,
) -> Result<Propagation, (&'static str, ConfigError)> {
    let frequency_hz = spec.setup().map_err(|e| ("", e))?.band.frequency_hz();
    let context = PropagationContext { frequency_hz, stations, seed, label };
    Propagation::new(&spec.propagation, &context).map_err(|e| {
        // The key is in the table itself or in its path loss.
        let own = matches!(e.key, "frequency_mhz" | "shadowing_db" | "walls" | "loss_db");
        (if own { "propagation" } else { "propagation.path_loss" }, e)
    })
}

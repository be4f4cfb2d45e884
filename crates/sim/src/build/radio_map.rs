//! What a cell stands on, the same for who runs it and who reports of it: the stations' positions,
//! what is lost between them, noise, and what radios notice.

use airtcp_random::Seed;
use airtcp_scenario::{Cell as Plan, CellSpec};
use airtcp_units::Dbm;
use airtcp_wifi::ConfigError;
use airtcp_wifi::cell::Sensing;
use airtcp_wifi::phy::noise::Noise;
use airtcp_wifi::phy::propagation::{Position, Propagation, PropagationContext};

/// Label under which a cell draws.
pub(crate) fn label(spec: &CellSpec) -> String {
    format!("cell/{}", spec.name)
}

/// The stations of a cell and what their radios hear of each other, in one replication.
pub(crate) struct RadioMap {
    /// Names of the nodes, the access point's first; positions likewise.
    pub(crate) names: Vec<String>,
    pub(crate) positions: Vec<Position>,
    pub(crate) propagation: Propagation,
    pub(crate) noise: Noise,
    /// As the scenario says, or as a path loss that brings thresholds with it does.
    pub(crate) sensing: Sensing,
    /// Power of the transmitters, by station.
    pub(crate) power_dbm: Vec<f64>,
}

impl RadioMap {
    /// That of one replication.
    ///
    /// # Errors
    /// What a model refuses, with the table of the cell it stands in.
    pub(crate) fn new(plan: &Plan, seed: Seed) -> Result<Self, (&'static str, ConfigError)> {
        let spec = &plan.spec;
        let label = label(spec);
        let names = spec.node_names();
        let moved = |p: Position| Position::new(p.x_m + spec.center.x_m, p.y_m + spec.center.y_m);
        let positions = spec.layout.positions(seed, &label).into_iter().map(moved).collect();
        // A table of losses may name the nodes of the cells beside this one.
        let all: Vec<String> = names.iter().chain(&plan.neighbours).cloned().collect();
        let propagation = propagation(spec, &all, seed, &label)?;
        let noise = Noise::new(&spec.noise, spec.standard).map_err(|e| ("noise", e))?;
        let mut sensing = spec.sensing;
        if let Some(ranges) = propagation.thresholds(Dbm(spec.power_dbm)) {
            sensing.sensitivity_dbm = ranges.decode.0;
            sensing.carrier_sense_dbm = ranges.sense.0;
        }
        let keys = spec.station_keys();
        let power_dbm = (0..names.len()).map(|station| keys.power_dbm(station)).collect();
        Ok(Self { names, positions, propagation, noise, sensing, power_dbm })
    }

    /// Power at which station `to` hears `from`, in dBm; minus infinity if nothing arrives.
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
    let context =
        PropagationContext { frequency_hz: spec.standard.frequency_hz(), stations, seed, label };
    Propagation::new(&spec.propagation, &context).map_err(|e| {
        // Keys are those of the table itself, or of the path loss in it.
        let own = matches!(e.key, "frequency_mhz" | "shadowing_db" | "walls" | "loss_db");
        (if own { "propagation" } else { "propagation.path_loss" }, e)
    })
}

//! The registered interferers: one line each.

use airtcp_probe::ConfigError;
use airtcp_units::Nanos;

use super::{Exposure, InterferenceContext, Interferer, Model, Reach};

airtcp_probe::family! {
    /// Any registered interferer.
    #[derive(Debug, Clone)]
    pub enum Source;
    /// One table of the list `interference` of a cell; `kind` chooses the model.
    pub enum InterferenceConfig of "interference", tag "kind" as kind;

    /// Bluetooth voice link: a packet per reserved slot, each on a random hop channel
    "bluetooth" Bluetooth(super::Bluetooth, super::BluetoothConfig) from "S0 section IV-A; Shellhammer, IEEE 802.19-06/0021";
    /// Periodic on-intervals; by default a hidden cell that captures a receiver
    "periodic" Periodic(super::Periodic, super::PeriodicConfig) from "S0 section IV-C/D";
    /// On during half of every mains cycle
    "microwave-oven" MicrowaveOven(super::Periodic, super::MicrowaveOvenConfig) from "Kamerman and Erkocevic 1997";
    /// An access point that polls and cannot receive while it polls
    "polling" Polling(super::Periodic, super::PollingConfig) from "S4 (losses every 2 s)";
}

impl Source {
    /// Builds the interferer a scenario describes.
    ///
    /// # Errors
    /// If a value is impossible. The message names the key and the accepted values.
    pub fn new(
        config: &InterferenceConfig,
        context: &InterferenceContext<'_>,
    ) -> Result<Self, ConfigError> {
        build!(config, c => Model::build(c, context))
    }
}

impl Interferer for Source {
    fn reach(&self) -> &Reach {
        each!(self, m => m.reach())
    }
    fn hits(&self, frame: &Exposure) -> bool {
        each!(self, m => m.hits(frame))
    }
    fn state(&self, at: Nanos) -> (bool, Nanos) {
        each!(self, m => m.state(at))
    }
    fn heard_by(&self) -> &[u32] {
        each!(self, m => m.heard_by())
    }
    fn adds_energy(&self) -> bool {
        each!(self, m => m.adds_energy())
    }
}

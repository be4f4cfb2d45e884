//! The registered interferers: one line each.

use airtcp_probe::{ConfigError, Entry};
use airtcp_units::Nanos;

use super::{Exposure, Interferer, Model, Reach, Site};

/// From one line per kind: the enum, its configuration, the list.
macro_rules! registry {
    ($(#[doc = $doc:literal] $name:literal $variant:ident($model:ty, $config:ty) from $source:literal;)+) => {
        /// Any registered interferer.
        #[derive(Debug, Clone)]
        pub enum Source {
            $(#[doc = $doc] $variant($model),)+
        }

        airtcp_probe::choices! {
            /// One table of the list `interference` of a cell; `kind` chooses the model.
            pub enum InterferenceConfig of "interference", tag "kind" as kind;
            $(#[doc = $doc] $name $variant($config) from $source;)+
        }

        impl Source {
            /// Builds the interferer a scenario describes.
            ///
            /// # Errors
            /// If a value is impossible; the message names the key and what is accepted.
            pub fn new(config: &InterferenceConfig, site: &Site<'_>) -> Result<Self, ConfigError> {
                match config {
                    $(InterferenceConfig::$variant(c) => {
                        <$model as Model<$config>>::build(c, site).map(Self::$variant)
                    })+
                }
            }
        }

        impl Interferer for Source {
            fn reach(&self) -> &Reach {
                match self { $(Self::$variant(m) => m.reach(),)+ }
            }
            fn hits(&self, frame: &Exposure) -> bool {
                match self { $(Self::$variant(m) => m.hits(frame),)+ }
            }
            fn state(&self, at: Nanos) -> (bool, Nanos) {
                match self { $(Self::$variant(m) => m.state(at),)+ }
            }
            fn heard_by(&self) -> &[u32] {
                match self { $(Self::$variant(m) => m.heard_by(),)+ }
            }
            fn adds_energy(&self) -> bool {
                match self { $(Self::$variant(m) => m.adds_energy(),)+ }
            }
        }
    };
}

registry! {
    /// Bluetooth voice: a packet in each slot of a link, on a channel drawn for each
    "bluetooth" Bluetooth(super::Bluetooth, super::BluetoothConfig) from "S0 section IV-A; Shellhammer, IEEE 802.19-06/0021";
    /// On for a while, periodically; by default a hidden cell's capture of a receiver
    "periodic" Periodic(super::Periodic, super::PeriodicConfig) from "S0 section IV-C/D";
    /// On during half of every mains cycle
    "microwave-oven" MicrowaveOven(super::Periodic, super::MicrowaveOvenConfig) from "Kamerman and Erkocevic 1997";
    /// An access point that polls and loses what is on the air meanwhile
    "polling" Polling(super::Periodic, super::PollingConfig) from "S4 (losses every 2 s)";
}

/// The registered interferers, for listing.
pub const fn registry() -> &'static [Entry] {
    ENTRIES
}

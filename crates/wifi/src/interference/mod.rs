//! What disturbs frames and is no frame: Bluetooth, microwave ovens, cells on the same channel that
//! are only described by when they are on.
//!
//! An interferer is a function of time. It has no events of its own: a frame asks when it ends
//! what has fallen on it. Only one that makes the medium busy has two events a period. What it
//! does at a station it reaches is one of two things:
//! - it *destroys* every frame it overlaps there, whatever the powers, or
//! - it arrives with a *power*, which adds to the noise while it is on; the SINR decides.
//!
//! Its draws are of its own: one that is never on, or reaches nobody, changes no other number.
//! Source: inventory 3.9, 3.12, 3.13; S0 section IV; S4.

pub mod bluetooth;
mod periodic;
mod reach;
mod registry;

#[cfg(test)]
pub(crate) mod tests;

pub use bluetooth::{Bluetooth, BluetoothConfig};
pub use periodic::{MicrowaveOvenConfig, Periodic, PeriodicConfig, PollingConfig};
pub use reach::{Reach, ReachConfig, Site};
pub use registry::{InterferenceConfig, Source, registry};

use airtcp_probe::ConfigError;
use airtcp_units::{Nanos, Span};

/// A frame as a station received it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exposure {
    /// The station that received it.
    pub station: usize,
    /// When the frame began.
    pub from: Nanos,
    /// When it ended; after `from`.
    pub to: Nanos,
    /// How long the IP packet in it took at the rate of its body; zero without one.
    pub payload: Span,
}

/// What a registered interferer answers. All answers are functions of time alone.
pub trait Interferer {
    /// Whom it reaches, and how.
    fn reach(&self) -> &Reach;

    /// Whether a frame at a station where it destroys frames was hit.
    fn hits(&self, frame: &Exposure) -> bool;

    /// Whether it is on at an instant, and until when it stays as it is.
    fn state(&self, at: Nanos) -> (bool, Nanos);

    /// The stations at which it makes the medium busy while it is on.
    fn heard_by(&self) -> &[u32] {
        &[]
    }

    /// Whether energy detection counts its power, beside that of frames and of others.
    fn adds_energy(&self) -> bool {
        false
    }
}

/// How a registered interferer is built from a table.
pub(crate) trait Model<Config>: Interferer + Sized {
    fn build(config: &Config, site: &Site<'_>) -> Result<Self, ConfigError>;
}

//! Interface of an interferer.

use airtcp_probe::ConfigError;
use airtcp_units::{Nanos, Span};

use super::{InterferenceContext, Reach};

/// A frame as a station received it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exposure {
    /// The station that received it.
    pub station: usize,
    /// When the frame began.
    pub from: Nanos,
    /// When it ended; after `from`.
    pub to: Nanos,
    /// Transmission time of its IP packet at the rate of its body; zero without a packet.
    pub payload: Span,
}

/// Behaviour of a registered interferer, a function of time alone.
pub trait Interferer {
    /// Effect at each station.
    fn reach(&self) -> &Reach;

    /// True if it hit a frame, at a station where it destroys frames.
    fn hits(&self, frame: &Exposure) -> bool;

    /// State at an instant (on or off), and the time of the next change.
    fn state(&self, at: Nanos) -> (bool, Nanos);

    /// The stations at which it makes the medium busy while it is on.
    fn heard_by(&self) -> &[u32] {
        &[]
    }

    /// True if energy detection includes its power.
    fn adds_energy(&self) -> bool {
        false
    }
}

/// Construction of a registered interferer.
pub(crate) trait Model<Config>: Interferer + Sized {
    fn build(config: &Config, context: &InterferenceContext<'_>) -> Result<Self, ConfigError>;
}

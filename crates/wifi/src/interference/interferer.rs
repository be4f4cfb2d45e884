//! What an interferer answers when a frame asks what has fallen on it.

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
    fn build(config: &Config, context: &InterferenceContext<'_>) -> Result<Self, ConfigError>;
}

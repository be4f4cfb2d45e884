//! Frequency bands.

use std::fmt;

use airtcp_units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A frequency band.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub enum Band {
    /// 2.4 GHz.
    #[serde(rename = "2.4 GHz")]
    Ghz2,
    /// 5 GHz.
    #[serde(rename = "5 GHz")]
    Ghz5,
    /// 6 GHz.
    #[serde(rename = "6 GHz")]
    Ghz6,
}

impl fmt::Display for Band {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ghz2 => "2.4 GHz",
            Self::Ghz5 => "5 GHz",
            Self::Ghz6 => "6 GHz",
        })
    }
}

impl Band {
    /// Short inter-frame space of OFDM.
    pub const fn sifs(self) -> Span {
        match self {
            Self::Ghz2 => Span::from_micros(10),
            Self::Ghz5 | Self::Ghz6 => Span::from_micros(16),
        }
    }

    /// Default frequency of propagation models in Hz: channel 36 at 5 GHz (as in ns-3), channel 6 at 2.4
    /// GHz, and channel 5 at 6 GHz.
    pub const fn frequency_hz(self) -> f64 {
        match self {
            Self::Ghz2 => 2.437e9,
            Self::Ghz5 => 5.18e9,
            Self::Ghz6 => 5.975e9,
        }
    }
}

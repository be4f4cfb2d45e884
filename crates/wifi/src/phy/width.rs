//! Width of a channel.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Width of a channel.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub enum Width {
    /// 20 MHz.
    #[serde(rename = "20 MHz")]
    Mhz20,
    /// 40 MHz.
    #[serde(rename = "40 MHz")]
    Mhz40,
    /// 80 MHz.
    #[serde(rename = "80 MHz")]
    Mhz80,
    /// 160 MHz.
    #[serde(rename = "160 MHz")]
    Mhz160,
}

impl Width {
    /// All widths, the narrowest first.
    pub const ALL: [Self; 4] = [Self::Mhz20, Self::Mhz40, Self::Mhz80, Self::Mhz160];

    /// The width in MHz.
    pub const fn mhz(self) -> u16 {
        match self {
            Self::Mhz20 => 20,
            Self::Mhz40 => 40,
            Self::Mhz80 => 80,
            Self::Mhz160 => 160,
        }
    }
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} MHz", self.mhz())
    }
}

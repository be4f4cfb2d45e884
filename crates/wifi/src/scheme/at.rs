//! Where in a cell a scheme acts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where in a cell a scheme acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum At {
    /// At the access point and at the stations.
    #[default]
    Both,
    /// At the access point.
    AccessPoint,
    /// At the stations.
    Stations,
}

impl At {
    /// True if the scheme acts at the station of this number; the access point is number 0.
    pub const fn includes(self, station: usize) -> bool {
        match self {
            Self::Both => true,
            Self::AccessPoint => station == 0,
            Self::Stations => station > 0,
        }
    }
}

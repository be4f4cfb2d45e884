//! Which nodes of a cell exchange frames: each station with the access point, or neighbours in a chain.
//!
//! In a chain, station `i` exchanges frames with the stations `i - 1` and `i + 1`; the access point has
//! number 0. Packets between other nodes pass all nodes between them, each of which queues and sends
//! them again. Leaves out: routing protocols, which find and lose routes during a run.

use airtcp_wifi::ConfigError;
use airtcp_wifi::mac::MacConfig;
use airtcp_wifi::phy::SetupKeys;
use airtcp_wifi::scheme::SchemeConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::StationSpec;

/// Nodes of a cell that exchange frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Hops {
    /// Each station and the access point.
    #[default]
    AccessPoint,
    /// Neighbours in the order access point, first station, second station and so on. Packets between
    /// other nodes pass the nodes between them.
    Chain,
}

impl Hops {
    /// The station that receives the packets of `station` for the access point, which has number 0.
    pub const fn next_to_access_point(self, station: usize) -> usize {
        match self {
            Self::AccessPoint => 0,
            Self::Chain => station.saturating_sub(1),
        }
    }

    /// Refuses what needs a hop between the access point and each station.
    ///
    /// # Errors
    /// The key `hops`, and the key that does not fit it.
    pub(crate) fn check(
        self,
        mac: &MacConfig,
        schemes: &[SchemeConfig],
        stations: &[StationSpec],
    ) -> Result<(), ConfigError> {
        if self == Self::AccessPoint {
            return Ok(());
        }
        let refuse = |key: &str, why: &str| {
            let message = format!(
                "is \"chain\", and {key} {why}: leave out {key}, or set hops = \"access-point\""
            );
            Err(ConfigError::new("hops", message))
        };
        if mac.association.is_some() {
            return refuse(
                "mac.association",
                "needs a hop between the access point and each station",
            );
        }
        if let Some(place) = schemes.iter().position(is_for_access_point) {
            let why = format!(
                "(\"{}\") needs a hop between the access point and each station",
                schemes[place].scheme()
            );
            return refuse(&format!("schemes[{place}]"), &why);
        }
        let differs = |own: &StationSpec| own.setup_keys() != SetupKeys::default();
        if let Some(place) = stations.iter().position(differs) {
            let why = "has a width, streams or guard interval of its own";
            return refuse(&format!("stations[{place}]"), why);
        }
        if let Some(place) = stations.iter().position(StationSpec::has_rate) {
            let why = "is a rate between the access point and a station";
            let key = if stations[place].mcs.is_some() { "mcs" } else { "rate" };
            return refuse(&format!("stations[{place}].{key}"), why);
        }
        Ok(())
    }
}

/// True if a scheme acts on the frames between the access point and all stations.
const fn is_for_access_point(scheme: &SchemeConfig) -> bool {
    match scheme {
        // ACKs of the access point to several stations; its share of the cell; MAC
        // acknowledgements and frames given up, which say nothing about the far end behind the next hop.
        SchemeConfig::Tap(_)
        | SchemeConfig::LeithClifford(_)
        | SchemeConfig::AckAgent(_)
        | SchemeConfig::Eln(_) => true,
        // The frames that the access point receives from each station.
        SchemeConfig::PerStation(config) => config.controller.is_some(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_the_access_point() {
        assert_eq!([1, 2, 3].map(|i| Hops::AccessPoint.next_to_access_point(i)), [0, 0, 0]);
        assert_eq!([1, 2, 3].map(|i| Hops::Chain.next_to_access_point(i)), [0, 1, 2]);
    }
}

//! Association: a station that is not associated sends and receives no data.
//!
//! ```text
//! beacon -> Authentication -> Authentication -> Association Request -> Association Response -> data
//!  (AP)       (station)           (AP)               (station)                 (AP)
//! ```
//! These frames, except beacons, are acknowledged and retransmitted like data. They use the lowest
//! rate and the beacons' back-off. A station starts when it receives a beacon of its access point. If
//! no answer arrives in time, or its last attempt fails, it waits for the next beacon.
//!
//! The station is associated once it receives the response. The access point counts it as associated
//! from the end of the response's exchange, even if that exchange failed: perhaps only the ACKs were
//! lost. If the response itself was lost, the station authenticates again, and the access point
//! forgets it until the next response. The access point drops packets to other stations. A station
//! loses its association after `missed_beacons` intervals without a beacon. Its packets then wait.
//!
//! Source: IEEE 802.11-2012 clauses 8.3.3.5, 8.3.3.6, 8.3.3.11, 10.3; open system authentication.
//! Leaves out scanning, reassociation with another access point, deauthentication and keys. Choices:
//! 10 missed beacons (ns-3's value), 102.4 ms for an answer, an SSID of 8 bytes.

use std::collections::BTreeSet;

use airtcp_probe::ConfigError;
use airtcp_units::{Nanos, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::node::NodeId;

/// The table `association` of medium access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AssociationConfig {
    /// Beacon intervals without a beacon after which a station loses its association.
    pub missed_beacons: u32,
    /// Time that a station waits for each of the two answers.
    pub response_timeout: Span,
}

impl Default for AssociationConfig {
    fn default() -> Self {
        Self { missed_beacons: 10, response_timeout: Span::from_micros(102_400) }
    }
}

impl AssociationConfig {
    /// Refuses impossible numbers, and association without beacons.
    pub(crate) fn validate(&self, beacons: bool) -> Result<(), ConfigError> {
        if !beacons {
            let message =
                "needs beacons, by which stations find their access point: set mac.beacons = {}";
            return Err(ConfigError::new("association", message));
        }
        if !(1..=1000).contains(&self.missed_beacons) {
            let message = format!("is {}: expected 1 to 1000", self.missed_beacons);
            return Err(ConfigError::new("association.missed_beacons", message));
        }
        if !(Span::from_millis(1)..=Span::from_secs(10)).contains(&self.response_timeout) {
            let message = format!("is {}: expected 1 ms to 10 s", self.response_timeout);
            return Err(ConfigError::new("association.response_timeout", message));
        }
        Ok(())
    }
}

/// State of association at a station or at the access point.
#[derive(Debug)]
pub(crate) enum Association {
    /// A station.
    Member {
        access_point: NodeId,
        stage: Stage,
        /// Time at which the stage times out.
        until: Nanos,
        /// Timeout without a beacon, once associated.
        missed: Span,
        /// Timeout of an answer.
        response: Span,
    },
    /// The access point, with the stations associated.
    AccessPoint(BTreeSet<NodeId>),
}

/// Stage of a station's association.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// It waits for a beacon.
    Seeking,
    /// It waits for the answer to its authentication.
    Authenticating,
    /// It waits for the association response.
    Associating,
    /// It is associated.
    Associated,
}

impl Association {
    /// Initial state of the station `id` of a cell.
    pub(crate) fn new(
        config: &AssociationConfig,
        interval: Span,
        id: NodeId,
        access_point: NodeId,
    ) -> Self {
        if id == access_point {
            return Self::AccessPoint(BTreeSet::new());
        }
        Self::Member {
            access_point,
            stage: Stage::Seeking,
            until: Nanos::NEVER,
            missed: Span(interval.0 * u64::from(config.missed_beacons)),
            response: config.response_timeout,
        }
    }
}

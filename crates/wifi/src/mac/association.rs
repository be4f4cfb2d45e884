//! Association: a station that is not associated sends nothing, and gets nothing.
//!
//! ```text
//! beacon -> Authentication -> Authentication -> Association Request -> Association Response -> data
//!  (AP)       (station)           (AP)               (station)                 (AP)
//! ```
//! All but the beacon are acknowledged and repeated like data, at the lowest rate, and contend with the
//! back-off of beacons. A station begins when it hears a beacon of its access point; without an answer
//! in time, or after its last attempt, it waits for the next one. It is associated from the response on;
//! its access point takes it to be from the end of the exchange of the response until it authenticates
//! again, and drops packets to others. That holds for a response given up as well: the station may have
//! it, the acknowledgements alone being lost, and would not ask again; if it has not, it will. A station that has not heard a beacon for the time of
//! `missed_beacons` of them is not associated any more; its packets wait.
//! Source: IEEE 802.11-2012 clauses 8.3.3.5, 8.3.3.6, 8.3.3.11, 10.3. Open system authentication; leaves
//! out: scanning, reassociation with another access point, deauthentication, keys. Choices: 10 missed
//! beacons (as ns-3 has it), 102.4 ms for an answer, an SSID of 8 bytes.

use std::collections::{BTreeSet, VecDeque};

use airtcp_probe::ConfigError;
use airtcp_units::{Nanos, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Class, NodeId};

/// The table `association` of medium access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AssociationConfig {
    /// Intervals without a beacon after which a station is not associated any more.
    pub missed_beacons: u32,
    /// How long a station waits for each of the two answers.
    pub response_timeout: Span,
}

impl Default for AssociationConfig {
    fn default() -> Self {
        Self { missed_beacons: 10, response_timeout: Span::from_micros(102_400) }
    }
}

impl AssociationConfig {
    /// Checks the numbers, and that there are beacons.
    pub(crate) fn validate(&self, beacons: bool) -> Result<(), ConfigError> {
        if !beacons {
            let message =
                "needs beacons, which tell stations of their access point: set mac.beacons = {}";
            return Err(ConfigError::new("association", message));
        }
        if !(1..=1000).contains(&self.missed_beacons) {
            let message = format!("is {}: accepted are 1 to 1000", self.missed_beacons);
            return Err(ConfigError::new("association.missed_beacons", message));
        }
        if !(Span::from_millis(1)..=Span::from_secs(10)).contains(&self.response_timeout) {
            let message = format!("is {}: accepted are 1 ms to 10 s", self.response_timeout);
            return Err(ConfigError::new("association.response_timeout", message));
        }
        Ok(())
    }
}

/// A station's part, or its access point's.
#[derive(Debug)]
pub(crate) enum Association {
    /// A station.
    Member {
        access_point: NodeId,
        stage: Stage,
        /// When the stage ends without what it waits for.
        until: Nanos,
        /// How long it lasts without a beacon, once associated,
        missed: Span,
        /// and without an answer before.
        response: Span,
    },
    /// An access point, and those associated with it.
    AccessPoint(BTreeSet<NodeId>),
}

/// How far a station has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// It waits for a beacon,
    Seeking,
    /// for the answer to its authentication,
    Authenticating,
    /// for that to its association request,
    Associating,
    /// and for nothing any more.
    Associated,
}

/// Management frames that wait for the one before.
pub(crate) type Waiting = VecDeque<(NodeId, Class)>;

impl Association {
    /// The part of the station `id` of a cell.
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

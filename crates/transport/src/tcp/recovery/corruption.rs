//! Losses that are no sign of congestion.
//!
//! [`LossResponse`] decides whether a loss that duplicate or selective acknowledgements show is
//! told to the congestion law at all. With `ecn-only` it is repaired and nothing else: congestion
//! is what ECN marks say, as in LT-TCP and in TCP Jersey (Xu, Tian, Ansari 2004). A timeout is
//! told all the same: without acknowledgements there is nothing to clock data out by, and no echo
//! could have come back either.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which losses reduce the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LossResponse {
    /// All (RFC 5681).
    #[default]
    Always,
    /// None that was found without a timeout: only congestion marks and timeouts reduce it.
    EcnOnly,
}

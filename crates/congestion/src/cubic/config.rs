//! The parameters of CUBIC.

use airtcp_probe::{ConfigError, within};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::control::LawTable;
use crate::types::LawRules;

/// Parameters of CUBIC.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CubicConfig {
    /// C, segments per second cubed: how fast the window grows back. Default 0.4. RFC 9438 section
    /// 5.1.
    pub c: f64,
    /// Share of the window *kept* on a congestion event. Default 0.7. RFC 9438 section 4.6.
    pub beta_cubic: f64,
    /// Reduce W_max further if a loss comes below the last W_max, so that new flows gain bandwidth. Default true. RFC 9438
    /// section 4.7.
    pub fast_convergence: bool,
    /// Grow at least as fast as Reno. Default true. RFC 9438 section 4.3.
    pub reno_friendly: bool,
    /// Rules: `documents` (RFC 9438) or `linux` (`tcp_cubic.c`, in whole segments). Absent: the
    /// connection's `law_rules`, which profile `linux` sets to `linux`.
    pub rules: Option<LawRules>,
    /// With `linux`: leave the first slow start when ACKs come in a long train or the round-trip time
    /// rises (HyStart). Default true. Linux `hystart`.
    pub hystart: bool,
}

impl Default for CubicConfig {
    fn default() -> Self {
        Self {
            c: 0.4,
            beta_cubic: 0.7,
            fast_convergence: true,
            reno_friendly: true,
            rules: None,
            hystart: true,
        }
    }
}

impl LawTable for CubicConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        within("c", self.c, 1e-6, 1e6)?;
        within("beta_cubic", self.beta_cubic, 0.1, 0.99)
    }
}

//! One mode for every attempt: the configured one, or the fastest.

use airtcp_probe::ConfigError;

use super::{Attempt, Control, ControlInputs, RateControl};
use crate::phy::Mode;

/// One rate.
#[derive(
    Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct FixedConfig {}

/// One rate.
#[derive(Debug, Clone)]
pub struct Fixed(Mode);

impl RateControl for Fixed {
    fn learns_from_receptions(&self) -> bool {
        false
    }

    #[inline]
    fn pick(&self, _: &Attempt) -> Mode {
        self.0
    }
}

impl Control for Fixed {
    type Config = FixedConfig;

    fn build(_: &FixedConfig, inputs: &ControlInputs<'_>) -> Result<Self, ConfigError> {
        Ok(Self(inputs.ladder.mode(inputs.start.unwrap_or(usize::MAX))))
    }

    #[cfg(test)]
    fn samples() -> Vec<FixedConfig> {
        vec![FixedConfig {}]
    }
}

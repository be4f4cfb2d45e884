//! A link without loss.

use airtcp_probe::ConfigError;

use super::{Build, Frame, LossModel, Model};

/// No loss. The table is empty.
#[derive(
    Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct NoLossConfig {}

/// Loses nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoLoss;

impl LossModel for NoLoss {
    #[inline]
    fn loses(&mut self, _: &Frame) -> bool {
        false
    }

    fn mean_loss(&self) -> Option<f64> {
        Some(0.0)
    }
}

impl Model for NoLoss {
    type Config = NoLossConfig;

    fn build(_: &NoLossConfig, _: &Build<'_>) -> Result<Self, ConfigError> {
        Ok(Self)
    }

    #[cfg(test)]
    fn samples() -> Vec<NoLossConfig> {
        vec![NoLossConfig {}]
    }
}

//! The registered path losses: one line each.

use airtcp_probe::ConfigError;
use airtcp_units::Dbm;

use super::{DistanceLaw, Model, Position, PropagationContext, Thresholds};

airtcp_probe::family! {
    /// Any registered path loss.
    #[derive(Debug, Clone)]
    pub enum PathLoss;
    /// The table `path_loss` of a cell; `model` chooses the model.
    pub enum PathLossConfig of "path-loss", tag "model" as model, samples of Model;

    /// A power of the distance beyond a reference, free space at the reference unless given
    "log-distance" LogDistance(super::LogDistance, super::LogDistanceConfig) from "Rappaport; S3 section 6.2";
    /// The square of the distance
    "free-space" FreeSpace(super::FreeSpace, super::FreeSpaceConfig) from "Friis 1946";
    /// The square of the distance up to a crossover, its fourth power beyond, because of the ground reflection
    "two-ray" TwoRay(super::TwoRay, super::TwoRayConfig) from "Rappaport; ns-2 Propagation/TwoRayGround";
    /// Frames are received up to one range, sensed up to another, and neither beyond that
    "ranges" Ranges(super::Ranges, super::RangesConfig) from "S0 section IV-C (250 m and 500 m)";
    /// A table of losses by pair of stations, independent of distance
    "matrix" Matrix(super::Matrix, super::MatrixConfig) from "own";
}

impl Default for PathLossConfig {
    /// Log-distance.
    fn default() -> Self {
        Self::LogDistance(super::LogDistanceConfig::default())
    }
}

impl PathLoss {
    pub(crate) fn build(
        config: &PathLossConfig,
        context: &PropagationContext<'_>,
    ) -> Result<Self, ConfigError> {
        build!(config, c => Model::build(c, context))
    }
}

impl DistanceLaw for PathLoss {
    fn loss_db(&self, a: usize, pa: Position, b: usize, pb: Position) -> f64 {
        each!(self, m => m.loss_db(a, pa, b, pb))
    }
    fn loss_at(&self, distance_m: f64) -> Option<f64> {
        each!(self, m => m.loss_at(distance_m))
    }
    fn thresholds(&self, power: Dbm) -> Option<Thresholds> {
        each!(self, m => m.thresholds(power))
    }
}

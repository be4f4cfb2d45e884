//! The registered error laws: one line each.

use airtcp_probe::ConfigError;

use super::{BitLaw, Model};
use crate::phy::Mode;

airtcp_probe::family! {
    /// Any registered error law.
    #[derive(Debug, Clone)]
    pub(crate) enum Law;
    /// The table `error` of a cell; `model` chooses the law.
    pub enum ErrorModelConfig of "frame-error", tag "model" as model, samples of Model;

    /// Union bound over the code's whole distance spectrum; the usual choice for OFDM
    "nist" Nist(super::Nist, super::NistConfig) from "Miller, NIST 2003; ns-3 NistErrorRateModel";
    /// Union bound over the first two distances, with the noise bandwidth counted; more optimistic
    "yans" Yans(super::Yans, super::YansConfig) from "Lacage and Henderson 2006; ns-3 YansErrorRateModel";
    /// Frame error rates measured or computed elsewhere, by rate and SNR
    "table" Table(super::PerTable, super::PerTableConfig) from "own";
    /// A chunk of a frame is received if the SINR reaches the rate's threshold
    "threshold" Threshold(super::Threshold, super::ThresholdConfig) from "802.11-2012 table 18-14; ns-2 (CPThresh_)";
    /// A chunk of a frame is received if it is stronger than noise and interference together
    "ideal" Ideal(super::Ideal, super::IdealConfig) from "own";
}

impl Default for ErrorModelConfig {
    /// NIST.
    fn default() -> Self {
        Self::Nist(super::NistConfig {})
    }
}

impl Law {
    pub(crate) fn build(config: &ErrorModelConfig) -> Result<Self, ConfigError> {
        build!(config, c => Model::build(c))
    }
}

impl BitLaw for Law {
    #[inline]
    fn ln_bit_success(&self, mode: Mode, sinr: f64) -> f64 {
        each!(self, m => m.ln_bit_success(mode, sinr))
    }

    fn is_of_frame(&self, mode: Mode) -> bool {
        each!(self, m => m.is_of_frame(mode))
    }

    fn lacks(&self, mode: Mode) -> bool {
        each!(self, m => m.lacks(mode))
    }
}

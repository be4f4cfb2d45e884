//! Keys of a cell that decide its rates: band, width, streams, guard interval, `rate` and `mcs`.

use airtcp_wifi::ConfigError;
use airtcp_wifi::phy::error::{ErrorModel, ErrorModelConfig};
use airtcp_wifi::phy::{Mode, PhySetup, SetupKeys};
use airtcp_wifi::rate::{RateConfig, RatePlan};

use crate::CellSpec;

impl CellSpec {
    /// The physical layer of the cell.
    ///
    /// # Errors
    /// If the standard does not have a value.
    pub fn setup(&self) -> Result<PhySetup, ConfigError> {
        let (band, width, streams) = (self.band, self.width, self.streams);
        let keys = SetupKeys { band, width, streams, guard: self.guard_interval };
        PhySetup::new(self.standard, &keys)
    }

    /// The modes of data frames.
    pub fn data_modes(&self) -> Vec<Mode> {
        self.setup().map_or_else(|_| Vec::new(), |setup| setup.modes(false))
    }

    /// The error model of its radios.
    ///
    /// # Errors
    /// If a value is impossible, or a table of measured error rates does not cover the cell's modes.
    pub fn error_model(&self) -> Result<ErrorModel, ConfigError> {
        self.check_error_model()?;
        ErrorModel::for_modes(&self.error, &self.data_modes())
    }

    /// Checks that the error model covers the cell's modes.
    pub(crate) fn check_error_model(&self) -> Result<(), ConfigError> {
        let modes = self.data_modes();
        if let (ErrorModelConfig::Table(_), Some(mode)) =
            (&self.error, modes.iter().find(|mode| mode.is_mcs()))
        {
            let message = format!(
                "is \"table\", which has curves of 802.11a, b and g and none for {mode}: choose \"nist\", \
                 \"yans\" or \"threshold\""
            );
            return Err(ConfigError::new("model", message));
        }
        Ok(())
    }

    /// The rate control and its rates.
    ///
    /// # Errors
    /// If the standard lacks a rate.
    pub fn rate_plan(&self) -> Result<RatePlan, ConfigError> {
        let setup = self.setup()?;
        let start = match (self.rate, self.mcs) {
            (Some(_), Some(_)) => {
                let message =
                    "and `rate` both give the rate of data frames: leave out one of the two";
                return Err(ConfigError::new("mcs", message));
            }
            (Some(rate), None) => Some(setup.mode_of_rate(rate)?),
            (None, Some(mcs)) => Some(setup.mode_of_mcs(mcs)?),
            (None, None) => None,
        };
        let mut modes = setup.modes(!matches!(self.rate_control, RateConfig::Ideal(_)));
        if !self.rates.is_empty() {
            let named = self.rates.iter().map(|rate| setup.mode_of_rate(*rate));
            modes = named
                .collect::<Result<_, _>>()
                .map_err(|e| ConfigError::new("rates", e.message))?;
        }
        Ok(RatePlan { control: self.rate_control.clone(), start, modes })
    }
}

//! Keys of a cell that decide its rates: band, width, streams, guard interval, code, `rate` and `mcs`.

use airtcp_units::BitRate;
use airtcp_wifi::ConfigError;
use airtcp_wifi::phy::error::ErrorModel;
use airtcp_wifi::phy::{Mode, PhySetup, SetupKeys};
use airtcp_wifi::rate::{RateConfig, RatePlan};

use crate::{CellSpec, StationSpec};

/// The mode that `rate` or `mcs` gives.
pub(crate) fn own_mode(
    setup: PhySetup,
    rate: Option<BitRate>,
    mcs: Option<u8>,
) -> Result<Option<Mode>, ConfigError> {
    match (rate, mcs) {
        (Some(_), Some(_)) => {
            let message = "and `rate` both give the rate of data frames: leave out one of the two";
            Err(ConfigError::new("mcs", message))
        }
        (Some(rate), None) => setup.mode_of_rate(rate).map(Some),
        (None, Some(mcs)) => setup.mode_of_mcs(mcs).map(Some),
        (None, None) => Ok(None),
    }
}

impl CellSpec {
    /// The physical layer of the cell.
    ///
    /// # Errors
    /// If the standard does not have a value.
    pub fn setup(&self) -> Result<PhySetup, ConfigError> {
        let (band, width, streams) = (self.band, self.width, self.streams);
        let (guard, coding) = (self.guard_interval, self.coding);
        let keys = SetupKeys { band, width, streams, guard, coding };
        PhySetup::new(self.standard, &keys)
    }

    /// The modes of data frames, those of stations with a standard or width of their own included.
    pub fn data_modes(&self) -> Vec<Mode> {
        let Ok(setup) = self.setup() else { return Vec::new() };
        let mut modes = setup.modes(false);
        if setup.standard.has_mcs() {
            let own = self.stations.iter().filter_map(|own| self.setup_of(own).ok());
            for mode in own.flat_map(|setup| setup.modes(false)) {
                if !modes.contains(&mode) {
                    modes.push(mode);
                }
            }
        }
        modes
    }

    /// The physical layer of a station with keys of its own.
    pub(crate) fn setup_of(&self, own: &StationSpec) -> Result<PhySetup, ConfigError> {
        self.setup()?.station(own.standard.unwrap_or(self.standard), &own.setup_keys())
    }

    /// The rates of a station whose physical layer differs from that of its cell: all that its standard has.
    pub(crate) fn plan_of(&self, setup: PhySetup) -> Result<RatePlan, ConfigError> {
        let modes = setup.modes(!matches!(self.rate_control, RateConfig::Ideal(_)));
        let start = self.rate_plan()?.start.and_then(|mode| setup.like(mode));
        Ok(RatePlan { control: self.rate_control.clone(), start, modes })
    }

    /// The error model of its radios.
    ///
    /// # Errors
    /// If a value is impossible.
    pub fn error_model(&self) -> Result<ErrorModel, ConfigError> {
        ErrorModel::with_penalty(&self.error, &self.data_modes(), self.stream_penalty_db)
    }

    /// The rate control and its rates.
    ///
    /// # Errors
    /// If the standard lacks a rate.
    pub fn rate_plan(&self) -> Result<RatePlan, ConfigError> {
        let setup = self.setup()?;
        let start = own_mode(setup, self.rate, self.mcs)?;
        let for_old = matches!(self.rate_control, RateConfig::Chain(_) | RateConfig::Rbar(_));
        if for_old && setup.standard.has_mcs() {
            let message = format!(
                "is \"{}\", which is for the rates of 802.11a, b and g: {} accepts fixed, s0, arf, aarf, \
                 amrr, onoe, minstrel and ideal",
                self.rate_control.control(),
                setup.standard
            );
            return Err(ConfigError::new("control", message));
        }
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

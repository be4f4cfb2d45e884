//! Keys of a cell that decide its rates: band, width, streams, guard interval, `rate` and `mcs`.

use airtcp_units::BitRate;
use airtcp_wifi::ConfigError;
use airtcp_wifi::phy::error::{ErrorModel, ErrorModelConfig};
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
        let keys = SetupKeys { band, width, streams, guard: self.guard_interval };
        PhySetup::new(self.standard, &keys)
    }

    /// The modes of data frames, those of stations with a standard or width of their own included.
    pub fn data_modes(&self) -> Vec<Mode> {
        let Ok(setup) = self.setup() else { return Vec::new() };
        let mut modes = setup.modes(false);
        let more = self.modes_of(setup);
        modes.extend(more.into_iter().filter(|mode| mode.width() < setup.width));
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
        let modes = self.modes_of(setup);
        let start = self.rate_plan()?.start.and_then(|mode| setup.like(mode));
        Ok(RatePlan { control: self.rate_control.clone(), start, modes })
    }

    /// The modes of a rate control: all widths and numbers of streams for those that choose among them.
    fn modes_of(&self, setup: PhySetup) -> Vec<Mode> {
        match self.rate_control {
            RateConfig::Ideal(_) | RateConfig::MinstrelHt(_) => setup.modes_of_all_widths(),
            _ => setup.modes(true),
        }
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
        let start = own_mode(setup, self.rate, self.mcs)?;
        let for_old = matches!(self.rate_control, RateConfig::Chain(_) | RateConfig::Rbar(_));
        if for_old && setup.standard.has_mcs() {
            let message = format!(
                "is \"{}\", which is for the rates of 802.11a, b and g: {} accepts fixed, s0, arf, aarf, \
                 amrr, onoe, minstrel, minstrel-ht and ideal",
                self.rate_control.control(),
                setup.standard
            );
            return Err(ConfigError::new("control", message));
        }
        if matches!(self.rate_control, RateConfig::MinstrelHt(_)) && !setup.standard.has_mcs() {
            let message = format!(
                "is \"minstrel-ht\", which is for 802.11n, ac and ax: choose \"minstrel\" with {}",
                setup.standard
            );
            return Err(ConfigError::new("control", message));
        }
        let mut modes = self.modes_of(setup);
        if !self.rates.is_empty() {
            let named = self.rates.iter().map(|rate| setup.mode_of_rate(*rate));
            modes = named
                .collect::<Result<_, _>>()
                .map_err(|e| ConfigError::new("rates", e.message))?;
        }
        Ok(RatePlan { control: self.rate_control.clone(), start, modes })
    }
}

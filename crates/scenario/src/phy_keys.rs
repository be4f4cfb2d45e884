//! Keys of a cell that decide its rates: band, width, streams, guard interval, code, `rate` and `mcs`.

use airtcp_units::BitRate;
use airtcp_wifi::ConfigError;
use airtcp_wifi::phy::error::ErrorModel;
use airtcp_wifi::phy::propagation::PathLossConfig;
use airtcp_wifi::phy::{Channel, Mode, PhySetup, SetupKeys, Standard, Width};
use airtcp_wifi::rate::{RateConfig, RatePlan, controls_of, is_for};

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

    /// The channel of the cell; `None` if it names none.
    ///
    /// # Errors
    /// If the standard has no such channel in its band and width.
    pub fn radio_channel(&self) -> Result<Option<Channel>, ConfigError> {
        let Some(number) = self.channel else {
            if self.secondary_channel.is_some() {
                let message = "needs `channel`, the primary 20 MHz: give it, or leave out this key";
                return Err(ConfigError::new("secondary_channel", message));
            }
            return Ok(None);
        };
        Channel::of(&self.setup()?, number, self.secondary_channel).map(Some)
    }

    /// Refuses a rule for secondary channels in a cell without any.
    pub(crate) fn check_bonding(&self) -> Result<(), ConfigError> {
        if self.mac.bonding.is_none() {
            return Ok(());
        }
        let width = self.setup()?.width;
        let message = if width == Width::Mhz20 {
            "is for cells of 40 MHz and more, and this one has 20 MHz: leave out the key, or set `width`"
        } else if self.channel.is_none() {
            "is for cells that share a medium with others, and this one names no channel: leave out the key, or \
             set `channel`"
        } else {
            return Ok(());
        };
        Err(ConfigError::new("bonding", message))
    }

    /// Refuses impossible keys of spatial reuse.
    pub(crate) fn check_reuse(&self) -> Result<(), ConfigError> {
        let refuse = |key, message: String| Err(ConfigError::new(key, message));
        match self.bss_color {
            Some(color) if !(1..=63).contains(&color) => {
                return refuse("bss_color", format!("is {color}: expected 1 to 63"));
            }
            Some(color) if !self.standard.has_colours() => {
                let standard = self.standard;
                let message = format!(
                    "is {color}, and {standard} has no colours: leave out the key, or set standard = \
                     \"802.11ax\""
                );
                return refuse("bss_color", message);
            }
            Some(color) if self.channel.is_none() => {
                let message = format!(
                    "is {color} in a cell that shares its medium with no other: set `channel`, or leave out the key"
                );
                return refuse("bss_color", message);
            }
            None if self.mac.obss_pd_dbm.is_some() => {
                let message =
                    "needs bss_color, by which stations recognise frames of other cells: set it"
                        .to_owned();
                return refuse("mac.obss_pd_dbm", message);
            }
            _ => {}
        }
        let ranges = matches!(self.propagation.path_loss, PathLossConfig::Ranges(_));
        if ranges && self.mac.obss_pd_dbm.is_some() {
            let message = "limits the power, which has no effect with the path loss \"ranges\": choose another path \
                           loss";
            return refuse("mac.obss_pd_dbm", message.to_owned());
        }
        Ok(())
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
        let standard = own.standard.unwrap_or(self.standard);
        let older = !self.standard.chooses_code() && standard.chooses_code();
        let coding = self.coding.filter(|_| older);
        self.setup()?.station(standard, &SetupKeys { coding, ..own.setup_keys() })
    }

    /// Refuses a code and a penalty of streams that have no effect.
    pub(crate) fn check_phy_effects(&self) -> Result<(), ConfigError> {
        let setup = self.setup()?;
        let mut standards = self.stations.iter().filter_map(|own| own.standard);
        if self.standard == Standard::Ax
            && self.coding.is_some()
            && !standards.any(Standard::chooses_code)
        {
            let message = "is for frames of 802.11n and ac, and the cell has no station of these; frames of 802.11ax \
                           have LDPC: leave out the key";
            return Err(ConfigError::new("coding", message));
        }
        if self.stream_penalty_db > 0.0 && setup.streams < 2 {
            let message = if setup.standard.has_mcs() {
                "is for two and more streams, and the cell has one: leave out the key, or set `streams`"
                    .to_owned()
            } else {
                format!(
                    "is for 802.11n, ac and ax, and the cell has {}: leave out the key",
                    setup.standard
                )
            };
            return Err(ConfigError::new("stream_penalty_db", message));
        }
        Ok(())
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
        let control = self.rate_control.control();
        if !is_for(control, setup.standard) {
            let own = if setup.standard.has_mcs() {
                "the rates of 802.11a, b and g"
            } else {
                "802.11n, ac and ax"
            };
            let others: Vec<_> = controls_of(setup.standard).collect();
            let message = format!(
                "is \"{control}\", which is for {own}: {} accepts {}",
                setup.standard,
                others.join(", ")
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

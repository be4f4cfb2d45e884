//! Rate control of one station, from its description in a scenario.

use airtcp_probe::ConfigError;
use airtcp_random::Seed;
use airtcp_units::{BitRate, Bytes};

use super::control::ControlInputs;
use super::{Ladder, Rate, RateConfig, RateContext, RateControl};
use crate::phy::error::ErrorModel;
use crate::phy::{Mode, Timing};

/// Rate control of one station.
#[derive(Debug, Clone, PartialEq)]
pub struct RatePlan {
    /// The control.
    pub control: RateConfig,
    /// Initial mode. Default: the control's choice.
    pub start: Option<Mode>,
    /// Allowed modes.
    pub modes: Vec<Mode>,
}

impl RatePlan {
    /// Every frame in one mode.
    pub fn fixed(mode: Mode) -> Self {
        Self { control: RateConfig::default(), start: Some(mode), modes: vec![mode] }
    }

    /// The same plan without OFDM, for 802.11b stations and towards them. If it starts in OFDM, the
    /// control chooses its initial mode.
    #[must_use]
    pub fn without_ofdm(&self) -> Self {
        let modes = self.modes.iter().copied().filter(|mode| !mode.is_ofdm()).collect();
        let start = self.start.filter(|mode| !mode.is_ofdm());
        Self { control: self.control.clone(), start, modes }
    }

    /// The mode of all frames, if the control keeps to one: the one it starts with, or the fastest.
    pub fn fixed_mode(&self) -> Option<Mode> {
        let fastest = self.modes.iter().copied().max_by_key(|mode| mode.kbps());
        let fixed = matches!(self.control, RateConfig::Fixed(_));
        self.start.or(fastest).filter(|_| fixed)
    }

    /// The slowest allowed mode; `None` if the control never changes the mode.
    pub(crate) fn slowest(&self) -> Option<Mode> {
        let adapts = !matches!(self.control, RateConfig::Fixed(_));
        self.modes.iter().copied().min_by_key(|mode| mode.kbps()).filter(|_| adapts)
    }

    /// Checks the plan before the cell is built: `rts_threshold` and `rts_rate` are those of its stations.
    ///
    /// # Errors
    /// As [`Rate::new`], and if the control depends on RTS and CTS but the cell sends none.
    pub fn check(
        &self,
        timing: &Timing,
        rts_threshold: Option<Bytes>,
        rts_rate: Option<BitRate>,
    ) -> Result<(), ConfigError> {
        let error = ErrorModel::default();
        let context = RateContext { timing, error: &error, seed: Seed::new(0), label: "rate" };
        let rate = Rate::new(self, context)?;
        if rate.rts_mode().is_some() && rts_threshold.is_none() {
            let message = format!(
                "is {:?}, which needs RTS and CTS: set mac.rts_threshold (0 for all frames)",
                self.control.control()
            );
            return Err(ConfigError::new("control", message));
        }
        if let (Some(_), Some(given)) = (rate.rts_mode(), rts_rate) {
            let message = format!(
                "is {:?}, which chooses the rate of RTS, so that mac.rts_rate ({given}) has no effect: omit \
                 mac.rts_rate, or choose another rate control",
                self.control.control()
            );
            return Err(ConfigError::new("control", message));
        }
        Ok(())
    }
}

impl Rate {
    /// The rate control of a station.
    ///
    /// # Errors
    /// If no mode is allowed, the initial mode is not allowed, or a value of the control is
    /// impossible.
    pub fn new(plan: &RatePlan, context: RateContext<'_>) -> Result<Self, ConfigError> {
        let ladder = Ladder::new(&plan.modes)?;
        let start = plan.start.map(|mode| {
            ladder.step(mode).ok_or_else(|| {
                let message = format!("is {mode}: expected {ladder}");
                ConfigError::new("rate", message)
            })
        });
        Self::build(&plan.control, &ControlInputs { ladder, start: start.transpose()?, context })
    }
}

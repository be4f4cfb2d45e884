//! The rate control of one station as a scenario describes it: checked, then built.

use airtcp_probe::ConfigError;
use airtcp_random::Seed;

use super::control::Build;
use super::{Ladder, Rate, RateConfig, RateContext, RateControl};
use crate::mac::MacConfig;
use crate::phy::error::ErrorModel;
use crate::phy::{Mode, Timing};

/// Rate control of one station.
#[derive(Debug, Clone, PartialEq)]
pub struct RatePlan {
    /// Which control.
    pub control: RateConfig,
    /// The mode it begins with, where that is not the control's own choice.
    pub start: Option<Mode>,
    /// The modes it may choose.
    pub modes: Vec<Mode>,
}

impl RatePlan {
    /// Every frame in one mode.
    pub fn fixed(mode: Mode) -> Self {
        Self { control: RateConfig::default(), start: Some(mode), modes: vec![mode] }
    }

    /// The mode of all frames, if the control keeps to one: the one it starts with, or the fastest.
    pub fn fixed_mode(&self) -> Option<Mode> {
        let fastest = self.modes.iter().copied().max_by_key(|mode| mode.kbps());
        let fixed = matches!(self.control, RateConfig::Fixed(_));
        self.start.or(fastest).filter(|_| fixed)
    }

    /// The slowest mode that the control may fall to; `None` where it keeps to one.
    pub(crate) fn slowest(&self) -> Option<Mode> {
        let adapts = !matches!(self.control, RateConfig::Fixed(_));
        self.modes.iter().copied().min_by_key(|mode| mode.kbps()).filter(|_| adapts)
    }

    /// Checks all of it before there is a cell.
    ///
    /// # Errors
    /// As [`Rate::new`], and if the control learns from RTS and CTS and none are sent.
    pub fn check(&self, timing: &Timing, mac: &MacConfig) -> Result<(), ConfigError> {
        let error = ErrorModel::default();
        let around = RateContext { timing, error: &error, seed: Seed::new(0), label: "rate" };
        let rate = Rate::new(self, around)?;
        if rate.rts_mode().is_some() && mac.rts_threshold.is_none() {
            let message = format!(
                "is {:?}, which learns from RTS and CTS, and none are sent: set \
                 mac.rts_threshold (0 for all frames)",
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
    /// If no mode is allowed, the first one is not among them, or a value of the control is
    /// impossible.
    pub fn new(plan: &RatePlan, around: RateContext<'_>) -> Result<Self, ConfigError> {
        let ladder = Ladder::new(&plan.modes)?;
        let start = plan.start.map(|mode| {
            ladder.step(mode).ok_or_else(|| {
                let message = format!("is {mode}, which is not among the allowed rates: {ladder}");
                ConfigError::new("rate", message)
            })
        });
        Self::build(&plan.control, &Build { ladder, start: start.transpose()?, around })
    }
}

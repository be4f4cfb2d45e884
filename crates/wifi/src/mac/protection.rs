//! Protection of OFDM frames from stations that cannot decode OFDM (802.11g beside 802.11b).
//!
//! ```text
//! cts-to-self   CTS -> SIFS -> DATA -> SIFS -> ACK                  CTS to the sender itself
//! rts-cts       RTS -> SIFS -> CTS -> SIFS -> DATA -> SIFS -> ACK
//! ```
//! The preceding RTS or CTS has an 802.11b rate and sets the NAV until the end of the ACK at every
//! station that receives it. Nobody answers a CTS-to-self: the sender learns of its collision only by
//! the missing ACK, and a station out of the sender's range does not defer. DSSS and CCK frames need
//! no protection, and the reservation covers the answers. RTS and CTS precede every frame above the
//! RTS threshold. The RTS threshold alone decides which limit applies, `attempts` or `attempts_long`.
//! Source: IEEE 802.11-2012 clauses 9.3.2.7, 9.3.2.11, 9.7.6, 9.23.

use airtcp_probe::ConfigError;
use airtcp_units::{Narrow, Span};

use super::{Frame, Kind, MacConfig, Mpdu, Protection, Rules, Station};
use crate::node::NodeId;
use crate::phy::{Band, CTS_BYTES, Mode, RTS_BYTES, Standard, Timing};
use crate::rate::RateControl;

/// Default rate of protecting frames: the highest basic rate of 802.11b.
const DEFAULT_MODE: Mode = Mode::DSSS[1];

impl MacConfig {
    /// Rate of protecting frames.
    fn protection_mode(&self) -> Result<Mode, ConfigError> {
        let mode = self.protection_rate.map(|rate| Standard::B.mode(rate));
        let mode = mode.transpose().map_err(|e| ConfigError::new("protection_rate", e.message))?;
        Ok(mode.unwrap_or(DEFAULT_MODE))
    }

    /// Checks that the standard needs protection, and that 802.11b stations can decode it.
    ///
    /// # Errors
    /// If either does not hold.
    pub fn check_protection(&self, timing: &Timing) -> Result<(), ConfigError> {
        let rts = self.rts_rate.map(|rate| timing.standard.mode(rate)).transpose();
        rts.map_err(|e| ConfigError::new("rts_rate", e.message))?;
        let mode = self.protection_mode()?;
        if self.protection == Protection::None {
            return Ok(());
        }
        if timing.band != Band::Ghz2 || timing.standard == Standard::B {
            let message = format!(
                "is for OFDM beside 802.11b at 2.4 GHz and has no effect with {} at {}: omit the key",
                timing.standard, timing.band
            );
            return Err(ConfigError::new("protection", message));
        }
        let answered = self.protection == Protection::RtsCts || self.rts_threshold.is_some();
        if answered && timing.answer_mode(mode).is_ofdm() {
            let message = "needs CTS at an 802.11b rate, but timing.ack_rate sets an OFDM rate: \
                           change ack_rate, or use \"cts-to-self\" without rts_threshold";
            return Err(ConfigError::new("protection", message));
        }
        Ok(())
    }
}

impl Rules {
    /// Rate of RTS if the cell gives one.
    pub(super) fn rts_mode(&self) -> Option<Mode> {
        let rate = self.mac.rts_rate?;
        self.timing.standard.mode(rate).ok()
    }

    /// Rate of the protecting frames before a frame in `mode`; `None` without protection.
    fn protects(&self, mode: Mode) -> Option<Mode> {
        if self.mac.protection == Protection::None || !mode.is_ofdm() {
            return None;
        }
        self.mac.protection_mode().ok()
    }
}

impl Station {
    /// Kind and rate of the frame that precedes a data frame, if any.
    fn preceding(&self, mpdu: &Mpdu, rules: &Rules) -> Option<(Kind, Mode)> {
        let protects = rules.protects(mpdu.mode);
        let unicast = mpdu.to != NodeId::BROADCAST;
        let rts = rules.wants_rts(mpdu.bytes)
            || protects.is_some() && rules.mac.protection == Protection::RtsCts;
        if rts && unicast {
            // All stations must decode a protecting frame, so its rate is not rate control's choice.
            let mode =
                protects.or_else(|| self.rates.control.rts_mode()).or_else(|| rules.rts_mode());
            let data = self.rates.fallback(mpdu.to).unwrap_or(mpdu.mode);
            return Some((Kind::Rts, mode.unwrap_or_else(|| rules.timing.answer_mode(data))));
        }
        protects.map(|mode| (Kind::Cts, mode))
    }

    /// The RTS or CTS-to-self that precedes a data frame, if any.
    pub(super) fn preceding_frame(&self, mpdu: &Mpdu, rules: &Rules) -> Option<Frame> {
        match self.preceding(mpdu, rules)? {
            (Kind::Rts, mode) => Some(self.rts(mpdu, mode, rules)),
            (_, mode) => Some(self.cts_to_self(mpdu, mode, rules)),
        }
    }

    /// Time from the start of the preceding RTS or CTS to the start of the data frame.
    pub(super) fn preceding_time(&self, mpdu: &Mpdu, rules: &Rules) -> Span {
        let timing = &rules.timing;
        let sifs = timing.sifs;
        match self.preceding(mpdu, rules) {
            None => Span::ZERO,
            Some((Kind::Rts, mode)) => {
                timing.frame(mode, RTS_BYTES) + sifs + timing.cts(mode) + sifs
            }
            Some((_, mode)) => timing.frame(mode, CTS_BYTES) + sifs,
        }
    }

    fn cts_to_self(&self, mpdu: &Mpdu, mode: Mode, rules: &Rules) -> Frame {
        let duration = rules.timing.sifs + self.data_time(mpdu, rules);
        Frame::control(Kind::Cts, self.id, self.id, mode, duration, u8::narrow(self.active))
    }
}

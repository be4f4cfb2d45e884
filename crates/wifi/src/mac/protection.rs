//! Protection of OFDM frames from stations that do not understand OFDM (802.11g beside 802.11b).
//!
//! ```text
//! cts-to-self   CTS -> SIFS -> DATA -> SIFS -> ACK                  CTS to the sender itself
//! rts-cts       RTS -> SIFS -> CTS -> SIFS -> DATA -> SIFS -> ACK
//! ```
//! The frames in front go at a rate of 802.11b, and reserve the medium (NAV) to the end of the ACK at every
//! station that hears them. With `cts-to-self` nobody answers: what it collided with is only found out
//! by the missing ACK, and whom the sender does not reach is not silenced. Frames sent with DSSS or CCK
//! are not protected, nor are answers, which the reservation covers. A frame beyond the RTS threshold has RTS
//! and CTS in either case. Attempts count by the threshold alone: those of a short frame are short.
//! Source: IEEE 802.11-2012 clauses 9.3.2.7, 9.3.2.11, 9.7.6, 9.23.

use airtcp_probe::ConfigError;
use airtcp_units::{Narrow, Span};

use super::{Class, Frame, Kind, MacConfig, Mpdu, NodeId, Protection, Rules, Station};
use crate::phy::{CTS_BYTES, Mode, RTS_BYTES, Standard, Timing};

/// Rate of the frames in front unless given: the highest basic rate of 802.11b.
const USUAL: Mode = Mode::DSSS[1];

impl MacConfig {
    /// The rate of the frames in front.
    fn protection_mode(&self) -> Result<Mode, ConfigError> {
        let mode = self.protection_rate.map(|rate| Standard::B.mode(rate));
        let mode = mode.transpose().map_err(|e| ConfigError::new("protection_rate", e.message))?;
        Ok(mode.unwrap_or(USUAL))
    }

    /// Checks that there is something to protect, and that those concerned understand it.
    ///
    /// # Errors
    /// If not.
    pub fn check_protection(&self, timing: &Timing) -> Result<(), ConfigError> {
        let mode = self.protection_mode()?;
        if self.protection == Protection::None {
            return Ok(());
        }
        if timing.standard != Standard::G {
            let message = format!(
                "is for 802.11g beside 802.11b; {} has no use for it: leave it out",
                timing.standard
            );
            return Err(ConfigError::new("protection", message));
        }
        let answered = self.protection == Protection::RtsCts || self.rts_threshold.is_some();
        if answered && timing.answer_mode(mode).is_ofdm() {
            let message = "needs CTS that 802.11b understands, and timing.ack_rate fixes them to \
                           an OFDM rate: take another ack_rate, or \"cts-to-self\" without \
                           rts_threshold";
            return Err(ConfigError::new("protection", message));
        }
        Ok(())
    }
}

impl Rules {
    /// The rate of what goes before a frame in `mode`, if it is protected.
    fn protects(&self, mode: Mode) -> Option<Mode> {
        if self.mac.protection == Protection::None || !mode.is_ofdm() {
            return None;
        }
        self.mac.protection_mode().ok()
    }
}

impl Station {
    /// What goes before a frame, and at which rate.
    fn front(&self, mpdu: &Mpdu, rules: &Rules) -> Option<(Kind, Mode)> {
        let protects = rules.protects(mpdu.mode);
        let unicast = mpdu.to != NodeId::BROADCAST;
        let rts = rules.wants_rts(mpdu.bytes)
            || protects.is_some() && rules.mac.protection == Protection::RtsCts;
        if rts && unicast {
            // What protects has to be understood by all, whatever rate control would take.
            let mode = protects.or_else(|| self.own_rts_mode());
            let data = self.fallback_mode(mpdu.to).unwrap_or(mpdu.mode);
            return Some((Kind::Rts, mode.unwrap_or_else(|| rules.timing.answer_mode(data))));
        }
        protects.map(|mode| (Kind::Cts, mode))
    }

    /// The frame that goes before another: RTS, CTS to itself, or none.
    pub(super) fn opening(&self, mpdu: &Mpdu, rules: &Rules) -> Option<Frame> {
        match self.front(mpdu, rules)? {
            (Kind::Rts, mode) => Some(self.rts(mpdu, mode, rules)),
            (_, mode) => Some(self.cts_to_self(mpdu, mode, rules)),
        }
    }

    /// How long what goes before a frame takes, with the spaces.
    pub(super) fn opening_length(&self, mpdu: &Mpdu, rules: &Rules) -> Span {
        let timing = &rules.timing;
        let sifs = timing.sifs;
        match self.front(mpdu, rules) {
            None => Span::ZERO,
            Some((Kind::Rts, mode)) => {
                timing.frame(mode, RTS_BYTES) + sifs + timing.cts(mode) + sifs
            }
            Some((_, mode)) => timing.frame(mode, CTS_BYTES) + sifs,
        }
    }

    fn cts_to_self(&self, mpdu: &Mpdu, mode: Mode, rules: &Rules) -> Frame {
        Frame {
            kind: Kind::Cts,
            class: Class::Cts,
            from: self.id,
            to: self.id,
            mode,
            bytes: CTS_BYTES,
            duration: rules.timing.sifs + Self::data_length(mpdu, rules),
            category: u8::narrow(self.active),
            sequence: 0,
            fragment: 0,
            more_fragments: false,
            retry: false,
            grant: None,
        }
    }
}

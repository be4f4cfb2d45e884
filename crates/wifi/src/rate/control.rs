//! What a rate control is asked and told, and what it is built with.

use airtcp_probe::ConfigError;
use airtcp_random::Seed;
use airtcp_units::Nanos;

use super::Ladder;
use crate::mac::NodeId;
use crate::phy::error::ErrorModel;
use crate::phy::{Mode, Timing};

/// An attempt to send a data frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempt {
    /// When it is asked about.
    pub now: Nanos,
    /// Whom the frame is for.
    pub to: NodeId,
    /// Access category (0 under DCF); a station has one packet at a time in each.
    pub category: u8,
    /// Length of the data frame, MAC header and FCS included.
    pub bytes: u32,
    /// Times the data frame has been sent before: 0 for the first attempt.
    pub number: u32,
}

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The ACK came.
    Acknowledged,
    /// The data frame was sent and no ACK came.
    NoAck,
    /// The RTS was not answered: the data frame was not sent.
    NoCts,
}

/// What became of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// The attempt; `now` is the time of its end.
    pub attempt: Attempt,
    /// Mode of the data frame.
    pub mode: Mode,
    /// How it ended.
    pub ending: Ending,
    /// No further attempt follows, and the frame is not acknowledged.
    pub given_up: bool,
}

impl Outcome {
    /// Whether the data frame was acknowledged; `None` if it was not sent.
    pub fn acknowledged(&self) -> Option<bool> {
        (self.ending != Ending::NoCts).then_some(self.ending == Ending::Acknowledged)
    }
}

/// Chooses the mode of each attempt.
pub trait RateControl {
    /// A packet comes to the head of its category; `first` is its first attempt to come.
    fn on_packet(&mut self, first: &Attempt) {
        let _ = first;
    }

    /// The mode of an attempt: one of those allowed.
    fn pick(&self, attempt: &Attempt) -> Mode;

    /// An attempt has ended.
    fn on_result(&mut self, outcome: &Outcome) {
        let _ = outcome;
    }

    /// A frame from `from` was received, whomever it was for, at a power of `snr` times the noise.
    fn on_rx(&mut self, now: Nanos, from: NodeId, snr: f64) {
        let _ = (now, from, snr);
    }

    /// As receiver of an RTS: the mode in which its sender shall send its `bytes`, if this control
    /// has a say in it. `sinr` is that of the RTS.
    fn grant(&self, sinr: f64, bytes: u32) -> Option<Mode> {
        let _ = (sinr, bytes);
        None
    }

    /// As sender of an RTS: `to` has granted a mode in its CTS.
    fn on_grant(&mut self, to: NodeId, mode: Mode) {
        let _ = (to, mode);
    }

    /// Data frames that may follow one another after one CTS that granted `mode`.
    fn burst(&self, mode: Mode) -> u32 {
        let _ = mode;
        1
    }

    /// Whether a frame of a burst reserves the medium for the next, too.
    fn burst_reserves(&self) -> bool {
        false
    }

    /// The mode of every RTS, if this control learns from RTS and CTS and is no use without;
    /// otherwise an RTS goes in the mode of the answers to its data.
    fn rts_mode(&self) -> Option<Mode> {
        None
    }
}

/// What a control is built with beside its configuration.
#[derive(Debug, Clone, Copy)]
pub struct RateContext<'a> {
    /// Frame times.
    pub timing: &'a Timing,
    /// What can be decoded.
    pub error: &'a ErrorModel,
    /// Root of the random draws.
    pub seed: Seed,
    /// Name of the station's draws, such as `cell/sta/3/rate`.
    pub label: &'a str,
}

/// The same with the modes in order.
#[derive(Debug, Clone)]
pub(crate) struct ControlInputs<'a> {
    pub(super) ladder: Ladder,
    pub(super) start: Option<usize>,
    pub(super) context: RateContext<'a>,
}

/// How a registered control is built.
pub(crate) trait Control: RateControl + Sized {
    type Config;
    fn build(config: &Self::Config, inputs: &ControlInputs<'_>) -> Result<Self, ConfigError>;
    /// Configurations the conformance suite runs.
    #[cfg(test)]
    fn samples() -> Vec<Self::Config>;
}

/// Refuses a count of 0.
pub(crate) fn positive(key: &'static str, count: u32) -> Result<(), ConfigError> {
    if count > 0 { Ok(()) } else { Err(ConfigError::new(key, "is 0: accepted are 1 and more")) }
}

//! Interface of a rate control, and the inputs of its construction.

use airtcp_probe::ConfigError;
use airtcp_random::Seed;
use airtcp_units::{Nanos, Span};

use super::Ladder;
use crate::node::NodeId;
use crate::phy::error::ErrorModel;
use crate::phy::{Mode, Timing};

/// An attempt to send a data frame, or a PPDU with several of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempt {
    /// Time of the query.
    pub now: Nanos,
    /// Receiver.
    pub to: NodeId,
    /// Access category (0 under DCF); a station sends one packet at a time in each.
    pub category: u8,
    /// Length of the data frame, MAC header and FCS included; of an aggregate, of its first frame.
    pub bytes: u32,
    /// Number of previous transmissions of the data frame: 0 for the first attempt. In a BlockAck session, the
    /// number of PPDUs without an answer since the last one with an answer.
    pub number: u32,
}

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The sender received the ACK or the BlockAck.
    Acknowledged,
    /// The sender transmitted the data and received no answer.
    NoAck,
    /// The sender received no CTS and did not transmit the data.
    NoCts,
}

/// Result of an attempt: one for each PPDU, whatever the number of its MPDUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// The attempt; `now` is the time of its end.
    pub attempt: Attempt,
    /// Mode of the data.
    pub mode: Mode,
    /// How it ended.
    pub ending: Ending,
    /// True if the frame reached the retry limit without an ACK. In a BlockAck session, true if this is the
    /// last of as many failed PPDUs in a row.
    pub given_up: bool,
    /// MPDUs sent: 0 without CTS.
    pub mpdus: u32,
    /// MPDUs acknowledged.
    pub acknowledged: u32,
}

impl Outcome {
    /// The result of a single frame.
    pub fn of_frame(attempt: Attempt, mode: Mode, ending: Ending, given_up: bool) -> Self {
        let mpdus = u32::from(ending != Ending::NoCts);
        let acknowledged = u32::from(ending == Ending::Acknowledged);
        Self { attempt, mode, ending, given_up, mpdus, acknowledged }
    }

    /// True if the PPDU succeeded: at least half of its MPDUs were acknowledged. `None` if the data was not
    /// transmitted. A missing BlockAck is one failure.
    pub const fn succeeded(&self) -> Option<bool> {
        if self.mpdus == 0 { None } else { Some(2 * self.acknowledged >= self.mpdus) }
    }
}

/// Chooses the mode of each attempt.
pub trait RateControl {
    /// Called when a packet comes to the head of its category, with its first attempt. In a BlockAck session,
    /// called before the first PPDU after one with an answer.
    fn on_packet(&mut self, first: &Attempt) {
        let _ = first;
    }

    /// The mode of an attempt, one of the allowed modes.
    fn pick(&self, attempt: &Attempt) -> Mode;

    /// True if the PPDU of an attempt, whose mode is that of [`Self::pick`], is to carry a single MPDU.
    fn is_single(&self, attempt: &Attempt) -> bool {
        let _ = attempt;
        false
    }

    /// Called when an attempt has ended.
    fn on_result(&mut self, outcome: &Outcome) {
        let _ = outcome;
    }

    /// Called when a frame of `from` was received, with any destination; `snr` is the ratio of its power to the noise
    /// in its band, which has `hz`; `None` for the band that both stations have. May not be called where
    /// [`Self::learns_from_receptions`] is false and the frame is for another station.
    fn on_rx(&mut self, now: Nanos, from: NodeId, hz: Option<f64>, snr: f64) {
        let _ = (now, from, hz, snr);
    }

    /// True if [`Self::on_rx`] has an effect. The stations of a cell whose controls return false can share
    /// one view of the medium, which is faster.
    fn learns_from_receptions(&self) -> bool {
        true
    }

    /// As receiver of an RTS of `from` with this SINR: the mode for the sender's data frame of `bytes`;
    /// `None` if this control does not choose it.
    fn grant(&self, from: NodeId, sinr: f64, bytes: u32) -> Option<Mode> {
        let _ = (from, sinr, bytes);
        None
    }

    /// As sender of an RTS: called when `to` has granted a mode in its CTS.
    fn on_grant(&mut self, to: NodeId, mode: Mode) {
        let _ = (to, mode);
    }

    /// Number of data frames allowed after one CTS that granted `mode`.
    fn burst(&self, mode: Mode) -> u32 {
        let _ = mode;
        1
    }

    /// True if each frame of a burst reserves the medium for the next one.
    fn burst_reserves(&self) -> bool {
        false
    }

    /// The mode of every RTS, if this control depends on RTS and CTS. With `None` an RTS has the
    /// mode of the answers to its data frame.
    fn rts_mode(&self) -> Option<Mode> {
        None
    }
}

/// Inputs of a control's construction beside its configuration.
#[derive(Debug, Clone, Copy)]
pub struct RateContext<'a> {
    /// Frame times.
    pub timing: &'a Timing,
    /// Frame error model of the cell.
    pub error: &'a ErrorModel,
    /// Seed of the random draws.
    pub seed: Seed,
    /// Label of the station's draws, such as `cell/sta/3/rate`.
    pub label: &'a str,
}

/// Inputs of a control's construction, with the allowed modes in order.
#[derive(Debug, Clone)]
pub(crate) struct ControlInputs<'a> {
    pub(super) ladder: Ladder,
    pub(super) start: Option<usize>,
    pub(super) context: RateContext<'a>,
}

/// Construction of a registered control.
pub(crate) trait Control: RateControl + Sized {
    type Config;
    fn build(config: &Self::Config, inputs: &ControlInputs<'_>) -> Result<Self, ConfigError>;
    /// Configurations the conformance suite runs.
    #[cfg(test)]
    fn samples() -> Vec<Self::Config>;
}

/// Refuses a period of 0.
pub(crate) fn check_period(period: Span) -> Result<(), ConfigError> {
    if period > Span::ZERO {
        return Ok(());
    }
    Err(ConfigError::new("period", "is 0 s: expected longer times"))
}

/// Refuses a count of 0.
pub(crate) fn positive(key: &'static str, count: u32) -> Result<(), ConfigError> {
    if count > 0 { Ok(()) } else { Err(ConfigError::new(key, "is 0: expected 1 and more")) }
}

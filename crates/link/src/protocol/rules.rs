//! Rules of a link protocol: the number of units of a frame, the retransmission after a report, and
//! the retry limit.

use airtcp_probe::ConfigError;

use super::feedback::{FeedbackConfig, Trigger};
use super::symbols::{MAX_SYMBOLS, SymbolSet};

/// First transmission of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct First {
    /// Number of different units that decode the frame: its data units, at least 1.
    pub needed: u16,
    /// Parity units sent with them.
    pub parity: u16,
}

/// State of a frame that is incomplete after a transmission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missing {
    /// Number of different units that decode the frame.
    pub needed: u16,
    /// Parity units of its first transmission.
    pub parity: u16,
    /// Units known to have arrived.
    pub have: SymbolSet,
    /// Lowest unit number never sent.
    pub fresh: u16,
}

/// Rules of a link protocol's sender.
pub trait LinkProtocol: std::fmt::Debug + Send {
    /// Chooses the first transmission of a new frame.
    fn first(&mut self) -> First;

    /// Chooses the units to send for an incomplete frame; never an empty set.
    fn again(&mut self, missing: &Missing) -> SymbolSet;

    /// Handles a report: of the `sent` units of transmission `attempt`, `received` arrived.
    fn on_report(&mut self, attempt: u16, sent: u16, received: u16);

    /// Maximum transmissions of a frame, at least 1.
    fn attempts(&self) -> u16;

    /// Maximum number of unacknowledged frames.
    fn window(&self) -> usize;

    /// Header of each unit, in bytes.
    fn header(&self) -> u32;

    /// Estimate of the unit loss rate, if the protocol has one.
    fn estimate(&self) -> Option<f64> {
        None
    }
}

/// Construction of a registered [`LinkProtocol`].
pub(crate) trait Model: LinkProtocol + Sized + 'static {
    type Config;
    /// `mtu` is the maximum frame size, if limited.
    fn build(config: &Self::Config, mtu: Option<u64>) -> Result<Self, ConfigError>;
    fn common(config: &Self::Config) -> Common<'_>;
    /// Configurations that the conformance suite tests.
    #[cfg(test)]
    fn samples() -> Vec<Self::Config>;
}

/// Keys that all protocols share.
#[derive(Debug, Clone, Copy)]
pub struct Common<'a> {
    /// Units of a first transmission.
    pub units: u16,
    /// Reports of the receiver.
    pub feedback: &'a FeedbackConfig,
    /// Event that triggers a report.
    pub trigger: Trigger,
    /// If true, the receiver delivers frames in order.
    pub in_order: bool,
}

/// Rejects impossible numbers of units, attempts and frames.
pub(super) fn check_counts(
    key: &'static str,
    units: u16,
    attempts: u16,
    window: Option<u32>,
    mtu: Option<u64>,
) -> Result<(), ConfigError> {
    if !(1..=MAX_SYMBOLS).contains(&units) {
        return Err(ConfigError::new(
            key,
            format!("is {units}; expected 1 to {MAX_SYMBOLS}, the symbols of a code over GF(256)"),
        ));
    }
    if let Some(mtu) = mtu
        && u64::from(units) > mtu
    {
        return Err(ConfigError::new(
            key,
            format!("is {units}, above the {mtu} B of mtu: a unit has at least 1 B"),
        ));
    }
    if !(1..=1000).contains(&attempts) {
        return Err(ConfigError::new(
            "protocol.attempts",
            format!("is {attempts}: expected 1 (no retransmission) to 1000"),
        ));
    }
    if window == Some(0) {
        return Err(ConfigError::new(
            "protocol.window",
            "is 0; expected 1 or more; omit the key for no limit",
        ));
    }
    Ok(())
}

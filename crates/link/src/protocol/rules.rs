//! What a link protocol decides: how many units a frame becomes, what is sent after a report, when to
//! give up.

use airtcp_probe::ConfigError;

use super::feedback::{FeedbackConfig, Trigger};
use super::symbols::{MAX_SYMBOLS, SymbolSet};

/// How a frame is first sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct First {
    /// How many different units give the frame back: its data units, at least 1.
    pub needed: u16,
    /// Parity units sent with them.
    pub parity: u16,
}

/// What a protocol knows of a frame that is not there after a transmission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missing {
    /// How many different units give it back.
    pub needed: u16,
    /// Parity units of its first transmission.
    pub parity: u16,
    /// Units that are there, as far as the sender knows.
    pub have: SymbolSet,
    /// The lowest number of a unit that has never been sent.
    pub fresh: u16,
}

/// A link protocol's rules, at the sending end.
pub trait LinkProtocol: std::fmt::Debug + Send {
    /// How a new frame is sent.
    fn first(&mut self) -> First;

    /// What to send for a frame that is not there. Never nothing.
    fn again(&mut self, missing: &Missing) -> SymbolSet;

    /// A report on a transmission: how many units it had and how many arrived.
    fn on_report(&mut self, attempt: u16, sent: u16, received: u16);

    /// Transmissions of a frame in all, at least 1.
    fn attempts(&self) -> u16;

    /// Frames under way at once, at most.
    fn window(&self) -> usize;

    /// Bytes added to each unit.
    fn header(&self) -> u32;

    /// The estimate of the loss of units, if the protocol makes one.
    fn estimate(&self) -> Option<f64> {
        None
    }
}

/// What a registered protocol adds to [`LinkProtocol`]: how it is built.
pub(crate) trait Model: LinkProtocol + Sized + 'static {
    type Config;
    /// `mtu` is the longest frame, if that is limited.
    fn build(config: &Self::Config, mtu: Option<u64>) -> Result<Self, ConfigError>;
    fn common(config: &Self::Config) -> Common<'_>;
    /// Configurations the conformance suite runs.
    #[cfg(test)]
    fn samples() -> Vec<Self::Config>;
}

/// What all protocols have in their tables.
#[derive(Debug, Clone, Copy)]
pub struct Common<'a> {
    /// Units of a first transmission.
    pub units: u16,
    /// How the receiver answers.
    pub feedback: &'a FeedbackConfig,
    /// What triggers reports.
    pub trigger: Trigger,
    /// Whether frames go up in order.
    pub in_order: bool,
}

/// Refuses a number of units, of attempts or of frames that cannot be.
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
            format!(
                "is {units}: accepted are 1 to {MAX_SYMBOLS}, the symbols of a code over GF(256)"
            ),
        ));
    }
    if let Some(mtu) = mtu
        && u64::from(units) > mtu
    {
        return Err(ConfigError::new(
            key,
            format!("is {units}, but the longest frame (mtu) has {mtu} B: a unit has at least one"),
        ));
    }
    if !(1..=1000).contains(&attempts) {
        return Err(ConfigError::new(
            "protocol.attempts",
            format!("is {attempts}: accepted are 1 (no retransmission) to 1000"),
        ));
    }
    if window == Some(0) {
        return Err(ConfigError::new(
            "protocol.window",
            "is 0: at least one frame is under way; leave it out for no limit",
        ));
    }
    Ok(())
}

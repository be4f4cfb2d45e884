//! Beacons: an access point announces its cell at equal intervals.
//!
//! ```text
//! due at phase + k interval, k = 0, 1, ...                 (target beacon transmission times)
//! ```
//! A beacon is due whatever became of the one before. It goes at the lowest rate to everybody, by the
//! access rules of the cell, with a back-off of its own: DIFS and the least window under DCF, those of the
//! highest category under EDCA. Nobody acknowledges it, and it is not repeated. One that is still waiting
//! when the next is due takes its place. Where it and data are ready at one instant, the beacon goes, and
//! the data draws a new back-off without having failed.
//! Source: IEEE 802.11-2012 clauses 8.3.3.2, 10.1.3.2. Choices: its length (an SSID, the rates, a TIM and a few
//! elements more); that the first is due at a random instant; the back-off of its own, as most radios do it.

use airtcp_probe::ConfigError;
use airtcp_units::{Bytes, Nanos, Narrow, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A time unit of 802.11: 1024 us.
const TU: Span = Span::from_micros(1024);
/// The field that holds the interval has 16 bits.
const MAX_TU: u64 = 65_535;
/// MAC header, timestamp, interval, capabilities and FCS; and these with the longest body.
const LENGTHS: (u64, u64) = (24 + 8 + 2 + 2 + 4, 24 + 2304 + 4);

/// The table `beacons` of medium access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BeaconConfig {
    /// From one beacon to the next.
    pub interval: Span,
    /// Length of a beacon with MAC header and FCS.
    pub bytes: Bytes,
    /// When the first one is due. Random within an interval if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<Span>,
}

impl Default for BeaconConfig {
    fn default() -> Self {
        Self { interval: Span(TU.0 * 100), bytes: Bytes(100), phase: None }
    }
}

impl BeaconConfig {
    /// The interval as a beacon says it, in time units (1024 us), rounded (clause 8.4.1.3).
    pub fn interval_tu(&self) -> u16 {
        let units = (self.interval.0 + TU.0 / 2) / TU.0;
        u16::try_from(units).unwrap_or(u16::MAX)
    }

    /// Checks the numbers.
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        let most = Span(TU.0 * MAX_TU);
        if !(TU..=most).contains(&self.interval) {
            let message = format!("is {}: accepted are {TU} to {most}", self.interval);
            return Err(ConfigError::new("beacons.interval", message));
        }
        if !(LENGTHS.0..=LENGTHS.1).contains(&self.bytes.0) {
            let message =
                format!("is {}: accepted are {} to {} B", self.bytes, LENGTHS.0, LENGTHS.1);
            return Err(ConfigError::new("beacons.bytes", message));
        }
        Ok(())
    }
}

/// When an access point's beacons are due.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Beacons {
    interval: Span,
    pub(crate) bytes: u32,
    pub(crate) next: Nanos,
}

impl Beacons {
    /// `random` draws the first instant, in ns below its argument, where none is given.
    pub(crate) fn new(config: &BeaconConfig, random: impl FnOnce(u64) -> u64) -> Self {
        let first = config.phase.unwrap_or_else(|| Span(random(config.interval.0)));
        Self {
            interval: config.interval,
            bytes: u32::narrow(config.bytes.0),
            next: Nanos::ZERO + first,
        }
    }

    /// Whether one is due; from then on the next one is waited for.
    pub(crate) fn take_due(&mut self, now: Nanos) -> bool {
        let due = self.next <= now;
        if due {
            self.next += self.interval;
        }
        due
    }
}

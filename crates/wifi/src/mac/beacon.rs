//! Beacons: an access point announces its cell at equal intervals.
//!
//! ```text
//! due at phase + k interval, k = 0, 1, ...                 (target beacon transmission times)
//! ```
//! A delayed beacon does not delay the next one. A beacon is broadcast at the lowest rate. It has its
//! own back-off, with DIFS and CWmin under DCF and the parameters of the highest category under EDCA.
//! Beacons are neither acknowledged nor retransmitted. If a beacon still waits when the next one is
//! due, only one of them is sent. If a beacon and a data frame are ready at the same instant, the
//! station sends the beacon, and the data frame draws a new back-off without a failed attempt.
//!
//! Source: IEEE 802.11-2012 clauses 8.3.3.2, 10.1.3.2. Choices: the length (an SSID, the rates, a TIM
//! and a few more elements), the random time of the first beacon, and the separate back-off (as in
//! most radios).

use airtcp_probe::ConfigError;
use airtcp_units::{Bytes, Nanos, Narrow, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A time unit of 802.11: 1024 us.
const TU: Span = Span::from_micros(1024);
/// Maximum of the 16-bit interval field.
const MAX_TU: u64 = 65_535;
/// Minimum length (MAC header, timestamp, interval, capabilities, FCS) and maximum (longest body).
const LENGTHS: (u64, u64) = (24 + 8 + 2 + 2 + 4, 24 + 2304 + 4);

/// The table `beacons` of medium access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BeaconConfig {
    /// Time between beacons.
    pub interval: Span,
    /// Length of a beacon with MAC header and FCS.
    pub bytes: Bytes,
    /// Time of the first beacon. Default: random within an interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<Span>,
}

impl Default for BeaconConfig {
    fn default() -> Self {
        Self { interval: Span(TU.0 * 100), bytes: Bytes(100), phase: None }
    }
}

impl BeaconConfig {
    /// The beacon interval field, in time units of 1024 us, rounded (clause 8.4.1.3).
    pub fn interval_tu(&self) -> u16 {
        let units = (self.interval.0 + TU.0 / 2) / TU.0;
        u16::try_from(units).unwrap_or(u16::MAX)
    }

    /// Refuses impossible numbers.
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        let most = Span(TU.0 * MAX_TU);
        if !(TU..=most).contains(&self.interval) {
            let message = format!("is {}: expected {TU} to {most}", self.interval);
            return Err(ConfigError::new("beacons.interval", message));
        }
        if !(LENGTHS.0..=LENGTHS.1).contains(&self.bytes.0) {
            let message = format!("is {}: expected {} to {} B", self.bytes, LENGTHS.0, LENGTHS.1);
            return Err(ConfigError::new("beacons.bytes", message));
        }
        Ok(())
    }
}

/// Schedule of an access point's beacons.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Beacons {
    interval: Span,
    pub(crate) bytes: u32,
    pub(crate) next: Nanos,
}

impl Beacons {
    /// `random` draws the time of the first beacon, in ns below its argument, unless configured.
    pub(crate) fn new(config: &BeaconConfig, random: impl FnOnce(u64) -> u64) -> Self {
        let first = config.phase.unwrap_or_else(|| Span(random(config.interval.0)));
        Self {
            interval: config.interval,
            bytes: u32::narrow(config.bytes.0),
            next: Nanos::ZERO + first,
        }
    }

    /// True if a beacon is due; then moves on to the next one.
    pub(crate) fn take_due(&mut self, now: Nanos) -> bool {
        let due = self.next <= now;
        if due {
            self.next += self.interval;
        }
        due
    }
}

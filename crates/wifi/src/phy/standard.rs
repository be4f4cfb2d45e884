//! Versions of 802.11: rates, slot, SIFS and contention windows.
//!
//! Source: IEEE 802.11-2012 tables 17-5 (HR/DSSS), 18-17 (OFDM), 19-8 (ERP).

use std::fmt;

use airtcp_probe::ConfigError;
use airtcp_units::{BitRate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Mode;

/// A version of 802.11.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub enum Standard {
    /// OFDM at 5 GHz, 6 to 54 Mb/s.
    #[default]
    #[serde(rename = "802.11a")]
    A,
    /// DSSS and CCK at 2.4 GHz, 1 to 11 Mb/s.
    #[serde(rename = "802.11b")]
    B,
    /// OFDM at 2.4 GHz, and the rates of 802.11b.
    #[serde(rename = "802.11g")]
    G,
}

impl Standard {
    /// Its rates, slowest first; for 802.11g those of 802.11b, then OFDM.
    pub fn modes(self) -> impl Iterator<Item = Mode> {
        let dsss = (self != Self::A).then_some(Mode::DSSS);
        let ofdm = (self != Self::B).then_some(Mode::OFDM);
        dsss.into_iter().flatten().chain(ofdm.into_iter().flatten())
    }

    /// The mode of `rate`.
    ///
    /// # Errors
    /// If the standard has no such rate; the message lists its rates.
    pub fn mode(self, rate: BitRate) -> Result<Mode, ConfigError> {
        let found = rate.bps().is_multiple_of(1_000).then(|| Mode::from_kbps(rate.bps() / 1_000));
        found.flatten().filter(|mode| self.modes().any(|m| m == *mode)).ok_or_else(|| {
            let names: Vec<String> = self.modes().map(|mode| mode.to_string()).collect();
            let accepted = names.join(", ");
            ConfigError::new("rate", format!("is {rate}: {self} has {accepted}"))
        })
    }

    /// Duration of a slot; for 802.11g the short slot of a cell without 802.11b stations.
    pub const fn slot(self) -> Span {
        match self {
            Self::A | Self::G => Span::from_micros(9),
            Self::B => Span::from_micros(20),
        }
    }

    /// Short inter-frame space.
    pub const fn sifs(self) -> Span {
        match self {
            Self::A => Span::from_micros(16),
            Self::B | Self::G => Span::from_micros(10),
        }
    }

    /// Minimum contention window.
    pub const fn cw_min(self) -> u32 {
        match self {
            Self::A | Self::G => 15,
            Self::B => 31,
        }
    }

    /// Maximum contention window.
    pub const fn cw_max(self) -> u32 {
        1023
    }

    /// Default frequency of propagation models in Hz: channel 36 for 802.11a (as in ns-3), else
    /// channel 6.
    pub const fn frequency_hz(self) -> f64 {
        match self {
            Self::A => 5.18e9,
            Self::B | Self::G => 2.437e9,
        }
    }

    /// Noise bandwidth in Hz.
    pub const fn bandwidth_hz(self) -> f64 {
        match self {
            Self::A | Self::G => 20e6,
            Self::B => 22e6,
        }
    }

    /// Basic rates, which every station has and control frames use.
    pub const fn basic(self, ofdm: bool) -> &'static [Mode] {
        const OFDM: [Mode; 3] = [Mode::OFDM[0], Mode::OFDM[2], Mode::OFDM[4]];
        const LOW: [Mode; 2] = [Mode::DSSS[0], Mode::DSSS[1]];
        match self {
            Self::A => &OFDM,
            Self::B => &LOW,
            Self::G if ofdm => &OFDM,
            Self::G => &Mode::DSSS,
        }
    }
}

impl fmt::Display for Standard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::A => "802.11a",
            Self::B => "802.11b",
            Self::G => "802.11g",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_the_standard_lacks_is_refused_in_words() {
        let error = Standard::B.mode(BitRate::from_mbps(54)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "rate: is 54 Mb/s: 802.11b has 1 Mb/s, 2 Mb/s, 5.5 Mb/s, 11 Mb/s"
        );
        let rate: BitRate = "5.5 Mb/s".parse().unwrap();
        assert_eq!(Standard::G.mode(rate).unwrap().to_string(), "5.5 Mb/s");
        assert!(Standard::A.mode(rate).is_err());
    }
}

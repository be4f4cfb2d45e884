//! Versions of 802.11: rates, slot, SIFS and contention windows.
//!
//! 802.11n, ac and ax take the times of the OFDM PHY of their band: those of 802.11a at 5 and 6 GHz, of
//! 802.11g at 2.4 GHz.
//! Source: IEEE 802.11-2012 tables 17-5 (HR/DSSS), 18-17 (OFDM), 19-8 (ERP); 802.11-2020 tables 19-25
//! (HT) and 21-28 (VHT); 802.11ax-2021 table 27-54 (HE).

use std::fmt;

use airtcp_probe::ConfigError;
use airtcp_units::{BitRate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::band::Band;
use super::{Format, Mode};

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
    /// HT at 2.4 or 5 GHz: 20 and 40 MHz, up to 600 Mb/s.
    #[serde(rename = "802.11n")]
    N,
    /// VHT at 5 GHz: 20 to 160 MHz.
    #[serde(rename = "802.11ac")]
    Ac,
    /// HE at 2.4, 5 or 6 GHz: 20 to 160 MHz.
    #[serde(rename = "802.11ax")]
    Ax,
}

impl Band {
    /// Standards in the band, oldest first. Stations of an older standard can be in a cell of a newer one.
    pub const fn standards(self) -> &'static [Standard] {
        match self {
            Self::Ghz2 => &[Standard::B, Standard::G, Standard::N, Standard::Ax],
            Self::Ghz5 => &[Standard::A, Standard::N, Standard::Ac, Standard::Ax],
            Self::Ghz6 => &[Standard::Ax],
        }
    }
}

impl Standard {
    /// Its rates without those of HT, VHT and HE, slowest first: those of 802.11b, then OFDM.
    pub fn modes(self) -> impl Iterator<Item = Mode> {
        let dsss = self.bands().contains(&Band::Ghz2).then_some(Mode::DSSS);
        let ofdm = (self != Self::B).then_some(Mode::OFDM);
        dsss.into_iter().flatten().chain(ofdm.into_iter().flatten())
    }

    /// Bands in which it exists; the first is the default.
    pub const fn bands(self) -> &'static [Band] {
        match self {
            Self::A | Self::Ac => &[Band::Ghz5],
            Self::B | Self::G => &[Band::Ghz2],
            Self::N => &[Band::Ghz5, Band::Ghz2],
            Self::Ax => &[Band::Ghz5, Band::Ghz2, Band::Ghz6],
        }
    }

    /// Its default band.
    pub const fn band(self) -> Band {
        self.bands()[0]
    }

    /// Format of its fastest frames.
    pub const fn format(self) -> Format {
        match self {
            Self::A | Self::G => Format::Ofdm,
            Self::B => Format::Dsss,
            Self::N => Format::Ht,
            Self::Ac => Format::Vht,
            Self::Ax => Format::He,
        }
    }

    /// True if its radios can decode frames in a mode.
    pub fn decodes(self, mode: Mode) -> bool {
        match mode.format() {
            Format::Dsss => self.bands().contains(&Band::Ghz2),
            Format::Ofdm => self != Self::B,
            format => format <= self.format(),
        }
    }

    /// True for 802.11n, ac and ax, whose rates depend on width, streams and guard interval.
    pub const fn has_mcs(self) -> bool {
        matches!(self, Self::N | Self::Ac | Self::Ax)
    }

    /// True if its frames have one of several codes.
    pub const fn chooses_code(self) -> bool {
        self.format().generation().codings.len() > 1
    }

    /// True if its cells have colours, by which stations ignore frames of other cells.
    pub const fn has_colours(self) -> bool {
        self.format().generation().signal_a.is_some()
    }

    /// The non-HT mode of `rate`.
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
            Self::B => Span::from_micros(20),
            _ => Span::from_micros(9),
        }
    }

    /// Short inter-frame space in its default band.
    pub const fn sifs(self) -> Span {
        self.band().sifs()
    }

    /// Minimum contention window.
    pub const fn cw_min(self) -> u32 {
        match self {
            Self::B => 31,
            _ => 15,
        }
    }

    /// Maximum contention window.
    pub const fn cw_max(self) -> u32 {
        1023
    }

    /// Basic rates, which every station has and control frames use.
    pub const fn basic(self, ofdm: bool) -> &'static [Mode] {
        const OFDM: [Mode; 3] = [Mode::OFDM[0], Mode::OFDM[2], Mode::OFDM[4]];
        const LOW: [Mode; 2] = [Mode::DSSS[0], Mode::DSSS[1]];
        match self {
            Self::A | Self::Ac => &OFDM,
            Self::B => &LOW,
            _ if ofdm => &OFDM,
            _ => &Mode::DSSS,
        }
    }
}

impl fmt::Display for Standard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::A => "802.11a",
            Self::B => "802.11b",
            Self::G => "802.11g",
            Self::N => "802.11n",
            Self::Ac => "802.11ac",
            Self::Ax => "802.11ax",
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

//! Versions of 802.11: rates, slot, SIFS and contention windows.
//!
//! 802.11n, ac and ax take the times of the OFDM PHY of their band: those of 802.11a at 5 and 6 GHz, of
//! 802.11g at 2.4 GHz.
//! Source: IEEE 802.11-2012 tables 17-5 (HR/DSSS), 18-17 (OFDM), 19-8 (ERP); 802.11-2020 tables 19-25
//! (HT) and 21-28 (VHT); 802.11ax-2021 table 27-54 (HE).

use airtcp_probe::ConfigError;
use airtcp_units::{BitRate, Span};

use super::band::Band;
use super::{Format, Mode, Standard};

impl Band {
    /// Standards in the band, oldest first. Stations of an older standard can be in a cell of a newer one.
    pub fn standards(self) -> impl Iterator<Item = Standard> {
        Standard::ALL.iter().copied().filter(move |standard| standard.bands().contains(&self))
    }
}

impl Standard {
    /// Its rates without those of HT, VHT and HE, slowest first: those of 802.11b, then OFDM.
    pub fn modes(self) -> impl Iterator<Item = Mode> {
        let dsss = self.bands().contains(&Band::Ghz2).then_some(Mode::DSSS);
        let ofdm = (self != Self::B).then_some(Mode::OFDM);
        dsss.into_iter().flatten().chain(ofdm.into_iter().flatten())
    }

    /// Its default band.
    pub const fn band(self) -> Band {
        self.bands()[0]
    }

    /// True if its radios can decode frames in a mode.
    pub fn decodes(self, mode: Mode) -> bool {
        match mode.format() {
            Format::Dsss => self.bands().contains(&Band::Ghz2),
            Format::Ofdm => self != Self::B,
            format => format <= self.format(),
        }
    }

    /// True from 802.11n on: its rates depend on width, streams and guard interval.
    pub const fn has_mcs(self) -> bool {
        !self.format().generation().schemes.is_empty()
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
    pub fn basic(self, ofdm: bool) -> &'static [Mode] {
        const OFDM: [Mode; 3] = [Mode::OFDM[0], Mode::OFDM[2], Mode::OFDM[4]];
        const LOW: [Mode; 2] = [Mode::DSSS[0], Mode::DSSS[1]];
        match self {
            Self::B => &LOW,
            _ if ofdm || !self.bands().contains(&Band::Ghz2) => &OFDM,
            _ => &Mode::DSSS,
        }
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

//! Channels of each standard, and the rejection between overlapping channels.
//!
//! ```text
//! f(n)      = 2407 + 5 n MHz (n = 1..13), 2484 MHz (14), 5000 + 5 n MHz
//! overlap   = integral S(f) R(f - d) df / integral S(f) R(f) df       d: distance of the centres
//! ```
//! `S` is the transmitted spectrum and `R` the receiver's filter. Both are assumed equal to the
//! standard's transmit spectrum mask. For OFDM it is 0 dBr up to 9 MHz from the centre, and -20, -28
//! and -40 dBr at 11, 20 and 30 MHz, linear in dB in between (clause 18.3.9.3). For DSSS and CCK it is
//! the spectrum of 11 Mchip/s, `sinc^2(f / 11 MHz)`, limited to -30 dBr beyond 11 MHz and -50 dBr
//! beyond 22 MHz (clause 17.4.7.5). The method is that of A. Mishra et al., *Partially overlapped
//! channels not considered harmful*, SIGMETRICS 2006. A test computes the tables below.
//!
//! Channels whose centres are 25 MHz or more apart do not overlap (clause 17.4.6.3), and the 20 MHz
//! channels of 802.11a never overlap. Leaves out the residual power five channels away, below -27 dB.
//! Source: IEEE 802.11-2012 clauses 17.4.6, 18.3.8.4, 19.4.3, annex E.

use airtcp_probe::ConfigError;

use super::Standard;

/// Channels of 802.11a, 20 MHz wide.
const FIVE_GHZ: [u16; 25] = [
    36, 40, 44, 48, 52, 56, 60, 64, 100, 104, 108, 112, 116, 120, 124, 128, 132, 136, 140, 144,
    149, 153, 157, 161, 165,
];

/// Minimum distance of the centres of channels that do not overlap, in MHz.
const SEPARATION_MHZ: u16 = 25;

/// Rejection in dB of OFDM by an OFDM receiver, for centres 0, 5, 10, ... 25 MHz apart. The last value
/// serves to interpolate between 20 and 25 MHz.
const OFDM_DB: [f64; 6] = [0.0, 1.2, 3.1, 6.7, 22.1, 27.2];
/// The same for DSSS by a DSSS receiver.
const DSSS_DB: [f64; 6] = [0.0, 1.8, 7.6, 18.6, 27.5, 32.8];
/// The same for OFDM by a DSSS receiver, and for DSSS by an OFDM receiver.
const MIXED_DB: [f64; 6] = [0.0, 0.6, 3.5, 11.3, 25.0, 29.0];

/// A channel of a standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Channel {
    standard: Standard,
    number: u16,
}

impl Channel {
    /// The channel with a number.
    ///
    /// # Errors
    /// If the standard has no such channel.
    pub fn new(standard: Standard, number: u16) -> Result<Self, ConfigError> {
        let (known, accepted) = match standard {
            Standard::A => (FIVE_GHZ.contains(&number), "36, 40 to 64, 100 to 144, 149 to 165"),
            Standard::B => ((1..=14).contains(&number), "1 to 14"),
            Standard::G => ((1..=13).contains(&number), "1 to 13"),
            Standard::N | Standard::Ac | Standard::Ax => {
                let message = format!(
                    "is {number}, and cells of {standard} do not share a medium yet: leave out the key"
                );
                return Err(ConfigError::new("channel", message));
            }
        };
        if known {
            return Ok(Self { standard, number });
        }
        let message = format!("is {number}: {standard} has the channels {accepted}");
        Err(ConfigError::new("channel", message))
    }

    /// Its number.
    pub const fn number(self) -> u16 {
        self.number
    }

    /// Frequency of its centre in MHz.
    pub const fn centre_mhz(self) -> u16 {
        match (self.standard, self.number) {
            (Standard::A, n) => 5000 + 5 * n,
            (_, 14) => 2484,
            (_, n) => 2407 + 5 * n,
        }
    }

    /// Rejection in dB of a frame on this channel by a radio on another; `None` without overlap.
    pub fn rejection_db(self, other: Self) -> Option<f64> {
        let apart = self.centre_mhz().abs_diff(other.centre_mhz());
        if apart >= SEPARATION_MHZ || apart > 0 && self.standard == Standard::A {
            return None;
        }
        let table = match [self.standard, other.standard].map(|s| s == Standard::B) {
            [false, false] => &OFDM_DB,
            [true, true] => &DSSS_DB,
            _ => &MIXED_DB,
        };
        let (step, rest) = (usize::from(apart / 5), f64::from(apart % 5));
        Some(table[step] + (table[step + 1] - table[step]) * rest / 5.0)
    }
}

#[cfg(test)]
mod tests {
    use airtcp_units::{Db, detmath};

    use super::*;

    fn channel(standard: Standard, number: u16) -> Channel {
        Channel::new(standard, number).unwrap()
    }

    /// The standard's mask of OFDM.
    fn ofdm(f: f64) -> f64 {
        let corners = [(0.0, 0.0), (9.0, 0.0), (11.0, -20.0), (20.0, -28.0), (30.0, -40.0)];
        let at = f.abs();
        let line = corners.windows(2).find(|w| at <= w[1].0);
        let db =
            line.map_or(-40.0, |w| w[0].1 + (w[1].1 - w[0].1) * (at - w[0].0) / (w[1].0 - w[0].0));
        Db(db).linear()
    }

    /// 11 Mchip/s under the mask of DSSS.
    fn dsss(f: f64) -> f64 {
        let x = std::f64::consts::PI * f / 11.0;
        let lobe = if x == 0.0 { 1.0 } else { (detmath::sin(x) / x) * (detmath::sin(x) / x) };
        let mask: f64 = match f.abs() {
            ..11.0 => 1.0,
            ..22.0 => 1e-3,
            _ => 1e-5,
        };
        lobe.min(mask)
    }

    #[test]
    fn tables_are_the_integrals_of_the_masks() {
        let overlap = |s: fn(f64) -> f64, r: fn(f64) -> f64, d: f64| -> f64 {
            (-8000..=8000).map(|i| 0.01 * f64::from(i)).map(|f| s(f) * r(f - d)).sum()
        };
        let pairs: [(&[f64; 6], fn(f64) -> f64, fn(f64) -> f64); 4] = [
            (&OFDM_DB, ofdm, ofdm),
            (&DSSS_DB, dsss, dsss),
            (&MIXED_DB, dsss, ofdm),
            (&MIXED_DB, ofdm, dsss),
        ];
        for (table, s, r) in pairs {
            for (step, db) in table.iter().enumerate() {
                let lost = overlap(s, r, 0.0) / overlap(s, r, 5.0 * step as f64);
                let lost_db = 10.0 * detmath::log10(lost);
                assert!((lost_db - db).abs() < 0.05, "{step}: {lost_db} {db}");
            }
        }
    }

    #[test]
    fn neighbours_overlap_up_to_four_channels_away() {
        let lost = |a: u16, b: u16| channel(Standard::B, a).rejection_db(channel(Standard::B, b));
        assert_eq!(lost(6, 6), Some(0.0));
        assert_eq!((lost(1, 5), lost(5, 1)), (Some(27.5), Some(27.5)));
        assert_eq!((lost(1, 6), lost(6, 11), lost(1, 11)), (None, None, None));
        // Channel 14 is 12 MHz from channel 13.
        assert!((lost(13, 14).unwrap() - (7.6 + 0.4 * (18.6 - 7.6))).abs() < 1e-9);
        assert!(lost(11, 14).is_some() && lost(10, 14).is_none());
        let (b, g) = (channel(Standard::B, 3), channel(Standard::G, 4));
        assert_eq!((b.rejection_db(g), g.rejection_db(b)), (Some(0.6), Some(0.6)));
        let a = |n| channel(Standard::A, n);
        assert_eq!((a(36).rejection_db(a(36)), a(36).rejection_db(a(40))), (Some(0.0), None));
        assert_eq!(a(36).rejection_db(b), None);
        assert_eq!((a(36).centre_mhz(), b.centre_mhz()), (5180, 2422));
    }

    #[test]
    fn only_the_standards_channels_are_accepted() {
        for (standard, number) in [
            (Standard::A, 6),
            (Standard::A, 38),
            (Standard::B, 15),
            (Standard::G, 14),
            (Standard::G, 0),
        ] {
            let error = Channel::new(standard, number).unwrap_err();
            assert!(error.key == "channel" && error.message.contains(&standard.to_string()));
        }
    }
}

//! Channels of each standard, and the rejection between overlapping channels.
//!
//! ```text
//! f(n)      = 2407 + 5 n MHz (n = 1..13), 2484 MHz (14), 5000 + 5 n MHz, 5950 + 5 n MHz (6 GHz)
//! overlap   = integral S(f) R(f - d) df / integral S(f) R(f) df       d: distance of the centres
//! ```
//! `S` is the transmitted spectrum and `R` the receiver's filter. Both are assumed equal to the
//! standard's transmit spectrum mask. For OFDM it is 0 dBr up to 9 MHz from the centre, and -20, -28
//! and -40 dBr at 11, 20 and 30 MHz, linear in dB in between (clause 18.3.9.3). For DSSS and CCK it is
//! the spectrum of 11 Mchip/s, `sinc^2(f / 11 MHz)`, limited to -30 dBr beyond 11 MHz and -50 dBr
//! beyond 22 MHz (clause 17.4.7.5). The method is that of A. Mishra et al., *Partially overlapped
//! channels not considered harmful*, SIGMETRICS 2006. A test computes the tables below.
//!
//! If a frame or a radio is wider than 20 MHz, the share of the frame's power that the radio receives is that of its
//! band that lies in the radio's, and the masks are left out: bands side by side do not overlap.
//!
//! Channels whose centres are 25 MHz or more apart do not overlap (clause 17.4.6.3), and the 20 MHz
//! channels of 802.11a never overlap. Leaves out the residual power five channels away, below -27 dB.
//! Source: IEEE 802.11-2012 clauses 17.4.6, 18.3.8.4, 19.4.3, annex E.

use airtcp_probe::ConfigError;
use airtcp_units::Db;

use super::spectrum::{centre_mhz, spectra};
use super::{Band, PhySetup, SecondaryChannel, Spectrum, Standard, Width};

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

/// A channel of a standard: the primary 20 MHz, and the band of the cell around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Channel {
    standard: Standard,
    number: u16,
    band: Band,
    width: Width,
    /// The bands of frames of 20, 40, 80 and 160 MHz, up to the width of the channel.
    spectra: [Spectrum; 4],
}

/// What a radio receives of the frames of one width of another cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Heard {
    /// Share of the power of a frame that the radio receives.
    pub(crate) share: f64,
    /// The part of the radio's band in which this power is.
    pub(crate) spectrum: Spectrum,
    /// True if one of the 20 MHz channels of the frame is the radio's primary one.
    pub(crate) is_tuned: bool,
    /// True if all of the frame's band is in the radio's.
    pub(crate) is_within: bool,
}

impl Channel {
    /// The channel with a number, in the default band and width of the standard.
    ///
    /// # Errors
    /// If the standard has no such channel.
    pub fn new(standard: Standard, number: u16) -> Result<Self, ConfigError> {
        Self::of(&PhySetup::usual(standard), number, None)
    }

    /// The channel with this primary 20 MHz channel. `secondary` is for 40 MHz at 2.4 GHz. Its default is above
    /// for the channels 1 to 9, and below for the others.
    ///
    /// # Errors
    /// If the standard has no such channel in the band, or none of the width.
    pub fn of(
        setup: &PhySetup,
        number: u16,
        secondary: Option<SecondaryChannel>,
    ) -> Result<Self, ConfigError> {
        let PhySetup { standard, band, width, .. } = *setup;
        if standard.has_mcs() {
            let spectra = spectra(*setup, number, secondary)?;
            return Ok(Self { standard, number, band, width, spectra });
        }
        let (known, accepted) = match standard {
            Standard::B => ((1..=14).contains(&number), "1 to 14"),
            Standard::G => ((1..=13).contains(&number), "1 to 13"),
            _ => (FIVE_GHZ.contains(&number), "36, 40 to 64, 100 to 144, 149 to 165"),
        };
        if !known {
            let message = format!("is {number}: {standard} has the channels {accepted}");
            return Err(ConfigError::new("channel", message));
        }
        if secondary.is_some() {
            let message = format!("is for channels of 40 MHz, and {standard} has 20 MHz: omit it");
            return Err(ConfigError::new("secondary_channel", message));
        }
        let spectra = [Spectrum::around(centre_mhz(band, number)); 4];
        Ok(Self { standard, number, band, width, spectra })
    }

    /// Its number.
    pub const fn number(self) -> u16 {
        self.number
    }

    /// Frequency of the centre of its primary 20 MHz in MHz.
    pub const fn centre_mhz(self) -> u16 {
        centre_mhz(self.band, self.number)
    }

    /// Its width.
    pub const fn width(self) -> Width {
        self.width
    }

    /// The band of frames of a width, at most that of the channel.
    pub fn spectrum(self, width: Width) -> Spectrum {
        let [narrow, forty, eighty, widest] = self.spectra;
        match width {
            Width::Mhz20 => narrow,
            Width::Mhz40 => forty,
            Width::Mhz80 => eighty,
            Width::Mhz160 => widest,
        }
    }

    /// The secondary 20, 40 and 80 MHz, as far as the channel has them.
    pub fn secondaries(self) -> impl Iterator<Item = Spectrum> {
        let steps = Width::ALL.windows(2).map(move |w| [w[0], w[1]].map(|w| self.spectrum(w)));
        steps.filter(|[inner, outer]| inner != outer).map(|[inner, outer]| {
            if outer.low < inner.low {
                Spectrum { low: outer.low, high: inner.low }
            } else {
                Spectrum { low: inner.high, high: outer.high }
            }
        })
    }

    /// True for the channels of 802.11a, b and g.
    const fn is_old(self) -> bool {
        !self.standard.has_mcs()
    }

    /// Rejection in dB of a frame on this channel by a radio on another, for channels of 802.11a, b and g; 0 if
    /// one of them is of a later standard, whose frames may have several widths. `None` without overlap.
    pub fn rejection_db(self, other: Self) -> Option<f64> {
        if self.is_old() && other.is_old() {
            return self.mask_db(self.spectra[0], other, other.spectra[0]);
        }
        Width::ALL.iter().any(|width| other.hears(self, *width).share > 0.0).then_some(0.0)
    }

    /// Rejection in dB of a frame in a band of 20 MHz by a radio of 20 MHz on another channel.
    fn mask_db(self, frame: Spectrum, other: Self, radio: Spectrum) -> Option<f64> {
        let apart = frame.low.abs_diff(radio.low);
        if apart >= SEPARATION_MHZ || apart > 0 && self.band != Band::Ghz2 {
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

    /// What a radio on this channel receives of the frames of a width on the channel `sender`. For two channels
    /// of 802.11a, b and g the share is 1, because the rejection is part of the power.
    pub(crate) fn hears(self, sender: Self, width: Width) -> Heard {
        let (frame, radio) = (sender.spectrum(width), self.spectrum(self.width));
        let primary = self.spectra[0];
        let is_tuned =
            frame.contains(primary) && (primary.low - frame.low).is_multiple_of(primary.mhz());
        let is_within = radio.contains(frame);
        let (share, spectrum) = if self.is_old() && sender.is_old() {
            (1.0, radio)
        } else if frame.mhz() == radio.mhz() && radio.mhz() == primary.mhz() {
            let share = match sender.mask_db(frame, self, radio) {
                None => 0.0,
                Some(db) if db <= 0.0 => 1.0,
                Some(db) => Db(-db).linear(),
            };
            (share, radio)
        } else {
            (frame.share_in(radio), frame.common(radio))
        };
        Heard { share, spectrum, is_tuned, is_within }
    }
}

#[cfg(test)]
mod tests {
    use airtcp_units::detmath;

    use super::*;
    use crate::phy::SetupKeys;

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

    fn wide(standard: Standard, band: Band, width: Width, number: u16) -> Result<Channel, String> {
        side(standard, band, width, number, None)
    }

    fn side(
        standard: Standard,
        band: Band,
        width: Width,
        number: u16,
        secondary: Option<SecondaryChannel>,
    ) -> Result<Channel, String> {
        let keys = SetupKeys { band: Some(band), width: Some(width), ..SetupKeys::default() };
        let setup = PhySetup::new(standard, &keys).unwrap();
        Channel::of(&setup, number, secondary).map_err(|e| e.to_string())
    }

    /// The numbers of the centres of all channels of a width: those of 802.11's operating classes.
    fn centres(standard: Standard, band: Band, width: Width) -> Vec<u16> {
        let base = centre_mhz(band, 0);
        let mut centres: Vec<u16> = (1..=233)
            .filter_map(|n| wide(standard, band, width, n).ok())
            .map(|c| c.spectrum(width))
            .map(|s| (u16::midpoint(s.low, s.high) - base) / 5)
            .collect();
        centres.dedup();
        centres
    }

    #[test]
    fn blocks_are_those_of_the_operating_classes() {
        let five = |standard, width| centres(standard, Band::Ghz5, width);
        assert_eq!(five(Standard::Ac, Width::Mhz20), FIVE_GHZ);
        let forty = [38, 46, 54, 62, 102, 110, 118, 126, 134, 142, 151, 159];
        assert_eq!(five(Standard::N, Width::Mhz40), forty);
        assert_eq!(five(Standard::Ac, Width::Mhz80), [42, 58, 106, 122, 138, 155]);
        assert_eq!(five(Standard::Ax, Width::Mhz80), [42, 58, 106, 122, 138, 155, 171]);
        assert_eq!(five(Standard::Ac, Width::Mhz160), [50, 114]);
        assert_eq!(five(Standard::Ax, Width::Mhz160), [50, 114, 163]);
        let six = |width| centres(Standard::Ax, Band::Ghz6, width);
        assert_eq!(six(Width::Mhz20).len(), 59);
        assert_eq!((six(Width::Mhz40).len(), six(Width::Mhz40)[28]), (29, 227));
        let eighty = [7, 23, 39, 55, 71, 87, 103, 119, 135, 151, 167, 183, 199, 215];
        assert_eq!(six(Width::Mhz80), eighty);
        assert_eq!(six(Width::Mhz160), [15, 47, 79, 111, 143, 175, 207]);
        let last = wide(Standard::Ax, Band::Ghz6, Width::Mhz20, 233).unwrap();
        assert_eq!(last.centre_mhz(), 7115);
    }

    /// Channel 44 with 80 MHz: the secondary 20 MHz is 48, the secondary 40 MHz is 36 and 40.
    #[test]
    fn secondaries() {
        let c = wide(Standard::Ac, Band::Ghz5, Width::Mhz160, 44).unwrap();
        let found: Vec<_> = c.secondaries().map(|s| (s.low, s.high)).collect();
        assert_eq!(found, [(5230, 5250), (5170, 5210), (5250, 5330)]);
        let one = wide(Standard::Ac, Band::Ghz5, Width::Mhz20, 44).unwrap();
        assert_eq!(one.secondaries().count(), 0);
        let two = |number, secondary| {
            let found = side(Standard::N, Band::Ghz2, Width::Mhz40, number, secondary);
            found.map(|c| c.secondaries().map(|s| s.low).collect::<Vec<_>>())
        };
        assert_eq!(two(6, None).unwrap(), [2447]);
        assert_eq!(two(6, Some(SecondaryChannel::Below)).unwrap(), [2407]);
        assert_eq!(two(11, None).unwrap(), [2432]);
        let error = two(11, Some(SecondaryChannel::Above)).unwrap_err();
        assert!(error.ends_with("beside channel 11: choose \"below\""), "{error}");
        assert!(two(3, Some(SecondaryChannel::Below)).unwrap_err().contains("choose \"above\""));
    }

    #[test]
    fn channels_that_do_not_exist_are_refused_with_the_nearest() {
        let ac = |width, number| wide(Standard::Ac, Band::Ghz5, width, number).unwrap_err();
        assert_eq!(
            ac(Width::Mhz40, 165),
            "channel: is 165, which no channel of 40 MHz of 802.11ac at 5 GHz contains: the nearest that one \
             contains is 161, and the widest with 165 has 20 MHz"
        );
        assert!(ac(Width::Mhz160, 140).contains("is 128, and the widest with 140 has 80 MHz"));
        let message = ac(Width::Mhz80, 38);
        assert!(message.contains("149 to 165 in steps of 4; the nearest is 36"), "{message}");
        assert!(wide(Standard::Ax, Band::Ghz5, Width::Mhz40, 165).is_ok());
        let six = wide(Standard::Ax, Band::Ghz6, Width::Mhz80, 233).unwrap_err();
        assert!(six.contains("is 221, and the widest with 233 has 20 MHz"), "{six}");
        let key = side(Standard::Ac, Band::Ghz5, Width::Mhz40, 36, Some(SecondaryChannel::Above));
        assert!(key.unwrap_err().starts_with("secondary_channel: is only for channels of 40 MHz"));
    }

    /// Shares of the power by hand.
    #[test]
    fn wide_frames_share_their_power() {
        let ac = |width, number| wide(Standard::Ac, Band::Ghz5, width, number).unwrap();
        let (eighty, narrow) = (ac(Width::Mhz80, 36), ac(Width::Mhz20, 44));
        let all = narrow.hears(eighty, Width::Mhz80);
        assert_eq!((all.share, all.is_tuned, all.is_within), (0.25, true, false));
        assert_eq!(all.spectrum, Spectrum { low: 5210, high: 5230 });
        // 20 and 40 MHz around channel 36 do not reach channel 44.
        let none = [Width::Mhz20, Width::Mhz40].map(|w| narrow.hears(eighty, w).share);
        assert!(none.iter().all(|share| *share <= 0.0));
        let back = eighty.hears(narrow, Width::Mhz20);
        assert_eq!((back.share, back.is_tuned, back.is_within), (1.0, false, true));
        let primary = eighty.hears(ac(Width::Mhz40, 40), Width::Mhz40);
        assert_eq!((primary.share, primary.is_tuned, primary.is_within), (1.0, true, true));
        let half = ac(Width::Mhz40, 44).hears(ac(Width::Mhz160, 36), Width::Mhz160);
        assert_eq!((half.share, half.is_tuned, half.is_within), (0.25, true, false));
        // An 802.11a cell on the secondary 20 MHz.
        let a = Channel::new(Standard::A, 40).unwrap();
        assert_eq!((eighty.rejection_db(a), a.rejection_db(eighty)), (Some(0.0), Some(0.0)));
        assert_eq!(ac(Width::Mhz80, 52).rejection_db(a), None);
        // At 2.4 GHz: 20 MHz channels by the masks, 40 MHz by the overlap, and by the raster of 20 MHz.
        let n = |width, number| wide(Standard::N, Band::Ghz2, width, number).unwrap();
        let g = Channel::new(Standard::G, 3).unwrap();
        let mask = g.hears(n(Width::Mhz20, 1), Width::Mhz20);
        assert!((10.0 * detmath::log10(mask.share) + 3.1).abs() < 1e-9 && !mask.is_tuned);
        let over = g.hears(n(Width::Mhz40, 1), Width::Mhz40);
        assert_eq!((over.share, over.is_tuned), (0.5, false));
        assert!(
            Channel::new(Standard::G, 5).unwrap().hears(n(Width::Mhz40, 1), Width::Mhz40).is_tuned
        );
        assert_eq!(n(Width::Mhz40, 9).rejection_db(Channel::new(Standard::G, 4).unwrap()), None);
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

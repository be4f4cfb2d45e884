//! The band that a frame occupies, and the part of a power that falls into it.
//!
//! ```text
//! part(X in Y) = overlap of the bands of X and Y / band of X
//! noise of Y   = noise of the cell x part(cell in Y)
//! interference of X to Y = power of X x part(X in Y)
//! ```
//! The power of a frame and the noise are spread evenly over their bands. A band contains every narrower band
//! of its cell: all have the primary channel. A resource unit has its part of the tones of its PPDU. Bands of other
//! cells on the medium overlap by their frequencies ([`Channel`](crate::phy::Channel)).
//!
//! Bands of frames:
//!
//! - HT, VHT and HE: the width of the frame, or its resource unit;
//! - non-HT OFDM: the width that sender and receiver both have, over which the sender duplicates the frame;
//!   without a receiver the width of the sender;
//! - DSSS and CCK: 20 MHz, the band for which the noise of narrow cells counts.

use crate::phy::{Mode, Spectrum, Width};

/// A band.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Occupied {
    hz: f64,
    /// Its frequencies, if several cells share the medium; else empty.
    spectrum: Spectrum,
}

impl Occupied {
    /// A whole channel.
    #[inline]
    pub(crate) fn whole(width: Width) -> Self {
        Self { hz: f64::from(width.mhz()) * 1e6, spectrum: Spectrum::default() }
    }

    /// The band of a frame in `mode`, if its sender and its receiver both have `width`.
    #[inline]
    pub(crate) fn of(mode: Mode, width: Width) -> Self {
        if mode.is_mcs() {
            return Self { hz: mode.bandwidth_hz(), spectrum: Spectrum::default() };
        }
        Self::whole(if mode.is_ofdm() { width } else { Width::Mhz20 })
    }

    /// All of these frequencies.
    pub(crate) fn all(spectrum: Spectrum) -> Self {
        Self { hz: f64::from(spectrum.mhz()) * 1e6, spectrum }
    }

    /// This band at its frequencies.
    #[inline]
    pub(crate) const fn at(self, spectrum: Spectrum) -> Self {
        Self { spectrum, ..self }
    }

    /// Its width in Hz.
    #[inline]
    pub(crate) const fn hz(self) -> f64 {
        self.hz
    }

    /// Its frequencies, if several cells share the medium; else empty.
    #[inline]
    pub(crate) const fn spectrum(self) -> Spectrum {
        self.spectrum
    }

    /// Part of a power spread over this band that falls into another one.
    #[inline]
    pub(crate) fn part_in(self, other: Self) -> f64 {
        let (own, its) = (self.spectrum, other.spectrum);
        if own.contains(its) || its.contains(own) {
            return if self.hz <= other.hz { 1.0 } else { other.hz / self.hz };
        }
        own.share_in(its)
    }
}

/// Part of the noise of a cell that falls into the band of a frame in `mode`, or of a whole channel without a mode, if
/// its sender and its receiver both have `width`.
pub fn noise_part(mode: Option<Mode>, width: Width, cell: Width) -> f64 {
    let band = mode.map_or_else(|| Occupied::whole(width), |mode| Occupied::of(mode, width));
    Occupied::whole(cell).part_in(band)
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the parts are exact")]
mod tests {
    use super::*;
    use crate::phy::{Format, GuardInterval, RuSize};

    #[test]
    fn parts() {
        let he = |width| Mode::mcs(Format::He, 5, 1, width, GuardInterval::Ns800).unwrap();
        let cell = Occupied::whole(Width::Mhz80);
        let narrow = Occupied::of(he(Width::Mhz20), Width::Mhz80);
        assert_eq!((cell.part_in(narrow), narrow.part_in(cell)), (0.25, 1.0));
        assert_eq!(cell.part_in(Occupied::of(he(Width::Mhz80), Width::Mhz80)), 1.0);
        let unit = Occupied::of(he(Width::Mhz80).in_ru(RuSize::Tones26).unwrap(), Width::Mhz80);
        assert!((cell.part_in(unit) - 26.0 / 996.0).abs() < 1e-12);
        assert!((narrow.part_in(unit) - 26.0 / 249.0).abs() < 1e-12);
        let whole = he(Width::Mhz80).in_ru(RuSize::Tones996).unwrap();
        assert_eq!(cell.part_in(Occupied::of(whole, Width::Mhz80)), 1.0);
        // Bands of several cells overlap by their frequencies.
        let at = |low, high| Occupied::all(Spectrum { low, high });
        assert_eq!(at(5170, 5250).part_in(at(5210, 5230)), 0.25);
        assert_eq!(at(5210, 5230).part_in(at(5170, 5250)), 1.0);
        assert_eq!(at(5170, 5210).part_in(at(5190, 5230)), 0.5);
        assert_eq!(at(5170, 5190).part_in(at(5190, 5230)), 0.0);
        // Non-HT frames are duplicated, those of 802.11b are not.
        assert_eq!(cell.part_in(Occupied::of(Mode::OFDM[0], Width::Mhz80)), 1.0);
        assert_eq!(cell.part_in(Occupied::of(Mode::OFDM[0], Width::Mhz40)), 0.5);
        assert_eq!(cell.part_in(Occupied::of(Mode::DSSS[0], Width::Mhz80)), 0.25);
    }
}

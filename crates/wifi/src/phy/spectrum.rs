//! Intervals of frequencies, and the channels of 20 to 160 MHz of each band.
//!
//! ```text
//! f(n)      = 2407 + 5 n MHz at 2.4 GHz, 5000 + 5 n MHz at 5 GHz, 5950 + 5 n MHz at 6 GHz      n: a channel of 20 MHz
//! groups    5 GHz: 36 to 64, 100 to 144, 149 to 165 (802.11ax: to 177); 6 GHz: 1 to 233; in steps of 4
//! block     2^k channels of a group in a row, of which the first has a place divisible by 2^k
//! ```
//! A channel of 40, 80 or 160 MHz is a block of 2, 4 or 8 channels of 20 MHz. A primary channel is in at most one
//! block of each size. At 2.4 GHz, a channel of 40 MHz is the primary one and the one 20 MHz above or below.
//! Source: IEEE 802.11-2020 annex E, tables E-1 and E-4 (global operating classes 115 to 130); 802.11ax-2021 for the
//! channels 169 to 177 and the classes 131 to 135 of 6 GHz. hostapd has the same classes.

use airtcp_probe::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Band, PhySetup, Standard, Width};

/// An interval of frequencies, in MHz.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spectrum {
    /// Lower edge.
    pub low: u16,
    /// Upper edge.
    pub high: u16,
}

impl Spectrum {
    /// The interval of 20 MHz around a centre.
    pub(super) const fn around(centre: u16) -> Self {
        Self { low: centre - 10, high: centre + 10 }
    }

    /// Its width in MHz.
    pub const fn mhz(self) -> u16 {
        self.high - self.low
    }

    /// What two intervals have in common; empty at 0 if they have nothing.
    #[must_use]
    pub fn common(self, other: Self) -> Self {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        if low < high { Self { low, high } } else { Self::default() }
    }

    /// True if `other` lies within this interval.
    pub const fn contains(self, other: Self) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// The share of this interval that lies within `other`: 1 if all of it does, 0 if nothing does.
    #[inline]
    pub fn share_in(self, other: Self) -> f64 {
        if other.contains(self) {
            return 1.0;
        }
        f64::from(self.common(other).mhz()) / f64::from(self.mhz())
    }
}

/// Where the secondary 20 MHz of a channel of 40 MHz at 2.4 GHz is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SecondaryChannel {
    /// Above the primary channel: HT40+.
    Above,
    /// Below it: HT40-.
    Below,
}

/// First channel and number of channels of each group of a standard in a band.
fn groups(standard: Standard, band: Band) -> &'static [(u16, u16)] {
    standard.format().generation().in_band(band).map_or(&[], |channels| channels.groups)
}

/// Difference of the numbers of neighbouring channels of 20 MHz.
const fn step(band: Band) -> u16 {
    if matches!(band, Band::Ghz2) { 1 } else { 4 }
}

/// Centre in MHz of a channel of 20 MHz.
pub(super) const fn centre_mhz(band: Band, number: u16) -> u16 {
    match band {
        Band::Ghz2 if number == 14 => 2484,
        Band::Ghz2 => 2407 + 5 * number,
        Band::Ghz5 => 5000 + 5 * number,
        Band::Ghz6 => 5950 + 5 * number,
    }
}

/// All numbers of a standard in a band, in order.
fn numbers(standard: Standard, band: Band) -> impl Iterator<Item = u16> {
    let of = move |(first, count): &(u16, u16)| {
        let first = *first;
        (0..*count).map(move |place| first + place * step(band))
    };
    groups(standard, band).iter().flat_map(of)
}

/// The channel of a width around a primary channel; `None` if the standard has none.
fn block(
    setup: PhySetup,
    number: u16,
    width: Width,
    secondary: SecondaryChannel,
) -> Option<Spectrum> {
    let PhySetup { standard, band, .. } = setup;
    let own = Spectrum::around(centre_mhz(band, number));
    if band == Band::Ghz2 {
        let above = secondary == SecondaryChannel::Above;
        let other = if above { number + 4 } else { number.checked_sub(4)? };
        return match width {
            Width::Mhz20 => Some(own),
            Width::Mhz40 if !(1..=13).contains(&other) => None,
            Width::Mhz40 if above => Some(Spectrum { high: own.high + 20, ..own }),
            Width::Mhz40 => Some(Spectrum { low: own.low - 20, ..own }),
            _ => None,
        };
    }
    let size = width.mhz() / 20;
    let group = groups(standard, band).iter().rfind(|(first, _)| *first <= number)?;
    let place = (number - group.0) / step(band);
    let from = place - place % size;
    if from + size > group.1 {
        return None;
    }
    let low = own.low - 20 * (place - from);
    Some(Spectrum { low, high: low + 20 * size })
}

/// The nearest of some numbers.
fn nearest(all: impl Iterator<Item = u16>, number: u16) -> Option<u16> {
    all.min_by_key(|other| other.abs_diff(number))
}

/// Channels of a standard in a band, in words.
fn accepted(standard: Standard, band: Band) -> String {
    let named = |(first, count): &(u16, u16)| {
        let last = first + (count - 1) * step(band);
        format!("{first} to {last}")
    };
    let list: Vec<String> = groups(standard, band).iter().map(named).collect();
    let steps = if step(band) > 1 { " in steps of 4" } else { "" };
    format!("{}{steps}", list.join(", "))
}

/// The channels of 20, 40, 80 and 160 MHz around a primary channel, up to the width of the cell; wider ones are
/// equal to that of the cell.
pub(super) fn spectra(
    setup: PhySetup,
    number: u16,
    secondary: Option<SecondaryChannel>,
) -> Result<[Spectrum; 4], ConfigError> {
    let PhySetup { standard, band, width, .. } = setup;
    if !numbers(standard, band).any(|known| known == number) {
        let near = nearest(numbers(standard, band), number).unwrap_or_default();
        let has = accepted(standard, band);
        let message = format!(
            "is {number}: {standard} at {band} has the channels {has}; the nearest is {near}"
        );
        return Err(ConfigError::new("channel", message));
    }
    let forty = band == Band::Ghz2 && width == Width::Mhz40;
    if secondary.is_some() && !forty {
        let message = format!(
            "is only for channels of 40 MHz at 2.4 GHz, and the cell has {width} at {band}, where it follows from \
             `channel`: leave out the key"
        );
        return Err(ConfigError::new("secondary_channel", message));
    }
    let above = SecondaryChannel::Above;
    let usual = if number <= 9 { above } else { SecondaryChannel::Below };
    let side = secondary.unwrap_or(usual);
    let mut spectra = [Spectrum::default(); 4];
    for (place, other) in Width::ALL.iter().enumerate() {
        let found = block(setup, number, (*other).min(width), side);
        spectra[place] = found.ok_or_else(|| lacks(setup, number, secondary))?;
    }
    Ok(spectra)
}

/// The error of a channel that is in none of the cell's width.
fn lacks(setup: PhySetup, number: u16, secondary: Option<SecondaryChannel>) -> ConfigError {
    let PhySetup { standard, band, width, .. } = setup;
    if let Some(side) = secondary {
        let (is, other) = match side {
            SecondaryChannel::Above => ("above", "below"),
            SecondaryChannel::Below => ("below", "above"),
        };
        let message = format!(
            "is \"{is}\", and {band} has no channel of 20 MHz there beside channel {number}: choose \"{other}\""
        );
        return ConfigError::new("secondary_channel", message);
    }
    let has = |number: &u16| block(setup, *number, width, SecondaryChannel::Above).is_some();
    let near = nearest(numbers(standard, band).filter(has), number).unwrap_or_default();
    let side = SecondaryChannel::Above;
    let own = Width::ALL.iter().rfind(|narrow| block(setup, number, **narrow, side).is_some());
    let own = own.copied().unwrap_or(Width::Mhz20);
    let message = format!(
        "is {number}, which no channel of {width} of {standard} at {band} contains: the nearest that one contains \
         is {near}, and the widest with {number} has {own}"
    );
    ConfigError::new("channel", message)
}

//! What the stations of one cell (a basic service set) have in common on a medium that other
//! cells may share: rules, radios, noise, and the numbers that its draws are taken by.
//!
//! Everything random in a cell is drawn under the cell's own label and by numbers that count its
//! own stations and frames, so that another cell on the medium changes no draw of this one.

use airtcp_random::Keyed;
use airtcp_units::Nanos;

use super::ambient::Ambient;
use super::levels::Levels;
use crate::mac::Rules;
use crate::phy::error::ErrorModel;
use crate::phy::fading::Fading;
use crate::phy::{Mode, Standard};

/// A cell on its medium.
#[derive(Debug)]
pub(crate) struct Bss {
    pub(crate) rules: Rules,
    pub(crate) error: ErrorModel,
    /// Fading between its stations.
    pub(crate) fading: Fading,
    pub(crate) levels: Levels,
    pub(crate) ambient: Ambient,
    /// Number of its first station on the medium.
    pub(crate) first: usize,
    channel: u16,
    /// Number of transmissions begun.
    pub(crate) ordinal: u64,
    /// Draws of its frames at its own radios,
    pub(crate) draws: Keyed,
    /// and at those of other cells.
    pub(crate) draws_abroad: Keyed,
    /// Transmissions under way.
    on_air: u32,
    busy_since: Nanos,
    busy_ns: u64,
}

/// What a cell brings to its medium.
pub(crate) struct Parts {
    pub(crate) rules: Rules,
    pub(crate) error: ErrorModel,
    pub(crate) fading: Fading,
    pub(crate) levels: Levels,
    pub(crate) ambient: Ambient,
    /// At its own radios, and at those of other cells.
    pub(crate) draws: [Keyed; 2],
}

impl Bss {
    pub(crate) fn new(first: usize, channel: u16, parts: Parts) -> Self {
        let Parts { rules, error, fading, levels, ambient, draws: [draws, draws_abroad] } = parts;
        Self {
            rules,
            error,
            fading,
            levels,
            ambient,
            first,
            channel,
            ordinal: 0,
            draws,
            draws_abroad,
            on_air: 0,
            busy_since: Nanos::ZERO,
            busy_ns: 0,
        }
    }

    /// Number of a station in its cell.
    pub(crate) const fn local(&self, station: usize) -> usize {
        station - self.first
    }

    /// Whether its radios can read a frame of `sender` in `mode`: those of another channel or in a
    /// modulation that its standard lacks are energy to them.
    pub(crate) fn reads(&self, sender: &Self, mode: Mode) -> bool {
        let lacks = if mode.is_ofdm() { Standard::B } else { Standard::A };
        self.first == sender.first
            || self.channel == sender.channel && self.rules.timing.standard != lacks
    }

    /// A transmission of one of its stations begins.
    pub(crate) const fn on_start(&mut self, now: Nanos) {
        if self.on_air == 0 {
            self.busy_since = now;
        }
        self.on_air += 1;
        self.ordinal += 1;
    }

    /// A transmission of one of its stations ends.
    pub(crate) const fn on_end(&mut self, now: Nanos) {
        self.on_air -= 1;
        if self.on_air == 0 {
            self.busy_ns += now.since(self.busy_since).0;
        }
    }

    /// Time at least one of its transmissions was under way.
    pub(crate) const fn busy_ns(&self, now: Nanos) -> u64 {
        self.busy_ns + if self.on_air == 0 { 0 } else { now.since(self.busy_since).0 }
    }
}

//! State of one cell (basic service set) on a medium that other cells may share: rules, radios,
//! noise, and the counters that number its random draws.
//!
//! Random draws of a cell depend only on the cell's label and on counters of its own stations and
//! frames. Another cell on the medium changes none of them.

use airtcp_random::Keyed;
use airtcp_units::Nanos;

use super::ambient::Ambient;
use super::bands::Tuned;
use super::levels::Levels;
use super::obss_pd::ObssPd;
use super::occupied::Occupied;
use crate::mac::Rules;
use crate::phy::error::ErrorModel;
use crate::phy::fading::Fading;
use crate::phy::{Channel, Format, Mode, Width};

/// A cell on its medium.
#[derive(Debug)]
pub(crate) struct Bss {
    pub(crate) rules: Rules,
    pub(crate) error: ErrorModel,
    /// Fading between its stations.
    pub(crate) fading: Fading,
    pub(crate) levels: Levels,
    pub(crate) ambient: Ambient,
    /// Its channel, over which the noise is counted.
    pub(crate) band: Occupied,
    /// Number of its first station on the medium.
    pub(crate) first: usize,
    /// Its channel, if other cells share the medium.
    channel: Option<Channel>,
    /// Its primary and secondary channels, if other cells share the medium.
    pub(crate) tuned: Tuned,
    pub(crate) reuse: ObssPd,
    /// Number of transmissions begun.
    pub(crate) ordinal: u64,
    /// Draws of its frames at its own radios.
    pub(crate) draws: Keyed,
    /// Draws of its frames at the radios of other cells.
    pub(crate) draws_abroad: Keyed,
    /// Draws of the MPDUs of its aggregates, at its own radios and at others.
    pub(crate) draws_mpdu: [Keyed; 2],
    /// Transmissions under way.
    on_air: u32,
    busy_since: Nanos,
    busy_ns: u64,
}

/// Inputs to build a cell on a medium.
pub(crate) struct Parts {
    pub(crate) rules: Rules,
    pub(crate) error: ErrorModel,
    pub(crate) fading: Fading,
    pub(crate) levels: Levels,
    pub(crate) ambient: Ambient,
    pub(crate) band: Occupied,
    pub(crate) channel: Option<Channel>,
    pub(crate) tuned: Tuned,
    pub(crate) reuse: ObssPd,
    /// Draws at its own radios, and at those of other cells.
    pub(crate) draws: [Keyed; 2],
    /// The same of the MPDUs of aggregates.
    pub(crate) draws_mpdu: [Keyed; 2],
}

impl Bss {
    pub(crate) fn new(first: usize, parts: Parts) -> Self {
        let Parts { rules, error, fading, levels, ambient, band, .. } = parts;
        let Parts { channel, tuned, reuse, draws, draws_mpdu, .. } = parts;
        let [draws, draws_abroad] = draws;
        Self {
            rules,
            error,
            fading,
            levels,
            ambient,
            band,
            first,
            channel,
            tuned,
            reuse,
            ordinal: 0,
            draws,
            draws_abroad,
            draws_mpdu,
            on_air: 0,
            busy_since: Nanos::ZERO,
            busy_ns: 0,
        }
    }

    /// Number of a station in its cell.
    #[inline]
    pub(crate) const fn local(&self, station: usize) -> usize {
        station - self.first
    }

    /// True if the cell's radios, tuned to the channel of a frame of another cell, lock on to it: OFDM frames of
    /// all formats begin with the same preamble.
    pub(crate) fn locks_on(&self, mode: Mode) -> bool {
        let standard = self.rules.timing.standard;
        standard.decodes(if mode.format() == Format::Dsss { mode } else { Mode::OFDM[0] })
    }

    /// Part of a power in a band that is in the primary 20 MHz.
    pub(crate) fn primary_part(&self, band: Occupied) -> f64 {
        self.tuned.primary.map_or(1.0, |primary| band.part_in(primary))
    }

    /// The band of its frames in `mode` that occupy `width`.
    #[inline]
    pub(crate) fn band_of(&self, mode: Mode, width: Width) -> Occupied {
        let band = Occupied::of(mode, width);
        self.channel.map_or(band, |channel| band.at(channel.spectrum(width)))
    }

    /// Counts the start of a transmission of one of the cell's stations.
    #[inline]
    pub(crate) const fn on_start(&mut self, now: Nanos) {
        if self.on_air == 0 {
            self.busy_since = now;
        }
        self.on_air += 1;
        self.ordinal += 1;
    }

    /// Counts the end of a transmission of one of the cell's stations.
    #[inline]
    pub(crate) const fn on_end(&mut self, now: Nanos) {
        self.on_air -= 1;
        if self.on_air == 0 {
            self.busy_ns += now.since(self.busy_since).0;
        }
    }

    /// Time during which at least one station of the cell transmitted.
    pub(crate) const fn busy_ns(&self, now: Nanos) -> u64 {
        self.busy_ns + if self.on_air == 0 { 0 } else { now.since(self.busy_since).0 }
    }
}

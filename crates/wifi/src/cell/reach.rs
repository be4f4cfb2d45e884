//! Who hears whom on a medium, how strongly and in which band. Fixed once the medium is built.

use airtcp_units::Nanos;

use super::bands::Bands;
use super::cells::Cells;
use super::occupied::Occupied;
use super::powers::Powers;
use super::radio::Signal;
use super::transmission::Transmission;
use crate::mac::Frame;
use crate::node::NodeId;
use crate::phy::fading::Fading;
use crate::phy::propagation::pair_key;
use crate::phy::{Channel, Format, Heard, Width};

/// The stations that receive the signals of each sender, with the power in mW, above the `ignore_below` level.
pub(super) type Hearers = Vec<Vec<(u32, f64)>>;

/// What the radios of a medium receive of each other.
#[derive(Debug)]
pub(super) struct Reach {
    /// What the radios of each cell receive of the other cells.
    bands: Bands,
    /// By station, whether it decodes only DSSS and CCK. Empty if all decode all frames of their cell.
    dsss_only: Vec<bool>,
    /// By station, the latest format that it decodes. Empty if all decode all frames of their cell.
    formats: Vec<Format>,
    /// By station, the width of its channel.
    widths: Vec<Width>,
    powers: Powers,
    /// Fading between stations of different cells.
    fading: Fading,
    hearers: Hearers,
}

impl Reach {
    /// Without stations yet; `power_mw` and `fading` are those between cells.
    pub(super) fn new(
        channels: &[Option<Channel>],
        power_mw: Vec<Vec<f64>>,
        fading: Fading,
        dsss_only: Vec<bool>,
        formats: Vec<Format>,
    ) -> Self {
        Self {
            bands: Bands::new(channels),
            dsss_only,
            formats,
            widths: Vec::new(),
            powers: Powers::between(power_mw),
            fading,
            hearers: Vec::new(),
        }
    }

    /// Adds the stations of a cell with the powers among them.
    pub(super) fn add(
        &mut self,
        widths: impl Iterator<Item = Width>,
        power_mw: Vec<Vec<f64>>,
        ignore_below: f64,
    ) {
        self.powers.add(self.widths.len(), power_mw, ignore_below);
        self.widths.extend(widths);
    }

    /// All stations have been added: finds out who hears whom.
    pub(super) fn close(&mut self) {
        self.hearers = (0..self.widths.len()).map(|from| self.powers.hearers(from)).collect();
    }

    /// True if the medium has one cell, whose energy is all in its own band.
    pub(super) const fn is_one_cell(&self) -> bool {
        self.bands.is_empty()
    }

    /// True if all stations decode the frames of all.
    pub(super) const fn is_uniform(&self) -> bool {
        self.dsss_only.is_empty() && self.formats.is_empty()
    }

    /// True if all stations hear each other with a power in mW.
    pub(super) fn all_hear(&self, threshold: f64) -> bool {
        self.hearers.iter().all(|hearers| {
            hearers.len() + 1 == self.hearers.len()
                && hearers.iter().all(|(_, power)| *power >= threshold)
        })
    }

    /// By sender, the least power in mW at a station that hears it.
    pub(super) fn least_powers(&self) -> Vec<f64> {
        let least = |hearers: &Vec<(u32, f64)>| {
            hearers.iter().fold(f64::INFINITY, |least, (_, power)| least.min(*power))
        };
        self.hearers.iter().map(least).collect()
    }

    /// Lends who hears each sender while the medium changes.
    #[inline]
    pub(super) fn lend_hearers(&mut self) -> Hearers {
        std::mem::take(&mut self.hearers)
    }

    /// Takes back what [`Self::lend_hearers`] gave.
    #[inline]
    pub(super) fn return_hearers(&mut self, hearers: Hearers) {
        self.hearers = hearers;
    }

    /// Who hears each sender, to change it in a test.
    #[cfg(test)]
    pub(super) const fn hearers_mut(&mut self) -> &mut Hearers {
        &mut self.hearers
    }

    /// Received power of a sender at a station; `None` without a signal.
    #[inline]
    pub(super) fn power(&self, from: NodeId, to: NodeId) -> Option<f64> {
        self.powers.get(from, to)
    }

    /// Power of a transmission that arrives at a station; `None` if nothing of it does.
    #[inline]
    pub(super) fn arriving(&self, cells: &Cells, source: Source, to: NodeId) -> Option<f64> {
        let Source { from, width, gain } = source;
        let (sender, hearer) = cells.numbers(from, to)?;
        self.bands.power(self.powers.get(from, to)? * gain, sender, width, hearer)
    }

    /// Factor of fading on the power between two stations at a time of the run.
    pub(super) fn gain(&self, cells: &Cells, (from, to): (usize, usize), at: Nanos) -> f64 {
        if cells.same(from, to) {
            let cell = cells.of(from);
            return cell.fading.gain(pair_key(cell.local(from), cell.local(to)), at);
        }
        self.fading.gain(pair_key(from, to), at)
    }

    /// Width of the band that a frame occupies.
    pub(super) fn width(&self, frame: &Frame) -> Width {
        if frame.mode.is_mcs() {
            return frame.mode.width();
        }
        if !frame.mode.is_ofdm() {
            return Width::Mhz20;
        }
        let width = |station: NodeId| self.widths.get(station.index()).copied();
        let own = width(frame.from).unwrap_or(Width::Mhz20);
        let both = width(frame.to).map_or(own, |other| own.min(other));
        frame.width.map_or(both, |narrow| both.min(narrow))
    }

    /// What a radio receives of the band of a transmission; `None` for a single cell, whose radios receive all.
    fn heard(&self, cells: &Cells, sent: &Transmission, radio: usize) -> Option<&Heard> {
        let sender = cells.number(sent.frame.from.index());
        self.bands.heard(sender, sent.width, cells.number(radio))
    }

    /// What a radio receives of the transmission at `place`, of which `power` arrives; `None` if nothing of it is
    /// in the radio's band.
    pub(super) fn signal(
        &self,
        cells: &Cells,
        (place, sent): (u32, &Transmission),
        power: f64,
        radio: usize,
    ) -> Option<Signal> {
        let (mode, since) = (sent.frame.mode, sent.started);
        let lacks = mode.is_ofdm() && self.dsss_only.get(radio).is_some_and(|only| *only);
        let group = sent.frame.group();
        let Some(Heard { share, spectrum, is_tuned, is_within }) = self.heard(cells, sent, radio)
        else {
            let (band, readable) = (sent.band, !lacks);
            return Some(Signal { place, power, band, since, readable, received: false, group });
        };
        let same = cells.same(radio, sent.frame.from.index());
        let locks = same || *is_tuned && cells.of(radio).locks_on(mode);
        let band = if *is_within { sent.band.at(*spectrum) } else { Occupied::all(*spectrum) };
        let power = power * share * sent.gain;
        let readable = locks && !lacks;
        let signal = Signal { place, power, band, since, readable, received: false, group };
        (*share > 0.0).then_some(signal)
    }

    /// True if a radio decodes only the non-HT part of the preamble of a transmission: in a later format, or in a
    /// band that is not all in the radio's.
    pub(super) fn lacks(&self, cells: &Cells, radio: usize, sent: &Transmission) -> bool {
        let mode = sent.frame.mode;
        let outside = || self.heard(cells, sent, radio).is_some_and(|heard| !heard.is_within);
        self.formats.get(radio).is_some_and(|format| mode.format() > *format)
            || mode.is_mcs() && outside()
    }

    /// True if a radio that does not decode all of a transmission decodes the field with its TXOP (HE-SIG-A).
    pub(super) fn reads_signal_a(&self, radio: usize, sent: &Transmission) -> bool {
        let format = sent.frame.mode.format();
        format.generation().signal_a.is_some()
            && self.formats.get(radio).is_none_or(|own| *own >= format)
    }

    /// True if a radio decodes the colours of frames.
    pub(super) fn has_reuse(&self, radio: usize) -> bool {
        self.formats.get(radio).is_none_or(|own| own.generation().signal_a.is_some())
    }
}

/// Sender, width and factor on the power of a transmission.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source {
    pub(super) from: NodeId,
    pub(super) width: Width,
    pub(super) gain: f64,
}

impl Source {
    /// That of a transmission.
    #[inline]
    pub(super) const fn of(sent: &Transmission) -> Self {
        Self { from: sent.frame.from, width: sent.width, gain: sent.gain }
    }
}

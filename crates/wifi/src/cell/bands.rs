//! What the radios of each cell receive of the frames of the other cells on their medium.
//!
//! ```text
//! power at a radio = received power x share of the frame's band in the radio's      power spread evenly over the band
//! in a band        = power at the radio x share of what the radio receives that is in the band
//! ```
//! - A radio locks on to a frame if one of the 20 MHz channels of the frame is its primary one: each of them has
//!   the non-HT preamble. It decodes the rest if it decodes the format and the frame's band is within its own;
//!   non-HT frames are duplicates in every 20 MHz, of which one is enough.
//! - The primary channel is busy by energy if the power in it reaches the threshold of energy detection.
//! - A secondary channel is busy if one frame has at least -72 dBm in it (-69 dBm if more than 40 MHz of the frame
//!   are in it), or all together have 0, 3 and 6 dB more than the threshold of energy detection in the secondary 20,
//!   40 and 80 MHz.
//!
//! Source: IEEE 802.11-2020 clause 21.3.18.5 (CCA sensitivity of VHT); ns-3 has the same levels.

use airtcp_units::{Db, Dbm};

use super::levels::Levels;
use super::occupied::Occupied;
use crate::phy::{Channel, Heard, Spectrum, Width};

/// Level in dBm of a frame in a secondary channel, for up to 40 MHz of it and for more.
const SECONDARY_DBM: [f64; 2] = [-72.0, -69.0];
/// What a secondary channel of 20, 40 and 80 MHz adds to the threshold of energy detection, in dB.
const SECONDARY_ENERGY_DB: [f64; 3] = [0.0, 3.0, 6.0];

/// What radios receive, by cell of the sender, width of the frame and cell of the radio.
#[derive(Debug, Default)]
pub(crate) struct Bands {
    cells: usize,
    heard: Vec<Heard>,
}

impl Bands {
    /// The cells of a medium; empty for a single cell.
    pub(crate) fn new(channels: &[Option<Channel>]) -> Self {
        let known: Vec<Channel> = channels.iter().copied().flatten().collect();
        if known.len() < 2 || known.len() < channels.len() {
            return Self::default();
        }
        let of = |sender: &Channel| {
            let sender = *sender;
            let known = &known;
            Width::ALL
                .into_iter()
                .flat_map(move |width| known.iter().map(move |hearer| hearer.hears(sender, width)))
        };
        Self { cells: known.len(), heard: known.iter().flat_map(of).collect() }
    }

    /// True for a single cell.
    pub(crate) const fn is_empty(&self) -> bool {
        self.heard.is_empty()
    }

    /// What a radio of cell `hearer` receives of the frames of a width of cell `sender`; `None` for a single cell,
    /// whose radios receive all.
    #[inline]
    pub(crate) fn heard(&self, sender: usize, width: Width, hearer: usize) -> Option<&Heard> {
        let place = match width {
            Width::Mhz20 => 0,
            Width::Mhz40 => 1,
            Width::Mhz80 => 2,
            Width::Mhz160 => 3,
        };
        self.heard.get((4 * sender + place) * self.cells + hearer)
    }

    /// Received power in mW of a frame, of which `power` arrives; `None` if nothing of it is in the radio's band.
    pub(crate) fn power(
        &self,
        power: f64,
        sender: usize,
        width: Width,
        hearer: usize,
    ) -> Option<f64> {
        let share = self.heard(sender, width, hearer).map_or(1.0, |heard| heard.share);
        (share > 0.0).then_some(power * share)
    }
}

/// The primary and secondary channels of a cell whose medium other cells share.
#[derive(Debug, Default)]
pub(crate) struct Tuned {
    /// The primary 20 MHz; `None` for a single cell, whose energy is that of the whole width.
    pub(crate) primary: Option<Occupied>,
    /// Secondary channels, with the levels in mW of a frame of up to 40 MHz in it, of a wider one, and of all
    /// together.
    pub(super) secondaries: Vec<(Spectrum, [f64; 3])>,
}

impl Tuned {
    pub(crate) fn new(channel: Channel, levels: &Levels) -> Self {
        let [narrow, wide] = SECONDARY_DBM.map(|dbm| Dbm(dbm).milliwatts());
        let energy = SECONDARY_ENERGY_DB.map(|db| levels.energy_detect * Db(db).linear());
        let secondaries = channel.secondaries().zip(energy);
        let secondaries = secondaries.map(|(spectrum, energy)| (spectrum, [narrow, wide, energy]));
        let primary = Some(Occupied::all(channel.spectrum(Width::Mhz20)));
        Self { primary, secondaries: secondaries.collect() }
    }

    /// True if the cell is wider than 20 MHz.
    pub(crate) const fn has_secondaries(&self) -> bool {
        !self.secondaries.is_empty()
    }
}

//! The schemes in their groups, and their times.

use std::ops::Range;

use airtcp_units::Span;

use crate::phy::{Format, Mode, Timing, Width};

/// Length of the reference packet in bytes, and number of these in the reference aggregate.
const PACKET_BYTES: u64 = 1_200;
const PACKETS: u64 = 16;
/// A PPDU of schemes of HT, VHT and HE costs this time besides its data: a frame without data and an ACK at
/// 6 Mb/s, each with SIFS.
const OVERHEAD_NS: f64 = 96_000.0;
/// Maximum time of the attempts of one stage.
const STAGE_NS: f64 = 6e6;
/// Maximum number of attempts of one stage.
const STAGE_TRIES: u32 = 7;
/// Number of attempts of a stage with a poor scheme, and least number with others.
const FEW_TRIES: u32 = 2;
/// Success probability below which a scheme is poor.
const POOR: f64 = 0.2;

/// Schemes of the same format, width and number of streams, slowest first.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub(super) schemes: Range<usize>,
    pub(super) streams: u8,
}

#[derive(Debug, Clone)]
struct Scheme {
    mode: Mode,
    group: usize,
    /// Time of the reference packet in ns, and overhead of a PPDU.
    time: f64,
    overhead: f64,
}

/// All schemes, in the order of their groups: by width, then by number of streams.
#[derive(Debug, Clone)]
pub(super) struct Schemes {
    all: Vec<Scheme>,
    pub(super) groups: Vec<Group>,
    slot: Span,
    /// Least and greatest contention window.
    windows: (u32, u32),
}

/// Time of a reference packet, in an aggregate without its preamble or as a frame of its own.
fn time_ns(mode: Mode, timing: &Timing) -> f64 {
    if !mode.is_mcs() {
        return timing.frame(mode, 1_200).0 as f64;
    }
    let symbols = (PACKETS * PACKET_BYTES * 8).div_ceil(mode.bits_per_symbol());
    (symbols * mode.symbol_ns()) as f64 / PACKETS as f64
}

impl Schemes {
    pub(super) fn new(modes: &[Mode], timing: &Timing) -> Self {
        let key =
            |mode: &Mode| -> (Format, Width, u8) { (mode.format(), mode.width(), mode.streams()) };
        let mut modes = modes.to_vec();
        modes.sort_by_key(|mode| (key(mode), mode.kbps()));
        let mut groups: Vec<Group> = Vec::new();
        let mut all: Vec<Scheme> = Vec::new();
        for mode in modes {
            let place = all.len();
            match groups.last_mut() {
                Some(group) if all.last().is_some_and(|last| key(&last.mode) == key(&mode)) => {
                    group.schemes.end = place + 1;
                }
                _ => groups.push(Group { schemes: place..place + 1, streams: mode.streams() }),
            }
            let own = (timing.sifs + timing.ack(mode)).0 as f64;
            let overhead = if mode.is_mcs() { OVERHEAD_NS } else { own };
            let time = time_ns(mode, timing);
            all.push(Scheme { mode, group: groups.len() - 1, time, overhead });
        }
        let windows = (timing.standard.cw_min(), timing.standard.cw_max());
        Self { all, groups, slot: timing.slot, windows }
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn mode(&self, scheme: usize) -> Mode {
        self.all[scheme].mode
    }

    pub(super) fn place(&self, mode: Mode) -> Option<usize> {
        self.all.iter().position(|scheme| scheme.mode == mode)
    }

    pub(super) fn group_of(&self, scheme: usize) -> usize {
        self.all[scheme].group
    }

    /// Time of the reference packet in ns.
    pub(super) fn time(&self, scheme: usize) -> f64 {
        self.all[scheme].time
    }

    pub(super) fn longest_group(&self) -> usize {
        self.groups.iter().map(|group| group.schemes.len()).max().unwrap_or(0)
    }

    /// MPDUs in a PPDU of a scheme, with `length` in aggregates.
    fn mpdus(&self, scheme: usize, length: f64) -> f64 {
        if self.mode(scheme).is_mcs() { length.max(1.0) } else { 1.0 }
    }

    /// Time of a packet of a scheme with its share of the overhead, in ns.
    pub(super) fn time_with_overhead(&self, scheme: usize, length: f64) -> f64 {
        let Scheme { time, overhead, .. } = self.all[scheme];
        time + overhead / self.mpdus(scheme, length)
    }

    /// Number of attempts of a stage: those that fit in 6 ms with the back-offs between them.
    pub(super) fn tries(&self, scheme: usize, probability: f64, length: f64) -> u32 {
        if probability < POOR {
            return FEW_TRIES;
        }
        let one = self.time_with_overhead(scheme, length) * self.mpdus(scheme, length);
        let (mut cw, most) = self.windows;
        let (mut tries, mut total) = (0, 0.0);
        while tries < STAGE_TRIES {
            total += one + self.slot.0 as f64 * f64::from(cw) / 2.0;
            if tries >= FEW_TRIES && total >= STAGE_NS {
                break;
            }
            cw = (2 * cw + 1).min(most);
            tries += 1;
        }
        tries
    }
}

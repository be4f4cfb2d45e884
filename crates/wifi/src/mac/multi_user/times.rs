//! Multi-user PPDUs: their modes, times and lengths, and the frames around them.
//!
//! ```text
//! downlink  HE MU PPDU -> SIFS -> HE TB PPDUs with BlockAcks, all at once
//! uplink    trigger frame -> SIFS -> HE TB PPDUs with data, all at once -> SIFS -> Multi-STA BlockAck
//! trigger             MAC header 16 + common info 8 + user info 6 per station + padding 2 + FCS 4 bytes
//! Multi-STA BlockAck  MAC header 16 + BA control 2 + (AID and TID 2 + sequence control 2 + bitmap 8 or 32) per station
//!                     + FCS 4 bytes
//! ```
//! The user info of a Basic trigger frame has 5 bytes and a trigger-dependent one. The padding is that of stations that
//! need no further time to process the frame.
//!
//! Source: IEEE 802.11ax-2021 clauses 9.3.1.22 (trigger frame), 9.3.1.8 (Multi-STA BlockAck). Lengths as in ns-3
//! (`CtrlTriggerHeader`, `CtrlBAckResponseHeader`).

use airtcp_units::{Narrow, Span};

use crate::phy::{Format, GuardInterval, Mode, MuFormat, MuPpdu, RuSize, Width};

/// Bytes of the data frame by which a rate is chosen if the packet is not known.
pub(in crate::mac) const USUAL_BYTES: u32 = 1_538;

/// Times of the multi-user PPDU that carries a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MuTimes {
    /// Duration of the PPDU.
    pub time: Span,
    /// Duration up to the first data symbol.
    pub preamble: Span,
    /// Number of data symbols.
    pub symbols: u64,
    /// True for a PPDU that several stations send at once, each in its resource unit (HE TB PPDU); false for one of
    /// an access point (HE MU PPDU).
    pub triggered: bool,
}

/// A station's part in a group of HE TB PPDUs, which a trigger gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TbGrant {
    /// Mode in its resource unit.
    pub(crate) mode: Mode,
    /// The mode that the station's rate control chose.
    pub(crate) chosen: Mode,
    /// Access category of its MPDUs.
    pub(crate) category: usize,
    pub(crate) times: MuTimes,
    /// Maximum length of its PSDU.
    pub(crate) bytes: u32,
    /// Duration field: SIFS and the answer.
    pub(crate) after: Span,
}

/// Length of a Basic trigger frame.
pub(crate) fn trigger_bytes(stations: usize) -> u32 {
    16 + 8 + 6 * u32::narrow(stations) + 2 + 4
}

/// Length of a Multi-STA BlockAck with bitmaps of `window` bits.
pub(crate) fn multi_block_ack_bytes(stations: usize, window: u16) -> u32 {
    let bitmap = if window <= 64 { 8 } else { 32 };
    16 + 2 + (2 + 2 + bitmap) * u32::narrow(stations) + 4
}

/// The modes of several users in resource units of one size: their schemes over the widest of their channels, with the
/// longest of their guard intervals, at least `least`. A mode of another format becomes the most robust scheme.
pub(in crate::mac) fn in_units(single: &[Mode], ru: RuSize, least: GuardInterval) -> Vec<Mode> {
    let width = widest(single);
    let guards = single.iter().filter_map(|mode| mode.guard()).chain([least]);
    let guard = guards.max_by_key(|guard| guard.ns()).unwrap_or(least);
    let unit = |mode: &Mode| {
        let he = mode.format() == Format::He;
        let (mcs, streams) = if he { (mode.mcs_index()?, mode.streams()) } else { (0, 1) };
        Mode::mcs(Format::He, mcs, streams, width, guard)?.in_ru(ru)
    };
    single.iter().filter_map(unit).collect()
}

/// The widest channel of some modes.
pub(in crate::mac) fn widest(modes: &[Mode]) -> Width {
    modes.iter().map(|mode| mode.width()).max().unwrap_or(Width::Mhz20)
}

/// The modes of the BlockAcks that answer data in resource units: one stream of the scheme of the data in the same unit,
/// at most 16-QAM 1/2, which is the scheme of 24 Mb/s, the highest mandatory rate of answers.
pub(in crate::mac) fn answer_modes(data: &[Mode]) -> Vec<Mode> {
    let ru = data.first().and_then(|mode| mode.ru()).unwrap_or(RuSize::Tones242);
    let answer = |mode: &Mode| {
        let mcs = mode.mcs_index().unwrap_or_default().min(3);
        let guard = mode.guard().unwrap_or(GuardInterval::Ns1600);
        Mode::mcs(Format::He, mcs, 1, mode.width(), guard).unwrap_or(*mode)
    };
    let single: Vec<Mode> = data.iter().map(answer).collect();
    in_units(&single, ru, GuardInterval::Ns1600)
}

impl MuTimes {
    /// Times of a PPDU with a signal extension.
    pub(in crate::mac) fn new(ppdu: &MuPpdu, extension: Span) -> Self {
        Self {
            time: ppdu.duration() + extension,
            preamble: ppdu.preamble(),
            symbols: ppdu.symbols(),
            triggered: ppdu.format() == MuFormat::Tb,
        }
    }

    /// Data bits of a user with this mode.
    pub(crate) fn bits(&self, mode: Mode) -> u64 {
        self.symbols * mode.bits_per_symbol()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ns-3: a Basic trigger frame for 4 stations has 54 bytes with FCS, a Multi-STA BlockAck with 4 bitmaps of 64
    /// bits 70.
    #[test]
    fn lengths_of_frames() {
        assert_eq!(trigger_bytes(4), 16 + 8 + 4 * 6 + 2 + 4);
        assert_eq!(multi_block_ack_bytes(4, 64), 70);
        assert_eq!(multi_block_ack_bytes(1, 256), 58);
    }
}

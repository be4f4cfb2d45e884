//! Configuration of aggregation (A-MPDU and A-MSDU), and the lengths of aggregates.
//!
//! ```text
//! subframe   delimiter 4 + MPDU, padded to a multiple of 4 B (the last one is not padded)
//! stride     max(subframe, density at the rate of the PPDU)         a subframe that another one follows
//! A-MPDU     strides of all MPDUs but the last + 4 + last MPDU
//! A-MSDU     subframes of 14 + 8 + packet, each padded to a multiple of 4 B but the last; MPDU = 26 + A-MSDU + 4
//! BlockAck   32 B with 64 bits, 56 B with 256; BlockAckReq 24 B
//! ```
//! Source: IEEE 802.11-2020 clauses 9.7.1 (format of an A-MPDU), 10.12 (operation), 10.12.3 (minimum MPDU
//! start spacing), 9.3.1.7 (BlockAckReq), 9.3.1.8 (BlockAck), 10.25.6 (HT-immediate Block Ack); 802.11ax-2021
//! for the bitmap of 256 bits. Limits: clauses 9.4.2.55.3 (HT), 9.4.2.157.2 (VHT), tables 21-28 and 27-54
//! of the PHY characteristics (time; PSDU of HE). A-MSDU: clause 9.3.2.2 (format); an HT MPDU in an A-MPDU has at
//! most 4095 B, and an A-MSDU alone 7935 B; a VHT or HE MPDU has at most 11,454 B (`ieee80211.h` of Linux).

use airtcp_probe::ConfigError;
use airtcp_units::{Bytes, Narrow, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::phy::{Limits, Mode, Standard, Timing};

/// Bytes of the delimiter before each MPDU.
const DELIMITER: u32 = 4;
/// Bytes of the header of each subframe of an A-MSDU: addresses and length.
const AMSDU_HEADER: u32 = 14;
/// MAC header with QoS control, and FCS.
const MPDU_OVERHEAD: u32 = 30;
/// Most bytes of a PPDU of 802.11a, b and g, for which a scenario's limit is meant too.
const WITHOUT_LIMITS: u32 = 65_535;
/// Bytes of a BlockAckReq, FCS included.
pub(crate) const BLOCK_ACK_REQ_BYTES: u32 = 24;
/// Bytes of a BlockAck with a bitmap of 64 bits, FCS included.
pub(crate) const BLOCK_ACK_BYTES: u32 = 32;
/// The fragment number that stands for a bitmap of 256 bits.
pub(crate) const LONG_BITMAP: u8 = 4;

/// What a sender does if no BlockAck comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AfterMissedBlockAck {
    /// It sends the MPDUs again (Linux). After it has given up MPDUs, a BlockAckReq moves the window of the
    /// receiver.
    #[default]
    Retransmit,
    /// It asks for the BlockAck with a BlockAckReq first (ns-3), and also sends one after it has given up
    /// MPDUs.
    Bar,
    /// It sends the MPDUs again, and never a BlockAckReq: MPDUs that it gives up leave a hole at the receiver.
    NoBar,
}

/// Aggregation of MPDUs (A-MPDU) and its acknowledgement (BlockAck).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AggregationConfig {
    /// Maximum number of MPDUs in an A-MPDU, and the window of the BlockAck session. 1 switches aggregation
    /// off. Default: 64; 256 for 802.11ax.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_mpdus: Option<u32>,
    /// Maximum length of an A-MPDU. Default: the standard's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<Bytes>,
    /// Maximum time of a PPDU on the air. One packet is never split: alone in its MPDU it may last longer. Default:
    /// 5.484 ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_time: Option<Span>,
    /// Maximum length of an A-MSDU, which carries several packets in one MPDU. 0 switches A-MSDU off. At most 4065 B
    /// for 802.11n (7935 B with `max_mpdus = 1`), and 11,424 B for 802.11ac and ax. An A-MSDU is also no longer than
    /// what lasts `max_time` at the slowest scheme that the rate control may choose for its receiver. Default: 0.
    pub max_amsdu_bytes: Bytes,
    /// Minimum time between the starts of the MPDUs of an A-MPDU (minimum MPDU start spacing of the
    /// receiver), 0 to 16 us. Default: 0, no restriction.
    pub density: Span,
    /// Time after which a receiver hands over packets that wait for a missing one. Default: 100 ms, as in
    /// Linux.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reorder_timeout: Option<Span>,
    /// What a sender does if no BlockAck comes.
    pub after_missed_block_ack: AfterMissedBlockAck,
}

impl AggregationConfig {
    /// The rules of aggregation; `None` without aggregation.
    ///
    /// # Errors
    /// If a value is impossible.
    pub(crate) fn rules(&self, standard: Standard) -> Result<Option<Aggregation>, ConfigError> {
        let Some(most) = standard.format().generation().limits else {
            let message =
                format!("needs 802.11n, ac or ax, but the standard is {standard}: omit it");
            return Err(ConfigError::new("aggregation", message));
        };
        let mpdus = self.max_mpdus.unwrap_or(most.mpdus.into());
        if !(1..=u32::from(most.mpdus)).contains(&mpdus) {
            let message = format!("is {mpdus}: expected 1 to {}", most.mpdus);
            return Err(ConfigError::new("aggregation.max_mpdus", message));
        }
        let bytes = self.max_bytes.unwrap_or(Bytes(u64::from(most.usual_bytes)));
        if !(4_096..=u64::from(most.bytes)).contains(&bytes.0) {
            let message = format!("is {bytes}: expected 4096 to {} B", most.bytes);
            return Err(ConfigError::new("aggregation.max_bytes", message));
        }
        let time = self.max_time.unwrap_or(most.time);
        if !(Span::from_micros(100)..=most.time).contains(&time) {
            let message = format!("is {time}: expected 100 us to {}", most.time);
            return Err(ConfigError::new("aggregation.max_time", message));
        }
        let amsdu = self.max_amsdu_bytes.0;
        let most_amsdu = most_amsdu(most, mpdus < 2);
        if amsdu != 0 && !(256..=u64::from(most_amsdu)).contains(&amsdu) {
            let alone = match most.amsdu {
                alone if alone > most_amsdu => format!(" ({alone} B with max_mpdus = 1)"),
                _ => String::new(),
            };
            let message = format!(
                "is {}: expected 0 B, which switches A-MSDU off, and 256 to {most_amsdu} B{alone}",
                self.max_amsdu_bytes
            );
            return Err(ConfigError::new("aggregation.max_amsdu_bytes", message));
        }
        if self.density > Span::from_micros(16) {
            let message = format!("is {}: expected 0 s to 16 us", self.density);
            return Err(ConfigError::new("aggregation.density", message));
        }
        let reorder_timeout = self.reorder_timeout.unwrap_or(Span::from_millis(100));
        if !(Span::from_millis(1)..=Span::from_secs(10)).contains(&reorder_timeout) {
            let message = format!("is {reorder_timeout}: expected 1 ms to 10 s");
            return Err(ConfigError::new("aggregation.reorder_timeout", message));
        }
        Ok((mpdus > 1 || amsdu > 0).then_some(Aggregation {
            max_amsdu: u32::narrow(amsdu),
            window: u16::narrow(mpdus),
            max_bytes: u32::narrow(bytes.0),
            max_time: time,
            density: self.density,
            reorder_timeout,
            after_missed_block_ack: self.after_missed_block_ack,
        }))
    }
}

/// Most bytes of an A-MSDU, which may be longer if it is `alone` in its PPDU.
const fn most_amsdu(limits: Limits, alone: bool) -> u32 {
    if alone { limits.amsdu } else { limits.mpdu - MPDU_OVERHEAD }
}

/// Rules of aggregation in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Aggregation {
    /// Window of the sessions, and maximum number of MPDUs of an aggregate.
    window: u16,
    max_bytes: u32,
    /// Maximum bytes of an A-MSDU; 0 without A-MSDU.
    max_amsdu: u32,
    pub(crate) max_time: Span,
    density: Span,
    pub(crate) reorder_timeout: Span,
    after_missed_block_ack: AfterMissedBlockAck,
}

/// What an aggregate may hold at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AggregateLimits {
    /// MPDUs.
    pub mpdus: u32,
    /// Bytes of the A-MPDU.
    pub bytes: u32,
    /// Bytes of the A-MSDU in each MPDU; 0 without A-MSDU.
    pub amsdu_bytes: u32,
    /// Time of the PPDU.
    pub time: Span,
}

impl Aggregation {
    /// What an aggregate may hold at most.
    pub(crate) fn limits(&self) -> AggregateLimits {
        AggregateLimits {
            mpdus: u32::from(self.window),
            bytes: self.max_bytes,
            amsdu_bytes: self.max_amsdu,
            time: self.max_time,
        }
    }

    /// True if a BlockAckReq follows a PPDU of which MPDUs were given up (`lost`), or one without BlockAck
    /// (`missed`).
    pub(crate) fn asks(&self, lost: bool, missed: bool) -> bool {
        match self.after_missed_block_ack {
            AfterMissedBlockAck::Retransmit => lost,
            AfterMissedBlockAck::Bar => lost || missed,
            AfterMissedBlockAck::NoBar => false,
        }
    }

    /// Bytes that an MPDU of `bytes` takes before the next MPDU.
    #[inline]
    pub(crate) fn stride(&self, bytes: u32, mode: Mode) -> u32 {
        let subframe = (DELIMITER + bytes).next_multiple_of(4);
        if self.density == Span::ZERO {
            return subframe;
        }
        // Kilobits per second times nanoseconds are 10^-6 bits.
        let bits = (u64::from(mode.kbps()) * self.density.0).div_ceil(1_000_000);
        subframe.max(u32::narrow(bits.div_ceil(8)).next_multiple_of(4))
    }

    /// Bytes of a PPDU in `mode` with one MPDU. A delimiter precedes it in VHT and HE, whose PPDUs always have the format
    /// of an A-MPDU (S-MPDU, with or without sessions).
    #[inline]
    pub(crate) fn single(bytes: u32, mode: Mode) -> u32 {
        let limits = mode.format().generation().limits;
        if limits.is_some_and(|l| l.delimits_single) { DELIMITER + bytes } else { bytes }
    }

    /// Window of a session whose PPDUs have this mode, and maximum number of MPDUs of an aggregate; 1 for
    /// frames that cannot be aggregates.
    pub(crate) fn window(&self, mode: Mode) -> u16 {
        mode.format().generation().limits.map_or(1, |limits| self.window.min(limits.mpdus))
    }

    /// True if a PPDU has one MPDU, so that stations have no sessions.
    #[inline]
    pub(crate) const fn is_single(&self) -> bool {
        self.window < 2
    }

    /// Bytes of an MPDU of `bytes` with one more packet, whose own MPDU would have `joining`; `None` if it would be
    /// too long, or the mode has no A-MSDU. `several`: it has more than one packet already.
    pub(crate) fn extended(
        &self,
        bytes: u32,
        several: bool,
        joining: u32,
        mode: Mode,
    ) -> Option<u32> {
        let limits = mode.format().generation().limits?;
        let most = self.max_amsdu.min(most_amsdu(limits, self.is_single()));
        let header = if several { 0 } else { AMSDU_HEADER };
        let first = (header + bytes - MPDU_OVERHEAD).next_multiple_of(4);
        let length = first + AMSDU_HEADER + joining - MPDU_OVERHEAD;
        (length <= most).then_some(MPDU_OVERHEAD + length)
    }

    /// What goes with exchanges of single packets alone does not go with, and how to change that.
    pub(crate) const fn clash(&self) -> &'static str {
        match (self.is_single(), self.has_amsdu()) {
            (false, false) => {
                "A-MPDU: omit it, or switch aggregation off with mac.aggregation.max_mpdus = 1"
            }
            (true, _) => {
                "A-MSDU: omit it, or switch A-MSDU off with mac.aggregation.max_amsdu_bytes = 0"
            }
            (false, true) => {
                "A-MPDU and A-MSDU: omit it, or switch both off with mac.aggregation.max_mpdus = 1 and \
                 mac.aggregation.max_amsdu_bytes = 0"
            }
        }
    }

    /// True if stations put several packets into an MPDU.
    #[inline]
    pub(crate) const fn has_amsdu(&self) -> bool {
        self.max_amsdu > 0
    }

    /// Maximum bytes of an MPDU with several packets which is to last at most `max_time` alone in a PPDU in `mode`.
    pub(crate) fn longest_alone(&self, timing: &Timing, mode: Mode) -> u32 {
        self.longest(timing, mode, self.max_time).saturating_sub(Self::single(0, mode))
    }

    /// Maximum bytes of an aggregate in a mode.
    pub(crate) fn most_bytes(&self, mode: Mode) -> u32 {
        let limits = mode.format().generation().limits;
        self.max_bytes.min(limits.map_or(WITHOUT_LIMITS, |limits| limits.bytes))
    }

    /// Bytes of an aggregate whose MPDUs but the last take `before`.
    #[inline]
    pub(crate) const fn with_last(before: u32, last: u32) -> u32 {
        before + DELIMITER + last
    }

    /// Bytes of the BlockAck that answers an aggregate in a mode.
    pub(crate) fn block_ack_bytes(&self, mode: Mode) -> u32 {
        bitmap_bytes(self.window(mode))
    }

    /// The most bytes of a PPDU in `mode` that last at most `time`, up to `max_bytes`.
    pub(crate) fn longest(&self, timing: &Timing, mode: Mode, time: Span) -> u32 {
        let (mut fits, mut long) = (0, self.most_bytes(mode) + 1);
        while fits + 1 < long {
            let middle = fits + (long - fits) / 2;
            if timing.frame(mode, middle) <= time { fits = middle } else { long = middle }
        }
        fits
    }
}

/// Bytes of the BlockAck of a session with a window.
pub(crate) const fn bitmap_bytes(window: u16) -> u32 {
    if window <= 64 { BLOCK_ACK_BYTES } else { BLOCK_ACK_BYTES + 24 }
}

/// Where the MPDUs of these lengths are in an aggregate: the first byte of the delimiter, and the end.
pub(crate) fn places<'a>(
    lengths: impl Iterator<Item = u32> + 'a,
    rules: &'a Aggregation,
    mode: Mode,
) -> impl Iterator<Item = (u32, u32)> + 'a {
    let mut next = 0;
    // Most MPDUs are as long as the one before.
    let (mut length, mut stride) = (0, rules.stride(0, mode));
    lengths.map(move |bytes| {
        let first = next;
        if bytes != length {
            (length, stride) = (bytes, rules.stride(bytes, mode));
        }
        next += stride;
        (first, first + DELIMITER + bytes)
    })
}

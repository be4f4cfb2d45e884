//! The VHT field, of 802.11ac (radiotap.org/fields/VHT): known, flags, bandwidth, MCS and streams of four users, coding,
//! group, partial AID.

use super::modulation::Modulation;
use crate::bytes::{byte, le16};
use crate::radio::{Phy, Radio};
use crate::rate;

/// Bits of `known`: STBC, guard interval, bandwidth.
const STBC: u16 = 0x0001;
const GUARD: u16 = 0x0004;
const BANDWIDTH: u16 = 0x0040;
/// In the flags.
const SHORT_GUARD: u8 = 0x04;

/// Modulation and coding of a frame of 802.11ac.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vht {
    /// Which of the others are known.
    pub known: u16,
    /// STBC, guard interval and more.
    pub flags: u8,
    /// Bandwidth and place of the channel.
    pub bandwidth: u8,
    /// Of four users: the index in the upper four bits, the streams in the lower.
    pub users: [u8; 4],
    /// Of four users, one bit each: LDPC.
    pub coding: u8,
    /// Group.
    pub group: u8,
    /// Partial AID.
    pub partial_aid: u16,
}

impl Vht {
    /// The field for a modulation of one user.
    pub(super) fn of(modulation: &Modulation) -> Self {
        Self {
            known: STBC | GUARD | BANDWIDTH,
            flags: if modulation.guard_ns == 400 { SHORT_GUARD } else { 0 },
            bandwidth: match modulation.width_mhz {
                20 => 0,
                40 => 1,
                80 => 4,
                _ => 11,
            },
            users: [modulation.index << 4 | modulation.streams & 0x0f, 0, 0, 0],
            coding: u8::from(modulation.ldpc),
            group: 0,
            partial_aid: 0,
        }
    }

    pub(super) fn parse(value: &[u8]) -> Option<Self> {
        Some(Self {
            known: le16(value, 0)?,
            flags: byte(value, 2)?,
            bandwidth: byte(value, 3)?,
            users: *value.get(4..)?.first_chunk()?,
            coding: byte(value, 8)?,
            group: byte(value, 9)?,
            partial_aid: le16(value, 10)?,
        })
    }

    pub(super) const fn bytes(self) -> [u8; 12] {
        let ([known, more], [partial, aid]) =
            (self.known.to_le_bytes(), self.partial_aid.to_le_bytes());
        let [a, b, c, d] = self.users;
        [known, more, self.flags, self.bandwidth, a, b, c, d, self.coding, self.group, partial, aid]
    }

    /// Sets what it says of a frame for its first user.
    pub(super) fn describe(self, radio: &mut Radio) {
        let [first, ..] = self.users;
        let width = match self.bandwidth {
            1 | 5 | 6 | 14..=17 => 40,
            4 | 12 | 13 => 80,
            11 => 160,
            _ => 20,
        };
        let short_guard = self.flags & SHORT_GUARD != 0;
        radio.phy = Phy::Vht;
        radio.symbol_ns = if short_guard { 3_600 } else { 4_000 };
        radio.streams = first & 0x0f;
        radio.rate_bps = match first & 0x0f {
            0 => None,
            streams => rate::vht(first >> 4, streams, width, short_guard),
        };
    }
}

//! Fields that do not belong to a generation of 802.11: channel, A-MPDU status, timestamp
//! (radiotap.org/fields).

use crate::bytes::{byte, le16, le32, le64};
use crate::radio::{Ampdu, Place, Radio};

/// Channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Channel {
    /// Centre frequency in MHz.
    pub frequency_mhz: u16,
    /// Bits of modulation and band.
    pub flags: u16,
}

impl Channel {
    /// In the flags: complementary code keying, of 802.11b.
    pub const CCK: u16 = 0x0020;
    /// In the flags: OFDM.
    pub const OFDM: u16 = 0x0040;
    /// In the flags: the band at 2.4 GHz.
    pub const GHZ_2: u16 = 0x0080;
    /// In the flags: the band at 5 GHz.
    pub const GHZ_5: u16 = 0x0100;

    pub(super) fn parse(value: &[u8]) -> Option<Self> {
        Some(Self { frequency_mhz: le16(value, 0)?, flags: le16(value, 2)? })
    }

    pub(super) const fn bytes(self) -> [u8; 4] {
        let ([a, b], [c, d]) = (self.frequency_mhz.to_le_bytes(), self.flags.to_le_bytes());
        [a, b, c, d]
    }
}

/// The A-MPDU of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AmpduStatus {
    /// Number that is the same for all frames of an A-MPDU.
    pub reference: u32,
    /// Bits such as [`LAST`](Self::LAST).
    pub flags: u16,
    /// Check of the delimiter.
    pub delimiter_crc: u8,
}

impl AmpduStatus {
    /// In the flags: it is known which frame is the last.
    pub const LAST_KNOWN: u16 = 0x0004;
    /// In the flags: this one is the last.
    pub const LAST: u16 = 0x0008;

    pub(super) fn parse(value: &[u8]) -> Option<Self> {
        let delimiter_crc = byte(value, 6)?;
        Some(Self { reference: le32(value, 0)?, flags: le16(value, 4)?, delimiter_crc })
    }

    pub(super) const fn bytes(self) -> [u8; 8] {
        let ([a, b, c, d], [e, f]) = (self.reference.to_le_bytes(), self.flags.to_le_bytes());
        [a, b, c, d, e, f, self.delimiter_crc, 0]
    }

    pub(super) const fn ampdu(self) -> Ampdu {
        Ampdu { reference: self.reference }
    }
}

/// A time with its unit and its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timestamp {
    /// The time.
    pub stamp: u64,
    /// Its accuracy.
    pub accuracy: u16,
    /// Unit in the lower four bits: 0 ms, 1 µs, 3 ns. In the upper four, the place of the frame that the time is of: 0 the
    /// first bit of the MPDU, 1 the start of the PPDU, 2 the end of the MPDU, 3 that of the PPDU.
    pub unit_and_place: u8,
    /// Flags.
    pub flags: u8,
}

impl Timestamp {
    pub(super) fn parse(value: &[u8]) -> Option<Self> {
        Some(Self {
            stamp: le64(value, 0)?,
            accuracy: le16(value, 8)?,
            unit_and_place: byte(value, 10)?,
            flags: byte(value, 11)?,
        })
    }

    pub(super) fn bytes(self) -> [u8; 12] {
        let mut bytes = [0; 12];
        bytes[..8].copy_from_slice(&self.stamp.to_le_bytes());
        bytes[8..10].copy_from_slice(&self.accuracy.to_le_bytes());
        (bytes[10], bytes[11]) = (self.unit_and_place, self.flags);
        bytes
    }

    /// Sets the time, for radios without TSFT.
    pub(super) const fn describe(self, radio: &mut Radio) {
        match self.unit_and_place & 0x0f {
            0 => radio.counts_ms = true,
            1 => radio.tsft_us = Some(self.stamp),
            3 => radio.tsft_us = Some(self.stamp / 1000),
            _ => {}
        }
        radio.place = match self.unit_and_place >> 4 {
            1 => Place::Start,
            2 | 3 => Place::End,
            _ => Place::Mpdu,
        };
    }
}

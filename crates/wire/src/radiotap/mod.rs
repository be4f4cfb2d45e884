//! Radiotap headers (radiotap.org): a chain of words says which fields follow, in which namespace.
//!
//! [`Packet`] walks all fields of which the length is known, those of vendors too. [`Repr`] has the fields that say when,
//! how and how strongly a frame was on the air; each generation of 802.11 has its field in a file of its own. Leaves
//! out: fields of later numbers and in TLVs.

mod he;
mod ht;
mod modulation;
mod reception;
mod vht;

pub use he::He;
pub use ht::Ht;
pub use modulation::{Format, Modulation};
pub use reception::{AmpduStatus, Channel, Timestamp};
pub use vht::Vht;

use crate::bytes::{byte, le16, le32, le64};
use crate::radio::Radio;

/// Alignment and length of the fields of the radiotap namespace, by their bits.
const FIELDS: [(usize, usize); 28] = [
    (8, 8),  // TSFT
    (1, 1),  // flags
    (1, 1),  // rate
    (2, 4),  // channel
    (2, 2),  // FHSS
    (1, 1),  // signal in dBm
    (1, 1),  // noise in dBm
    (2, 2),  // lock quality
    (2, 2),  // attenuation
    (2, 2),  // attenuation in dB
    (1, 1),  // power in dBm
    (1, 1),  // antenna
    (1, 1),  // signal in dB
    (1, 1),  // noise in dB
    (2, 2),  // flags of reception
    (2, 2),  // flags of transmission
    (1, 1),  // RTS retries
    (1, 1),  // data retries
    (4, 8),  // extended channel
    (1, 3),  // MCS
    (4, 8),  // A-MPDU status
    (2, 12), // VHT
    (8, 12), // timestamp
    (2, 12), // HE
    (2, 12), // HE multi-user
    (2, 6),  // HE other user
    (1, 1),  // PSDU without length
    (2, 4),  // L-SIG
];
/// Bits of the fields that a header can be written with.
const TSFT: usize = 0;
const FLAGS: usize = 1;
const RATE: usize = 2;
const CHANNEL: usize = 3;
const SIGNAL: usize = 5;
const NOISE: usize = 6;
const POWER: usize = 10;
const ANTENNA: usize = 11;
const MCS: usize = 19;
const AMPDU: usize = 20;
const VHT: usize = 21;
const TIMESTAMP: usize = 22;
const HE: usize = 23;
/// Bits that every presence word has.
const RADIOTAP_NAMESPACE: u32 = 29;
const VENDOR_NAMESPACE: u32 = 30;
const ANOTHER_WORD: u32 = 31;
/// Most presence words of a header that is believed.
const MAX_WORDS: usize = 64;
/// Bytes of a header without fields.
const SHORTEST: usize = 8;

/// In [`Repr::flags`]: the preamble is the short one of DSSS.
pub const SHORT_PREAMBLE: u8 = 0x02;
/// In [`Repr::flags`]: the frame check sequence is at the end of the frame.
pub const FCS_AT_END: u8 = 0x10;
/// In [`Repr::flags`]: bytes behind the 802.11 header fill it up to a multiple of 4.
pub const PADDED: u8 = 0x20;
/// In [`Repr::flags`]: the frame check sequence did not match.
pub const BAD_FCS: u8 = 0x40;

/// A field of a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field<'a> {
    /// A field of the radiotap namespace, by its bit.
    Radiotap(usize, &'a [u8]),
    /// All fields of a vendor: its identifier with the number of the namespace.
    Vendor([u8; 4], &'a [u8]),
}

/// A radiotap header and the frame behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet<'a> {
    header: &'a [u8],
    frame: &'a [u8],
}

impl<'a> Packet<'a> {
    /// A view of these bytes; `None` if they end within the header, if that has no room for one presence word, or if its
    /// version is not 0.
    #[inline]
    pub fn new_checked(data: &'a [u8]) -> Option<Self> {
        let length = usize::from(le16(data, 2)?);
        if byte(data, 0)? != 0 || length < SHORTEST {
            return None;
        }
        let (header, frame) = data.split_at_checked(length)?;
        Some(Self { header, frame })
    }

    /// Bytes of the header.
    #[inline]
    pub const fn header_len(&self) -> usize {
        self.header.len()
    }

    /// What follows the header.
    pub const fn frame(&self) -> &'a [u8] {
        self.frame
    }

    /// Visits the fields until the end or the first field of unknown length. False if the header is malformed; the
    /// fields before the malformed place have been visited.
    pub fn fields(&self, mut visit: impl FnMut(Field<'a>)) -> bool {
        let header = self.header;
        let Some(words) = self.words() else { return false };
        let mut at = 4 + 4 * words;
        let mut in_vendor = false;
        for number in 0..words {
            let Some(word) = le32(header, 4 + 4 * number) else { return false };
            let present = |bit: u32| word >> bit & 1 == 1;
            // The data of a vendor's fields lie together behind the header of its namespace.
            if !in_vendor {
                let mut bits = word & ((1 << RADIOTAP_NAMESPACE) - 1);
                while bits != 0 {
                    let bit = bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    // Without its length, nothing behind an unknown field can be found.
                    let Some((align, length)) = FIELDS.get(bit).copied() else { return true };
                    at = at.next_multiple_of(align);
                    let Some(data) = header.get(at..at + length) else { return false };
                    visit(Field::Radiotap(bit, data));
                    at += length;
                }
            }
            if present(RADIOTAP_NAMESPACE) {
                in_vendor = false;
            }
            if present(VENDOR_NAMESPACE) {
                in_vendor = true;
                at = at.next_multiple_of(2);
                let Some(length) = le16(header, at + 4).map(usize::from) else { return false };
                let Some(data) = header.get(at + 6..at + 6 + length) else { return false };
                let id = [header[at], header[at + 1], header[at + 2], header[at + 3]];
                visit(Field::Vendor(id, data));
                at += 6 + length;
            }
        }
        true
    }

    /// The number of presence words; `None` if they have no end, or are too many.
    fn words(&self) -> Option<usize> {
        for words in 1..=MAX_WORDS {
            if le32(self.header, 4 * words)? >> ANOTHER_WORD & 1 == 0 {
                return Some(words);
            }
        }
        None
    }
}

/// What a header says. A field that it lacks is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Repr {
    /// Time of the first bit of the MPDU in µs of the radio's clock.
    pub tsft_us: Option<u64>,
    /// Bits such as [`FCS_AT_END`].
    pub flags: Option<u8>,
    /// Rate in 500 kbit/s.
    pub rate: Option<u8>,
    /// Channel.
    pub channel: Option<Channel>,
    /// Signal at the antenna in dBm.
    pub signal_dbm: Option<i8>,
    /// Noise at the antenna in dBm.
    pub noise_dbm: Option<i8>,
    /// Power of the transmitter in dBm.
    pub power_dbm: Option<i8>,
    /// Number of the antenna.
    pub antenna: Option<u8>,
    /// Of 802.11n: modulation and coding.
    pub ht: Option<Ht>,
    /// The A-MPDU that the frame is part of.
    pub ampdu: Option<AmpduStatus>,
    /// Of 802.11ac: modulation and coding.
    pub vht: Option<Vht>,
    /// Time in another unit, or of another place of the frame.
    pub timestamp: Option<Timestamp>,
    /// Of 802.11ax: modulation and coding.
    pub he: Option<He>,
}

impl Repr {
    /// What a header says. Of a repeated field the first value counts: that of all antennas together. A header whose
    /// fields are malformed later on keeps those before.
    #[inline]
    pub fn parse(packet: &Packet<'_>) -> Self {
        let mut repr = Self::default();
        let mut seen = 0u32;
        packet.fields(|field| match field {
            Field::Radiotap(bit, value) if seen >> bit & 1 == 0 => {
                seen |= 1 << bit;
                repr.take(bit, value);
            }
            _ => {}
        });
        repr
    }

    /// Takes the value of a field. The slice has the field's length.
    #[inline]
    fn take(&mut self, bit: usize, value: &[u8]) {
        let dbm = || byte(value, 0).map(|b| i8::from_ne_bytes([b]));
        match bit {
            TSFT => self.tsft_us = le64(value, 0),
            FLAGS => self.flags = byte(value, 0),
            RATE => self.rate = byte(value, 0),
            CHANNEL => self.channel = Channel::parse(value),
            SIGNAL => self.signal_dbm = dbm(),
            NOISE => self.noise_dbm = dbm(),
            POWER => self.power_dbm = dbm(),
            ANTENNA => self.antenna = byte(value, 0),
            MCS => self.ht = Ht::parse(value),
            AMPDU => self.ampdu = AmpduStatus::parse(value),
            VHT => self.vht = Vht::parse(value),
            TIMESTAMP => self.timestamp = Timestamp::parse(value),
            HE => self.he = He::parse(value),
            _ => {}
        }
    }

    /// The field of its generation for a modulation.
    pub fn set_modulation(&mut self, modulation: &Modulation) {
        match modulation.format {
            Format::Ht => self.ht = Some(Ht::of(modulation)),
            Format::Vht => self.vht = Some(Vht::of(modulation)),
            Format::He | Format::HeMu | Format::HeTrigger => self.he = Some(He::of(modulation)),
        }
    }

    /// What it says of the frame, in the terms of all radio headers.
    #[inline]
    pub fn radio(&self) -> Radio {
        let flags = self.flags.unwrap_or(0);
        let mut radio = Radio {
            tsft_us: self.tsft_us,
            short_preamble: flags & SHORT_PREAMBLE != 0,
            has_fcs: flags & FCS_AT_END != 0,
            padded: flags & PADDED != 0,
            bad_fcs: flags & BAD_FCS != 0,
            frequency_mhz: self.channel.map(|channel| channel.frequency_mhz).filter(|mhz| *mhz > 0),
            signal_dbm: self.signal_dbm,
            noise_dbm: self.noise_dbm,
            antenna: self.antenna,
            ampdu: self.ampdu.map(AmpduStatus::ampdu),
            ..Radio::default()
        };
        if let Some(rate) = self.rate {
            radio.set_legacy_rate(u32::from(rate));
        }
        if let Some(ht) = self.ht {
            ht.describe(&mut radio);
        }
        if let Some(vht) = self.vht {
            vht.describe(&mut radio);
        }
        if let Some(timestamp) = self.timestamp.filter(|_| self.tsft_us.is_none()) {
            timestamp.describe(&mut radio);
        }
        if let Some(he) = self.he {
            he.describe(&mut radio);
        }
        radio
    }

    /// The presence word.
    fn present(&self) -> u32 {
        let fields = [
            (TSFT, self.tsft_us.is_some()),
            (FLAGS, self.flags.is_some()),
            (RATE, self.rate.is_some()),
            (CHANNEL, self.channel.is_some()),
            (SIGNAL, self.signal_dbm.is_some()),
            (NOISE, self.noise_dbm.is_some()),
            (POWER, self.power_dbm.is_some()),
            (ANTENNA, self.antenna.is_some()),
            (MCS, self.ht.is_some()),
            (AMPDU, self.ampdu.is_some()),
            (VHT, self.vht.is_some()),
            (TIMESTAMP, self.timestamp.is_some()),
            (HE, self.he.is_some()),
        ];
        fields.iter().filter(|(_, has)| *has).fold(0, |word, (bit, _)| word | 1 << bit)
    }

    /// Bytes that [`emit`](Self::emit) writes.
    pub fn buffer_len(&self) -> usize {
        let present = self.present();
        let fields = FIELDS.iter().enumerate().filter(|(bit, _)| present >> bit & 1 == 1);
        fields.fold(SHORTEST, |at, (_, (align, length))| at.next_multiple_of(*align) + length)
    }

    /// Appends the header.
    pub fn emit(&self, out: &mut Vec<u8>) {
        let length = u16::try_from(self.buffer_len()).unwrap_or(u16::MAX);
        let start = out.len();
        out.extend([0, 0]);
        out.extend(length.to_le_bytes());
        out.extend(self.present().to_le_bytes());
        let mut put = |bit: usize, value: &[u8]| {
            let (align, _) = FIELDS[bit];
            out.resize(start + (out.len() - start).next_multiple_of(align), 0);
            out.extend(value);
        };
        let byte = |dbm: i8| [dbm.cast_unsigned()];
        self.tsft_us.inspect(|us| put(TSFT, &us.to_le_bytes()));
        self.flags.inspect(|flags| put(FLAGS, &[*flags]));
        self.rate.inspect(|rate| put(RATE, &[*rate]));
        self.channel.inspect(|channel| put(CHANNEL, &channel.bytes()));
        self.signal_dbm.inspect(|dbm| put(SIGNAL, &byte(*dbm)));
        self.noise_dbm.inspect(|dbm| put(NOISE, &byte(*dbm)));
        self.power_dbm.inspect(|dbm| put(POWER, &byte(*dbm)));
        self.antenna.inspect(|number| put(ANTENNA, &[*number]));
        self.ht.inspect(|ht| put(MCS, &ht.bytes()));
        self.ampdu.inspect(|status| put(AMPDU, &status.bytes()));
        self.vht.inspect(|vht| put(VHT, &vht.bytes()));
        self.timestamp.inspect(|timestamp| put(TIMESTAMP, &timestamp.bytes()));
        self.he.inspect(|he| put(HE, &he.bytes()));
    }
}

#[cfg(test)]
mod tests;

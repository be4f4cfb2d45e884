//! Block acknowledgements and requests for them (IEEE 802.11-2020 sections 9.3.1.7 and 9.3.1.8), of one traffic
//! identifier, with a compressed bitmap of 64 or 256 bits.
//!
//! Leaves out: other kinds, which are not read; of that for several stations, the start is written.

use airtcp_units::LowBits;

use crate::bytes::{byte, le16};

/// Types of BA control.
const COMPRESSED: u16 = 2;
const MULTI_STATION: u16 = 11;
/// Bytes of BA control and of the starting sequence control.
const CONTROL: usize = 4;

/// The fields behind the addresses of a block acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet<'a> {
    control: u16,
    start: u16,
    /// Least significant bit first.
    bitmap: &'a [u8],
}

impl<'a> Packet<'a> {
    /// A view of these bytes. `None` for kinds other than the compressed one, and if the capture cut the bitmap off.
    pub fn new_checked(body: &'a [u8]) -> Option<Self> {
        let (control, start) = (le16(body, 0)?, le16(body, 2)?);
        if control >> 1 & 0x0f != COMPRESSED {
            return None;
        }
        // 802.11ax states the length of the bitmap in the fragment number.
        let length = match start >> 1 & 3 {
            0 => 8,
            2 => 32,
            _ => return None,
        };
        Some(Self { control, start, bitmap: body.get(CONTROL..CONTROL + length)? })
    }

    /// Traffic identifier.
    pub const fn tid(&self) -> u8 {
        (self.control >> 12) as u8
    }

    /// Sequence number of the first bit.
    pub const fn start(&self) -> u16 {
        self.start >> 4
    }

    /// Bits of the bitmap.
    pub const fn bits(&self) -> usize {
        self.bitmap.len() * 8
    }

    /// True if the frame with the sequence number of this bit has arrived.
    pub fn has(&self, bit: usize) -> bool {
        byte(self.bitmap, bit / 8).is_some_and(|bits| bits >> (bit % 8) & 1 == 1)
    }
}

/// Which frames have arrived, from the first sequence number on, lowest bit first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bitmap {
    /// A request has none.
    Asked,
    /// 64 frames.
    Short(u64),
    /// 256 frames, of 802.11ax.
    Long([u64; 4]),
}

/// What a block acknowledgement, or a request for one, says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repr {
    /// Traffic identifier, 4 bits.
    pub tid: u8,
    /// Sequence number of the first frame, 12 bits.
    pub start: u16,
    /// Which have arrived.
    pub bitmap: Bitmap,
}

impl Repr {
    /// What a block acknowledgement says.
    pub fn parse(packet: &Packet<'_>) -> Self {
        let word = |at: usize| {
            let bits = packet.bitmap.get(at..).and_then(<[u8]>::first_chunk);
            bits.map_or(0, |bits| u64::from_le_bytes(*bits))
        };
        let bitmap = match packet.bitmap.len() {
            8 => Bitmap::Short(word(0)),
            _ => Bitmap::Long([word(0), word(8), word(16), word(24)]),
        };
        Self { tid: packet.tid(), start: packet.start(), bitmap }
    }

    /// What the fields behind the addresses of a request say; `None` of other kinds.
    pub fn parse_request(body: &[u8]) -> Option<Self> {
        let (control, start) = (le16(body, 0)?, le16(body, 2)?);
        let repr = Self {
            tid: u8::low_bits(u32::from(control >> 12)),
            start: start >> 4,
            bitmap: Bitmap::Asked,
        };
        (control >> 1 & 0x0f == COMPRESSED).then_some(repr)
    }

    /// Bytes that [`emit`](Self::emit) writes.
    pub const fn buffer_len(&self) -> usize {
        CONTROL
            + match self.bitmap {
                Bitmap::Asked => 0,
                Bitmap::Short(_) => 8,
                Bitmap::Long(_) => 32,
            }
    }

    /// Appends the fields behind the addresses.
    pub fn emit(&self, out: &mut Vec<u8>) {
        // A fragment number of 4 stands for a bitmap of 256 bits.
        let (words, length): (&[u64], _) = match &self.bitmap {
            Bitmap::Asked => (&[], 0),
            Bitmap::Short(word) => (std::slice::from_ref(word), 0),
            Bitmap::Long(words) => (words, 4),
        };
        out.extend((u16::from(self.tid) << 12 | COMPRESSED << 1).to_le_bytes());
        out.extend((self.start << 4 | length).to_le_bytes());
        out.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    }
}

/// Appends BA control of a block acknowledgement for several stations (IEEE 802.11ax-2021 section 9.3.1.8.7).
pub fn emit_multi_station(out: &mut Vec<u8>) {
    out.extend((MULTI_STATION << 1).to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn compressed_bitmaps() {
        let mut body = vec![0x05, 0x60, 0x50, 0x12, 0x05, 0, 0, 0, 0, 0, 0, 0x80];
        let block = Packet::new_checked(&body).unwrap();
        assert_eq!((block.tid(), block.start(), block.bits()), (6, 0x125, 64));
        let set: Vec<usize> = (0..70).filter(|bit| block.has(*bit)).collect();
        assert_eq!(set, [0, 2, 63]);
        assert_eq!(Repr::parse(&block).bitmap, Bitmap::Short(5 | 1 << 63));
        body.pop();
        assert_eq!(Packet::new_checked(&body), None);
        body[2] = 0x54;
        body.extend([0; 25]);
        assert_eq!(Packet::new_checked(&body).unwrap().bits(), 256);
        // A basic bitmap.
        body[0] = 0x01;
        assert_eq!(Packet::new_checked(&body), None);
    }

    proptest! {
        #[test]
        fn round_trip(tid in 0..16u8, start in 0..4096u16, words: [u64; 4], kind in 0..3u8) {
            let bitmap = match kind {
                0 => Bitmap::Asked,
                1 => Bitmap::Short(words[0]),
                _ => Bitmap::Long(words),
            };
            let repr = Repr { tid, start, bitmap };
            let mut out = Vec::new();
            repr.emit(&mut out);
            prop_assert_eq!(out.len(), repr.buffer_len());
            if bitmap == Bitmap::Asked {
                prop_assert_eq!(Repr::parse_request(&out), Some(repr));
            } else {
                let packet = Packet::new_checked(&out).unwrap();
                prop_assert_eq!(Repr::parse(&packet), repr);
                let bit = usize::from(start) % packet.bits();
                prop_assert_eq!(packet.has(bit), words[bit / 64] >> (bit % 64) & 1 == 1);
            }
        }

        #[test]
        fn any_bytes(body in prop::collection::vec(any::<u8>(), 0..40), bit: usize) {
            if let Some(packet) = Packet::new_checked(&body) {
                let _ = (packet.has(bit), Repr::parse(&packet));
            }
            let _ = Repr::parse_request(&body);
        }
    }
}

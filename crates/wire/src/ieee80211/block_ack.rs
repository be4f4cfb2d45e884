//! Block acknowledgements (IEEE 802.11-2020 section 9.3.1.8).

use crate::bytes::{byte, le16};

/// A block acknowledgement of one traffic identifier with a compressed bitmap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockAck<'a> {
    /// Traffic identifier.
    pub tid: u8,
    /// Sequence number of the first bit.
    pub start: u16,
    /// The bitmap, least significant bit first.
    bitmap: &'a [u8],
}

impl<'a> BlockAck<'a> {
    /// Parses the fields behind the addresses. `None` for kinds other than the compressed one, and if
    /// the capture cut the bitmap off.
    pub fn parse(body: &'a [u8]) -> Option<Self> {
        const COMPRESSED: u16 = 2;
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
        Some(Self {
            tid: u8::try_from(control >> 12).ok()?,
            start: start >> 4,
            bitmap: body.get(4..4 + length)?,
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compressed_bitmaps() {
        let mut body = vec![0x05, 0x60, 0x50, 0x12, 0x05, 0, 0, 0, 0, 0, 0, 0x80];
        let block = BlockAck::parse(&body).unwrap();
        assert_eq!((block.tid, block.start, block.bits()), (6, 0x125, 64));
        let set: Vec<usize> = (0..70).filter(|bit| block.has(*bit)).collect();
        assert_eq!(set, [0, 2, 63]);
        body.pop();
        assert_eq!(BlockAck::parse(&body), None);
        body[2] = 0x54;
        body.extend([0; 25]);
        assert_eq!(BlockAck::parse(&body).unwrap().bits(), 256);
        // A basic bitmap.
        body[0] = 0x01;
        assert_eq!(BlockAck::parse(&body), None);
    }
}

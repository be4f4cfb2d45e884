//! Options of TCP: MSS (RFC 9293), SACK (RFC 2018), window scale and timestamps (RFC 7323), and an experimental one.
//!
//! They are written in Linux's order, each with NOPs in front that fill it up to a multiple of four bytes, where no
//! other option does. Transports with erasure coding have kind 253 with the identifier `EC` (RFC 6994), and their
//! words behind it. Leaves out: other options, which are passed over.

use airtcp_units::Narrow;
use arrayvec::ArrayVec;

use crate::bytes::{be16, be32};

pub use airtcp_packet::CODED_WORDS;

/// Most bytes of options.
const MOST: usize = 40;
const END: u8 = 0;
const NOP: u8 = 1;
const MSS: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;
const EXPERIMENTAL: u8 = 253;
const CODING: [u8; 2] = *b"EC";
/// Largest shift of a window (RFC 7323 section 2.3).
const LARGEST_SHIFT: u8 = 14;

/// Options as bytes.
pub(super) type Bytes = ArrayVec<u8, MOST>;

/// Options of a TCP header.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// Maximum segment size.
    pub mss: Option<u16>,
    /// Shift of the window (RFC 7323).
    pub window_scale: Option<u8>,
    /// SACK is permitted (RFC 2018).
    pub sack_permitted: bool,
    /// Value and echo of the timestamps option (RFC 7323).
    pub timestamps: Option<(u32, u32)>,
    /// SACK blocks.
    pub sack: ArrayVec<(u32, u32), 4>,
}

/// Options as nearly all segments have them: twice nothing, then timestamps (RFC 7323 appendix A).
const ALIGNED_TIMESTAMPS: u32 = 0x0101_080a;

impl Options {
    /// The options in these bytes, up to the end or to a malformed one.
    #[inline]
    pub fn parse(data: &[u8]) -> Self {
        let mut options = Self::default();
        if be32(data, 0) == Some(ALIGNED_TIMESTAMPS) && data.len() >= 12 {
            options.timestamps = be32(data, 4).zip(be32(data, 8));
            if data.len() > 12 {
                options.take_all(&data[12..]);
            }
        } else if !data.is_empty() {
            options.take_all(data);
        }
        options
    }

    fn take_all(&mut self, data: &[u8]) {
        walk(data, |kind, value| self.take(kind, value));
    }

    fn take(&mut self, kind: u8, value: &[u8]) {
        match (kind, value.len()) {
            (MSS, 2) => self.mss = be16(value, 0),
            (WINDOW_SCALE, 1) => {
                self.window_scale = value.first().map(|shift| (*shift).min(LARGEST_SHIFT));
            }
            (SACK_PERMITTED, 0) => self.sack_permitted = true,
            (SACK, 8 | 16 | 24 | 32) => {
                let block = |at: &[u8]| be32(at, 0).zip(be32(at, 4));
                self.sack = value.chunks_exact(8).filter_map(block).collect();
            }
            (TIMESTAMPS, 8) => self.timestamps = be32(value, 0).zip(be32(value, 4)),
            _ => {}
        }
    }

    /// The options as bytes, with the words of a transport with erasure coding. One that finds no place is left out.
    pub(super) fn emitted(&self, coding: Option<&[u32]>) -> Bytes {
        let mut out = Bytes::new();
        if let Some(words) = coding {
            let words = &words[..words.len().min(CODED_WORDS)];
            let mut option = Bytes::from_iter([EXPERIMENTAL, 4 + 4 * u8::narrow(words.len())]);
            option.extend(CODING);
            option.extend(words.iter().flat_map(|word| word.to_be_bytes()));
            put(&mut out, &option);
        }
        if let Some(mss) = self.mss {
            let [high, low] = mss.to_be_bytes();
            put(&mut out, &[MSS, 4, high, low]);
        }
        // SACK permitted, timestamps and blocks fill each other up.
        let (permitted, stamped) = (self.sack_permitted, self.timestamps.is_some());
        let filled = permitted != stamped && !self.sack.is_empty();
        if permitted && !stamped && !filled {
            put(&mut out, &[NOP, NOP]);
        }
        if permitted {
            put(&mut out, &[SACK_PERMITTED, 2]);
        } else if stamped && !filled {
            put(&mut out, &[NOP, NOP]);
        }
        if let Some((value, echo)) = self.timestamps {
            let mut option = Bytes::from_iter([TIMESTAMPS, 10]);
            option.extend(value.to_be_bytes());
            option.extend(echo.to_be_bytes());
            put(&mut out, &option);
        }
        if let Some(shift) = self.window_scale {
            put(&mut out, &[NOP, WINDOW_SCALE, 3, shift]);
        }
        self.put_blocks(&mut out, filled);
        while !out.len().is_multiple_of(4) {
            out.push(NOP);
        }
        out
    }

    /// The SACK blocks that find a place; NOPs stand before them if nothing else fills them up.
    fn put_blocks(&self, out: &mut Bytes, filled: bool) {
        let room = out.remaining_capacity().saturating_sub(if filled { 2 } else { 4 }) / 8;
        let blocks = &self.sack[..self.sack.len().min(room)];
        if blocks.is_empty() {
            return;
        }
        if !filled {
            put(out, &[NOP, NOP]);
        }
        put(out, &[SACK, 2 + 8 * u8::narrow(blocks.len())]);
        for (start, end) in blocks {
            put(out, &start.to_be_bytes());
            put(out, &end.to_be_bytes());
        }
    }
}

/// Adds an option, or a part of one, if there is room.
fn put(out: &mut Bytes, option: &[u8]) {
    let _ = out.try_extend_from_slice(option);
}

/// Visits options one by one (RFC 9293 section 3.1), up to the end or to a malformed one.
fn walk(mut data: &[u8], mut visit: impl FnMut(u8, &[u8])) {
    while let Some((kind, rest)) = data.split_first() {
        match *kind {
            END => return,
            NOP => data = rest,
            kind => {
                let length = rest.first().map_or(0, |length| usize::from(*length));
                let Some(value) = data.get(2..length) else { return };
                visit(kind, value);
                data = &data[length..];
            }
        }
    }
}

/// The words of a transport with erasure coding.
pub(super) fn coding(data: &[u8]) -> Option<ArrayVec<u32, CODED_WORDS>> {
    let mut found = None;
    walk(data, |kind, value| {
        if let (EXPERIMENTAL, Some(words)) = (kind, value.strip_prefix(&CODING)) {
            let words = words.chunks_exact(4).filter_map(|word| be32(word, 0));
            found = Some(words.take(CODED_WORDS).collect());
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_and_malformed_options() {
        // Multipath TCP (RFC 8684), then a SYN's options, then one that is longer than the header.
        let mut data = vec![30, 4, 0, 0, 2, 4, 5, 0xb4, 3, 3, 15, 4, 2, 1, 5, 200];
        let options = Options::parse(&data);
        assert_eq!((options.mss, options.window_scale), (Some(1460), Some(14)));
        assert!(options.sack_permitted && options.sack.is_empty());
        data[1] = 0;
        assert_eq!(Options::parse(&data), Options::default());
    }

    /// Another experiment's option (RFC 6994) has no words.
    #[test]
    fn experiments_have_identifiers() {
        assert_eq!(coding(&[253, 8, b'E', b'C', 1, 2, 3, 4]).unwrap().as_slice(), [0x0102_0304]);
        assert_eq!(coding(&[253, 4, b'E', b'C']).unwrap().len(), 0);
        assert_eq!(coding(&[253, 8, 0xf9, 0x89, 1, 2, 3, 4]), None);
        assert_eq!(coding(&[253, 3, b'E', b'C']), None);
    }
}

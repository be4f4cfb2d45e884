//! A receiver of real bytes: takes the packets of a flow with their payloads and decodes.
//!
//! The bytes of the stream are a function of their offset. The payload of a packet can therefore be
//! made from its header: the bytes of its symbol, or the combination of its window, computed with
//! the code itself. The decoded bytes are hashed in order.

use airtcp_fec::{WindowDecoder, coefficients, combine};
use airtcp_packet::Segment;
use airtcp_sliding::{Packet, Payload};
use airtcp_units::Narrow;

/// The byte of the stream at an offset.
pub const fn byte(offset: u64) -> u8 {
    (offset.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
}

/// FNV-1a of the next bytes.
pub fn hash(state: u64, bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(state, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

/// The start of a hash.
pub const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

/// Where the symbols of the stream lie, known to whoever makes payloads: all but the last have the
/// same length.
#[derive(Debug)]
pub struct Shadow {
    decoder: WindowDecoder<Vec<u8>>,
    next: u64,
    near: u64,
    pub delivered: u64,
    pub hash: u64,
    pub combinations: u64,
    /// Bytes of a symbol and of the stream.
    pub geometry: (u64, u64),
}

impl Default for Shadow {
    fn default() -> Self {
        Self {
            decoder: WindowDecoder::new(1 << 16),
            next: 0,
            near: 0,
            delivered: 0,
            hash: EMPTY,
            combinations: 0,
            geometry: (0, 0),
        }
    }
}

impl Shadow {
    /// Head and bytes of a symbol, as they are combined.
    fn symbol(&self, n: u64) -> Vec<u8> {
        let (length, size) = self.geometry;
        let (start, end) = (n * length, ((n + 1) * length).min(size));
        let fin = if end == size { 1 << 15 } else { 0 };
        let head = (u16::narrow(end - start) | fin).to_be_bytes();
        head.into_iter().chain((start..end).map(byte)).collect()
    }

    pub fn take(&mut self, segment: &Segment) {
        if self.geometry.0 == 0 {
            return;
        }
        let Some(packet) = Packet::of(segment, self.near, self.next) else { return };
        self.near = self.near.max(packet.number);
        self.decoder.forget(packet.oldest.min(self.next));
        match packet.payload {
            Payload::Symbol(n) => {
                let symbol = self.symbol(n);
                assert_eq!(symbol[..2], packet.head.0, "symbol {n}");
                assert_eq!(symbol.len(), usize::from(packet.len) + 2);
                self.decoder.source(n, symbol);
            }
            Payload::Combination { first, count, key } => {
                self.combinations += 1;
                let window: Vec<Vec<u8>> =
                    (first..first + u64::from(count)).map(|n| self.symbol(n)).collect();
                let payload = combine(key, 15, &window).expect("a window");
                assert_eq!(payload[..2], packet.head.0, "heads are combined as bytes are");
                assert_eq!(payload.len(), usize::from(packet.len) + 2);
                let list: Vec<u8> = coefficients(key, 15).take(usize::from(count)).collect();
                self.decoder.repair(first, &list, payload);
            }
        }
        while let Some(symbol) = self.decoder.get(self.next) {
            let head = u16::from_be_bytes([symbol[0], symbol[1]]);
            let bytes = &symbol[2..2 + usize::from(head & 0x7fff)];
            self.hash = hash(self.hash, bytes.iter().copied());
            self.delivered += bytes.len() as u64;
            self.next += 1;
        }
    }
}

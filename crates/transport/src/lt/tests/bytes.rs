//! LT-TCP with bytes: each packet of the machines carries a symbol of the crate `fec`, computed
//! when it leaves and decoded from the arrivals. A hash compares the streams.
//!
//! The machines count symbols; here each symbol has a payload. Data are bytes of the stream, which
//! are a function of their offset. Each parity or repair is another Reed-Solomon symbol. The
//! decoder sees only the headers and payloads of the arrivals.

use std::collections::BTreeMap;

use airtcp_fec::{Code, CodeConfig, ErasureCode};
use airtcp_packet::Segment;
use airtcp_units::{Nanos, Span};
use proptest::prelude::*;

use super::pair::{ISS, Pair, Way};
use super::{at_random, lossy, mixed, ms, tcp};
use crate::lt::block::MAX_SYMBOLS;
use crate::lt::wire::Data;
use crate::lt::{Delivery, LtConfig, Proactive, Reactive};

/// The byte of the stream at an offset.
const fn byte(offset: u64) -> u8 {
    (offset.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
}

/// FNV-1a of the next bytes.
fn hash(state: u64, bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(state, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

/// The position of a block, from the header of one of its packets.
fn place(segment: &Segment, data: &Data) -> (u64, u64) {
    let start = u64::from(segment.seq.0.wrapping_sub(ISS[0].0).wrapping_sub(1));
    let bytes = u64::from(data.k) * u64::from(data.symbol()) - u64::from(data.padding);
    (start, bytes)
}

/// A block with arrived symbols.
#[derive(Debug, Default)]
struct Arrived {
    /// K, padding and the length of a symbol.
    shape: (usize, usize, usize),
    symbols: BTreeMap<usize, Vec<u8>>,
    decoded: Option<Vec<u8>>,
}

/// The encoder before the path and the decoder after it.
#[derive(Debug)]
pub(super) struct Bytes {
    code: Code,
    /// Sent blocks, each symbol padded to the same length.
    sources: BTreeMap<u32, Vec<Vec<u8>>>,
    blocks: BTreeMap<u32, Arrived>,
    /// The next block to deliver, its delivered bytes, and the count and hash of all bytes.
    next: u32,
    of_next: usize,
    delivered: u64,
    hash: u64,
    /// Deliver the data at the head of a block that is not decoded.
    heads: bool,
    pub(super) parity: u64,
    pub(super) computed: u64,
}

impl Bytes {
    pub(super) fn new(heads: bool) -> Self {
        Self {
            code: Code::new(&CodeConfig::default()),
            sources: BTreeMap::new(),
            blocks: BTreeMap::new(),
            next: 0,
            of_next: 0,
            delivered: 0,
            hash: EMPTY,
            heads,
            parity: 0,
            computed: 0,
        }
    }

    /// The payload of a packet that leaves the client.
    pub(super) fn payload(&mut self, segment: &Segment) -> Vec<u8> {
        let Some(data) = Data::of(segment) else { return Vec::new() };
        let (start, bytes) = place(segment, &data);
        let (k, index) = (usize::from(data.k), usize::from(data.index));
        let source = self.sources.entry(data.block).or_insert_with(|| {
            let all: Vec<u8> = (start..start + bytes).map(byte).collect();
            let symbol = data.symbol() as usize;
            let mut source: Vec<Vec<u8>> = all.chunks(symbol).map(<[u8]>::to_vec).collect();
            assert_eq!(source.len(), k, "no symbol is empty");
            source[k - 1].resize(symbol, 0);
            source
        });
        let payload = if index < k {
            source[index][..usize::from(data.len)].to_vec()
        } else {
            self.parity += 1;
            let source: Vec<&[u8]> = source.iter().map(Vec::as_slice).collect();
            self.code.encode(&source, index..index + 1).unwrap().remove(0)
        };
        assert_eq!(payload.len(), usize::from(data.len), "a packet carries its symbol: {data:?}");
        payload
    }

    /// A packet that arrives at the server.
    pub(super) fn take(&mut self, segment: &Segment, payload: &[u8]) {
        let Some(data) = Data::of(segment) else { return };
        let shape = (usize::from(data.k), usize::from(data.padding), data.symbol() as usize);
        let block = self.blocks.entry(data.block).or_default();
        if block.symbols.is_empty() {
            block.shape = shape;
        }
        assert_eq!(block.shape, shape, "one block, one shape");
        let mut symbol = payload.to_vec();
        symbol.resize(shape.2, 0);
        let index = usize::from(data.index);
        let known = block.symbols.insert(index, symbol.clone());
        assert!(known.is_none_or(|known| known == symbol), "an index stands for one symbol");
        let (k, padding, bytes) = block.shape;
        let received: Vec<(usize, &[u8])> =
            block.symbols.iter().map(|(n, symbol)| (*n, symbol.as_slice())).collect();
        if block.decoded.is_none() && received.len() >= k {
            let fewer = self.code.decode(k, bytes, &received[1..]);
            assert!(fewer.is_err(), "{} of {k} are not enough", received.len() - 1);
            let missing = self.code.decode(k, bytes, &received).unwrap();
            self.computed += missing.len() as u64;
            let mut all: BTreeMap<usize, Vec<u8>> = missing.into_iter().collect();
            for n in 0..k {
                all.entry(n).or_insert_with(|| block.symbols[&n].clone());
            }
            let mut whole: Vec<u8> = all.into_values().flatten().collect();
            let held = k * bytes - padding;
            assert!(whole[held..].iter().all(|b| *b == 0), "the padding of the last symbol");
            whole.truncate(held);
            block.decoded = Some(whole);
        }
        self.deliver();
    }

    fn deliver(&mut self) {
        while let Some(block) = self.blocks.get(&self.next) {
            let (k, padding, bytes) = block.shape;
            let head: Vec<u8> = match &block.decoded {
                Some(whole) => whole.clone(),
                None if self.heads => {
                    let first = (0..k).map_while(|n| block.symbols.get(&n));
                    let mut head: Vec<u8> = first.flatten().copied().collect();
                    head.truncate(k * bytes - padding);
                    head
                }
                None => return,
            };
            let new = &head[self.of_next..];
            self.hash = hash(self.hash, new.iter().copied());
            self.delivered += new.len() as u64;
            self.of_next = head.len();
            if block.decoded.is_none() {
                return;
            }
            (self.next, self.of_next) = (self.next + 1, 0);
        }
    }

    pub(super) const fn delivered(&self) -> u64 {
        self.delivered
    }
}

/// Sends `bytes` with real coding over a path; the decoded bytes must be the stream.
fn transfer(config: &LtConfig, way: Way, bytes: u64) -> Pair {
    let mut pair = Pair::new(config, &tcp(), way);
    pair.bytes = Some(Bytes::new(config.delivery == Delivery::Segment));
    assert!(pair.transfer(bytes, Span::from_secs(4000)), "not over by {:?}", pair.now);
    let real = pair.bytes.as_ref().unwrap();
    assert_eq!((real.delivered, real.hash), (bytes, hash(EMPTY, (0..bytes).map(byte))));
    assert_eq!(pair.ends[1].delivered(), bytes);
    pair
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any loss, delay and duplication in both directions. At each arrival, the receiver's
    /// delivered bytes must equal what the decoder could decode.
    #[test]
    fn real_symbols_decode_to_the_stream(
        bytes in 1u64..120_000,
        (loss, copies, jitter) in (0u64..600, 0u64..200, 0u64..40),
        back in 0u64..400,
        salt in any::<u64>(),
        (segment_delivery, retransmission, fixed) in any::<(bool, bool, bool)>(),
        (least, more, limit) in (18u16..600, 0u16..1200, 2u16..255),
    ) {
        let config = LtConfig {
            delivery: if segment_delivery { Delivery::Segment } else { Delivery::Block },
            reactive: if retransmission { Reactive::Retransmission } else { Reactive::Parity },
            proactive: if fixed { Proactive::Fixed } else { Proactive::Adaptive },
            mss_min: least,
            mss_max: least + more,
            block_limit: limit,
            ..LtConfig::default()
        };
        let way = at_random(salt, [loss, back], copies, jitter);
        // Few bytes in small segments, so that a test has hundreds of blocks rather than thousands.
        let bytes = bytes.min(u64::from(least) * 400);
        let pair = transfer(&config, way, bytes);
        let (s, r) = (pair.ends[0].stats(), pair.ends[1].stats());
        prop_assert_eq!((r.refused, s.feedback_refused), (0, 0));
        let real = pair.bytes.as_ref().unwrap();
        let fresh = s.proactive.symbols + s.reactive.symbols;
        prop_assert!((fresh..=fresh + s.resent.symbols).contains(&real.parity));
        prop_assert!(s.bytes_acked == bytes && s.data.bytes == bytes);
    }
}

/// Half of all packets are lost: blocks of a whole window, hundreds of computed symbols, and
/// indices up to the last one of the code.
#[test]
fn blocks_as_large_as_the_code_allows() {
    let config = LtConfig { block_limit: 254, ..LtConfig::default() };
    let pair = transfer(&config, lossy(500, 9), 2_000_000);
    let real = pair.bytes.as_ref().unwrap();
    let s = pair.ends[0].stats();
    assert!(real.computed > 500 && s.reactive.symbols > 0, "{}, {s:?}", real.computed);
    assert!(u16::from(pair.record.greatest_index()) < MAX_SYMBOLS);
}

/// Streams of many lengths, down to a single byte, with parity in every block.
#[test]
fn ends_of_any_length() {
    let config = LtConfig { proactive: Proactive::Fixed, fixed_share: 0.4, ..LtConfig::default() };
    for bytes in (1..80).chain([1443, 1444, 1445, 14_439, 14_441, 28_881]) {
        let pair = transfer(&config, lossy(250, bytes), bytes);
        assert!(pair.bytes.as_ref().unwrap().parity > 0, "{bytes}");
    }
}

/// The reverse path fails for five seconds; the symbols sent meanwhile still decode.
#[test]
fn feedback_lost_for_seconds() {
    let way = |side: usize, n: u64, now: Nanos| {
        let dark = (Nanos(200_000_000)..Nanos(5_200_000_000)).contains(&now);
        if (side == 1 && dark) || (side == 0 && mixed(n, 3).is_multiple_of(4)) {
            vec![]
        } else {
            vec![ms(20)]
        }
    };
    let pair = transfer(&LtConfig::default(), Box::new(way), 1_000_000);
    assert!(pair.now > Nanos(5_200_000_000) && pair.ends[0].stats().timeouts >= 3);
}

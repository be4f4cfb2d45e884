//! Computes lost data and single repair symbols as sums of symbols times elements.
//!
//! Repair symbol `j` at point `x` is the sum over the data `d_i` of `G(x, i) d_i` with Lagrange's
//!
//! ```text
//! G(x, i) = a(x) b / (x - i),   a(x) = product of (x - m) for m in 0..P,   1/b = product of 1..P
//! ```
//!
//! where differences are exclusive ors of the points' numbers. So `e` repair symbols and `e` lost data
//! symbols form a Cauchy system, whose inverse has a closed form. The decoder subtracts the contribution
//! of the data that arrived and then needs `e^2` products of symbols. The library's decoder evaluates the
//! error locator over the whole field of 65,536 points. It is faster only beyond [`MAX_CAUCHY_LOSSES`].

use airtcp_units::Narrow;
use reed_solomon_simd::engine::{DefaultEngine, Engine, tables};
use reed_solomon_simd::rate::{LowRateDecoder, RateDecoder};

/// Maximum number of lost symbols for which the Cauchy inverse is faster than the library's decoder
/// [derived: measured, docs/adr/0007].
pub(super) const MAX_CAUCHY_LOSSES: usize = 56;

/// Elements other than zero: logarithms are modulo this.
const ORDER: u32 = 65_535;
/// The library works on chunks of 32 elements: 32 low bytes, then 32 high ones.
const CHUNK: usize = 64;

/// A symbol padded to whole elements of two bytes.
pub(super) fn even(symbol: &[u8], bytes: usize) -> Vec<u8> {
    let mut padded = symbol.to_vec();
    padded.resize(bytes.next_multiple_of(2), 0);
    padded
}

/// Logarithm of a product of elements, kept modulo the field's order.
#[derive(Clone, Copy)]
struct Log(u32);

impl Log {
    const ONE: Self = Self(0);

    /// Of an element that is not zero.
    fn of(element: usize) -> Self {
        Self(u32::from(tables::get_exp_log().log[element & 0xffff]) % ORDER)
    }

    const fn times(self, other: Self) -> Self {
        Self((self.0 + other.0) % ORDER)
    }

    const fn over(self, other: Self) -> Self {
        Self((self.0 + ORDER - other.0) % ORDER)
    }
}

/// The product of elements that are not zero.
fn product(elements: impl Iterator<Item = usize>) -> Log {
    elements.fold(Log::ONE, |product, element| product.times(Log::of(element)))
}

/// The points of a block's symbols.
#[derive(Clone, Copy)]
struct Points {
    source: usize,
    /// P (see [`reed_solomon`](super)).
    span: usize,
    /// Logarithm of `b`.
    scale: Log,
}

impl Points {
    fn new(source: usize) -> Self {
        let span = source.next_power_of_two();
        Self { source, span, scale: Log::ONE.over(product(1..span)) }
    }

    /// The point of a symbol.
    const fn of(self, number: usize) -> usize {
        if number < self.source { number } else { self.span + number - self.source }
    }

    /// `a(x) b` of a repair symbol.
    fn factor(self, x: usize) -> Log {
        // The exclusive ors of x with 0..P are the aligned group of P numbers that contains x.
        let group = x - x % self.span;
        product(group..group + self.span).times(self.scale)
    }
}

/// Symbols in the library's layout.
struct Packed {
    chunks: usize,
    bytes: usize,
    data: Vec<[u8; CHUNK]>,
}

impl Packed {
    fn new(symbols: usize, bytes: usize) -> Self {
        let bytes = bytes.next_multiple_of(2);
        let chunks = bytes.div_ceil(CHUNK);
        Self { chunks, bytes, data: vec![[0; CHUNK]; symbols * chunks] }
    }

    fn of(&self, i: usize) -> &[[u8; CHUNK]] {
        &self.data[i * self.chunks..(i + 1) * self.chunks]
    }

    fn of_mut(&mut self, i: usize) -> &mut [[u8; CHUNK]] {
        &mut self.data[i * self.chunks..(i + 1) * self.chunks]
    }

    /// Adds a symbol in the layout of packets.
    fn add(&mut self, i: usize, symbol: &[u8]) {
        let odd: Vec<u8>;
        let symbol = if symbol.len() == self.bytes {
            symbol
        } else {
            odd = even(symbol, self.bytes);
            &odd
        };
        let (whole, tail) = symbol.as_chunks::<CHUNK>();
        let place = self.of_mut(i);
        for (to, from) in place.iter_mut().zip(whole) {
            xor(to, from);
        }
        if let Some(last) = place.get_mut(whole.len()) {
            // The two halves of a short last chunk hold its low and its high bytes.
            let (low, high) = tail.split_at(tail.len() / 2);
            let (to_low, to_high) = last.split_at_mut(CHUNK / 2);
            to_low.iter_mut().zip(low).for_each(|(a, b)| *a ^= b);
            to_high.iter_mut().zip(high).for_each(|(a, b)| *a ^= b);
        }
    }

    /// A symbol in the layout of packets.
    fn unpack(&self, i: usize) -> Vec<u8> {
        let mut symbol = self.of(i).as_flattened().to_vec();
        let tail = self.bytes % CHUNK;
        if tail > 0 {
            let last = self.bytes - tail;
            symbol.copy_within(last + CHUNK / 2..last + CHUNK / 2 + tail / 2, last + tail / 2);
            symbol.truncate(self.bytes);
        }
        symbol
    }
}

fn xor(to: &mut [u8; CHUNK], from: &[u8; CHUNK]) {
    for (a, b) in to.iter_mut().zip(from) {
        *a ^= b;
    }
}

/// Adds `from` times the element with this logarithm to `to`.
fn add_scaled(
    engine: &DefaultEngine,
    to: &mut [[u8; CHUNK]],
    from: &[[u8; CHUNK]],
    factor: Log,
    space: &mut [[u8; CHUNK]],
) {
    space.copy_from_slice(from);
    engine.mul(space, u16::narrow(factor.0));
    for (a, b) in to.iter_mut().zip(space) {
        xor(a, b);
    }
}

/// True if [`repair_by_sums`] takes fewer products of symbols than transforms of the block.
pub(super) fn sums_are_cheaper(source: usize, present: usize, wanted: &[usize]) -> bool {
    let span = source.next_power_of_two();
    let last = wanted.iter().max().map_or(0, |n| n + 1 - source);
    let transforms = 1 + last.div_ceil(span);
    wanted.len() * present < transforms * (span / 2) * span.ilog2() as usize
}

/// Computes the repair symbols with these numbers, each as a sum over the data.
pub(super) fn repair_by_sums(
    engine: &DefaultEngine,
    source: &[Option<&[u8]>],
    bytes: usize,
    wanted: &[usize],
) -> Vec<Vec<u8>> {
    let points = Points::new(source.len());
    let mut data = Packed::new(source.len(), bytes);
    for (i, symbol) in source.iter().enumerate() {
        if let Some(symbol) = symbol {
            data.add(i, symbol);
        }
    }
    let mut made = Packed::new(wanted.len(), bytes);
    let mut space = vec![[0; CHUNK]; data.chunks];
    for (j, &number) in wanted.iter().enumerate() {
        let x = points.of(number);
        let factor = points.factor(x);
        for (i, _) in source.iter().enumerate().filter(|(_, symbol)| symbol.is_some()) {
            let factor = factor.over(Log::of(x ^ i));
            add_scaled(engine, made.of_mut(j), data.of(i), factor, &mut space);
        }
    }
    (0..wanted.len()).map(|j| made.unpack(j)).collect()
}

/// Restores the missing data from as many repair symbols with the inverse of the Cauchy system. `known` is
/// the contribution of the data that arrived to each repair symbol; `None` if none arrived.
pub(super) fn solve_cauchy(
    engine: &DefaultEngine,
    source: usize,
    bytes: usize,
    used: &[(usize, &[u8])],
    missing: &[usize],
    known: Option<&[Vec<u8>]>,
) -> Vec<Vec<u8>> {
    let points = Points::new(source);
    // The contribution of the missing data to the repair symbols.
    let mut said = Packed::new(used.len(), bytes);
    for (j, (_, symbol)) in used.iter().enumerate() {
        said.add(j, symbol);
        if let Some(known) = known {
            said.add(j, &known[j]);
        }
    }
    let xs: Vec<usize> = used.iter().map(|&(n, _)| points.of(n)).collect();
    let without =
        |list: &[usize], p: usize| product(list.iter().filter(|q| **q != p).map(|q| q ^ p));
    let rows: Vec<Log> = xs
        .iter()
        .map(|&x| {
            let across = product(missing.iter().map(|y| x ^ y));
            across.over(without(&xs, x)).over(points.factor(x))
        })
        .collect();
    let mut restored = Packed::new(missing.len(), bytes);
    let mut space = vec![[0; CHUNK]; said.chunks];
    for (c, &y) in missing.iter().enumerate() {
        let column = product(xs.iter().map(|x| x ^ y)).over(without(missing, y));
        for (r, (&x, &row)) in xs.iter().zip(&rows).enumerate() {
            let factor = row.times(column).over(Log::of(x ^ y));
            add_scaled(engine, restored.of_mut(c), said.of(r), factor, &mut space);
        }
    }
    (0..missing.len()).map(|c| restored.unpack(c)).collect()
}

/// Restores the missing data with the library's decoder, in order; `None` if it refuses.
pub(super) fn decode_with_library(
    data: &[Option<&[u8]>],
    bytes: usize,
    used: &[(usize, &[u8])],
) -> Option<Vec<Vec<u8>>> {
    let k = data.len();
    let wide = bytes.next_multiple_of(2);
    let repair = used.iter().map(|(n, _)| n + 1 - k).max()?;
    let mut decoder = LowRateDecoder::new(k, repair, wide, DefaultEngine::new(), None).ok()?;
    for (i, symbol) in data.iter().enumerate() {
        if let Some(symbol) = symbol {
            decoder.add_original_shard(i, even(symbol, bytes)).ok()?;
        }
    }
    for (n, symbol) in used {
        decoder.add_recovery_shard(n - k, symbol).ok()?;
    }
    let restored = decoder.decode().ok()?;
    let missing = (0..k).filter(|&i| data[i].is_none());
    missing.map(|i| restored.restored_original(i).map(<[u8]>::to_vec)).collect()
}

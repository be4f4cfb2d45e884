//! A set of units of one frame, by number: 0 to 254.

use airtcp_units::Narrow;

/// Maximum number of different units of a frame: the symbols of a Reed-Solomon code over GF(256).
pub const MAX_SYMBOLS: u16 = 255;

/// A set of units of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SymbolSet([u64; 4]);

impl SymbolSet {
    /// The empty set.
    pub const EMPTY: Self = Self([0; 4]);

    /// Units `from`, `from + 1`, ... below `until`; none beyond [`MAX_SYMBOLS`].
    pub const fn range(from: u16, until: u16) -> Self {
        let until = if until < MAX_SYMBOLS { until } else { MAX_SYMBOLS };
        Self::below(until).without(Self::below(from))
    }

    /// Units 0, 1, ... below `until`, computed word by word.
    const fn below(until: u16) -> Self {
        const fn word(until: u16, first: u16) -> u64 {
            let n = until.saturating_sub(first);
            if n >= 64 { u64::MAX } else { (1 << n) - 1 }
        }
        Self([word(until, 0), word(until, 64), word(until, 128), word(until, 192)])
    }

    /// The units below `count` for which `is_in` returns true. It is called once per unit, in
    /// order.
    #[inline]
    pub fn of(count: u16, mut is_in: impl FnMut() -> bool) -> Self {
        let mut left = count.min(MAX_SYMBOLS);
        let mut set = Self::EMPTY;
        for word in &mut set.0 {
            let here = left.min(64);
            for bit in 0..here {
                *word |= u64::from(is_in()) << bit;
            }
            left -= here;
            if left == 0 {
                break;
            }
        }
        set
    }

    /// Adds units `from`, `from + 1`, ... below `until`; none beyond [`MAX_SYMBOLS`].
    #[inline]
    pub fn insert_range(&mut self, from: u16, until: u16) {
        let (word, first) = (usize::from(from / 64), from % 64);
        let count = until.saturating_sub(from);
        if first + count < 64
            && let Some(word) = self.0.get_mut(word)
        {
            *word |= ((1 << count) - 1) << first;
        } else {
            *self = self.union(Self::range(from, until));
        }
    }

    /// Adds the units whose bit is set in `bits`; the lowest bit is unit `from`.
    #[inline]
    pub fn insert_bits(&mut self, from: u16, bits: u64) {
        let (word, by) = (usize::from(from / 64), from % 64);
        let mut add = |word: usize, bits: u64| {
            if let Some(word) = self.0.get_mut(word) {
                *word |= bits;
            }
        };
        add(word, bits << by);
        if by > 0 {
            add(word + 1, bits >> (64 - by));
        }
        self.0[3] &= u64::MAX >> 1;
    }

    /// Adds a unit. Returns true if the number is valid and was not in the set.
    #[inline]
    pub const fn insert(&mut self, symbol: u16) -> bool {
        if symbol >= MAX_SYMBOLS {
            return false;
        }
        let (word, bit) = ((symbol / 64) as usize, 1 << (symbol % 64));
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }

    /// True if the set contains the unit.
    pub const fn has(&self, symbol: u16) -> bool {
        symbol < MAX_SYMBOLS && self.0[(symbol / 64) as usize] & (1 << (symbol % 64)) != 0
    }

    /// Number of units in the set.
    pub fn len(&self) -> u16 {
        let [a, b, c, d] = self.0;
        let low = a.count_ones();
        // Shortcut: a frame rarely has more than 64 units.
        if b | c | d == 0 {
            return u16::narrow(low);
        }
        u16::narrow(low + b.count_ones() + c.count_ones() + d.count_ones())
    }

    /// True if the set is empty.
    pub const fn is_empty(&self) -> bool {
        let [a, b, c, d] = self.0;
        a | b | c | d == 0
    }

    /// The lowest unit.
    pub fn lowest(self) -> Option<u16> {
        let place = self.0.iter().position(|word| *word != 0)?;
        Some(u16::narrow(place) * 64 + u16::narrow(self.0.get(place)?.trailing_zeros()))
    }

    /// The highest unit.
    pub fn highest(self) -> Option<u16> {
        let place = self.0.iter().rposition(|word| *word != 0)?;
        Some(u16::narrow(place) * 64 + u16::narrow(self.0.get(place)?.ilog2()))
    }

    /// The lowest `n` units.
    #[must_use]
    pub fn first(mut self, n: u16) -> Self {
        for _ in n..self.len() {
            if let Some(word) = self.0.iter_mut().rfind(|word| **word != 0) {
                *word ^= 1 << word.ilog2();
            }
        }
        self
    }

    /// Number of units below `symbol`: its rank in the set, from 0.
    pub fn place_of(self, symbol: u16) -> u16 {
        self.len() - self.without(Self::below(symbol)).len()
    }

    /// The unit of rank `place`, counted from the lowest.
    pub fn nth(self, place: u16) -> Option<u16> {
        let mut left = place;
        for (first, mut word) in (0..4).map(|n| n * 64).zip(self.0) {
            let here = u16::narrow(word.count_ones());
            if left < here {
                for _ in 0..left {
                    word &= word - 1;
                }
                return Some(first + u16::narrow(word.trailing_zeros()));
            }
            left -= here;
        }
        None
    }

    /// The units of the given ranks, counted from the lowest.
    #[must_use]
    pub fn at(self, places: Self) -> Self {
        let (Some(low), Some(high)) = (self.lowest(), self.highest()) else { return Self::EMPTY };
        let places = places.without(Self::range(self.len(), MAX_SYMBOLS));
        // Consecutive units, as in most transmissions, are their ranks shifted.
        if high - low < self.len() {
            return if low == 0 { places } else { places.raised(low) };
        }
        let mut found = Self::EMPTY;
        for (symbol, place) in self.iter().zip(0..) {
            if places.has(place) {
                found.insert(symbol);
            }
        }
        found
    }

    /// All numbers raised by `by`; numbers beyond the last are dropped.
    fn raised(self, by: u16) -> Self {
        let (words, bits) = (usize::from(by / 64), by % 64);
        let mut raised = [0; 4];
        for (to, from) in (words..4).zip(0..) {
            raised[to] = self.0[from] << bits;
            if bits > 0 && from > 0 {
                raised[to] |= self.0[from - 1] >> (64 - bits);
            }
        }
        Self(raised)
    }

    /// Set difference.
    pub const fn without(self, other: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Self([a & !e, b & !f, c & !g, d & !h])
    }

    /// Set union.
    pub const fn union(self, other: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Self([a | e, b | f, c | g, d | h])
    }

    /// The units, lowest first.
    pub fn iter(self) -> impl Iterator<Item = u16> {
        (0..4u16).zip(self.0).flat_map(|(word, mut bits)| {
            std::iter::from_fn(move || {
                (bits != 0).then(|| {
                    let bit = u16::narrow(bits.trailing_zeros());
                    bits &= bits - 1;
                    word * 64 + bit
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn it_is_a_set(a in proptest::collection::btree_set(0u16..300, 0..90),
                       b in proptest::collection::btree_set(0u16..300, 0..90)) {
            let make = |of: &BTreeSet<u16>| {
                let mut set = SymbolSet::EMPTY;
                for s in of {
                    prop_assert_eq!(set.insert(*s), *s < MAX_SYMBOLS);
                    prop_assert!(!set.insert(*s));
                }
                Ok(set)
            };
            let (x, y) = (make(&a)?, make(&b)?);
            let valid = |s: &BTreeSet<u16>| -> BTreeSet<u16> {
                s.iter().copied().filter(|s| *s < MAX_SYMBOLS).collect()
            };
            let (a, b) = (valid(&a), valid(&b));
            prop_assert_eq!(x.iter().collect::<Vec<_>>(), a.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(usize::from(x.len()), a.len());
            prop_assert_eq!(x.is_empty(), a.is_empty());
            let union: Vec<u16> = a.union(&b).copied().collect();
            prop_assert_eq!(x.union(y).iter().collect::<Vec<_>>(), union);
            let rest: Vec<u16> = a.difference(&b).copied().collect();
            prop_assert_eq!(x.without(y).iter().collect::<Vec<_>>(), rest);
            for s in 0..300 {
                prop_assert_eq!(x.has(s), a.contains(&s));
                prop_assert_eq!(usize::from(x.place_of(s)), a.range(..s).count());
            }
            prop_assert_eq!(x.lowest(), a.first().copied());
            prop_assert_eq!(x.highest(), a.last().copied());
            prop_assert!(a.iter().copied().eq((0..300).map_while(|place| x.nth(place))));
            for n in [0_u16, 1, 5, 20, 64, 300] {
                let few: Vec<u16> = a.iter().copied().take(usize::from(n)).collect();
                prop_assert_eq!(x.first(n).iter().collect::<Vec<_>>(), few);
            }
            let chosen: Vec<u16> =
                (0..).zip(&a).filter(|(place, _)| b.contains(place)).map(|(_, s)| *s).collect();
            prop_assert_eq!(x.at(y).iter().collect::<Vec<_>>(), chosen);
        }

        #[test]
        fn bits_are_units(from in 0u16..300, bits in any::<u64>(), before in 0u16..255) {
            let mut set = SymbolSet::range(before, before + 3);
            let mut each = set;
            for i in (0..64).filter(|i| bits >> i & 1 == 1) {
                each.insert(from + i);
            }
            set.insert_bits(from, bits);
            prop_assert_eq!(set, each);
        }

        #[test]
        fn consecutive_units_are_shifted_ranks(
            from in 0u16..255, count in 1u16..255, places in proptest::collection::btree_set(0u16..255, 0..90),
        ) {
            let all = SymbolSet::range(from, from + count);
            let mut chosen = SymbolSet::EMPTY;
            for place in &places {
                chosen.insert(*place);
            }
            let there: Vec<u16> = places.iter().filter(|p| **p < all.len()).map(|p| p + from).collect();
            prop_assert_eq!(all.at(chosen).iter().collect::<Vec<_>>(), there);
        }
    }

    #[test]
    fn of_calls_the_closure_once_per_unit_in_order() {
        for count in [0, 1, 63, 64, 65, 128, 200, 255] {
            let mut asked = 0;
            let odd = SymbolSet::of(count, || {
                asked += 1;
                asked % 2 == 0
            });
            assert_eq!(asked, count);
            assert!(odd.iter().eq((0..count).filter(|n| n % 2 == 1)), "{count}");
        }
        assert_eq!(SymbolSet::of(400, || true).len(), MAX_SYMBOLS);
    }

    #[test]
    fn ranges_end_at_the_code() {
        assert_eq!(SymbolSet::range(20, 23).iter().collect::<Vec<_>>(), [20, 21, 22]);
        assert_eq!(SymbolSet::range(250, 400).len(), 5);
        assert!(SymbolSet::range(5, 5).is_empty());
        assert!(SymbolSet::range(9, 5).is_empty());
        assert!(SymbolSet::range(255, 400).is_empty());
    }

    #[test]
    fn a_range_has_every_unit_between_its_ends() {
        for from in 0..=260 {
            for until in [0, 1, 20, 63, 64, 65, 127, 128, 129, 191, 192, 193, 254, 255, 256, 260] {
                let mut each = SymbolSet::EMPTY;
                for symbol in from..until {
                    each.insert(symbol);
                }
                assert_eq!(SymbolSet::range(from, until), each, "{from} to {until}");
                for mut set in [SymbolSet::EMPTY, SymbolSet::range(60, 130)] {
                    let union = set.union(each);
                    set.insert_range(from, until);
                    assert_eq!(set, union, "{from} to {until}");
                }
            }
        }
    }
}

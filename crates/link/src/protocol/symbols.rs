//! A set of units of one frame, by number: 0 to 254.

/// Most different units of a frame: as many as a Reed-Solomon code over GF(256) has symbols.
pub const MOST_SYMBOLS: u16 = 255;

/// Which units of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SymbolSet([u64; 4]);

impl SymbolSet {
    /// None at all.
    pub const EMPTY: Self = Self([0; 4]);

    /// Units `from`, `from + 1`, ... below `until`; none beyond [`MOST_SYMBOLS`].
    pub fn range(from: u16, until: u16) -> Self {
        Self::below(until.min(MOST_SYMBOLS)).without(Self::below(from))
    }

    /// Units 0, 1, ... below `until`, word by word: a report is looked at through such a set.
    fn below(until: u16) -> Self {
        Self([0, 64, 128, 192].map(|first| match until.saturating_sub(first) {
            0 => 0,
            n @ 1..64 => (1 << n) - 1,
            _ => u64::MAX,
        }))
    }

    /// Adds a unit; true if it is one, and was not there.
    #[inline]
    pub const fn insert(&mut self, symbol: u16) -> bool {
        if symbol >= MOST_SYMBOLS {
            return false;
        }
        let (word, bit) = ((symbol / 64) as usize, 1 << (symbol % 64));
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }

    /// True if the unit is there.
    pub const fn has(&self, symbol: u16) -> bool {
        symbol < MOST_SYMBOLS && self.0[(symbol / 64) as usize] & (1 << (symbol % 64)) != 0
    }

    /// How many there are.
    pub const fn len(&self) -> u16 {
        let [a, b, c, d] = self.0;
        (a.count_ones() + b.count_ones() + c.count_ones() + d.count_ones()) as u16
    }

    /// True if there is none.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Those that are not in `other`.
    pub const fn without(self, other: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Self([a & !e, b & !f, c & !g, d & !h])
    }

    /// Those in either.
    pub const fn union(self, other: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Self([a | e, b | f, c | g, d | h])
    }

    /// The units, lowest first.
    pub fn iter(self) -> impl Iterator<Item = u16> {
        (0..4u16).zip(self.0).flat_map(|(word, mut bits)| {
            std::iter::from_fn(move || {
                (bits != 0).then(|| {
                    let bit = bits.trailing_zeros() as u16;
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
                    prop_assert_eq!(set.insert(*s), *s < MOST_SYMBOLS);
                    prop_assert!(!set.insert(*s));
                }
                Ok(set)
            };
            let (x, y) = (make(&a)?, make(&b)?);
            let valid = |s: &BTreeSet<u16>| -> BTreeSet<u16> {
                s.iter().copied().filter(|s| *s < MOST_SYMBOLS).collect()
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
            }
        }
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
            }
        }
    }
}

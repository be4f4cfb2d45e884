//! What happened to each packet of a link, as a string of bits: 1 received, 0 lost.

/// A delivery record, one bit per slot or packet, in order. Bits are packed into 64-bit words,
/// first outcome in the lowest bit, so a million packets take 125 kB.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcomes {
    words: Vec<u64>,
    len: usize,
}

impl Outcomes {
    /// An empty record.
    pub const fn new() -> Self {
        Self { words: Vec::new(), len: 0 }
    }

    /// An empty record with room for `n` outcomes.
    pub fn with_capacity(n: usize) -> Self {
        Self { words: Vec::with_capacity(n.div_ceil(64)), len: 0 }
    }

    /// Appends one outcome.
    pub fn push(&mut self, received: bool) {
        let bit = self.len % 64;
        if bit == 0 {
            self.words.push(0);
        }
        if received && let Some(last) = self.words.last_mut() {
            *last |= 1 << bit;
        }
        self.len += 1;
    }

    /// Appends `n` equal outcomes.
    pub fn push_run(&mut self, received: bool, n: usize) {
        for _ in 0..n {
            self.push(received);
        }
    }

    /// Number of outcomes.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// True if nothing was recorded.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The outcome at `index`, `None` past the end.
    #[inline]
    pub fn get(&self, index: usize) -> Option<bool> {
        (index < self.len).then(|| (self.words[index / 64] >> (index % 64)) & 1 == 1)
    }

    /// Number of packets received.
    pub fn received(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Outcomes in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = bool> + '_ {
        (0..self.len).map(|i| (self.words[i / 64] >> (i % 64)) & 1 == 1)
    }

    /// A copy of the outcomes in `range`, cut at the end of the record.
    pub fn slice(&self, range: std::ops::Range<usize>) -> Self {
        let end = range.end.min(self.len);
        let start = range.start.min(end);
        (start..end).map(|i| (self.words[i / 64] >> (i % 64)) & 1 == 1).collect()
    }

    /// The packed words; unused high bits of the last are zero.
    pub fn words(&self) -> &[u64] {
        &self.words
    }
}

impl FromIterator<bool> for Outcomes {
    fn from_iter<I: IntoIterator<Item = bool>>(iter: I) -> Self {
        let mut out = Self::new();
        for received in iter {
            out.push(received);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn same_as_a_vector_of_bools(bits in proptest::collection::vec(any::<bool>(), 0..300), a in 0usize..320, b in 0usize..320) {
            let packed: Outcomes = bits.iter().copied().collect();
            prop_assert_eq!(packed.len(), bits.len());
            prop_assert_eq!(packed.iter().collect::<Vec<_>>(), bits.clone());
            prop_assert_eq!(packed.received(), bits.iter().filter(|b| **b).count());
            let (start, end) = (a.min(b).min(bits.len()), a.max(b).min(bits.len()));
            prop_assert_eq!(packed.slice(a.min(b)..a.max(b)).iter().collect::<Vec<_>>(), bits[start..end].to_vec());
            prop_assert_eq!(packed.get(bits.len()), None);
        }
    }
}

//! What happened to each packet of a link, as a string of bits: 1 received, 0 lost.

/// A delivery record, one bit per slot or packet, in order. A million packets take 125 kB: the bits are
/// packed into 64-bit words, the first outcome in the lowest bit.
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

    /// Appends `n` equal outcomes, a word at a time.
    pub fn push_run(&mut self, received: bool, n: usize) {
        let used = self.len % 64;
        let head = if used == 0 { 0 } else { n.min(64 - used) };
        if head > 0
            && received
            && let Some(last) = self.words.last_mut()
        {
            *last |= low_bits(head) << used;
        }
        let fill = if received { u64::MAX } else { 0 };
        let (whole, tail) = ((n - head) / 64, (n - head) % 64);
        self.words.resize(self.words.len() + whole, fill);
        if tail > 0 {
            self.words.push(fill & low_bits(tail));
        }
        self.len += n;
    }

    /// Appends the `n` lowest bits of `bits` (at most 64), lowest first.
    pub fn push_bits(&mut self, bits: u64, n: usize) {
        let n = n.min(64);
        if n == 0 {
            return;
        }
        let bits = bits & low_bits(n);
        let used = self.len % 64;
        if used == 0 {
            self.words.push(bits);
        } else {
            if let Some(last) = self.words.last_mut() {
                *last |= bits << used;
            }
            if n > 64 - used {
                self.words.push(bits >> (64 - used));
            }
        }
        self.len += n;
    }

    /// Changes the outcome at `index`; false if that is past the end.
    pub fn set(&mut self, index: usize, received: bool) -> bool {
        if index >= self.len {
            return false;
        }
        let bit = 1u64 << (index % 64);
        let word = &mut self.words[index / 64];
        *word = if received { *word | bit } else { *word & !bit };
        true
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
        let mut out = Self::with_capacity(end - start);
        let mut at = start;
        while at < end {
            let n = (end - at).min(64);
            out.push_bits(self.bits_at(at), n);
            at += n;
        }
        out
    }

    /// The 64 outcomes from `index` on as one word, the first in the lowest bit; zero past the end.
    #[inline]
    pub fn bits_at(&self, index: usize) -> u64 {
        let (word, shift) = (index / 64, index % 64);
        let low = self.words.get(word).copied().unwrap_or(0) >> shift;
        if shift == 0 {
            return low;
        }
        low | self.words.get(word + 1).copied().unwrap_or(0) << (64 - shift)
    }

    /// The packed words; unused high bits of the last are zero.
    pub fn words(&self) -> &[u64] {
        &self.words
    }
}

/// A word with its `n` lowest bits set; `n` is 1 to 64.
const fn low_bits(n: usize) -> u64 {
    u64::MAX >> (64 - n)
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

        #[test]
        fn runs_and_bits_append_like_single_outcomes(
            pieces in proptest::collection::vec((any::<bool>(), 0usize..200, any::<u64>(), 0usize..=64), 0..12),
            at in 0usize..2000,
        ) {
            let (mut fast, mut slow) = (Outcomes::new(), Outcomes::new());
            for (received, n, bits, width) in pieces {
                fast.push_run(received, n);
                (0..n).for_each(|_| slow.push(received));
                fast.push_bits(bits, width);
                (0..width).for_each(|i| slow.push(bits >> i & 1 == 1));
            }
            prop_assert_eq!(&fast, &slow);
            let word = (0..64).filter(|i| slow.get(at + i) == Some(true)).fold(0, |w, i| w | 1u64 << i);
            prop_assert_eq!(fast.bits_at(at), word);
            for value in [true, false] {
                prop_assert_eq!(fast.set(at, value), at < slow.len());
                prop_assert_eq!(fast.get(at), (at < slow.len()).then_some(value));
            }
        }
    }
}

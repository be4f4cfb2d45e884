//! Acknowledgements as a bitmap of packet numbers. Retransmissions have new numbers.
//!
//! Feedback names the greatest packet number that arrived and has a bit for each of the last 128
//! packets: bit `i` is set if packet `greatest - i` arrived. Consecutive feedback overlaps;
//! [`AckBitmap::update`] gives the newly acknowledged numbers, at a cost proportional to their count.

/// Packets that the bitmap of one feedback covers.
pub const BITMAP_LEN: u32 = 128;

/// The bits as the words of feedback, the least significant first, and the number of words to send.
/// All bits of the words beyond it are set; they are zero here.
#[allow(clippy::cast_possible_truncation, reason = "const; the words are the low bits")]
#[inline]
pub const fn to_words(bits: u128) -> ([u32; 4], usize) {
    let count = match bits.leading_ones() {
        0..32 => 4,
        32..64 => 3,
        64..96 => 2,
        _ => 1,
    };
    let bits = bits & (u128::MAX >> (BITMAP_LEN - 32 * count));
    let words = [bits as u32, (bits >> 32) as u32, (bits >> 64) as u32, (bits >> 96) as u32];
    (words, count as usize)
}

/// The bits of the first `count` (1 to 4) of these words.
#[inline]
pub const fn from_words(words: [u32; 4], count: usize) -> u128 {
    let low = words[0] as u64 | (words[1] as u64) << 32;
    let high = words[2] as u64 | (words[3] as u64) << 32;
    let bits = low as u128 | (high as u128) << 64;
    let absent = if count < 4 { u128::MAX << (32 * count) } else { 0 };
    bits | absent
}

/// Packets acknowledged so far.
#[derive(Debug)]
pub struct AckBitmap {
    /// One past the greatest packet known to have arrived.
    up_to: u64,
    /// Bit `i`: packet `up_to - 1 - i` is known to have arrived. Bits before packet 0 are set.
    known: u128,
}

impl Default for AckBitmap {
    fn default() -> Self {
        Self { up_to: 0, known: u128::MAX }
    }
}

/// Newly acknowledged packets: bit `i` is packet `base - i`.
#[derive(Debug, Clone)]
pub struct NewlyAcked {
    base: u64,
    bits: u128,
    /// True if the feedback lacks a packet that earlier feedback acknowledged. Reordering cannot cause
    /// this.
    pub regressed: bool,
}

impl Iterator for NewlyAcked {
    type Item = u64;

    /// Packet numbers, the oldest first.
    #[inline]
    fn next(&mut self) -> Option<u64> {
        if self.bits <= 1 {
            // Shortcut: usually none, or the newest alone.
            let one = self.bits == 1;
            self.bits = 0;
            return one.then_some(self.base);
        }
        let i = BITMAP_LEN - 1 - self.bits.leading_zeros();
        self.bits &= !(1 << i);
        Some(self.base - u64::from(i))
    }
}

impl AckBitmap {
    /// One past the greatest packet known to have arrived.
    pub const fn up_to(&self) -> u64 {
        self.up_to
    }

    /// Bit `i`: packet `up_to - 1 - i` is known to have arrived.
    pub const fn known(&self) -> u128 {
        self.known
    }

    /// Applies the bits of feedback up to packet `greatest`, which was sent.
    #[inline]
    pub fn update(&mut self, greatest: u64, bits: u128) -> NewlyAcked {
        let top = greatest + 1;
        let mut regressed = false;
        let bits = if top >= self.up_to {
            let ahead = top - self.up_to;
            self.known = match ahead {
                // Shortcut for the usual case: a constant shift.
                1 => self.known << 1,
                _ if ahead < u64::from(BITMAP_LEN) => self.known << ahead,
                _ => 0,
            };
            self.up_to = top;
            // Feedback with a greater number left later, so it must include all earlier ones.
            regressed = ahead > 0 && self.known & !bits != 0;
            bits
        } else {
            // Older feedback that was overtaken.
            let behind = self.up_to - top;
            if behind < u64::from(BITMAP_LEN) { bits << behind } else { 0 }
        };
        let new = bits & !self.known;
        self.known |= bits;
        NewlyAcked { base: self.up_to - 1, bits: new, regressed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn update(bitmap: &mut AckBitmap, greatest: u64, arrived: &[u64]) -> (Vec<u64>, bool) {
        let before =
            if greatest + 1 < u64::from(BITMAP_LEN) { u128::MAX << (greatest + 1) } else { 0 };
        let bits = arrived.iter().fold(before, |bits, n| bits | 1 << (greatest - n));
        let new = bitmap.update(greatest, bits);
        let regressed = new.regressed;
        (new.collect(), regressed)
    }

    #[test]
    fn newly_acked_packets() {
        let mut bitmap = AckBitmap::default();
        assert_eq!(update(&mut bitmap, 3, &[2, 3]), (vec![2, 3], false));
        assert_eq!(update(&mut bitmap, 5, &[2, 3, 5]), (vec![5], false));
        assert_eq!(update(&mut bitmap, 4, &[1, 2, 3, 4]), (vec![1, 4], false), "overtaken");
        assert_eq!(update(&mut bitmap, 5, &[5]), (vec![], false), "may be older than the last");
        assert_eq!(update(&mut bitmap, 6, &[1, 2, 4, 5, 6]), (vec![6], true), "3 is gone");
        assert_eq!(update(&mut bitmap, 6 + 200, &[206, 100]), (vec![100, 206], false));
        assert_eq!((bitmap.up_to(), bitmap.known()), (207, 1 | 1 << 106));
        assert_eq!(update(&mut bitmap, 7, &[7]), (vec![], false), "out of reach");
    }
}

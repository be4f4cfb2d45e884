//! TinyMT32, RFC 8682: the generator that derives the coefficients of a repair symbol from its key. The two
//! ends of a connection exchange only the key.
//!
//! Not for statistics and not for secrets; models draw from `airtcp-random`.

const MAT1: u32 = 0x8f70_11ee;
const MAT2: u32 = 0xfc78_ff1f;
const TMAT: u32 = 0x3793_fdff;
/// Rounds that mix the seed, and initial outputs that are discarded (RFC 8682 section 2.1).
const SPREAD: usize = 8;
const DISCARD: usize = 8;

/// The generator.
#[derive(Debug, Clone)]
pub(crate) struct TinyMt32([u32; 4]);

impl TinyMt32 {
    /// A generator with any seed.
    pub(crate) fn new(seed: u32) -> Self {
        let mut s = [seed, MAT1, MAT2, TMAT];
        for (i, n) in (1..SPREAD).zip(1_u32..) {
            let before = s[(i - 1) & 3];
            let mixed = 1_812_433_253_u32.wrapping_mul(before ^ (before >> 30));
            s[i & 3] ^= n.wrapping_add(mixed);
        }
        let mut this = Self(s);
        for _ in 0..DISCARD {
            this.advance();
        }
        this
    }

    const fn advance(&mut self) {
        let s = &mut self.0;
        let mut x = (s[0] & 0x7fff_ffff) ^ s[1] ^ s[2];
        let mut y = s[3];
        x ^= x << 1;
        y ^= (y >> 1) ^ x;
        // All ones if the last bit of y is set.
        let mask = (y & 1).wrapping_neg();
        s[0] = s[1];
        s[1] = s[2] ^ (mask & MAT1);
        s[2] = x ^ (y << 10) ^ (mask & MAT2);
        s[3] = y;
    }

    /// The next 32 bits.
    pub(crate) const fn next(&mut self) -> u32 {
        self.advance();
        let s = &self.0;
        let t1 = s[0].wrapping_add(s[2] >> 8);
        let t0 = s[3] ^ t1;
        t0 ^ ((t1 & 1).wrapping_neg() & TMAT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_of_rfc_8682() {
        // Section 2.3: the first outputs for seed 1.
        let expected: [u32; 10] = [
            2_545_341_989,
            981_918_433,
            3_715_302_833,
            2_387_538_352,
            3_591_001_365,
            3_820_442_102,
            2_114_400_566,
            2_196_103_051,
            2_783_359_912,
            764_534_509,
        ];
        let mut generator = TinyMt32::new(1);
        assert_eq!(expected.map(|_| generator.next()), expected);
    }
}

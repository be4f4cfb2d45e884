//! Independent outcomes, 64 at a time.
//!
//! A uniform number u is below p if, at the first binary digit where they differ, p has a 1. The
//! comparison is made for 64 numbers at once, digit by digit: each random word gives one digit of
//! each number, and a number is decided once its digit differs from p's. On average all are decided
//! after about seven digits, so an outcome costs a ninth of a random word. p is exact to 2^-64.

use airtcp_random::Stream;
use airtcp_units::{Outcomes, Saturate};

/// 64 outcomes, each 1 with probability `threshold / 2^64`.
fn word(threshold: u64, stream: &mut Stream) -> u64 {
    let mut below = 0u64;
    let mut open = u64::MAX;
    let mut digits = threshold;
    // Once only zeros remain in p, no undecided number can be below it.
    while open != 0 && digits != 0 {
        let random = stream.next_u64();
        if digits >> 63 == 1 {
            below |= open & !random;
            open &= random;
        } else {
            open &= !random;
        }
        digits <<= 1;
    }
    below
}

/// Appends `n` outcomes, each received with probability `p` (between 0 and 1).
pub(super) fn append(out: &mut Outcomes, p: f64, n: usize, stream: &mut Stream) {
    if p <= 0.0 || p >= 1.0 {
        out.push_run(p >= 1.0, n);
        return;
    }
    // p < 1 keeps it below 2^64.
    let threshold = u64::saturate(p * 18_446_744_073_709_551_616.0);
    let mut left = n;
    while left > 0 {
        let width = left.min(64);
        out.push_bits(word(threshold, stream), width);
        left -= width;
    }
}

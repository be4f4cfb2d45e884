//! Pair counts and the transition probabilities that follow from them (S1 section 5).
//!
//! `n_ab` counts adjacent packets with outcomes a then b, overlapping, so a trace of n packets has
//! n - 1 pairs. `g = n01 / (n00 + n01)` is the probability that a success follows a loss, `b = n10
//! / (n10 + n11)` that a loss follows a success, and `mu = 1 - g - b`. A trace without losses (or
//! without successes) leaves one denominator empty: the quantity is then `None`, not zero.

use std::ops::{Add, AddAssign, Range, Sub};

use airtcp_units::Outcomes;
use serde::{Deserialize, Serialize};

/// How often each pair of adjacent outcomes occurs (1 received, 0 lost; first digit first).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct Pairs {
    /// Lost, then lost.
    pub n00: u64,
    /// Lost, then received.
    pub n01: u64,
    /// Received, then lost.
    pub n10: u64,
    /// Received, then received.
    pub n11: u64,
}

impl Pairs {
    /// Pairs of the whole trace.
    pub fn of(trace: &Outcomes) -> Self {
        Self::within(trace, 0..trace.len())
    }

    /// Pairs with both packets in `range` (cut at the end of the trace), 64 at a time.
    pub fn within(trace: &Outcomes, range: Range<usize>) -> Self {
        let end = range.end.min(trace.len());
        let pairs = end.saturating_sub(range.start).saturating_sub(1);
        let mut out = Self::default();
        let mut done = 0;
        while done < pairs {
            let n = (pairs - done).min(64);
            let mask = u64::MAX >> (64 - n);
            let first = trace.bits_at(range.start + done) & mask;
            let second = trace.bits_at(range.start + done + 1) & mask;
            out.n11 += u64::from((first & second).count_ones());
            out.n10 += u64::from((first & !second).count_ones());
            out.n01 += u64::from((!first & second).count_ones());
            done += n;
        }
        out.n00 = pairs as u64 - out.n11 - out.n10 - out.n01;
        out
    }

    /// All pairs.
    pub const fn total(&self) -> u64 {
        self.n00 + self.n01 + self.n10 + self.n11
    }

    /// Pairs that begin with a loss.
    pub const fn after_loss(&self) -> u64 {
        self.n00 + self.n01
    }

    /// Pairs that begin with a success.
    pub const fn after_success(&self) -> u64 {
        self.n10 + self.n11
    }

    /// P(received | previous lost). `None` if nothing was lost (but the last packet).
    pub fn g(&self) -> Option<f64> {
        ratio(self.n01, self.after_loss())
    }

    /// P(lost | previous received). `None` if nothing was received (but the last packet).
    pub fn b(&self) -> Option<f64> {
        ratio(self.n10, self.after_success())
    }

    /// The burstiness `1 - g - b`: 0 for independent losses, towards 1 for long bursts, below 0
    /// when outcomes alternate. `None` where `g` or `b` is.
    pub fn mu(&self) -> Option<f64> {
        Some(1.0 - self.g()? - self.b()?)
    }

    /// The standard error of `mu` if the trace were a stationary two-state chain. `g` and `b` are
    /// then asymptotically independent binomial proportions over the visits to each state
    /// (Billingsley, "Statistical inference for Markov processes", 1961), so `var(mu) =
    /// g(1-g)/(n00+n01) + b(1-b)/(n10+n11)`. One transition of either kind is first added to each
    /// state, because one observed transition does not make it certain.
    pub fn mu_standard_error(&self) -> Option<f64> {
        self.mu()?;
        let variance = |moves: u64, visits: u64| {
            let n = visits as f64 + 2.0;
            let p = (moves as f64 + 1.0) / n;
            p * (1.0 - p) / n
        };
        let sum = variance(self.n01, self.after_loss()) + variance(self.n10, self.after_success());
        Some(sum.sqrt())
    }
}

impl Add for Pairs {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self {
            n00: self.n00 + o.n00,
            n01: self.n01 + o.n01,
            n10: self.n10 + o.n10,
            n11: self.n11 + o.n11,
        }
    }
}

impl AddAssign for Pairs {
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl Sub for Pairs {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self {
            n00: self.n00 - o.n00,
            n01: self.n01 - o.n01,
            n10: self.n10 - o.n10,
            n11: self.n11 - o.n11,
        }
    }
}

/// `part / whole`, `None` for an empty whole.
pub(crate) fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Received packets within `range`, cut at the end of the trace.
pub(crate) fn received_within(trace: &Outcomes, range: Range<usize>) -> u64 {
    let end = range.end.min(trace.len());
    let mut at = range.start;
    let mut sum = 0;
    while at < end {
        let n = (end - at).min(64);
        sum += u64::from((trace.bits_at(at) & (u64::MAX >> (64 - n))).count_ones());
        at += n;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn brute(bits: &[bool]) -> Pairs {
        let count = |a, b| bits.windows(2).filter(|w| w[0] == a && w[1] == b).count() as u64;
        Pairs {
            n00: count(false, false),
            n01: count(false, true),
            n10: count(true, false),
            n11: count(true, true),
        }
    }

    proptest! {
        #[test]
        fn words_count_like_windows(bits in proptest::collection::vec(any::<bool>(), 0..400), a in 0usize..420, b in 0usize..420) {
            let trace: Outcomes = bits.iter().copied().collect();
            prop_assert_eq!(Pairs::of(&trace), brute(&bits));
            let (start, end) = (a.min(b).min(bits.len()), a.max(b).min(bits.len()));
            prop_assert_eq!(Pairs::within(&trace, a.min(b)..a.max(b)), brute(&bits[start..end]));
            let received = bits[start..end].iter().filter(|x| **x).count() as u64;
            prop_assert_eq!(received_within(&trace, a.min(b)..a.max(b)), received);
        }
    }

    #[test]
    fn edges_are_undefined_not_zero() {
        let perfect: Outcomes = [true; 10].into_iter().collect();
        let pairs = Pairs::of(&perfect);
        assert_eq!((pairs.g(), pairs.b(), pairs.mu()), (None, Some(0.0), None));
        let dead: Outcomes = [false; 10].into_iter().collect();
        let pairs = Pairs::of(&dead);
        assert_eq!((pairs.g(), pairs.b(), pairs.mu()), (Some(0.0), None, None));
        assert_eq!(Pairs::of(&Outcomes::new()), Pairs::default());
        // Only the last packet is lost: there is no pair that begins with a loss.
        let last: Outcomes = [true, true, false].into_iter().collect();
        assert_eq!(Pairs::of(&last).mu(), None);
    }

    #[test]
    fn a_hand_counted_trace() {
        // 1 1 0 0 1: pairs 11, 10, 00, 01.
        let trace: Outcomes = [true, true, false, false, true].into_iter().collect();
        let pairs = Pairs::of(&trace);
        assert_eq!(pairs, Pairs { n00: 1, n01: 1, n10: 1, n11: 1 });
        assert_eq!((pairs.g(), pairs.b(), pairs.mu()), (Some(0.5), Some(0.5), Some(0.0)));
        // Two visits each, one transition of either kind added: 0.25 / 4 twice.
        assert_eq!(pairs.mu_standard_error(), Some(0.125f64.sqrt()));
    }
}

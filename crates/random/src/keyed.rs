//! Counter-based draws: a pure function of a key and a number.

use airtcp_units::Saturate;

/// Random draws of numbered items. The draw of frame 17 does not depend on whether frame 16 was drawn,
/// so two protocols meet the same channel.
#[derive(Debug, Clone, Copy)]
pub struct Keyed {
    key: [u64; 2],
}

/// Two rounds of a 64-bit mixer (the SplitMix64 finaliser) over counter and key.
pub(crate) const fn mix(k0: u64, k1: u64, counter: u64) -> u64 {
    finalise(
        finalise(counter.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(k0)).wrapping_add(k1),
    )
}

const fn finalise(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Keyed {
    pub(crate) const fn from_key(key: [u64; 2]) -> Self {
        Self { key }
    }

    /// 64 random bits for item number `counter`.
    #[inline]
    pub const fn bits(&self, counter: u64) -> u64 {
        mix(self.key[0], self.key[1], counter)
    }

    /// Uniform in [0, 1) for item number `counter`.
    #[inline]
    pub fn unit(&self, counter: u64) -> f64 {
        (self.bits(counter) >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// True if [`unit`](Self::unit) is below `p`, where `bound` is [`bound(p)`](Self::bound): half the work
    /// if many items have one `p`.
    #[inline]
    pub const fn is_below(&self, counter: u64, bound: u64) -> bool {
        self.bits(counter) >> 11 < bound
    }

    /// [`is_below`](Self::is_below) of the `count` items (at most 64) from `first` on: a bit for each, the
    /// lowest for the first.
    #[inline]
    pub const fn are_below(&self, first: u64, count: u32, bound: u64) -> u64 {
        let (mut found, mut i) = (0, 0);
        while i < count {
            found |= (self.is_below(first.wrapping_add(i as u64), bound) as u64) << i;
            i += 1;
        }
        found
    }

    /// The least whole number of steps of 2^-53 that is not below `p`, for [`is_below`](Self::is_below).
    pub fn bound(p: f64) -> u64 {
        u64::saturate((p * (1u64 << 53) as f64).ceil())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Keyed, Seed};

    #[test]
    fn draws_are_uniform_and_uncorrelated() {
        let keyed = Seed::new(3).keyed("frames");
        let n = 100_000u64;
        let draws: Vec<f64> = (0..n).map(|i| keyed.unit(i)).collect();
        let mean = draws.iter().sum::<f64>() / n as f64;
        let lag: f64 =
            draws.windows(2).map(|w| (w[0] - 0.5) * (w[1] - 0.5)).sum::<f64>() / n as f64;
        // Five standard errors: 1/sqrt(12 n) for the mean, 1/(12 sqrt n) for the lag product.
        assert!((mean - 0.5).abs() < 5.0 * 0.2887 / 316.2, "{mean}");
        assert!(lag.abs() < 5.0 / 12.0 / 316.2, "{lag}");
    }

    #[test]
    fn is_below_equals_a_comparison_with_p() {
        let keyed = Seed::new(3).keyed("frames");
        for n in 0..2000 {
            let exact = keyed.unit(n);
            let other = keyed.unit(n + 1);
            for p in [
                0.0,
                -1.0,
                1e-300,
                0.1,
                0.5,
                0.999,
                1.0,
                2.0,
                exact,
                exact.next_up(),
                exact.next_down(),
                other,
            ] {
                let said = keyed.is_below(n, Keyed::bound(p));
                assert_eq!(said, exact < p, "{n}: {exact} below {p}");
            }
        }
    }

    #[test]
    fn are_below_equals_is_below_for_each_item() {
        let keyed = Seed::new(3).keyed("frames");
        let bound = Keyed::bound(0.3);
        for (first, count) in [(0, 0), (0, 1), (17, 20), (1000, 63), (u64::MAX - 3, 64)] {
            let found = keyed.are_below(first, count, bound);
            for i in 0..64 {
                let number = first.wrapping_add(u64::from(i));
                let each = i < count && keyed.is_below(number, bound);
                assert_eq!(found >> i & 1 == 1, each, "{first} {count} {i}");
            }
        }
    }

    #[test]
    fn order_does_not_matter() {
        let keyed = Seed::new(3).keyed("frames");
        let forward: Vec<u64> = (0..10).map(|i| keyed.bits(i)).collect();
        let mut backward: Vec<u64> = (0..10).rev().map(|i| keyed.bits(i)).collect();
        backward.reverse();
        assert_eq!(forward, backward);
    }
}

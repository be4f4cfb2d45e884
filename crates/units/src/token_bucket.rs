//! A token bucket: a rate and a burst, of policers and shapers.
//!
//! The bucket holds tokens for up to `burst` bytes, and `rate` refills it. It starts full. A packet passes if the
//! bucket holds a token for each of its bytes, IP header included, and takes them. In any interval of length t the
//! packets that pass have at most `rate t + burst` (the token bucket of RFC 2697 section 3 with one colour, and of
//! RFC 2212). Tokens are counted in parts of 1e-9 bits, so no rounding adds up.

use crate::{BitRate, Bytes, Nanos, Narrow, Span};

/// Parts of a token of one byte.
const BYTE: u128 = 8_000_000_000;

/// A token bucket.
#[derive(Debug, Clone, Copy)]
pub struct TokenBucket {
    rate: BitRate,
    burst: u128,
    /// Tokens at `since`.
    level: u128,
    since: Nanos,
}

impl TokenBucket {
    /// A full bucket.
    pub const fn new(rate: BitRate, burst: Bytes) -> Self {
        let burst = burst.0 as u128 * BYTE;
        Self { rate, burst, level: burst, since: Nanos::ZERO }
    }

    /// Tokens at `now`, which is not before the last call.
    fn level(&self, now: Nanos) -> u128 {
        let added = u128::from(now.since(self.since).0) * u128::from(self.rate.bps());
        self.burst.min(self.level + added)
    }

    /// True if a packet of `bytes` passes at `now`. It then takes its tokens.
    pub fn take(&mut self, now: Nanos, bytes: u64) -> bool {
        let (level, cost) = (self.level(now), u128::from(bytes) * BYTE);
        if level < cost {
            return false;
        }
        (self.level, self.since) = (level - cost, now);
        true
    }

    /// When a packet of `bytes` passes, if no other one does before: `now` or later; [`Nanos::NEVER`] for a packet
    /// longer than the burst.
    pub fn ready_at(&self, now: Nanos, bytes: u64) -> Nanos {
        let cost = u128::from(bytes) * BYTE;
        if cost > self.burst {
            return Nanos::NEVER;
        }
        let missing = cost.saturating_sub(self.level(now));
        let wait = missing.div_ceil(u128::from(self.rate.bps()));
        now + Span(u64::narrow(wait.min(u128::from(u64::MAX))))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ms(ms: u64) -> Nanos {
        Nanos(ms * 1_000_000)
    }

    /// 8 Mb/s, burst 15,000 B; 8 packets of 1500 B come every 10 ms, in which the bucket gains 10,000 B. Tokens before
    /// and packets that pass: 15,000: 8; 13,000: 8; 11,000: 7; 10,500: 7; 10,000: 6; 11,000: 7; and so on, 20 of 24.
    #[test]
    fn trains_of_8_packets_as_computed_by_hand() {
        let mut bucket = TokenBucket::new(BitRate::from_mbps(8), Bytes(15_000));
        let passed: Vec<usize> =
            (0..11).map(|n| (0..8).filter(|_| bucket.take(ms(10 * n), 1500)).count()).collect();
        assert_eq!(passed, [8, 8, 7, 7, 6, 7, 7, 6, 7, 7, 6]);
    }

    #[test]
    fn the_time_to_wait_is_exact() {
        let mut bucket = TokenBucket::new(BitRate::from_mbps(8), Bytes(3000));
        assert!(bucket.take(ms(1), 3000));
        // 1500 B take 1.5 ms at 8 Mb/s.
        assert_eq!(bucket.ready_at(ms(1), 1500), Nanos(2_500_000));
        assert!(!bucket.take(Nanos(2_499_999), 1500));
        assert!(bucket.take(Nanos(2_500_000), 1500));
        assert_eq!(bucket.ready_at(ms(3), 3001), Nanos::NEVER);
        // 3 b/s: 1 B takes 2.666... s, rounded up.
        let mut slow = TokenBucket::new(BitRate::new(3).unwrap(), Bytes(1));
        assert!(slow.take(Nanos::ZERO, 1));
        assert_eq!(slow.ready_at(Nanos::ZERO, 1), Nanos(2_666_666_667));
    }

    proptest! {
        /// Never more than rate t + burst passes in any interval, and a packet is refused only if it would be more.
        #[test]
        fn any_interval_has_at_most_the_rate_and_the_burst(
            rate in 1u64..10_000_000_000,
            burst in 1u64..200_000,
            packets in proptest::collection::vec((0u64..5_000_000, 1u64..20_000), 1..120),
        ) {
            let mut bucket = TokenBucket::new(BitRate::new(rate).unwrap(), Bytes(burst));
            let (mut now, mut passed) = (Nanos::ZERO, Vec::new());
            for (gap, bytes) in packets {
                now += Span(gap);
                // Room, in parts of 1e-9 bits, in the intervals from each packet that passed until now.
                let (mut room, mut sum) = (u128::from(burst) * BYTE, 0);
                for (from, bytes) in passed.iter().rev() {
                    sum += u128::from(*bytes) * BYTE;
                    let added = u128::from(now.since(*from).0) * u128::from(rate);
                    let bound = added + u128::from(burst) * BYTE;
                    prop_assert!(sum <= bound);
                    room = room.min(bound - sum);
                }
                let fits = u128::from(bytes) * BYTE <= room;
                prop_assert_eq!(bucket.ready_at(now, bytes) == now, fits);
                prop_assert_eq!(bucket.take(now, bytes), fits);
                if fits {
                    passed.push((now, bytes));
                }
            }
        }
    }
}

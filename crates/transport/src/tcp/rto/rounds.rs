//! Linux's deviation of the round-trip time (`tcp_rtt_estimator`): the largest of each round trip counts, and it falls by
//! a quarter of the difference once a round trip.
//!
//! The deviation follows a sample that is below the mean with an eighth of the gain, so that a path that becomes faster
//! does not raise the timeout. After one long sample the timeout stays long for several round trips; with RFC 6298's
//! RTTVAR it is back after a few samples.

use airtcp_units::Span;

/// The deviation, in nanoseconds and four times the mean deviation throughout, as the timeout uses it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rounds {
    /// Deviation of the latest samples (`mdev_us`).
    deviation: i64,
    /// Its maximum in this round trip, at least the bound (`mdev_max_us`).
    largest: i64,
    /// What the timeout adds to SRTT (`rttvar_us`).
    term: i64,
    /// The round trip ends when this offset is acknowledged (`rtt_seq`).
    end: u64,
    /// Lower bound of the term (`tcp_rto_min`).
    least: i64,
}

fn signed(span: Span) -> i64 {
    i64::try_from(span.0).unwrap_or(i64::MAX)
}

impl Rounds {
    /// The first sample; `nxt` is the next offset to send.
    pub(super) fn new(sample: Span, least: Span, nxt: u64) -> Self {
        let (deviation, least) = (signed(sample).saturating_mul(2), signed(least));
        let largest = deviation.max(least);
        Self { deviation, largest, term: largest, end: nxt, least }
    }

    /// A further sample, and SRTT before it. `una` and `nxt` are the first offset in flight and the next to send.
    pub(super) fn sample(&mut self, sample: Span, srtt: Span, (una, nxt): (u64, u64)) {
        let error = signed(sample) - signed(srtt);
        let mut step = error.abs() - self.deviation / 4;
        if error < 0 && step > 0 {
            step /= 8;
        }
        self.deviation = self.deviation.saturating_add(step);
        self.largest = self.largest.max(self.deviation);
        self.term = self.term.max(self.largest);
        if una > self.end {
            self.term -= (self.term - self.largest) / 4;
            (self.end, self.largest) = (nxt, self.least);
        }
    }

    /// What the timeout adds to SRTT.
    pub(super) const fn term(&self) -> Span {
        Span(self.term.unsigned_abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Rounds {
        fn rttvar(&self) -> Span {
            Span(self.deviation.unsigned_abs() / 4)
        }
    }

    fn ms(n: u64) -> Span {
        Span::from_millis(n)
    }

    /// By hand from `tcp_rtt_estimator`: SRTT 10 ms, one sample of 1 s, then samples of 10 ms. The term rises to
    /// 990 ms at once and falls by a quarter of what is above 200 ms once a round trip, however many samples it has.
    #[test]
    fn one_long_sample_counts_for_several_round_trips() {
        let mut rounds = Rounds::new(ms(10), ms(200), 10);
        assert_eq!((rounds.term(), rounds.rttvar()), (ms(200), ms(5)));
        // |1000 - 10| - 20/4 = 985; 20 + 985 = 1005.
        rounds.sample(ms(1000), ms(10), (5, 20));
        assert_eq!(rounds.term(), ms(1005));
        let srtt = ms(133);
        for _ in 0..40 {
            rounds.sample(ms(10), srtt, (9, 30));
        }
        assert_eq!(rounds.term(), ms(1005), "within the round trip it does not fall");
        assert!(rounds.rttvar() < ms(130), "the deviation itself does: {}", rounds.rttvar());
        rounds.sample(ms(10), ms(10), (11, 31));
        assert_eq!(rounds.term(), ms(1005), "the first round trip had the long sample");
        rounds.sample(ms(10), ms(10), (32, 40));
        let after = rounds.term();
        assert!(after < ms(1005) && after > ms(800), "a quarter of the difference: {after}");
        for round in 1..60 {
            rounds.sample(ms(10), ms(10), (40 * round, 40 * round + 20));
        }
        assert!(rounds.term() < ms(201), "{}", rounds.term());
    }

    #[test]
    fn a_shorter_round_trip_hardly_raises_the_deviation() {
        let (mut up, mut down) = (Rounds::new(ms(100), ms(1), 10), Rounds::new(ms(100), ms(1), 10));
        for _ in 0..100 {
            up.sample(ms(100), ms(100), (0, 20));
            down.sample(ms(100), ms(100), (0, 20));
        }
        up.sample(ms(180), ms(100), (0, 20));
        down.sample(ms(20), ms(100), (0, 20));
        assert!(up.rttvar() > down.rttvar() * 7, "{} {}", up.rttvar(), down.rttvar());
    }
}

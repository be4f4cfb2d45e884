//! Linux's detection of policers (`bbr_lt_bw_sampling`), which the draft does not have.
//!
//! A policer drops everything beyond its rate. The maximum delivery rate then shows what the last
//! full token bucket let through, not what the path carries. The detector therefore measures
//! intervals of 4 to 16 round trips that begin and end with a loss. An interval counts if at least
//! 50/256 of its delivered bytes were lost. If the mean rates of two successive intervals agree
//! within an eighth, or within 4 kb/s, their mean is the bandwidth for 48 round trips of ProbeBW,
//! with a pacing gain of 1. Independent losses of a fifth and more also pass this test.
//!
//! Rounds, bytes, bits per second.

use airtcp_units::Nanos;

/// Minimum and maximum length of an interval in round trips.
const MIN_ROUNDS: u32 = 4;
const MAX_ROUNDS: u32 = 4 * MIN_ROUNDS;
/// An interval counts if at least `LOSS_THRESH` / `LOSS_SCALE` of its delivered bytes were lost.
const LOSS_THRESH: u64 = 50;
const LOSS_SCALE: u64 = 256;
/// Two rates agree if they differ by at most this part of the first ...
const SAME_PART: u64 = 8;
/// ... or by this much.
const SAME_RATE: u64 = 4000;
/// Round trips for which the rate is used.
const USED_ROUNDS: u32 = 48;

/// What the law reports to the detector at an acknowledgement or a timeout.
#[derive(Debug, Clone, Copy)]
pub(super) struct Progress {
    pub(super) now: Nanos,
    /// True if the acknowledgement ended a round trip, and at a timeout.
    pub(super) round_start: bool,
    /// Loss detection found losses at this acknowledgement.
    pub(super) losses: bool,
    pub(super) app_limited: bool,
    /// The law is in ProbeBW.
    pub(super) probing: bool,
    /// Bytes delivered and lost in all.
    pub(super) delivered: u64,
    pub(super) lost: u64,
}

/// What the law must do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Nothing,
    /// The path is policed: pace at the detected rate, with gain 1.
    Policed,
    /// The detected rate has expired: probe again.
    Expired,
}

/// State of the detection.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Policer {
    in_use: bool,
    sampling: bool,
    /// The rate of the last interval, or the rate in use; 0 for none.
    rate: u64,
    rounds: u32,
    since: Nanos,
    delivered: u64,
    lost: u64,
}

impl Policer {
    /// The bandwidth of a policed path.
    pub(super) fn rate(&self) -> Option<u64> {
        self.in_use.then_some(self.rate)
    }

    /// Discards the interval and the rate.
    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }

    fn begin_interval(&mut self, progress: &Progress) {
        (self.since, self.delivered, self.lost) = (progress.now, progress.delivered, progress.lost);
        self.rounds = 0;
    }

    /// An acknowledgement with a valid sample, or a timeout.
    pub(super) fn update(&mut self, progress: &Progress) -> Verdict {
        if self.in_use {
            if progress.probing && progress.round_start {
                self.rounds += 1;
                if self.rounds >= USED_ROUNDS {
                    self.reset();
                    return Verdict::Expired;
                }
            }
            return Verdict::Nothing;
        }
        if !self.sampling {
            // The first loss shows that the token bucket is empty.
            if !progress.losses {
                return Verdict::Nothing;
            }
            self.begin_interval(progress);
            self.sampling = true;
        }
        if progress.app_limited {
            self.reset();
            return Verdict::Nothing;
        }
        self.rounds += u32::from(progress.round_start);
        if self.rounds > MAX_ROUNDS {
            self.reset();
            return Verdict::Nothing;
        }
        if self.rounds < MIN_ROUNDS || !progress.losses {
            return Verdict::Nothing;
        }
        let lost = progress.lost - self.lost;
        let delivered = progress.delivered - self.delivered;
        let millis = progress.now.since(self.since).0 / 1_000_000;
        let enough = lost.saturating_mul(LOSS_SCALE) >= LOSS_THRESH.saturating_mul(delivered);
        if delivered == 0 || !enough || millis == 0 {
            return Verdict::Nothing;
        }
        self.interval_done(delivered.saturating_mul(8000) / millis, progress)
    }

    fn interval_done(&mut self, rate: u64, progress: &Progress) -> Verdict {
        let apart = rate.abs_diff(self.rate);
        if self.rate > 0 && (apart <= self.rate / SAME_PART || apart <= SAME_RATE) {
            self.rate = u64::midpoint(rate, self.rate);
            self.in_use = true;
            self.rounds = 0;
            return Verdict::Policed;
        }
        self.rate = rate;
        self.begin_interval(progress);
        Verdict::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds of 100 ms in which `delivered` bytes arrive and then `lost` are lost.
    struct Path {
        policer: Policer,
        progress: Progress,
    }

    impl Path {
        fn new() -> Self {
            let progress = Progress {
                now: Nanos(0),
                round_start: false,
                losses: false,
                app_limited: false,
                probing: true,
                delivered: 0,
                lost: 0,
            };
            Self { policer: Policer::default(), progress }
        }

        fn round(&mut self, delivered: u64, lost: u64) -> Verdict {
            let n = &mut self.progress;
            n.now += airtcp_units::Span::from_millis(100);
            n.delivered += delivered;
            n.lost += lost;
            (n.round_start, n.losses) = (true, lost > 0);
            self.policer.update(&self.progress)
        }

        /// Repeats rounds until the verdict.
        fn until(&mut self, delivered: u64, lost: u64) -> Option<usize> {
            (0..100).find(|_| self.round(delivered, lost) == Verdict::Policed)
        }
    }

    /// 50/256 is 0.195 of the delivered bytes. An interval has four rounds, and two intervals must
    /// agree.
    #[test]
    fn the_threshold() {
        // The first loss begins the interval, and its round counts.
        assert_eq!(Path::new().until(256_000, 50_000), Some(7));
        assert_eq!(Path::new().until(256_000, 49_999), None);
        let mut p = Path::new();
        p.until(256_000, 50_000);
        // 256 kB in 100 ms.
        assert_eq!(p.policer.rate(), Some(20_480_000));
    }

    /// Rates up to an eighth apart agree, larger differences do not, except between very small
    /// rates.
    #[test]
    fn two_intervals_have_to_agree() {
        for (second, same) in [(112_500, true), (87_500, true), (113_000, false), (87_000, false)] {
            let mut p = Path::new();
            let mut verdicts: Vec<Verdict> = (0..4).map(|_| p.round(100_000, 30_000)).collect();
            verdicts.extend((0..4).map(|_| p.round(second, 30_000)));
            assert_eq!(verdicts.contains(&Verdict::Policed), same, "{second}");
        }
        // 1 and 4 kb/s.
        let mut p = Path::new();
        assert!(!(0..4).any(|_| p.round(12, 30) == Verdict::Policed));
        assert_eq!(p.until(50, 30), Some(3));
    }

    #[test]
    fn the_rate_is_used_for_48_rounds_of_probing() {
        let mut p = Path::new();
        p.until(256_000, 60_000);
        let verdicts: Vec<Verdict> = (0..48).map(|_| p.round(256_000, 60_000)).collect();
        assert_eq!(verdicts.iter().position(|v| *v == Verdict::Expired), Some(47));
        assert_eq!(p.policer.rate(), None);
        // Rounds outside ProbeBW do not count.
        p.until(256_000, 60_000);
        p.progress.probing = false;
        assert!((0..100).all(|_| p.round(256_000, 60_000) == Verdict::Nothing));
    }

    /// The detection starts over after more than 16 rounds without a loss, and after an application
    /// pause.
    #[test]
    fn when_the_detection_starts_over() {
        let mut p = Path::new();
        p.round(256_000, 60_000);
        for _ in 0..17 {
            p.round(256_000, 0);
        }
        assert!(!p.policer.sampling);
        p.round(256_000, 60_000);
        p.progress.app_limited = true;
        p.round(256_000, 0);
        assert!(!p.policer.sampling);
    }
}

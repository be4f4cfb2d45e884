//! Losses of a link, corrected for what the sniffer did not capture.
//!
//! The sniffer misses a successful attempt with probability `d`, a failed one with probability `e`,
//! and an acknowledgement with probability `k`, independently. Of `n` captured attempts `a` have a
//! captured acknowledgement.
//!
//! `d`: an acknowledgement without its attempt shows a successful attempt that was missed:
//! `d = acks without data / (a + acks without data)`. `e`: a packet whose first captured attempt is a
//! retry shows a failed one: `e = such packets / packets with a retry`. Both are drawn towards their
//! common mean by the factor `min(1, v / (d - e)^2)`, where `v` is the variance of their difference if
//! they were equal (James and Stein): a difference within the sampling error vanishes, a large one
//! stays.
//!
//! `k`: an unanswered attempt counts as successful if no retry follows (the correction of S2). Of
//! these attempts a few failed, and the sniffer missed all their retries. If `s` is the probability
//! of success, the expected ratio of unanswered to acknowledged attempts is `k / (1 - k) / c` with
//! `1 / c = 1 + (1 - s) d / (1 - e (1 - s))`. First attempts measure it, as no sender gives up after
//! the first one.
//!
//! A packet that the sender gives up ends unanswered too, after the most attempts that the sender
//! makes. Among the packets with more than half of the most known attempts, the estimator counts
//! as given up: the unanswered ones beyond the expected number, and those whose last attempt a block
//! acknowledgement refused.
//!
//! `s = (a + c (u - given up)) / n`, where `u` counts the unanswered attempts that no retry follows.
//! `f = n (1 - s)` captured attempts failed. The missed attempts are added: `a' / (1 - k)` successful
//! ones, where `a'` counts the acknowledgements without data, and failed ones: the first attempts
//! that a retry shows, and `e / (1 - e)` for each captured retry that failed.
//!
//! All figures are means over the link: a sniffer that misses long frames or one rate more often than
//! others biases them.

use super::tally::{RateCount, Tally};

/// Attempts below which a link without any retry is not said to make a single attempt a packet.
const FEW_ATTEMPTS: u64 = 50;
/// Largest share of missed attempts that is believed.
const MOST_MISSED: f64 = 0.99;
/// Rounds of the fixed-point iteration; each adds more than one digit.
const ROUNDS: usize = 16;

/// What is estimated for a link.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Estimate {
    /// Share of the attempts that the sniffer missed.
    pub(super) attempt_miss: Option<f64>,
    /// Share of the acknowledgements that the sniffer missed.
    pub(super) ack_miss: Option<f64>,
    /// Share of attempts without acknowledgement.
    pub(super) raw_loss: Option<f64>,
    /// Share of packets that the sender gave up.
    pub(super) residual_loss: Option<f64>,
    /// Attempts that were not captured.
    pub(super) missed: f64,
    /// Attempts a packet.
    pub(super) mean_attempts: Option<f64>,
    /// Share of the unanswered last attempts that counts as successful.
    answered_share: f64,
}

/// Shares of the attempts that the sniffer missed.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct MissShares {
    /// Of the successful attempts.
    successful: f64,
    /// Of the failed attempts.
    failed: f64,
}

impl MissShares {
    /// `None` without any acknowledgement or retry.
    fn of(tally: &Tally) -> Option<Self> {
        let successes = (tally.total().acked + tally.acks_without_data) as f64;
        let failures = tally.with_retry as f64;
        let hidden = (tally.acks_without_data as f64, tally.began_with_retry as f64);
        let all = successes + failures;
        if all <= 0.0 {
            return None;
        }
        let mean = (hidden.0 + hidden.1) / all;
        let own = |hidden: f64, of: f64| if of > 0.0 { hidden / of } else { mean };
        let (successful, failed) = (own(hidden.0, successes), own(hidden.1, failures));
        let variance = mean * (1.0 - mean) * (1.0 / successes + 1.0 / failures);
        let distance = successful - failed;
        // Without samples of one kind, the variance is no number, and the mean holds for both.
        let is_real = distance * distance > variance;
        let factor = if is_real { variance / (distance * distance) } else { 1.0 };
        let drawn = |own: f64| (own + factor * (mean - own)).min(MOST_MISSED);
        Some(Self { successful: drawn(successful), failed: drawn(failed) })
    }

    /// The part of unanswered attempts without later retry that were successful.
    fn successful_part(&self, s: f64) -> f64 {
        1.0 / (1.0 + (1.0 - s) * self.successful / (1.0 - self.failed * (1.0 - s)))
    }
}

/// Share that the sniffer missed of the successful attempts of a link.
pub(super) fn attempt_miss(tally: &Tally) -> Option<f64> {
    MissShares::of(tally).map(|shares| shares.successful)
}

/// Packets near the most attempts, by how they ended.
#[derive(Debug, Clone, Copy, Default)]
struct Longest {
    acked: f64,
    unanswered: f64,
    refused: f64,
}

impl Longest {
    fn of(tally: &Tally) -> Self {
        let most = tally.chains.keys().next_back().copied().unwrap_or(0);
        let mut sum = Self::default();
        for (_, chain) in tally.chains.range(most / 2 + 1..) {
            sum.acked += chain.acked as f64;
            sum.unanswered += chain.unanswered as f64;
            sum.refused += chain.refused as f64;
        }
        sum
    }
}

/// The estimates of a link. `reverse_miss` is the share of missed attempts in the other direction:
/// how well the sniffer hears the station that acknowledges.
pub(super) fn estimate(tally: &Tally, reverse_miss: Option<f64>) -> Estimate {
    let total = tally.total();
    let n = (total.attempts - total.undecided) as f64;
    if n <= 0.0 {
        return Estimate::default();
    }
    let shares = MissShares::of(tally).unwrap_or_default();
    let u = total.unanswered as f64;
    let longest = Longest::of(tally);
    // Nothing is sent again: the sender makes one attempt, or none was lost. The other direction
    // shows how many acknowledgements the sniffer misses.
    let is_single = tally.with_retry == 0 && total.attempts >= FEW_ATTEMPTS;
    let single_miss = reverse_miss.filter(|_| is_single && total.acked > 0);
    let fixed = fixed_point(tally, &longest, n, &shares, single_miss);
    let (s, given_up) = (fixed.success, fixed.given_up + longest.refused);
    let k = if fixed.odds.is_finite() { fixed.odds / (1.0 + fixed.odds) } else { 1.0 };
    let failed = n * (1.0 - s);
    let missed = Missed::of(tally, &shares, k, failed);
    let all = n + missed.failed + missed.successful;
    let firsts = tally.firsts as f64;
    // Each packet has one first attempt, captured with the same probability as all attempts.
    let decided = (tally.packets - total.undecided.min(tally.packets)) as f64;
    let packets = decided.max(firsts * all / n);
    let answered = (1.0 - fixed.given_up / u.max(1.0)).max(0.0);
    Estimate {
        attempt_miss: MissShares::of(tally).map(|_| 1.0 - n / all),
        ack_miss: Some(k),
        // With hardly any acknowledgement, the missed attempts are too uncertain to be added.
        raw_loss: Some(if k < 0.9 { (failed + missed.failed) / all } else { 1.0 - s }),
        // Without any acknowledgement, a packet that was given up looks like one that arrived.
        residual_loss: (packets > 0.0 && total.acked > 0).then(|| (given_up / packets).min(1.0)),
        missed: missed.failed + missed.successful,
        mean_attempts: (firsts > 0.0).then(|| total.attempts as f64 / firsts),
        answered_share: shares.successful_part(s) * answered,
    }
}

/// The success probability, with what depends on it.
#[derive(Debug, Clone, Copy, Default)]
struct FixedPoint {
    /// Success probability of captured attempts.
    success: f64,
    /// Missed acknowledgements per captured one.
    odds: f64,
    /// Packets that were given up, without those that a block acknowledgement refused.
    given_up: f64,
}

/// Solves for the success probability. `single_miss` is `k` if it cannot be measured here.
fn fixed_point(
    tally: &Tally,
    longest: &Longest,
    n: f64,
    shares: &MissShares,
    single_miss: Option<f64>,
) -> FixedPoint {
    let total = tally.total();
    let (a, u) = (total.acked as f64, total.unanswered as f64);
    let mut at = FixedPoint { success: (a + u) / n, ..FixedPoint::default() };
    for _ in 0..ROUNDS {
        let c = shares.successful_part(at.success);
        let unanswered_per_acked = match single_miss {
            Some(k) => k / (1.0 - k).max(0.01) / c,
            None if tally.firsts_acked > 0 => {
                tally.firsts_unanswered as f64 / tally.firsts_acked as f64
            }
            // No acknowledgement was captured.
            None => f64::INFINITY,
        };
        at.odds = unanswered_per_acked * c;
        at.given_up = if unanswered_per_acked.is_finite() {
            (longest.unanswered - longest.acked * unanswered_per_acked).max(0.0)
        } else {
            0.0
        };
        at.success = ((a + c * (u - at.given_up)) / n).clamp(0.0, 1.0);
    }
    at
}

/// Attempts that the sniffer missed.
#[derive(Debug, Clone, Copy)]
struct Missed {
    successful: f64,
    failed: f64,
}

impl Missed {
    /// From the missed shares of attempts and acknowledgements, and the captured attempts that failed.
    fn of(tally: &Tally, shares: &MissShares, k: f64, failed: f64) -> Self {
        let per_captured = shares.failed / (1.0 - shares.failed);
        let first_failed = (tally.with_retry - tally.began_with_retry) as f64;
        let again_failed = (failed - first_failed).max(0.0);
        Self {
            // With hardly any acknowledgement, gaps in the numbers are what is left.
            successful: if k < 0.9 {
                tally.acks_without_data as f64 / (1.0 - k)
            } else {
                tally.gaps as f64
            },
            failed: tally.began_with_retry as f64 + again_failed * per_captured,
        }
    }
}

impl Estimate {
    /// Raw loss of the captured attempts at one rate.
    pub(super) fn raw_loss_at(&self, rate: &RateCount) -> Option<f64> {
        let n = (rate.attempts - rate.undecided) as f64;
        let answered = rate.acked as f64 + self.answered_share * rate.unanswered as f64;
        (n > 0.0).then(|| (1.0 - answered / n).clamp(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::air::tally::ChainCount;

    /// A link on which each attempt succeeds with probability `s`, up to `limit` attempts, as a
    /// sniffer sees it. The generator is a linear congruential one (Numerical Recipes).
    fn simulated(s: f64, limit: u16, [d, e, k]: [f64; 3], packets: u64) -> (Tally, f64, f64) {
        let mut state = 7u64;
        let mut chance = |p: f64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((state >> 11) as f64) < p * (1u64 << 53) as f64
        };
        let mut tally = Tally::default();
        let (mut attempts, mut failed, mut lost) = (0u64, 0u64, 0u64);
        for _ in 0..packets {
            let (mut seen, mut first_seen, mut last, mut unseen) = (0u16, false, None, false);
            for attempt in 1..=limit {
                let success = chance(s);
                let (is_seen, is_ack_seen) =
                    (!chance(if success { d } else { e }), success && !chance(k));
                attempts += 1;
                failed += u64::from(!success);
                if is_seen {
                    seen += 1;
                    first_seen |= attempt == 1;
                    last = Some((attempt, is_ack_seen));
                    tally.rate(1).attempts += 1;
                    tally.rate(1).acked += u64::from(is_ack_seen);
                    tally.firsts += u64::from(attempt == 1);
                    tally.firsts_acked += u64::from(attempt == 1 && is_ack_seen);
                } else if is_ack_seen {
                    unseen = true;
                    tally.acks_without_data += 1;
                }
                if success {
                    break;
                }
                lost += u64::from(attempt == limit);
            }
            let Some((last, acked)) = last else { continue };
            tally.packets += 1;
            tally.with_retry += u64::from(last > 1);
            tally.began_with_retry += u64::from(!first_seen);
            let known = seen + u16::from(!first_seen) + u16::from(unseen);
            let chain = tally.chains.entry(known).or_default();
            chain.packets += 1;
            chain.acked += u64::from(acked);
            if !acked && !unseen {
                chain.unanswered += 1;
                tally.rate(1).unanswered += 1;
                tally.firsts_unanswered += u64::from(last == 1 && first_seen);
            }
        }
        (tally, failed as f64 / attempts as f64, lost as f64 / packets as f64)
    }

    #[test]
    fn the_sniffer_is_corrected_for() {
        for (s, limit) in [(0.9, 7), (0.665, 4), (0.5, 4), (0.3, 7), (1.0, 7)] {
            for miss in
                [[0.0; 3], [0.01; 3], [0.03; 3], [0.1; 3], [0.02, 0.02, 0.3], [0.02, 0.2, 0.02]]
            {
                let (tally, raw, residual) = simulated(s, limit, miss, 20_000);
                let found = estimate(&tally, None);
                let what = format!("s {s}, limit {limit}, d, e, k {miss:?}: {found:?}");
                assert!((found.raw_loss.unwrap() - raw).abs() < 0.01, "{what}, raw {raw}");
                let error = found.residual_loss.unwrap() - residual;
                assert!(error.abs() < 0.01, "{what}, residual {residual}");
                let missed = miss[0] * (1.0 - raw) + miss[1] * raw;
                assert!((found.attempt_miss.unwrap() - missed).abs() < 0.01, "{what}");
            }
        }
    }

    #[test]
    fn a_single_attempt_per_packet() {
        let (tally, raw, residual) = simulated(0.8, 1, [0.01; 3], 20_000);
        let found = estimate(&tally, Some(0.01));
        assert!((found.raw_loss.unwrap() - raw).abs() < 0.01, "{found:?}");
        assert!((found.residual_loss.unwrap() - residual).abs() < 0.01, "{found:?}");
        // Without the other direction, missing acknowledgements count as missed by the sniffer.
        assert_eq!(estimate(&tally, None).residual_loss, Some(0.0));
    }

    #[test]
    fn links_without_acknowledgements() {
        let mut tally = Tally { packets: 10, firsts: 10, with_retry: 2, ..Tally::default() };
        *tally.rate(1) = RateCount { attempts: 12, unanswered: 10, ..RateCount::default() };
        tally.chains.insert(1, ChainCount { packets: 8, unanswered: 8, ..ChainCount::default() });
        tally.chains.insert(2, ChainCount { packets: 2, unanswered: 2, ..ChainCount::default() });
        let found = estimate(&tally, None);
        assert!((found.raw_loss.unwrap() - 2.0 / 12.0).abs() < 1e-9, "{found:?}");
        assert_eq!((found.residual_loss, found.ack_miss), (None, Some(1.0)));
        assert_eq!(estimate(&Tally::default(), None).raw_loss, None);
    }
}

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
//! A packet that the sender gives up ends unanswered too, after the most attempts `L` that the sender
//! makes. If the sniffer missed some of its attempts, fewer are known. The estimator looks at the numbers of
//! known attempts that a packet that was given up has with 99 % (a binomial distribution of the `L - 1`
//! retries), and at those above half of `L` with an excess of unanswered packets beyond two standard errors:
//! some senders have several limits. In these, by the share of the binomial distribution that they cover, it counts as given up: the unanswered packets beyond the
//! expected number, and those whose last attempt a block acknowledgement refused. Other packets are left
//! out, because the chance in the number of their missed acknowledgements would add to the result.
//!
//! `s = (a + c (u - given up)) / n`, where `u` counts the unanswered attempts that no retry follows.
//! `f = n (1 - s)` captured attempts failed. The missed attempts are added: `a' / (1 - k)` successful
//! ones, where `a'` counts the acknowledgements without data, and failed ones: the first attempts
//! that a retry shows, and `e / (1 - e)` for each captured retry that failed.
//!
//! Failed retries may be missed less often than failed first attempts, as when the radio itself sends in
//! the same slot. Packets that were given up show it: each had the most attempts `L`. If retries are missed
//! with probability `r`, those of which one retry was missed are `(L - 1) r / (1 - r)` of those of which
//! none was. With at least ten of the latter, and if this `r` is less than `e` by more than two standard
//! errors, it is that of the retries.
//!
//! All figures are means over the link: a sniffer that misses long frames or one rate more often than
//! others biases them.

use super::tally::{RateCount, Tally};

/// Attempts below which a link without any retry is not said to make a single attempt a packet.
const FEW_ATTEMPTS: u64 = 50;
/// Largest share of missed attempts that is believed.
const MOST_MISSED: f64 = 0.99;
/// Whole packets that were given up below which they do not show what the sniffer missed of retries.
const FEW_GIVEN_UP: f64 = 10.0;
/// Standard errors by which that must be less than what it missed of first attempts.
const DIFFERENT: f64 = 2.0;
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

/// Share that the sniffer missed of failed retries. `unanswered_per_acked` is the ratio of both among
/// packets that arrived.
fn retry_miss(tally: &Tally, shares: &MissShares, unanswered_per_acked: f64) -> f64 {
    let first = shares.failed;
    let most = tally.chains.keys().next_back().copied().unwrap_or(0);
    let given_up = |known: u16| {
        let chain = tally.chains.get(&known).copied().unwrap_or_default();
        let arrived = chain.acked as f64 * unanswered_per_acked;
        (chain.unanswered as f64 - arrived).max(0.0) + chain.refused as f64
    };
    if most < 3 || given_up(most) < FEW_GIVEN_UP {
        return first;
    }
    let (all, but_one) = (given_up(most), given_up(most - 1));
    let retries = f64::from(most - 1);
    let odds = but_one / all / retries;
    let own = odds / (1.0 + odds);
    // The standard error of a ratio of counts, of at least one event, and of a share.
    let one = (1.0 / all / retries).max(own);
    let own_error = one * (1.0 / but_one.max(1.0) + 1.0 / all).sqrt();
    let first_error = first * (1.0 - first) / (tally.with_retry as f64).max(1.0);
    let error = (own_error * own_error + first_error).sqrt();
    if first - own > DIFFERENT * error { own } else { first }
}

/// Packets that were given up, or may have been, by how they ended.
#[derive(Debug, Clone, Copy, Default)]
struct Longest {
    acked: f64,
    unanswered: f64,
    refused: f64,
    /// Share of the packets that were given up that have so many known attempts.
    covered: f64,
}

impl Longest {
    /// `e` is the share of retries that the sniffer missed, and `unanswered_per_acked` the ratio of both
    /// among packets that arrived.
    fn of(tally: &Tally, e: f64, unanswered_per_acked: f64) -> Self {
        let most = tally.chains.keys().next_back().copied().unwrap_or(0);
        let retries = most.saturating_sub(1);
        let most_missed = most.saturating_sub(most / 2 + 1);
        let (missed, covered) = likely_misses(retries, most_missed, e);
        let least = most - missed;
        let (first_acked, first_unanswered) =
            (tally.firsts_acked as f64, tally.firsts_unanswered as f64);
        // Variance of the ratio of two counts, relative to its square.
        let spread = 1.0 / first_acked.max(1.0) + 1.0 / first_unanswered.max(1.0);
        let mut sum = Self { covered, ..Self::default() };
        for (known, chain) in tally.chains.range(most / 2 + 1..) {
            let (acked, unanswered) = (chain.acked as f64, chain.unanswered as f64);
            let expected = acked * unanswered_per_acked;
            let error = (unanswered + expected * expected * spread).sqrt();
            sum.refused += chain.refused as f64;
            if *known >= least || unanswered - expected > DIFFERENT * error {
                sum.acked += acked;
                sum.unanswered += unanswered;
            }
        }
        sum
    }
}

/// The number of missed ones among so many retries that is exceeded with at most 1 %, or `most`; and the
/// probability of that number or fewer.
fn likely_misses(retries: u16, most: u16, e: f64) -> (u16, f64) {
    const REST: f64 = 0.01;
    // The probability of `missed` misses, and of that many or fewer.
    let mut one = (0..retries).fold(1.0, |all, _| all * (1.0 - e));
    let mut all = one;
    let mut missed = 0;
    while all < 1.0 - REST && missed < most.min(retries) {
        let left = f64::from(retries - missed);
        missed += 1;
        one *= left / f64::from(missed) * e / (1.0 - e);
        all += one;
    }
    (missed, all)
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
    // Nothing is sent again: the sender makes one attempt, or none was lost. The other direction
    // shows how many acknowledgements the sniffer misses.
    let is_single = tally.with_retry == 0 && total.attempts >= FEW_ATTEMPTS;
    let single_miss = reverse_miss.filter(|_| is_single && total.acked > 0);
    let fixed = fixed_point(tally, n, &shares, single_miss);
    let (s, given_up) = (fixed.success, fixed.given_up + fixed.refused);
    let k = if fixed.odds.is_finite() { fixed.odds / (1.0 + fixed.odds) } else { 1.0 };
    let failed = n * (1.0 - s);
    let of_retries = retry_miss(tally, &shares, fixed.unanswered_per_acked);
    let missed = Missed::of(tally, of_retries.min(MOST_MISSED), k, failed);
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
    /// Unanswered packets per acknowledged one, of those that arrived.
    unanswered_per_acked: f64,
    /// Packets that were given up, without those that a block acknowledgement refused.
    given_up: f64,
    /// Those.
    refused: f64,
}

/// Solves for the success probability. `single_miss` is `k` if it cannot be measured here.
fn fixed_point(tally: &Tally, n: f64, shares: &MissShares, single_miss: Option<f64>) -> FixedPoint {
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
        at.unanswered_per_acked = unanswered_per_acked;
        let ratio = Some(unanswered_per_acked).filter(|ratio| ratio.is_finite());
        let e = retry_miss(tally, shares, ratio.unwrap_or(0.0)).min(MOST_MISSED);
        let longest = Longest::of(tally, e, ratio.unwrap_or(0.0));
        at.refused = longest.refused;
        let excess = |ratio: f64| (longest.unanswered - longest.acked * ratio).max(0.0);
        // A sniffer that misses nearly all retries shows no share of them.
        at.given_up = ratio.map_or(0.0, excess) / longest.covered.max(0.5);
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
    /// From the missed shares of failed retries and acknowledgements, and the captured attempts that
    /// failed.
    fn of(tally: &Tally, of_retries: f64, k: f64, failed: f64) -> Self {
        let per_captured = of_retries / (1.0 - of_retries);
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
mod tests;

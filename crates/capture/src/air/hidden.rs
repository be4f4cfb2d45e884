//! What carrier sensing says of each pair of stations.

use airtcp_wire::ieee80211::Mac;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sensing::{GAPS, Gaps, Losses, Pair, Sensing};
use crate::chance::{at_least, fisher};

/// Fewest acknowledgements that show how exact the times are.
const FEWEST_ANSWERS: u64 = 50;
/// Distance from the usual gap, in µs, up to which a time counts as exact: less than half a slot.
const EXACT_US: usize = 4;
/// Largest share of inexact times.
const MOST_INEXACT: f64 = 0.02;
/// Events without a single observation that are still possible at the 5 % level (the rule of three).
const RULE_OF_THREE: f64 = 3.0;
/// Level of the test, for all pairs together.
const LEVEL: f64 = 0.05;
/// Fewest forbidden starts of hidden stations.
const FEWEST_STARTS: u64 = 3;
/// Most pairs that are reported.
const MAX_REPORTED: usize = 256;

/// Whether stations hear each other: frames that begin although carrier sensing forbids it. A radio
/// hardly captures a frame that begins within another, so the counts are lower bounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SensingReport {
    /// Usual time from the end of a frame to its acknowledgement in s, within 1 us: SIFS.
    pub ack_gap_s: f64,
    /// Share of the acknowledgements with another gap: how often the times are inexact.
    pub mistimed_share: f64,
    /// Pairs of stations of which both sent frames within 20 ms.
    pub pairs_tested: u64,
    /// Pairs with forbidden starts, the one with most first, at most 256.
    pub pairs: Vec<SensingPair>,
}

/// Two stations with frames that carrier sensing forbids.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SensingPair {
    /// Addresses of the stations.
    pub stations: [String; 2],
    /// Frames of one that follow the last frame of the other within 20 ms.
    pub frames: u64,
    /// Frames that begin within a frame of the other, after its first slot.
    pub overlaps: u64,
    /// Frames that begin after a frame of the other, but before PIFS is over.
    pub early_starts: u64,
    /// Both by the frames.
    pub share: f64,
    /// Probability of as many by inexact times alone, times the number of pairs tested.
    pub p_value: f64,
    /// True if this probability is below 5 %: the stations do not hear each other.
    pub hidden: bool,
    /// The losses of each station with and without overlap.
    pub losses: [OverlapLosses; 2],
}

/// The attempts of a station by whether a frame of the other one overlaps them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OverlapLosses {
    /// Attempts that a frame of the other station overlaps.
    pub overlapped_attempts: u64,
    /// Share of them without acknowledgement.
    pub loss_with_overlap: Option<f64>,
    /// Share without acknowledgement of the other attempts of the station.
    pub loss_without_overlap: Option<f64>,
    /// Probability of such a difference by chance (Fisher's exact test, two-sided).
    pub p_value: Option<f64>,
}

/// How exact the times are.
struct Timing {
    /// Usual gap before an acknowledgement, in µs.
    usual: usize,
    answers: u64,
    inexact: u64,
}

impl Timing {
    /// `None` with too few acknowledgements, or with inexact times.
    fn of(sensing: &Sensing) -> Option<Self> {
        let counted: u64 = sensing.answers.iter().sum();
        if counted < FEWEST_ANSWERS {
            return None;
        }
        let mut left = counted.div_ceil(2);
        let usual = sensing.answers.iter().position(|count| {
            left = left.saturating_sub(*count);
            left == 0
        })?;
        let exact: u64 = around(&sensing.answers, usual).iter().sum();
        let timing = Self { usual, answers: counted, inexact: counted - exact };
        (timing.share() <= MOST_INEXACT).then_some(timing)
    }

    fn share(&self) -> f64 {
        self.inexact as f64 / self.answers as f64
    }
}

/// Counts near a gap.
fn around(gaps: &Gaps, usual: usize) -> &[u64] {
    &gaps[usual.saturating_sub(EXACT_US)..(usual + EXACT_US + 1).min(GAPS)]
}

/// The report. `None` if times are not exact enough, or if there are too few acknowledgements.
pub(super) fn hidden(sensing: &Sensing) -> Option<SensingReport> {
    let timing = Timing::of(sensing)?;
    let tested = sensing.pairs.values().filter(|pair| pair.met > 0).count();
    let report = |(ends, pair): (&(Mac, Mac), &Pair)| {
        let early_starts: u64 = pair.gaps[..(timing.usual + EXACT_US).min(GAPS)].iter().sum();
        let starts = pair.overlaps + early_starts;
        let frames = pair.met.max(starts);
        let rate = (timing.inexact as f64 + RULE_OF_THREE) / timing.answers as f64;
        let p_value = (at_least(starts, frames as f64 * rate) * tested as f64).min(1.0);
        (starts > 0).then(|| SensingPair {
            stations: [ends.0.to_string(), ends.1.to_string()],
            frames,
            overlaps: pair.overlaps,
            early_starts,
            share: starts as f64 / frames as f64,
            p_value,
            hidden: p_value < LEVEL && starts >= FEWEST_STARTS,
            losses: [
                losses(sensing, ends.0, pair.overlapped[0]),
                losses(sensing, ends.1, pair.overlapped[1]),
            ],
        })
    };
    let mut pairs: Vec<SensingPair> = sensing.pairs.iter().filter_map(report).collect();
    // A stable sort: pairs with as many stay in the order of their addresses.
    pairs.sort_by_key(|pair| std::cmp::Reverse(pair.overlaps + pair.early_starts));
    pairs.truncate(MAX_REPORTED);
    Some(SensingReport {
        ack_gap_s: timing.usual as f64 / 1e6,
        mistimed_share: timing.share(),
        pairs_tested: tested as u64,
        pairs,
    })
}

fn losses(sensing: &Sensing, station: Mac, with: Losses) -> OverlapLosses {
    let all = sensing.stations.get(&station).copied().unwrap_or_default();
    let without = Losses {
        attempts: all.attempts.saturating_sub(with.attempts),
        lost: all.lost.saturating_sub(with.lost),
    };
    let share = |of: Losses| (of.attempts > 0).then(|| of.lost as f64 / of.attempts as f64);
    OverlapLosses {
        overlapped_attempts: with.attempts,
        loss_with_overlap: share(with),
        loss_without_overlap: share(without),
        p_value: fisher([with.lost, without.lost], [with.attempts, without.attempts]),
    }
}

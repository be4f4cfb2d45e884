//! The length of a drop-tail queue: the backlog at which packets are lost.
//!
//! A drop-tail queue drops at one backlog, and accepts nothing above it. For each backlog v among the losses, with the
//! width w = max(2, 0.06 v):
//!
//! - m of N transmissions with a backlog of v - w or more are lost, and n of M below;
//! - accept v if P(Binomial(N, (n + 0.5)/(M + 1)) >= m), times the number of distinct levels tried, is below 0.001,
//!   and m/N is four times the share below;
//! - the losses are in two episodes, or so many that one overflow of slow start explains them best;
//! - few packets were accepted above. Many far above show that no drop-tail queue dropped them (CoDel, PIE).
//!
//! Of the accepted levels, the one with the largest likelihood of a two-part loss rate is the queue. The search repeats
//! on the losses below: a second level appears where a stalled link hands over late.

use airtcp_units::{Saturate as _, detmath};

use super::transmissions::{Fate, Transmissions};
use crate::chance::binomial_at_least;

/// Least backlog of a level.
const LEAST: u64 = 4;
const SIGNIFICANT: f64 = 1e-3;
/// Significance of a single overflow.
const SURE: f64 = 1e-5;
/// How many times the share of losses below is that above.
const TIMES: f64 = 4.0;
/// Most levels.
const LEVELS: usize = 3;
/// Relative width of a level.
const WIDTH: f64 = 0.06;
/// Accepted packets far above a level from which it is none.
const MANY_ABOVE: u64 = 20;

/// A backlog at which packets are dropped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Level {
    /// Median backlog at its drops.
    pub(super) packets: f64,
    /// Standard deviation of these backlogs, at least 1.
    pub(super) sd: f64,
    /// Losses at it or above.
    pub(super) drops: u64,
    /// Log likelihood ratio of the two-part loss rate.
    pub(super) score: f64,
}

/// What the search found.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Levels {
    /// The queue first.
    pub(super) found: Vec<Level>,
    /// Backlog below which losses are not the queue's.
    pub(super) below: Option<u64>,
    /// True if a level failed because many packets were accepted far above it.
    pub(super) has_accepted_above: bool,
}

/// Backlogs of the transmissions, and what is known of each.
pub(super) struct Seen<'a> {
    pub(super) sent: &'a Transmissions,
    pub(super) backlog: &'a [u64],
    /// For each, whether it came during a stall.
    pub(super) in_stall: &'a [bool],
    /// Packets that the bottleneck serves in the time by which the hosts' clocks are unsure.
    pub(super) unsure_packets: f64,
}

/// Counts up to each backlog.
struct Counts(Vec<u64>);

impl Counts {
    fn of(backlogs: impl Iterator<Item = u64>, most: u64) -> Self {
        let mut counts = vec![0; usize::saturate(most as f64) + 2];
        for backlog in backlogs {
            counts[usize::saturate(backlog as f64) + 1] += 1;
        }
        for place in 1..counts.len() {
            counts[place] += counts[place - 1];
        }
        Self(counts)
    }

    /// Number of those below `backlog`.
    fn below(&self, backlog: f64) -> u64 {
        let place = usize::saturate(backlog.ceil()).min(self.0.len() - 1);
        self.0[place]
    }

    fn all(&self) -> u64 {
        self.0[self.0.len() - 1]
    }
}

/// Searches the levels.
pub(super) fn levels(seen: &Seen<'_>) -> Levels {
    let mut found = Levels::default();
    let list = &seen.sent.list;
    let of = |fate: Fate| move |place: &usize| list[*place].fate == fate;
    let mut rest: Vec<usize> = (0..list.len()).filter(of(Fate::Lost)).collect();
    let most = seen.backlog.iter().copied().max().unwrap_or(0);
    let accepted = |place: &usize| {
        let packet = &list[*place];
        packet.fate == Fate::Delivered && !packet.is_late && !seen.in_stall[*place]
    };
    let known = |place: &usize| matches!(list[*place].fate, Fate::Delivered | Fate::Lost);
    let backlog = |place: usize| seen.backlog[place];
    let tried = Tried {
        known: Counts::of((0..list.len()).filter(known).map(backlog), most),
        accepted: Counts::of((0..list.len()).filter(accepted).map(backlog), most),
        seen,
    };
    for round in 0..LEVELS {
        let Some((level, low)) = tried.best(&rest, round, &mut found) else { break };
        found.found.push(level);
        found.below = Some(low);
        rest.retain(|place| seen.backlog[*place] < low);
    }
    found
}

struct Tried<'a> {
    known: Counts,
    accepted: Counts,
    seen: &'a Seen<'a>,
}

impl Tried<'_> {
    /// The best level among the losses that are left, and its lower edge.
    fn best(&self, rest: &[usize], round: usize, all: &mut Levels) -> Option<(Level, u64)> {
        let mut values: Vec<u64> = rest.iter().map(|place| self.seen.backlog[*place]).collect();
        values.sort_unstable();
        let sorted = values.clone();
        values.dedup();
        values.retain(|value| *value >= LEAST);
        let step = |value: &u64| u64::saturate(detmath::ln(*value as f64) / WIDTH);
        let mut steps: Vec<u64> = values.iter().map(step).collect();
        steps.dedup();
        let mut best: Option<(Level, f64, f64)> = None;
        // A queue has one length. Drops at two backlogs are near each other: the link handed packets over late.
        let least = all.found.first().map_or(0.0, |first| NEAR * first.packets);
        for value in values.iter().filter(|value| **value as f64 >= least) {
            let level = *value as f64;
            let width = (WIDTH * level).max(2.0);
            let test = Test { level, width, round, tries: steps.len() as f64, below: all.below };
            let score = self.score(&test, rest, &sorted, &mut all.has_accepted_above);
            if let Some((score, drops)) = score
                && best.as_ref().is_none_or(|(known, ..)| score > known.score)
            {
                let found = Level { packets: level, sd: 1.0, drops, score };
                best = Some((found, level, width));
            }
        }
        let (mut level, middle, width) = best?;
        let near: Vec<f64> = sorted
            .iter()
            .map(|value| *value as f64)
            .filter(|value| (value - middle).abs() <= width)
            .collect();
        level.packets = quantile(&near, 0.5);
        let mean = near.iter().sum::<f64>() / near.len() as f64;
        let square = near.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>();
        level.sd = (square / near.len() as f64).sqrt().max(1.0);
        Some((level, u64::saturate((middle - width).ceil().max(1.0))))
    }

    /// The score of a level, and the losses at it or above; none if it is no level.
    fn score(
        &self,
        test: &Test,
        rest: &[usize],
        sorted: &[u64],
        has_accepted_above: &mut bool,
    ) -> Option<(f64, u64)> {
        let (level, width) = (test.level, test.width);
        let low = level - width;
        let top = test.below.map_or(f64::INFINITY, |below| below as f64);
        let all = |counts: &Counts| if top.is_finite() { counts.below(top) } else { counts.all() };
        let lost_below = sorted.partition_point(|value| (*value as f64) < low) as u64;
        let drops = sorted.len() as u64 - lost_below;
        let known_below = self.known.below(low);
        let known_above = all(&self.known).saturating_sub(known_below);
        let inside = self.known.below((level + width).floor() + 1.0) - known_below;
        let first_above = (level + width).floor() + 1.0;
        let above = self.accepted.all() - self.accepted.below(first_above);
        if drops < 2 || (test.round == 0 && above as f64 > 0.6 * inside as f64) {
            return None;
        }
        let share_below = (lost_below as f64 + 0.5) / (known_below as f64 + 1.0);
        let chance = binomial_at_least(drops, known_above, share_below.min(1.0)) * test.tries;
        if (drops as f64) < TIMES * share_below * known_above as f64 || chance >= SIGNIFICANT {
            return None;
        }
        // Below the queue, most packets may have found some backlog: then the share below is known from few.
        let part = known_above as f64 / (known_above + known_below) as f64;
        if test.round > 0 && binomial_at_least(drops, drops + lost_below, part) >= SIGNIFICANT {
            return None;
        }
        self.has_episodes(test, rest, drops, (chance, above, inside))?;
        if test.round == 0 && self.far_above(level) > MANY_ABOVE {
            *has_accepted_above = true;
            return None;
        }
        let whole = likelihood(drops + lost_below, known_above + known_below);
        let score = likelihood(drops, known_above) + likelihood(lost_below, known_below) - whole;
        Some((score, drops))
    }

    /// Packets accepted far above a level.
    fn far_above(&self, level: f64) -> u64 {
        self.accepted.all() - self.accepted.below((1.5 * level + 4.0).floor() + 1.0)
    }

    /// Whether the losses near a level are those of a queue: in two episodes, or in one that is sure.
    fn has_episodes(
        &self,
        test: &Test,
        rest: &[usize],
        drops: u64,
        (chance, above, inside): (f64, u64, u64),
    ) -> Option<()> {
        let (level, width) = (test.level, test.width);
        let backlog = |place: &usize| self.seen.backlog[*place] as f64;
        let near: Vec<usize> =
            rest.iter().filter(|place| (backlog(place) - level).abs() <= width).copied().collect();
        if episodes(self.seen.sent, &near) >= 2 {
            return Some(());
        }
        let up: Vec<usize> =
            rest.iter().filter(|place| backlog(place) >= level - width).copied().collect();
        let runs = 1 + up.windows(2).filter(|pair| pair[1] > pair[0] + 1).count();
        let many = runs >= 4 && drops >= 8;
        let few_above = above as f64 <= 0.02 * inside as f64;
        let is_sure = drops >= 4 && runs >= 3 && chance < SURE && few_above;
        if !(many || is_sure) {
            return None;
        }
        // One overflow is at one backlog; a burst of losses while the backlog grows is not.
        let mut values: Vec<f64> = near.iter().map(backlog).collect();
        values.sort_unstable_by(f64::total_cmp);
        let spread = quantile(&values, 0.75) - quantile(&values, 0.25);
        (spread <= (0.01 * level).max(1.0) + self.seen.unsure_packets).then_some(())
    }
}

/// Least part of the first level that another one has [choice].
const NEAR: f64 = 0.5;

struct Test {
    level: f64,
    width: f64,
    round: usize,
    /// Distinct levels tried.
    tries: f64,
    /// The edge of the levels found before.
    below: Option<u64>,
}

/// Groups of transmissions that are more than a round-trip time apart.
pub(super) fn episodes(sent: &Transmissions, places: &[usize]) -> usize {
    let gap = sent.least_rtt_s.max(0.02);
    let apart = |pair: &&[usize]| sent.list[pair[1]].sent_s - sent.list[pair[0]].sent_s > gap;
    usize::from(!places.is_empty()) + places.windows(2).filter(apart).count()
}

/// Largest log likelihood of `events` in `trials`.
pub(super) fn likelihood(events: u64, trials: u64) -> f64 {
    if events == 0 || events >= trials {
        return 0.0;
    }
    let (k, n) = (events as f64, trials as f64);
    k * detmath::ln(k / n) + (n - k) * detmath::ln_1p(-k / n)
}

/// The median.
pub(super) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    quantile(&sorted, 0.5)
}

/// A quantile of sorted values, by linear interpolation.
pub(super) fn quantile(sorted: &[f64], part: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let place = part * last as f64;
    let below = usize::saturate(place);
    let above = (below + 1).min(last);
    sorted[below] + (sorted[above] - sorted[below]) * (place - below as f64)
}

//! Statistics of the schemes, and the schemes that follow from them.

use super::groups::Schemes;
use crate::rate::Outcome;

/// Weights of the new ratio, the last average and the one before it: a low-pass filter of second order with a
/// period of 16, `a = exp(-sqrt(2) pi / 16)`, `LAST = 2 a cos(2 sqrt(2) pi / 16)`, `BEFORE = -a^2`.
const LAST: f64 = 1.287_4;
const BEFORE: f64 = -0.573_9;
const NEW: f64 = 1.0 - LAST - BEFORE;
/// Least average.
const LEAST: f64 = 1.0 / 4096.0;
/// A scheme with a success probability below this has throughput 0.
const POOR: f64 = 0.10;
/// Higher success probabilities count as this one: collisions disturb them.
const ENOUGH: f64 = 0.90;
/// A scheme with a higher success probability counts as sure.
const SURE: f64 = 0.75;

/// Statistics of a scheme.
#[derive(Debug, Clone, Default)]
pub(super) struct Stats {
    /// MPDUs of the current period.
    pub(super) sent: u32,
    pub(super) acknowledged: u32,
    /// The last two averages; 0 before the first.
    average: f64,
    previous: f64,
    /// True once the scheme was used.
    used: bool,
}

impl Stats {
    pub(super) fn count(&mut self, outcome: &Outcome) {
        self.sent += outcome.mpdus;
        self.acknowledged += outcome.acknowledged;
    }

    /// Estimated success probability.
    pub(super) const fn probability(&self) -> f64 {
        self.average
    }

    fn end_period(&mut self) {
        if self.sent > 0 {
            let ratio = (f64::from(self.acknowledged) / f64::from(self.sent)).max(LEAST);
            let next = if self.used {
                NEW * ratio + LAST * self.average + BEFORE * self.previous
            } else {
                ratio
            };
            self.previous = if self.used { self.average } else { ratio };
            self.average = next.clamp(LEAST, 1.0);
            self.used = true;
        }
        (self.sent, self.acknowledged) = (0, 0);
    }
}

/// Ends a period: updates each scheme. One that was never used is at least as likely to succeed as faster ones
/// of its group.
pub(super) fn update(stats: &mut [Stats], schemes: &Schemes) {
    for group in &schemes.groups {
        let mut faster = 0.0_f64;
        for scheme in group.schemes.clone().rev() {
            let stats = &mut stats[scheme];
            stats.end_period();
            if stats.used {
                faster = faster.max(stats.average);
            } else {
                stats.average = stats.average.max(faster);
            }
        }
    }
}

/// Estimated packets per ns of a scheme with this success probability.
fn throughput(stats: &[Stats], schemes: &Schemes, length: f64, scheme: usize) -> f64 {
    let p = stats[scheme].probability();
    if p < POOR {
        return 0.0;
    }
    p.min(ENOUGH) / schemes.time_with_overhead(scheme, length)
}

/// The chosen schemes.
#[derive(Debug, Clone)]
pub(super) struct Choice {
    /// Highest throughput first.
    pub(super) best: [usize; 4],
    /// The most reliable one.
    pub(super) surest: usize,
    /// By group, the two with the highest throughput.
    of_groups: Vec<[usize; 2]>,
}

/// Throughput and success probability of a scheme, by which schemes are compared.
type Rank = (f64, f64);

/// Puts a scheme into a list that begins with the highest rank, if it ranks above one of the list.
fn insert<const N: usize>(list: &mut [usize; N], scheme: usize, rank: impl Fn(usize) -> Rank) {
    let own = rank(scheme);
    let above = |other: &usize| {
        let theirs = rank(*other);
        own.0 > theirs.0 || (own.0 >= theirs.0 && own.1 > theirs.1)
    };
    let behind = list.iter().rposition(|other| !above(other)).map_or(0, |place| place + 1);
    if behind < N {
        list[behind..].rotate_right(1);
        list[behind] = scheme;
    }
}

impl Choice {
    /// One scheme for all, before anything was sent.
    pub(super) fn of(scheme: usize, schemes: &Schemes) -> Self {
        let of_groups = schemes.groups.iter().map(|group| [group.schemes.start; 2]).collect();
        Self { best: [scheme; 4], surest: scheme, of_groups }
    }

    /// The choice by the statistics, with the average number of MPDUs in an aggregate.
    pub(super) fn new(stats: &[Stats], schemes: &Schemes, length: f64) -> Self {
        let ranks: Vec<Rank> = (0..schemes.len())
            .map(|scheme| (throughput(stats, schemes, length, scheme), stats[scheme].probability()))
            .collect();
        let rank = |scheme: usize| ranks[scheme];
        let mut choice = Self::of(0, schemes);
        for (group, pair) in schemes.groups.iter().zip(&mut choice.of_groups) {
            for scheme in group.schemes.clone().rev().filter(|scheme| ranks[*scheme].0 > 0.0) {
                insert(&mut choice.best, scheme, rank);
                insert(pair, scheme, rank);
            }
        }
        choice.surest = choice.most_reliable(&ranks, schemes);
        choice
    }

    /// The most reliable scheme: of all, or of groups with fewer streams than the best.
    fn most_reliable(&self, ranks: &[Rank], schemes: &Schemes) -> usize {
        let best = self.best[0];
        let surer = |one: usize, other: usize| {
            let (new, old) = (ranks[other], ranks[one]);
            let by_probability = new.1 <= SURE && new.1 > old.1;
            if new.1 > SURE && new.0 > old.0 || by_probability { other } else { one }
        };
        // A faster scheme that succeeds less often is not surer.
        let is_worse = |scheme: &usize| {
            schemes.time(*scheme) < schemes.time(best) && ranks[*scheme].1 < ranks[best].1
        };
        let of_group = |group: &super::groups::Group| {
            let all = group.schemes.clone().filter(|scheme| !is_worse(scheme));
            all.fold(group.schemes.start, surer)
        };
        let all = (0..schemes.len()).filter(|scheme| !is_worse(scheme));
        let surest = all.fold(0, surer);
        let streams = schemes.groups[schemes.group_of(best)].streams;
        let fewer = schemes.groups.iter().filter(|group| group.streams < streams).map(of_group);
        let mut most = (0.0, surest);
        for scheme in fewer {
            if ranks[scheme].0 > most.0 {
                most = (ranks[scheme].0, scheme);
            }
        }
        most.1
    }

    /// Replaces the best scheme of a rank (0 or 1) by that of the next lower group with at most as many streams.
    /// False if there is none.
    pub(super) fn descend(&mut self, rank: usize, schemes: &Schemes) -> bool {
        let group = schemes.group_of(self.best[rank]);
        let streams = schemes.groups[group].streams;
        let lower = (0..group).rev().find(|lower| schemes.groups[*lower].streams <= streams);
        if let Some(lower) = lower {
            self.best[rank] = self.of_groups[lower][rank];
        }
        lower.is_some()
    }
}

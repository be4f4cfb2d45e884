//! Active queue management: losses that depend on the backlog, without one length at which the queue is full.
//!
//! A discipline drops one packet at a time. Losses of neighbours are a burst of the link, and one event: counted one by
//! one, a burst that falls into a window of many packets would make losses depend on the backlog.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::codel::{Codel, codel};
use super::levels::{Levels, Seen};
use super::transmissions::Fate;
use crate::chance::{binomial_at_least, ranks_at_least};

/// Losses below which nothing is tested.
const FEW: usize = 4;
/// Significance beside a level that was refuted, of losses that all found a queue, and of losses that find one too often.
const REFUTED: f64 = 0.01;
const ALL_QUEUED: f64 = 1e-3;
const QUEUED: f64 = 2e-3;
/// Transmissions from one loss to the next within which both are one event [choice].
const BURST: usize = 3;

/// How losses depend on the backlog.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Aqm {
    /// Losses that found no queue, and transmissions that found none.
    pub lost_without_queue: u64,
    /// Transmissions that found no queue.
    pub sent_without_queue: u64,
    /// Losses that were tested; neighbours are one.
    pub losses: u64,
    /// Probability of backlogs as high at the losses by chance.
    pub chance_of_backlogs: f64,
    /// Probability of as many losses with a queue by chance.
    pub chance_of_queue: f64,
    /// How the drops follow the rule of `CoDel`.
    pub codel: Codel,
    /// True if the queue drops early.
    pub found: bool,
}

/// Tests the losses below all levels; none if there are few.
pub(super) fn aqm(seen: &Seen<'_>, early: &[u64], levels: &Levels, service_s: f64) -> Option<Aqm> {
    let below = |place: &usize| levels.below.is_none_or(|below| seen.backlog[*place] < below);
    let of = |fate: Fate| {
        let list = &seen.sent.list;
        let is_one = move |place: &usize| list[*place].fate == fate;
        (0..list.len()).filter(below).filter(is_one).collect::<Vec<usize>>()
    };
    let (lost, delivered) = (firsts(&of(Fate::Lost)), of(Fate::Delivered));
    if lost.len() < FEW {
        return None;
    }
    let backlogs = |places: &[usize]| places.iter().map(|p| seen.backlog[*p]).collect::<Vec<_>>();
    let idle = |places: &[usize]| places.iter().filter(|place| early[**place] < 1).count() as u64;
    let (lost_without, passed_without) = (idle(&lost), idle(&delivered));
    let all = (lost.len() + delivered.len()) as u64;
    let sent_without = lost_without + passed_without;
    let queued = lost.len() as u64 - lost_without;
    let share = (all - sent_without) as f64 / all as f64;
    let chance_of_backlogs = ranks_at_least(&backlogs(&lost), &backlogs(&delivered));
    let chance_of_queue = binomial_at_least(queued, lost.len() as u64, share);
    let is_other = levels.found.is_empty()
        && ((levels.has_accepted_above && chance_of_backlogs < REFUTED)
            || (chance_of_backlogs < ALL_QUEUED && lost_without == 0)
            || chance_of_queue < QUEUED);
    Some(Aqm {
        lost_without_queue: lost_without,
        sent_without_queue: sent_without,
        losses: lost.len() as u64,
        chance_of_backlogs,
        chance_of_queue,
        codel: codel(seen.sent, service_s),
        found: is_other,
    })
}

/// The first one of each burst.
fn firsts(places: &[usize]) -> Vec<usize> {
    let begins = |at: &usize| *at == 0 || places[*at] > places[*at - 1] + BURST;
    (0..places.len()).filter(begins).map(|at| places[at]).collect()
}

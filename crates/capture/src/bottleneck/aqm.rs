//! Active queue management: losses that depend on the backlog, without one length at which the queue is full.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::levels::{Levels, Seen};
use super::transmissions::Fate;
use crate::chance::{binomial_at_least, ranks_at_least};

/// Losses below which nothing is tested.
const FEW: usize = 4;
/// Significance beside a level that was refuted, of losses that all found a queue, and of losses that find one too often.
const REFUTED: f64 = 0.01;
const ALL_QUEUED: f64 = 1e-3;
const QUEUED: f64 = 2e-3;

/// How losses depend on the backlog.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Aqm {
    /// Losses that found no queue, and transmissions that found none.
    pub lost_without_queue: u64,
    /// Transmissions that found no queue.
    pub sent_without_queue: u64,
    /// Losses that were tested.
    pub losses: u64,
    /// Probability of backlogs as high at the losses by chance.
    pub chance_of_backlogs: f64,
    /// Probability of as many losses with a queue by chance.
    pub chance_of_queue: f64,
    /// True if the queue drops early.
    pub found: bool,
}

/// Tests the losses below all levels; none if there are few.
pub(super) fn aqm(seen: &Seen<'_>, early: &[u64], levels: &Levels) -> Option<Aqm> {
    let below = |place: &usize| levels.below.is_none_or(|below| seen.backlog[*place] < below);
    let of = |fate: Fate| {
        let list = &seen.sent.list;
        let is_one = move |place: &usize| list[*place].fate == fate;
        (0..list.len()).filter(below).filter(is_one).collect::<Vec<usize>>()
    };
    let (lost, delivered) = (of(Fate::Lost), of(Fate::Delivered));
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
        found: is_other,
    })
}

//! Which schemes are sampled, and when.
//!
//! ```text
//! increase    of each group in turn, the slowest scheme that is faster than the best
//! jump        a random scheme that is faster than all schemes in use, of each group in turn
//! slow        a random scheme between the fastest and the slowest in use, with P <= 95 %
//! order       increase, jump, increase, jump, increase, slow
//! ```
//! In use are the two best and the surest scheme. Each list has up to five schemes and is filled up at the end of
//! each period. A sample takes the first of its list; an empty list gives none.

use airtcp_units::{Nanos, Span};

use super::groups::Schemes;
use super::ranking::{Choice, Stats};

/// Schemes in a list.
const ROOM: usize = 5;
/// A slow scheme with a higher success probability is not sampled.
const SURE: f64 = 0.95;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Increase,
    Jump,
    Slow,
}

const ORDER: [Kind; 6] =
    [Kind::Increase, Kind::Jump, Kind::Increase, Kind::Jump, Kind::Increase, Kind::Slow];

/// The samples of a destination.
#[derive(Debug, Clone)]
pub(super) struct Samples {
    increase: Vec<usize>,
    jump: Vec<usize>,
    slow: Vec<usize>,
    /// The group whose scheme was taken last, for increases and for jumps.
    increase_group: usize,
    jump_group: usize,
    /// By group, the next place in the table of random orders: column and row.
    places: Vec<(usize, usize)>,
    turn: usize,
    /// No sample before this time.
    from: Nanos,
}

impl Samples {
    pub(super) fn new(schemes: &Schemes) -> Self {
        Self {
            increase: Vec::new(),
            jump: Vec::new(),
            slow: Vec::new(),
            increase_group: 0,
            jump_group: 0,
            places: vec![(0, 0); schemes.groups.len()],
            turn: 0,
            from: Nanos::ZERO,
        }
    }

    /// Allows a sample from `now`.
    pub(super) const fn allow(&mut self, now: Nanos) {
        self.from = now;
    }

    /// The sample of a packet, if it is time for one.
    pub(super) fn next(&mut self, now: Nanos, interval: Span) -> Option<usize> {
        if now < self.from {
            return None;
        }
        self.from = now + interval;
        let kind = ORDER[self.turn];
        self.turn = (self.turn + 1) % ORDER.len();
        let list = match kind {
            Kind::Increase => &mut self.increase,
            Kind::Jump => &mut self.jump,
            Kind::Slow => &mut self.slow,
        };
        (!list.is_empty()).then(|| list.remove(0))
    }

    /// Fills the lists up.
    pub(super) fn refill(
        &mut self,
        stats: &[Stats],
        choice: &Choice,
        schemes: &Schemes,
        table: &[Vec<usize>],
    ) {
        let best = schemes.time(choice.best[0]);
        let others = [schemes.time(choice.best[1]), schemes.time(choice.surest)];
        let fastest = others.into_iter().fold(best, f64::min);
        let slowest = others.into_iter().fold(best, f64::max);
        self.increase.retain(|scheme| schemes.time(*scheme) < fastest);
        self.jump.retain(|scheme| schemes.time(*scheme) < fastest);
        let between = |time: f64| time > fastest && time < slowest;
        self.slow.retain(|scheme| between(schemes.time(*scheme)));
        self.fill_increases(best, schemes);
        while self.jump.len() < ROOM {
            let Some(scheme) = self.next_jump((fastest, slowest), stats, schemes, table) else {
                break;
            };
            self.jump.push(scheme);
        }
    }

    fn fill_increases(&mut self, best: f64, schemes: &Schemes) {
        let (groups, before) = (schemes.groups.len(), self.increase_group);
        for step in 1..=groups {
            if self.increase.len() >= ROOM {
                return;
            }
            let group = (before + step) % groups;
            let next = schemes.groups[group].schemes.clone().find(|s| schemes.time(*s) < best);
            if let Some(next) = next.filter(|next| !self.increase.contains(next)) {
                self.increase.push(next);
                self.increase_group = group;
            }
        }
    }

    /// A random scheme faster than those in use. Slower ones that it meets go to the list of slow ones.
    fn next_jump(
        &mut self,
        (fastest, slowest): (f64, f64),
        stats: &[Stats],
        schemes: &Schemes,
        table: &[Vec<usize>],
    ) -> Option<usize> {
        let groups = schemes.groups.len();
        for _ in 0..groups {
            self.jump_group = (self.jump_group + 1) % groups;
            let limit = if self.slow.len() < ROOM { slowest } else { fastest };
            let Some(scheme) = self.random(self.jump_group, limit, schemes, table) else {
                continue;
            };
            let time = schemes.time(scheme);
            if time < fastest {
                if !self.jump.contains(&scheme) {
                    return Some(scheme);
                }
            } else if time < slowest
                && self.slow.len() < ROOM
                && stats[scheme].probability() <= SURE
                && !self.slow.contains(&scheme)
            {
                self.slow.push(scheme);
            }
        }
        None
    }

    /// The next scheme of a group in random order, of those from the slowest that takes less than `limit` on.
    fn random(
        &mut self,
        group: usize,
        limit: f64,
        schemes: &Schemes,
        table: &[Vec<usize>],
    ) -> Option<usize> {
        let all = schemes.groups[group].schemes.clone();
        let first = all.clone().find(|scheme| schemes.time(*scheme) < limit)?;
        let rows = table.first().map_or(0, Vec::len);
        let (column, row) = &mut self.places[group];
        for _ in 0..rows {
            let scheme = all.start + table[*column][*row];
            *row = (*row + 1) % rows;
            if *row == 0 {
                *column = (*column + 1) % table.len();
            }
            if (first..all.end).contains(&scheme) {
                return Some(scheme);
            }
        }
        None
    }
}

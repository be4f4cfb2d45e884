//! What is counted of the rows of a table, for the questions that its values raise (`questions.rs`).

use std::collections::{BTreeMap, BTreeSet};

use super::super::super::sequence::Recorder;
use super::super::stamps::Stamp;
use super::plan::Plan;
use super::words::{Fate, fate, is_blank, whole};
use crate::reader::ColumnKind;

/// Most unused columns examined, different cells kept of each, and characters kept of a cell.
const COLUMNS: usize = 32;
pub(super) const KEPT: usize = 64;
const LONGEST: usize = 40;
/// What to do about several links or runs in one table.
pub(super) const SEVERAL: &str = "say what tells links or runs apart (--link-column NAME), or give one file for each; if the counter \
                                  restarts, split the file at its restarts, or number the parts in a column and give --link-column";

/// What is counted of the rows.
pub(super) struct Checks {
    pub(super) rows: u64,
    /// Other columns of documented names, and the rows in which each says something else.
    pub(super) rivals: Vec<(usize, ColumnKind, u64)>,
    /// The numbers of all links together, as long as they rise.
    pub(super) joint: Option<Recorder>,
    /// Rows by arrival: arrivals of 0 and below, and the two greatest.
    pub(super) lows: BTreeMap<i128, u64>,
    pub(super) highs: BTreeMap<i128, u64>,
    pub(super) unused: Vec<Unused>,
}

/// A column of no use in the reading.
#[derive(Default)]
pub(super) struct Unused {
    pub(super) at: usize,
    pub(super) different: BTreeSet<String>,
    pub(super) blanks: u64,
    pub(super) words: u64,
    /// True once there was a number above 1.
    pub(super) counts: bool,
}

impl Checks {
    pub(super) fn new(plan: &Plan) -> Self {
        let says = |kind: &ColumnKind| *kind != ColumnKind::Sequence;
        let others =
            plan.columns.which(|i| i != plan.value && plan.kind().as_ref().is_some_and(says));
        let kind = |i| Some((i, plan.columns.kind(i).filter(says)?, 0));
        let rivals: Vec<_> = others.into_iter().filter_map(kind).collect();
        let free = |i: &usize| plan.columns.header && !rivals.iter().any(|(rival, ..)| rival == i);
        let unused = plan.unused().into_iter().filter(free).take(COLUMNS);
        let unused = unused.map(|at| Unused { at, ..Unused::default() }).collect();
        let joint = (!plan.keys.is_empty()).then(Recorder::default);
        Self { rows: 0, rivals, joint, lows: BTreeMap::new(), highs: BTreeMap::new(), unused }
    }

    /// Counts a row. Returns the packets that it adds to the numbers of all links.
    pub(super) fn row(&mut self, plan: &Plan, cells: &[String], said: Fate) -> u64 {
        self.rows += 1;
        for (rival, kind, differ) in &mut self.rivals {
            *differ += u64::from(fate(&cells[*rival], *kind, &plan.options) != said);
        }
        for column in &mut self.unused {
            let cell = &cells[column.at];
            if is_blank(cell) {
                column.blanks += 1;
                continue;
            }
            column.words += u64::from(Stamp::of(cell).is_none());
            column.counts = column.counts || whole(cell) > Some(1);
            if column.different.len() <= KEPT {
                column.different.insert(cell.chars().take(LONGEST).collect());
            }
        }
        let came = plan.kind() == Some(ColumnKind::Arrival) && said == Fate::Came;
        if let (true, Some(stamp)) = (came, Stamp::of(&cells[plan.value])) {
            let value = stamp.value();
            if value <= 0 && (self.lows.len() < 3 || self.lows.contains_key(&value)) {
                *self.lows.entry(value).or_default() += 1;
            }
            *self.highs.entry(value).or_default() += 1;
            if self.highs.len() > 2 {
                self.highs.pop_first();
            }
        }
        let Some(sequence) = plan.sequence else { return 0 };
        let number = whole(&cells[sequence]).unwrap_or_default();
        let take = |all: &mut Recorder| all.take_outcome(number, true, plan.options.max_gap).ok();
        let steps = self.joint.as_mut().and_then(take);
        self.joint.take_if(|_| steps.is_none());
        steps.unwrap_or(0)
    }
}

//! Values that contradict the documented meaning of the columns, as questions. They refuse a table and
//! never choose a reading.

use std::collections::BTreeMap;

use super::super::super::sequence::{Recorder, no_packets};
use super::super::stamps::{BILLION, Stamp};
use super::group::Group;
use super::marks::Fate;
use super::plan::Plan;
use super::roles::{FATES, has, is_count, is_node};
use super::words::{is_blank, is_outcome_word, whole};
use crate::error::excerpt;
use crate::reader::ColumnKind;

/// Most unused columns examined, different cells kept of each, and characters kept of a cell.
const COLUMNS: usize = 32;
const KEPT: usize = 64;
const LONGEST: usize = 40;
/// Rows that repeat a number or go back are no late packets if they are more than this, and more
/// than one in so many, or so many in a row.
const BACK: u64 = 4;
const SHARE: u64 = 10;
const RESTART: u64 = 8;
/// Missing numbers are doubted if they are more than this, and in a row more than the rows, or in all
/// so many times the rows.
const GAP: u64 = 100;
const SPARSE: u64 = 9;
/// Fewest rows of links that may share a numbering.
const TOGETHER: u64 = 20;
/// What to do about several links or runs in one table.
pub(super) const SEVERAL: &str =
    "say what tells links or runs apart (--link-column NAME), or give one file for each";

/// What is counted of the rows.
pub(super) struct Checks {
    rows: u64,
    /// Other columns of documented names, and the rows in which each says something else.
    rivals: Vec<(usize, ColumnKind, u64)>,
    /// Arrivals of 0 and below by value, and the two greatest, with their rows.
    lows: BTreeMap<i128, u64>,
    greatest: [(i128, u64); 2],
    unused: Vec<Unused>,
}

/// A column of no use in the reading.
#[derive(Default)]
struct Unused {
    at: usize,
    different: BTreeMap<String, u64>,
    blanks: u64,
    words: u64,
    /// True if it has the name of a count, and true once there was a number above 1.
    is_count: bool,
    counts: bool,
}

impl Checks {
    pub(super) fn new(plan: &Plan) -> Self {
        let rivals: Vec<_> = plan.rivals().into_iter().map(|(i, kind)| (i, kind, 0)).collect();
        let free = |i: &usize| plan.columns.header && !rivals.iter().any(|(rival, ..)| rival == i);
        let unused = plan.unused().into_iter().filter(free).take(COLUMNS);
        let column = |at: usize| {
            let is_count = is_count(&plan.columns.names[at]);
            Unused { at, is_count, ..Unused::default() }
        };
        let unused = unused.map(column).collect();
        Self { rows: 0, rivals, lows: BTreeMap::new(), greatest: Default::default(), unused }
    }

    pub(super) fn row(&mut self, plan: &Plan, cells: &[String], fate: Fate) {
        self.rows += 1;
        for (rival, kind, differ) in &mut self.rivals {
            *differ += u64::from(plan.marks.fate(&cells[*rival], *kind) != fate);
        }
        for column in &mut self.unused {
            let cell = &cells[column.at];
            if is_blank(cell) {
                column.blanks += 1;
                continue;
            }
            column.words += u64::from(Stamp::of(cell).is_none());
            column.counts |= column.is_count && whole(cell) > Some(1);
            if column.different.len() <= KEPT {
                *column.different.entry(cell.chars().take(LONGEST).collect()).or_default() += 1;
            }
        }
        let came = plan.kind() == Some(ColumnKind::Arrival) && fate == Fate::Came;
        let value = Stamp::of(&cells[plan.value]).filter(|_| came).map_or(0, Stamp::value);
        if came && value <= 0 && (self.lows.len() < 3 || self.lows.contains_key(&value)) {
            *self.lows.entry(value).or_default() += 1;
        }
        let [high, next] = &mut self.greatest;
        match value {
            _ if value == high.0 => high.1 += 1,
            _ if value > high.0 => *next = std::mem::replace(high, (value, 1)),
            _ if value > next.0 => *next = (value, 1),
            _ => {}
        }
    }

    /// The first question about the table. `joint` holds the numbers of all links together.
    pub(super) fn problem(
        &self,
        plan: &Plan,
        groups: &BTreeMap<Vec<String>, Group>,
        joint: Option<&Recorder>,
    ) -> Option<String> {
        let kind = plan.kind();
        if plan.total.is_some() {
            return None;
        }
        let unused = || self.unused.iter().find_map(|column| self.unused(plan, kind, column));
        let many = groups.len() > 2 && 2 * groups.len() as u64 > self.rows;
        if let Some(key) = plan.keys.first().filter(|_| many && plan.is_link_named) {
            return Some(format!(
                "column {} would tell {} links of {} rows apart: give another one, or this one (--link-column NAME)",
                plan.name(*key),
                groups.len(),
                self.rows
            ));
        }
        let question = self.marked(plan, kind);
        let question =
            question.or_else(|| groups.values().find_map(|group| numbers(plan, kind, group)));
        question.or_else(|| if plan.asked { None } else { unused() }).or_else(|| {
            let together = together(plan, groups, joint);
            let free = !plan.asked && kind.is_some_and(|kind| kind != ColumnKind::Sequence);
            together.or_else(|| if free { self.outcomes(plan, kind, groups) } else { None })
        })
    }

    /// Arrivals of 0 and below, or one that stands apart, which may mark lost packets or rows without
    /// one.
    fn marked(&self, plan: &Plan, kind: Option<ColumnKind>) -> Option<String> {
        let shown = |value: i128| (value as f64 / 1e9).to_string();
        let [(high, count), (next, _)] = self.greatest;
        let has = |low: i128| self.lows.contains_key(&low);
        let (mark, values) = match self.lows.keys().next() {
            _ if kind != Some(ColumnKind::Arrival) || plan.marks.are_given() => return None,
            // A column of levels in dBm is below 0 throughout.
            Some(least) if high > 0 || has(0) || has(-BILLION) => {
                let named =
                    self.lows.iter().map(|(low, rows)| format!("{} in {rows}", shown(*low)));
                let mark = if has(-BILLION) { -BILLION } else { *least };
                (shown(mark), named.collect::<Vec<_>>().join(", "))
            }
            None if count > 1 && next > 0 && high > 2 * next && !plan.asked => {
                (shown(high), format!("{} in {count}", shown(high)))
            }
            _ => return None,
        };
        Some(format!(
            "column {} holds {values} of {} rows: say which values mark lost packets (--lost-value {mark}) and which \
             rows without a packet (--unsent-value VALUE), or, if all were measured, --lost-value none",
            plan.name(plan.value),
            self.rows
        ))
    }

    /// A column that may say what became of packets that are known by their numbers alone, or may tell
    /// links apart.
    fn unused(&self, plan: &Plan, kind: Option<ColumnKind>, column: &Unused) -> Option<String> {
        let (name, different) = (&plan.columns.names[column.at], column.different.len());
        let partial = column.blanks > 0 && column.blanks < self.rows;
        let fates =
            partial || (different == 2 && self.rows > 2) || (has(name, FATES) && different > 1);
        let some = different > 1 && 2 * different as u64 <= self.rows && plan.keys.is_empty();
        let words = column.words > 0 && column.words + column.blanks == self.rows;
        let links = some && (is_node(name) || (words && different <= KEPT));
        let flag = links && column.different.keys().all(|cell| is_outcome_word(cell));
        let means = match (kind == Some(ColumnKind::Sequence) && fates, links && !flag) {
            (false, false) if flag => "may say what became of the packets",
            (true, true) => "may say what became of the packets, or tell links apart",
            (true, false) => "may say what became of the packets",
            (false, true) => "may tell links apart",
            (false, false) => return None,
        };
        let mut some: Vec<String> =
            column.different.keys().take(3).map(|cell| excerpt(cell)).collect();
        some.extend((different > 3).then(|| "...".to_owned()));
        some.extend(
            (column.blanks > 0)
                .then(|| format!("blank in {} of {} rows", column.blanks, self.rows)),
        );
        Some(format!(
            "column {} ({}) {means}: choose what to read, or, if each row is a packet of one link as read, give {}",
            plan.name(column.at),
            some.join(", "),
            plan.confirm()
        ))
    }

    /// Rows of outcomes or arrivals: what else they may be, and their order.
    fn outcomes(
        &self,
        plan: &Plan,
        kind: Option<ColumnKind>,
        groups: &BTreeMap<Vec<String>, Group>,
    ) -> Option<String> {
        let (value, rows, confirm) = (plan.name(plan.value), self.rows, plan.confirm());
        let falls: u64 = groups.values().map(|group| group.falls).sum();
        let arrival = kind == Some(ColumnKind::Arrival);
        let seen = !arrival || groups.values().any(|group| group.lost > 0);
        let rival = self.rivals.iter().find(|(.., differ)| *differ > 0);
        let count = self.unused.iter().find(|column| column.counts && !arrival);
        let time = plan.time.as_ref().filter(|time| time.column != plan.value && falls > 0);
        Some(match (rival, count, time) {
            (Some((rival, _, differ)), ..) => format!(
                "columns {value} and {} differ in {differ} of {rows} rows on whether the packet arrived: choose what \
                 to read",
                plan.name(*rival)
            ),
            (None, Some(count), _) => format!(
                "column {} holds counts above 1, so the rows may be intervals and {value} a count of packets: a table \
                 with one row a packet is needed; if it is one, give {confirm}",
                plan.name(count.at)
            ),
            _ if plan.sequence.is_some() => return None,
            (.., Some(time)) => format!(
                "{falls} of {rows} rows are earlier in column {} than the row before: sort the rows by it; if the \
                 packets were sent in the order of the rows, give {confirm}",
                plan.name(time.column)
            ),
            _ if seen => return None,
            _ => format!(
                "no row is blank in column {value} and there are no sequence numbers, so losses cannot be seen: if \
                 every packet sent has a row, give {confirm}; if only received packets have one, a column of sequence \
                 numbers (seq) is needed"
            ),
        })
    }
}

/// Numbers of one link that may be those of several, or of other things. Those of arrivals put the
/// packets in order, whatever the user chose.
fn numbers(plan: &Plan, kind: Option<ColumnKind>, group: &Group) -> Option<String> {
    let (sequence, kind) = (plan.sequence?, kind?);
    let (name, confirm, rows) = (plan.name(sequence), plan.confirm(), group.rows);
    let (back, missing) = (group.recorder.disorder(), group.recorder.missing());
    let (gap, before, after) = group.gap;
    let outcomes = matches!(kind, ColumnKind::Received | ColumnKind::Lost);
    let single = match kind {
        ColumnKind::Arrival => format!("sort them by {name}"),
        _ => format!("give {confirm}"),
    };
    let stride = group.recorder.stride();
    match plan.asked {
        // No option makes bytes packets.
        _ if kind == ColumnKind::Sequence && stride.is_some() => Some(format!(
            "the numbers in column {name} are {} apart, not 1: {}",
            stride.unwrap_or(0),
            no_packets(stride.unwrap_or(0))
        )),
        true if kind != ColumnKind::Arrival || stride.is_some() => None,
        false if let Some(stride) = stride => Some(format!(
            "the numbers in column {name} are {stride} apart, not 1; if every packet sent has a row, give {confirm}"
        )),
        _ if back > BACK && (SHARE * back > rows || group.back.1 > RESTART) => Some(format!(
            "{back} of {rows} rows repeat or go back below an earlier number in column {name}, as those of several \
             links or runs do: {SEVERAL}; if all rows are of one link, {single}"
        )),
        false if outcomes && back + missing > 0 => Some(format!(
            "the numbers in column {name} are not one after the other: {missing} have no row, and {back} rows repeat \
             or go back below an earlier one. If the rows are the packets in the order sent, give {confirm}; if only \
             received packets have rows, --column {} --kind sequence; else sort the rows by {name}, or {SEVERAL}",
            plan.columns.argument(sequence)
        )),
        false if missing > GAP && (gap > rows || missing > SPARSE * rows) => Some(format!(
            "{missing} numbers are missing in column {name}, {gap} of them in a row between {before} and {after}, \
             while {rows} are there: if these packets were lost, give {confirm}; else {SEVERAL}"
        )),
        _ => None,
    }
}

/// Links whose packets share one numbering: other links have the numbers that one link lacks.
fn together(
    plan: &Plan,
    groups: &BTreeMap<Vec<String>, Group>,
    joint: Option<&Recorder>,
) -> Option<String> {
    let name = plan.name(plan.sequence.filter(|_| !plan.asked)?);
    let own: u64 = groups.values().map(|group| group.recorder.missing()).sum();
    let rows: u64 = groups.values().map(|group| group.rows).sum();
    let all = joint.filter(|all| all.disorder() == 0)?.missing();
    (rows >= TOGETHER && 4 * own >= rows && 4 * all <= own).then(|| {
        format!(
            "the packets of all {} links are numbered together in column {name}: each link lacks the numbers of the \
             others ({own} in all), and only {all} are missing from the whole; number the packets of each link by \
             themselves, or say for each row what became of the packet in a column received",
            groups.len()
        )
    })
}

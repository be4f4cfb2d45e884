//! Values that contradict the documented meaning of the columns, as questions. They refuse a table and
//! never choose a reading.

use super::super::super::sequence::no_packets;
use super::super::names::has;
use super::super::stamps::BILLION;
use super::checks::{Checks, KEPT, SEVERAL, Unused};
use super::group::Group;
use super::plan::Plan;
use super::rows::Rows;
use super::words::{FATES, is_count, is_node, is_outcome_word};
use crate::error::excerpt;
use crate::reader::ColumnKind;

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

impl Rows<'_> {
    /// The first question about the table.
    pub(super) fn problem(&self) -> Option<String> {
        let questions = [
            Self::links_apart,
            Self::marked,
            |rows: &Self| rows.groups.values().find_map(|group| numbers(&rows.plan, group)),
            |rows: &Self| rows.checks.unused.iter().find_map(|column| rows.unused(column)),
            Self::together,
            Self::outcomes,
        ];
        let all_known = self.plan.total.is_some();
        questions.iter().filter(|_| !all_known).find_map(|question| question(self))
    }

    /// A column of the name of a link that has a new value in most rows.
    fn links_apart(&self) -> Option<String> {
        let (plan, rows, links) = (&self.plan, self.checks.rows, self.groups.len());
        let many = links > 2 && 2 * links as u64 > rows && plan.options.link_column.is_none();
        let name = plan.name(*plan.keys.first().filter(|_| many)?);
        Some(format!(
            "column {name} would tell {links} links of {rows} rows apart: give another one, or this one \
             (--link-column NAME)"
        ))
    }

    /// Arrivals of 0 and below, or one that stands apart, which may mark lost packets or rows without
    /// one.
    fn marked(&self) -> Option<String> {
        let (plan, Checks { rows, lows, highs, .. }) = (&self.plan, &self.checks);
        let shown = |value: i128| (value as f64 / 1e9).to_string();
        let mut highs = highs.iter().map(|(value, rows)| (*value, *rows)).rev();
        let ((high, count), next) = (highs.next()?, highs.next().map_or(0, |(next, _)| next));
        let has = |low: i128| lows.contains_key(&low);
        let said = plan.options.lost_value.as_deref();
        let end = |said: &str| said.split(',').any(|value| value.trim() == "none");
        let given = said.map_or_else(String::new, |said| format!("{said},"));
        let (mark, values) = match lows.keys().next() {
            _ if said.is_some_and(|said| end(said) || lows.keys().all(|low| *low == 0)) => {
                return None;
            }
            // A column of levels in dBm is below 0 throughout.
            Some(least) if high > 0 || has(0) || has(-BILLION) => {
                let named = lows.iter().map(|(low, rows)| format!("{} in {rows}", shown(*low)));
                // Several values below 0 may be marks if they repeat.
                let marks = lows.iter().rev().filter(|(low, rows)| **low < 0 && **rows > 1);
                let marks = marks.map(|(low, _)| shown(*low)).collect::<Vec<_>>().join(",");
                let mark = if marks.is_empty() { shown(*least) } else { marks };
                (mark, named.collect::<Vec<_>>().join(", "))
            }
            None if count > 1 && next > 0 && high > 2 * next && !plan.asked => {
                (shown(high), format!("{} in {count}", shown(high)))
            }
            _ => return None,
        };
        Some(format!(
            "column {} holds {values} of {rows} rows: say which values mark lost packets (--lost-value {given}{mark}) and \
             which rows without a packet (--unsent-value VALUE), or, if all were measured, --lost-value {given}none",
            plan.name(plan.value)
        ))
    }

    /// A column that may say what became of packets that are known by their numbers alone, or may tell
    /// links apart.
    fn unused(&self, column: &Unused) -> Option<String> {
        let (plan, rows, Unused { at, blanks, words, .. }) = (&self.plan, self.checks.rows, column);
        let (name, different) = (&plan.columns.names[*at], column.different.len());
        let partial = *blanks > 0 && *blanks < rows;
        let fates = partial || (different == 2 && rows > 2) || (has(name, FATES) && different > 1);
        let some = different > 1 && 2 * different as u64 <= rows && plan.keys.is_empty();
        let words = *words > 0 && words + blanks == rows && different <= KEPT;
        let links = some && (is_node(name) || words);
        let flag = links && column.different.iter().all(|cell| is_outcome_word(cell));
        let fates = flag || (fates && plan.kind() == Some(ColumnKind::Sequence));
        let means = match (fates, links && !flag) {
            _ if plan.asked => return None,
            (false, false) => return None,
            (true, true) => "may say what became of the packets, or tell links apart",
            (true, false) => "may say what became of the packets",
            (false, true) => "may tell links apart",
        };
        let more = (different > 3).then(|| "...".to_owned());
        let blank = (*blanks > 0).then(|| format!("blank in {blanks} of {rows} rows"));
        let some = column.different.iter().take(3).map(|cell| excerpt(cell));
        let some: Vec<String> = some.chain(more).chain(blank).collect();
        Some(format!(
            "column {} ({}) {means}: choose what to read, or, if each row is a packet of one link as read, give {}",
            plan.name(*at),
            some.join(", "),
            plan.confirm()
        ))
    }

    /// Links whose packets share one numbering: other links have the numbers that one link lacks.
    fn together(&self) -> Option<String> {
        let name = self.plan.name(self.plan.sequence.filter(|_| !self.plan.asked)?);
        let own: u64 = self.groups.values().map(|group| group.recorder.missing()).sum();
        let rows: u64 = self.groups.values().map(|group| group.rows).sum();
        let all = self.checks.joint.as_ref().filter(|all| all.disorder() == 0)?.missing();
        (rows >= TOGETHER && 4 * own >= rows && 4 * all <= own).then(|| {
            format!(
                "the packets of all {} links are numbered together in column {name}: each link lacks the numbers of \
                 the others ({own} in all), and only {all} are missing from the whole; number the packets of each \
                 link by themselves, or say for each row what became of the packet in a column received",
                self.groups.len()
            )
        })
    }

    /// Rows of outcomes or arrivals: what else they may be, and their order.
    fn outcomes(&self) -> Option<String> {
        let (plan, rows) = (&self.plan, self.checks.rows);
        let kind = plan.kind().filter(|kind| !plan.asked && *kind != ColumnKind::Sequence)?;
        let (value, confirm) = (plan.name(plan.value), plan.confirm());
        let falls: u64 = self.groups.values().map(|group| group.falls).sum();
        let arrival = kind == ColumnKind::Arrival;
        let seen = !arrival || self.groups.values().any(|group| group.lost > 0);
        let rival = self.checks.rivals.iter().find(|(.., differ)| *differ > 0);
        let counts = |column: &&Unused| column.counts && is_count(&plan.columns.names[column.at]);
        let count = self.checks.unused.iter().find(counts).filter(|_| !arrival);
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
fn numbers(plan: &Plan, group: &Group) -> Option<String> {
    let (sequence, kind) = (plan.sequence?, plan.kind()?);
    let (name, confirm, rows) = (plan.name(sequence), plan.confirm(), group.rows);
    let (back, missing) = (group.recorder.disorder(), group.recorder.missing());
    let (gap, before, after) = group.gap;
    let ignored = back - group.recorder.late();
    let restarts = kind == ColumnKind::Sequence && ignored > BACK && SHARE * ignored > rows;
    Some(match (group.recorder.stride(), plan.asked) {
        // No option makes bytes packets.
        (Some(stride), _) if kind == ColumnKind::Sequence => {
            format!(
                "the numbers in column {name} are {stride} apart, not 1: {}",
                no_packets(stride)
            )
        }
        (Some(stride), false) => format!(
            "the numbers in column {name} are {stride} apart, not 1; if every packet sent has a row, give {confirm}"
        ),
        (Some(_), true) => return None,
        (None, true) if kind != ColumnKind::Arrival && !restarts => return None,
        _ if back > BACK && (SHARE * back > rows || group.back.1 > RESTART) => {
            let single = match kind {
                ColumnKind::Arrival => format!("sort them by {name}"),
                _ if restarts => format!("in another order, sort them by {name}"),
                _ => format!("give {confirm}"),
            };
            format!(
                "{back} of {rows} rows repeat or go back below an earlier number in column {name}, as those of several \
                 links or runs do: {SEVERAL}; if all rows are of one link, {single}"
            )
        }
        (_, true) => return None,
        _ if matches!(kind, ColumnKind::Received | ColumnKind::Lost) && back + missing > 0 => {
            format!(
                "the numbers in column {name} are not one after the other: {missing} have no row, and {back} rows repeat \
             or go back below an earlier one. If the rows are the packets in the order sent, give {confirm}; if only \
             received packets have rows, --column {} --kind sequence; else sort the rows by {name}, or {SEVERAL}",
                plan.columns.argument(sequence)
            )
        }
        _ if missing > GAP && (gap > rows || missing > SPARSE * rows) => format!(
            "{missing} numbers are missing in column {name}, {gap} of them in a row between {before} and {after}, \
             while {rows} are there: if these packets were lost, give {confirm}; else {SEVERAL}"
        ),
        _ => return None,
    })
}

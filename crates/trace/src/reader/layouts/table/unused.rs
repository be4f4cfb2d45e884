//! Unused columns of a table. A note names them. The table is refused if one of them shows that the
//! rows are not the packets of one link in the order sent.

use std::collections::BTreeMap;
use std::path::Path;

use super::columns::Plan;
use super::names;
use super::names::{Arrival, arrival, is_arrival, normal};
use super::short::shorten;
use super::sorted::Sorted;
use super::split::WORDS;
use super::spread::Spread;
use super::times::Stamp;
use crate::error::{TraceError, excerpt};
use crate::reader::ColumnKind;

/// Most columns examined; further ones are only named.
const COLUMNS: usize = 32;
/// Most columns named.
const NAMED: usize = 6;
/// Most different cells of a column that may separate links, and fewest rows of each cell in the
/// mean.
const LINKS: usize = 1000;
const ROWS: u64 = 5;
/// Most different words that the note counts.
const FEW: usize = 64;
/// Words beside one of [`WORDS`] in the name of a node or link.
const BESIDE: &[&str] =
    &["id", "no", "nr", "num", "number", "name", "addr", "address", "mote", "sensor"];
/// Words of [`WORDS`] that may change within one link.
const CHANGING: &[&str] = &["channel", "path", "direction", "user"];
/// Words in the name of a column of packet outcomes.
const FATES: &[&str] = &[
    "err",
    "error",
    "errors",
    "crc",
    "fcs",
    "prr",
    "pdr",
    "per",
    "plr",
    "loss",
    "losses",
    "lost",
    "drop",
    "drops",
    "dropped",
    "fail",
    "fails",
    "failed",
    "failures",
    "missing",
    "bad",
    "corrupt",
    "corrupted",
    "valid",
    "ok",
    "outcome",
    "success",
    "received",
    "delivered",
    "ack",
    "acked",
    "status",
    "result",
];

/// One column.
struct Column {
    at: usize,
    /// Count of each cell, of at most one more than [`LINKS`] different ones.
    different: BTreeMap<String, u64>,
    blanks: u64,
    words: u64,
    spread: Spread,
}

/// The unused columns.
pub(super) struct UnusedColumns {
    columns: Vec<Column>,
    left: Vec<usize>,
    rows: u64,
    /// True if no used column gives the order in which the packets were sent.
    any_order: bool,
    arrivals: Sorted,
}

impl Column {
    /// True if a few values are equally frequent, as nodes that send in turn.
    fn is_by_turns(&self) -> bool {
        let (least, most) = (self.different.values().min(), self.different.values().max());
        let often = least.zip(most).is_some_and(|(least, most)| most - least <= 1 + most / 50);
        often && self.different.values().all(|count| *count >= ROWS)
    }
}

impl UnusedColumns {
    pub(super) fn new(plan: &Plan) -> Self {
        let time = plan.time.as_ref().map(|time| time.column);
        let used = [Some(plan.value), plan.sequence, time, plan.order, plan.sent];
        let left: Vec<usize> = (0..plan.columns.len())
            .filter(|i| !used.contains(&Some(*i)) && !plan.keys.contains(i))
            .collect();
        let column = |at: &usize| Column {
            at: *at,
            different: BTreeMap::new(),
            blanks: 0,
            words: 0,
            spread: Spread::default(),
        };
        let columns = left.iter().take(COLUMNS).map(column).collect();
        let numbered = plan.sequence.is_some() || plan.kind == ColumnKind::Sequence;
        let any_order = !numbered && plan.order.is_none();
        Self { columns, left, rows: 0, any_order, arrivals: Sorted::default() }
    }

    /// Leaves out a column that separates links.
    pub(super) fn leave(&mut self, column: usize) {
        self.columns.retain(|c| c.at != column);
        self.left.retain(|i| *i != column);
    }

    pub(super) fn row(&mut self, plan: &Plan, cells: &[String]) {
        self.rows += 1;
        for column in &mut self.columns {
            let cell = &cells[column.at];
            if arrival(cell) == Arrival::Blank {
                column.blanks += 1;
                continue;
            }
            let few = column.different.len() <= LINKS;
            if !few && !self.any_order {
                continue;
            }
            let stamp = Stamp::of(cell);
            column.words += u64::from(stamp.is_none());
            if let Some(stamp) = stamp.filter(|_| self.any_order) {
                column.spread.add(stamp);
            }
            match column.different.get_mut(cell) {
                Some(count) => *count += 1,
                None if few => *column.different.entry(shorten(cell)).or_default() += 1,
                None => {}
            }
        }
        if plan.kind == ColumnKind::Arrival {
            let came = plan.arrival(cells) == Arrival::Came && !plan.is_zero_lost(cells);
            let stamp = Stamp::of(&cells[plan.value]).filter(|_| came);
            self.arrivals.add(stamp.map(Stamp::value));
        }
    }

    /// The note on unused columns, if there are any.
    pub(super) fn named(&self, plan: &Plan) -> Option<String> {
        let mut shown: Vec<String> = self
            .left
            .iter()
            .take(NAMED)
            .map(|at| {
                let name = excerpt(&plan.columns[*at]);
                let of = |c: &&Column| c.at == *at;
                let turns = |c: &Column| {
                    let numbered = plan.sequence.is_some() || c.words > 0;
                    (c.words == self.rows || !numbered) && (c.words > 0 || c.is_by_turns())
                };
                let groups = self.columns.iter().find(of).filter(|c| turns(c));
                match groups.map(|c| c.different.len()) {
                    Some(n @ 2..=FEW) if plan.kind != ColumnKind::Sequence => format!(
                        "{name} ({n} different values; name it link if they tell links apart)"
                    ),
                    _ => name,
                }
            })
            .collect();
        if self.left.len() > NAMED {
            shown.push(format!("{} more", self.left.len() - NAMED));
        }
        (!shown.is_empty()).then(|| format!("not used: {}", shown.join(", ")))
    }

    /// Refuses the table if a column contradicts the reading of the rows.
    pub(super) fn certain(&self, plan: &Plan, path: &Path) -> Result<(), TraceError> {
        if plan.asked || plan.total.is_some() {
            return Ok(());
        }
        let problem = self
            .columns
            .iter()
            .find_map(|column| {
                self.several_links(plan, column)
                    .or_else(|| Self::fates(plan, column))
                    .or_else(|| self.other_order(plan, column))
            })
            .or_else(|| self.sorted_arrivals(plan));
        problem.map_or(Ok(()), |problem| Err(plan.question(path, problem)))
    }

    /// The question about a column of several nodes or flows.
    fn several_links(&self, plan: &Plan, column: &Column) -> Option<String> {
        let name = &plan.columns[column.at];
        let different = column.different.len();
        let several = (2..=LINKS).contains(&different) && self.rows >= ROWS * different as u64;
        if !plan.header || !plan.keys.is_empty() || !several || !is_of_links(name) {
            return None;
        }
        let some: Vec<String> = column.different.keys().take(3).map(|cell| excerpt(cell)).collect();
        let more = if different > some.len() { ", ..." } else { "" };
        Some(format!(
            "column {name} has {different} different values ({}{more}): if they tell links apart, name it \
             link; if all rows are packets of one link, {}",
            some.join(", "),
            plan.choose(),
            name = excerpt(name),
        ))
    }

    /// The question about outcomes or loss rates beside sequence numbers whose gaps are the losses.
    fn fates(plan: &Plan, column: &Column) -> Option<String> {
        let name = &plan.columns[column.at];
        let says = normal(name).split('_').any(|word| FATES.contains(&word));
        if plan.kind != ColumnKind::Sequence || !plan.header || !says || column.different.len() < 2
        {
            return None;
        }
        let some: Vec<String> = column.different.keys().take(3).map(|cell| excerpt(cell)).collect();
        let name = excerpt(name);
        let answer = if column.different.keys().all(|cell| names::outcome(cell, false).is_some()) {
            format!("choose column {name} and kind received (1 = received) or lost (1 = lost)")
        } else {
            "write 1 for received and 0 for lost in it and name it received".to_owned()
        };
        Some(format!(
            "column {name} ({}, ...) may say which packets were lost, and is not read: if it does, {answer}; \
             if every row is a received packet, {}",
            some.join(", "),
            plan.choose(),
        ))
    }

    /// The question about numbers or times that are not in order.
    fn other_order(&self, plan: &Plan, column: &Column) -> Option<String> {
        let name = &plan.columns[column.at];
        let spans = plan.header && (is_arrival(name) || names::is_sent_time(name));
        if !self.any_order || column.blanks + column.words > 0 || spans {
            return None;
        }
        let what = column.spread.order_of_others(self.rows)?;
        let (holds, answer) = what.said();
        Some(format!(
            "column {name} holds {holds}, and the rows are not in its order: if it gives the order in which \
             the packets were sent, {answer}; if the rows are in that order, {choose}",
            name = excerpt(name),
            answer = answer.replace("COLUMN", &excerpt(name)),
            choose = plan.choose(),
        ))
    }

    /// The question about rows sorted by arrival, with the lost packets at an end.
    fn sorted_arrivals(&self, plan: &Plan) -> Option<String> {
        let ordered = plan.sequence.is_some() || plan.order.is_some();
        if plan.kind != ColumnKind::Arrival || ordered {
            return None;
        }
        let moment = plan.header && names::is_moment(plan.value_name());
        let lost = self.arrivals.sorted(moment)?;
        Some(format!(
            "the rows are in the order of column {value}, and the {lost} lost packets are all at one end, as \
             if the rows had been sorted by it: give the rows in the order sent, or with a column of \
             sequence numbers (seq); if they are in that order, {choose}",
            value = excerpt(plan.value_name()),
            choose = plan.choose(),
        ))
    }
}

/// True for a name of a node, a flow or a run: such words and no others.
pub(super) fn is_of_links(name: &str) -> bool {
    let name = normal(name);
    let mut words = name.split('_');
    let mut says = false;
    let fits = words.all(|word| {
        let of_links = WORDS.contains(&word) && !CHANGING.contains(&word);
        says |= of_links || ["mote", "sensor", "addr", "address"].contains(&word);
        of_links || BESIDE.contains(&word)
    });
    fits && says
}

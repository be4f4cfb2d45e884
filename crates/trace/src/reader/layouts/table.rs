//! CSV, TSV and blank-separated tables: one packet a row.
//!
//! A column holds outcomes (0/1, true/false, received/lost, ...), or the sequence numbers of the
//! packets that came (gaps are losses). `table/guess.rs` decides which, from the header's names,
//! the options, or the first rows. A column of time stamps gives the interval, as the median gap
//! over the first 65,536 rows. Columns named `link`, `src`, `dst`, `tx`, `rx`, ... split the rows
//! into links.

mod columns;
mod delimiter;
mod guess;
mod names;

use std::collections::BTreeMap;

use airtcp_units::{Outcomes, Span};

use super::super::head::Head;
use super::super::lines::Lines;
use super::super::open::Input;
use super::super::sequence::{Fault, Recorder, WINDOW};
use super::link;
use crate::error::{TraceError, excerpt};
use crate::reader::{ColumnKind, LinkTrace};
use columns::Plan;

pub(super) const TAG: &str = "table";
pub(super) const DESCRIPTION: &str = "CSV, TSV or blank-separated table, one packet a row: a column of outcomes (received, \
     outcome, success, delivered, ok; or lost, dropped) or of received sequence numbers (seq), \
     optionally time stamps (time_s, t_ms, timestamp_us) and link, src, dst, tx or rx";

/// Gaps kept to find the median.
const MAX_GAPS: usize = 1 << 16;

/// The fallback: it says what is wrong.
pub(super) fn detect(_: &Head<'_>) -> bool {
    true
}

/// One link under construction.
#[derive(Default)]
struct Group {
    outcomes: Outcomes,
    recorder: Recorder,
    /// Last time stamp, and number of packets since it.
    last_time: Option<f64>,
    gaps: Vec<f64>,
    backwards: u64,
    /// Last number in a sequence column beside outcomes, and how often the next was not next.
    last_number: Option<u64>,
    breaks: u64,
}

pub(super) fn read(head: &Head<'_>, input: Input<'_>) -> Result<Vec<LinkTrace>, TraceError> {
    let plan = Plan::of(head, input.options)?;
    let (path, options, budget) = (input.path, input.options, input.budget);
    let template = link(&input, TAG, None, Outcomes::new());
    let mut lines = Lines::new(input);
    let mut groups: BTreeMap<Vec<String>, Group> = BTreeMap::new();
    let mut header = plan.header;
    while let Some(line) = lines.next()? {
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        if std::mem::take(&mut header) {
            continue;
        }
        let cells = plan.delimiter.split(line);
        if cells.len() != plan.columns.len() {
            let found = format!("{} cells in {}", cells.len(), excerpt(line));
            return Err(lines.malformed(found, &format!("{}, as above", plan.columns.len())));
        }
        let key: Vec<String> = plan.keys.iter().map(|&i| shorten(&cells[i])).collect();
        if !groups.contains_key(&key) {
            budget.link(path)?;
        }
        let group = groups.entry(key).or_default();
        let steps = match packet(&plan, group, &cells, options.max_gap) {
            Ok(steps) => steps,
            Err((found, expected)) => return Err(lines.malformed(found, &expected)),
        };
        // Outcomes are charged after they are taken: a gap is bounded by `max_gap`.
        budget.packets(path, steps)?;
        let time = plan.time.as_ref().map(|t| (t, cells[t.column].parse::<f64>()));
        match time {
            Some((_, Ok(time))) if time.is_finite() => group.stamp(time, steps),
            Some((t, _)) => {
                let found = excerpt(&cells[t.column]);
                return Err(lines.malformed(found, "a time stamp, a number"));
            }
            None => {}
        }
    }
    if groups.is_empty() && plan.total.is_some() {
        groups.insert(Vec::new(), Group::default());
    }
    groups
        .into_iter()
        .map(|(key, group)| finish(&plan, &template, key, group, head, |n| budget.packets(path, n)))
        .collect()
}

/// Takes one row's packet; gives back how many packets the record grew by, or what was found and
/// what is accepted.
fn packet(
    plan: &Plan,
    group: &mut Group,
    cells: &[String],
    max_gap: u64,
) -> Result<u64, (String, String)> {
    let cell = cells[plan.value].as_str();
    if plan.kind == ColumnKind::Sequence {
        let Ok(number) = cell.parse::<u64>() else {
            return Err((excerpt(cell), "a sequence number, a whole number from 0".to_owned()));
        };
        return group.recorder.take(number, max_gap).map_err(|fault| match fault {
            Fault::Huge => (format!("sequence number {number}"), "at most 2^62".to_owned()),
            Fault::Jump { previous, gap } => (
                format!("sequence number {number}, {gap} past {previous}"),
                format!("a gap of at most {max_gap} (option max_gap)"),
            ),
            Fault::Fall { previous } => (
                format!("sequence number {number} after {previous}"),
                format!("at most {WINDOW} below the highest so far; split a file of several runs"),
            ),
        });
    }
    let Some(received) = names::outcome(cell, plan.kind == ColumnKind::Lost) else {
        let expected = "0 or 1, true or false, received or lost".to_owned();
        return Err((format!("{} in column {}", excerpt(cell), plan.value_name()), expected));
    };
    group.outcomes.push(received);
    if let Some(number) = plan.sequence.and_then(|i| cells[i].parse::<u64>().ok()) {
        let breaks = group.last_number.is_some_and(|last| last.wrapping_add(1) != number);
        group.breaks += u64::from(breaks);
        group.last_number = Some(number);
    }
    Ok(1)
}

impl Group {
    /// Notes the time of a packet that came `steps` after the one before.
    fn stamp(&mut self, time: f64, steps: u64) {
        if let Some(last) = self.last_time {
            if time < last {
                self.backwards += 1;
            } else if steps > 0 && self.gaps.len() < MAX_GAPS {
                self.gaps.push((time - last) / steps as f64);
            }
        }
        if steps > 0 {
            self.last_time = Some(time);
        }
    }
}

fn finish(
    plan: &Plan,
    template: &LinkTrace,
    key: Vec<String>,
    mut group: Group,
    head: &Head<'_>,
    charge: impl FnOnce(u64) -> Result<(), TraceError>,
) -> Result<LinkTrace, TraceError> {
    let mut link = template.clone();
    link.notes.clone_from(&plan.notes);
    link.outcomes = if plan.kind == ColumnKind::Sequence {
        let (mut outcomes, mut notes) = group.recorder.finish();
        if let Some(total) = plan.total {
            // Our own writer says how many were sent, so losses at both ends are known.
            let (lead, sent) = total.around(outcomes.len() as u64);
            charge(sent - outcomes.len() as u64)?;
            let mut whole = Outcomes::new();
            whole.push_run(false, lead as usize);
            outcomes.iter().for_each(|bit| whole.push(bit));
            whole.push_run(false, sent as usize - whole.len());
            outcomes = whole;
            "losses are gaps in the received sequence numbers".clone_into(&mut notes[0]);
        }
        link.notes.extend(notes);
        outcomes
    } else {
        group.outcomes
    };
    if group.breaks > 0 {
        link.notes.push(format!(
            "{} times the sequence number is not the next one; rows are taken in their order",
            group.breaks
        ));
    }
    if group.backwards > 0 {
        link.notes.push(format!("{} time stamps go backwards", group.backwards));
    }
    group.gaps.sort_by(f64::total_cmp);
    let median = group.gaps.get(group.gaps.len() / 2).copied().unwrap_or(0.0);
    if let Some(time) = &plan.time {
        let interval = Span::from_secs_f64(median * time.unit.as_secs_f64());
        if interval > Span::ZERO {
            link.interval = Some(interval);
        } else {
            link.notes.push("the time stamps do not give an interval".to_owned());
        }
    }
    link.interval = link.interval.or(head.interval());
    if !key.is_empty() {
        link.name = format!("{}:{}", link.name, key.join(">"));
        let names = plan.keys.iter().map(|&i| plan.columns[i].clone());
        link.labels = names.zip(key).collect();
    }
    Ok(link)
}

fn shorten(cell: &str) -> String {
    cell.chars().take(100).collect()
}

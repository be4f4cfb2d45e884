//! CSV, TSV and blank-separated tables: a packet in each row, or a rate of the link over time.
//!
//! A table is read if its columns carry documented names (`words.rs`) or options say what they are
//! (`plan.rs`). Values never decide what a column means. They may contradict its name, and then the
//! table is refused (`checks.rs`) with a question that lists the columns and the options that would
//! read each (`ask.rs`).

mod ask;
mod checks;
mod group;
mod plan;
mod words;

use std::collections::BTreeMap;

use airtcp_units::Outcomes;

use super::super::ends::with_ends;
use super::super::head::Head;
use super::super::input::{Budget, Input};
use super::super::lines::Lines;
use super::delimiter::is_separator;
use super::link::link;
use super::stamps::Stamp;
use crate::error::{TraceError, excerpt};
use crate::reader::{ColumnKind, LinkTrace, ReadOptions};
use ask::Asked;
use checks::Checks;
use group::Group;
use plan::Plan;
use words::{Fate, is_blank};

pub(super) use words::{has, parted, unit_of};

pub(super) const TAG: &str = "table";
pub(super) const DESCRIPTION: &str = "CSV, TSV or blank-separated table, one packet a row, with columns of documented names: outcomes (received, \
     outcome, success, delivered, ok; or lost, dropped), receive times or delays with blanks for lost packets \
     (recv_time_s, rtt_ms), or received sequence numbers (seq), optionally times (time_s, t_ms, timestamp_us) \
     and link, src or dst; or a time and one rate (rx_kbps). Options say what other columns hold: --column and \
     --kind, --lost-value, --unsent-value, --link-column, --time-column, --rate-column, --bytes-column";

/// The fallback, whose errors explain what is wrong.
pub(super) fn detect(_: &Head<'_>) -> bool {
    true
}

/// What a file with this beginning is, if its columns are known.
pub(super) fn kind(head: &Head<'_>) -> Option<&'static str> {
    let plan = Plan::of(head, &ReadOptions::default()).ok()?;
    Some(match plan.kind() {
        Some(_) => "a table with a packet in each row",
        None => "a table of the rate of a link over time",
    })
}

pub(super) fn read(head: &Head<'_>, input: Input<'_>) -> Result<Vec<LinkTrace>, TraceError> {
    let plan = Plan::of(head, input.options)?;
    let (template, budget) = (link(&input, TAG, None, Outcomes::new()), input.budget);
    let checks = Checks::new(&plan);
    let (mut header, count) = (plan.columns.header, plan.columns.names.len());
    let may_be_blank = count == 1 && plan.kind() == Some(ColumnKind::Arrival);
    let mut rows = Rows { plan, budget, groups: BTreeMap::new(), checks };
    // Empty lines since the last row, each a lost packet in a single column of arrivals.
    let mut empty = 0;
    let mut lines = Lines::new(input);
    while let Some(line) = lines.next()? {
        if line.trim().is_empty() {
            empty += u64::from(may_be_blank && !header);
        } else if !is_comment(line) && !std::mem::take(&mut header) {
            let cells = rows.plan.columns.delimiter.split(line);
            if cells.len() != count {
                let found = format!("{} cells in {}", cells.len(), excerpt(line));
                return Err(lines.malformed(found, &format!("{count}, as above")));
            }
            for _ in 0..std::mem::take(&mut empty) {
                rows.row(&[String::new()], &lines)?;
            }
            rows.row(&cells, &lines)?;
        }
    }
    rows.links(&template, head)
}

/// True for a comment, and for the line that tells Excel the separator.
fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with('#') || is_separator(line)
}

/// The state of reading the rows, by link.
struct Rows<'a> {
    plan: Plan,
    budget: &'a Budget,
    groups: BTreeMap<Vec<String>, Group>,
    checks: Checks,
}

impl Rows<'_> {
    /// Takes a row with as many cells as there are columns.
    fn row(&mut self, cells: &[String], lines: &Lines<'_>) -> Result<(), TraceError> {
        let (plan, path) = (&self.plan, &self.plan.columns.path);
        let at_line =
            |problem: &str| plan.columns.question(&format!("line {}: {problem}", lines.number()));
        if cells == plan.columns.names && plan.columns.header {
            let problem =
                "the names of the columns again, as of several files in one: give them one by one";
            return Err(at_line(problem));
        }
        let key: Vec<String> = plan.keys.iter().map(|&i| cells[i].clone()).collect();
        if !self.groups.contains_key(&key) {
            self.budget.link(path)?;
            self.budget.names(path, key.iter().map(String::len).sum())?;
        }
        let group = self.groups.entry(key).or_default();
        let (fate, steps) = group.row(plan, cells).map_err(|problem| at_line(&problem))?;
        // Outcomes are charged after they are taken, because `max_gap` bounds a gap.
        self.budget.packets(path, steps)?;
        self.budget.packets(path, self.checks.row(plan, cells, fate))?;
        if let (Some(time), Some(_)) = (&plan.time, plan.kind()) {
            let (cell, other) = (&cells[time.column], time.column != plan.value);
            let stamp = Stamp::of(cell);
            if stamp.is_none() && !is_blank(cell) && other {
                return Err(lines.malformed(excerpt(cell), "a time stamp, a number or a date"));
            }
            group.stamp(stamp.filter(|_| other || fate == Fate::Came), steps);
        }
        Ok(())
    }

    /// The links after all rows. Refuses tables that contradict the reading.
    fn links(mut self, template: &LinkTrace, head: &Head<'_>) -> Asked<Vec<LinkTrace>> {
        if self.groups.is_empty() && self.plan.total.is_some() {
            self.groups.insert(Vec::new(), Group::default());
        }
        if let Some(problem) = self.problem() {
            return self.plan.columns.ask(&problem);
        }
        let Self { plan, budget, groups, .. } = self;
        let mut links = Vec::new();
        for (key, group) in groups {
            let mut link = template.clone();
            if !key.is_empty() {
                link.name = format!("{}:{}", link.name, key.join(">"));
                let names = plan.keys.iter().map(|&i| plan.columns.names[i].clone());
                link.labels = names.zip(key).collect();
            }
            group.finish(&plan, &mut link)?;
            link.interval = link.interval.or(head.interval());
            if let (Some(ColumnKind::Sequence), Some(total)) = (plan.kind(), plan.total) {
                "losses are gaps in the received sequence numbers".clone_into(&mut link.notes[1]);
                let path = &plan.columns.path;
                let whole = with_ends(&link.outcomes, total, plan.options.max_gap, path)?;
                budget.packets(path, (whole.len() - link.outcomes.len()) as u64)?;
                link.outcomes = whole;
            }
            links.push(link);
        }
        Ok(links)
    }
}

//! The rows of a table, by link, and the links that they make.

use std::collections::BTreeMap;

use super::super::super::ends::with_ends;
use super::super::super::head::Head;
use super::super::super::input::Budget;
use super::super::super::lines::Lines;
use super::super::stamps::Stamp;
use super::ask::Asked;
use super::checks::Checks;
use super::group::Group;
use super::plan::Plan;
use super::words::{Fate, is_blank};
use crate::error::{TraceError, excerpt};
use crate::reader::{ColumnKind, LinkTrace};

/// The state of reading the rows, by link.
pub(super) struct Rows<'a> {
    pub(super) plan: Plan,
    pub(super) budget: &'a Budget,
    pub(super) groups: BTreeMap<Vec<String>, Group>,
    pub(super) checks: Checks,
}

impl Rows<'_> {
    /// Takes a row with as many cells as there are columns.
    pub(super) fn row(&mut self, cells: &[String], lines: &Lines<'_>) -> Result<(), TraceError> {
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
    pub(super) fn links(mut self, template: &LinkTrace, head: &Head<'_>) -> Asked<Vec<LinkTrace>> {
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

//! The rows of a table, sorted into links.

use std::collections::BTreeMap;
use std::path::Path;

use super::super::super::ends::with_ends;
use super::super::super::head::Head;
use super::super::super::input::{Budget, Input};
use super::super::super::lines::Lines;
use super::super::super::sequence::Recorder;
use super::super::stamps::Stamp;
use super::checks::Checks;
use super::group::Group;
use super::marks::Fate;
use super::plan::{Content, Plan};
use super::words::{is_blank, whole};
use crate::error::{TraceError, excerpt};
use crate::reader::{ColumnKind, LinkTrace, ReadOptions};

/// The state of reading the rows, by link.
pub(super) struct Rows<'a> {
    pub(super) plan: Plan,
    path: &'a Path,
    options: &'a ReadOptions,
    budget: &'a Budget,
    groups: BTreeMap<Vec<String>, Group>,
    checks: Checks,
    /// The numbers of all links together, as long as they rise.
    joint: Option<Recorder>,
    /// Empty lines since the last row, each a blank cell of a single column.
    empty: u64,
}

impl<'a> Rows<'a> {
    pub(super) fn new(plan: Plan, input: &Input<'a>) -> Self {
        let checks = Checks::new(&plan);
        let joint = (!plan.keys.is_empty()).then(Recorder::default);
        let &Input { path, options, budget, .. } = input;
        Self { plan, path, options, budget, groups: BTreeMap::new(), checks, joint, empty: 0 }
    }

    /// Takes an empty line, which is a lost packet in a single column of arrivals.
    pub(super) fn blank(&mut self) {
        let is_cell = matches!(self.plan.content, Content::Packets(ColumnKind::Arrival));
        self.empty += u64::from(is_cell && self.plan.columns.names.len() == 1);
    }

    /// Takes a row with as many cells as there are columns.
    pub(super) fn row(&mut self, cells: &[String], lines: &Lines<'_>) -> Result<(), TraceError> {
        for _ in 0..std::mem::take(&mut self.empty) {
            self.row(&[String::new()], lines)?;
        }
        let (plan, path, max_gap) = (&self.plan, self.path, self.options.max_gap);
        if cells == plan.columns.names && plan.columns.header {
            let problem =
                "the names of the columns again, as of several files in one: give them one by one";
            return Err(plan.columns.at_line(lines, problem));
        }
        let key: Vec<String> = plan.keys.iter().map(|&i| cells[i].clone()).collect();
        if !self.groups.contains_key(&key) {
            self.budget.link(path)?;
            self.budget.names(path, key.iter().map(String::len).sum())?;
        }
        let group = self.groups.entry(key).or_default();
        let taken = match plan.content {
            Content::Packets(kind) => group.packet(plan, kind, cells, max_gap),
            content => group.rate(plan, content, cells),
        };
        let (fate, steps) = taken.map_err(|problem| plan.columns.at_line(lines, &problem))?;
        // Outcomes are charged after they are taken, because `max_gap` bounds a gap.
        self.budget.packets(path, steps)?;
        self.checks.row(plan, cells, fate);
        if let (Some(all), Some(sequence)) = (&mut self.joint, plan.sequence) {
            match all.take_outcome(whole(&cells[sequence]).unwrap_or_default(), true, max_gap) {
                Ok(steps) => self.budget.packets(path, steps)?,
                Err(_) => self.joint = None,
            }
        }
        if let (Some(time), Content::Packets(_)) = (&plan.time, plan.content) {
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
    pub(super) fn links(
        self,
        template: &LinkTrace,
        head: &Head<'_>,
    ) -> Result<Vec<LinkTrace>, TraceError> {
        let Self { plan, path, options, budget, mut groups, checks, joint, .. } = self;
        if groups.is_empty() && plan.total.is_some() {
            groups.insert(Vec::new(), Group::default());
        }
        if let Some(problem) = checks.problem(&plan, &groups, joint.as_ref()) {
            return Err(plan.columns.question(&problem));
        }
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
            if let (Content::Packets(ColumnKind::Sequence), Some(total)) =
                (plan.content, plan.total)
            {
                "losses are gaps in the received sequence numbers".clone_into(&mut link.notes[1]);
                let whole = with_ends(&link.outcomes, total, options.max_gap, path)?;
                budget.packets(path, (whole.len() - link.outcomes.len()) as u64)?;
                link.outcomes = whole;
            }
            links.push(link);
        }
        Ok(links)
    }
}

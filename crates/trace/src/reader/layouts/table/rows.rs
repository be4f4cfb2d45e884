//! The rows of a table, sorted into links.

use std::collections::BTreeMap;
use std::path::Path;

use airtcp_units::Span;

use super::super::super::ends::with_ends;
use super::super::super::head::Head;
use super::super::super::input::{Budget, Input};
use super::super::super::lines::Lines;
use super::super::super::sequence::Recorder;
use super::super::rates::{Series, WORTH};
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
    series: BTreeMap<Vec<String>, Series>,
    checks: Checks,
    /// The numbers of all links together, as long as they rise.
    joint: Option<Recorder>,
    /// Empty lines since the last row, each a blank cell of a single column.
    empty: u64,
}

impl<'a> Rows<'a> {
    pub(super) fn new(plan: Plan, input: &Input<'a>) -> Self {
        Self {
            path: input.path,
            options: input.options,
            budget: input.budget,
            groups: BTreeMap::new(),
            series: BTreeMap::new(),
            checks: Checks::new(&plan),
            joint: (!plan.keys.is_empty()).then(Recorder::default),
            empty: 0,
            plan,
        }
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
        let key: Vec<String> = self.plan.keys.iter().map(|&i| cells[i].clone()).collect();
        if !self.groups.contains_key(&key) && !self.series.contains_key(&key) {
            self.budget.link(self.path)?;
            self.budget.names(self.path, key.iter().map(String::len).sum())?;
        }
        match self.plan.content {
            Content::Packets(kind) => self.packet(kind, key, cells, lines),
            content => self.rate(content, key, cells, lines),
        }
    }

    fn packet(
        &mut self,
        kind: ColumnKind,
        key: Vec<String>,
        cells: &[String],
        lines: &Lines<'_>,
    ) -> Result<(), TraceError> {
        let (plan, max_gap) = (&self.plan, self.options.max_gap);
        let group = self.groups.entry(key).or_default();
        let taken = group.packet(plan, kind, cells, max_gap);
        let (fate, steps) = taken.map_err(|problem| plan.columns.at_line(lines, &problem))?;
        // Outcomes are charged after they are taken, because `max_gap` bounds a gap.
        self.budget.packets(self.path, steps)?;
        self.checks.row(plan, kind, cells, fate);
        if let (Some(all), Some(sequence)) = (&mut self.joint, plan.sequence) {
            let number = whole(&cells[sequence]).unwrap_or_default();
            match all.take_outcome(number, true, max_gap) {
                Ok(steps) => self.budget.packets(self.path, steps)?,
                Err(_) => self.joint = None,
            }
        }
        if let Some(time) = &plan.time {
            let cell = &cells[time.column];
            let stamp = Stamp::of(cell);
            if stamp.is_none() && !is_blank(cell) && time.column != plan.value {
                return Err(lines.malformed(excerpt(cell), "a time stamp, a number or a date"));
            }
            group.stamp(stamp.filter(|_| fate != Fate::Lost || time.column != plan.value), steps);
        }
        Ok(())
    }

    fn rate(
        &mut self,
        content: Content,
        key: Vec<String>,
        cells: &[String],
        lines: &Lines<'_>,
    ) -> Result<(), TraceError> {
        let (plan, cell) = (&self.plan, &cells[self.plan.value]);
        self.checks.row(plan, ColumnKind::Received, cells, Fate::Came);
        if plan.marks.fate(cell, ColumnKind::Sequence) == Fate::Unsent {
            return Ok(());
        }
        self.budget.packets(self.path, WORTH)?;
        let Some((at, unit)) = plan.time.as_ref().map(|time| (time.column, time.unit)) else {
            return Ok(());
        };
        let series = self.series.entry(key);
        let series = series.or_insert_with(|| Series::new(unit.unwrap_or(Span::from_secs(1))));
        let scale = if let Content::Rate(scale) = content { Some(scale) } else { None };
        series.row(scale, &cells[at], cell).map_err(|expected| {
            let (found, time) = (excerpt(cell), excerpt(&cells[at]));
            let or = "or, of several links, what tells them apart (--link-column NAME)";
            let problem = format!("found {found} at {time}; expected {expected}, {or}");
            plan.columns.at_line(lines, &problem)
        })
    }

    /// The links after all rows. Refuses tables that contradict the reading.
    pub(super) fn links(
        self,
        template: &LinkTrace,
        head: &Head<'_>,
    ) -> Result<Vec<LinkTrace>, TraceError> {
        let Self { plan, mut groups, checks, joint, budget, path, .. } = self;
        let kind =
            if let Content::Packets(kind) = plan.content { kind } else { ColumnKind::Received };
        if self.series.is_empty() && groups.is_empty() && plan.total.is_some() {
            groups.insert(Vec::new(), Group::default());
        }
        if let Some(problem) = checks.problem(&plan, kind, &groups, joint.as_ref()) {
            return Err(plan.columns.question(&problem));
        }
        let named = |key: Vec<String>| {
            let mut link = template.clone();
            if !key.is_empty() {
                link.name = format!("{}:{}", link.name, key.join(">"));
                let names = plan.keys.iter().map(|&i| plan.columns.names[i].clone());
                link.labels = names.zip(key).collect();
            }
            link
        };
        let mut links = Vec::new();
        for (key, series) in self.series {
            let mut link = named(key);
            link.notes = vec![plan.taken(0, 0)];
            link.capacity = Some(series.capacity(path).map_err(|error| match error {
                Ok(error) => error,
                Err(problem) => {
                    plan.columns.question(&format!("column {} {problem}", plan.name(plan.value)))
                }
            })?);
            links.push(link);
        }
        for (key, group) in groups {
            let mut link = named(key);
            group.finish(&plan, kind, &mut link);
            link.interval = link.interval.or(head.interval());
            if let (ColumnKind::Sequence, Some(total)) = (kind, plan.total) {
                "losses are gaps in the received sequence numbers".clone_into(&mut link.notes[1]);
                let whole = with_ends(&link.outcomes, total, self.options.max_gap, path)?;
                budget.packets(path, (whole.len() - link.outcomes.len()) as u64)?;
                link.outcomes = whole;
            }
            links.push(link);
        }
        Ok(links)
    }
}

//! The rows of a table, sorted into links.

use std::path::Path;

use super::super::super::head::Head;
use super::super::super::input::{Budget, Input};
use super::super::super::lines::Lines;
use super::by_time::PACKETS_PER_TIME;
use super::columns::Plan;
use super::finish::finish;
use super::group::Group;
use super::names::{self, Arrival};
use super::short::shorten;
use super::split::{self, Groups, Split};
use super::times::Stamp;
use super::unused::UnusedColumns;
use super::watch::Watch;
use crate::error::{TraceError, excerpt};
use crate::reader::{ColumnKind, LinkTrace, ReadOptions};

/// The state of reading the rows, by link and column.
pub(super) struct Rows<'a> {
    pub(super) plan: Plan,
    path: &'a Path,
    options: &'a ReadOptions,
    budget: &'a Budget,
    groups: Groups,
    watch: Watch,
    unused: UnusedColumns,
    split: Split,
    /// Empty lines since the last row, if each is a lost packet.
    empty: u64,
    /// Rows whose times may still be kept, over all links.
    room: u64,
}

impl<'a> Rows<'a> {
    pub(super) fn new(plan: Plan, input: &Input<'a>) -> Self {
        Self {
            path: input.path,
            options: input.options,
            budget: input.budget,
            groups: Groups::new(),
            watch: Watch::new(&plan),
            unused: UnusedColumns::new(&plan),
            split: Split::new(&plan),
            empty: 0,
            room: input.options.max_packets / PACKETS_PER_TIME,
            plan,
        }
    }

    /// Takes an empty line, which is a blank cell in a single column of arrivals.
    pub(super) fn blank(&mut self, before_header: bool) {
        let is_cell = self.plan.columns.len() == 1 && self.plan.kind == ColumnKind::Arrival;
        self.empty += u64::from(is_cell && !before_header);
    }

    /// Counts the empty lines before a row.
    pub(super) fn charge_blanks(&mut self) -> Result<(), TraceError> {
        if self.empty > 0 {
            self.budget.packets(self.path, self.empty)?;
            let first = self.groups.entry(Vec::new()).or_default();
            first.lose(std::mem::take(&mut self.empty));
        }
        Ok(())
    }

    /// Takes a row with as many cells as there are columns.
    pub(super) fn row(&mut self, cells: &[String], lines: &Lines<'_>) -> Result<(), TraceError> {
        let key: Vec<String> = self.plan.keys.iter().map(|&i| shorten(&cells[i])).collect();
        if !self.groups.contains_key(&key) {
            self.budget.link(self.path)?;
            self.budget.names(self.path, key.iter().map(String::len).sum())?;
        }
        self.split.row(&self.plan, cells, &key, &self.groups, self.options);
        let group = self.groups.entry(key).or_default();
        let steps = packet(group, &self.plan, cells, self.options, lines)?;
        group.time(&self.plan, cells, &mut self.room);
        self.watch.row(&self.plan, cells);
        self.unused.row(&self.plan, cells);
        // Outcomes are charged after they are taken, because `max_gap` bounds a gap.
        self.budget.packets(self.path, steps)?;
        if let Some(time) = &self.plan.time {
            let cell = &cells[time.column];
            let stamp = Stamp::of(cell);
            if stamp.is_none() && names::arrival(cell) == Arrival::Unclear {
                let found = excerpt(cell);
                return Err(lines.malformed(found, "a time stamp, a number or a date"));
            }
            group.stamp(stamp, steps);
        }
        Ok(())
    }

    /// The links after all rows. Refuses ambiguous tables.
    pub(super) fn links(
        mut self,
        template: &LinkTrace,
        head: &Head<'_>,
    ) -> Result<Vec<LinkTrace>, TraceError> {
        if self.groups.is_empty() && self.plan.total.is_some() {
            self.groups.insert(Vec::new(), Group::default());
        }
        let empty = self.empty;
        let blank = |group: &&mut Group| empty > 0 && group.blank > 0;
        if let Some(group) = self.groups.values_mut().next().filter(blank) {
            self.budget.packets(self.path, empty)?;
            group.lose(empty);
        }
        let Self { mut plan, path, options, budget, mut groups, mut watch, mut unused, .. } = self;
        if let Some(column) = tell_apart(&mut plan, self.split, &mut groups, budget, path)? {
            watch.leave(column);
            unused.leave(column);
        }
        for group in groups.values_mut() {
            let shown = path.display().to_string();
            group.put_in_order(&plan, &shown, options, |grown| budget.packets(path, grown))?;
        }
        watch.certain(&plan, path, &groups)?;
        unused.certain(&plan, path)?;
        plan.unused = unused.named(&plan);
        let each = groups.into_iter().map(|(key, group)| {
            finish(&plan, template, key, group, (head, options.max_gap), |n| {
                budget.packets(path, n)
            })
        });
        each.collect()
    }
}

/// Splits links that no column of a known name separates. Returns the column that does.
fn tell_apart(
    plan: &mut Plan,
    split: Split,
    groups: &mut Groups,
    budget: &Budget,
    path: &Path,
) -> Result<Option<usize>, TraceError> {
    let Some((column, links)) = split.found(plan, groups) else { return Ok(None) };
    if let Some(problem) = split::events(plan, column, &links) {
        return Err(plan.question(path, problem));
    }
    for key in links.keys() {
        budget.link(path)?;
        budget.names(path, key.iter().map(String::len).sum())?;
    }
    *groups = links;
    plan.tell_apart(column, groups.len());
    Ok(Some(column))
}

/// Adds a row's packet and the losses of a gap to its link. Returns their number.
fn packet(
    group: &mut Group,
    plan: &Plan,
    cells: &[String],
    options: &ReadOptions,
    lines: &Lines<'_>,
) -> Result<u64, TraceError> {
    let steps = match group.packet(plan, cells, options.max_gap) {
        Ok(steps) => steps,
        Err((found, expected)) => {
            let line = group.apart.filter(|_| group.is_strided).unwrap_or(lines.number());
            return Err(lines.malformed_at(line, found, &expected));
        }
    };
    if steps > 1 && group.apart.is_none() {
        group.apart = Some(lines.number());
    }
    if let (Some((found, expected)), None) = (&group.fall, &group.fall_error) {
        group.fall_error = Some(lines.malformed(found.clone(), expected));
    }
    Ok(steps)
}

//! Splits a kind that was taken away as a whole by place: those that alone matter, or those that are needed.

use super::change::{Change, Kind, joined, written};
use super::choose::{BESIDE, Search, Tried, Whole};
use super::effect::NEARLY;
use super::name::{ALIKE, Named, causes};
use super::trial::{NotRun, Outcome};
use crate::document::limits::Cause;

/// The same for the fullest of several links in a row: the next one is nearly as full.
const FULLEST: f64 = 1.0 / 3.0;
/// Share of its proportional part of an effect from which a place belongs to a group that is named.
const PART: f64 = 0.25;
/// Most places into which a kind is split: those of most weight. The others are taken away with their cause.
const SPLIT: usize = 6;

impl Search<'_, '_> {
    /// The limits of a kind, by cause: the places that alone make half of its effect, or all of them together
    /// if none does. For each, what a real network can have against it is tried.
    pub(crate) fn split(&mut self, whole: &Whole<'_>) -> Result<Vec<Named>, NotRun> {
        let &Whole { measure, before, tried, .. } = whole;
        let groups = groups(&tried.changes);
        let (chosen, mut single) = self.places(whole, &groups)?;
        let mut found: Vec<Named> = Vec::new();
        for cause in causes(chosen.iter().map(|i| groups[*i][0])) {
            let of: Vec<usize> =
                chosen.iter().copied().filter(|i| groups[*i][0].cause == cause).collect();
            let changes: Vec<&Change> =
                of.iter().flat_map(|i| groups[*i].iter().copied()).collect();
            let all = whole.on_top(changes.iter().copied());
            let outcome = if of.len() == groups.len() {
                Some(tried.outcome.clone())
            } else if let [one] = of.as_slice() {
                single[*one].take()
            } else {
                self.run_one(&all)?
            };
            let Some(outcome) = outcome else { continue };
            // Two causes each of which alone lifts the limit of the same flows as far as both.
            let lifts = |named: &&mut Named| {
                let log = |one: &Outcome| named.measure.effect(before, one).log();
                named.is_lifted_by(before, &outcome)
                    && log(&named.outcome).min(log(&outcome)) >= ALIKE * log(&tried.outcome)
            };
            if let Some(earlier) = found.iter_mut().find(lifts) {
                earlier.limit.or.push(cause);
                continue;
            }
            let mut limit = self.limit(measure, changes[0], before, &outcome, &all);
            limit.place = joined(changes.iter().map(|change| change.place.as_str()));
            // Of several places, those whose own effect is not decided are not named.
            if of.len() == groups.len()
                || limit.low.is_some_and(|low| low > 1.0)
                || whole.effect(&outcome).excludes_one()
            {
                let changes = changes.into_iter().cloned().collect();
                let measure = Self::shown(measure, cause, before, &outcome);
                found.push(Named { limit, measure, changes, outcome });
            }
        }
        if found.is_empty() {
            found = if chosen.is_empty() { self.needed(whole)? } else { self.together(whole) };
        }
        for named in &mut found {
            self.try_help(named, whole)?;
        }
        Ok(found)
    }

    /// Runs what a real network can have against a limit, and notes it if it helps. Against what limits only once
    /// something else is gone, only a thorough search does.
    fn try_help(&mut self, named: &mut Named, whole: &Whole<'_>) -> Result<(), NotRun> {
        if !whole.gone.is_empty() && !self.bench.is_thorough {
            return Ok(());
        }
        let help: Option<Vec<&Change>> =
            named.changes.iter().map(|change| change.help.as_deref()).collect();
        let Some(help) = help.filter(|_| named.limit.with.is_empty()) else { return Ok(()) };
        let all = whole.on_top(help.iter().copied());
        // As many replications as the run with the limit has.
        let replications = whole.before.plan.scenario.replications;
        if let Some(outcome) = self.run_one_in(replications, &all)?
            && named.measure.effect(whole.before, &outcome).is_named()
        {
            named.limit.help = written(&self.bench.sets(help));
        }
        Ok(())
    }

    /// The places whose own effect names them, strongest first; and of each place the run without it.
    fn places(
        &mut self,
        whole: &Whole<'_>,
        groups: &[Vec<&Change>],
    ) -> Result<(Vec<usize>, Vec<Option<Outcome>>), NotRun> {
        let changes = &whole.tried.changes;
        let strength = whole.effect(&whole.tried.outcome).log();
        let mut chosen: Vec<usize> = (0..groups.len()).collect();
        let mut single: Vec<Option<Outcome>> = Vec::new();
        let mut logs = vec![0.0; groups.len()];
        if groups.len() > 1 {
            let variants: Vec<Vec<&Change>> =
                groups.iter().map(|group| whole.on_top(group.iter().copied())).collect();
            single = self.run(&variants)?;
            let log = |o: &Option<Outcome>| o.as_ref().map_or(0.0, |o| whole.effect(o).log());
            logs = single.iter().map(log).collect();
            chosen.retain(|i| logs[*i] >= BESIDE * strength);
            chosen.sort_by(|a, b| logs[*b].total_cmp(&logs[*a]));
        }
        // A group of places that is named takes those along that do their part.
        if let Some(group) = chosen.iter().map(|i| &groups[*i]).find(|group| group.len() > 1) {
            let cause = group[0].cause;
            for (i, other) in groups.iter().enumerate() {
                let part = strength * other.len() as f64 / changes.len() as f64;
                if !chosen.contains(&i) && other[0].cause == cause && logs[i] >= PART * part {
                    chosen.push(i);
                }
            }
            chosen.sort_unstable();
        }
        if chosen.is_empty() && changes.iter().all(|change| change.kind == Kind::Rate) {
            // The fullest of several links in a row is the limit, if it alone matters.
            let best = (0..groups.len()).max_by(|a, b| logs[*a].total_cmp(&logs[*b]));
            let matters = |i: &usize| {
                let outcome = single.get(*i).and_then(Option::as_ref);
                logs[*i] >= FULLEST * strength
                    && outcome.is_some_and(|outcome| whole.effect(outcome).is_named())
            };
            chosen.extend(best.filter(matters));
        }
        Ok((chosen, single))
    }

    /// The limits of a kind none of whose places alone makes half of its effect: the places without which less is
    /// gained.
    fn needed(&mut self, whole: &Whole<'_>) -> Result<Vec<Named>, NotRun> {
        let Tried { changes: given, outcome: without } = whole.tried;
        let groups = groups(given);
        let all_but = |left_out: usize| -> Vec<&Change> {
            let kept = groups.iter().enumerate().filter(|(i, _)| *i != left_out);
            whole.on_top(kept.flat_map(|(_, group)| group.iter().copied()))
        };
        let variants: Vec<Vec<&Change>> = (0..groups.len()).map(all_but).collect();
        let outcomes = self.run(&variants)?;
        let costs = |outcome: &Option<Outcome>| {
            outcome.as_ref().is_none_or(|o| whole.measure.effect(o, without).ratio() >= NEARLY)
        };
        let changes: Vec<Change> = groups
            .iter()
            .zip(&outcomes)
            .filter(|(_, outcome)| costs(outcome))
            .flat_map(|(group, _)| group.iter().copied().cloned())
            .collect();
        if !changes.is_empty()
            && changes.len() < given.len()
            && let Some(outcome) = self.run_one(&whole.on_top(&changes))?
            && whole.effect(&outcome).is_named()
        {
            return Ok(self.together(&Whole { tried: &Tried { changes, outcome }, ..*whole }));
        }
        Ok(self.together(whole))
    }

    /// The limits of a kind none of whose places alone makes half of its effect.
    pub(crate) fn together(&self, whole: &Whole<'_>) -> Vec<Named> {
        let &Whole { measure, before, tried: Tried { changes: tried, outcome }, .. } = whole;
        let (all, causes) = (whole.on_top(tried), causes(tried));
        let of = |cause: &Cause| {
            let changes: Vec<&Change> =
                tried.iter().filter(|change| change.cause == *cause).collect();
            let mut limit = self.limit(measure, changes[0], before, outcome, &all);
            limit.place = joined(changes.iter().map(|change| change.place.as_str()));
            limit.with = causes.iter().copied().filter(|other| other != cause).collect();
            Named {
                limit,
                measure: Self::shown(measure, *cause, before, outcome),
                changes: tried.clone(),
                outcome: outcome.clone(),
            }
        };
        causes.iter().map(of).collect()
    }
}

/// The changes of a kind, one by one; if they are many, those of most weight one by one, and the others by cause.
fn groups(changes: &[Change]) -> Vec<Vec<&Change>> {
    if changes.len() <= SPLIT {
        return changes.iter().map(|change| vec![change]).collect();
    }
    let mut order: Vec<&Change> = changes.iter().collect();
    order.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let weighty = order.iter().take_while(|change| change.weight > 0.0).count().min(SPLIT - 1);
    let (first, rest) = order.split_at(weighty);
    let mut found: Vec<Vec<&Change>> = first.iter().map(|change| vec![*change]).collect();
    for cause in causes(rest.iter().copied()) {
        found.push(rest.iter().copied().filter(|change| change.cause == cause).collect());
    }
    found
}

//! Splits a kind that was taken away as a whole by place: those that alone matter, or those that are needed.

use super::change::{Change, Kind};
use super::choose::{Measure, Search, Tried};
use super::effect::NEARLY;
use super::name::{ALIKE, BESIDE, causes, joined};
use super::result::{Cause, Limit};
use super::trial::{NotRun, Outcome};

/// The same for the fullest of several links in a row: the next one is nearly as full.
const FULLEST: f64 = 1.0 / 3.0;
/// Share of its proportional part of an effect from which a place belongs to a group that is named.
const PART: f64 = 0.25;
/// Most places into which a kind is split: those of most weight. The others are taken away with their cause.
const SPLIT: usize = 6;

impl Search<'_, '_> {
    /// The limits of a kind, by cause: the places that alone make half of its effect, or all of them together
    /// if none does.
    pub(crate) fn split(
        &mut self,
        measure: &Measure,
        before: &Outcome,
        whole: &Tried,
        gone: &[Change],
    ) -> Result<Vec<Limit>, NotRun> {
        let strength = measure.effect(before, &whole.outcome).log();
        let groups = groups(&whole.changes);
        let (mut chosen, mut single, logs) = self.places(measure, before, whole, gone, &groups)?;
        if chosen.is_empty() {
            return self.needed(measure, before, whole, gone);
        }
        // Each of these alone lifts the same limit.
        let cause = |i: &usize| groups[*i][0].cause;
        let mut equal: Vec<Cause> = Vec::new();
        for i in chosen.iter().filter(|i| logs[**i] >= ALIKE * strength) {
            if !equal.contains(&cause(i)) {
                equal.push(cause(i));
            }
        }
        if equal.len() > 1 {
            chosen.retain(|i| !equal[1..].contains(&cause(i)));
        }
        let mut found: Vec<Limit> = Vec::new();
        for named in causes(chosen.iter().map(|i| groups[*i][0])) {
            let of: Vec<usize> = chosen.iter().copied().filter(|i| cause(i) == named).collect();
            let changes: Vec<&Change> =
                of.iter().flat_map(|i| groups[*i].iter().copied()).collect();
            let all: Vec<&Change> = gone.iter().chain(changes.iter().copied()).collect();
            let outcome = if of.len() == groups.len() {
                Some(whole.outcome.clone())
            } else if let [one] = of.as_slice() {
                single[*one].take()
            } else {
                self.run(std::slice::from_ref(&all))?.pop().flatten()
            };
            let Some(outcome) = outcome else { continue };
            let mut limit = self.limit(measure, changes[0], before, &outcome, &all);
            limit.place = joined(changes.iter().map(|change| change.place.as_str()));
            if equal.first() == Some(&named) {
                limit.or.extend(&equal[1..]);
            }
            // Of several places, those whose own effect is not decided are not named.
            if of.len() == groups.len()
                || limit.low.is_some_and(|low| low > 1.0)
                || measure.effect(before, &outcome).excludes_one()
            {
                found.push(limit);
            }
        }
        if found.is_empty() {
            return Ok(self.together(measure, before, whole, gone));
        }
        Ok(found)
    }

    /// The places whose own effect names them, strongest first; and of each place the run without it, and the
    /// logarithm of its effect.
    fn places(
        &mut self,
        measure: &Measure,
        before: &Outcome,
        whole: &Tried,
        gone: &[Change],
        groups: &[Vec<&Change>],
    ) -> Result<(Vec<usize>, Vec<Option<Outcome>>, Vec<f64>), NotRun> {
        let strength = measure.effect(before, &whole.outcome).log();
        let mut chosen: Vec<usize> = (0..groups.len()).collect();
        let mut single: Vec<Option<Outcome>> = Vec::new();
        let mut logs = vec![0.0; groups.len()];
        if groups.len() > 1 {
            let variants: Vec<Vec<&Change>> = groups
                .iter()
                .map(|group| gone.iter().chain(group.iter().copied()).collect())
                .collect();
            single = self.run(&variants)?;
            let log =
                |o: &Option<Outcome>| o.as_ref().map_or(0.0, |o| measure.effect(before, o).log());
            logs = single.iter().map(log).collect();
            chosen.retain(|i| logs[*i] >= BESIDE * strength);
            chosen.sort_by(|a, b| logs[*b].total_cmp(&logs[*a]));
        }
        // A group of places that is named takes those along that do their part.
        if let Some(group) = chosen.iter().map(|i| &groups[*i]).find(|group| group.len() > 1) {
            let cause = group[0].cause;
            for (i, other) in groups.iter().enumerate() {
                let part = strength * other.len() as f64 / whole.changes.len() as f64;
                if !chosen.contains(&i) && other[0].cause == cause && logs[i] >= PART * part {
                    chosen.push(i);
                }
            }
            chosen.sort_unstable();
        }
        if chosen.is_empty() && whole.changes.iter().all(|change| change.kind == Kind::Rate) {
            // The fullest of several links in a row is the limit, if it alone matters.
            let best = (0..groups.len()).max_by(|a, b| logs[*a].total_cmp(&logs[*b]));
            let best = best.filter(|i| logs[*i] >= FULLEST * strength);
            let matters = |i: &usize| {
                single
                    .get(*i)
                    .and_then(Option::as_ref)
                    .is_some_and(|outcome| measure.effect(before, outcome).is_named())
            };
            chosen.extend(best.filter(matters));
        }
        Ok((chosen, single, logs))
    }

    /// The limits of a kind none of whose places alone makes half of its effect: the places without which less is
    /// gained.
    fn needed(
        &mut self,
        measure: &Measure,
        before: &Outcome,
        whole: &Tried,
        gone: &[Change],
    ) -> Result<Vec<Limit>, NotRun> {
        let groups = groups(&whole.changes);
        let all_but = |left_out: usize| -> Vec<&Change> {
            let kept = groups.iter().enumerate().filter(|(i, _)| *i != left_out);
            gone.iter().chain(kept.flat_map(|(_, group)| group.iter().copied())).collect()
        };
        let variants: Vec<Vec<&Change>> = (0..groups.len()).map(all_but).collect();
        let outcomes = self.run(&variants)?;
        let costs = |outcome: &Option<Outcome>| {
            outcome.as_ref().is_none_or(|o| measure.effect(o, &whole.outcome).ratio() >= NEARLY)
        };
        let changes: Vec<Change> = groups
            .iter()
            .zip(&outcomes)
            .filter(|(_, outcome)| costs(outcome))
            .flat_map(|(group, _)| group.iter().copied().cloned())
            .collect();
        if changes.is_empty() || changes.len() == whole.changes.len() {
            return Ok(self.together(measure, before, whole, gone));
        }
        let all: Vec<&Change> = gone.iter().chain(&changes).collect();
        let Some(outcome) = self.run(std::slice::from_ref(&all))?.pop().flatten() else {
            return Ok(self.together(measure, before, whole, gone));
        };
        if !measure.effect(before, &outcome).is_named() {
            return Ok(self.together(measure, before, whole, gone));
        }
        Ok(self.together(measure, before, &Tried { changes, outcome }, gone))
    }

    /// The limits of a kind none of whose places alone makes half of its effect.
    pub(crate) fn together(
        &self,
        measure: &Measure,
        before: &Outcome,
        whole: &Tried,
        gone: &[Change],
    ) -> Vec<Limit> {
        let all: Vec<&Change> = gone.iter().chain(&whole.changes).collect();
        let causes = causes(&whole.changes);
        let of = |cause: &Cause| {
            let changes: Vec<&Change> =
                whole.changes.iter().filter(|change| change.cause == *cause).collect();
            let mut limit = self.limit(measure, changes[0], before, &whole.outcome, &all);
            limit.place = joined(changes.iter().map(|change| change.place.as_str()));
            limit.with = causes.iter().copied().filter(|other| other != cause).collect();
            limit
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

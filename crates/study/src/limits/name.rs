//! Names limits: a kind that was taken away as a whole is split by place, and what stands behind it is looked
//! for among the counters of the run without it.

use std::collections::BTreeMap;

use airtcp_units::detmath::ln;

use super::change::{Change, Kind};
use super::choose::{MORE, Measure, Search, Tried, run};
use super::effect::{Effect, NAMED, NEARLY};
use super::result::{Cause, Limit, Of};
use super::trial::{NotRun, Outcome};

/// Share of an effect, as a logarithm, from which another one is its equal.
const ALIKE: f64 = 0.8;
/// Share of the first limit's effect, as a logarithm, from which another is named beside it.
const BESIDE: f64 = 0.5;
/// The same for the fullest of several links in a row: the next one is nearly as full.
const FULLEST: f64 = 1.0 / 3.0;
/// Least effect of what stands behind the first limit.
const BEHIND: f64 = 1.3;
/// Most places into which a kind is split: those of most weight. The others are taken away with their cause.
const SPLIT: usize = 6;

impl Search<'_, '_> {
    /// Names the first limit, those beside it, and what stands behind it.
    pub(crate) fn name_all(&mut self, first: Kind, others: &[Kind]) -> Result<(), NotRun> {
        let measure = Measure::Sum(self.judged.clone());
        let start = self.limits.len();
        self.name(first, &measure)?;
        let named = self.limits.len();
        let strength = measure.effect(&self.base, &self.tried[&first].outcome).log();
        let behind = self.behind(first)?;
        let mut beside = Vec::new();
        for other in others {
            let effect = measure.effect(&self.base, &self.tried[other].outcome);
            let on_top = behind
                .get(other)
                .map_or(0.0, |b| measure.effect(&self.tried[&first].outcome, &b.outcome).log());
            let wastes = first == Kind::Rate && other.is_waste();
            if on_top < ln(NEARLY) && !wastes && effect.log() >= ALIKE * strength {
                // Two cures of one harm: the second adds nothing once the first is gone.
                let causes: Vec<Cause> =
                    self.tried[other].changes.iter().map(|change| change.cause).collect();
                for limit in &mut self.limits[start..named] {
                    limit.or.extend(&causes);
                    limit.or.sort_unstable();
                    limit.or.dedup();
                }
            } else if effect.log() >= BESIDE * strength || wastes {
                self.name(*other, &measure)?;
                beside.push(*other);
            }
        }
        let behind = behind.into_iter().filter(|(kind, _)| !beside.contains(kind)).collect();
        self.name_behind(first, start..named, behind)
    }

    /// Every kind taken away on top of a first one, from the counters of the run without that.
    pub(crate) fn behind(&mut self, first: Kind) -> Result<BTreeMap<Kind, Tried>, NotRun> {
        let gone = self.tried[&first].changes.clone();
        let outcome = self.tried[&first].outcome.clone();
        let mut kinds = Vec::new();
        for (kind, mut changes) in self.kinds(&outcome) {
            let same = kind == first && matches!(kind, Kind::Rate | Kind::Return | Kind::Slow);
            changes.retain(|change| !gone.iter().any(|other| other.is_same(change)));
            if kind.is_first() && !same && !changes.is_empty() {
                kinds.push((kind, changes));
            }
        }
        let variants: Vec<Vec<&Change>> =
            kinds.iter().map(|(_, changes)| gone.iter().chain(changes).collect()).collect();
        let outcomes = self.run(&variants)?;
        let both = kinds.into_iter().zip(outcomes);
        Ok(both
            .filter_map(|((kind, changes), outcome)| {
                Some((kind, Tried { changes, outcome: outcome? }))
            })
            .collect())
    }

    /// Names what limits once the first limit is gone, if it matters.
    fn name_behind(
        &mut self,
        first: Kind,
        named: std::ops::Range<usize>,
        mut behind: BTreeMap<Kind, Tried>,
    ) -> Result<(), NotRun> {
        let after: Vec<Cause> = self.limits[named].iter().map(|limit| limit.cause).collect();
        let (gone, mut outcome) = {
            let tried = &self.tried[&first];
            (tried.changes.clone(), tried.outcome.clone())
        };
        if self.is_everyone_satisfied(&outcome) {
            return self.name_application(&gone, &outcome, after);
        }
        let measure = Measure::Sum(self.judged.clone());
        self.look_again_behind(&measure, &gone, &mut outcome, &mut behind)?;
        let mut effects: Vec<(Kind, Effect)> = behind
            .iter()
            .map(|(kind, tried)| (*kind, measure.effect(&outcome, &tried.outcome)))
            .filter(|(_, effect)| effect.ratio() >= BEHIND && effect.is_named())
            .collect();
        let most = effects.iter().map(|(_, effect)| effect.log()).fold(0.0, f64::max);
        // Cures of one harm have equal effects: the first kind is named, and the others as alternatives.
        effects.retain(|(kind, effect)| {
            *kind != Kind::Rate && effect.log() >= ALIKE * most || effect.log() >= most
        });
        let Some((kind, _)) = effects.first() else { return Ok(()) };
        let tried = &behind[kind];
        let others: Vec<Cause> =
            effects[1..].iter().flat_map(|(k, _)| causes(&behind[k].changes)).collect();
        let found = self.split(&measure, &outcome, tried, &gone)?;
        for mut limit in found {
            limit.after.clone_from(&after);
            limit.or.extend(&others);
            self.limits.push(limit);
        }
        Ok(())
    }

    /// Repeats with more replications what may stand behind the first limit, if nothing is decided.
    fn look_again_behind(
        &mut self,
        measure: &Measure,
        gone: &[Change],
        outcome: &mut Outcome,
        behind: &mut BTreeMap<Kind, Tried>,
    ) -> Result<(), NotRun> {
        let effect = |tried: &Tried| measure.effect(outcome, &tried.outcome);
        let matters = |tried: &&Tried| effect(tried).ratio() >= BEHIND;
        if behind.values().filter(matters).any(|tried| effect(tried).is_named()) {
            return Ok(());
        }
        let unsure: Vec<Kind> =
            behind.iter().filter(|(_, tried)| matters(tried)).map(|(kind, _)| *kind).collect();
        if unsure.is_empty() {
            return Ok(());
        }
        let bench = self.bench.with_replications(MORE);
        let mut variants: Vec<Vec<&Change>> = vec![gone.iter().collect()];
        variants
            .extend(unsure.iter().map(|kind| gone.iter().chain(&behind[kind].changes).collect()));
        let found = run(&bench, &variants, self.report, &mut self.variants, &mut self.refused)?;
        let mut found = found.into_iter();
        let Some(first) = found.next().flatten() else { return Ok(()) };
        *outcome = first;
        for (kind, again) in unsure.iter().zip(found) {
            if let (Some(tried), Some(again)) = (behind.get_mut(kind), again) {
                tried.outcome = again;
            }
        }
        Ok(())
    }

    /// States that applications get what they ask for, once `gone` is taken away.
    pub(crate) fn name_application(
        &mut self,
        gone: &[Change],
        before: &Outcome,
        after: Vec<Cause>,
    ) -> Result<(), NotRun> {
        let changes = self.kinds(before).remove(&Kind::Application).unwrap_or_default();
        if changes.is_empty() {
            return Ok(());
        }
        let all: Vec<&Change> = gone.iter().chain(&changes).collect();
        let outcome = self.run(std::slice::from_ref(&all))?.pop().flatten();
        let Some(outcome) = outcome else { return Ok(()) };
        let measure = Measure::Sum(self.judged.clone());
        if measure.effect(before, &outcome).is_named() {
            let mut limit = self.limit(&measure, &changes[0], before, &outcome, &all);
            limit.after = after;
            self.limits.push(limit);
        }
        Ok(())
    }

    /// Names a kind, split by place.
    pub(crate) fn name(&mut self, kind: Kind, measure: &Measure) -> Result<(), NotRun> {
        let Some(tried) = self.tried.remove(&kind) else { return Ok(()) };
        let base = self.base.clone();
        let found = self.split(measure, &base, &tried, &[]);
        self.tried.insert(kind, tried);
        self.limits.extend(found?);
        Ok(())
    }

    /// The limits of a kind, by cause: the places that alone make half of its effect, or all of them together
    /// if none does.
    fn split(
        &mut self,
        measure: &Measure,
        before: &Outcome,
        whole: &Tried,
        gone: &[Change],
    ) -> Result<Vec<Limit>, NotRun> {
        let strength = measure.effect(before, &whole.outcome).log();
        let groups = groups(&whole.changes);
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

    /// A limit, from the runs with and without it.
    pub(crate) fn limit(
        &self,
        measure: &Measure,
        change: &Change,
        before: &Outcome,
        after: &Outcome,
        all: &[&Change],
    ) -> Limit {
        let raised = |flow: &&usize| after.mean(**flow) >= NAMED * before.mean(**flow).max(1.0);
        let raised: Vec<usize> = measure.flows().iter().filter(raised).copied().collect();
        // A limit of a few flows is shown by these flows: the sum hides a small one.
        let few = !raised.is_empty() && 2 * raised.len() <= measure.flows().len();
        let own = Measure::Sum(raised.clone());
        let measure = match measure {
            Measure::Sum(_) if few && own.effect(before, after).is_named() => &own,
            measure => measure,
        };
        let effect = measure.effect(before, after);
        let [ratio, low, high] = effect.shown();
        let name = |flow: &usize| before.plan.flows[*flow].name.clone();
        let ends_there = |flow: &usize| {
            let flow = &before.plan.flows[*flow];
            [flow.from, flow.to].iter().any(|node| before.plan.nodes[*node] == change.place)
        };
        let (mut cause, mut or) = (change.cause, change.or.clone());
        // A station that costs only itself is far, and slows nobody.
        if or.contains(&Cause::Distance)
            && self.judged.len() > raised.len()
            && !raised.is_empty()
            && raised.iter().all(ends_there)
        {
            (cause, or) = (Cause::Distance, vec![Cause::SlowStation]);
        }
        Limit {
            cause,
            or,
            with: Vec::new(),
            after: Vec::new(),
            place: change.place.clone(),
            flows: raised.iter().map(name).collect(),
            of: match measure {
                Measure::Slowest(_) => Of::SlowestOfEachRun,
                Measure::Sum(flows) if flows.len() == self.judged.len() => Of::Sum,
                Measure::Sum(_) | Measure::Single(_) => Of::Flows,
            },
            goodput_bps: effect.before,
            without_bps: effect.after,
            ratio,
            low,
            high,
            change: written(&self.bench.sets(all.iter().copied())),
        }
    }
}

/// Paths and values as arguments of `--set`.
pub(crate) fn written(sets: &[(String, String)]) -> Vec<String> {
    sets.iter().map(|(path, value)| format!("{path}={value}")).collect()
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

/// The causes of changes, each once, in order.
fn causes<'c>(changes: impl IntoIterator<Item = &'c Change>) -> Vec<Cause> {
    let mut found: Vec<Cause> = Vec::new();
    for change in changes {
        if !found.contains(&change.cause) {
            found.push(change.cause);
        }
    }
    found
}

/// Most places that are named one by one.
const NAMED_PLACES: usize = 3;

/// Places as a list, of which the first are named.
pub(crate) fn joined<'s>(places: impl IntoIterator<Item = &'s str>) -> String {
    let mut names: Vec<&str> = Vec::new();
    for place in places {
        if !names.contains(&place) {
            names.push(place);
        }
    }
    match names.split_at_checked(NAMED_PLACES) {
        Some((first, rest)) if !rest.is_empty() => {
            format!("{} and {} more", first.join(", "), rest.len())
        }
        _ => match names.as_slice() {
            [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
            names => names.join(""),
        },
    }
}

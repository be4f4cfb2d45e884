//! Names limits: first a kind that was taken away as a whole, and what stands behind it, which is looked for among
//! the counters of the run without it. `split.rs` finds the places.

use std::collections::BTreeMap;

use airtcp_units::detmath::ln;

use super::change::{Change, Kind, written};
use super::choose::{MORE, Measure, Search, Tried, run};
use super::effect::{Effect, NAMED, NEARLY};
use super::result::{Cause, Limit, Of};
use super::trial::{NotRun, Outcome};

/// Share of an effect, as a logarithm, from which another one is its equal.
pub(crate) const ALIKE: f64 = 0.8;
/// Share of the first limit's effect, as a logarithm, from which another is named beside it.
pub(crate) const BESIDE: f64 = 0.5;
/// Least effect of what stands behind the first limit.
const BEHIND: f64 = 1.3;

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

/// The causes of changes, each once, in order.
pub(crate) fn causes<'c>(changes: impl IntoIterator<Item = &'c Change>) -> Vec<Cause> {
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

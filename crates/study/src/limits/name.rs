//! Names limits: first a kind that was taken away as a whole, and what stands behind it, which is looked for among
//! the counters of the run without it. `split.rs` finds the places.

use std::collections::BTreeMap;

use airtcp_units::detmath::ln;

use super::change::{Change, Kind, written};
use super::choose::{BESIDE, MORE, Measure, Search, Tried, Whole};
use super::effect::{Effect, NAMED, NEARLY};
use super::trial::{NotRun, Outcome};
use super::view::is_satisfied;
use crate::document::limits::{Cause, Limit, Of};

/// Share of an effect, as a logarithm, from which another one is its equal.
pub(crate) const ALIKE: f64 = 0.8;
/// Least effect of what stands behind the first limit.
pub(crate) const BEHIND: f64 = 1.3;

/// Most limits, one behind the other, that are named behind the first.
const DEPTH: usize = 2;

/// A limit that is found, what takes it away, and the run without it.
pub(crate) struct Named {
    pub(crate) limit: Limit,
    /// By what it is judged: the flows that the limit names.
    pub(crate) measure: Measure,
    pub(crate) changes: Vec<Change>,
    pub(crate) outcome: Outcome,
}

/// What is named so far: its changes, the run with all of them, and the flows of the limits.
struct Gone {
    changes: Vec<Change>,
    outcome: Outcome,
    measure: Measure,
    causes: Vec<Cause>,
}

impl Search<'_, '_> {
    /// Names the first limit of some flows, what stands behind it, and the limits beside it. From the second on, only
    /// the flows that the first limit names count: the others have limits of their own.
    pub(crate) fn name_all(
        &mut self,
        first: Kind,
        others: &[Kind],
        measure: &Measure,
    ) -> Result<(), NotRun> {
        let base = self.base.clone();
        let found = self.split_kind(first, measure)?;
        let Some(mut gone) = self.gone(None, &found)? else { return Ok(()) };
        let start = self.limits.len();
        self.limits.extend(found.iter().map(|named| named.limit.clone()));
        let own = gone.measure.clone();
        let strength = own.effect(&base, &gone.outcome).log();
        let wastes = |other: Kind| first == Kind::Rate && other.is_waste();
        // Either they are cures of the same harm, or both count.
        let mut alike: Vec<Kind> = others.to_vec();
        alike.retain(|other| {
            let effect = own.effect(&base, &self.tried[other].outcome);
            let are_defects = other.is_defect() && first.is_defect();
            are_defects && !wastes(*other) && effect.log() >= ALIKE * strength
        });
        let looks = self.looks_behind(&gone);
        let mut behind =
            self.behind(&gone.changes, &gone.outcome, |kind| looks || alike.contains(&kind))?;
        let mut beside = Vec::new();
        for other in others {
            let outcome = &self.tried[other].outcome;
            let effect = own.effect(&base, outcome);
            let on_top =
                (behind.get(other)).map_or(0.0, |b| own.effect(&gone.outcome, &b.outcome).log());
            if on_top < ln(NEARLY) && alike.contains(other) {
                // Two cures of one harm: the second adds nothing once the first is gone.
                let causes = causes(&self.tried[other].changes);
                for (named, limit) in found.iter().zip(&mut self.limits[start..]) {
                    if named.is_lifted_by(&base, outcome) {
                        limit
                            .or
                            .extend(causes.iter().filter(|cause| !named.limit.or.contains(cause)));
                    }
                }
            } else if effect.is_named() && (effect.log() >= BESIDE * strength || wastes(*other)) {
                beside.push(*other);
            }
        }
        behind.retain(|kind, _| looks && !beside.contains(kind));
        for level in 1..=DEPTH {
            let found = self.name_behind(&mut gone, behind)?;
            let Some(next) = self.gone(Some(&gone), &found)?.filter(|_| level < DEPTH) else {
                break;
            };
            gone = next;
            let looks = self.looks_behind(&gone);
            behind =
                self.behind(&gone.changes, &gone.outcome, |kind| looks && !beside.contains(&kind))?;
        }
        for kind in beside {
            self.name(kind, &own)?;
        }
        Ok(())
    }

    /// True if what stands behind is looked for. A medium has no other rate at which something else could limit, so that
    /// only a thorough search goes on behind a full one.
    fn looks_behind(&self, gone: &Gone) -> bool {
        self.bench.is_thorough || !gone.causes.contains(&Cause::Medium)
    }

    /// What is gone once these limits are, on top of what is; `None` if nothing is found.
    fn gone(&mut self, before: Option<&Gone>, found: &[Named]) -> Result<Option<Gone>, NotRun> {
        let Some(first) = found.first() else { return Ok(None) };
        let (mut changes, mut all) = before
            .map_or_else(Default::default, |gone| (gone.changes.clone(), gone.causes.clone()));
        for change in found.iter().flat_map(|named| &named.changes) {
            if !changes.contains(change) {
                changes.push(change.clone());
            }
        }
        for named in found {
            if !all.contains(&named.limit.cause) {
                all.push(named.limit.cause);
            }
        }
        // Each of the limits alone, or all at once.
        let alone = found.iter().all(|named| named.changes == first.changes);
        let outcome = if alone {
            first.outcome.clone()
        } else {
            let all: Vec<&Change> = changes.iter().collect();
            let Some(outcome) = self.run_one(&all)? else { return Ok(None) };
            outcome
        };
        let measure = if alone {
            first.measure.clone()
        } else {
            let mut flows: Vec<usize> =
                found.iter().flat_map(|named| named.measure.flows()).copied().collect();
            flows.sort_unstable();
            flows.dedup();
            Measure::Sum(flows)
        };
        Ok(Some(Gone { changes, outcome, measure, causes: all }))
    }

    /// Every wanted kind taken away on top of what is gone, from the counters of the run without that.
    pub(crate) fn behind(
        &mut self,
        gone: &[Change],
        outcome: &Outcome,
        wanted: impl Fn(Kind) -> bool,
    ) -> Result<BTreeMap<Kind, Tried>, NotRun> {
        let mut kinds = Vec::new();
        for (kind, mut changes) in self.kinds(outcome) {
            changes.retain(|change| !gone.iter().any(|other| other.is_same(change)));
            if kind.is_defect() && wanted(kind) && !changes.is_empty() {
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

    /// Names what limits once the limits before are gone, if it matters.
    fn name_behind(
        &mut self,
        gone: &mut Gone,
        mut behind: BTreeMap<Kind, Tried>,
    ) -> Result<Vec<Named>, NotRun> {
        let measure = gone.measure.clone();
        if measure.flows().iter().all(|flow| is_satisfied(&gone.outcome, *flow)) {
            let after = gone.causes.clone();
            self.name_application(measure.flows(), &gone.changes, &gone.outcome, after)?;
            return Ok(Vec::new());
        }
        self.look_again_behind(&measure, &gone.changes, &mut gone.outcome, &mut behind)?;
        let mut effects: Vec<(Kind, Effect)> = behind
            .iter()
            .map(|(kind, tried)| (*kind, measure.effect(&gone.outcome, &tried.outcome)))
            .filter(|(_, effect)| effect.ratio() >= BEHIND && effect.is_named())
            .collect();
        let most = effects.iter().map(|(_, effect)| effect.log()).fold(0.0, f64::max);
        // Cures of one harm have equal effects: the first kind is named, and the others as alternatives.
        effects.retain(|(kind, effect)| {
            *kind != Kind::Rate && effect.log() >= ALIKE * most || effect.log() >= most
        });
        let Some((kind, _)) = effects.first() else { return Ok(Vec::new()) };
        let mut found = self.split(&Whole {
            measure: &measure,
            before: &gone.outcome,
            tried: &behind[kind],
            gone: &gone.changes,
        })?;
        for named in &mut found {
            named.limit.after.clone_from(&gone.causes);
            for (other, _) in &effects[1..] {
                if named.is_lifted_by(&gone.outcome, &behind[other].outcome) {
                    named.limit.or.extend(causes(&behind[other].changes));
                }
            }
        }
        self.limits.extend(found.iter().map(|named| named.limit.clone()));
        Ok(found)
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
        let mut variants: Vec<Vec<&Change>> = vec![gone.iter().collect()];
        variants
            .extend(unsure.iter().map(|kind| gone.iter().chain(&behind[kind].changes).collect()));
        let mut found = self.run_in(MORE, &variants)?.into_iter();
        let Some(first) = found.next().flatten() else { return Ok(()) };
        *outcome = first;
        for (kind, again) in unsure.iter().zip(found) {
            if let (Some(tried), Some(again)) = (behind.get_mut(kind), again) {
                tried.outcome = again;
            }
        }
        Ok(())
    }

    /// States that applications of flows get what they ask for, once `gone` is taken away.
    pub(crate) fn name_application(
        &mut self,
        flows: &[usize],
        gone: &[Change],
        before: &Outcome,
        after: Vec<Cause>,
    ) -> Result<(), NotRun> {
        let change = super::flows::application(&self.view_of(before, flows));
        let Some(change) = change else { return Ok(()) };
        let all: Vec<&Change> = gone.iter().chain([&change]).collect();
        let Some(outcome) = self.run_one(&all)? else { return Ok(()) };
        let measure = Measure::Sum(flows.to_vec());
        // What applications with random periods ask for differs by replication.
        let effect = Effect::of_differences(&measure.values(before), &measure.values(&outcome));
        if effect.is_named() {
            let mut limit = self.limit(&measure, &change, before, &outcome, &all);
            limit.after = after;
            self.limits.push(limit);
        }
        Ok(())
    }

    /// Names a kind, split by place.
    pub(crate) fn name(&mut self, kind: Kind, measure: &Measure) -> Result<(), NotRun> {
        let found = self.split_kind(kind, measure)?;
        self.limits.extend(found.into_iter().map(|named| named.limit));
        Ok(())
    }

    /// The limits of a kind that was tried, split by place.
    fn split_kind(&mut self, kind: Kind, measure: &Measure) -> Result<Vec<Named>, NotRun> {
        let Some(tried) = self.tried.remove(&kind) else { return Ok(Vec::new()) };
        let base = self.base.clone();
        let found = self.split(&Whole { measure, before: &base, tried: &tried, gone: &[] });
        self.tried.insert(kind, tried);
        found
    }

    /// By what a limit of some flows is judged: by those that its removal raises by a tenth, or by all of them if
    /// those alone decide nothing, or if the others may gain as much: those that gain in few replications would be
    /// chosen by their luck. Airtime that raises most flows is that of all.
    pub(crate) fn shown(
        measure: &Measure,
        cause: Cause,
        before: &Outcome,
        after: &Outcome,
    ) -> Measure {
        let Measure::Sum(flows) = measure else { return measure.clone() };
        let raised = raised(flows, before, after);
        let others = flows.iter().copied().filter(|flow| !raised.contains(flow)).collect();
        let (own, others) = (Measure::Sum(raised), Measure::Sum(others));
        let is_part = (1..flows.len()).contains(&own.flows().len());
        let is_of_all = cause == Cause::Medium && 2 * own.flows().len() > flows.len();
        let effect = |measure: &Measure| measure.effect(before, after);
        let all = effect(measure);
        let may_be_luck = || {
            let rest = Effect::of_differences(&others.values(before), &others.values(after));
            all.is_named() && rest.reaches(all.ratio())
        };
        let is_own = is_part && !is_of_all && effect(&own).is_named() && !may_be_luck();
        if is_own { own } else { measure.clone() }
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
        let measure = Self::shown(measure, change.cause, before, after);
        let effect = measure.effect(before, after);
        let [ratio, low, high] = effect.shown();
        let flows = match &measure {
            Measure::Sum(flows) => flows.clone(),
            measure => raised(measure.flows(), before, after),
        };
        let name = |flow: &usize| before.plan.flows[*flow].name.clone();
        let ends_there = |flow: &usize| {
            let flow = &before.plan.flows[*flow];
            [flow.from, flow.to].iter().any(|node| before.plan.nodes[*node] == change.place)
        };
        let (mut cause, mut or) = (change.cause, change.or.clone());
        // A station that costs only itself is far, and slows nobody.
        if or.contains(&Cause::Distance)
            && self.judged.len() > flows.len()
            && !flows.is_empty()
            && flows.iter().all(ends_there)
        {
            (cause, or) = (Cause::Distance, vec![Cause::SlowStation]);
        }
        Limit {
            cause,
            or,
            with: Vec::new(),
            after: Vec::new(),
            place: change.place.clone(),
            flows: flows.iter().map(name).collect(),
            of: match &measure {
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
            help: Vec::new(),
        }
    }
}

impl Named {
    /// True if another run lifts the limit as well: its flows get about as much.
    pub(crate) fn is_lifted_by(&self, before: &Outcome, other: &Outcome) -> bool {
        let log = |outcome: &Outcome| self.measure.effect(before, outcome).log();
        log(other) >= ALIKE * log(&self.outcome)
    }
}

/// The flows that get a tenth more.
fn raised(flows: &[usize], before: &Outcome, after: &Outcome) -> Vec<usize> {
    let raised = |flow: &usize| after.mean(*flow) >= NAMED * before.mean(*flow).max(1.0);
    flows.iter().copied().filter(raised).collect()
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

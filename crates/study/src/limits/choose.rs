//! Chooses the limits of one part of a scenario from the effects of what is taken away.
//!
//! Whole kinds go first, the winner is split by place, and what stands behind it is looked for among the
//! counters of the run without it. A link or medium that something else keeps from being full is no limit
//! until that is gone.

use std::collections::{BTreeMap, BTreeSet};

use airtcp_scenario::Topology;
use airtcp_sim::Way;
use airtcp_units::detmath::ln;

use super::change::{Change, Kind};
use super::effect::{Effect, NAMED, NEARLY};
use super::result::{Cause, Limit, Of, Undecided};
use super::trial::{Bench, NotRun, Outcome};
use super::view::{View, is_satisfied, judged};
use super::{cells, flows, links};

/// Share of an effect, as a logarithm, from which another one is its equal.
const ALIKE: f64 = 0.8;
/// Share of the first limit's effect, as a logarithm, from which another is named beside it.
const BESIDE: f64 = 0.5;
/// Least effect of what stands behind the first limit.
const BEHIND: f64 = 1.3;
/// Least effect on flows that no limit named so far raises.
const OF_OTHERS: f64 = 1.2;
/// Most groups of flows that are judged on their own.
const GROUPS: usize = 4;
/// Most places into which a kind is split; more are taken away by cause.
const SPLIT: usize = 6;
/// Effects from here on are worth more replications if they are not significant.
const WORTH: f64 = NAMED;
/// Replications of a second look.
const MORE: u32 = 8;
/// Use from which a link is full by arithmetic: a limit that is named raises goodput by a tenth.
const FULL: f64 = 1.0 / 1.1;
/// Use from which a shorter round-trip time is not tried: the queue makes it.
const IDLE: f64 = 0.7;

/// By what flows are judged.
#[derive(Debug, Clone)]
pub(crate) enum Measure {
    /// Their sum.
    Sum(Vec<usize>),
    /// A flow that may starve.
    Single(usize),
    /// The slowest of them in each replication.
    Slowest(Vec<usize>),
}

impl Measure {
    pub(crate) fn values(&self, outcome: &Outcome) -> Vec<f64> {
        match self {
            Self::Sum(flows) => outcome.totals(flows),
            Self::Single(flow) => outcome.totals(&[*flow]),
            Self::Slowest(flows) => outcome.slowest(flows),
        }
    }

    pub(crate) fn effect(&self, before: &Outcome, after: &Outcome) -> Effect {
        let (before, after) = (self.values(before), self.values(after));
        match self {
            Self::Sum(_) => Effect::of(&before, &after),
            Self::Single(_) | Self::Slowest(_) => Effect::of_differences(&before, &after),
        }
    }

    fn flows(&self) -> &[usize] {
        match self {
            Self::Sum(flows) | Self::Slowest(flows) => flows,
            Self::Single(flow) => std::slice::from_ref(flow),
        }
    }
}

/// A kind that was taken away as a whole.
pub(crate) struct Tried {
    pub(crate) changes: Vec<Change>,
    pub(crate) outcome: Outcome,
}

/// The search in one part of a scenario.
pub(crate) struct Search<'a, 'b> {
    pub(crate) bench: &'b Bench<'a>,
    pub(crate) base: Outcome,
    /// The judged flows.
    pub(crate) judged: Vec<usize>,
    topology: Option<&'b Topology>,
    ways: &'b [[Way; 2]],
    pub(crate) report: &'b mut dyn FnMut(usize, usize) -> bool,
    pub(crate) tried: BTreeMap<Kind, Tried>,
    pub(crate) limits: Vec<Limit>,
    pub(crate) undecided: Vec<Undecided>,
    /// Number of variants that ran.
    pub(crate) variants: u32,
    /// Changes that the scenario cannot have, for tests.
    pub(crate) refused: Vec<String>,
}

impl<'a, 'b> Search<'a, 'b> {
    pub(crate) fn new(
        bench: &'b Bench<'a>,
        base: Outcome,
        part: &[usize],
        (topology, ways): (Option<&'b Topology>, &'b [[Way; 2]]),
        report: &'b mut dyn FnMut(usize, usize) -> bool,
    ) -> Self {
        Self {
            bench,
            judged: judged(&base.plan, part),
            base,
            topology,
            ways,
            report,
            tried: BTreeMap::new(),
            limits: Vec::new(),
            undecided: Vec::new(),
            variants: 0,
            refused: Vec::new(),
        }
    }

    /// Runs variants; `None` for those that the scenario cannot have.
    pub(crate) fn run(
        &mut self,
        variants: &[Vec<&Change>],
    ) -> Result<Vec<Option<Outcome>>, NotRun> {
        run(self.bench, variants, self.report, &mut self.variants, &mut self.refused)
    }

    /// A run, seen from the judged flows.
    pub(crate) fn view<'v>(&'v self, outcome: &'v Outcome) -> View<'v> {
        View::new(outcome, &self.judged, self.topology, self.ways)
    }

    /// What can be taken away, by kind, from the counters of a run.
    fn kinds(&self, outcome: &Outcome) -> BTreeMap<Kind, Vec<Change>> {
        let view = self.view(outcome);
        let all = links::changes(&view).into_iter().chain(cells::changes(&view));
        let mut by: BTreeMap<Kind, Vec<Change>> = BTreeMap::new();
        for change in all.chain(flows::changes(&view)) {
            by.entry(change.kind).or_default().push(change);
        }
        by
    }

    /// Finds the limits.
    ///
    /// # Errors
    /// If the user stopped the search.
    pub(crate) fn find(&mut self) -> Result<(), NotRun> {
        self.take_kinds_away()?;
        if self.is_everyone_satisfied(&self.base) {
            return self.name_application(&[], &self.base.clone(), Vec::new());
        }
        let mut order = self.order(&Measure::Sum(self.judged.clone()));
        let wasteful = order.first() == Some(&Kind::Rate);
        if order.is_empty() && self.look_again(|_| true)?
            || wasteful && self.look_again(Kind::is_waste)?
        {
            order = self.order(&Measure::Sum(self.judged.clone()));
        }
        match order.split_first() {
            Some((first, others)) => self.name_all(*first, others)?,
            None => self.name_nothing_single()?,
        }
        self.judge_the_rest()
    }

    /// Runs every kind as a whole.
    fn take_kinds_away(&mut self) -> Result<(), NotRun> {
        let kinds: Vec<(Kind, Vec<Change>)> =
            self.kinds(&self.base).into_iter().filter(|(kind, _)| kind.is_first()).collect();
        let variants: Vec<Vec<&Change>> =
            kinds.iter().map(|(_, changes)| changes.iter().collect()).collect();
        let outcomes = self.run(&variants)?;
        for ((kind, changes), outcome) in kinds.into_iter().zip(outcomes) {
            if let Some(outcome) = outcome {
                self.tried.insert(kind, Tried { changes, outcome });
            }
        }
        Ok(())
    }

    fn is_everyone_satisfied(&self, outcome: &Outcome) -> bool {
        self.judged.iter().all(|flow| is_satisfied(outcome, *flow))
    }

    /// The kinds whose removal raises a measure significantly, in the order in which they bind. Twice the capacity
    /// carries at most twice as much: what goes beyond is another thing's, such as fewer losses of shorter frames.
    fn order(&self, measure: &Measure) -> Vec<Kind> {
        let mut found: Vec<(Kind, Effect)> = self
            .tried
            .iter()
            .map(|(kind, tried)| (*kind, measure.effect(&self.base, &tried.outcome)))
            .filter(|(_, effect)| effect.is_named())
            .collect();
        let strength = |(kind, effect): &(Kind, Effect)| match kind {
            // A waste comes before the capacity that it wastes only if it is clearly larger.
            Kind::Rate => effect.log().min(ln(2.0)) + ln(NAMED),
            _ => effect.log(),
        };
        found.sort_by(|a, b| strength(b).total_cmp(&strength(a)));
        let full = self.fullness();
        if full < 1.0 {
            // Something that fills the link once it is gone keeps it from being full now.
            let fills = found.iter().position(|(kind, effect)| {
                *kind != Kind::Rate && effect.ratio() >= NAMED.max(1.0 / full.max(0.01))
            });
            if let Some(at) = fills {
                let first = found.remove(at);
                found.insert(0, first);
            }
        }
        found.into_iter().map(|(kind, _)| kind).collect()
    }

    /// How full the fullest link or medium is; 1 and more is full.
    fn fullness(&self) -> f64 {
        let rates = self.tried.get(&Kind::Rate).map(|tried| tried.changes.as_slice());
        rates.unwrap_or_default().iter().map(|change| change.full).fold(0.0, f64::max)
    }

    /// Repeats the base and the kinds that may matter with more replications; false if there are none.
    fn look_again(&mut self, of: impl Fn(Kind) -> bool) -> Result<bool, NotRun> {
        let measure = Measure::Sum(self.judged.clone());
        let worth: Vec<Kind> = self
            .tried
            .iter()
            .filter(|(kind, tried)| {
                let effect = measure.effect(&self.base, &tried.outcome);
                of(**kind) && effect.ratio() >= WORTH && !effect.excludes_one()
            })
            .map(|(kind, _)| *kind)
            .collect();
        if worth.is_empty() { Ok(false) } else { self.repeat(&worth) }
    }

    /// Runs the base and some kinds with more replications; false if they have had them.
    pub(crate) fn repeat(&mut self, kinds: &[Kind]) -> Result<bool, NotRun> {
        let due = |kind: &&Kind| {
            self.tried.get(kind).is_some_and(|tried| tried.outcome.runs.len() < MORE as usize)
        };
        let kinds: Vec<Kind> = kinds.iter().filter(due).copied().collect();
        let has_base = self.base.runs.len() >= MORE as usize;
        if kinds.is_empty() && has_base {
            return Ok(false);
        }
        let bench = self.bench.with_replications(MORE);
        let changes: Vec<Vec<Change>> =
            kinds.iter().map(|kind| self.tried[kind].changes.clone()).collect();
        let mut variants: Vec<Vec<&Change>> =
            changes.iter().map(|changes| changes.iter().collect()).collect();
        if !has_base {
            variants.push(Vec::new());
        }
        let mut outcomes =
            run(&bench, &variants, self.report, &mut self.variants, &mut self.refused)?;
        if !has_base {
            let Some(base) = outcomes.pop().flatten() else { return Ok(false) };
            self.base = base;
        }
        for (kind, outcome) in kinds.iter().zip(outcomes) {
            if let (Some(tried), Some(outcome)) = (self.tried.get_mut(kind), outcome) {
                tried.outcome = outcome;
            }
        }
        Ok(true)
    }

    /// Names the first limit, those beside it, and what stands behind it.
    fn name_all(&mut self, first: Kind, others: &[Kind]) -> Result<(), NotRun> {
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
            if on_top < ln(NEARLY) && !wastes {
                // Two cures of one harm: the second adds nothing once the first is gone.
                if effect.log() >= ALIKE * strength {
                    let causes: Vec<Cause> =
                        self.tried[other].changes.iter().map(|change| change.cause).collect();
                    for limit in &mut self.limits[start..named] {
                        limit.or.extend(&causes);
                        limit.or.sort_unstable();
                        limit.or.dedup();
                    }
                }
            } else if effect.log() >= BESIDE * strength || wastes {
                self.name(*other, &measure)?;
                beside.push(*other);
            }
        }
        let behind = behind.into_iter().filter(|(kind, _)| !beside.contains(kind)).collect();
        self.name_behind(first, start..named, &behind)
    }

    /// Every kind taken away on top of a first one, from the counters of the run without that.
    fn behind(&mut self, first: Kind) -> Result<BTreeMap<Kind, Tried>, NotRun> {
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
        behind: &BTreeMap<Kind, Tried>,
    ) -> Result<(), NotRun> {
        let after: Vec<Cause> = self.limits[named].iter().map(|limit| limit.cause).collect();
        let (gone, outcome) = {
            let tried = &self.tried[&first];
            (tried.changes.clone(), tried.outcome.clone())
        };
        if self.is_everyone_satisfied(&outcome) {
            return self.name_application(&gone, &outcome, after);
        }
        let measure = Measure::Sum(self.judged.clone());
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

    /// States that applications get what they ask for, once `gone` is taken away.
    fn name_application(
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
            let variant =
                |group: &Vec<&'_ Change>| gone.iter().chain(group.iter().copied()).collect();
            single = self.run(&groups.iter().map(variant).collect::<Vec<_>>())?;
            let log =
                |o: &Option<Outcome>| o.as_ref().map_or(0.0, |o| measure.effect(before, o).log());
            logs = single.iter().map(log).collect();
            chosen.retain(|i| logs[*i] >= BESIDE * strength);
            chosen.sort_by(|a, b| logs[*b].total_cmp(&logs[*a]));
        }
        if chosen.is_empty() {
            return Ok(self.together(measure, before, whole, gone));
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

    /// The limits of a kind none of whose places alone makes half of its effect.
    fn together(
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

    /// Flows that no limit named so far raises have limits of their own.
    fn judge_the_rest(&mut self) -> Result<(), NotRun> {
        for _ in 0..GROUPS {
            if self.limits.is_empty() {
                return Ok(());
            }
            let covered: BTreeSet<&String> =
                self.limits.iter().flat_map(|limit| &limit.flows).collect();
            let is_left = |flow: &usize| {
                !covered.contains(&self.base.plan.flows[*flow].name)
                    && !is_satisfied(&self.base, *flow)
            };
            let rest: Vec<usize> = self.judged.iter().copied().filter(is_left).collect();
            if rest.is_empty() || rest.len() == self.judged.len() {
                return Ok(());
            }
            let measure = Measure::Sum(rest);
            let best = self.order(&measure).into_iter().next().filter(|kind| {
                measure.effect(&self.base, &self.tried[kind].outcome).ratio() >= OF_OTHERS
            });
            let Some(kind) = best else { return Ok(()) };
            let before = self.limits.len();
            self.name(kind, &measure)?;
            if self.limits[before..].iter().all(|limit| limit.flows.is_empty()) {
                self.limits.truncate(before);
                return Ok(());
            }
        }
        Ok(())
    }

    /// No kind alone raises the goodput: a full link, several kinds together, or a shorter round trip may.
    fn name_nothing_single(&mut self) -> Result<(), NotRun> {
        let measure = Measure::Sum(self.judged.clone());
        let full = self
            .tried
            .get(&Kind::Rate)
            .is_some_and(|tried| tried.changes.iter().any(|change| change.busy >= FULL));
        if full && self.name_full_link(&measure)? {
            return Ok(());
        }
        self.list_undecided(&measure);
        if self.tried.len() > 1 && self.name_least_set(&measure)? {
            return Ok(());
        }
        self.name_round_trip(&measure)
    }

    /// A full link that something else limits as well once it is faster.
    fn name_full_link(&mut self, measure: &Measure) -> Result<bool, NotRun> {
        let behind = self.behind(Kind::Rate)?;
        let faster = self.tried[&Kind::Rate].outcome.clone();
        let mut effects: Vec<(Kind, Effect)> = behind
            .iter()
            .map(|(kind, tried)| (*kind, measure.effect(&self.base, &tried.outcome)))
            .filter(|(kind, effect)| {
                effect.is_named()
                    && measure.effect(&faster, &behind[kind].outcome).ratio() >= NEARLY
            })
            .collect();
        effects.sort_by(|a, b| b.1.log().total_cmp(&a.1.log()));
        let Some((kind, _)) = effects.first() else { return Ok(false) };
        let mut changes = self.tried[&Kind::Rate].changes.clone();
        changes.extend(behind[kind].changes.iter().cloned());
        let whole = Tried { changes, outcome: behind[kind].outcome.clone() };
        let found = self.together(measure, &self.base, &whole, &[]);
        self.limits.extend(found);
        Ok(true)
    }

    fn list_undecided(&mut self, measure: &Measure) {
        for tried in self.tried.values() {
            let effect = measure.effect(&self.base, &tried.outcome);
            if effect.ratio() >= NEARLY {
                let [ratio, low, high] = effect.shown();
                let place = joined(tried.changes.iter().map(|change| change.place.as_str()));
                let cause = tried.changes[0].cause;
                self.undecided.push(Undecided { cause, place, ratio, low, high });
            }
        }
    }

    /// The least set of kinds that raises the goodput, if all of them together do.
    fn name_least_set(&mut self, measure: &Measure) -> Result<bool, NotRun> {
        let kinds: Vec<Kind> = self.tried.keys().copied().collect();
        let changes = |without: Option<Kind>| -> Vec<Change> {
            let kept = self.tried.iter().filter(|(kind, _)| Some(**kind) != without);
            kept.flat_map(|(_, tried)| tried.changes.iter().cloned()).collect()
        };
        let all = changes(None);
        let leaving_out: Vec<Vec<Change>> = kinds.iter().map(|k| changes(Some(*k))).collect();
        let Some(outcome) = self.run(&[all.iter().collect()])?.pop().flatten() else {
            return Ok(false);
        };
        if !measure.effect(&self.base, &outcome).is_named() {
            return Ok(false);
        }
        let variants: Vec<Vec<&Change>> =
            leaving_out.iter().map(|changes| changes.iter().collect()).collect();
        let left = self.run(&variants)?;
        let needed: Vec<Kind> = kinds
            .into_iter()
            .zip(left)
            .filter(|(_, left)| {
                left.as_ref().is_some_and(|left| measure.effect(left, &outcome).ratio() >= NEARLY)
            })
            .map(|(kind, _)| kind)
            .collect();
        if needed.len() < 2 {
            return Ok(false);
        }
        let changes: Vec<Change> =
            needed.iter().flat_map(|kind| self.tried[kind].changes.clone()).collect();
        let Some(outcome) = self.run(&[changes.iter().collect()])?.pop().flatten() else {
            return Ok(false);
        };
        if !measure.effect(&self.base, &outcome).is_named() {
            return Ok(false);
        }
        let found = self.together(measure, &self.base, &Tried { changes, outcome }, &[]);
        self.undecided.clear();
        self.limits.extend(found);
        Ok(true)
    }

    fn name_round_trip(&mut self, measure: &Measure) -> Result<(), NotRun> {
        let busiest = self.tried.get(&Kind::Rate).map_or(0.0, |tried| {
            tried.changes.iter().map(|c| c.busy.max(0.6 * c.full)).fold(0.0, f64::max)
        });
        if busiest >= IDLE {
            return Ok(());
        }
        let Some(change) = links::nearer(&self.view(&self.base)) else { return Ok(()) };
        let Some(outcome) = self.run(&[vec![&change]])?.pop().flatten() else { return Ok(()) };
        if measure.effect(&self.base, &outcome).is_named() {
            let limit = self.limit(measure, &change, &self.base, &outcome, &[&change]);
            self.limits.push(limit);
        }
        Ok(())
    }
}

/// Runs variants, and counts them; notes those that the scenario cannot have.
pub(crate) fn run(
    bench: &Bench<'_>,
    variants: &[Vec<&Change>],
    report: &mut dyn FnMut(usize, usize) -> bool,
    count: &mut u32,
    refused: &mut Vec<String>,
) -> Result<Vec<Option<Outcome>>, NotRun> {
    let mut found = Vec::new();
    for (outcome, changes) in bench.run(variants, report)?.into_iter().zip(variants) {
        *count += 1;
        found.push(match outcome {
            Ok(outcome) => Some(outcome),
            Err(NotRun::Refused(error)) => {
                let sets = bench.sets(changes.iter().copied());
                refused.push(format!("{}: {error}", written(&sets).join(" ")));
                None
            }
            Err(NotRun::Stopped) => return Err(NotRun::Stopped),
        });
    }
    Ok(found)
}

/// Paths and values as arguments of `--set`.
fn written(sets: &[(String, String)]) -> Vec<String> {
    sets.iter().map(|(path, value)| format!("{path}={value}")).collect()
}

/// The changes of a kind, one by one, or by cause if they are many.
fn groups(changes: &[Change]) -> Vec<Vec<&Change>> {
    if changes.len() <= SPLIT {
        return changes.iter().map(|change| vec![change]).collect();
    }
    let of = |cause: &Cause| changes.iter().filter(|change| change.cause == *cause).collect();
    causes(changes).iter().map(of).collect()
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
fn joined<'s>(places: impl IntoIterator<Item = &'s str>) -> String {
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

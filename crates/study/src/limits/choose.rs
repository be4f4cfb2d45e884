//! Chooses the limits of one part of a scenario from the effects of what is taken away.
//!
//! Whole kinds go first; `name.rs` splits the winner by place. A link or medium that something else keeps from
//! being full is no limit until that is gone.

use std::collections::{BTreeMap, BTreeSet};

use airtcp_scenario::Topology;
use airtcp_sim::Way;
use airtcp_units::detmath::ln;

use super::change::{Change, Kind, written};
use super::effect::{Effect, NAMED, NEARLY};
use super::trial::{Bench, NotRun, Outcome};
use super::view::{View, is_satisfied, judged};
use super::{cells, flows, links};
use crate::document::limits::{Limit, Undecided};

/// Least effect on flows that no limit named so far raises.
const OF_OTHERS: f64 = 1.2;
/// Most groups of flows that are judged on their own.
const GROUPS: usize = 4;
/// Effects from here on are worth more replications if they are not significant.
const WORTH: f64 = NAMED;
/// Replications of a second look.
pub(crate) const MORE: u32 = 8;
/// Share of the first limit's effect, as a logarithm, from which another is named beside it.
pub(crate) const BESIDE: f64 = 0.5;

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

    pub(crate) fn flows(&self) -> &[usize] {
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

/// A kind that was taken away as a whole, on top of what is gone.
pub(crate) struct Whole<'w> {
    pub(crate) measure: &'w Measure,
    /// The run without what is gone.
    pub(crate) before: &'w Outcome,
    pub(crate) tried: &'w Tried,
    pub(crate) gone: &'w [Change],
}

impl Whole<'_> {
    /// The effect of another run.
    pub(crate) fn effect(&self, outcome: &Outcome) -> Effect {
        self.measure.effect(self.before, outcome)
    }

    /// Changes on top of what is gone.
    pub(crate) fn on_top<'c>(
        &'c self,
        changes: impl IntoIterator<Item = &'c Change>,
    ) -> Vec<&'c Change> {
        self.gone.iter().chain(changes).collect()
    }
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

    /// Runs variants, and counts them; `None` for those that the scenario cannot have, which are noted.
    pub(crate) fn run(
        &mut self,
        variants: &[Vec<&Change>],
    ) -> Result<Vec<Option<Outcome>>, NotRun> {
        self.run_in(self.bench.extent.replications, variants)
    }

    /// The same in another number of replications.
    pub(crate) fn run_in(
        &mut self,
        replications: u32,
        variants: &[Vec<&Change>],
    ) -> Result<Vec<Option<Outcome>>, NotRun> {
        let mut found = Vec::new();
        let outcomes = self.bench.run(replications, variants, self.report)?;
        for (outcome, changes) in outcomes.into_iter().zip(variants) {
            self.variants += 1;
            found.push(match outcome {
                Ok(outcome) => Some(outcome),
                Err(NotRun::Refused(error)) => {
                    let sets = self.bench.sets(changes.iter().copied());
                    self.refused.push(format!("{}: {error}", written(&sets).join(" ")));
                    None
                }
                Err(other) => return Err(other),
            });
        }
        Ok(found)
    }

    /// Runs one variant; `None` if the scenario cannot have it.
    pub(crate) fn run_one(&mut self, changes: &[&Change]) -> Result<Option<Outcome>, NotRun> {
        self.run_one_in(self.bench.extent.replications, changes)
    }

    /// The same in another number of replications.
    pub(crate) fn run_one_in(
        &mut self,
        replications: u32,
        changes: &[&Change],
    ) -> Result<Option<Outcome>, NotRun> {
        Ok(self.run_in(replications, &[changes.to_vec()])?.pop().flatten())
    }

    /// A run, seen from the judged flows.
    pub(crate) fn view<'v>(&'v self, outcome: &'v Outcome) -> View<'v> {
        self.view_of(outcome, &self.judged)
    }

    /// A run, seen from some flows.
    pub(crate) fn view_of<'v>(&'v self, outcome: &'v Outcome, flows: &'v [usize]) -> View<'v> {
        View::new(outcome, flows, self.topology, self.ways)
    }

    /// What can be taken away, by kind, from the counters of a run.
    pub(crate) fn kinds(&self, outcome: &Outcome) -> BTreeMap<Kind, Vec<Change>> {
        let view = self.view(outcome);
        let all = links::changes(&view).into_iter().chain(cells::changes(&view));
        let mut by: BTreeMap<Kind, Vec<Change>> = BTreeMap::new();
        for change in all.chain(flows::changes(&view)) {
            by.entry(change.kind).or_default().push(change);
        }
        by
    }

    /// Finds the limits: first of the flows that do not get what their applications ask for together, and then of
    /// those that no limit named so far raises.
    ///
    /// # Errors
    /// If the user stopped the search, or the time of the variants is too short.
    pub(crate) fn find(&mut self) -> Result<(), NotRun> {
        let (content, mut rest): (Vec<usize>, Vec<usize>) =
            self.judged.iter().partition(|flow| is_satisfied(&self.base, **flow));
        if !rest.is_empty() {
            self.take_kinds_away()?;
        }
        for group in 0..=GROUPS {
            let before = self.limits.len();
            if rest.is_empty() || !self.judge(&Measure::Sum(rest.clone()), group == 0)? {
                break;
            }
            let raised: BTreeSet<&String> =
                self.limits[before..].iter().flat_map(|limit| &limit.flows).collect();
            rest.retain(|flow| !raised.contains(&self.base.plan.flows[*flow].name));
        }
        let base = self.base.clone();
        self.name_application(&content, &[], &base, Vec::new())
    }

    /// Names what limits a group of flows; false if nothing does.
    fn judge(&mut self, measure: &Measure, is_first: bool) -> Result<bool, NotRun> {
        let mut order = self.order(measure);
        let has_defect = |order: &[Kind]| order.iter().any(|kind| kind.is_defect());
        if is_first {
            let wasteful = order.first() == Some(&Kind::Rate);
            if !has_defect(&order) && self.look_again(measure, |_| true)?
                || wasteful && self.look_again(measure, Kind::is_waste)?
            {
                order = self.order(measure);
            }
            // A full medium is no answer as long as something may waste it.
            let may_waste = |kind: &Kind| kind.is_waste() && self.is_unsure(measure, *kind);
            if self.bench.extent.is_short && wasteful && self.tried.keys().any(may_waste) {
                return Err(NotRun::TooShort);
            }
            let has_delays = self.try_round_trip(measure, &order)?;
            if !has_defect(&order) && self.name_together(measure, has_delays)? {
                for kind in order {
                    self.name(kind, measure)?;
                }
                return Ok(true);
            }
            if has_delays {
                order = self.order(measure);
            }
        }
        let Some((first, others)) = order.split_first() else { return Ok(false) };
        if !is_first && self.effect(measure, *first).ratio() < OF_OTHERS {
            return Ok(false);
        }
        self.name_all(*first, others, measure)?;
        Ok(true)
    }

    /// Names what no kind alone raises. Shorter delays, if they were tried, come first if that has less than half of
    /// their effect.
    fn name_together(&mut self, measure: &Measure, has_delays: bool) -> Result<bool, NotRun> {
        let before = self.limits.len();
        if !self.name_nothing_single(measure)? {
            return Ok(false);
        }
        let named = self.limits[before..].iter().filter_map(|limit| limit.ratio);
        let most = named.map(ln).fold(0.0, f64::max);
        let delays = has_delays.then(|| self.effect(measure, Kind::RoundTrip));
        if delays.is_some_and(|delays| delays.is_named() && most < BESIDE * delays.log()) {
            self.limits.truncate(before);
            return Ok(false);
        }
        Ok(true)
    }

    /// The effect of the removal of a kind that was tried.
    pub(crate) fn effect(&self, measure: &Measure, kind: Kind) -> Effect {
        measure.effect(&self.base, &self.tried[&kind].outcome)
    }

    /// Runs every kind as a whole.
    fn take_kinds_away(&mut self) -> Result<(), NotRun> {
        let kinds: Vec<(Kind, Vec<Change>)> = self.kinds(&self.base).into_iter().collect();
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

    /// The kinds whose removal raises a measure significantly, in the order in which they bind. Twice the capacity
    /// carries at most twice as much: what goes beyond is another thing's, such as fewer losses of shorter frames;
    /// unless flows that are not judged use it, too, whose part the others then get.
    fn order(&self, measure: &Measure) -> Vec<Kind> {
        let (mut found, others): (Vec<(Kind, Effect)>, Vec<(Kind, Effect)>) = (self.tried.keys())
            .map(|kind| (*kind, self.effect(measure, *kind)))
            .filter(|(_, effect)| effect.is_named())
            .partition(|(kind, _)| kind.is_defect());
        let alone = !self.tried.contains_key(&Kind::Others);
        let most = if alone { ln(2.0) } else { f64::INFINITY };
        let strength = |(kind, effect): &(Kind, Effect)| match kind {
            // A waste comes before the capacity that it wastes only if it is clearly larger.
            Kind::Rate => effect.log().min(most) + ln(NAMED),
            _ => effect.log(),
        };
        found.sort_by(|a, b| strength(b).total_cmp(&strength(a)));
        let full = self.fullness(measure.flows());
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
        self.put_cause_first(measure, &mut found);
        // Delays and pauses, which are no defect, come first only if nothing before them has half of their effect.
        for other in others {
            let most = found.iter().map(|(_, effect)| effect.log()).fold(0.0, f64::max);
            let at = if most < BESIDE * other.1.log() { 0 } else { found.len() };
            found.insert(at, other);
        }
        found.into_iter().map(|(kind, _)| kind).collect()
    }

    /// A queue that gives as much as a loss, a slow station or other flows is their consequence, and comes after them: an
    /// outage fills a queue, and a queue without an end hides the outage.
    fn put_cause_first(&self, measure: &Measure, found: &mut [(Kind, Effect)]) {
        let Some(&(first @ Kind::Queue, _)) = found.first() else { return };
        let most = &self.tried[&first].outcome;
        let is_alike = |(kind, _): &(Kind, Effect)| {
            kind.is_waste() && measure.effect(&self.tried[kind].outcome, most).ratio() < NEARLY
        };
        if let Some(at) = found.iter().position(is_alike) {
            found[..=at].rotate_right(1);
        }
    }

    /// How full the fullest link or medium with data of some flows is; 1 and more is full.
    fn fullness(&self, of: &[usize]) -> f64 {
        let view = self.view_of(&self.base, of);
        let all = links::changes(&view).into_iter().chain(cells::changes(&view));
        all.filter(|change| change.kind == Kind::Rate).map(|change| change.full).fold(0.0, f64::max)
    }

    /// Repeats the base and the kinds that may matter with more replications; false if there are none.
    fn look_again(&mut self, measure: &Measure, of: impl Fn(Kind) -> bool) -> Result<bool, NotRun> {
        let is_worth = |kind: &Kind| of(*kind) && self.is_unsure(measure, *kind);
        let worth: Vec<Kind> = self.tried.keys().copied().filter(is_worth).collect();
        if worth.is_empty() { Ok(false) } else { self.repeat(&worth) }
    }

    /// True if a kind may matter, but its effect is not significant.
    fn is_unsure(&self, measure: &Measure, kind: Kind) -> bool {
        let effect = self.effect(measure, kind);
        effect.ratio() >= WORTH && !effect.excludes_one()
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
        let changes: Vec<Vec<Change>> =
            kinds.iter().map(|kind| self.tried[kind].changes.clone()).collect();
        let mut variants: Vec<Vec<&Change>> =
            changes.iter().map(|changes| changes.iter().collect()).collect();
        if !has_base {
            variants.push(Vec::new());
        }
        let mut outcomes = self.run_in(MORE, &variants)?;
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
}

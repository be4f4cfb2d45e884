//! What a slow flow is short of: the same removals, seen from this flow, and two more, all others gone and its
//! station near.

use std::collections::{BTreeMap, BTreeSet};

use super::cells;
use super::change::{Change, Kind};
use super::choose::{Measure, Search};
use super::effect::Effect;
use super::trial::{NotRun, Outcome};
use super::view::is_satisfied;
use crate::document::limits::{Cause, Limit, Of, SlowFlow};

/// A flow is slow below this share of the median flow.
const SLOW: f64 = 0.5;
/// Least effect on a slow flow that explains it.
const EXPLAINS: f64 = 2.0;
/// Least goodput of a slow flow without what it is short of, as a share of the median flow: less explains nothing.
const LEAST: f64 = 0.1;
/// Most slow flows that are explained one by one.
const MOST: usize = 3;

/// Explanations of the slow flows of a part, and the slowest flow of each run if it starves.
pub(crate) struct Slowness {
    pub(crate) flows: Vec<SlowFlow>,
    pub(crate) slowest_of_each_run_bps: Option<f64>,
}

/// What raises a slow flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cure {
    /// A fair queue at the access points.
    FairQueue,
    /// A kind that was taken away as a whole.
    Gone(Kind),
}

/// A fair queue at the access points that drop packets: the changes, and the run with them.
type Fair = (Vec<Change>, Outcome);

impl Search<'_, '_> {
    /// Explains slow flows, and adds what starves them to the limits.
    ///
    /// # Errors
    /// If the user stopped the search.
    pub(crate) fn explain_slow_flows(&mut self) -> Result<Slowness, NotRun> {
        let none = Slowness { flows: Vec::new(), slowest_of_each_run_bps: None };
        if self.judged.len() < 2 {
            return Ok(none);
        }
        let means: Vec<f64> = self.judged.iter().map(|flow| self.base.mean(*flow)).collect();
        let median = cells::median(means.clone());
        let mut slow: Vec<(f64, usize)> = means
            .iter()
            .zip(&self.judged)
            .filter(|(mean, flow)| **mean < SLOW * median && !is_satisfied(&self.base, **flow))
            .map(|(mean, flow)| (*mean, *flow))
            .collect();
        slow.sort_by(|a, b| a.0.total_cmp(&b.0));
        slow.truncate(MOST);
        let hungry = self.judged.iter().copied().filter(|i| !is_satisfied(&self.base, *i));
        let slowest = Measure::Slowest(hungry.collect());
        let worst = mean(&slowest.values(&self.base));
        let of_each = self.base.average(|run| {
            cells::median(self.judged.iter().map(|i| run.flows[*i].goodput_bps).collect())
        });
        let in_turns = worst < SLOW * of_each && worst.is_finite();
        if slow.is_empty() && !in_turns {
            return Ok(none);
        }
        let mut fair = self.fair_queue()?;
        if self.look_again_for_slow(&slow, &slowest, fair.as_ref())? {
            fair = self.fair_queue()?;
        }
        let mut flows = Vec::new();
        let mut short: BTreeMap<Cure, Vec<usize>> = BTreeMap::new();
        for (goodput, flow) in &slow {
            let (found, cure) = self.explain(*flow, *goodput, median, fair.as_ref())?;
            if let Some(cure) = cure {
                short.entry(cure).or_default().push(*flow);
            }
            flows.push(found);
        }
        // Flows that are short of the same thing are named together.
        for (cure, of) in short {
            let before = self.limits.len();
            self.name_cure(cure, &Measure::Sum(of.clone()), fair.as_ref())?;
            if let Some(limit) = self.limits.get(before) {
                for found in flows.iter_mut().filter(|found| limit.flows.contains(&found.flow)) {
                    fill(found, limit);
                    // The mean of these flows in the run of this limit, which may be that of one place.
                    found.without_bps = Some(limit.without_bps / limit.flows.len() as f64);
                }
            }
            self.drop_repeated(before);
        }
        if in_turns {
            self.name_for(&slowest, fair.as_ref())?;
        }
        Ok(Slowness { flows, slowest_of_each_run_bps: in_turns.then_some(worst) })
    }

    /// A fair queue at the access points that drop packets: their changes and the run with them.
    fn fair_queue(&mut self) -> Result<Option<Fair>, NotRun> {
        let changes = cells::fair_queues(&self.view(&self.base));
        if changes.is_empty() {
            return Ok(None);
        }
        // As many replications as the base has by now.
        let replications = self.base.plan.scenario.replications;
        let all: Vec<&Change> = changes.iter().collect();
        let outcome = self.run_one_in(replications, &all)?;
        Ok(outcome.map(|outcome| (changes, outcome)))
    }

    /// Repeats with more replications what may starve flows, if that is not decided; true if it did.
    fn look_again_for_slow(
        &mut self,
        slow: &[(f64, usize)],
        slowest: &Measure,
        fair: Option<&Fair>,
    ) -> Result<bool, NotRun> {
        let mut measures: Vec<Measure> = slow.iter().map(|(_, i)| Measure::Single(*i)).collect();
        measures.push(slowest.clone());
        let mut unsure = Vec::new();
        for measure in &measures {
            if let Some((cure, effect)) = self.best_for(measure, fair)
                && !effect.excludes_one()
            {
                unsure.push(match cure {
                    Cure::FairQueue => Kind::Queue,
                    Cure::Gone(kind) => kind,
                });
            }
        }
        unsure.sort_unstable();
        unsure.dedup();
        if unsure.is_empty() { Ok(false) } else { self.repeat(&unsure) }
    }

    /// What a slow flow is short of, if it is its place; else what raises it most, if something does.
    fn explain(
        &mut self,
        flow: usize,
        goodput_bps: f64,
        median_bps: f64,
        fair: Option<&Fair>,
    ) -> Result<(SlowFlow, Option<Cure>), NotRun> {
        let view = self.view(&self.base);
        let ends = [self.base.plan.flows[flow].from, self.base.plan.flows[flow].to];
        let station = ends.into_iter().find(|node| cells::near(&view, *node).is_some());
        let is_far = station.is_some_and(|node| cells::is_far(&view, node));
        let is_thorough = self.bench.is_thorough;
        let near = station.filter(|_| is_far || is_thorough).and_then(|n| cells::near(&view, n));
        let keys = station.and_then(|node| cells::own_keys(&view, node));
        let variants: Vec<_> = near.iter().chain(&keys).map(|change| vec![change]).collect();
        let mut outcomes = self.run(&variants)?.into_iter();
        let near = near.and_then(|change| Some((change, outcomes.next()??)));
        let keys = keys.and_then(|change| Some((change, outcomes.next()??)));
        let measure = Measure::Single(flow);
        let mut found = SlowFlow {
            flow: self.base.plan.flows[flow].name.clone(),
            goodput_bps,
            median_bps,
            short_of: None,
            place: String::new(),
            without_bps: None,
            alone_bps: if is_thorough { self.alone(flow)? } else { None },
            near_bps: near.as_ref().map(|(_, outcome)| outcome.mean(flow)),
            change: Vec::new(),
            help: Vec::new(),
        };
        let place = keys
            .into_iter()
            .chain(near.filter(|_| is_far))
            .map(|(change, outcome)| {
                let effect = measure.effect(&self.base, &outcome);
                (change, outcome, effect)
            })
            .max_by(|a, b| a.2.log().total_cmp(&b.2.log()));
        let own = self.best_for(&measure, fair).filter(|(_, effect)| effect.excludes_one());
        let strength = own.as_ref().map_or(0.0, |(_, effect)| effect.log());
        if let Some((change, outcome, effect)) = place
            && effect.ratio() >= EXPLAINS
            && effect.log() >= 0.5 * strength
        {
            let limit = self.limit(&measure, &change, &self.base, &outcome, &[&change]);
            fill(&mut found, &limit);
            found.without_bps = Some(limit.without_bps);
            self.add(limit);
            return Ok((found, None));
        }
        if own.is_none() {
            self.explain_by_limit(&mut found);
            // Without an explanation the others remain, which crowd it out.
            if found.short_of.is_none() {
                found.alone_bps = self.alone(flow)?;
            }
        }
        Ok((found, own.map(|(cure, _)| cure)))
    }

    /// Goodput of a flow without all others, in b/s.
    fn alone(&mut self, flow: usize) -> Result<Option<f64>, NotRun> {
        let flows = self.base.plan.flows.iter().enumerate();
        let others: Vec<String> =
            flows.filter(|(i, _)| *i != flow).map(|(_, other)| other.name.clone()).collect();
        let alone = Change::new(Kind::Others, Cause::OtherFlows, "all other flows");
        let alone = others.into_iter().fold(alone, |change, name| change.without("flows", name));
        Ok(self.run_one(&[&alone])?.map(|outcome| outcome.mean(flow)))
    }

    /// What is named as the limit of a flow, and not of all, explains it.
    fn explain_by_limit(&self, found: &mut SlowFlow) {
        let named = self.limits.iter().find(|limit| {
            limit.of == Of::Flows && limit.after.is_empty() && limit.flows.contains(&found.flow)
        });
        if let Some(limit) = named {
            fill(found, limit);
            found.without_bps = Some(limit.without_bps / limit.flows.len() as f64);
        }
    }

    /// What raises a measure most, if it doubles it.
    fn best_for(&self, measure: &Measure, fair: Option<&Fair>) -> Option<(Cure, Effect)> {
        // A station that is moved near is heard by all, also if it was not far: see `cells::is_far`.
        let kinds = self
            .tried
            .iter()
            .filter(|(kind, _)| kind.is_defect() && !matches!(kind, Kind::Rate | Kind::Slow));
        let median = cells::median(self.judged.iter().map(|flow| self.base.mean(*flow)).collect());
        let mut all: Vec<(Cure, Effect)> = kinds
            .map(|(kind, tried)| (Cure::Gone(*kind), measure.effect(&self.base, &tried.outcome)))
            .collect();
        let with_fair = |(_, outcome): &Fair| measure.effect(&self.base, outcome);
        all.extend(fair.map(|fair| (Cure::FairQueue, with_fair(fair))));
        all.retain(|(_, effect)| effect.ratio() >= EXPLAINS && effect.after >= LEAST * median);
        all.into_iter().max_by(|a, b| a.1.log().total_cmp(&b.1.log()))
    }

    /// Names what raises a measure most, if it doubles it.
    fn name_for(&mut self, measure: &Measure, fair: Option<&Fair>) -> Result<(), NotRun> {
        let before = self.limits.len();
        if let Some((cure, effect)) = self.best_for(measure, fair)
            && effect.excludes_one()
        {
            self.name_cure(cure, measure, fair)?;
        }
        self.drop_repeated(before);
        Ok(())
    }

    /// Names what raises a measure.
    fn name_cure(
        &mut self,
        cure: Cure,
        measure: &Measure,
        fair: Option<&Fair>,
    ) -> Result<(), NotRun> {
        match (cure, fair) {
            (Cure::Gone(kind), _) => self.name(kind, measure),
            (Cure::FairQueue, Some((changes, outcome))) => {
                let all: Vec<&Change> = changes.iter().collect();
                let limit = self.limit(measure, &changes[0], &self.base, outcome, &all);
                self.limits.push(limit);
                Ok(())
            }
            (Cure::FairQueue, None) => Ok(()),
        }
    }

    fn add(&mut self, limit: Limit) {
        let before = self.limits.len();
        self.limits.push(limit);
        self.drop_repeated(before);
    }

    /// Removes limits after `before` that are named before, or not significant.
    fn drop_repeated(&mut self, before: usize) {
        let added = self.limits.split_off(before);
        for limit in added {
            let same = self.limits.iter_mut().find(|named| is_same(named, &limit));
            if let Some(named) = same {
                // The same limit of more flows.
                if named.flows.iter().all(|flow| limit.flows.contains(flow))
                    && named.of == Of::Flows
                    && limit.of == Of::Flows
                {
                    *named = limit;
                }
            } else if limit.low.is_none_or(|low| low > 1.0) {
                self.limits.push(limit);
            }
        }
    }
}

/// True if two limits are the same cause at places of which one contains the other, or the same change.
fn is_same(one: &Limit, other: &Limit) -> bool {
    let words = |limit: &Limit| -> BTreeSet<String> {
        limit.place.split([' ', ',']).map(str::to_owned).collect()
    };
    let (ours, theirs) = (words(one), words(other));
    one.cause == other.cause && (ours.is_subset(&theirs) || theirs.is_subset(&ours))
        || one.change == other.change
}

/// Writes what a slow flow is short of.
fn fill(found: &mut SlowFlow, limit: &Limit) {
    found.short_of = Some(limit.cause);
    found.place.clone_from(&limit.place);
    found.change.clone_from(&limit.change);
    found.help.clone_from(&limit.help);
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

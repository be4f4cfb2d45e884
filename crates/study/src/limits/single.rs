//! Limits where no kind alone raises the goodput: a full link, several kinds together, or propagation delays.

use super::change::{Change, Kind, joined};
use super::choose::{Measure, Search, Tried, Whole};
use super::effect::{Effect, NEARLY};
use super::links;
use super::name::BEHIND;
use super::trial::NotRun;
use crate::document::limits::Undecided;

/// Use from which a link is full by arithmetic: a limit that is named raises goodput by a tenth.
const FULL: f64 = 1.0 / 1.1;
/// Use from which a shorter round-trip time is not tried: the queue makes it.
const IDLE: f64 = 0.7;

impl Search<'_, '_> {
    /// No defect alone raises the goodput: a full link or several kinds together may. True if they are named.
    pub(crate) fn name_nothing_single(&mut self, measure: &Measure) -> Result<bool, NotRun> {
        let full = self
            .tried
            .get(&Kind::Rate)
            .is_some_and(|tried| tried.changes.iter().any(|change| change.busy >= FULL));
        if full && self.name_full_link(measure)? {
            return Ok(true);
        }
        self.list_undecided(measure);
        Ok(self.tried.len() > 1 && self.name_least_set(measure)?)
    }

    /// A full link that something else limits as well once it is faster.
    fn name_full_link(&mut self, measure: &Measure) -> Result<bool, NotRun> {
        let (gone, faster) = {
            let tried = &self.tried[&Kind::Rate];
            (tried.changes.clone(), tried.outcome.clone())
        };
        let behind = self.behind(&gone, &faster, |_| true)?;
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
        let mut changes = gone;
        changes.extend(behind[kind].changes.iter().cloned());
        let whole = Tried { changes, outcome: behind[kind].outcome.clone() };
        let whole = Whole { measure, before: &self.base, tried: &whole, gone: &[] };
        let found = self.together(&whole);
        self.limits.extend(found.into_iter().map(|named| named.limit));
        Ok(true)
    }

    fn list_undecided(&mut self, measure: &Measure) {
        for tried in self.tried.values() {
            let effect = measure.effect(&self.base, &tried.outcome);
            if effect.ratio() >= NEARLY && !effect.is_named() {
                let [ratio, low, high] = effect.shown();
                let place = joined(tried.changes.iter().map(|change| change.place.as_str()));
                let cause = tried.changes[0].cause;
                self.undecided.push(Undecided { cause, place, ratio, low, high });
            }
        }
    }

    /// The least set of kinds that raises the goodput, if all of them together do.
    fn name_least_set(&mut self, measure: &Measure) -> Result<bool, NotRun> {
        let kinds: Vec<Kind> = self.tried.keys().copied().filter(|kind| kind.is_defect()).collect();
        let changes = |without: Option<Kind>| -> Vec<Change> {
            let is_kept = |kind: &Kind| kind.is_defect() && Some(*kind) != without;
            let kept = self.tried.iter().filter(|(kind, _)| is_kept(kind));
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
        let all: Vec<&Change> = changes.iter().collect();
        let Some(outcome) = self.run_one(&all)? else { return Ok(false) };
        if !measure.effect(&self.base, &outcome).is_named() {
            return Ok(false);
        }
        let tried = Tried { changes, outcome };
        let whole = Whole { measure, before: &self.base, tried: &tried, gone: &[] };
        let found = self.together(&whole);
        self.undecided.clear();
        self.limits.extend(found.into_iter().map(|named| named.limit));
        Ok(true)
    }

    /// Tries shorter delays where nothing else matters much and no link is full; true if it ran.
    pub(crate) fn try_round_trip(
        &mut self,
        measure: &Measure,
        order: &[Kind],
    ) -> Result<bool, NotRun> {
        let defects = order.iter().filter(|kind| kind.is_defect());
        let most = defects.map(|kind| self.effect(measure, *kind).ratio()).fold(0.0, f64::max);
        let busiest = self.tried.get(&Kind::Rate).map_or(0.0, |tried| {
            tried.changes.iter().map(|c| c.busy.max(0.6 * c.full)).fold(0.0, f64::max)
        });
        if most >= BEHIND || busiest >= IDLE {
            return Ok(false);
        }
        let Some(change) = links::nearer(&self.view(&self.base)) else { return Ok(false) };
        // As many replications as the base has by now.
        let replications = self.base.plan.scenario.replications;
        let Some(outcome) = self.run_one_in(replications, &[&change])? else { return Ok(false) };
        self.tried.insert(Kind::RoundTrip, Tried { changes: vec![change], outcome });
        Ok(true)
    }
}

//! From a scenario to what is run: a plan for each variant that can act in it.
//!
//! The random streams of a simulation are named after stations and flows, which keep their names in every
//! plan: in a replication every variant draws the same numbers.

use std::collections::BTreeMap;
use std::path::Path;

use airtcp_scenario::{Resolved, Scenario, ScenarioError};
use airtcp_sim::parallel::Stop;
use airtcp_wifi::mac::AccessMethod;

use super::{Ran, Subject};
use crate::base::error::CompareError;
use crate::base::loader::Traces;
use crate::document::compare::NotRanked;
use crate::document::schemes::{SchemeRun, SchemeVariant};
use crate::document::schemes_options::Wanted;
use crate::subject::cell_observe::{competing, observe};
use crate::subject::input::SINGLE;

/// Said if the reference has DCF and other variants have EDCA.
const ACCESS: &str = "Their differences from it include those between EDCA and DCF. The variant edca shows \
those alone: --reference edca compares with it.";

/// Said of a scheme at the transport boundary without a flow that it could act on.
const NOTHING_CROSSES: &str = "no TCP flow crosses the access point";

/// A scenario under its variants, ready to run.
pub(crate) struct Plans {
    each: Vec<Resolved>,
    pub(crate) variants: Vec<SchemeVariant>,
    pub(crate) not_ranked: Vec<NotRanked>,
    /// Numbers of the flows that compete.
    pub(crate) flows: Vec<usize>,
    traces: Traces,
}

impl Plans {
    /// The plans of a scenario whose traces lie in `folder`.
    ///
    /// # Errors
    /// If the scenario has no cell, or a variant that is named cannot act in it.
    pub(crate) fn new(
        scenario: &Scenario,
        folder: &Path,
        wanted: &[Wanted],
    ) -> Result<Self, CompareError> {
        let base = scenario.resolve()?;
        if base.cells.is_empty() {
            let message = "is missing: schemes act in 802.11 cells; describe one as [[cells]]";
            return Err(ScenarioError::at("cells", message).into());
        }
        let mut plans = Self {
            each: Vec::new(),
            variants: Vec::new(),
            not_ranked: Vec::new(),
            flows: competing(&base),
            traces: Traces::new(folder, BTreeMap::new()),
        };
        for (number, one) in wanted.iter().enumerate() {
            match plans.plan(&base.scenario, one, number == 0) {
                Ok((plan, sets)) => {
                    plans.each.push(plan);
                    plans.variants.push(SchemeVariant { variant: one.label.clone(), sets });
                }
                Err(error) if one.is_named => return Err(error),
                Err(error) => {
                    let refused = NotRanked::refused(one.label.clone(), error.to_string());
                    plans.not_ranked.push(refused);
                }
            }
        }
        Ok(plans)
    }

    /// The plan of one variant, and what it sets.
    fn plan(
        &self,
        base: &Scenario,
        wanted: &Wanted,
        is_first: bool,
    ) -> Result<(Resolved, Vec<String>), CompareError> {
        let variant = wanted.variant.as_ref().map_err(CompareError::other)?;
        let mut scenario = base.clone();
        let sets = variant.put(&mut scenario)?;
        if sets.is_empty() && !wanted.is_named && !is_first {
            return Err(CompareError::other(variant.unchanged()));
        }
        let plan = scenario.resolve().and_then(|plan| {
            airtcp_sim::prepare(&plan, &|name| self.traces.load(name))?;
            Ok(plan)
        });
        let plan = plan.map_err(|e| match &e.path {
            // The base is as written; what a variant sets has no line in the file.
            _ if sets.is_empty() => CompareError::Scenario(e),
            path => CompareError::other(match key_of_scheme(path) {
                Some(key) => format!("\"{}\": {key}: {}", wanted.label, e.message),
                None => format!("\"{}\" cannot act here: {e}", wanted.label),
            }),
        })?;
        if variant.has_scheme() && airtcp_sim::boundary_flows(&plan)? == Some(false) {
            let named = format!("\"{}\" cannot act here: {NOTHING_CROSSES}", wanted.label);
            let message = if wanted.is_named { named } else { NOTHING_CROSSES.to_owned() };
            return Err(CompareError::other(message));
        }
        Ok((plan, sets))
    }

    /// The first plan, which is the reference's.
    pub(crate) fn first(&self) -> &Resolved {
        &self.each[0]
    }

    /// What a reader of the numbers must know.
    pub(crate) fn notes(&self) -> Vec<String> {
        let single = (self.first().scenario.replications == 1).then(|| SINGLE.to_owned());
        single.into_iter().chain(self.access_note()).collect()
    }

    /// Which variants have access categories that the reference lacks.
    fn access_note(&self) -> Option<String> {
        let has_edca =
            |plan: &Resolved| plan.cells.iter().any(|c| c.spec.mac.access == AccessMethod::Edca);
        if has_edca(self.first()) {
            return None;
        }
        let with = self.each.iter().zip(&self.variants).filter(|(plan, _)| has_edca(plan));
        let names: Vec<&str> = with.map(|(_, v)| v.variant.as_str()).collect();
        (!names.is_empty()).then(|| {
            format!("With EDCA, while the reference has DCF: {}. {ACCESS}", names.join(", "))
        })
    }

    /// Names of the stations in the order of the runs; none for an access point.
    pub(crate) fn stations(&self) -> Vec<Option<String>> {
        let cells = &self.first().cells;
        let of = |cell: &airtcp_scenario::Cell| -> Vec<Option<String>> {
            let names = cell.spec.node_names().into_iter().enumerate();
            names.map(|(i, name)| (i > 0).then_some(name)).collect()
        };
        cells.iter().flat_map(of).collect()
    }
}

impl Subject for Plans {
    type Done = SchemeRun;

    fn jobs(&self) -> (usize, u32) {
        (self.variants.len(), self.first().scenario.replications)
    }

    fn run(&self, variant: usize, number: u32, stop: &Stop) -> Ran<SchemeRun> {
        let load = |name: &str| self.traces.load(name);
        let done = airtcp_sim::run_replication(&self.each[variant], number, &load, stop)?;
        Ok(done.map(|replication| SchemeRun {
            variant: self.variants[variant].variant.clone(),
            ..observe(&replication, &self.flows)
        }))
    }
}

/// The key of a scheme whose value is impossible, from the path of the error; `None` if the scheme as a
/// whole cannot act.
fn key_of_scheme(path: &str) -> Option<&str> {
    let (_, rest) = path.split_once(".schemes[")?;
    let (_, key) = rest.split_once("].")?;
    (key != "scheme").then_some(key)
}

//! Prepares the inputs of a comparison: scenarios here, traces in `links`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use airtcp_scenario::{Scenario, ScenarioError};
use airtcp_trace::LinkTrace;

use crate::base::compare_error::CompareError;
use crate::base::draws::Naming;
use crate::document::compare::Channel;
use crate::document::compare_options::{CompareOptions, REPLICATIONS};
use crate::subject::describe::of_plans;
use crate::subject::plan::Plans;
use crate::subject::planned::{Planned, Prepared};
use crate::subject::remedies;
use crate::subject::traces::{over_capacity, over_link, over_slots};
use crate::variant::tcp::VariantSpec;

/// An input of a comparison.
#[derive(Debug, Clone)]
pub enum Input {
    /// A scenario as read.
    Scenario {
        /// Its file, as results and messages name it.
        name: String,
        /// Its text, for the line numbers of messages.
        text: String,
        /// The scenario.
        scenario: Box<Scenario>,
        /// The folder of the traces that it names.
        folder: PathBuf,
    },
    /// A delivery trace.
    Link(Box<LinkTrace>),
}

/// Remark on a single replication.
pub(crate) const SINGLE: &str = "A single replication: there are no intervals.";

/// A scenario with the root seed and the replications that are asked for: several, if nothing else is.
pub(crate) fn with_runs(
    scenario: &Scenario,
    seed: Option<u64>,
    replications: Option<u32>,
) -> Scenario {
    let several = (scenario.replications > 1).then_some(scenario.replications);
    Scenario {
        seed: seed.unwrap_or(scenario.seed),
        replications: replications.or(several).unwrap_or(REPLICATIONS),
        ..scenario.clone()
    }
}

/// Prepares an input, and refuses one that cannot run.
pub(crate) fn prepare<'a>(
    given: &'a Input,
    naming: &mut Naming,
    variants: &[VariantSpec],
    (remedies, asked): (&[VariantSpec], &[String]),
    options: &CompareOptions,
) -> Result<Prepared<'a>, CompareError> {
    match (given, &options.as_link) {
        (Input::Scenario { name, text, scenario, folder }, _) => {
            let scenario = with_runs(scenario, options.seed, options.replications);
            let plans = Plans::new(&scenario, folder, BTreeMap::new(), variants, options)
                .map_err(|e| located(e, name, text))?;
            let mut subject = of_plans(&plans, variants);
            subject.name.clone_from(name);
            if scenario.replications == 1 {
                subject.notes.push(SINGLE.to_owned());
            }
            let replications = scenario.replications;
            let case =
                Planned::Plans { plans: Box::new(plans), replications, channel: Channel::Scenario };
            let remedies = (!remedies.is_empty())
                .then(|| {
                    let known = BTreeMap::new();
                    remedies::over_scenario(&scenario, (folder, &known), remedies, options)
                })
                .transpose()
                .map_err(|e| located(e, name, text))?;
            Ok(Prepared { subject, cases: vec![case], remedies })
        }
        (Input::Link(link), around) if link.capacity.is_some() => {
            over_capacity(link, &around.clone().unwrap_or_default(), (variants, asked), options)
        }
        (Input::Link(link), None) => {
            over_slots(link, &naming.draws(&link.outcomes), (variants, remedies), options)
        }
        (Input::Link(link), Some(around)) => over_link(link, around, (variants, remedies), options),
    }
}

/// The error of a replication, with its file and line.
pub(crate) fn at(given: &Input, error: ScenarioError) -> CompareError {
    match given {
        Input::Scenario { name, text, .. } => located(error.into(), name, text),
        Input::Link(_) => error.into(),
    }
}

/// An error of a scenario, with its file and line.
pub(crate) fn located(error: CompareError, name: &str, text: &str) -> CompareError {
    match error {
        CompareError::Scenario(e) => {
            let path = e.path.trim_end_matches('.').to_owned();
            CompareError::Scenario(ScenarioError { path, ..e }.located(name, text))
        }
        CompareError::Other(message) => CompareError::Other(format!("{name}: {message}")),
        other => other,
    }
}

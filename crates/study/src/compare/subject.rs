//! Prepares the inputs of a comparison: scenarios here, traces in `links`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use airtcp_scenario::{Scenario, ScenarioError};
use airtcp_trace::LinkTrace;

use super::describe::of_plans;
use super::error::CompareError;
use super::links::{over_capacity, over_link, over_slots};
use super::options::{CompareOptions, REPLICATIONS};
use super::plan::Plans;
use super::planned::{Planned, Prepared};
use super::remedies;
use super::result::Channel;
use super::variant_spec::VariantSpec;
use crate::draws::Naming;

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
            let mut scenario = (**scenario).clone();
            scenario.seed = options.seed.unwrap_or(scenario.seed);
            let several = (scenario.replications > 1).then_some(scenario.replications);
            scenario.replications = options.replications.or(several).unwrap_or(REPLICATIONS);
            let plans = Plans::new(&scenario, folder, BTreeMap::new(), variants, options)
                .map_err(|e| located(e, name, text))?;
            let mut subject = of_plans(&plans, variants);
            subject.name.clone_from(name);
            if scenario.replications == 1 {
                subject.notes.push("A single replication: there are no intervals.".to_owned());
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
fn located(error: CompareError, name: &str, text: &str) -> CompareError {
    match error {
        CompareError::Scenario(e) => {
            let path = e.path.trim_end_matches('.').to_owned();
            CompareError::Scenario(ScenarioError { path, ..e }.located(name, text))
        }
        CompareError::Other(message) => CompareError::Other(format!("{name}: {message}")),
        other => other,
    }
}

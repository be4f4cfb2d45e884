//! The inputs of comparisons, and their errors with file and line.

use std::path::PathBuf;

use airtcp_scenario::{Scenario, ScenarioError};
use airtcp_trace::LinkTrace;

use crate::base::error::CompareError;
use crate::document::compare_options::REPLICATIONS;

/// An input of a comparison.
#[derive(Debug, Clone)]
pub enum Input {
    /// A scenario as read.
    Scenario {
        /// Its file, as results and messages name it.
        name: String,
        /// Its text, for the line numbers of messages.
        text: String,
        /// Its overrides, for messages about their values: each path with its value.
        set: Vec<(String, String)>,
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

/// The error of a replication, with its override, or its file and line.
pub(crate) fn at(given: &Input, error: ScenarioError) -> CompareError {
    located(error.into(), given)
}

/// An error of a scenario, with its override, or its file and line.
pub(crate) fn located(error: CompareError, given: &Input) -> CompareError {
    let Input::Scenario { name, text, set, .. } = given else { return error };
    match error {
        CompareError::Scenario(e) => {
            let path = e.path.trim_end_matches('.').to_owned();
            let e = ScenarioError { path, ..e }.given_by(set);
            CompareError::Scenario(e.located(name, text))
        }
        CompareError::Other(message) => CompareError::Other(format!("{name}: {message}")),
        other => other,
    }
}

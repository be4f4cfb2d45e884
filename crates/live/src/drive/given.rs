//! The scenario that a command is given, and its changes.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use airtcp_scenario::{Resolved, ScenarioError, Source};
use airtcp_study::Traces;
use clap::Args;

use super::failure::{Failure, at, said};
use crate::emulate::Set;

/// A scenario and values in it.
#[derive(Debug, Args)]
pub(super) struct Given {
    /// The scenario (TOML).
    scenario: PathBuf,
    /// Replaces a value, such as links[0].loss.probability=0.02.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
}

/// A scenario that can change.
#[derive(Clone)]
pub(super) struct Subject {
    /// As it is now.
    pub plan: Resolved,
    /// The traces that it names.
    pub traces: Arc<Traces>,
    /// The text that it comes from, which says where an error is.
    pub source: Source,
}

impl Given {
    /// The file of the scenario.
    pub(super) fn name(&self) -> String {
        self.scenario.display().to_string()
    }

    /// The scenario, ready to be built.
    pub(super) fn open(&self) -> Result<Subject, Failure> {
        let name = self.name();
        let text = std::fs::read_to_string(&self.scenario).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => {
                at(&self.scenario, &"is no text: expected a scenario (*.toml)")
            }
            _ => at(&self.scenario, &error),
        })?;
        let folder = self.scenario.parent().unwrap_or_else(|| Path::new("."));
        let traces = Arc::new(Traces::new(folder, BTreeMap::new()));
        let sets = self.pairs()?;
        let source = Source::new(&text, &name).and_then(|source| source.with(&sets));
        let source = source.map_err(said)?;
        let plan = resolved(&source, &traces).map_err(said)?;
        Ok(Subject { plan, traces, source })
    }

    /// Keys and values of `--set`.
    fn pairs(&self) -> Result<Vec<(String, String)>, Failure> {
        let pair = |set: &String| {
            let (key, value) = set
                .split_once('=')
                .ok_or_else(|| format!("--set \"{set}\" has no \"=\": expected KEY=VALUE"))?;
            Ok((key.trim().to_owned(), value.trim().to_owned()))
        };
        self.sets.iter().map(pair).collect()
    }
}

impl Subject {
    /// The scenario after one more change. It is no other before [`keep`](Self::keep).
    pub(super) fn changed(&self, set: &Set) -> Result<Changed, ScenarioError> {
        let source = self.source.with(&[(set.key.clone(), set.value.clone())])?;
        let plan = resolved(&source, &self.traces)?;
        Ok(Changed { plan, source })
    }

    /// The change was made.
    pub(super) fn keep(&mut self, changed: Changed) {
        (self.plan, self.source) = (changed.plan, changed.source);
    }
}

/// A scenario after a change.
pub(super) struct Changed {
    /// Ready to be built.
    pub plan: Resolved,
    source: Source,
}

fn resolved(source: &Source, traces: &Traces) -> Result<Resolved, ScenarioError> {
    let mut scenario = source.scenario(&[])?;
    let resolved = traces.read_capacities(&mut scenario).and_then(|()| scenario.resolve());
    resolved.map_err(|e| source.locate(e, &[]))
}

//! The scenario that a command is given, and its arrivals met again.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use airtcp_scenario::{Resolved, ScenarioError, read};
use airtcp_study::Traces;
use airtcp_units::{Nanos, Span};
use clap::Args;

use super::failure::{Failure, at, said};
use crate::emulate::{HEADER, read_arrivals, replay};
use crate::exit::ended;

/// A scenario and values in it.
#[derive(Debug, Args)]
pub(super) struct Given {
    /// The scenario (TOML).
    scenario: PathBuf,
    /// Replaces a value, such as links[0].loss.probability=0.02.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
}

/// Lets the arrivals that `emulate --record` wrote meet their scenario again, and prints each packet's fate.
#[derive(Debug, Args)]
pub struct Replay {
    #[command(flatten)]
    given: Given,
    /// The arrivals.
    arrivals: PathBuf,
}

/// Time after the last arrival until which packets may leave.
const AFTER: Span = Span(10_000_000_000);

impl Given {
    /// The scenario, ready to be built, and the traces that it names.
    pub(super) fn plan(&self) -> Result<(Resolved, Traces), Failure> {
        let name = self.scenario.display().to_string();
        let text = std::fs::read_to_string(&self.scenario).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => {
                at(&self.scenario, &"is no text: expected a scenario (*.toml)")
            }
            _ => at(&self.scenario, &error),
        })?;
        let mut sets = Vec::new();
        for set in &self.sets {
            let (key, value) = set
                .split_once('=')
                .ok_or_else(|| format!("--set \"{set}\" has no \"=\": expected KEY=VALUE"))?;
            sets.push((key.trim().to_owned(), value.trim().to_owned()));
        }
        let folder = self.scenario.parent().unwrap_or_else(|| Path::new("."));
        let traces = Traces::new(folder, BTreeMap::new());
        let mut scenario = read(&text, &name, &sets).map_err(said)?;
        let resolved = traces.read_capacities(&mut scenario).and_then(|()| scenario.resolve());
        Ok((resolved.map_err(|e| said(e.located(&name, &text)))?, traces))
    }

    /// An error of the scenario that is found when its world is built: with file, line and key.
    pub(super) fn refused(&self, error: ScenarioError) -> Failure {
        let text = std::fs::read_to_string(&self.scenario).unwrap_or_default();
        said(error.located(&self.scenario.display().to_string(), &text))
    }
}

impl Replay {
    /// Runs it. Exit: 2 for wrong input.
    pub fn run(self) -> ExitCode {
        ended(self.replay().map(|()| ExitCode::SUCCESS))
    }

    fn replay(&self) -> Result<(), Failure> {
        let (plan, traces) = self.given.plan()?;
        let read = std::fs::read_to_string(&self.arrivals);
        let text = read.map_err(|error| at(&self.arrivals, &error))?;
        let ports = plan.outside_nodes().len();
        let arrivals = read_arrivals(&text, ports).map_err(|error| at(&self.arrivals, &error))?;
        let last = arrivals.last().map_or(Nanos(0), |arrival| arrival.at);
        let macs = (0..ports).map(super::ports::mac).collect();
        let load = |name: &str| traces.load(name);
        let fates = replay(&plan, macs, &load, &arrivals, last + AFTER);
        let fates = fates.map_err(|error| self.given.refused(error))?;
        let mut out = io::BufWriter::new(io::stdout().lock());
        let written = writeln!(out, "{HEADER}")
            .and_then(|()| fates.iter().try_for_each(|fate| writeln!(out, "{fate}")))
            .and_then(|()| out.flush());
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(said(error)),
            _ => Ok(()),
        }
    }
}

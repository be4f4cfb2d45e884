//! `airtcp-live replay`: recorded arrivals meet their scenario again.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use airtcp_units::{Nanos, Span};
use clap::Args;

use super::failure::{Failure, at, said};
use super::given::{Given, Subject};
use crate::emulate::{Emulation, HEADER, Recorded, Set, is_between, read_arrivals, replay};
use crate::exit::ended;

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

impl Replay {
    /// Runs it. Exit: 2 for wrong input.
    pub fn run(self) -> ExitCode {
        ended(self.replay().map(|()| ExitCode::SUCCESS))
    }

    fn replay(&self) -> Result<(), Failure> {
        let mut subject = self.given.open()?;
        let Subject { plan, traces, source } = subject.clone();
        let read = std::fs::read_to_string(&self.arrivals);
        let text = read.map_err(|error| at(&self.arrivals, &error))?;
        let ports = plan.outside_nodes().len();
        let arrivals = read_arrivals(&text, ports).map_err(|error| at(&self.arrivals, &error))?;
        let last = arrivals.last().map_or(Nanos(0), Recorded::at);
        let macs = (0..ports).map(super::ports::mac).collect();
        let mut changed = |set: &Set| {
            let changed = subject.changed(set).map_err(|e| e.to_string())?;
            let plan = changed.plan.clone();
            subject.keep(changed);
            Ok(plan)
        };
        let load = |name: &str| traces.load(name);
        let emulation = Emulation::new(&plan, macs, &load);
        let mut emulation = emulation.map_err(|error| said(source.locate(error, &[])))?;
        if is_between(&text) {
            emulation = emulation.between();
        }
        let fates = replay(emulation, &load, &arrivals, &mut changed, last + AFTER);
        let fates = fates.map_err(said)?;
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

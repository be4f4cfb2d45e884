//! Shared by the integration tests: runs a scenario given as text.
#![allow(unreachable_pub, clippy::unwrap_used, reason = "shared by several test crates")]

use std::sync::Arc;

use airtcp_scenario::{Resolved, read};
use airtcp_sim::results::{Replication, RunResult};
use airtcp_sim::run;
use airtcp_units::Outcomes;

/// Reads and resolves a scenario.
pub fn plan(text: &str) -> Resolved {
    read(text, "test", &[])
        .unwrap_or_else(|e| panic!("{e}"))
        .resolve()
        .unwrap_or_else(|e| panic!("{e}"))
}

/// A trace loader that fails.
pub fn no_traces(name: &str) -> Result<Arc<Outcomes>, String> {
    Err(format!("no trace {name}"))
}

/// Runs a scenario and checks the conservation of packets.
pub fn run_with(text: &str, workers: usize) -> RunResult {
    let result = run(&plan(text), &no_traces, Some(workers), |_, _| true).unwrap();
    for r in &result.replications {
        assert!(r.conservation.ok, "{:?}", r.conservation);
    }
    result
}

/// The first replication.
#[allow(dead_code, reason = "not every test file needs it")]
pub fn run_first(text: &str) -> Replication {
    run_with(text, 1).replications.remove(0)
}

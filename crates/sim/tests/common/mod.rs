//! Shared by the integration tests: runs a scenario given as text.
#![allow(unreachable_pub, clippy::unwrap_used, reason = "shared by several programs")]

use std::sync::Arc;

use airtcp_probe::Probe;
use airtcp_scenario::{Resolved, read};
use airtcp_sim::results::{Replication, RunResult};
use airtcp_sim::{run, run_recorded};
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

/// Runs a scenario without and with a probe, which takes the plain paths. Checks that all results are equal, with the
/// fingerprint and the number of events, and returns them with the probe.
#[allow(dead_code, reason = "not every program needs it")]
pub fn run_both<P: Probe + Send>(text: &str, probe: P) -> (RunResult, P) {
    let result = run_with(text, 1);
    let recorded = run_recorded(&plan(text), &no_traces, Some(1), probe, |_, _| true);
    let (plain, probe) = recorded.unwrap();
    assert_eq!(result, plain, "{text}");
    (result, probe.unwrap())
}

/// The first replication.
pub fn run_first(text: &str) -> Replication {
    run_with(text, 1).replications.remove(0)
}

/// A flow over a chain of 802.11b hops at 2 Mb/s, 200 m each, with ns-2's ranges: reception up to 250 m,
/// sensing and interference up to 550 m. `top` has the keys of the run, `ranges` further keys of the path
/// loss, `cell` those of the cell, `flow` those of the flow from the first node to the last.
#[allow(dead_code, reason = "not every program needs it")]
pub fn chain(hops: u32, top: &str, ranges: &str, cell: &str, flow: &str) -> String {
    format!(
        r#"
        {top}
        [[cells]]
        standard = "802.11b"
        rate = "2 Mb/s"
        hops = "chain"
        layout = {{ kind = "line", stations = {hops}, spacing_m = 200 }}
        propagation.path_loss = {{ model = "ranges", decode_m = 250, interference_m = 550{ranges} }}
        timing = {{ ack_rate = {{ fixed = "1 Mb/s" }} }}
        queue = {{ kind = "drop-tail", packets = 50 }}
        {cell}
        [[flows]]
        from = "ap"
        to = "sta{}"
        {flow}
        "#,
        hops - 1
    )
}

//! Any text as a scenario, and the beginning of its run.

use std::sync::Arc;

use airtcp_link::Rate;
use airtcp_scenario::Resolved;
use airtcp_sim::parallel::Stop;
use airtcp_units::{Capacity, Outcomes, Span};

/// Most flows, links and stations of a plan that runs.
const PARTS: usize = 100;
/// Events of a run.
const EVENTS: u64 = 2000;

/// Any text as a scenario: an error, or a plan whose run ends within a bound on its events; never a panic.
pub(crate) fn scenario(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match airtcp_scenario::read(text, "fuzz", &[]) {
        Ok(scenario) => match scenario.resolve() {
            Ok(plan) => run(plan),
            Err(e) => assert!(!e.to_string().contains('\n'), "{e}"),
        },
        Err(e) => assert!(!e.message.is_empty()),
    }
}

/// Runs a plan for a few events. Short traces stand in for its files.
fn run(mut plan: Resolved) {
    let stations: usize = plan.cells.iter().map(|cell| cell.nodes.len()).sum();
    if plan.flows.len().max(plan.links.len()).max(stations) > PARTS {
        return;
    }
    let steps = [(Span(0), 1_000_000), (Span::from_millis(50), 0), (Span::from_millis(70), 9000)];
    let capacity = Capacity::rates(&steps, Span::from_millis(100)).map(Arc::new);
    for link in &mut plan.links {
        if let Some(Rate::Trace(rate)) = &mut link.direction.rate {
            rate.capacity.clone_from(&capacity);
        }
    }
    let load = |_: &str| -> Result<Arc<Outcomes>, String> {
        Ok(Arc::new([true, false, true].into_iter().collect()))
    };
    let refused = airtcp_sim::prepare(&plan, &load).err();
    let refused = refused.or_else(|| {
        let done = airtcp_sim::run_bounded_replication(&plan, 0, EVENTS, &load, &Stop::new());
        done.err()
    });
    if let Some(e) = refused {
        assert!(!e.to_string().contains('\n'), "{e}");
    }
}

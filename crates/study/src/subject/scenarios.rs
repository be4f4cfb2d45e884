//! Scenarios made of files: a trace as the losses of a link, a capacity as its rate, a slot of a
//! trace as the time of a full packet. They pass through the scenario format, which fills in the
//! defaults.

use std::collections::BTreeMap;
use std::sync::Arc;

use airtcp_link::Rate;
use airtcp_scenario::Scenario;
use airtcp_sim::slotted::SlottedConfig;
use airtcp_trace::LinkTrace;
use airtcp_transport::tcp::{Profile, TcpConfig};
use airtcp_units::{BitRate, Outcomes, Span};
use serde_json::{Value, json};

use crate::base::compare_error::CompareError;
use crate::document::compare_options::AsLink;

/// The name of the trace in the scenario.
const TRACE: &str = "trace";

/// Headers of a full packet: IP and TCP without options.
const HEADERS: u64 = 40;

/// Packets that the queue of a link with one packet a slot holds: more than any window.
const ENDLESS: u32 = 1_000_000;

/// Rate of acknowledgements over that of data with one packet per slot: acknowledgements take no
/// time.
const FASTER: u64 = 1000;

/// Number and length of the stretches of a file, which are the replications of a scenario.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stretches {
    pub(crate) parts: u32,
    pub(crate) length: Span,
}

/// A trace under the name that the scenario of its link uses.
pub(crate) fn with_trace(outcomes: Outcomes) -> BTreeMap<String, Arc<Outcomes>> {
    [(TRACE.to_owned(), Arc::new(outcomes))].into()
}

/// The scenario of a link around a trace; acknowledgements come back over a link without loss.
pub(crate) fn around_trace(
    link: &LinkTrace,
    around: &AsLink,
    slot: Span,
    stretches: Stretches,
    seed: u64,
) -> Result<Scenario, CompareError> {
    let forward = json!({
        "rate": around.rate,
        "delay": around.delay,
        "queue": around.queue,
        "loss": { "model": "trace", "path": TRACE, "slot": slot },
    });
    let title = format!("{} behind {}, {}", link.name, around.rate, around.delay);
    one_flow(&title, json!({ "forward": forward }), stretches, seed)
}

/// The scenario of a link with the capacity of a file.
pub(crate) fn with_capacity(
    link: &LinkTrace,
    around: &AsLink,
    stretches: Stretches,
    seed: u64,
) -> Result<Scenario, CompareError> {
    let forward = json!({
        "rate": { "trace": link.source.path.display().to_string() },
        "delay": around.delay,
        "queue": around.queue,
    });
    let reverse = json!({ "rate": "1 Gb/s", "delay": around.delay });
    let title = format!("capacity of {}, {}", link.name, around.delay);
    let directions = json!({ "forward": forward, "reverse": reverse });
    let mut scenario = one_flow(&title, directions, stretches, seed)?;
    for written in &mut scenario.links {
        if let Some(Rate::Trace(trace)) = &mut written.forward.rate {
            trace.capacity.clone_from(&link.capacity);
        }
    }
    Ok(scenario)
}

/// One flow of Linux' TCP over a link with these directions.
fn one_flow(
    title: &str,
    mut link: Value,
    stretches: Stretches,
    seed: u64,
) -> Result<Scenario, CompareError> {
    link["name"] = "link".into();
    link["from"] = "sender".into();
    link["to"] = "receiver".into();
    let scenario = json!({
        "title": title,
        "seed": seed,
        "replications": stretches.parts,
        "duration": stretches.length,
        "links": [link],
        "flows": [{
            "name": "flow",
            "from": "sender",
            "to": "receiver",
            "tcp": TcpConfig::profile(Profile::Linux),
        }],
    });
    serde_json::from_value(scenario).map_err(|e| CompareError::other(format!("as_link: {e}")))
}

/// The scenario of `slots` of a trace, one packet per slot; `None` if a link cannot be that fast or
/// slow.
pub(crate) fn of_slots(
    config: &SlottedConfig,
    slots: usize,
) -> Result<Option<Scenario>, CompareError> {
    let packet = (u64::from(config.tcp.mss) + HEADERS) * 8;
    let rate = packet * 1_000_000_000 / config.slot.0.max(1);
    let (Some(rate), Some(back)) = (BitRate::new(rate), BitRate::new(rate.saturating_mul(FASTER)))
    else {
        return Ok(None);
    };
    let scenario = json!({
        "duration": config.slot * slots as u64,
        "links": [{
            "from": "sender",
            "to": "receiver",
            "forward": {
                "rate": rate,
                "queue": { "kind": "drop-tail", "packets": ENDLESS },
                "loss": { "model": "trace", "path": TRACE, "slot": config.slot },
            },
            "reverse": { "rate": back, "delay": config.slot },
        }],
        "flows": [{ "from": "sender", "to": "receiver", "tcp": config.tcp }],
    });
    serde_json::from_value(scenario).map(Some).map_err(|e| CompareError::other(e.to_string()))
}

//! The scenarios that are run: as they are written, or made of files: a trace as the losses of a link, a capacity
//! as its rate, a slot of a trace as the time of a full packet. Those of files pass through the scenario format, which
//! fills in the defaults.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use airtcp_link::Rate;
use airtcp_scenario::{Resolved, Scenario};
use airtcp_sim::slotted::SlottedConfig;
use airtcp_trace::LinkTrace;
use airtcp_transport::tcp::{Profile, TcpConfig};
use airtcp_units::{BitRate, Outcomes, Span};
use serde_json::{Value, json};

use crate::base::error::CompareError;
use crate::base::slot_use::SlotUse;
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

/// A scenario under whose variants something runs.
pub(crate) struct Scene<'s> {
    pub(crate) scenario: Scenario,
    /// The folder of the traces that it names.
    pub(crate) folder: &'s Path,
    /// Traces that need not be read, by name.
    pub(crate) known: BTreeMap<String, Arc<Outcomes>>,
    /// If a replication is a stretch of a file: the distance between two stretches.
    pub(crate) stretch: Option<Span>,
    /// How a single run over slots is cut into stretches, if it is.
    pub(crate) cut: Option<Cut>,
}

/// How a single run over slots is cut into stretches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    /// How many stretches.
    pub(crate) parts: u32,
    /// Payload of a packet.
    pub(crate) mss: u16,
    /// Duration of a full packet.
    pub(crate) slot: Span,
}

impl Cut {
    /// The slots of a stretch that delivers `bytes`.
    pub(crate) fn slots(self, bytes: u64, stretch: Span) -> SlotUse {
        let packets = bytes as f64 / f64::from(self.mss);
        SlotUse::of_remedy(packets, stretch.as_secs_f64() / self.slot.as_secs_f64() - packets)
    }

    /// Gives every packet of the data's direction a slot, and the acknowledgements no time but their delay, as in
    /// the study's driver ([`airtcp_sim::slotted`]).
    pub(crate) fn take_slots(self, plan: &mut Resolved) {
        if let [forward, reverse] = &mut plan.links[..] {
            (forward.direction.rate, forward.direction.slot) = (None, Some(self.slot));
            reverse.direction.rate = None;
        }
    }
}

/// Number and length of the stretches of a file, which are the replications of a scenario.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stretches {
    pub(crate) parts: u32,
    pub(crate) length: Span,
}

impl<'s> Scene<'s> {
    /// A scenario as written, whose traces lie in `folder`.
    pub(crate) const fn written(scenario: Scenario, folder: &'s Path) -> Self {
        Self { scenario, folder, known: BTreeMap::new(), stretch: None, cut: None }
    }

    /// The link around a trace; acknowledgements come back over a link without loss.
    pub(crate) fn around_trace(
        link: &LinkTrace,
        around: &AsLink,
        slot: Span,
        stretches: Stretches,
        seed: u64,
    ) -> Result<Self, CompareError> {
        let forward = json!({
            "rate": around.rate,
            "delay": around.delay,
            "queue": around.queue,
            "loss": { "model": "trace", "path": TRACE, "slot": slot },
        });
        let title = format!("{} behind {}, {}", link.name, around.rate, around.delay);
        let mut scene = one_flow(&title, json!({ "forward": forward }), stretches, seed)?;
        scene.known = with_trace(link.outcomes.clone());
        Ok(scene)
    }

    /// The link with the capacity of a file.
    pub(crate) fn with_capacity(
        link: &LinkTrace,
        around: &AsLink,
        stretches: Stretches,
        seed: u64,
    ) -> Result<Self, CompareError> {
        let forward = json!({
            "rate": { "trace": link.source.path.display().to_string() },
            "delay": around.delay,
            "queue": around.queue,
        });
        let reverse = json!({ "rate": "1 Gb/s", "delay": around.delay });
        let title = format!("capacity of {}, {}", link.name, around.delay);
        let directions = json!({ "forward": forward, "reverse": reverse });
        let mut scene = one_flow(&title, directions, stretches, seed)?;
        for written in &mut scene.scenario.links {
            if let Some(Rate::Trace(trace)) = &mut written.forward.rate {
                trace.capacity.clone_from(&link.capacity);
            }
        }
        Ok(scene)
    }

    /// The first `slots` of a trace, one packet per slot, as one run of `parts` stretches; `None` if a link cannot be
    /// that fast or slow.
    pub(crate) fn of_slots(
        link: &LinkTrace,
        config: &SlottedConfig,
        slots: usize,
        parts: u32,
    ) -> Result<Option<Self>, CompareError> {
        let packet = (u64::from(config.tcp.mss) + HEADERS) * 8;
        let rate = packet * 1_000_000_000 / config.slot.0.max(1);
        let (Some(rate), Some(back)) =
            (BitRate::new(rate), BitRate::new(rate.saturating_mul(FASTER)))
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
        let scenario =
            serde_json::from_value(scenario).map_err(|e| CompareError::other(e.to_string()))?;
        let mut outcomes = link.outcomes.slice(0..slots);
        // A packet that would start at the very end has no slot: it is no loss.
        outcomes.push(true);
        Ok(Some(Self {
            known: with_trace(outcomes),
            cut: Some(Cut { parts, mss: config.tcp.mss, slot: config.slot }),
            ..Self::written(scenario, Path::new(""))
        }))
    }
}

/// A trace under the name that the scenario of its link uses.
fn with_trace(outcomes: Outcomes) -> BTreeMap<String, Arc<Outcomes>> {
    [(TRACE.to_owned(), Arc::new(outcomes))].into()
}

/// One flow of Linux' TCP over a link with these directions.
fn one_flow<'s>(
    title: &str,
    mut link: Value,
    stretches: Stretches,
    seed: u64,
) -> Result<Scene<'s>, CompareError> {
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
    let scenario = serde_json::from_value(scenario)
        .map_err(|e| CompareError::other(format!("as_link: {e}")))?;
    Ok(Scene { stretch: Some(stretches.length), ..Scene::written(scenario, Path::new("")) })
}

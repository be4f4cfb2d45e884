//! Delivery traces and capacities as subjects: one packet a slot, as the losses of a link, as its rate.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use airtcp_link::Rate;
use airtcp_scenario::Scenario;
use airtcp_trace::LinkTrace;
use airtcp_transport::tcp::{Profile, TcpConfig};
use airtcp_units::{Outcomes, Span};
use serde_json::json;

use super::options::{LOOK_ALIKES, STRETCHES};
use super::over_trace::{LEAST_STRETCH as LEAST_SLOTS, OverTrace, stretches};
use super::plan::Plans;
use super::remedies;
use super::result::{Channel, Subject, SubjectKind};
use super::subject::{Planned, Prepared, mixed_recoveries, of_plans, parameters};
use super::tcp_spec::TcpSpec;
use super::{AsLink, CompareError, CompareOptions};
use crate::runs::{fits, replica_model};
use crate::{StudyOptions, TraceSource};

/// A stretch of a trace behind a link lasts at least this long: some hundred round trips. Chosen.
const LEAST_STRETCH: Span = Span::from_secs(20);

/// The flow over a trace as a link, and the name that stands for the trace.
pub(super) const TRACE: &str = "trace";

/// What one packet a slot can and cannot show.
const SLOTTED: &str = "One packet a slot: a round trip takes two slots plus the wait in the sender's own \
queue, which never overflows. Congestion laws therefore react to the link's losses almost alone. A law \
that keeps its queue short keeps a window of a few packets, which is too small for a fast retransmit. To \
show what such laws gain, put the trace behind a link with a rate, a delay and a queue (as-link).";

const AS_LINK: &str = "The trace decides the fate of a packet by the time at which it is sent: packets \
sent within one slot of the trace share its fate.";

const CAPACITY: &str = "The file gives what the link can carry over time. The link drops only packets \
that find the queue full. Acknowledgements return at 1 Gb/s.";

const REPEATED: &str = "The file is shorter than 20 s and starts over until it is as long.";

const NO_INTERVAL: &str = "The trace is too short to cut into stretches: there are no intervals, and the \
ranking of the variants may be chance.";

const NO_CHAIN: &str =
    "mu is undefined: a link that never changes has no Gilbert-Elliott parameters.";

const DRAWN: &str = "The file does not give the order of losses: mu is not known, and no Gilbert-Elliott \
chain is run. What TCPs get over the trace depends on an order that was drawn at random.";

/// Why there are fewer stretches than asked for; one alone has [`NO_INTERVAL`].
fn fewer(parts: u32, wanted: u32, least: &str) -> Option<String> {
    let few = (2..wanted).contains(&parts);
    few.then(|| format!("The file is cut into {parts} stretches, not {wanted}: a stretch {least}."))
}

/// The rule of stretches behind a link.
fn lasts() -> String {
    format!("lasts at least {LEAST_STRETCH}")
}

/// The subject that a link is.
fn of_link(link: &LinkTrace, kind: SubjectKind, slot: Span, seed: u64, notes: &[&str]) -> Subject {
    Subject {
        name: link.name.clone(),
        kind,
        title: None,
        source: Some(TraceSource {
            path: link.source.path.display().to_string(),
            layout: link.source.layout.clone(),
        }),
        seed,
        duration_s: (slot * link.outcomes.len() as u64).as_secs_f64(),
        slot_s: Some(slot.as_secs_f64()),
        slot_assumed: false,
        flows: Vec::new(),
        tcp: Vec::new(),
        scenario: None,
        notes: link.notes.iter().cloned().chain(notes.iter().map(|n| (*n).to_owned())).collect(),
        cases: Vec::new(),
        remedies: None,
    }
}

/// One packet a slot over the trace and over links that look like it.
pub(super) fn over_slots<'a>(
    link: &'a LinkTrace,
    variants: &[TcpSpec],
    remedies: &[TcpSpec],
    options: &CompareOptions,
) -> Result<Prepared<'a>, CompareError> {
    for (given, option) in [(&options.share, "share"), (&options.flow, "flow")] {
        if given.is_some() {
            return Err(CompareError::other(format!(
                "{option}: one packet a slot over the trace \"{}\" has a single flow; put it behind a \
                 link (as-link), or give a scenario",
                link.name
            )));
        }
    }
    let defaults = StudyOptions::default();
    let study = StudyOptions {
        profile: options.profile.clone().unwrap_or(defaults.profile.clone()),
        slot: options.slot,
        ..defaults
    };
    let base = study.slotted(link.interval)?;
    fits(link, &base)?;
    let mut configs = Vec::with_capacity(variants.len());
    for variant in variants {
        if let Some(name) = variant.no_tcp() {
            return Err(CompareError::other(format!(
                "tcp: {name} is no TCP, and only TCPs run one packet a slot over the trace \"{}\"; name \
                 {name} among the remedies, or put the trace behind a link (as-link)",
                link.name
            )));
        }
        let mut config = base.clone();
        config.tcp = variant.apply(&base.tcp)?;
        config.attempts = variant.attempts();
        configs.push(config);
    }
    let seed = options.seed.unwrap_or(1);
    let wanted = options.replications.unwrap_or(LOOK_ALIKES);
    let asked = options.replications.unwrap_or(STRETCHES);
    let parts = stretches(link.outcomes.len(), asked);
    let notes: &[&str] = if parts == 1 { &[SLOTTED, NO_INTERVAL] } else { &[SLOTTED] };
    let mut subject = of_link(link, SubjectKind::Trace, base.slot, seed, notes);
    subject.slot_assumed = study.slot_assumed(link.interval);
    subject.tcp = variants.iter().zip(&configs).map(|(v, c)| parameters(v, &c.tcp)).collect();
    let least = format!("has at least {LEAST_SLOTS} slots");
    subject.notes.extend(fewer(parts, asked, &least));
    subject.notes.extend(mixed_recoveries(&subject.tcp));
    let case = |channel, stretches, replications| Planned::Slots {
        over: OverTrace::new(link, seed, configs.clone(), channel, stretches),
        replications,
    };
    let mut cases = vec![case(Channel::Trace, parts, 1)];
    if options.synthetic {
        cases.push(case(Channel::Independent, 1, wanted));
        match replica_model(link, false, &study) {
            Some(_) => cases.push(case(Channel::GilbertElliott, 1, wanted)),
            None if link.order_known => subject.notes.push(NO_CHAIN.to_owned()),
            None => {}
        }
    }
    if !link.order_known {
        subject.notes.push(DRAWN.to_owned());
    }
    let remedies = if remedies.is_empty() {
        None
    } else {
        remedies::over_slots(link, &base, options.replications, remedies)?
    };
    Ok(Prepared { subject, cases, remedies })
}

/// The trace as the losses of a link.
pub(super) fn over_link<'a>(
    link: &'a LinkTrace,
    around: &AsLink,
    (variants, remedies): (&[TcpSpec], &[TcpSpec]),
    options: &CompareOptions,
) -> Result<Prepared<'a>, CompareError> {
    let study = StudyOptions { slot: options.slot, ..StudyOptions::default() };
    let slot = study.slotted(link.interval)?.slot;
    let seed = options.seed.unwrap_or(1);
    let whole = slot * link.outcomes.len() as u64;
    let wanted = options.replications.unwrap_or(STRETCHES);
    let parts = ((whole.0 / LEAST_STRETCH.0) as u32).clamp(1, wanted);
    let stretch = Span(whole.0 / u64::from(parts));
    let scenario = around_trace(link, around, slot, stretch, seed, parts)?;
    let known = with_trace(link.outcomes.clone());
    let mut plans = Plans::new(&scenario, Path::new(""), known, variants, options)?;
    plans.stretch = Some(stretch);
    let notes: &[&str] = if parts == 1 { &[AS_LINK, NO_INTERVAL] } else { &[AS_LINK] };
    let subject = Subject {
        duration_s: stretch.as_secs_f64(),
        slot_assumed: study.slot_assumed(link.interval),
        ..of_link(link, SubjectKind::TraceAsLink, slot, seed, notes)
    };
    let remedies = (!remedies.is_empty())
        .then(|| remedies::over_link(link, &scenario, stretch, remedies, options))
        .transpose()?;
    let Subject { flows, tcp, scenario, notes, .. } = of_plans(&plans, variants);
    let case =
        Planned::Plans { plans: Box::new(plans), replications: parts, channel: Channel::Trace };
    let few = fewer(parts, wanted, &lasts());
    let notes = subject.notes.iter().cloned().chain(few).chain(notes).collect();
    let subject = Subject { flows, tcp, scenario, notes, ..subject };
    Ok(Prepared { subject, cases: vec![case], remedies })
}

/// A link with the capacity of a file: each replication is the next stretch of it.
pub(super) fn over_capacity<'a>(
    link: &'a LinkTrace,
    around: &AsLink,
    (variants, asked): (&[TcpSpec], &[String]),
    options: &CompareOptions,
) -> Result<Prepared<'a>, CompareError> {
    let whole = link.capacity.as_ref().map_or(Span::ZERO, |capacity| capacity.period());
    let seed = options.seed.unwrap_or(1);
    let wanted = options.replications.unwrap_or(STRETCHES);
    let parts = ((whole.0 / LEAST_STRETCH.0) as u32).clamp(1, wanted);
    // A file shorter than a stretch starts over until it is as long as one.
    let repeats = LEAST_STRETCH.0.div_ceil(whole.0.max(1));
    let stretch = Span(whole.0 * repeats.max(1) / u64::from(parts));
    let scenario = json!({
        "title": format!("capacity of {}, {}", link.name, around.delay),
        "seed": seed,
        "replications": parts,
        "duration": stretch,
        "links": [{
            "name": "link",
            "from": "sender",
            "to": "receiver",
            "forward": {
                "rate": { "trace": link.source.path.display().to_string() },
                "delay": around.delay,
                "queue": around.queue,
            },
            "reverse": { "rate": "1 Gb/s", "delay": around.delay },
        }],
        "flows": [{
            "name": "flow",
            "from": "sender",
            "to": "receiver",
            "tcp": TcpConfig::profile(Profile::Linux),
        }],
    });
    let mut scenario: Scenario = serde_json::from_value(scenario)
        .map_err(|e| CompareError::other(format!("as_link: {e}")))?;
    for written in &mut scenario.links {
        if let Some(Rate::Trace(trace)) = &mut written.forward.rate {
            trace.capacity.clone_from(&link.capacity);
        }
    }
    let mut plans = Plans::new(&scenario, Path::new(""), BTreeMap::new(), variants, options)?;
    plans.stretch = Some(stretch);
    let choices = remedies::against_delay(asked)?;
    let remedies = (choices.len() > 1)
        .then(|| remedies::over_capacity(&scenario, stretch, &choices, options))
        .transpose()?;
    let mut notes = vec![CAPACITY];
    if repeats > 1 {
        notes.push(REPEATED);
    }
    if parts == 1 {
        notes.push(NO_INTERVAL);
    }
    let subject = Subject {
        duration_s: stretch.as_secs_f64(),
        slot_s: None,
        ..of_link(link, SubjectKind::Capacity, Span::ZERO, seed, &notes)
    };
    let Subject { flows, tcp, scenario, .. } = of_plans(&plans, variants);
    let case =
        Planned::Plans { plans: Box::new(plans), replications: parts, channel: Channel::Trace };
    let mut subject = Subject { flows, tcp, scenario, ..subject };
    subject.notes.extend(fewer(parts, wanted, &lasts()));
    Ok(Prepared { subject, cases: vec![case], remedies })
}

/// A trace by the name that a link around it gives it.
pub(super) fn with_trace(outcomes: Outcomes) -> BTreeMap<String, Arc<Outcomes>> {
    [(TRACE.to_owned(), Arc::new(outcomes))].into()
}

/// The scenario of a link around a trace; acknowledgements come back over a link without loss.
fn around_trace(
    link: &LinkTrace,
    around: &AsLink,
    slot: Span,
    duration: Span,
    seed: u64,
    replications: u32,
) -> Result<Scenario, CompareError> {
    // Through the file format, which fills in what is not said here.
    let scenario = json!({
        "title": format!("{} behind {}, {}", link.name, around.rate, around.delay),
        "seed": seed,
        "replications": replications,
        "duration": duration,
        "links": [{
            "name": "link",
            "from": "sender",
            "to": "receiver",
            "forward": {
                "rate": around.rate,
                "delay": around.delay,
                "queue": around.queue,
                "loss": { "model": "trace", "path": TRACE, "slot": slot },
            },
        }],
        "flows": [{
            "name": "flow",
            "from": "sender",
            "to": "receiver",
            "tcp": TcpConfig::profile(Profile::Linux),
        }],
    });
    serde_json::from_value(scenario).map_err(|e| CompareError::other(format!("as_link: {e}")))
}

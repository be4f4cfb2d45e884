//! From what was given to the cases that are run.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use airtcp_link::Rate;
use airtcp_scenario::{Scenario, ScenarioError};
use airtcp_sim::parallel::Stop;
use airtcp_trace::LinkTrace;
use airtcp_transport::tcp::{Profile, TcpConfig};
use airtcp_units::{Outcomes, Span};
use serde_json::json;

use super::choice::Choice;
use super::options::{LOOK_ALIKES, REPLICATIONS, STRETCHES};
use super::over_trace::{OverTrace, stretches};
use super::plan::Plans;
use super::remedies::{self, Remedy};
use super::result::{Channel, Over, Subject, SubjectKind, VariantTcp};
use super::{AsLink, CompareError, CompareOptions, Done};
use crate::runs::{fits, synthetic};
use crate::{StudyOptions, TraceSource};

/// A stretch of a trace behind a link lasts at least this long: some hundred round trips. Chosen.
const LEAST_STRETCH: Span = Span::from_secs(20);

/// The flow over a trace as a link, and the name that stands for the trace.
pub(super) const TRACE: &str = "trace";

/// Words for what one packet a slot can and cannot show.
const SLOTTED: &str = "One packet a slot: a round trip is two slots and the wait in the sender's own \
queue, which never overflows, so that losses are nearly all that a law can answer to. A law that keeps \
its queue short keeps a window of a few packets here, too few for a fast retransmit. A link with a \
rate, a delay and a queue around the trace (as-link) shows what such laws gain.";

const AS_LINK: &str = "The trace says what becomes of a packet by the time it is sent: packets that \
leave within one slot of the trace share its fate.";

/// Added where next to nothing random tells replications apart.
pub(crate) const ALIKE: &str = "The replications hardly differ: little in this scenario is random, and \
the intervals say no more than that. A loss model, or a start_spread of the flows, would make them \
differ.";

const CAPACITY: &str = "The file says what the link can carry at any time; nothing is lost but what finds \
the queue full. Acknowledgements come back at 1 Gb/s.";

const NO_INTERVAL: &str = "The trace is too short to be cut into stretches: there are no intervals, \
and the order of the variants is not certain.";

/// What TCPs are to be compared on.
#[derive(Debug, Clone)]
pub enum Given {
    /// A scenario as read.
    Scenario {
        /// Its file: its name in results and in messages.
        name: String,
        /// Its text, in which messages find their line.
        text: String,
        /// The scenario.
        scenario: Box<Scenario>,
        /// Where the traces that it names are looked for.
        folder: PathBuf,
    },
    /// A delivery trace.
    Link(Box<LinkTrace>),
}

/// One channel with what runs over it.
pub(crate) enum Planned<'a> {
    Plans { plans: Box<Plans>, replications: u32, channel: Channel },
    Slots { over: OverTrace<'a>, replications: u32 },
}

/// A subject without its results, and the cases that give them.
pub(crate) struct Prepared<'a> {
    pub(crate) subject: Subject,
    pub(crate) cases: Vec<Planned<'a>>,
    pub(crate) remedies: Option<Remedy<'a>>,
}

impl Planned<'_> {
    /// How many jobs each variant has.
    pub(crate) fn jobs(&self) -> u32 {
        match self {
            Self::Plans { replications, .. } | Self::Slots { replications, .. } => *replications,
        }
    }

    pub(crate) fn channel(&self) -> Channel {
        match self {
            Self::Plans { channel, .. } => *channel,
            Self::Slots { over, .. } => over.channel,
        }
    }

    /// What the path lacks of what each variant needs.
    pub(crate) fn unmet(&self) -> &[Option<String>] {
        match self {
            Self::Plans { plans, .. } => &plans.unmet,
            Self::Slots { over, .. } => &over.unmet,
        }
    }

    pub(crate) fn over(&self) -> Over {
        match self.channel() {
            Channel::Trace => Over::Stretches,
            _ => Over::Replications,
        }
    }

    pub(crate) fn run(
        &self,
        variant: usize,
        number: u32,
        stop: &Stop,
    ) -> Result<Option<Done>, ScenarioError> {
        match self {
            Self::Plans { plans, .. } => plans.run(variant, number, stop),
            Self::Slots { over, .. } => Ok(over.run(variant, number)),
        }
    }
}

/// Makes everything ready, and refuses what cannot be run.
pub(crate) fn prepare<'a>(
    given: &'a Given,
    variants: &[Choice],
    (remedies, asked): (&[Choice], &[String]),
    options: &CompareOptions,
) -> Result<Prepared<'a>, CompareError> {
    match (given, &options.as_link) {
        (Given::Scenario { name, text, scenario, folder }, _) => {
            let mut scenario = (**scenario).clone();
            scenario.seed = options.seed.unwrap_or(scenario.seed);
            let several = (scenario.replications > 1).then_some(scenario.replications);
            scenario.replications = options.replications.or(several).unwrap_or(REPLICATIONS);
            let plans = Plans::new(&scenario, folder, BTreeMap::new(), variants, options)
                .map_err(|e| located(e, name, text))?;
            let mut subject = of_plans(&plans, variants);
            subject.name.clone_from(name);
            if scenario.replications == 1 {
                subject.notes.push("A single replication: there are no intervals.".to_owned());
            }
            let replications = scenario.replications;
            let case =
                Planned::Plans { plans: Box::new(plans), replications, channel: Channel::Scenario };
            let remedies = (!remedies.is_empty())
                .then(|| {
                    let known = BTreeMap::new();
                    remedies::over_scenario(&scenario, (folder, &known), remedies, options)
                })
                .transpose()
                .map_err(|e| located(e, name, text))?;
            Ok(Prepared { subject, cases: vec![case], remedies })
        }
        (Given::Link(link), around) if link.capacity.is_some() => {
            over_capacity(link, &around.clone().unwrap_or_default(), (variants, asked), options)
        }
        (Given::Link(link), None) => over_slots(link, variants, remedies, options),
        (Given::Link(link), Some(around)) => over_link(link, around, (variants, remedies), options),
    }
}

/// What kept one replication of what was given from running, with its file and line.
pub(crate) fn at(given: &Given, error: ScenarioError) -> CompareError {
    match given {
        Given::Scenario { name, text, .. } => located(error.into(), name, text),
        Given::Link(_) => error.into(),
    }
}

/// An error of a scenario, with its file and line.
fn located(error: CompareError, name: &str, text: &str) -> CompareError {
    match error {
        CompareError::Scenario(e) => {
            let path = e.path.trim_end_matches('.').to_owned();
            CompareError::Scenario(ScenarioError { path, ..e }.located(name, text))
        }
        CompareError::Other(message) => CompareError::Other(format!("{name}: {message}")),
        other => other,
    }
}

/// The subject that plans describe.
fn of_plans(plans: &Plans, variants: &[Choice]) -> Subject {
    let first = &plans.each[0];
    let scenario = &first.scenario;
    let of = |i: usize| &plans.each[i].flows[plans.flows[0]].tcp;
    let tcp: Vec<_> = variants.iter().enumerate().map(|(i, v)| parameters(v, of(i))).collect();
    Subject {
        name: String::new(),
        kind: SubjectKind::Scenario,
        title: scenario.title.clone(),
        source: None,
        seed: scenario.seed,
        duration_s: scenario.duration.saturating_sub(scenario.warmup).as_secs_f64(),
        slot_s: None,
        slot_assumed: false,
        flows: plans.flows.iter().map(|i| first.flows[*i].name.clone()).collect(),
        notes: mixed_recoveries(&tcp).into_iter().collect(),
        tcp,
        scenario: serde_json::to_value(scenario).ok(),
        cases: Vec::new(),
        remedies: None,
    }
}

pub(super) fn parameters(variant: &Choice, tcp: &TcpConfig) -> VariantTcp {
    let recovery = serde_json::to_value(tcp.recovery).unwrap_or_default();
    VariantTcp {
        variant: variant.label().to_owned(),
        transport: variant.no_tcp().unwrap_or("tcp").to_owned(),
        law: tcp.congestion.name().to_owned(),
        recovery: recovery.as_str().unwrap_or_default().to_owned(),
        parameters: serde_json::to_value(tcp).unwrap_or_default(),
    }
}

/// What is said of TCPs that differ in their law and in their recovery: a difference between them is
/// then not the law's alone.
pub(crate) fn mixed_recoveries(tcp: &[VariantTcp]) -> Option<String> {
    let tcp: Vec<&VariantTcp> = tcp.iter().filter(|v| v.transport == "tcp").collect();
    let mixed = tcp.iter().any(|a| tcp.iter().any(|b| a.law != b.law && a.recovery != b.recovery));
    if !mixed {
        return None;
    }
    let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for variant in &tcp {
        groups.entry(&variant.recovery).or_default().push(&variant.variant);
    }
    let groups: Vec<String> = groups
        .iter()
        .map(|(recovery, names)| format!("{} with \"{recovery}\"", names.join(", ")))
        .collect();
    Some(format!(
        "These TCPs differ in loss recovery as well as in congestion control: {}. A difference between \
         the groups is not that of the laws alone; \"reno\" is Reno's law with SACK.",
        groups.join("; ")
    ))
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
fn over_slots<'a>(
    link: &'a LinkTrace,
    variants: &[Choice],
    remedies: &[Choice],
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
                "tcp: one packet a slot over the trace \"{}\" the list has TCPs alone; name {name} \
                 among the remedies, or put the trace behind a link (as-link)",
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
    let parts = stretches(link.outcomes.len(), options.replications.unwrap_or(STRETCHES));
    let notes: &[&str] = if parts == 1 { &[SLOTTED, NO_INTERVAL] } else { &[SLOTTED] };
    let mut subject = of_link(link, SubjectKind::Trace, base.slot, seed, notes);
    subject.slot_assumed = study.slot_assumed(link.interval);
    subject.tcp = variants.iter().zip(&configs).map(|(v, c)| parameters(v, &c.tcp)).collect();
    subject.notes.extend(mixed_recoveries(&subject.tcp));
    let case = |channel, stretches, replications| Planned::Slots {
        over: OverTrace::new(link, seed, configs.clone(), channel, stretches),
        replications,
    };
    let mut cases = vec![case(Channel::Trace, parts, 1)];
    if options.synthetic {
        cases.push(case(Channel::Independent, 1, wanted));
        match synthetic(&link.outcomes, false) {
            Some(_) => cases.push(case(Channel::GilbertElliott, 1, wanted)),
            None => subject.notes.push(
                "mu is undefined: a link that never changes has no Gilbert-Elliott parameters."
                    .to_owned(),
            ),
        }
    }
    let remedies = if remedies.is_empty() {
        None
    } else {
        remedies::over_slots(link, &base, options.replications, remedies)?
    };
    Ok(Prepared { subject, cases, remedies })
}

/// The trace as the losses of a link.
fn over_link<'a>(
    link: &'a LinkTrace,
    around: &AsLink,
    (variants, remedies): (&[Choice], &[Choice]),
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
    let mut plans = Plans::new(&scenario, std::path::Path::new(""), known, variants, options)?;
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
    let notes = subject.notes.iter().cloned().chain(notes).collect();
    let subject = Subject { flows, tcp, scenario, notes, ..subject };
    Ok(Prepared { subject, cases: vec![case], remedies })
}

/// A link with the capacity of a file: each replication is the next stretch of it.
fn over_capacity<'a>(
    link: &'a LinkTrace,
    around: &AsLink,
    (variants, asked): (&[Choice], &[String]),
    options: &CompareOptions,
) -> Result<Prepared<'a>, CompareError> {
    let whole = link.capacity.as_ref().map_or(Span::ZERO, |capacity| capacity.period());
    let seed = options.seed.unwrap_or(1);
    let wanted = options.replications.unwrap_or(STRETCHES);
    let parts = ((whole.0 / LEAST_STRETCH.0) as u32).clamp(1, wanted);
    let stretch = Span(whole.0 / u64::from(parts));
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
    let mut plans =
        Plans::new(&scenario, std::path::Path::new(""), BTreeMap::new(), variants, options)?;
    plans.stretch = Some(stretch);
    let choices = remedies::against_delay(asked)?;
    let remedies = (choices.len() > 1)
        .then(|| remedies::over_capacity(&scenario, stretch, &choices, options))
        .transpose()?;
    let mut notes = vec![CAPACITY];
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
    let subject = Subject { flows, tcp, scenario, ..subject };
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

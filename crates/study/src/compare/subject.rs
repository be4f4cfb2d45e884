//! From what was given to the cases that are run: scenarios here, traces in `links`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use airtcp_scenario::{Scenario, ScenarioError};
use airtcp_sim::parallel::Stop;
use airtcp_trace::LinkTrace;
use airtcp_transport::tcp::TcpConfig;

use super::links::{over_capacity, over_link, over_slots};
use super::options::REPLICATIONS;
use super::over_trace::OverTrace;
use super::plan::Plans;
use super::remedies::{self, Remedy};
use super::result::{Channel, Over, Subject, SubjectKind, VariantTcp};
use super::tcp_spec::TcpSpec;
use super::{CompareError, CompareOptions, Done};

/// Added where replications are alike.
pub(crate) const ALIKE: &str = "The replications hardly differ: what is random in this scenario changes \
goodputs by at most 0.1 %. The intervals show this scatter and nothing more.";

/// Added to it where neither losses of a link nor a cell are random.
pub(crate) const APART: &str =
    "A loss model, or a start_spread of the flows, makes replications differ.";

/// Added where the stretches of a capacity are the same.
pub(crate) const ALIKE_STRETCHES: &str = "The stretches of the file are alike, because its capacity hardly \
changes or repeats itself: they are one run, counted several times. The intervals show the scatter between \
these stretches and nothing more; they say nothing of other links.";

/// Added where rare replications make the means.
pub(crate) const RARE: &str = "Over slots, goodputs and their differences have no interval where a \
replication delivers fewer than 30 packets in the mean, or leaves fewer than 200 slots without one: rare \
replications make the mean there, and an interval from the others would miss it.";

/// Added where the mean wait in the queue is longer than the mean round trip, of which it is a part.
pub(crate) const LONGER_WAIT: &str = "The mean wait in the queue is longer than the mean round-trip time of some \
TCPs, because they count different packets. The wait is the mean length of the queue over the packets that left \
it, so that it counts retransmissions and those still waiting at the end. A round-trip time counts the packets \
whose acknowledgement gave a sample, and few do during a loss recovery.";

/// The same of remedies over slots.
pub(crate) const RARE_REMEDY: &str = "Over slots, goodputs of remedies and their differences have no \
interval where a stretch delivers fewer than 20 packets in the mean, or leaves fewer than 30 slots without one: \
rare stretches make the mean there, and an interval from the others would miss it.";

/// What TCPs are to be compared on.
#[derive(Debug, Clone)]
pub enum Input {
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

    /// True if its losses, or the stations that contend, are drawn at random.
    pub(crate) fn draws(&self) -> bool {
        match self {
            Self::Plans { plans, .. } => plans.draws(),
            Self::Slots { .. } => true,
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
    given: &'a Input,
    variants: &[TcpSpec],
    (remedies, asked): (&[TcpSpec], &[String]),
    options: &CompareOptions,
) -> Result<Prepared<'a>, CompareError> {
    match (given, &options.as_link) {
        (Input::Scenario { name, text, scenario, folder }, _) => {
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
        (Input::Link(link), around) if link.capacity.is_some() => {
            over_capacity(link, &around.clone().unwrap_or_default(), (variants, asked), options)
        }
        (Input::Link(link), None) => over_slots(link, variants, remedies, options),
        (Input::Link(link), Some(around)) => over_link(link, around, (variants, remedies), options),
    }
}

/// What kept one replication of what was given from running, with its file and line.
pub(crate) fn at(given: &Input, error: ScenarioError) -> CompareError {
    match given {
        Input::Scenario { name, text, .. } => located(error.into(), name, text),
        Input::Link(_) => error.into(),
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
pub(super) fn of_plans(plans: &Plans, variants: &[TcpSpec]) -> Subject {
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

pub(super) fn parameters(variant: &TcpSpec, tcp: &TcpConfig) -> VariantTcp {
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
        "These TCPs differ in loss recovery as well as in congestion control: {}. Differences between \
         the groups therefore do not show the laws alone. \"reno\" is Reno's law with SACK.",
        groups.join("; ")
    ))
}

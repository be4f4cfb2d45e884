//! From a scenario to what is run: a plan for each variant, alike in everything but the TCP.
//!
//! The random streams of a simulation are named after links and flows, and both keep their names
//! in every plan: in a replication the channel draws the same numbers for every variant.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use airtcp_link::{LossConfig, TraceConfig};
use airtcp_probe::nearest;
use airtcp_scenario::{Flow, Resolved, Scenario, ScenarioError, TransportKind};
use airtcp_sim::parallel::Stop;
use airtcp_sim::results::{FlowResult, Replication, jain_index};
use airtcp_sim::run_one;
use airtcp_transport::tcp::{Profile, TcpConfig, Variant};
use airtcp_units::{Nanos, Outcomes, Span};

use super::choice::Choice;
use super::observe::Observer;
use super::result::CompareRun;
use super::{CompareError, CompareOptions};
use crate::{Cwnd, load_trace};

/// The plans of one scenario: one for each variant.
pub(crate) struct Plans {
    pub(crate) each: Vec<Resolved>,
    /// Numbers of the flows that are compared.
    pub(crate) flows: Vec<usize>,
    /// Number of the flow that a variant has to share with.
    pub(crate) rival: Option<usize>,
    /// If a replication is a stretch of a trace: how far one is from the next.
    pub(crate) stretch: Option<Span>,
    traces: Traces,
}

/// Traces that a scenario names, each read once.
struct Traces {
    folder: PathBuf,
    read: Mutex<BTreeMap<String, Arc<Outcomes>>>,
}

impl Traces {
    fn load(&self, name: &str) -> Result<Arc<Outcomes>, String> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = read.get(name) {
            return Ok(found.clone());
        }
        let outcomes = load_trace(&self.folder, name)?;
        read.insert(name.to_owned(), outcomes.clone());
        Ok(outcomes)
    }
}

impl Plans {
    /// Plans of a scenario whose traces lie in `folder`; those in `known` need not be read.
    pub(crate) fn new(
        scenario: &Scenario,
        folder: &Path,
        known: BTreeMap<String, Arc<Outcomes>>,
        variants: &[Choice],
        options: &CompareOptions,
    ) -> Result<Self, CompareError> {
        let mut base = scenario.resolve()?;
        let profile = options.profile.as_deref().map(profile).transpose()?;
        let mut flows = chosen(&base, options.flow.as_deref())?;
        let rival = match &options.share {
            None => None,
            Some(name) => {
                let rival = Variant::parse(name)?;
                let flow = flows[0];
                Some(share(&mut base, flow, &rival, profile.as_ref(), &mut flows)?)
            }
        };
        let mut plans = Vec::with_capacity(variants.len());
        for variant in variants {
            let mut plan = base.clone();
            for &flow in &flows {
                let own = &mut plan.flows[flow].tcp;
                *own = variant.apply(profile.as_ref().unwrap_or(own))?;
            }
            variant.protect(&mut plan)?;
            plans.push(plan);
        }
        let traces = Traces { folder: folder.to_owned(), read: Mutex::new(known) };
        let made = Self { each: plans, flows, rival, stretch: None, traces };
        for plan in &made.each {
            airtcp_sim::prepare(plan, &|name| made.traces.load(name))?;
        }
        Ok(made)
    }

    /// Runs one variant in one replication; `None` if it was stopped.
    ///
    /// # Errors
    /// What keeps this replication from running: it may have a layout of its own.
    pub(crate) fn run(
        &self,
        variant: usize,
        number: u32,
        stop: &Stop,
    ) -> Result<Option<(CompareRun, Option<Cwnd>)>, ScenarioError> {
        let shifted = self.stretch.map(|length| {
            let mut plan = self.each[variant].clone();
            for link in &mut plan.links {
                if let Some(LossConfig::Trace(trace)) = &mut link.direction.loss {
                    *trace = TraceConfig { offset: length * u64::from(number), ..trace.clone() };
                }
            }
            plan
        });
        let plan = shifted.as_ref().unwrap_or(&self.each[variant]);
        let (warmup, duration) = (plan.scenario.warmup, plan.scenario.duration);
        let from = Nanos::ZERO + warmup;
        let mut observer =
            Observer::new(&self.flows, from, duration.saturating_sub(warmup) + Span(1), 1);
        if number == 0 {
            let first = self.flows[0];
            observer = observer.with_window(first, plan.flows[first].tcp.mss, duration);
        }
        let load = |name: &str| self.traces.load(name);
        let Some((replication, observer)) = run_one(plan, number, &load, observer, stop)? else {
            return Ok(None);
        };
        let (stretches, window) = observer.finish();
        let mut run = self.summed(&replication);
        run.queue_delay_s = queue_delay(&replication, duration.saturating_sub(warmup));
        if let Some(stretch) = stretches.first() {
            run.rtt_mean_s = stretch.rtt().mean_s();
            run.rtt_p95_s = stretch.rtt().quantile_s(0.95);
        }
        Ok(Some((run, window)))
    }

    /// What the compared flows got together.
    fn summed(&self, replication: &Replication) -> CompareRun {
        let flows: Vec<&FlowResult> =
            self.flows.iter().filter_map(|i| replication.flows.get(*i)).collect();
        let sum = |of: fn(&FlowResult) -> u64| flows.iter().map(|f| of(f)).sum::<u64>();
        let goodput: f64 = flows.iter().map(|f| f.goodput_bps).sum();
        let mean = |of: fn(&FlowResult) -> Option<f64>| {
            let values: Vec<f64> = flows.iter().filter_map(|f| of(f)).collect();
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        let (sent, again) = (sum(|f| f.segments_sent), sum(|f| f.retransmissions));
        let rival = self.rival.and_then(|i| replication.flows.get(i)).map(|f| f.goodput_bps);
        let mut shares: Vec<f64> = replication.flows.iter().map(|f| f.goodput_bps).collect();
        if let Some(rival) = rival {
            shares = vec![goodput, rival];
        }
        CompareRun {
            replication: replication.replication,
            goodput_bps: goodput,
            segments_sent: sent,
            retransmissions: again,
            retransmission_ratio: if sent == 0 { 0.0 } else { again as f64 / sent as f64 },
            timeouts: sum(|f| f.timeouts),
            fast_retransmits: sum(|f| f.fast_retransmits),
            ecn_reactions: Some(sum(|f| f.ecn_reactions)),
            completion_s: mean(|f| f.completion_s),
            exchange_mean_s: mean(|f| f.exchange_mean_s),
            jain_index: if shares.len() > 1 { jain_index(&shares) } else { None },
            share: rival.and_then(|r| (goodput + r > 0.0).then(|| goodput / (goodput + r))),
            rival_goodput_bps: rival,
            ..CompareRun::default()
        }
    }
}

/// Mean wait at the link where packets wait longest, by Little's law: the mean length of the queue
/// over the packets that left it per second. `measured` is the time that both are taken over.
fn queue_delay(replication: &Replication, measured: Span) -> Option<f64> {
    let sending = replication.links.iter().filter(|link| link.sent_packets > 0);
    sending
        .map(|link| link.mean_queue_packets * measured.as_secs_f64() / link.sent_packets as f64)
        .reduce(f64::max)
}

/// The flows whose TCP is exchanged.
fn chosen(plan: &Resolved, wanted: Option<&str>) -> Result<Vec<usize>, CompareError> {
    let tcp: Vec<usize> =
        (0..plan.flows.len()).filter(|i| plan.flows[*i].transport == TransportKind::Tcp).collect();
    let Some(wanted) = wanted else {
        if tcp.is_empty() {
            return Err(ScenarioError::at("flows", "has no TCP flow to compare TCPs on").into());
        }
        return Ok(tcp);
    };
    let names = || tcp.iter().map(|i| plan.flows[*i].name.as_str());
    if let Some(found) = tcp.iter().find(|i| plan.flows[**i].name == wanted) {
        return Ok(vec![*found]);
    }
    let some: Vec<&str> = names().take(8).collect();
    Err(CompareError::other(format!(
        "flow: the scenario has no TCP flow \"{wanted}\"{} (it has {})",
        hint(wanted, names()),
        some.join(", ")
    )))
}

/// The name that may have been meant, as the middle of a sentence.
fn hint<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map(|n| format!("; did you mean \"{n}\"?")).unwrap_or_default()
}

/// Puts a rival beside `flow`, on the same way, and takes away the other TCP flows: what is left
/// of them is this one and its rival. Gives the rival's number.
fn share(
    plan: &mut Resolved,
    flow: usize,
    rival: &Variant,
    profile: Option<&TcpConfig>,
    flows: &mut Vec<usize>,
) -> Result<usize, CompareError> {
    let compared = plan.flows[flow].clone();
    let base = profile.unwrap_or(&compared.tcp);
    let other = Flow {
        name: format!("{} (rival)", compared.name),
        tcp: rival.apply(base)?,
        ..compared.clone()
    };
    let others: Vec<Flow> =
        plan.flows.drain(..).filter(|f| f.transport != TransportKind::Tcp).collect();
    plan.flows = [compared, other].into_iter().chain(others).collect();
    *flows = vec![0];
    Ok(1)
}

/// A profile by its name.
fn profile(name: &str) -> Result<TcpConfig, CompareError> {
    let names = Profile::ALL.map(Profile::name);
    let found = Profile::ALL.into_iter().find(|p| p.name() == name);
    found.map(TcpConfig::profile).ok_or_else(|| {
        CompareError::other(format!(
            "unknown TCP profile \"{name}\"{} (accepted: {})",
            hint(name, names),
            names.join(", ")
        ))
    })
}

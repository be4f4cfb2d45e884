//! The plans of a scenario: one for each variant, equal in everything but the variant.
//!
//! The random streams of a simulation are named after links and flows, and both keep their names
//! in every plan: in a replication the channel draws the same numbers for every variant.

use std::collections::BTreeSet;

use airtcp_link::{LossConfig, Rate, TraceConfig};
use airtcp_probe::{DropReason, nearest};
use airtcp_scenario::{Application, Flow, Resolved, ScenarioError, TransportKind};
use airtcp_sim::parallel::Stop;
use airtcp_sim::results::{FlowResult, Replication, bottlenecks, jain_index, most_bps};
use airtcp_sim::{links_on_way, run_parts};
use airtcp_transport::tcp::{Profile, TcpConfig, Variant};
use airtcp_units::{Nanos, Span};

use super::Ran;
use super::observe::Observer;
use super::scenarios::{Cut, Scene};
use crate::base::error::CompareError;
use crate::base::loader::Traces;
use crate::document::compare::{Channel, CompareRun, Done};
use crate::document::compare_options::CompareOptions;
use crate::variant::preconditions::{Unmet, loses, unmet_on};
use crate::variant::tcp::VariantSpec;

/// The plans of one scenario: one for each variant.
pub(crate) struct Plans {
    pub(crate) each: Vec<Resolved>,
    /// Numbers of the compared flows.
    pub(crate) flows: Vec<usize>,
    /// Number of the flow that a variant has to share with.
    rival: Option<usize>,
    stretch: Option<Span>,
    cut: Option<Cut>,
    traces: Traces,
}

impl Plans {
    /// Plans of a scenario, each with one of `variants`.
    pub(crate) fn new(
        scene: &Scene<'_>,
        variants: &[VariantSpec],
        options: &CompareOptions,
    ) -> Result<Self, CompareError> {
        let mut base = scene.scenario.resolve()?;
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
        let mut each = Vec::with_capacity(variants.len());
        for variant in variants {
            let mut plan = base.clone();
            for &flow in &flows {
                variant.put(&mut plan.flows[flow], profile.as_ref())?;
            }
            variant.protect(&mut plan)?;
            variant.queue(&mut plan, &flows)?;
            if let Some(cut) = scene.cut.filter(|_| !variant.is_coded()) {
                cut.take_slots(&mut plan);
            }
            each.push(plan);
        }
        let traces = Traces::new(scene.folder, scene.known.clone());
        for plan in &each {
            airtcp_sim::prepare(plan, &|name| traces.load(name))?;
        }
        Ok(Self { each, flows, rival, stretch: scene.stretch, cut: scene.cut, traces })
    }

    /// For each variant, its needs that the path does not meet.
    pub(crate) fn unmet(&self) -> Vec<Option<Unmet>> {
        self.each.iter().map(|plan| unmet_on(plan, &self.flows)).collect()
    }

    /// The channel of the runs.
    pub(crate) const fn channel(&self) -> Channel {
        match (self.stretch, self.cut) {
            (None, None) => Channel::Scenario,
            _ => Channel::Trace,
        }
    }

    /// True if losses of a link, or stations that contend, are drawn at random.
    pub(crate) fn is_random(&self) -> bool {
        let drawn = |plan: &Resolved| !plan.cells.is_empty() || plan.links.iter().any(loses);
        self.each.iter().any(drawn)
    }

    /// The most that the compared flows can deliver, in bits per second; infinite if unknown.
    pub(crate) fn most_bps(&self) -> f64 {
        let Some(plan) = self.each.first() else { return f64::INFINITY };
        let all = bottlenecks(plan);
        most_bps(&self.flows.iter().filter_map(|i| all.get(*i).copied()).collect::<Vec<_>>())
    }

    /// Runs one variant in one replication.
    pub(crate) fn run(&self, variant: usize, number: u32, stop: &Stop) -> Ran<Done> {
        let shifted = self.stretch.map(|length| {
            let mut plan = self.each[variant].clone();
            for link in &mut plan.links {
                if let Some(Rate::Trace(trace)) = &mut link.direction.rate {
                    trace.offset = length * u64::from(number);
                }
                if let Some(LossConfig::Trace(trace)) = &mut link.direction.loss {
                    *trace = TraceConfig { offset: length * u64::from(number), ..trace.clone() };
                }
            }
            plan
        });
        let plan = shifted.as_ref().unwrap_or(&self.each[variant]);
        let (warmup, duration) = (plan.scenario.warmup, plan.scenario.duration);
        let from = Nanos::ZERO + warmup;
        let parts = self.cut.map_or(1, |cut| cut.parts);
        let measured = Span(duration.saturating_sub(warmup).0 / u64::from(parts));
        let mut observer = Observer::new(&self.flows, from, measured + Span(1), parts as usize);
        if number == 0 {
            let first = self.flows[0];
            observer = observer.with_window(first, plan.flows[first].tcp.mss, duration);
        }
        let load = |name: &str| self.traces.load(name);
        let done = run_parts(plan, number, &load, observer, parts, stop)?;
        let Some((replications, observer)) = done else { return Ok(None) };
        let (stretches, window) = observer.finish();
        let runs =
            replications.iter().zip(&stretches).zip(0..).map(|((replication, seen), part)| {
                let mut run = self.summed(replication, seen.times());
                run.replication += part;
                run.queue_delay_s = queue_delay(replication, measured);
                let (sent, lost) = over_lossy_links(plan, replication);
                let lossy = plan.links.iter().any(loses);
                (run.lossy_packets, run.lossy_packets_lost) =
                    (lossy.then_some(sent), lossy.then_some(lost));
                (run.link_bps, run.carried_bps) = on_links(plan, replication, measured).unzip();
                run.packets_per_second =
                    self.cut.map(|cut| run.goodput_bps / 8.0 / f64::from(cut.mss));
                run.slots = self.cut.map(|cut| cut.slots(self.delivered(replication), measured));
                run
            });
        Ok(Some((runs.collect(), window)))
    }

    /// Bytes delivered, summed over the compared flows.
    fn delivered(&self, replication: &Replication) -> u64 {
        let flows = self.flows.iter().filter_map(|i| replication.flows.get(*i));
        flows.map(|flow| flow.delivered_bytes).sum()
    }

    /// The results of a replication, summed over the compared flows, with these `times`.
    fn summed(&self, replication: &Replication, times: CompareRun) -> CompareRun {
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
        let others = replication.flows.iter().enumerate();
        let others = others.filter(|(i, _)| !self.flows.contains(i)).map(|(_, f)| f.goodput_bps);
        let others: Vec<f64> = others.collect();
        // Beside a rival, the index is that of the two.
        let jain_index = match rival {
            Some(rival) => jain_index(&[goodput, rival]),
            None => replication.jain_index,
        };
        let directions = [replication.jain_index_up, replication.jain_index_down];
        let [jain_index_up, jain_index_down] =
            directions.map(|index| index.filter(|_| rival.is_none()));
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
            others_goodput_bps: (!others.is_empty()).then(|| others.iter().sum()),
            jain_index,
            jain_index_up,
            jain_index_down,
            active_s: mean(|f| Some(f.active_s)).unwrap_or_default(),
            share: rival.and_then(|r| (goodput + r > 0.0).then(|| goodput / (goodput + r))),
            rival_goodput_bps: rival,
            ..times
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

/// Packets sent over links with losses, and those that the loss model dropped or a link protocol
/// gave up.
fn over_lossy_links(plan: &Resolved, replication: &Replication) -> (u64, u64) {
    let lost = [DropReason::Loss, DropReason::RetryLimit].map(DropReason::name);
    let lossy = plan.links.iter().zip(&replication.links).filter(|(link, _)| loses(link));
    lossy.fold((0, 0), |(sent, gone), (_, link)| {
        let dropped = lost.iter().filter_map(|reason| link.drops.get(*reason)).sum::<u64>();
        (sent + link.sent_packets, gone + dropped)
    })
}

/// Bits per second sent on the links of the data's path, and payload per second delivered, once for
/// each of these links. For 802.11 cells, all transmissions count. None for exchanges, whose data
/// go both ways, and for paths through cells and links.
fn on_links(plan: &Resolved, replication: &Replication, measured: Span) -> Option<(f64, f64)> {
    let flows = plan.flows.iter().zip(&replication.flows);
    let exchanges = |flow: &Flow| matches!(flow.app, Application::RequestResponse { .. });
    if plan.flows.iter().any(exchanges) || (!plan.cells.is_empty() && !plan.links.is_empty()) {
        return None;
    }
    if plan.links.is_empty() {
        let sent: f64 = flows.clone().filter_map(|(_, f)| f.mac_sent_bps).sum();
        return Some((sent, flows.map(|(_, f)| f.goodput_bps).sum()));
    }
    let ways: Vec<Vec<usize>> = (0..plan.flows.len()).map(|i| links_on_way(plan, i)).collect();
    let used: BTreeSet<usize> = ways.iter().flatten().copied().collect();
    let sent = used.iter().filter_map(|i| replication.links.get(*i)).map(|link| link.sent_bps);
    let carried = ways.iter().zip(flows);
    let carried = carried.map(|(way, (_, flow))| way.len() as f64 * delivered_bps(flow, measured));
    Some((sent.sum(), carried.sum()))
}

/// Goodput of a flow over the whole measured time, over which the links' rates are measured too.
fn delivered_bps(flow: &FlowResult, measured: Span) -> f64 {
    flow.delivered_bytes as f64 * 8.0 / measured.as_secs_f64()
}

/// The flows whose TCP the comparison replaces: those of TCP. Without any, or if `wanted` names
/// one, those of LT-TCP and the sliding transport.
fn chosen(plan: &Resolved, wanted: Option<&str>) -> Result<Vec<usize>, CompareError> {
    use TransportKind::{LtTcp, Sliding, Tcp};
    let of = |kinds: &[TransportKind]| -> Vec<usize> {
        (0..plan.flows.len()).filter(|i| kinds.contains(&plan.flows[*i].transport)).collect()
    };
    let mut tcp = of(&[Tcp]);
    if tcp.is_empty() || wanted.is_some() {
        tcp = of(&[Tcp, LtTcp, Sliding]);
    }
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

/// The nearest known name, as a part of a message.
fn hint<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map(|n| format!("; did you mean \"{n}\"?")).unwrap_or_default()
}

/// Adds a rival of `flow` on the same path, and removes all other TCP flows. Returns the rival's
/// number.
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
        transport: TransportKind::Tcp,
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

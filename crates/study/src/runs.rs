//! The runs of a study, spread over all cores.
//!
//! One job is one simulation: the trace itself (with the link's metrics), or one replica of a
//! synthetic kind. A single long trace therefore keeps all cores busy, as many short ones do,
//! and since every job draws from a stream named after its link and replica, no result depends
//! on the number of workers.

use std::sync::atomic::{AtomicUsize, Ordering};

use airtcp_probe::NoProbe;
use airtcp_random::Seed;
use airtcp_sim::Estimate;
use airtcp_sim::parallel::{Stop, run_many};
use airtcp_sim::slotted::{self, SlottedConfig, SlottedResult};
use airtcp_trace::metrics::{self, LinkStats};
use airtcp_trace::synth::SynthModel;
use airtcp_trace::{GeParams, LinkTrace};
use airtcp_units::{Outcomes, Span};

use crate::chance::{difference, mean_rate};
use crate::compare::{RemedyComparison, TcpComparison};
use crate::cwnd::CwndProbe;
use crate::result::{
    Differences, Ensemble, LinkStudy, PrrOverTime, STUDY_SCHEMA, Skipped, StartEffect, StudyResult,
    TcpOutcome, TcpStudy, TraceSource,
};
use crate::{StudyError, StudyOptions};

/// Windows in the picture of a link over time.
const WINDOWS: usize = 300;

/// Most simulations whose results are kept at once: about 1 GB.
const MAX_SIMULATIONS: usize = 20_000_000;

/// Longest trace in simulated time: 100 years.
pub(crate) const LONGEST: Span = Span::from_secs(100 * 365 * 86_400);

/// What a job gives back.
enum Done {
    Empirical(Box<Empirical>),
    Replica(Replica),
    /// There is no Gilbert-Elliott link to run.
    Nothing,
    /// One of the TCPs that are compared, over the trace.
    Compared(Box<crate::compare::Done>),
    /// One of the remedies that are tried over the trace.
    Helped(Box<crate::compare::Done>),
}

struct Empirical {
    stats: LinkStats,
    start: Option<StartEffect>,
    run: SlottedResult,
    cwnd: Option<crate::Cwnd>,
}

struct Replica {
    packets_per_second: f64,
    timeouts: u64,
    fast_retransmits: u64,
    retransmission_ratio: f64,
    sent: u64,
    longest_success: u64,
    longest_loss: u64,
}

/// Studies `links`. `report` is called on the calling thread with how many slots were simulated
/// and how many there are to simulate (a simulation takes as long as its trace), and returns
/// false to stop; finished links are kept.
///
/// # Errors
/// If the options are impossible.
pub fn study(
    links: &[LinkTrace],
    skipped: Vec<Skipped>,
    options: &StudyOptions,
    mut report: impl FnMut(usize, usize) -> bool,
) -> Result<StudyResult, StudyError> {
    let replicas = options.replicas as usize;
    let tcps = TcpComparison::new(options, links.len())?;
    let configs: Vec<SlottedConfig> =
        links.iter().map(|link| options.slotted(link.interval)).collect::<Result<_, _>>()?;
    for (link, config) in links.iter().zip(&configs) {
        fits(link, config)?;
        tcps.check(config)?;
    }
    let mut remedies = RemedyComparison::new(options, links, &configs)?;
    let per_link = 1 + 2 * replicas + tcps.runs() + remedies.runs();
    if links.len().saturating_mul(per_link) > MAX_SIMULATIONS {
        return Err(StudyError::Range {
            option: "replicas",
            found: format!("{replicas} of each kind for {} links", links.len()),
            accepted: "up to 20000000 simulations in all; take fewer replicas or fewer links",
        });
    }
    let done_slots = AtomicUsize::new(0);
    let job = |index: usize, stop: &Stop| {
        let (i, part) = (index / per_link, index % per_link);
        if stop.is_set() {
            return None;
        }
        let with_cwnd = i < options.cwnd_links as usize;
        let done = match part.checked_sub(1 + 2 * replicas) {
            Some(variant) if variant < tcps.runs() => {
                Done::Compared(Box::new(tcps.run(&links[i], &configs[i], variant)?))
            }
            Some(variant) if remedies.has(i, variant - tcps.runs()) => {
                Done::Helped(Box::new(remedies.run(i, variant - tcps.runs(), stop)?))
            }
            Some(_) => Done::Nothing,
            None => run_part(&links[i], with_cwnd, &configs[i], options, part, replicas),
        };
        done_slots.fetch_add(links[i].outcomes.len(), Ordering::Relaxed);
        Some(done)
    };
    let total = links.len() * per_link;
    let slots = per_link * links.iter().map(|link| link.outcomes.len()).sum::<usize>();
    let workers =
        options.workers.map_or_else(airtcp_sim::parallel::default_workers, |w| w as usize);
    let mut parts =
        run_many(total, workers, job, |_| report(done_slots.load(Ordering::Relaxed), slots))
            .into_iter();
    let mut finished = Vec::new();
    for (i, (link, config)) in links.iter().zip(&configs).enumerate() {
        let done: Option<Vec<Done>> =
            parts.by_ref().take(per_link).collect::<Vec<_>>().into_iter().collect();
        let mut helped = Vec::new();
        let kept = |d| match d {
            Done::Helped(done) => {
                helped.push(*done);
                None
            }
            other => Some(other),
        };
        let done: Option<Vec<Done>> = done.map(|done| done.into_iter().filter_map(kept).collect());
        if let Some(study) = done.and_then(|done| assemble(link, config, options, done, &tcps)) {
            finished.push(LinkStudy { remedies: remedies.assemble(i, helped), ..study });
        }
    }
    let interrupted = finished.len() < links.len();
    Ok(StudyResult {
        schema: STUDY_SCHEMA.into(),
        airtcp_version: env!("CARGO_PKG_VERSION").into(),
        seed: options.seed,
        options: options.clone(),
        links: finished,
        capacities: Vec::new(),
        skipped,
        interrupted,
    })
}

/// Refuses a trace that would last longer than simulated time can count.
pub(crate) fn fits(link: &LinkTrace, config: &SlottedConfig) -> Result<(), StudyError> {
    let most = LONGEST.0 / config.slot.0.max(1);
    if link.outcomes.len() as u64 <= most {
        return Ok(());
    }
    Err(StudyError::Range {
        option: "slot",
        found: format!(
            "{} for the {} packets of link \"{}\"",
            config.slot,
            link.outcomes.len(),
            link.name
        ),
        accepted: "a slot with which a trace lasts up to 100 years",
    })
}

fn run_part(
    link: &LinkTrace,
    with_cwnd: bool,
    config: &SlottedConfig,
    options: &StudyOptions,
    part: usize,
    replicas: usize,
) -> Done {
    let seed = Seed::new(options.seed);
    let outcomes = &link.outcomes;
    if part == 0 {
        let stats = link.analyse(&options.analyse);
        let start = metrics::start(outcomes).map(|start| {
            let rest = outcomes.slice(start.packets as usize..outcomes.len());
            let run = slotted::run(&rest, None, config, &mut NoProbe);
            StartEffect { start, packets_per_second_without: run.packets_per_second() }
        });
        let (run, cwnd) = if with_cwnd {
            let mut probe = CwndProbe::new(u64::from(config.tcp.mss), config.slot, outcomes.len());
            let run = slotted::run(outcomes, None, config, &mut probe);
            (run, Some(probe.finish()))
        } else {
            (slotted::run(outcomes, None, config, &mut NoProbe), None)
        };
        return Done::Empirical(Box::new(Empirical { stats, start, run, cwnd }));
    }
    let independent = part <= replicas;
    let replica = (part - 1) % replicas;
    let Some((model, _)) = replica_model(link, independent, options) else { return Done::Nothing };
    let kind = if independent { "independent" } else { "gilbert-elliott" };
    let mut stream = seed.replicate(replica as u32).stream(&format!("study/{}/{kind}", link.name));
    let Ok(synthetic) = model.generate(outcomes.len(), &mut stream) else { return Done::Nothing };
    let result = slotted::run(&synthetic, None, config, &mut NoProbe);
    let (mut longest_success, mut longest_loss) = (0, 0);
    metrics::for_each_run(&synthetic, |received, length| {
        let longest = if received { &mut longest_success } else { &mut longest_loss };
        *longest = length.max(*longest);
    });
    Done::Replica(Replica {
        packets_per_second: result.packets_per_second(),
        timeouts: result.sender.timeouts,
        fast_retransmits: result.sender.fast_retransmits,
        retransmission_ratio: retransmission_ratio(&result),
        sent: result.sender.data_segments_sent,
        longest_success,
        longest_loss,
    })
}

/// The link that a replica is drawn from. A chain needs `mu`, and `mu` a trace whose order was measured.
pub(crate) fn replica_model(
    link: &LinkTrace,
    independent: bool,
    options: &StudyOptions,
) -> Option<(SynthModel, bool)> {
    let known = independent || link.order_known || options.analyse.drawn_order;
    known.then(|| synthetic(&link.outcomes, independent)).flatten()
}

/// The synthetic link that looks like `outcomes`, and whether its `mu` had to be moved.
pub(crate) fn synthetic(outcomes: &Outcomes, independent: bool) -> Option<(SynthModel, bool)> {
    let prr = outcomes.received() as f64 / outcomes.len().max(1) as f64;
    if independent {
        return Some((SynthModel::Independent { prr }, false));
    }
    let mu = metrics::Pairs::of(outcomes).mu()?;
    let (params, moved) = GeParams::nearest(prr, mu)?;
    Some((SynthModel::GilbertElliott(params), moved))
}

fn retransmission_ratio(result: &SlottedResult) -> f64 {
    result.sender.retransmission_ratio()
}

fn assemble(
    link: &LinkTrace,
    config: &SlottedConfig,
    options: &StudyOptions,
    done: Vec<Done>,
    tcps: &TcpComparison,
) -> Option<LinkStudy> {
    let replicas = options.replicas as usize;
    let mut done = done.into_iter();
    let Some(Done::Empirical(empirical)) = done.next() else { return None };
    let Empirical { stats, start, run, cwnd } = *empirical;
    let rate = |rates: &[f64]| mean_rate(rates, link.outcomes.len(), config.slot.as_secs_f64());
    let independent = ensemble(done.by_ref().take(replicas), rate)?;
    let gilbert_elliott = ensemble(done.by_ref().take(replicas), rate);
    let compared = done
        .filter_map(|d| match d {
            Done::Compared(compared) => Some(*compared),
            _ => None,
        })
        .collect();
    let empirical = outcome(&run, cwnd);
    let difference = Differences {
        independent: difference(&empirical, &independent, config),
        gilbert_elliott: gilbert_elliott.as_ref().map(|e| difference(&empirical, e, config)),
    };
    let note = match replica_model(link, false, options) {
        None if !link.order_known => Some(
            "the order of losses was not measured: mu is not known, and there is no Gilbert-Elliott chain"
                .to_owned(),
        ),
        None => Some(
            "mu is undefined: a link that never changes has no Gilbert-Elliott parameters".to_owned(),
        ),
        Some((_, true)) => Some(
            "mu lies outside what a Gilbert-Elliott chain of this PRR can have; the nearest was used"
                .to_owned(),
        ),
        Some((_, false)) => None,
    };
    Some(LinkStudy {
        name: link.name.clone(),
        source: TraceSource {
            path: link.source.path.display().to_string(),
            layout: link.source.layout.clone(),
        },
        labels: link.labels.clone(),
        notes: link.notes.clone(),
        order_known: link.order_known,
        interval_s: link.interval.map(airtcp_units::Span::as_secs_f64),
        stats,
        start,
        prr_over_time: prr_over_time(&link.outcomes),
        tcp: TcpStudy {
            profile: options.profile.clone(),
            slot_s: config.slot.as_secs_f64(),
            slot_assumed: options.slot_assumed(link.interval),
            empirical,
            independent,
            gilbert_elliott,
            gilbert_elliott_note: note,
            difference,
        },
        compared: tcps.assemble(config, compared),
        remedies: None,
    })
}

fn outcome(run: &SlottedResult, cwnd: Option<crate::Cwnd>) -> TcpOutcome {
    let slots = run.duration.0.checked_div(run.slot.0).unwrap_or(0);
    TcpOutcome {
        packets_per_second: run.packets_per_second(),
        delivered_packets: run.delivered_packets,
        duration_s: run.duration.as_secs_f64(),
        sent_packets: run.sender.data_segments_sent,
        retransmissions: run.sender.segments_retransmitted,
        retransmission_ratio: retransmission_ratio(run),
        timeouts: run.sender.timeouts,
        fast_retransmits: run.sender.fast_retransmits,
        slot_use: if slots == 0 { 0.0 } else { run.slots_used as f64 / slots as f64 },
        cwnd,
    }
}

/// `None` if there is nothing of this kind; `rate` makes the mean of the replicas' rates.
fn ensemble(
    done: impl Iterator<Item = Done>,
    rate: impl Fn(&[f64]) -> Estimate,
) -> Option<Ensemble> {
    let replicas: Vec<Replica> = done
        .filter_map(|d| match d {
            Done::Replica(r) => Some(r),
            _ => None,
        })
        .collect();
    if replicas.is_empty() {
        return None;
    }
    let of = |f: fn(&Replica) -> f64| Estimate::of(replicas.iter().map(f));
    let rates: Vec<f64> = replicas.iter().map(|r| r.packets_per_second).collect();
    Some(Ensemble {
        replicas: replicas.len() as u32,
        packets_per_second: rate(&rates),
        timeouts: Estimate::of_counts(replicas.iter().map(|r| r.timeouts as f64)),
        fast_retransmits: Estimate::of_counts(replicas.iter().map(|r| r.fast_retransmits as f64)),
        retransmission_ratio: Estimate::of_shares(
            replicas.iter().map(|r| (r.retransmission_ratio, r.sent as f64)),
        ),
        longest_success_burst: of(|r| r.longest_success as f64),
        longest_loss_burst: of(|r| r.longest_loss as f64),
        replica_packets_per_second: rates,
    })
}

fn prr_over_time(outcomes: &Outcomes) -> PrrOverTime {
    let window = outcomes.len().div_ceil(WINDOWS).max(1);
    let prr = (0..outcomes.len())
        .step_by(window)
        .map(|start| {
            let part = outcomes.slice(start..start + window);
            part.received() as f64 / part.len() as f64
        })
        .collect();
    PrrOverTime { window_packets: window as u64, prr }
}

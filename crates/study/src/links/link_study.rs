//! Makes a link's part of a study from the runs over it.

use airtcp_sim::Estimate;
use airtcp_sim::results::Range;
use airtcp_sim::slotted::{SlottedConfig, SlottedResult};
use airtcp_trace::LinkTrace;
use airtcp_trace::metrics::{self, LinkStats};
use airtcp_units::{Narrow, Outcomes};

use crate::StudyOptions;
use crate::document::study::{
    Differences, Ensemble, LinkStudy, PrrOverTime, StartEffect, TcpOutcome, TcpStudy,
};
use crate::document::{Cwnd, TraceSource};
use crate::links::chance::{difference, mean_rate};
use crate::subject::synthetic_links::{Kind, SyntheticLinks};

/// Windows in the chart of a link over time.
const WINDOWS: usize = 300;

/// The trace itself: its metrics, and TCP over it.
pub(crate) struct Empirical {
    pub(crate) stats: LinkStats,
    pub(crate) start: Option<StartEffect>,
    pub(crate) run: SlottedResult,
    pub(crate) cwnd: Option<Cwnd>,
}

/// TCP over one synthetic link.
pub(crate) struct Replica {
    packets_per_second: f64,
    timeouts: u64,
    fast_retransmits: u64,
    retransmission_ratio: f64,
    sent: u64,
    longest_success: u64,
    longest_loss: u64,
}

impl Replica {
    /// The result of a run over the link `outcomes`.
    pub(crate) fn of(outcomes: &Outcomes, run: &SlottedResult) -> Self {
        let (mut longest_success, mut longest_loss) = (0, 0);
        metrics::for_each_run(outcomes, |received, length| {
            let longest = if received { &mut longest_success } else { &mut longest_loss };
            *longest = length.max(*longest);
        });
        Self {
            packets_per_second: run.packets_per_second(),
            timeouts: run.sender.timeouts,
            fast_retransmits: run.sender.fast_retransmits,
            retransmission_ratio: run.sender.retransmission_ratio(),
            sent: run.sender.data_segments_sent,
            longest_success,
            longest_loss,
        }
    }
}

/// The study of a link without comparisons, from TCP over the trace and over the synthetic links of
/// each kind; chains may be missing.
pub(crate) fn of_link(
    link: &LinkTrace,
    config: &SlottedConfig,
    options: &StudyOptions,
    trace: Empirical,
    (independent, chains): (&[Replica], &[Replica]),
) -> LinkStudy {
    let Empirical { stats, start, run, cwnd } = trace;
    let rate = |rates: &[f64]| mean_rate(rates, link.outcomes.len(), config.slot.as_secs_f64());
    let independent = ensemble(independent, rate);
    let gilbert_elliott = (!chains.is_empty()).then(|| ensemble(chains, rate));
    let empirical = outcome(&run, cwnd);
    let difference = Differences {
        independent: difference(&empirical, &independent, config),
        gilbert_elliott: gilbert_elliott.as_ref().map(|e| difference(&empirical, e, config)),
    };
    LinkStudy {
        name: link.name.clone(),
        source: TraceSource::of(link),
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
            gilbert_elliott_note: chain_note(link, options).map(str::to_owned),
            difference,
        },
        compared: None,
        remedies: None,
    }
}

/// Why there is no Gilbert-Elliott chain, or why it differs from the link's.
fn chain_note(link: &LinkTrace, options: &StudyOptions) -> Option<&'static str> {
    match SyntheticLinks::of(link, Kind::GilbertElliott, options.analyse.drawn_order) {
        None if !link.order_known => Some(
            "the order of losses was not measured: mu is not known, and there is no Gilbert-Elliott chain",
        ),
        None => Some(
            "mu is undefined: a link that never changes has no Gilbert-Elliott parameters",
        ),
        Some(chains) => chains.moved.then_some(
            "mu lies outside what a Gilbert-Elliott chain of this PRR can have; the nearest was used",
        ),
    }
}

fn outcome(run: &SlottedResult, cwnd: Option<Cwnd>) -> TcpOutcome {
    let slots = run.duration.0.checked_div(run.slot.0).unwrap_or(0);
    TcpOutcome {
        packets_per_second: run.packets_per_second(),
        delivered_packets: run.delivered_packets,
        duration_s: run.duration.as_secs_f64(),
        sent_packets: run.sender.data_segments_sent,
        retransmissions: run.sender.segments_retransmitted,
        retransmission_ratio: run.sender.retransmission_ratio(),
        timeouts: run.sender.timeouts,
        fast_retransmits: run.sender.fast_retransmits,
        slot_use: if slots == 0 { 0.0 } else { run.slots_used as f64 / slots as f64 },
        cwnd,
    }
}

/// `rate` computes the mean of the replicas' rates.
fn ensemble(replicas: &[Replica], rate: impl Fn(&[f64]) -> Estimate) -> Ensemble {
    let of = |f: fn(&Replica) -> f64| Estimate::within(replicas.iter().map(f), Range::NOT_NEGATIVE);
    let rates: Vec<f64> = replicas.iter().map(|r| r.packets_per_second).collect();
    Ensemble {
        replicas: u32::narrow(replicas.len()),
        packets_per_second: rate(&rates),
        timeouts: Estimate::of_counts(replicas.iter().map(|r| r.timeouts as f64)),
        fast_retransmits: Estimate::of_counts(replicas.iter().map(|r| r.fast_retransmits as f64)),
        retransmission_ratio: Estimate::of_shares(
            replicas.iter().map(|r| (r.retransmission_ratio, r.sent as f64)),
        ),
        longest_success_burst: of(|r| r.longest_success as f64),
        longest_loss_burst: of(|r| r.longest_loss as f64),
        replica_packets_per_second: rates,
    }
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

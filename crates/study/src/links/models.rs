//! Scores synthesisers of bursty links by S1's two tests: TCP's throughput over the synthetic link
//! against that over the trace, and the length of the longest burst.
//!
//! One job is one synthesiser on one link: it is fitted once, then draws `replicas` links of the
//! trace's length, over each of which TCP runs. Every job draws from a stream named after its
//! link's outcomes and synthesiser, so neither workers nor file names change the result.

use std::collections::BTreeMap;

use airtcp_probe::NoProbe;
use airtcp_sim::Estimate;
use airtcp_sim::parallel::Stop;
use airtcp_sim::results::Range;
use airtcp_sim::slotted::{self, SlottedConfig};
use airtcp_trace::LinkTrace;
use airtcp_trace::fit::{SYNTHESISERS, Synthesiser};
use airtcp_trace::metrics::{RunStats, burst_excess};
use airtcp_trace::synth::SynthModel;
use airtcp_units::{Outcomes, detmath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::base::draws::Draws;
use crate::base::jobs::{Job, Jobs};
use crate::{Skipped, StudyError, StudyOptions};

/// Version of the format of these results.
pub const MODELS_SCHEMA: &str = "airtcp.models/1";

/// Measures of a link, or means over synthetic links.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measured {
    /// TCP's throughput over the trace, packets per second.
    pub packets_per_second: f64,
    /// Packet reception ratio.
    pub prr: f64,
    /// Longest run of received packets.
    pub longest_success_burst: u64,
    /// Longest run of lost packets.
    pub longest_loss_burst: u64,
    /// Burst excess of success runs.
    pub success_excess: Option<f64>,
}

/// The score of one synthesiser on one link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Score {
    /// The synthesiser.
    pub synthesiser: String,
    /// The fitted model; absent if the trace lacks what the synthesiser needs.
    pub model: Option<SynthModel>,
    /// TCP's throughput over its links, packets per second.
    pub packets_per_second: Estimate,
    /// Mean throughput over the trace's, minus 1; absent if TCP delivered nothing over the trace.
    pub throughput_error: Option<f64>,
    /// Packet reception ratio of its links.
    pub prr: Estimate,
    /// Longest run of received packets.
    pub longest_success_burst: Estimate,
    /// Natural logarithm of the mean longest success burst over the trace's.
    pub longest_burst_log_ratio: Option<f64>,
    /// Longest run of lost packets.
    pub longest_loss_burst: Estimate,
    /// Burst excess of success runs.
    pub success_excess: Estimate,
}

/// One link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LinkModels {
    /// Its name.
    pub name: String,
    /// Packets in its trace.
    pub packets: u64,
    /// Notes on the trace for the reader of the numbers.
    pub notes: Vec<String>,
    /// Duration of a slot: its inverse is the most packets per second there can be.
    pub slot_s: f64,
    /// True if neither the trace nor the options say how long a slot is, and 10 ms is assumed.
    pub slot_assumed: bool,
    /// False if the file counts packets without their order. The runs that the models are fitted
    /// to, and TCP's throughput, are then those of an order drawn at random.
    pub order_known: bool,
    /// Measures of the trace itself.
    pub empirical: Measured,
    /// Scores of the synthesisers.
    pub scores: Vec<Score>,
}

/// A synthesiser over all links.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Overall {
    /// The synthesiser.
    pub synthesiser: String,
    /// What it keeps of a trace.
    pub description: String,
    /// Links it could be fitted to.
    pub links: u64,
    /// Mean over links of |throughput over the model - over the trace| divided by the link's
    /// packets per second, S1's normalised error.
    pub mean_normalised_error: Option<f64>,
    /// Median over links of |throughput error|. Links with nearly no throughput would dominate a
    /// mean.
    pub median_absolute_throughput_error: Option<f64>,
    /// Share of links with a throughput within 10 % of the trace's (S1 section 9.2).
    pub within_ten_percent: Option<f64>,
    /// Mean over links of |log ratio of the longest burst|.
    pub mean_absolute_burst_log_ratio: Option<f64>,
}

/// Everything scored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelsResult {
    /// Format of this document.
    pub schema: String,
    /// Version of the program.
    pub airtcp_version: String,
    /// Root seed.
    pub seed: u64,
    /// Synthetic links a synthesiser drew for each trace.
    pub replicas: u32,
    /// TCP profile.
    pub profile: String,
    /// Per link, in the order given; only finished ones.
    pub links: Vec<LinkModels>,
    /// Per synthesiser.
    pub overall: Vec<Overall>,
    /// Skipped files and the reasons.
    pub skipped: Vec<Skipped>,
    /// True if it was stopped before all links were done.
    pub interrupted: bool,
}

/// Scores every synthesiser on every link. `report` receives the number of finished jobs and of
/// all, and returns false to stop; finished links are kept.
///
/// # Errors
/// If the options are impossible.
pub fn score_synthesisers(
    links: &[LinkTrace],
    skipped: Vec<Skipped>,
    options: &StudyOptions,
    report: impl FnMut(usize, usize) -> bool,
) -> Result<ModelsResult, StudyError> {
    let configs: Vec<SlottedConfig> =
        links.iter().map(|link| options.slotted(link.interval)).collect::<Result<_, _>>()?;
    let draws = Draws::of(options.seed, links);
    let mut jobs = Jobs::new();
    for _ in links {
        let scored = SYNTHESISERS.iter().map(|synthesiser| (Some(synthesiser), 1));
        jobs.add(std::iter::once((None, 1)).chain(scored).collect(), 1, 1);
    }
    let job = |job: Job<'_, Option<&Synthesiser>>, _: &Stop| {
        let (link, config) = (&links[job.subject], &configs[job.subject]);
        Ok::<_, StudyError>(Some(match job.variant {
            None => (None, vec![measure(&link.outcomes, config)]),
            Some(synthesiser) => {
                let drawn = (&draws[job.subject], options.replicas);
                fitted(synthesiser, link, config, drawn)
            }
        }))
    };
    let results = jobs.run(options.workers, job, report)?;
    let mut finished = Vec::new();
    for ((link, config), results) in links.iter().zip(&configs).zip(results) {
        let (parts, true) = results.complete() else { continue };
        finished.extend(assemble(link, config.slot.as_secs_f64(), options, parts));
    }
    Ok(ModelsResult {
        schema: MODELS_SCHEMA.into(),
        airtcp_version: env!("CARGO_PKG_VERSION").into(),
        seed: options.seed,
        replicas: options.replicas,
        profile: options.profile.clone(),
        overall: overall(&finished),
        interrupted: finished.len() < links.len(),
        links: finished,
        skipped,
    })
}

/// A fitted model, and what its links measure; of the trace itself no model.
type Part = (Option<SynthModel>, Vec<Measured>);

fn measure(outcomes: &Outcomes, config: &SlottedConfig) -> Measured {
    let runs = RunStats::of(outcomes);
    Measured {
        packets_per_second: slotted::run(outcomes, None, config, &mut NoProbe).packets_per_second(),
        prr: outcomes.received() as f64 / outcomes.len().max(1) as f64,
        longest_success_burst: runs.success.longest,
        longest_loss_burst: runs.loss.longest,
        success_excess: burst_excess(&runs.success),
    }
}

/// Fits a synthesiser to a link, and measures the links that it draws.
fn fitted(
    synthesiser: &Synthesiser,
    link: &LinkTrace,
    config: &SlottedConfig,
    (draws, replicas): (&Draws, u32),
) -> Part {
    let model = synthesiser.fit(&link.outcomes);
    let purpose = format!("models/{}", synthesiser.name);
    let drawn = |model: &SynthModel| {
        let one = |replica| {
            let mut stream = draws.stream(&purpose, replica);
            let outcomes = model.generate(link.outcomes.len(), &mut stream).ok()?;
            Some(measure(&outcomes, config))
        };
        (0..replicas).filter_map(one).collect()
    };
    let drawn = model.as_ref().map_or_else(Vec::new, drawn);
    (model, drawn)
}

/// The score of a synthesiser, relative to the trace.
fn score(synthesiser: &Synthesiser, (model, drawn): Part, trace: &Measured) -> Score {
    let within = |f: &dyn Fn(&Measured) -> f64, range| Estimate::within(drawn.iter().map(f), range);
    let over = |f: &dyn Fn(&Measured) -> f64| within(f, Range::NOT_NEGATIVE);
    let packets_per_second = over(&|m| m.packets_per_second);
    let longest_success_burst = over(&|m| m.longest_success_burst as f64);
    let longest = longest_success_burst.mean.filter(|m| *m > 0.0);
    let longest = longest.zip(Some(trace.longest_success_burst as f64).filter(|t| *t > 0.0));
    let rate = packets_per_second.mean.filter(|_| trace.packets_per_second > 0.0);
    Score {
        synthesiser: synthesiser.name.into(),
        model,
        packets_per_second,
        throughput_error: rate.map(|m| m / trace.packets_per_second - 1.0),
        prr: within(&|m| m.prr, Range::SHARE),
        longest_success_burst,
        longest_burst_log_ratio: longest.map(|(m, t)| detmath::ln(m / t)),
        longest_loss_burst: over(&|m| m.longest_loss_burst as f64),
        success_excess: Estimate::of_some(drawn.iter().map(|m| m.success_excess), Range::ANY),
    }
}

/// Makes the scores of a link from its parts, that of the trace first.
fn assemble(
    link: &LinkTrace,
    slot_s: f64,
    options: &StudyOptions,
    parts: Vec<(Option<&Synthesiser>, Vec<Part>)>,
) -> Option<LinkModels> {
    let mut parts = parts.into_iter();
    let (_, mut trace) = parts.next()?;
    let empirical = trace.pop()?.1.pop()?;
    let scores = parts
        .filter_map(|(synthesiser, mut found)| Some(score(synthesiser?, found.pop()?, &empirical)));
    Some(LinkModels {
        name: link.name.clone(),
        packets: link.outcomes.len() as u64,
        notes: link.notes.clone(),
        slot_s,
        slot_assumed: options.slot_assumed(link.interval),
        order_known: link.order_known,
        scores: scores.collect(),
        empirical,
    })
}

/// The errors of a synthesiser over all links.
#[derive(Default)]
struct Errors {
    links: u64,
    relative: Vec<f64>,
    normalised: Vec<f64>,
    bursts: Vec<f64>,
}

fn overall(links: &[LinkModels]) -> Vec<Overall> {
    let mut errors: BTreeMap<&str, Errors> = BTreeMap::new();
    for link in links {
        for score in &link.scores {
            let entry = errors.entry(&score.synthesiser).or_default();
            entry.links += u64::from(score.model.is_some());
            entry.relative.extend(score.throughput_error.map(f64::abs));
            let off = |mean: f64| (mean - link.empirical.packets_per_second).abs() * link.slot_s;
            entry.normalised.extend(score.packets_per_second.mean.map(off));
            entry.bursts.extend(score.longest_burst_log_ratio.map(f64::abs));
        }
    }
    let mean = |x: &[f64]| (!x.is_empty()).then(|| x.iter().sum::<f64>() / x.len() as f64);
    SYNTHESISERS
        .iter()
        .filter_map(|s| {
            let of = errors.get_mut(s.name)?;
            of.relative.sort_by(f64::total_cmp);
            let n = of.relative.len();
            let within = of.relative.iter().filter(|e| **e <= 0.1).count();
            Some(Overall {
                synthesiser: s.name.into(),
                description: s.description.into(),
                links: of.links,
                mean_normalised_error: mean(&of.normalised),
                median_absolute_throughput_error: (n > 0)
                    .then(|| f64::midpoint(of.relative[(n - 1) / 2], of.relative[n / 2])),
                within_ten_percent: (n > 0).then(|| within as f64 / n as f64),
                mean_absolute_burst_log_ratio: mean(&of.bursts),
            })
        })
        .collect()
}

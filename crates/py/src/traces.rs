//! Traces: reading, measuring, making and converting them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use airtcp_random::Seed;
use airtcp_sim::parallel::{Stop, default_workers, run_many};
use airtcp_trace::metrics::{Pairs, RunStats};
use airtcp_trace::reader::{ReadOptions, Skipped, read_links_from, read_many};
use airtcp_trace::synth::ExpectedRuns;
use airtcp_trace::write::{TraceFormat, write_file, write_link};
use airtcp_trace::{AnalyseOptions, GeParams, LinkStats, LinkTrace, SynthModel, file_names};
use airtcp_units::{Narrow, Outcomes, Span};
use pyo3::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error;
use crate::path::NativePath;
use crate::progress::{self, Watch};

/// The notes on each trace, by the name of its link.
type Notes = Vec<(String, Vec<String>)>;

/// The path that means standard input.
const STDIN: &str = "-";

/// Reads every link of `paths` on another thread, so that Ctrl-C works during a large file or a
/// slow pipe.
fn read(
    py: Python<'_>,
    watch: &mut Watch,
    paths: Vec<PathBuf>,
    options: ReadOptions,
) -> PyResult<(Vec<LinkTrace>, Vec<Skipped>)> {
    progress::begin();
    watch
        .beside(py, "reading", move |tell| {
            let (stdin, files): (Vec<_>, Vec<_>) =
                paths.into_iter().partition(|path| path == Path::new(STDIN));
            let mut links = Vec::new();
            if !stdin.is_empty() {
                links = read_links_from(Path::new("stdin"), std::io::stdin().lock(), &options)?;
            }
            if files.is_empty() && !links.is_empty() {
                return Ok((links, Vec::new()));
            }
            let (found, skipped) =
                read_many(&files, &options, |done, total, _: &Path| tell(done, total))?;
            links.extend(found);
            Ok((links, skipped))
        })?
        .map_err(|e: airtcp_trace::TraceError| error::unread(&e))
}

/// [`read`] with the interval between packets as the slot, or `slot` if given. Files whose interval
/// is no possible slot are among the skipped ones.
pub(crate) fn read_slotted(
    py: Python<'_>,
    watch: &mut Watch,
    paths: Vec<PathBuf>,
    options: ReadOptions,
    slot: Option<Span>,
) -> PyResult<(Vec<LinkTrace>, Vec<airtcp_study::Skipped>)> {
    let interval = options.interval;
    let (links, skipped) = read(py, watch, paths, options)?;
    watch.next();
    let mut skipped = skipped.iter().map(passed_over).collect();
    let links =
        airtcp_study::with_slots(links, &mut skipped, slot, interval).map_err(error::refuse)?;
    Ok((links, skipped))
}

/// Refuses links whose files have no losses.
pub(crate) fn with_losses(links: &[LinkTrace]) -> PyResult<()> {
    let Some(link) = links.iter().find(|link| link.capacity.is_some()) else { return Ok(()) };
    Err(error::trace(format!(
        "{}: this is the capacity of a link over time, not a delivery trace: it says nothing about \
         losses. 'airtcp study' and 'airtcp compare' say what TCP gets of it.",
        link.source.path.display()
    )))
}

/// How to read traces and how to measure them.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct StatsOptions {
    read: ReadOptions,
    analyse: AnalyseOptions,
    seed: u64,
}

impl Default for StatsOptions {
    fn default() -> Self {
        Self { read: ReadOptions::default(), analyse: AnalyseOptions::default(), seed: 1 }
    }
}

/// The document of `airtcp trace stats`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct TraceDocument {
    /// Format of this document.
    schema: String,
    /// Version of the program.
    airtcp_version: String,
    /// Root seed; no measure of a trace is random.
    seed: u64,
    /// The links, in the order given; only finished ones.
    links: Vec<MeasuredLink>,
    /// Links of varying capacity, whose files have no losses.
    capacities: Vec<MeasuredCapacity>,
    /// Skipped files and the reasons: the file is no trace, or its interval is no possible slot.
    skipped: Vec<airtcp_study::Skipped>,
    /// True if the work was stopped before all links were done.
    interrupted: bool,
}

/// One link of varying capacity.
#[derive(Serialize, JsonSchema)]
struct MeasuredCapacity {
    /// Name of the link.
    name: String,
    /// Where it came from.
    source: airtcp_study::TraceSource,
    /// Notes for the reader of the numbers.
    notes: Vec<String>,
    /// Statistics of the capacity.
    #[serde(flatten)]
    stats: airtcp_study::CapacityStats,
}

impl MeasuredCapacity {
    fn of(link: LinkTrace) -> Option<Self> {
        Some(Self {
            stats: airtcp_study::CapacityStats::of(link.capacity.as_deref()?),
            name: link.name,
            source: airtcp_study::TraceSource {
                path: link.source.path.display().to_string(),
                layout: link.source.layout,
            },
            notes: link.notes,
        })
    }
}

/// One link.
#[derive(Serialize, JsonSchema)]
struct MeasuredLink {
    /// Name of the link.
    name: String,
    /// Where its trace came from.
    source: airtcp_study::TraceSource,
    /// Labels of the link in the file.
    labels: BTreeMap<String, String>,
    /// Notes for the reader of the numbers.
    notes: Vec<String>,
    /// False if the order of packets was not in the file.
    order_known: bool,
    /// Interval between packets as the file gives it.
    interval_s: Option<f64>,
    /// Statistics of the trace.
    #[serde(flatten)]
    stats: LinkStats,
}

/// The kind of a binary file that begins with `start`, and what to do with it, if it is known.
#[pyfunction]
pub(crate) fn binary_kind(start: &[u8]) -> Option<(&'static str, &'static str)> {
    airtcp_trace::reader::binary_kind(start)
}

/// Measures the traces at `paths`; gives the document as JSON.
#[pyfunction]
#[pyo3(signature = (paths, options, progress = None))]
pub(crate) fn trace_stats(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    options: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let options: StatsOptions = error::options(options)?;
    let mut watch = Watch::new(progress);
    let (links, skipped) = read(py, &mut watch, paths, options.read)?;
    watch.next();
    let (capacities, links): (Vec<_>, Vec<_>) =
        links.into_iter().partition(|link| link.capacity.is_some());
    let capacities = capacities.into_iter().filter_map(MeasuredCapacity::of).collect();
    let total = links.len();
    let measured = py.detach(|| {
        let job =
            |i: usize, stop: &Stop| (!stop.is_set()).then(|| links[i].analyse(&options.analyse));
        run_many(total, default_workers(), job, |done| watch.report(done, total, "measuring"))
    });
    watch.into_error(py)?;
    let links: Vec<MeasuredLink> = links
        .into_iter()
        .zip(measured)
        .filter_map(|(link, stats)| Some((link, stats?)))
        .map(|(link, stats)| MeasuredLink {
            name: link.name,
            source: airtcp_study::TraceSource {
                path: link.source.path.display().to_string(),
                layout: link.source.layout,
            },
            labels: link.labels,
            notes: link.notes,
            order_known: link.order_known,
            interval_s: link.interval.map(Span::as_secs_f64),
            stats,
        })
        .collect();
    let document = TraceDocument {
        schema: "airtcp.trace/1".into(),
        airtcp_version: env!("CARGO_PKG_VERSION").into(),
        seed: options.seed,
        interrupted: links.len() < total,
        links,
        capacities,
        skipped: skipped.iter().map(passed_over).collect(),
    };
    serde_json::to_string(&document).map_err(error::refuse)
}

/// A skipped file as documents name it.
fn passed_over(skipped: &Skipped) -> airtcp_study::Skipped {
    airtcp_study::Skipped {
        path: skipped.path.display().to_string(),
        reason: skipped.reason.to_string(),
    }
}

/// What trace to make: `model`, or else `prr` with `mu` or `burst` (mean losses in a run).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SynthSpec {
    path: NativePath,
    packets: u64,
    #[serde(default)]
    seed: u64,
    #[serde(default)]
    interval: Option<Span>,
    #[serde(default)]
    format: Option<TraceFormat>,
    #[serde(default)]
    prr: Option<f64>,
    #[serde(default)]
    mu: Option<f64>,
    #[serde(default)]
    burst: Option<f64>,
    #[serde(default)]
    model: Option<SynthModel>,
}

/// Most packets in a trace made here: as many as the reader takes by itself.
const MAX_PACKETS: u64 = airtcp_trace::reader::limits::DEFAULT;

impl SynthSpec {
    fn model(&self) -> PyResult<SynthModel> {
        match (&self.model, self.prr, self.mu, self.burst) {
            (Some(model), None, None, None) => Ok(model.clone()),
            (None, Some(prr), None, None) => Ok(SynthModel::Independent { prr }),
            (None, Some(prr), Some(mu), None) => {
                GeParams::from_prr_mu(prr, mu).map(SynthModel::GilbertElliott).map_err(error::trace)
            }
            (None, Some(prr), None, Some(burst)) => GeParams::from_loss_and_burst(1.0 - prr, burst)
                .map(SynthModel::GilbertElliott)
                .map_err(error::trace),
            (None, Some(_), Some(_), Some(_)) => {
                Err(error::refuse("found mu and burst; expected one of them, each gives the other"))
            }
            (Some(_), ..) => {
                Err(error::refuse("found a model and prr, mu or burst; expected one or the other"))
            }
            _ => Err(error::refuse(
                "a synthetic trace needs a model, or prr alone, or prr with mu or burst",
            )),
        }
    }
}

/// A synthetic trace as drawn, beside the expectation of its model.
#[derive(Serialize)]
struct Drawn {
    packets: u64,
    received: u64,
    prr: f64,
    mu: Option<f64>,
    longest_loss_run: u64,
    longest_success_run: u64,
    /// The expectation; none for models whose runs are not those of a two-state chain.
    expected: Option<ExpectedRuns>,
    /// True if the trace has too few packets to show the runs.
    is_too_short: bool,
}

impl Drawn {
    fn of(outcomes: &Outcomes, model: &SynthModel) -> Self {
        let (runs, packets) = (RunStats::of(outcomes), outcomes.len() as u64);
        let expected = ExpectedRuns::of(model);
        Self {
            packets,
            received: outcomes.received() as u64,
            prr: outcomes.received() as f64 / packets as f64,
            mu: Pairs::of(outcomes).mu(),
            longest_loss_run: runs.loss.longest,
            longest_success_run: runs.success.longest,
            is_too_short: expected.is_some_and(|e| (packets as f64) < e.packets_needed),
            expected,
        }
    }
}

/// Makes a synthetic trace and writes it; `spec` is a JSON object. Returns its statistics as JSON.
#[pyfunction]
pub(crate) fn trace_synth(py: Python<'_>, spec: &str) -> PyResult<String> {
    let spec: SynthSpec = error::options(spec)?;
    let model = spec.model()?;
    if !(1..=MAX_PACKETS).contains(&spec.packets) {
        let found = spec.packets;
        return Err(error::refuse(format!("packets is {found}: accepted is 1 to {MAX_PACKETS}")));
    }
    ReadOptions { interval: spec.interval, ..ReadOptions::default() }
        .check()
        .map_err(error::trace)?;
    // On Ctrl-C the thread is abandoned, and its file does not get its final name.
    Watch::new(None).beside(py, "drawing", move |_| {
        let mut stream = Seed::new(spec.seed).stream("trace/synth");
        let outcomes =
            model.generate(usize::narrow(spec.packets), &mut stream).map_err(error::trace)?;
        let format = spec.format.unwrap_or(TraceFormat::Bits);
        write_file(&spec.path, &outcomes, spec.interval, format).map_err(error::trace)?;
        serde_json::to_string(&Drawn::of(&outcomes, &model)).map_err(error::refuse)
    })?
}

/// How to convert.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConvertOptions {
    #[serde(default)]
    read: ReadOptions,
    #[serde(default)]
    format: Option<TraceFormat>,
}

/// Reads every link of `paths` and writes it into `folder`: under the name `single` if given and
/// there is one link, else under names made of the links' names. Returns the names of the files and
/// whether all were written.
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python come as values")]
#[pyfunction]
#[pyo3(signature = (paths, folder, single, options, progress = None))]
pub(crate) fn trace_convert(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    folder: PathBuf,
    single: Option<PathBuf>,
    options: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Vec<PathBuf>, bool, Notes)> {
    let options: ConvertOptions = error::options(options)?;
    let mut watch = Watch::new(progress);
    let (links, _) = read(py, &mut watch, paths, options.read)?;
    with_losses(&links)?;
    let format = options.format.unwrap_or(TraceFormat::Bits);
    let ending = if format == TraceFormat::Bits { "txt" } else { "csv" };
    let names = match single {
        Some(name) if links.len() == 1 => vec![name],
        _ => file_names(links.iter().map(|link| link.name.as_str()), ending),
    };
    watch.next();
    let mut written = Vec::new();
    let total = links.len();
    py.detach(|| {
        for (done, (link, name)) in links.iter().zip(names).enumerate() {
            if !watch.report(done, total, "writing") {
                break;
            }
            write_link(&folder.join(&name), link, format).map_err(error::trace)?;
            written.push(name);
        }
        PyResult::Ok(())
    })?;
    watch.into_error(py)?;
    let all = written.len() == total;
    let notes = links.into_iter().map(|link| (link.name, link.notes)).collect();
    Ok((written, all, notes))
}

//! `study`: traces and options in, a result with tables out.

use std::path::PathBuf;

use airtcp_study::{LinkStudy, StudyOptions};
use airtcp_trace::reader::ReadOptions;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use serde::Deserialize;

use crate::compare::outcome_columns;
use crate::error;
use crate::progress::Watch;
use crate::table::{Columns, Table};
use crate::traces::{passed_over, read};

/// How to read the traces and how to study them.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Options {
    read: ReadOptions,
    study: StudyOptions,
}

/// What a study found.
#[pyclass(frozen, module = "airtcp._core")]
pub struct StudyResult {
    inner: airtcp_study::StudyResult,
}

/// Reads the traces at `paths` ("-" is standard input) and studies them. `options` is a JSON
/// object with `read` and `study`; `progress(done, total, label)` is called now and then.
#[pyfunction]
#[pyo3(signature = (paths, options, progress = None))]
pub(crate) fn study(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    options: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<StudyResult> {
    let options: Options = error::options(options)?;
    options.study.validate().map_err(error::refuse)?;
    let mut watch = Watch::new(progress);
    let interval = options.read.interval;
    let (links, skipped) = read(py, &mut watch, paths, options.read)?;
    watch.next();
    let mut skipped = skipped.iter().map(passed_over).collect();
    let links = airtcp_study::with_slots(links, &mut skipped, options.study.slot, interval)
        .map_err(error::refuse)?;
    let (capacities, links): (Vec<_>, Vec<_>) =
        links.into_iter().partition(|link| link.capacity.is_some());
    let mut inner = py
        .detach(|| {
            airtcp_study::study(&links, skipped, &options.study, |done, total| {
                watch.report(done, total, "simulating")
            })
        })
        .map_err(error::refuse)?;
    if !capacities.is_empty() && !inner.interrupted {
        let (found, interrupted) = py
            .detach(|| {
                airtcp_study::study_capacities(&capacities, &options.study, |done, total| {
                    watch.report(done, total, "comparing")
                })
            })
            .map_err(error::refuse)?;
        (inner.capacities, inner.interrupted) = (found, interrupted);
    }
    watch.into_error(py)?;
    Ok(StudyResult { inner })
}

/// The tables, in the order in which they are listed.
const TABLES: [&str; 13] = [
    "links",
    "replicas",
    "success_bursts",
    "loss_bursts",
    "convergence",
    "cpdf",
    "autocorrelation",
    "prr_over_time",
    "cwnd",
    "remedies",
    "capacities",
    "capacity_over_time",
    "capacity_compared",
];

#[pymethods]
impl StudyResult {
    /// The document, as JSON.
    fn json(&self) -> PyResult<String> {
        serde_json::to_string(&self.inner).map_err(error::refuse)
    }

    /// The root seed.
    #[getter]
    fn seed(&self) -> u64 {
        self.inner.seed
    }

    /// Whether the study was stopped before its end.
    #[getter]
    fn interrupted(&self) -> bool {
        self.inner.interrupted
    }

    /// Names of the tables.
    #[staticmethod]
    fn table_names() -> Vec<&'static str> {
        TABLES.to_vec()
    }

    /// One of the tables.
    fn table(&self, name: &str) -> PyResult<Table> {
        let links = &self.inner.links;
        match name {
            "links" => link_table(links),
            "replicas" => replicas(links),
            "success_bursts" => bursts(links, |link| link.stats.success_bursts.as_ref()),
            "loss_bursts" => bursts(links, |link| link.stats.loss_bursts.as_ref()),
            "convergence" => {
                let rows = flat(links, |link| link.stats.convergence.prefix.clone());
                named(&rows).count("packets", |r| r.1.0).real("mu", |r| r.1.1).finish()
            }
            "cpdf" => {
                let rows = flat(links, |link| link.stats.cpdf.iter().collect());
                named(&rows)
                    .whole("k", |r| i64::from(r.1.k))
                    .real("probability", |r| r.1.probability)
                    .count("samples", |r| r.1.samples)
                    .finish()
            }
            "autocorrelation" => {
                let rows = flat(links, |link| link.stats.autocorrelation.clone());
                named(&rows).count("lag", |r| r.1.0).real("correlation", |r| r.1.1).finish()
            }
            "prr_over_time" => {
                let rows = flat(links, |link| {
                    let step = link.prr_over_time.window_packets;
                    let prr = &link.prr_over_time.prr;
                    prr.iter().zip(0_u64..).map(|(p, i)| (i * step, *p)).collect()
                });
                named(&rows).count("first_packet", |r| r.1.0).real("prr", |r| r.1.1).finish()
            }
            "cwnd" => {
                let rows = flat(links, |link| {
                    let cwnd = link.tcp.empirical.cwnd.iter();
                    cwnd.flat_map(|c| c.t_s.iter().zip(&c.cwnd_packets)).collect()
                });
                named(&rows).real("t_s", |r| *r.1.0).real("cwnd_packets", |r| *r.1.1).finish()
            }
            "remedies" => {
                let rows = flat(links, |link| {
                    let remedies = link.remedies.iter();
                    remedies.flat_map(|remedies| &remedies.case.outcomes).collect()
                });
                outcome_columns(named(&rows), |r| r.1).finish()
            }
            "capacities" => capacity_table(&self.inner.capacities),
            "capacity_over_time" => {
                let rows: Vec<(&str, f64, f64)> = self
                    .inner
                    .capacities
                    .iter()
                    .flat_map(|link| {
                        let over = &link.stats.over_time;
                        let points = over.bps.iter().zip(0_u32..);
                        points.map(|(bps, i)| {
                            (link.name.as_str(), f64::from(i) * over.window_s, *bps)
                        })
                    })
                    .collect();
                Columns::of(&rows)
                    .text("link", |r| r.0)
                    .real("t_s", |r| r.1)
                    .real("capacity_bps", |r| r.2)
                    .finish()
            }
            "capacity_compared" => {
                let rows: Vec<(&str, &airtcp_study::Outcome)> = self
                    .inner
                    .capacities
                    .iter()
                    .flat_map(|link| {
                        let outcomes = link.compared.iter().flat_map(|case| &case.outcomes);
                        outcomes.map(|outcome| (link.name.as_str(), outcome))
                    })
                    .collect();
                outcome_columns(named(&rows), |r| r.1).finish()
            }
            _ => Err(PyKeyError::new_err(format!(
                "no table \"{name}\" (there are {})",
                TABLES.join(", ")
            ))),
        }
    }
}

/// The parts of all links, each with the name of its link.
fn flat<'a, T>(
    links: &'a [LinkStudy],
    parts: impl Fn(&'a LinkStudy) -> Vec<T>,
) -> Vec<(&'a str, T)> {
    links
        .iter()
        .flat_map(|link| parts(link).into_iter().map(|part| (link.name.as_str(), part)))
        .collect()
}

/// A table of such parts, with the names as its first column.
fn named<'a, T>(rows: &'a [(&'a str, T)]) -> Columns<'a, (&'a str, T)> {
    Columns::of(rows).text("link", |r| r.0)
}

fn bursts(
    links: &[LinkStudy],
    of: impl Fn(&LinkStudy) -> Option<&airtcp_trace::metrics::Bursts>,
) -> PyResult<Table> {
    let rows = flat(links, |link| of(link).map(|b| b.histogram.clone()).unwrap_or_default());
    named(&rows).count("length", |r| r.1.0).count("count", |r| r.1.1).finish()
}

fn replicas(links: &[LinkStudy]) -> PyResult<Table> {
    let rows = flat(links, |link| {
        let chain = link.tcp.gilbert_elliott.iter().map(|e| ("gilbert_elliott", e));
        std::iter::once(("independent", &link.tcp.independent))
            .chain(chain)
            .flat_map(|(model, e)| {
                let values = e.replica_packets_per_second.iter().zip(0_u64..);
                values.map(move |(value, i)| (model, i, *value))
            })
            .collect()
    });
    named(&rows)
        .text("model", |r| r.1.0)
        .count("replica", |r| r.1.1)
        .real("packets_per_second", |r| r.1.2)
        .finish()
}

fn capacity_table(links: &[airtcp_study::CapacityStudy]) -> PyResult<Table> {
    Columns::of(links)
        .text("name", |l| l.name.as_str())
        .text("path", |l| l.source.path.as_str())
        .text("layout", |l| l.source.layout.as_str())
        .real("duration_s", |l| l.stats.duration_s)
        .count("entries", |l| l.stats.entries)
        .real("mean_bps", |l| l.stats.mean_bps)
        .real("window_s", |l| l.stats.window_s)
        .real("p5_bps", |l| l.stats.p5_bps)
        .real("p50_bps", |l| l.stats.p50_bps)
        .real("p95_bps", |l| l.stats.p95_bps)
        .real("longest_outage_s", |l| l.stats.longest_outage_s)
        .finish()
}

fn link_table(links: &[LinkStudy]) -> PyResult<Table> {
    let end = |interval: Option<[f64; 2]>, i: usize| interval.map(|ends| ends[i]);
    let chain = |link: &LinkStudy| link.tcp.gilbert_elliott.as_ref().map(|e| e.packets_per_second);
    let gain = |link: &LinkStudy| link.tcp.difference.independent.packets_per_second;
    let percent = |link: &LinkStudy| link.tcp.difference.independent.percent;
    let against = |link: &LinkStudy| {
        link.tcp.difference.gilbert_elliott.as_ref().map(|d| d.packets_per_second)
    };
    Columns::of(links)
        .text("name", |l| l.name.as_str())
        .text("path", |l| l.source.path.as_str())
        .text("layout", |l| l.source.layout.as_str())
        .flag("order_known", |l| l.order_known)
        .real("interval_s", |l| l.interval_s)
        .count("packets", |l| l.stats.packets)
        .count("received", |l| l.stats.received)
        .real("prr", |l| l.stats.prr)
        .real("prr_ci_low", |l| end(l.stats.prr_ci, 0))
        .real("prr_ci_high", |l| end(l.stats.prr_ci, 1))
        .text("class", |l| l.stats.class.name())
        .real("g", |l| l.stats.g)
        .real("b", |l| l.stats.b)
        .real("mu", |l| l.stats.mu)
        .real("mu_ci_low", |l| end(l.stats.mu_ci, 0))
        .real("mu_ci_high", |l| end(l.stats.mu_ci, 1))
        .real("beta", |l| l.stats.beta)
        .real("isolated_loss_share", |l| l.stats.isolated_loss_share)
        .count("longest_success_burst", |l| l.stats.longest_success_burst)
        .count("longest_loss_burst", |l| l.stats.longest_loss_burst)
        .real("ge_expected_longest_success_burst", |l| l.stats.ge_expected_longest_success_burst)
        .real("ge_expected_longest_loss_burst", |l| l.stats.ge_expected_longest_loss_burst)
        .real("residual_success_burst", |l| l.stats.residual_success_burst)
        .real("residual_loss_burst", |l| l.stats.residual_loss_burst)
        .real("success_excess", |l| l.stats.success_excess)
        .real("loss_excess", |l| l.stats.loss_excess)
        .flag("converged", |l| l.stats.converged)
        .count("needed_packets", |l| l.stats.convergence.needed_packets)
        .real("slot_s", |l| l.tcp.slot_s)
        .flag("slot_assumed", |l| l.tcp.slot_assumed)
        .real("tcp_packets_per_second", |l| l.tcp.empirical.packets_per_second)
        .count("tcp_timeouts", |l| l.tcp.empirical.timeouts)
        .count("tcp_fast_retransmits", |l| l.tcp.empirical.fast_retransmits)
        .real("tcp_retransmission_ratio", |l| l.tcp.empirical.retransmission_ratio)
        .real("independent_packets_per_second", |l| l.tcp.independent.packets_per_second.mean)
        .real("independent_ci_low", |l| l.tcp.independent.packets_per_second.ci_low)
        .real("independent_ci_high", |l| l.tcp.independent.packets_per_second.ci_high)
        .real("gilbert_elliott_packets_per_second", move |l| chain(l).and_then(|e| e.mean))
        .real("gilbert_elliott_ci_low", move |l| chain(l).and_then(|e| e.ci_low))
        .real("gilbert_elliott_ci_high", move |l| chain(l).and_then(|e| e.ci_high))
        .real("gain_packets_per_second", move |l| gain(l).mean)
        .real("gain_ci_low", move |l| gain(l).ci_low)
        .real("gain_ci_high", move |l| gain(l).ci_high)
        .real("gain_percent", move |l| percent(l).and_then(|e| e.mean))
        .real("gain_percent_ci_low", move |l| percent(l).and_then(|e| e.ci_low))
        .real("gain_percent_ci_high", move |l| percent(l).and_then(|e| e.ci_high))
        .flag("gain_beyond_chance", |l| l.tcp.difference.independent.beyond_chance)
        .real("against_gilbert_elliott_packets_per_second", move |l| {
            against(l).and_then(|e| e.mean)
        })
        .flag("against_gilbert_elliott_beyond_chance", |l| {
            l.tcp.difference.gilbert_elliott.as_ref().and_then(|d| d.beyond_chance)
        })
        .finish()
}

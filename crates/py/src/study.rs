//! `study`: studies traces and returns a result with tables.

use std::path::PathBuf;

use airtcp_study::{CapacityStudy, LinkStudy, StudyOptions, StudyResult};
use airtcp_trace::reader::ReadOptions;
use pyo3::prelude::*;
use serde::Deserialize;

use crate::compare::outcome_columns;
use crate::error;
use crate::progress::Watch;
use crate::result::{CoreResult, Document};
use crate::table::{Columns, Table};
use crate::traces::read_slotted;

/// How to read the traces and how to study them.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Options {
    read: ReadOptions,
    study: StudyOptions,
}

/// Reads the traces at `paths` ("-" is standard input) and studies them. `options` is a JSON object
/// with `read` and `study`; `progress(done, total, label)` is called during the work.
#[pyfunction]
#[pyo3(signature = (paths, options, progress = None))]
pub(crate) fn study(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    options: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<CoreResult> {
    let options: Options = error::options(options)?;
    options.study.validate().map_err(error::refuse)?;
    let mut watch = Watch::new(progress);
    let (links, skipped) = read_slotted(py, &mut watch, paths, options.read, options.study.slot)?;
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
    let (seed, interrupted) = (inner.seed, inner.interrupted);
    Ok(CoreResult::of(Document { inner, seed, interrupted, tables: &TABLES }))
}

type Make = fn(&StudyResult) -> PyResult<Table>;

/// The tables, in the order in which they are listed.
const TABLES: [(&str, Make); 13] = [
    ("links", |study| links(&study.links)),
    ("replicas", |study| replicas(&study.links)),
    ("success_bursts", |study| bursts(&study.links, |link| link.stats.success_bursts.as_ref())),
    ("loss_bursts", |study| bursts(&study.links, |link| link.stats.loss_bursts.as_ref())),
    ("convergence", |study| convergence(&study.links)),
    ("cpdf", |study| cpdf(&study.links)),
    ("autocorrelation", |study| autocorrelation(&study.links)),
    ("prr_over_time", |study| prr_over_time(&study.links)),
    ("cwnd", |study| cwnd(&study.links)),
    ("remedies", |study| remedies(&study.links)),
    ("capacities", |study| capacities(&study.capacities)),
    ("capacity_over_time", |study| capacity_over_time(&study.capacities)),
    ("capacity_compared", |study| capacity_compared(&study.capacities)),
];

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

fn convergence(links: &[LinkStudy]) -> PyResult<Table> {
    let rows = flat(links, |link| link.stats.convergence.prefix.clone());
    named(&rows).count("packets", |r| r.1.0).real("mu", |r| r.1.1).finish()
}

fn cpdf(links: &[LinkStudy]) -> PyResult<Table> {
    let rows = flat(links, |link| link.stats.cpdf.iter().collect());
    named(&rows).records(&[], |r| Some(r.1)).finish()
}

fn autocorrelation(links: &[LinkStudy]) -> PyResult<Table> {
    let rows = flat(links, |link| link.stats.autocorrelation.clone());
    named(&rows).count("lag", |r| r.1.0).real("correlation", |r| r.1.1).finish()
}

fn prr_over_time(links: &[LinkStudy]) -> PyResult<Table> {
    let rows = flat(links, |link| {
        let step = link.prr_over_time.window_packets;
        let prr = &link.prr_over_time.prr;
        prr.iter().zip(0_u64..).map(|(p, i)| (i * step, *p)).collect()
    });
    named(&rows).count("first_packet", |r| r.1.0).real("prr", |r| r.1.1).finish()
}

fn cwnd(links: &[LinkStudy]) -> PyResult<Table> {
    let rows = flat(links, |link| {
        let cwnd = link.tcp.empirical.cwnd.iter();
        cwnd.flat_map(|c| c.t_s.iter().zip(&c.cwnd_packets)).collect()
    });
    named(&rows).real("t_s", |r| *r.1.0).real("cwnd_packets", |r| *r.1.1).finish()
}

fn remedies(links: &[LinkStudy]) -> PyResult<Table> {
    let rows = flat(links, |link| {
        link.remedies.iter().flat_map(|remedies| &remedies.case.outcomes).collect()
    });
    outcome_columns(named(&rows), |r| r.1).finish()
}

fn capacities(links: &[CapacityStudy]) -> PyResult<Table> {
    Columns::of(links).records(&[], Some).records(&[], |l| Some(&l.source)).finish()
}

fn capacity_over_time(links: &[CapacityStudy]) -> PyResult<Table> {
    let rows: Vec<(&str, (f64, f64))> = links
        .iter()
        .flat_map(|link| {
            let over = &link.stats.over_time;
            let points = over.bps.iter().zip(0_u32..);
            points.map(|(bps, i)| (link.name.as_str(), (f64::from(i) * over.window_s, *bps)))
        })
        .collect();
    named(&rows).real("t_s", |r| r.1.0).real("capacity_bps", |r| r.1.1).finish()
}

fn capacity_compared(links: &[CapacityStudy]) -> PyResult<Table> {
    let rows: Vec<(&str, &airtcp_study::Outcome)> = links
        .iter()
        .flat_map(|link| {
            let outcomes = link.compared.iter().flat_map(|case| &case.outcomes);
            outcomes.map(|outcome| (link.name.as_str(), outcome))
        })
        .collect();
    outcome_columns(named(&rows), |r| r.1).finish()
}

/// The statistics of each link, with a prefix for the columns of each record.
fn links(links: &[LinkStudy]) -> PyResult<Table> {
    Columns::of(links)
        .records(&[], Some)
        .records(&[], |l| Some(&l.source))
        .count("needed_packets", |l| l.stats.convergence.needed_packets)
        .records(&[], |l| Some(&l.tcp))
        .prefixed("tcp_", &[], |l| Some(&l.tcp.empirical))
        .prefixed("independent_", &[], |l| Some(&l.tcp.independent))
        .prefixed("gilbert_elliott_", &[], |l| l.tcp.gilbert_elliott.as_ref())
        .prefixed("gain_", &[], |l| Some(&l.tcp.difference.independent))
        .prefixed("against_gilbert_elliott_", &[], |l| l.tcp.difference.gilbert_elliott.as_ref())
        .finish()
}

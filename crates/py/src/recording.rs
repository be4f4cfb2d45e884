//! What the first replication of a run records beside its counts: options in, recorders out.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::PathBuf;

use airtcp_packet::Side;
use airtcp_probe::{PcapProbe, Series, SeriesOptions, Timeline, TimelineOptions, Vantage};
use airtcp_scenario::Resolved;
use airtcp_units::{Nanos, Span};
use pyo3::prelude::*;
use serde::Deserialize;

use crate::error;

/// How to run, beside what the scenario says.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Options {
    /// Pairs of path and value that replace what the text says.
    pub(crate) set: Vec<(String, String)>,
    /// Threads; all cores if absent.
    pub(crate) workers: Option<usize>,
    /// Where traces named by the scenario are looked for.
    pub(crate) folder: PathBuf,
    /// Where to write the capture of the first replication.
    pcap: Option<PathBuf>,
    /// Least time between two rows of a series.
    series_interval: Option<Span>,
    /// Interval of the timeline, such as `2 s..2.02 s`.
    timeline: Option<String>,
}

/// What is recorded while the replication runs.
pub(crate) type Recorder = ((Option<Series>, Option<PcapProbe<BufWriter<File>>>), Option<Timeline>);

/// What is left of it.
#[derive(Default)]
pub(crate) struct Recorded {
    pub(crate) series: Option<Series>,
    pub(crate) timeline: Option<Timeline>,
}

/// The recorders that are asked for; `None` if there are none.
pub(crate) fn recorder(plan: &Resolved, options: &Options) -> PyResult<Option<Recorder>> {
    let series = plan.scenario.output.series.then(|| {
        Series::new(SeriesOptions {
            min_interval: options.series_interval.unwrap_or_default(),
            ..SeriesOptions::default()
        })
    });
    let timeline = options.timeline.as_deref().map(|text| interval(plan, text)).transpose()?;
    let timeline = timeline.map(Timeline::new);
    let create = |path| -> io::Result<_> {
        let out = BufWriter::new(File::create(path)?);
        PcapProbe::new(out, Vantage::Side(Side::Client), None)
    };
    let pcap = options.pcap.as_ref().map(create).transpose().map_err(error::refuse)?;
    let nothing = series.is_none() && pcap.is_none() && timeline.is_none();
    Ok((!nothing).then_some(((series, pcap), timeline)))
}

/// Ends all recorders.
pub(crate) fn finish(recorder: Recorder) -> PyResult<Recorded> {
    let ((series, pcap), timeline) = recorder;
    if let Some(pcap) = pcap {
        pcap.finish().and_then(|out| out.into_inner()?.sync_all()).map_err(error::refuse)?;
    }
    Ok(Recorded {
        series: series.map(|mut series| {
            series.finish();
            series
        }),
        timeline: timeline.map(|mut timeline| {
            timeline.finish();
            timeline
        }),
    })
}

/// The interval of a timeline.
fn interval(plan: &Resolved, text: &str) -> PyResult<TimelineOptions> {
    let refuse = |why: String| error::refuse(format!("timeline \"{text}\": {why}"));
    let form = || refuse("expected FROM..TO, such as 2s..2.02s".to_owned());
    let (from, to) = text.split_once("..").ok_or_else(form)?;
    let at = |part: &str| part.trim().parse::<Nanos>().map_err(|e| refuse(e.to_string()));
    let (from, to) = (at(from)?, at(to)?);
    if from >= to {
        return Err(refuse("it ends before it begins".to_owned()));
    }
    let end = plan.scenario.duration;
    if from.since(Nanos::ZERO) >= end {
        return Err(refuse(format!("the run ends at {end}")));
    }
    if plan.cells.is_empty() {
        return Err(refuse("the scenario has no 802.11 cell".to_owned()));
    }
    Ok(TimelineOptions::new(from, to.min(Nanos::ZERO + end)))
}

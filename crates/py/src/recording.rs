//! The recorders of a run's first replication, made from the options.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use airtcp_packet::Side;
use airtcp_probe::{
    Delivered, PcapProbe, RadioSite, RadiotapProbe, Series, SeriesOptions, Timeline,
    TimelineOptions, Vantage,
};
use airtcp_scenario::Resolved;
use airtcp_sim::{MediumStation, media};
use airtcp_study::Why;
use airtcp_units::{Nanos, Narrow, Saturate, Span};
use airtcp_wifi::phy::Channel;
use pyo3::prelude::*;
use serde::Deserialize;

use crate::error;
use crate::path::NativePath;

/// Options of a run beside the scenario.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Options {
    /// Pairs of path and value that replace values of the scenario.
    pub(crate) set: Vec<(String, String)>,
    /// Threads; all cores if absent.
    pub(crate) workers: Option<usize>,
    /// The TCP of every TCP flow, in place of the scenario's.
    pub(crate) tcp: Option<String>,
    /// The folder of the traces that the scenario names.
    pub(crate) folder: NativePath,
    /// True if the run will write a capture; `warnings` uses it.
    pub(crate) capture: bool,
    /// Where to write the capture of the first replication.
    pcap: Option<NativePath>,
    /// Least time between two rows of a series.
    series_interval: Option<Span>,
    /// Interval of the timeline, such as `2 s..2.02 s`.
    timeline: Option<String>,
    /// Whether to find what limits the flows.
    pub(crate) why: Option<Why>,
    /// Folder for the captures of the first replication at each station of the cells.
    radiotap: Option<NativePath>,
}

/// The recorders of the running replication.
pub(crate) type Recorder = (
    (Option<(Series, Delivered)>, Option<PcapProbe<BufWriter<File>>>),
    (Option<Timeline>, Option<RadiotapProbe<BufWriter<File>>>),
);

/// The recorded data.
#[derive(Default)]
pub(crate) struct Recorded {
    pub(crate) series: Option<(Series, Delivered)>,
    pub(crate) timeline: Option<Timeline>,
    /// The options whose captures could not be written, and why.
    pub(crate) lost: Vec<(&'static str, String)>,
    /// False if the recorded replication was stopped before its end.
    pub(crate) whole: bool,
}

/// The requested recorders; `None` if there are none.
pub(crate) fn recorder(plan: &Resolved, options: &Options) -> PyResult<Option<Recorder>> {
    let series = plan.scenario.output.series.then(|| {
        let series = Series::new(SeriesOptions {
            min_interval: options.series_interval.unwrap_or_default(),
            ..SeriesOptions::default()
        });
        (series, Delivered::default())
    });
    let timeline = options.timeline.as_deref().map(|text| interval(plan, text)).transpose()?;
    let timeline = timeline.map(Timeline::new);
    let create = |path: &NativePath| -> PyResult<_> {
        let refuse = |e: io::Error| error::refuse(format!("the capture cannot be begun: {e}"));
        let out = BufWriter::new(File::create(&**path).map_err(refuse)?);
        PcapProbe::new(out, Vantage::Side(Side::Client), None).map_err(refuse)
    };
    let pcap = options.pcap.as_ref().map(create).transpose()?;
    let radiotap = options.radiotap.as_ref().map(|folder| radios(plan, folder)).transpose()?;
    let nothing = series.is_none() && pcap.is_none() && timeline.is_none() && radiotap.is_none();
    Ok((!nothing).then_some(((series, pcap), (timeline, radiotap))))
}

/// Ends all recorders. A capture that cannot be written does not affect the other results.
pub(crate) fn finish(recorder: Recorder) -> Recorded {
    let ((series, pcap), (timeline, radiotap)) = recorder;
    let mut lost = Vec::new();
    if let Some(radiotap) = radiotap {
        let ended =
            radiotap.finish().and_then(|all| all.into_iter().flatten().try_for_each(settle));
        lost.extend(ended.err().map(|e| ("radiotap", e.to_string())));
    }
    if let Some(pcap) = pcap {
        lost.extend(pcap.finish().and_then(settle).err().map(|e| ("pcap", e.to_string())));
    }
    Recorded {
        lost,
        whole: true,
        series: series.map(|(mut series, delivered)| {
            series.finish();
            (series, delivered)
        }),
        timeline: timeline.map(|mut timeline| {
            timeline.finish();
            timeline
        }),
    }
}

/// Waits until a capture is on the disk if it is a file.
fn settle(out: BufWriter<File>) -> io::Result<()> {
    let file = out.into_inner()?;
    if file.metadata()?.is_file() { file.sync_all() } else { Ok(()) }
}

/// Begins a capture at each station, in files named after them.
fn radios(plan: &Resolved, folder: &Path) -> PyResult<RadiotapProbe<BufWriter<File>>> {
    if plan.cells.is_empty() {
        return Err(error::refuse("radiotap: the scenario has no 802.11 cell"));
    }
    let mut names = BTreeSet::new();
    let mut radios = Vec::new();
    for medium in media(plan) {
        let mut found = Vec::new();
        let mut access_point = 0;
        for (i, station) in medium.iter().enumerate() {
            // The first of a cell is its access point.
            if i == 0 || medium[i - 1].cell != station.cell {
                access_point = u32::narrow(i);
            }
            let site = site(plan, station, access_point)?;
            let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
            let mut stem: String = site.name.chars().map(plain).collect();
            while !names.insert(stem.clone()) {
                stem.push('_');
            }
            let path = folder.join(format!("{stem}.pcapng"));
            let file = File::create(&path)
                .map_err(|e| error::refuse(format!("{}: {e}", path.display())))?;
            found.push((site, BufWriter::new(file)));
        }
        radios.push(found);
    }
    RadiotapProbe::new(radios).map_err(error::refuse)
}

/// The radio of a station, as its capture describes it.
fn site(plan: &Resolved, station: &MediumStation, access_point: u32) -> PyResult<RadioSite> {
    let cell = &plan.cells[station.cell];
    let spec = &cell.spec;
    let number = cell.nodes.iter().position(|node| *node == station.node).unwrap_or_default();
    let channel = spec.radio_channel().map_err(error::refuse)?;
    let band = spec.setup().map_or(spec.standard.band(), |setup| setup.band);
    let usual = u16::saturate(band.frequency_hz() / 1e6);
    Ok(RadioSite {
        name: plan.nodes[station.node].clone(),
        cell: spec.name.clone(),
        access_point,
        channel: channel.map(Channel::number),
        frequency_mhz: channel.map_or(usual, Channel::centre_mhz),
        beacon_interval: spec.mac.beacons.unwrap_or_default().interval_tu(),
        power_dbm: spec.station_keys().power_dbm(number),
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

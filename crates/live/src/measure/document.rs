//! What a client measured, as JSON for `airtcp measure`, which says what it means.

use serde::Serialize;

use super::arrivals::Arrivals;
use super::capacity::{Capacity, capacity};
use super::client::{Client, Cut};
use super::clocks::Clocks;
use super::echoes::Beside;
use super::load::LoadSample;
use super::plan::{Phase, Plan};
use super::train::{Quantiles, Train, train};

/// A measurement.
#[derive(Debug, Serialize)]
pub struct Document {
    /// Name and version of this format.
    pub schema: &'static str,
    /// The server's address.
    pub address: String,
    /// `interrupted` by the user, or the server fell `silent`; null if every phase ended.
    pub cut: Option<&'static str>,
    /// Echoes over the idle path.
    pub idle: Echoed,
    /// The clocks of both ends; null without an answer to an echo.
    pub clocks: Option<Clocks>,
    /// To the server.
    pub up: Way,
    /// From the server.
    pub down: Way,
}

/// Echoes.
#[derive(Debug, Serialize)]
pub struct Echoed {
    /// Those that were asked for.
    pub asked: usize,
    /// Those that were answered.
    pub answered: usize,
    /// Round-trip times; null without an answer.
    pub rtt: Option<Quantiles>,
    /// Mean difference of two round-trip times in a row; null without two.
    pub jitter_s: Option<f64>,
}

/// A direction; null is what was not measured.
#[derive(Debug, Serialize)]
pub struct Way {
    /// By small probes.
    pub train: Option<Train>,
    /// By bursts.
    pub capacity: Option<Capacity>,
    /// By a TCP connection.
    pub load: Option<Load>,
}

/// A TCP connection that sent as fast as it could.
#[derive(Debug, Serialize)]
pub struct Load {
    /// How long it sent.
    pub duration_s: f64,
    /// Bytes that were acknowledged.
    pub acked: u64,
    /// Segments that were sent again.
    pub retransmitted: u32,
    /// Bytes of payload in a segment.
    pub mss: u32,
    /// Time with data under way.
    pub busy_s: f64,
    /// Of this, time in which the receiver's window held the sender.
    pub rwnd_limited_s: f64,
    /// Of this, time in which the sender's buffer held it.
    pub sndbuf_limited_s: f64,
    /// Each 100 ms: time, bytes acknowledged, segments sent again, round-trip time, congestion window.
    pub samples: Vec<(f64, u64, u32, f64, u32)>,
    /// Echoes beside it.
    pub echoes: Echoed,
}

impl Document {
    /// Of a client that is done.
    pub fn new(client: &Client, address: String) -> Self {
        let cut = match client.cut {
            Some(Cut::Interrupted) => Some("interrupted"),
            Some(_) => Some("silent"),
            None => None,
        };
        Self {
            schema: "airtcp-live.measure/1",
            address,
            cut,
            idle: echoed(client, Beside::Nothing),
            clocks: clocks(client),
            up: Way {
                train: train_up(client),
                capacity: bursts(client, Phase::BurstsUp),
                load: load(client, Phase::LoadUp),
            },
            down: Way {
                train: train_down(client),
                capacity: bursts(client, Phase::BurstsDown),
                load: load(client, Phase::LoadDown),
            },
        }
    }
}

fn echoed(client: &Client, beside: Beside) -> Echoed {
    let (asked, trips) = client.echoes.round_trips(beside);
    let steps: Vec<f64> = trips.windows(2).map(|t| (t[1] - t[0]).abs() as f64 * 1e-9).collect();
    Echoed {
        asked,
        answered: trips.len(),
        jitter_s: (!steps.is_empty()).then(|| steps.iter().sum::<f64>() / steps.len() as f64),
        rtt: Quantiles::of(trips.into_iter().map(|t| t as f64 * 1e-9).collect()),
    }
}

fn clocks(client: &Client) -> Option<Clocks> {
    let up = arrived_there(client, Phase::Train).map(|found| found.0).unwrap_or_default();
    let down = client.parts[Phase::Train.place()].arrivals.list();
    Some(Clocks::of(client.quickest()?, up.list(), down))
}

fn interval(plan: &Plan) -> f64 {
    1.0 / f64::from(plan.rate)
}

/// What arrived at the server, and of how many the fate is known.
fn arrived_there(client: &Client, phase: Phase) -> Option<(Arrivals, u32, u32)> {
    let part = &client.parts[phase.place()];
    let report = part.report.as_ref().filter(|_| !part.sent.is_empty())?;
    let arrivals = Arrivals::read(&report.records, &part.sent, report.duplicates);
    let last = arrivals.list().iter().map(|arrival| arrival.number + 1).max();
    let known = if report.is_cut { last.unwrap_or(0) } else { client.sent(phase) };
    (known > 0).then_some((arrivals, known, part.pauses))
}

/// What arrived here, and of how many the fate is known.
fn arrived_here(client: &Client, phase: Phase) -> Option<(&Arrivals, u32, u32)> {
    let part = &client.parts[phase.place()];
    let last = part.arrivals.list().iter().map(|arrival| arrival.number + 1).max();
    let report = part.report.as_ref();
    let known = report.map(|report| report.sent).or(last)?.min(client.plan.probes(phase));
    (known > 0).then_some((&part.arrivals, known, report.map_or(0, |report| report.pauses)))
}

fn train_up(client: &Client) -> Option<Train> {
    let (arrivals, known, pauses) = arrived_there(client, Phase::Train)?;
    let (every, again) = (interval(&client.plan), arrivals.duplicates);
    Some(train(arrivals.list(), known, every, again, pauses))
}

fn train_down(client: &Client) -> Option<Train> {
    let (arrivals, known, pauses) = arrived_here(client, Phase::Train)?;
    let (every, again) = (interval(&client.plan), arrivals.duplicates);
    Some(train(arrivals.list(), known, every, again, pauses))
}

fn bursts(client: &Client, phase: Phase) -> Option<Capacity> {
    let headers = client.headers;
    if phase == Phase::BurstsUp {
        let (arrivals, ..) = arrived_there(client, phase)?;
        return capacity(arrivals.list(), headers, client.parts[phase.place()].pace.usual());
    }
    let (arrivals, ..) = arrived_here(client, phase)?;
    let report = client.parts[phase.place()].report.as_ref();
    capacity(arrivals.list(), headers, report.map_or(0, |report| report.pace))
}

fn load(client: &Client, phase: Phase) -> Option<Load> {
    let part = &client.parts[phase.place()];
    let (samples, beside) = if phase == Phase::LoadUp {
        (part.load.clone(), Beside::LoadUp)
    } else {
        let records = part.report.as_ref()?.records.as_chunks().0;
        (records.iter().map(LoadSample::read).collect(), Beside::LoadDown)
    };
    let last = samples.last().filter(|last| last.at > 0)?;
    let (at, info) = (|sample: &LoadSample| sample.at as f64 * 1e-9, &last.info);
    let seconds = |us: u64| us as f64 * 1e-6;
    let row = |sample: &LoadSample| {
        let info = &sample.info;
        (at(sample), info.bytes_acked, info.retransmitted, f64::from(info.rtt_us) * 1e-6, info.cwnd)
    };
    Some(Load {
        duration_s: at(last),
        acked: info.bytes_acked,
        retransmitted: info.retransmitted,
        mss: info.mss,
        busy_s: seconds(info.busy_us),
        rwnd_limited_s: seconds(info.rwnd_limited_us),
        sndbuf_limited_s: seconds(info.sndbuf_limited_us),
        samples: samples.iter().map(row).collect(),
        echoes: echoed(client, beside),
    })
}

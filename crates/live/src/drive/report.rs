//! What a run was like: a few lines of text, and a document.

use std::ffi::OsString;
use std::fmt::Write as _;

use airtcp_os::schedule::Priority;
use airtcp_scenario::Resolved;
use airtcp_units::Span;
use serde::Serialize;

use super::control::Made;
use super::ending::Why;
use super::ports::Ports;
use super::series::Row;
use super::traffic::FlowRow;
use super::turn::Loop;
use crate::emulate::{Counts, Emulation, Validity};

const SCHEMA: &str = "airtcp.emulate/1";
/// Fates in the text.
const SHOWN: usize = 4;

/// A run, as its document has it. Times are in seconds.
#[derive(Debug, Serialize)]
pub(super) struct Run {
    schema: &'static str,
    airtcp_version: &'static str,
    /// The file.
    scenario: String,
    title: Option<String>,
    seed: u64,
    /// The program at the client's side, and its arguments.
    command: Vec<String>,
    ended: Why,
    duration_s: f64,
    valid: bool,
    /// Why it is not valid.
    problem: Option<String>,
    priority: String,
    lateness: Late,
    /// Round-trip time of the path without a queue.
    base_rtt_s: f64,
    packets: Packets,
    ports: Vec<PortRow>,
    fates: Vec<FateRow>,
    /// Directions of flows, those with the most bytes first.
    flows: Vec<FlowRow>,
    flows_left_out: usize,
    cells: Vec<String>,
    series: Vec<Row>,
    changes: Vec<Made>,
}

#[derive(Debug, Serialize)]
struct Late {
    frames: u64,
    p50_s: f64,
    p99_s: f64,
    p99_9_s: f64,
    max_s: f64,
    /// What is allowed to 99 %, and to 99.9 %.
    bound_s: f64,
    bound_99_9_s: f64,
    /// Bits a second that one node got within 10 ms, at most, which choose the bounds.
    peak_bps: u64,
}

#[derive(Debug, Serialize)]
struct Packets {
    entered: u64,
    delivered: u64,
    marked: u64,
    dropped: u64,
    copied: u64,
    beside: u64,
    stray: u64,
    clamped: u64,
    cut: u64,
    lost_by_rings: u64,
    refused: u64,
}

#[derive(Debug, Serialize)]
struct PortRow {
    node: String,
    /// Frames that the model delivered there.
    frames: u64,
    bytes: u64,
    rate_bps: f64,
}

#[derive(Debug, Serialize)]
struct FateRow {
    fate: &'static str,
    place: String,
    packets: u64,
}

fn seconds(span: Span) -> f64 {
    span.as_secs_f64()
}

impl Run {
    pub(super) fn new(
        plan: &Resolved,
        emulation: &Emulation,
        driver: &Loop,
        ports: &Ports,
        priority: Priority,
        ended: Why,
    ) -> Self {
        let duration_s = driver.took as f64 * 1e-9;
        let problem = problem(driver, ended);
        let [bound, tail] = driver.lateness.bounds();
        let [p50, p99, p999, max] = driver.lateness.quantiles().map(seconds);
        let Counts { entered, delivered, marked, dropped, copied, beside, stray, clamped } =
            *emulation.counts();
        let rows = ports.all.iter().zip(&driver.written);
        let ports = rows.map(|(port, (frames, bytes))| PortRow {
            node: port.name.clone(),
            frames: *frames,
            bytes: *bytes,
            rate_bps: if duration_s > 0.0 { *bytes as f64 * 8.0 / duration_s } else { 0.0 },
        });
        let (flows, flows_left_out) = driver.traffic.rows();
        Self {
            schema: SCHEMA,
            airtcp_version: env!("CARGO_PKG_VERSION"),
            scenario: String::new(),
            title: plan.scenario.title.clone(),
            seed: plan.scenario.seed,
            command: Vec::new(),
            ended,
            duration_s,
            valid: problem.is_none(),
            problem,
            priority: priority.to_string(),
            lateness: Late {
                frames: driver.lateness.frames(),
                p50_s: p50,
                p99_s: p99,
                p99_9_s: p999,
                max_s: max,
                bound_s: seconds(bound),
                bound_99_9_s: seconds(tail),
                peak_bps: driver.lateness.peak_bps(),
            },
            base_rtt_s: seconds(driver.lateness.rtt()),
            packets: Packets {
                entered,
                delivered,
                marked,
                dropped,
                copied,
                beside,
                stray,
                clamped,
                cut: driver.cut,
                lost_by_rings: driver.lateness.lost() - driver.refused,
                refused: driver.refused,
            },
            ports: ports.collect(),
            fates: fates(driver),
            flows,
            flows_left_out,
            cells: plan.cells.iter().map(|cell| cell.spec.name.clone()).collect(),
            series: driver.series.rows().to_vec(),
            changes: driver.control.as_ref().map(|c| c.made().to_vec()).unwrap_or_default(),
        }
    }

    /// Says what was run.
    pub(super) fn of(mut self, scenario: String, command: &[OsString]) -> Self {
        self.scenario = scenario;
        self.command = command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        self
    }

    pub(super) const fn is_valid(&self) -> bool {
        self.valid
    }

    pub(super) fn json(&self) -> String {
        let mut text = serde_json::to_string(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// At most eight lines: whether it is valid, what went through, what became of the rest.
    pub(super) fn text(&self) -> String {
        let mut text = String::from("airtcp emulate: ");
        match &self.problem {
            None => text.push_str("the run is valid.\n"),
            Some(problem) => {
                let _ = writeln!(text, "NOT valid: {problem}.");
            }
        }
        let late = &self.lateness;
        let _ = writeln!(
            text,
            "99 % of {} frames left at most {} late (bound {}, longest {}).\nPriority: {}.",
            late.frames,
            milli(late.p99_s),
            milli(late.bound_s),
            milli(late.max_s),
            self.priority
        );
        for port in &self.ports {
            let _ = writeln!(
                text,
                "To {}: {:.2} Mb/s, {} frames in {:.1} s.",
                port.node,
                port.rate_bps * 1e-6,
                port.frames,
                self.duration_s
            );
        }
        let packets = &self.packets;
        let share = 100.0 * packets.dropped as f64 / (packets.entered.max(1)) as f64;
        let _ = write!(
            text,
            "Dropped: {} of {} packets ({share:.2} %)",
            packets.dropped, packets.entered
        );
        let dropped: Vec<&FateRow> =
            self.fates.iter().filter(|row| !matches!(row.fate, "delivered" | "marked")).collect();
        let parts: Vec<String> = dropped
            .iter()
            .take(SHOWN)
            .map(|row| format!("{} {} at {}", row.packets, row.fate, row.place))
            .collect();
        if !parts.is_empty() {
            let _ = write!(text, ": {}", parts.join(", "));
        }
        if dropped.len() > SHOWN {
            let _ = write!(text, " and {} more kinds", dropped.len() - SHOWN);
        }
        text.push('.');
        if packets.marked > 0 {
            let _ = write!(text, " Marked for congestion: {}.", packets.marked);
        }
        text
    }
}

fn milli(seconds: f64) -> String {
    format!("{:.2} ms", seconds * 1e3)
}

/// What became of the packets, the most frequent first.
fn fates(driver: &Loop) -> Vec<FateRow> {
    let mut fates: Vec<FateRow> = driver
        .traffic
        .fates
        .iter()
        .map(|((fate, place), packets)| FateRow { fate, place: place.clone(), packets: *packets })
        .collect();
    fates.sort_by_key(|row| std::cmp::Reverse(row.packets));
    fates
}

/// Says why a run is not valid.
fn problem(driver: &Loop, ended: Why) -> Option<String> {
    match ended {
        Why::Stopped => return Some("it was stopped for more than a second".to_owned()),
        Why::Failed => return Some("an error ended it".to_owned()),
        _ => {}
    }
    if driver.cut > 0 {
        let why = "longer than the interfaces allow, or without a checksum";
        return Some(format!("{} frames were {why}", driver.cut));
    }
    match driver.lateness.validity() {
        Validity::Valid => None,
        Validity::Lost(frames) => {
            Some(format!("{frames} frames were lost before or after the model"))
        }
        Validity::Slow { one_in, late, bound } => Some(format!(
            "{} % of the frames left more than {} late, and {} is allowed",
            100.0 / one_in as f64,
            milli(seconds(late)),
            milli(seconds(bound))
        )),
    }
}

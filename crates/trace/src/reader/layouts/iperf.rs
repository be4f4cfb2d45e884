//! UDP tests of iperf3 (text and JSON) and iperf2 (text): datagrams lost per interval.
//!
//! The receiver's report counts `lost/total` datagrams of each interval, a second by default; which
//! of them were lost is not recorded, so their order is drawn within each interval (see
//! `reader/order.rs`). One link per stream and test. A sender's report without such counts, a TCP
//! test, and a report with nothing but the total of a test are refused: one total says nothing
//! that a study could use.

use std::collections::BTreeMap;

use airtcp_units::{Outcomes, Span};
use serde_json::Value;

use super::super::head::Head;
use super::super::lines::Lines;
use super::super::notes::counted;
use super::super::open::{Budget, Input};
use super::super::order::{self, Shuffler};
use super::irtt::document;
use super::link;
use crate::error::TraceError;
use crate::reader::LinkTrace;

pub(super) const TAG: &str = "iperf";
pub(super) const DESCRIPTION: &str = "UDP test of iperf3 (text or JSON) or iperf2 with lost/total datagrams per interval; order \
     within an interval is not recorded and drawn at random";

/// Lines looked at to know it.
const LOOKED_AT: usize = 40;
/// Datagrams in an interval that are believed.
const MOST: u64 = 100_000_000;

pub(super) fn detect(head: &Head<'_>) -> bool {
    is_json(head)
        || head.lines().take(LOOKED_AT).any(|line| {
            line.contains("Server listening on")
                || (line.contains("[ ID]")
                    && line.contains("] Interval")
                    && line.contains("Transfer"))
        })
}

fn is_json(head: &Head<'_>) -> bool {
    head.first().starts_with('{')
        && head
            .lines()
            .take(200)
            .any(|line| line.contains("\"version\"") && line.contains("iperf "))
}

/// Counts of one interval.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Count {
    seconds: f64,
    lost: u64,
    total: u64,
}

/// Counts by test and stream.
#[derive(Default)]
struct Counts {
    each: BTreeMap<(u32, String), Vec<Count>>,
    /// Totals of tests, which are no intervals.
    totals: u32,
    /// More datagrams counted late than lost: they belong to the interval before.
    negative: u32,
}

pub(super) fn read(head: &Head<'_>, mut input: Input<'_>) -> Result<Vec<LinkTrace>, TraceError> {
    let template = link(&input, TAG, None, Outcomes::new());
    let (path, options, budget) = (input.path, input.options, input.budget);
    let counts = if is_json(head) {
        of_json(&document(&mut input)?)
    } else {
        of_text(&mut Lines::new(input))?
    };
    if counts.each.is_empty() {
        let (what, hint) = if counts.totals > 0 {
            (
                "an iperf log with the total of the test alone",
                "The total does not say when datagrams were lost. Use the log of the server (or of \
                 a client with -R or --get-server-output), with intervals (-i 0.1).",
            )
        } else {
            (
                "an iperf log without lost datagrams",
                "A test of TCP and a UDP sender do not count losses. Use UDP (-u) and the log of \
                 the server, or of a client with -R or --get-server-output.",
            )
        };
        return Err(TraceError::NotATrace {
            path: path.display().to_string(),
            what: what.to_owned(),
            hint: hint.to_owned(),
        });
    }
    let tests =
        counts.each.keys().map(|(test, _)| *test).collect::<std::collections::BTreeSet<_>>();
    let streams = counts.each.len();
    let mut links = Vec::new();
    for ((test, stream), intervals) in &counts.each {
        let name = match (streams, tests.len()) {
            (1, _) => template.name.clone(),
            (_, 1) => format!("{}:{stream}", template.name),
            _ => format!("{}:{test}:{stream}", template.name),
        };
        budget.link(path)?;
        let order = options.order_seed;
        links.push(drawn(intervals, LinkTrace { name, ..template.clone() }, order, |n| {
            packets(budget, path, n)
        })?);
        if counts.negative > 0 {
            let (why, taken) =
                ("fewer than no losses (late datagrams of the interval before)", "as without loss");
            let found = (
                &*format!("interval counts {why} and is taken {taken}"),
                &*format!("intervals count {why} and are taken {taken}"),
            );
            if let Some(link) = links.last_mut() {
                link.notes.push(counted(counts.negative, found));
            }
        }
    }
    Ok(links)
}

fn packets(budget: &Budget, path: &std::path::Path, n: u64) -> Result<(), TraceError> {
    budget.packets(path, n)
}

fn drawn(
    intervals: &[Count],
    mut link: LinkTrace,
    seed: u64,
    charge: impl Fn(u64) -> Result<(), TraceError>,
) -> Result<LinkTrace, TraceError> {
    let mut shuffler = Shuffler::new(seed, &link.name);
    let (mut seconds, mut datagrams) = (0.0, 0u64);
    for count in intervals {
        charge(count.total)?;
        shuffler.append(&mut link.outcomes, count.total, count.total.saturating_sub(count.lost));
        seconds += count.seconds;
        datagrams += count.total;
    }
    link.order_known = false;
    link.interval = (datagrams > 0 && seconds > 0.0)
        .then(|| Span::from_secs_f64(seconds / datagrams as f64))
        .filter(|interval| *interval > Span::ZERO);
    link.notes = vec![
        order::note("interval of iperf"),
        format!("{} intervals; the time between datagrams is their mean", intervals.len()),
    ];
    Ok(link)
}

impl Counts {
    fn add(&mut self, test: u32, stream: &str, seconds: f64, lost: i64, total: u64) {
        if total > MOST || !(seconds > 0.0 && seconds < 1e9) {
            return;
        }
        self.negative += u32::from(lost < 0);
        let count = Count { seconds, lost: (lost.max(0) as u64).min(total), total };
        let stream = stream.chars().take(20).collect();
        self.each.entry((test, stream)).or_default().push(count);
    }
}

fn of_text(lines: &mut Lines<'_>) -> Result<Counts, TraceError> {
    let mut text = Text::default();
    while let Some(line) = lines.next()? {
        text.line(line);
    }
    Ok(text.counts())
}

/// What the lines of a text log have said so far.
#[derive(Default)]
struct Text {
    counts: Counts,
    test: u32,
    /// The end of the last interval of each stream: a row that begins before it is a total. The dashes
    /// above the totals are no mark of them: with several streams each interval ends in such a line.
    ends: BTreeMap<String, f64>,
}

impl Text {
    fn line(&mut self, line: &str) {
        if line.contains("local ") && line.contains(" connected ") {
            if !self.ends.is_empty() || self.test == 0 {
                self.test += 1;
                self.ends.clear();
            }
            return;
        }
        let Some(row) = row(line) else { return };
        let before = self.ends.get(&row.stream).is_some_and(|end| row.from < *end);
        if row.stream == "SUM" {
            return;
        }
        if row.total_of_test || before || row.to - row.from > 3600.0 {
            self.counts.totals += 1;
            return;
        }
        self.ends.insert(row.stream.clone(), row.to);
        self.counts.add(self.test, &row.stream, row.to - row.from, row.lost, row.total);
    }

    fn counts(mut self) -> Counts {
        // One row from the beginning to the end is the total of a test without intervals.
        self.counts.each.retain(|_, rows| rows.len() > 1);
        if self.counts.each.is_empty() && !self.ends.is_empty() {
            self.counts.totals += 1;
        }
        self.counts
    }
}

/// A row with lost and total datagrams.
struct Row {
    stream: String,
    /// Behind it stands "sender" or "receiver".
    total_of_test: bool,
    from: f64,
    to: f64,
    lost: i64,
    total: u64,
}

/// `[  5]   0.00-1.00   sec   119 KBytes   976 Kbits/sec  0.006 ms  3/125 (2.4%)`; iperf2 has
/// blanks in `0.0- 1.0 sec` and `3/  893`.
fn row(line: &str) -> Option<Row> {
    let (stream, rest) = line.split_once('[')?.1.split_once(']')?;
    // Of a test in both directions: "[  5][TX-C]".
    let rest =
        rest.strip_prefix('[').and_then(|role| Some(role.split_once(']')?.1)).unwrap_or(rest);
    let (span, rest) = rest.split_once(" sec")?;
    let (from, to) = span.split_once('-')?;
    let counts = rest.rsplit_once(" (").filter(|(_, percent)| percent.contains("%)"))?.0;
    let (lost, total) = counts.rsplit_once('/')?;
    Some(Row {
        stream: stream.trim().to_owned(),
        total_of_test: line.trim_end().ends_with("sender") || line.trim_end().ends_with("receiver"),
        from: from.trim().parse().ok()?,
        to: to.trim().parse().ok()?,
        lost: lost.split_whitespace().next_back()?.parse().ok()?,
        total: total.trim().parse().ok()?,
    })
}

fn of_json(document: &Value) -> Counts {
    let mut counts = Counts::default();
    let server = &document["server_output_json"];
    for part in [document, server] {
        for interval in part["intervals"].as_array().into_iter().flatten() {
            for stream in interval["streams"].as_array().into_iter().flatten() {
                let (Some(lost), Some(total)) =
                    (stream["lost_packets"].as_i64(), stream["packets"].as_u64())
                else {
                    continue;
                };
                let skipped = stream["omitted"] == true || stream["sender"] == true;
                let seconds = stream["seconds"].as_f64().unwrap_or(0.0);
                if !skipped {
                    counts.add(1, &stream["socket"].to_string(), seconds, lost, total);
                }
            }
        }
        if !counts.each.is_empty() {
            break;
        }
    }
    if counts.each.is_empty() {
        // With --get-server-output, a server without -J sends the text of its log.
        let mut text = Text::default();
        document["server_output_text"]
            .as_str()
            .unwrap_or_default()
            .lines()
            .for_each(|l| text.line(l));
        counts = text.counts();
    }
    counts.totals += u32::from(document["end"]["sum"]["packets"].is_u64());
    counts
}

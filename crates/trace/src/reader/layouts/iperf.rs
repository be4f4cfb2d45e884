//! UDP tests of iperf3 (text and JSON) and iperf2 (text): datagrams lost per interval.
//!
//! The receiver's report counts `lost/total` datagrams of each interval, a second by default; which
//! of them were lost is not recorded, so their order is drawn within each interval (see
//! `reader/order.rs`). One link per stream and test. A sender's report without such counts, a TCP
//! test, and a report with nothing but the total of a test are refused: one total says nothing
//! that a study could use.

mod json;
mod text;

use std::collections::BTreeMap;

use airtcp_units::{Outcomes, Span};

use super::super::head::Head;
use super::super::input::{Budget, Input};
use super::super::lines::Lines;
use super::super::notes::counted;
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
    /// When it begins, in seconds of the test.
    from: f64,
    seconds: f64,
    /// Below 0 if more datagrams came late than were lost.
    lost: i64,
    total: u64,
}

/// What counts are believed.
const POSSIBLE: &str = "at most 100000000 datagrams, at most all of them lost, in up to 1e9 s";

impl Count {
    /// What is wrong with the counts, if they cannot be.
    fn possible(&self) -> Result<(), String> {
        let Self { seconds, lost, total, .. } = *self;
        if total > MOST || lost.unsigned_abs() > MOST {
            return Err(format!("{lost} lost of {total} datagrams"));
        }
        if lost > total as i64 {
            return Err(format!("{lost} lost of {total} datagrams"));
        }
        if !(0.0..1e9).contains(&seconds) {
            return Err(format!("an interval of {seconds} s"));
        }
        Ok(())
    }
}

/// Counts by test and stream.
#[derive(Default)]
struct Counts {
    each: BTreeMap<(u32, String), Vec<Count>>,
    /// Totals of tests, which are no intervals.
    totals: u32,
    /// Intervals of a sender, which knows of no losses.
    of_sender: u32,
    /// Intervals that iperf3 was told to leave out.
    omitted: u32,
    /// What the program says went wrong.
    error: Option<String>,
    /// The total of all streams, lost and sent, where the program says it.
    said: Option<(i64, u64)>,
}

impl Counts {
    fn add(&mut self, test: u32, stream: &str, count: Count) {
        let stream = stream.chars().take(20).collect();
        self.each.entry((test, stream)).or_default().push(count);
    }

    /// Why there is no link in them: what the file is, and what to do.
    fn none(&self) -> (String, &'static str) {
        if let Some(error) = &self.error {
            return (
                format!("the result of an iperf3 test that failed ({error}) before any interval"),
                "Run the test again.",
            );
        }
        let (what, hint) = match (self.of_sender, self.totals) {
            (1.., _) => (
                "iperf3 JSON of a sender, whose intervals count no losses",
                "Only the receiver sees which interval a datagram was lost in. Use the JSON of the server, or \
                 of a client with -R or --get-server-output, with intervals (-i 0.1).",
            ),
            (0, 1..) => (
                "an iperf log with the total of the test alone",
                "The total does not say when datagrams were lost. Use the log of the server (or of \
                 a client with -R or --get-server-output), with intervals (-i 0.1).",
            ),
            (0, 0) => (
                "an iperf log without lost datagrams",
                "A test of TCP and a UDP sender do not count losses. Use UDP (-u) and the log of \
                 the server, or of a client with -R or --get-server-output.",
            ),
        };
        (what.to_owned(), hint)
    }

    /// What is to be said beside the links.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(error) = &self.error {
            notes.push(format!(
                "iperf3 ended with an error: {error}; the intervals before it are taken"
            ));
        }
        if self.omitted > 0 {
            notes.push(format!(
                "{} left out: iperf3 omitted {} from its results (-O)",
                counted(self.omitted, ("interval", "intervals")),
                if self.omitted == 1 { "it" } else { "them" }
            ));
        }
        let all = || self.each.values().flatten();
        let (lost, total) =
            (all().map(|c| c.lost).sum::<i64>(), all().map(|c| c.total).sum::<u64>());
        if let Some(said) = self.said.filter(|said| *said != (lost, total)) {
            notes.push(format!(
                "the intervals add up to {lost} lost of {total} datagrams, while the total of the test says {} of \
                 {}; the intervals are taken",
                said.0, said.1
            ));
        }
        notes
    }
}

pub(super) fn read(head: &Head<'_>, mut input: Input<'_>) -> Result<Vec<LinkTrace>, TraceError> {
    let template = link(&input, TAG, None, Outcomes::new());
    let (path, options, budget) = (input.path, input.options, input.budget);
    let counts = if is_json(head) {
        json::of_json(&document(&mut input)?, path)?
    } else {
        text::of_text(&mut Lines::new(input))?
    };
    if counts.each.is_empty() {
        let (what, hint) = counts.none();
        let path = path.display().to_string();
        return Err(TraceError::NotATrace { path, what, hint: hint.to_owned() });
    }
    let notes = counts.notes();
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
        if let Some(link) = links.last_mut() {
            link.notes.extend(notes.iter().cloned());
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
    let (lost, late) = settled(intervals);
    let groups =
        || intervals.iter().zip(&lost).map(|(count, lost)| [count.total, count.total - lost]);
    let mut shuffler = Shuffler::of_counts(seed, groups());
    let (mut seconds, mut datagrams) = (0.0, 0u64);
    for (count, [sent, delivered]) in intervals.iter().zip(groups()) {
        charge(sent)?;
        shuffler.append(&mut link.outcomes, sent, delivered);
        seconds += count.seconds;
        datagrams += sent;
    }
    link.order_known = false;
    link.interval = (datagrams > 0 && seconds > 0.0)
        .then(|| Span::from_secs_f64(seconds / datagrams as f64))
        .filter(|interval| *interval > Span::ZERO);
    link.notes = vec![
        order::note("interval of iperf"),
        format!(
            "{}; the time between datagrams is their mean",
            counted(intervals.len() as u64, ("interval", "intervals"))
        ),
    ];
    link.notes.extend(late);
    // The last interval is often the rest of a second, too short for a datagram.
    let longest = intervals.iter().map(|count| count.seconds).fold(0.0, f64::max);
    let silent = || intervals.iter().filter(|c| c.total == 0 && c.seconds > longest / 10.0);
    if let Some(first) = silent().next() {
        link.notes.push(format!(
            "{} without any datagram, the first from {} s to {} s: an outage, or the sender paused; what was \
             lost there counts in the next interval with datagrams, what was lost at the end nowhere, and the \
             mean time between datagrams includes such intervals",
            counted(silent().count() as u64, ("interval", "intervals")),
            rounded(first.from),
            rounded(first.from + first.seconds)
        ));
    }
    Ok(link)
}

/// The losses of each interval, at least none and at most all, and a note where counts below 0 were
/// settled: datagrams that came late had counted as lost in intervals before.
fn settled(intervals: &[Count]) -> (Vec<u64>, Option<String>) {
    let mut lost: Vec<u64> = Vec::with_capacity(intervals.len());
    let (mut negative, mut left) = (0, 0);
    // Intervals before this one have no losses left.
    let mut clean = 0;
    for count in intervals {
        let mut late = count.lost.min(0).unsigned_abs();
        negative += u64::from(late > 0);
        let mut at = lost.len();
        while late > 0 && at > clean {
            at -= 1;
            let taken = late.min(lost[at]);
            lost[at] -= taken;
            late -= taken;
        }
        if late > 0 {
            clean = lost.len();
            left += late;
        }
        lost.push(count.lost.max(0) as u64);
    }
    let note = (negative > 0).then(|| {
        let counts = if negative == 1 { "interval counts" } else { "intervals count" };
        let beyond = if left > 0 {
            format!("; {} more than had been lost", counted(left, ("datagram came", "datagrams came")))
        } else {
            String::new()
        };
        format!(
            "{negative} {counts} fewer than no losses: datagrams that came late, taken off the losses of the \
             intervals before{beyond}"
        )
    });
    (lost, note)
}

/// Seconds to a thousandth.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1e3).round() / 1e3
}

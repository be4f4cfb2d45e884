//! UDP tests of iperf3 (text and JSON) and iperf2 (text): datagrams lost per interval.
//!
//! The receiver's report counts `lost/total` datagrams of each interval, a second by default. It
//! does not record which datagrams were lost, so their order is drawn within each interval (see
//! `reader/order.rs`). One link per stream and test. A sender's report without such counts, a TCP
//! test, and a report with only the total of a test are refused, because a total does not show when
//! datagrams were lost.

mod counts;
mod json;
mod text;

use std::collections::BTreeSet;

use airtcp_units::{Outcomes, Span};

use super::super::head::Head;
use super::super::input::{Budget, Input};
use super::super::lines::Lines;
use super::super::notes::counted;
use super::super::order::{self, Shuffler};
use super::json_document::document;
use super::link::link;
use crate::error::TraceError;
use crate::reader::LinkTrace;
use counts::{Count, rounded};

pub(super) const TAG: &str = "iperf";
pub(super) const DESCRIPTION: &str = "UDP test of iperf3 (text or JSON) or iperf2 with lost/total datagrams per interval; order \
     within an interval is not recorded and drawn at random";

/// Lines examined for detection.
const LOOKED_AT: usize = 40;

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
    let tests = counts.each.keys().map(|(test, _)| *test).collect::<BTreeSet<_>>();
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
    // The last interval is often a fraction of a second, too short for a datagram.
    let longest = intervals.iter().map(|count| count.seconds).fold(0.0, f64::max);
    let empty = |c: &&Count| c.total == 0 && c.seconds > longest / 10.0;
    let late = || intervals.iter().filter(empty).filter(|c| c.any_came());
    if let Some(first) = late().next() {
        link.notes.push(format!(
            "{} in which datagrams came, none of them with a new number, the first from {} s to {} s: no outage; they \
             had been counted before as lost, and the trace has them there",
            counted(late().count() as u64, ("interval", "intervals")),
            rounded(first.from),
            rounded(first.from + first.seconds)
        ));
    }
    let silent = || intervals.iter().filter(empty).filter(|c| !c.any_came());
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

/// The losses of each interval, from none to all, and a note if negative counts were corrected:
/// iperf counts a late datagram as lost in an earlier interval and subtracts it when it arrives.
fn settled(intervals: &[Count]) -> (Vec<u64>, Option<String>) {
    let mut lost: Vec<u64> = Vec::with_capacity(intervals.len());
    let (mut negative, mut left) = (0, 0);
    // The intervals before have no losses left.
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
        lost.push(count.lost.max(0).unsigned_abs());
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

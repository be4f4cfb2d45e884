//! Output of `fping`: a line per packet (`-c`, `-l`, with or without `-D`), or all times of a host
//! in one line (`-C`).
//!
//! Packets are numbered from 0. With `-c` timeouts have lines; otherwise they are the missing
//! numbers. With `-C` a `-` is a loss. One link per host. `-D` gives the interval.

use std::collections::BTreeMap;
use std::path::Path;

use airtcp_units::{Narrow, Outcomes, Span};

use super::super::clock::Clock;
use super::super::head::Head;
use super::super::input::Input;
use super::super::lines::Lines;
use super::super::sequence::Recorder;
use super::super::strays::Strays;
use super::link::link;
use super::totals::{Totals, begins_late, late_start};
use crate::error::{TraceError, excerpt};
use crate::reader::LinkTrace;

pub(super) const TAG: &str = "fping";
pub(super) const DESCRIPTION: &str = "output of fping -c, -l (best with -D) or -C: one link per host, requests without a reply \
     are lost";

/// Lines examined for detection.
const LOOKED_AT: usize = 20;

/// One line of the output.
#[derive(Debug, PartialEq)]
enum Line {
    Packet {
        number: u64,
        received: bool,
    },
    /// All packets of a host (`-C`).
    All(Vec<bool>),
    /// Packets sent to a host and received from it, from the summary.
    Sent(Totals),
}

pub(super) fn detect(head: &Head<'_>) -> bool {
    let lines: Vec<_> = head.content().take(LOOKED_AT).map(|(_, line)| parse(line)).collect();
    // Numbers after a colon may have any meaning, so all lines must have this form.
    let numbers = |parsed: &Option<_>| matches!(parsed, Some((_, _, Line::All(t))) if t.len() > 1);
    lines.iter().any(|parsed| matches!(parsed, Some((_, _, Line::Packet { .. }))))
        || (!lines.is_empty() && lines.iter().all(numbers))
}

/// Time stamp, host and content of a line.
fn parse(line: &str) -> Option<(Option<i128>, &str, Line)> {
    let line = line.trim();
    let (stamp, line) = match line.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        Some((stamp, rest)) => (super::stamps::seconds(stamp), rest),
        None => (None, line),
    };
    let (host, rest) = line.split_once(" : ")?;
    let (host, rest) = (host.trim(), rest.trim());
    if let Some(rest) = rest.strip_prefix('[') {
        let (number, rest) = rest.split_once("], ")?;
        let received = rest.contains(" bytes, ");
        let said = received || rest.starts_with("timed out");
        let number = number.parse().ok()?;
        return said.then_some((stamp, host, Line::Packet { number, received }));
    }
    if let Some(rest) = rest.strip_prefix("xmt/rcv/%") {
        let mut counts = rest.split_once("= ")?.1.split('/').map(str::parse);
        let (sent, received) = (counts.next()?.ok()?, counts.next().and_then(Result::ok));
        return Some((stamp, host, Line::Sent(Totals { sent, received })));
    }
    let time = |word: &str| match word {
        "-" => Some(false),
        _ => word.parse::<f64>().ok().map(|_| true),
    };
    let times: Option<Vec<bool>> = rest.split_whitespace().map(time).collect();
    times.filter(|times| !times.is_empty()).map(|times| (stamp, host, Line::All(times)))
}

/// One host.
#[derive(Default)]
struct Host {
    /// First number seen.
    seen: Option<u64>,
    recorder: Recorder,
    clock: Clock,
    totals: Option<Totals>,
    all: Option<Vec<bool>>,
}

pub(super) fn read(_: &Head<'_>, input: Input<'_>) -> Result<Vec<LinkTrace>, TraceError> {
    let (path, options, budget) = (input.path, input.options, input.budget);
    let template = link(&input, TAG, None, Outcomes::new());
    let mut lines = Lines::new(input);
    let mut hosts: BTreeMap<String, Host> = BTreeMap::new();
    let mut strays = Strays::default();
    while let Some(line) = lines.next()? {
        let Some((stamp, host, parsed)) = parse(line) else {
            if !line.trim().is_empty() {
                strays.add(line);
            }
            continue;
        };
        let shown = excerpt(line);
        let name: String = host.chars().take(100).collect();
        if !hosts.contains_key(&name) {
            budget.link(path)?;
        }
        let host = hosts.entry(name).or_default();
        match parsed {
            Line::Packet { number, received } => {
                host.seen.get_or_insert(number);
                let Ok(steps) = host.recorder.take_outcome(number, received, options.max_gap)
                else {
                    let expected = "numbers that grow; split a file of several runs";
                    return Err(lines.malformed(shown, expected));
                };
                budget.packets(path, steps)?;
                host.clock.stamp(stamp.filter(|_| received), steps);
            }
            Line::Sent(totals) => host.totals = Some(totals),
            Line::All(times) => {
                budget.packets(path, times.len() as u64)?;
                host.all = Some(times);
            }
        }
    }
    let several = hosts.len() > 1;
    let mut links = Vec::new();
    for (name, host) in hosts {
        let mut link = finish(host, template.clone(), path, |n| budget.packets(path, n))?;
        if several {
            link.name = format!("{}:{name}", link.name);
        }
        link.labels.insert("dst".to_owned(), name);
        link.notes.extend(strays.note("fping -c, -l or -C"));
        links.push(link);
    }
    Ok(links)
}

fn finish(
    mut host: Host,
    mut link: LinkTrace,
    path: &Path,
    charge: impl Fn(u64) -> Result<(), TraceError>,
) -> Result<LinkTrace, TraceError> {
    link.notes.push(
        "round trips: a packet is lost if the request or its reply was lost or came too late"
            .to_owned(),
    );
    let (seen, notes) = host.recorder.finish();
    if let Some(all) = host.all {
        link.outcomes = all.into_iter().collect();
    } else {
        let begins = host.seen.unwrap_or(0);
        // Without totals, a log that begins after number 0 does not show the packets before.
        let cut = match host.totals {
            Some(totals) => begins_late(totals, begins, &seen, path, "fping")?,
            None => begins > 0,
        };
        let tail = host.totals.map_or(0, |totals| totals.sent - begins - seen.len() as u64);
        let lead = if cut { 0 } else { begins };
        charge(lead + tail)?;
        link.outcomes.push_run(false, usize::narrow(lead));
        seen.iter().for_each(|bit| link.outcomes.push(bit));
        link.outcomes.push_run(false, usize::narrow(tail));
        // The program prints timeouts after later replies.
        link.notes.extend(notes.into_iter().skip(1).filter(|note| !note.contains("duplicate")));
        if cut {
            link.notes.push(late_start(begins));
        }
        if host.totals.is_none() {
            link.notes.push(
                "without the summary at the end: losses after the last reply are not known"
                    .to_owned(),
            );
        }
    }
    link.interval = host.clock.interval(Span::from_secs(1)).0;
    Ok(link)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_fping() {
        let packet = |number, received| Line::Packet { number, received };
        for (line, host, parsed) in [
            (
                "10.9.0.2 : [0], 64 bytes, 0.054 ms (0.054 avg, 0% loss)",
                "10.9.0.2",
                packet(0, true),
            ),
            ("10.9.0.2 : [28], timed out (0.057 avg, 23% loss)", "10.9.0.2", packet(28, false)),
            (
                "a.b (1.2.3.4)  : [3], 84 bytes, 1.5 ms (1 avg, 0% loss)",
                "a.b (1.2.3.4)",
                packet(3, true),
            ),
            (
                "10.9.0.2 : xmt/rcv/%loss = 30/27/10%, min/avg/max = 1/2/3",
                "10.9.0.2",
                Line::Sent(Totals { sent: 30, received: Some(27) }),
            ),
            ("10.9.0.2 : 0.055 - 0.05", "10.9.0.2", Line::All(vec![true, false, true])),
        ] {
            assert_eq!(parse(line), Some((None, host, parsed)), "{line}");
        }
        assert_eq!(parse("name : value"), None);
    }
}

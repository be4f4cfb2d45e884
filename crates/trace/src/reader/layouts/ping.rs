//! What `ping` prints: iputils (with `-D`, `-O`), busybox, BSD and macOS.
//!
//! A reply has the number of its request; a number that never comes is a loss, of the request or
//! of its reply. The header says whether numbers begin at 1 (iputils) or 0 (the others), the
//! summary how many requests were sent: losses at both ends are known. `-D` stamps give the
//! interval, otherwise the total time in the summary (iputils). A new header begins a new link.

use airtcp_units::{Outcomes, Span};

use super::super::clock::Clock;
use super::super::head::Head;
use super::super::lines::Lines;
use super::super::open::Input;
use super::super::sequence::Recorder;
use super::link;
use crate::error::{TraceError, excerpt};
use crate::reader::LinkTrace;

pub(super) const TAG: &str = "ping";
pub(super) const DESCRIPTION: &str = "output of ping (iputils, busybox, BSD; best with -D and -O): requests without a reply are lost";

/// Lines looked at to know it.
const LOOKED_AT: usize = 20;

/// One line of the output.
#[derive(Debug, PartialEq, Eq)]
enum Line<'a> {
    Header { host: &'a str, first: u64 },
    Reply(u64),
    NoReply(u64),
    Sent { packets: u64, time: Option<Span> },
    Other,
}

pub(super) fn detect(head: &Head<'_>) -> bool {
    head.content().take(LOOKED_AT).any(|(_, line)| match parse(line).1 {
        Line::Header { .. } | Line::Reply(_) => true,
        Line::NoReply(_) => line.contains("icmp_seq"),
        _ => false,
    })
}

/// Time stamp (`-D`) in billionths of a second, and what the line says.
fn parse(line: &str) -> (Option<i128>, Line<'_>) {
    let (stamp, line) = match line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((stamp, rest)) => (super::table::seconds(stamp), rest.trim()),
        None => (None, line.trim()),
    };
    if let Some(rest) = line.strip_prefix("PING ") {
        let host = rest.split(|c: char| c.is_whitespace() || c == ':').next().unwrap_or_default();
        // iputils: "56(84) bytes of data."; the others: "56 data bytes", from 0.
        let first = u64::from(rest.contains("bytes of data"));
        return (stamp, Line::Header { host, first });
    }
    if let Some((packets, rest)) = line.split_once(" packets transmitted") {
        let time = rest.rsplit_once("time ").and_then(|(_, t)| t.trim().parse().ok());
        let packets = packets.parse().map(|packets| Line::Sent { packets, time });
        return (stamp, packets.unwrap_or(Line::Other));
    }
    let Some(number) = number(line) else { return (stamp, Line::Other) };
    let reply = line.contains("bytes from") && !line.contains("(DUP!)");
    let silent = ["no answer yet", "Request timeout", "Unreachable", "unreachable", "exceeded"];
    match () {
        () if reply => (stamp, Line::Reply(number)),
        () if silent.iter().any(|words| line.contains(words)) => (stamp, Line::NoReply(number)),
        () => (stamp, Line::Other),
    }
}

/// The number behind `icmp_seq=`, `icmp_seq `, `icmp_req=` or `seq=`.
fn number(line: &str) -> Option<u64> {
    let at = ["icmp_seq", "icmp_req", " seq"].iter().find_map(|key| {
        let rest = line.split_once(key)?.1;
        rest.strip_prefix(['=', ' '])
    })?;
    let digits = at.find(|c: char| !c.is_ascii_digit()).unwrap_or(at.len());
    at[..digits].parse().ok()
}

/// One run of the program.
#[derive(Default)]
struct Run {
    host: String,
    /// Number of the first request, if the header tells.
    first: Option<u64>,
    /// First number seen.
    seen: Option<u64>,
    recorder: Recorder,
    clock: Clock,
    sent: Option<(u64, Option<Span>)>,
}

pub(super) fn read(_: &Head<'_>, input: Input<'_>) -> Result<Vec<LinkTrace>, TraceError> {
    let (path, options, budget) = (input.path, input.options, input.budget);
    let template = link(&input, TAG, None, Outcomes::new());
    let mut lines = Lines::new(input);
    let mut runs: Vec<Run> = Vec::new();
    while let Some(line) = lines.next()? {
        let (stamp, parsed) = parse(line);
        let (number, received) = match parsed {
            Line::Header { host, first } => {
                budget.link(path)?;
                let host = host.chars().take(100).collect();
                runs.push(Run { host, first: Some(first), ..Run::default() });
                continue;
            }
            Line::Sent { packets, time } => {
                if let Some(run) = runs.last_mut() {
                    run.sent = Some((packets, time));
                }
                continue;
            }
            Line::Other => continue,
            Line::Reply(number) => (number, true),
            Line::NoReply(number) => (number, false),
        };
        let shown = excerpt(line);
        if runs.is_empty() {
            budget.link(path)?;
            runs.push(Run::default());
        }
        let Some(run) = runs.last_mut() else { continue };
        run.seen.get_or_insert(number);
        let Ok(steps) = run.recorder.take_outcome(number, received, options.max_gap) else {
            return Err(lines.malformed(shown, "numbers that grow; split a file of several runs"));
        };
        budget.packets(path, steps)?;
        // "No answer yet" is said when the next request goes out.
        run.clock.stamp(stamp.filter(|_| received), steps);
    }
    let several = runs.iter().filter(|run| run.seen.is_some() || run.sent.is_some()).count() > 1;
    let mut links = Vec::new();
    for (i, run) in (1..).zip(runs) {
        let mut link = finish(run, template.clone(), |n| budget.packets(path, n))?;
        if link.outcomes.is_empty() {
            continue;
        }
        if several {
            link.name = format!("{}:{i}", link.name);
        }
        links.push(link);
    }
    Ok(links)
}

fn finish(
    mut run: Run,
    mut link: LinkTrace,
    charge: impl Fn(u64) -> Result<(), TraceError>,
) -> Result<LinkTrace, TraceError> {
    let first = run.first.or(run.seen).unwrap_or(0);
    let lead = run.seen.unwrap_or(first).saturating_sub(first);
    let (seen, notes) = run.recorder.finish();
    let sent = run.sent.map_or(0, |(packets, _)| packets);
    // Numbers are of 16 bits: a longer lead is that of a file without its beginning.
    let lead =
        if lead < 1 << 16 && (sent == 0 || lead + seen.len() as u64 <= sent) { lead } else { 0 };
    let tail = sent.saturating_sub(lead + seen.len() as u64);
    charge(lead + tail)?;
    link.outcomes.push_run(false, lead as usize);
    seen.iter().for_each(|bit| link.outcomes.push(bit));
    link.outcomes.push_run(false, tail as usize);
    link.notes.push(
        "round trips: a packet is lost if the request or its reply was; replies have numbers, and \
         a number without a reply is a loss"
            .to_owned(),
    );
    link.notes.extend(notes.into_iter().skip(1));
    if sent == 0 {
        link.notes.push(
            "without the summary at the end: losses after the last reply are not known".to_owned(),
        );
    }
    let (interval, notes) = run.clock.interval(Span::from_secs(1));
    link.interval = interval;
    if let (None, Some((packets, Some(time)))) = (interval, run.sent)
        && packets > 1
        && time > Span::ZERO
    {
        link.interval = Some(Span(time.0 / (packets - 1)));
        link.notes.push("the interval is the mean, from the summary; -D stamps each".to_owned());
    }
    let stampless =
        |note: &&String| !note.contains("have no time stamp") && !note.contains("do not give");
    link.notes.extend(notes.iter().filter(stampless).cloned());
    if !run.host.is_empty() {
        link.labels.insert("dst".to_owned(), run.host);
    }
    Ok(link)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_several_pings() {
        let second = Span::from_secs(1);
        for (line, parsed) in [
            (
                "PING 10.9.0.2 (10.9.0.2) 56(84) bytes of data.",
                Line::Header { host: "10.9.0.2", first: 1 },
            ),
            ("PING a.b (1.2.3.4): 56 data bytes", Line::Header { host: "a.b", first: 0 }),
            ("64 bytes from 10.9.0.2: icmp_seq=7 ttl=64 time=0.05 ms", Line::Reply(7)),
            ("64 bytes from fe80::1%va: icmp_seq=7 ttl=64 time=0.05 ms", Line::Reply(7)),
            ("64 bytes from 1.2.3.4: seq=3 ttl=56 time=13.310 ms", Line::Reply(3)),
            ("64 bytes from 1.2.3.4: icmp_seq=7 ttl=64 time=0.05 ms (DUP!)", Line::Other),
            ("no answer yet for icmp_seq=12", Line::NoReply(12)),
            ("Request timeout for icmp_seq 5", Line::NoReply(5)),
            ("From 10.9.0.1 icmp_seq=4 Destination Host Unreachable", Line::NoReply(4)),
            (
                "60 packets transmitted, 50 received, 16.6667% packet loss, time 1000ms",
                Line::Sent { packets: 60, time: Some(second) },
            ),
            (
                "8 packets transmitted, 8 packets received, 0.0% packet loss",
                Line::Sent { packets: 8, time: None },
            ),
            ("rtt min/avg/max/mdev = 0.047/0.060/0.075/0.005 ms", Line::Other),
        ] {
            assert_eq!(parse(line), (None, parsed), "{line}");
        }
        let stamped = parse("[1795392084.653295] no answer yet for icmp_seq=2");
        assert_eq!(stamped, (Some(1_795_392_084_653_295_000), Line::NoReply(2)));
    }
}

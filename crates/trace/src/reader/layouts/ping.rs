//! What `ping` prints: iputils (with `-D`, `-O`), busybox, BSD and macOS.
//!
//! A reply has the number of its request; a number that never comes is a loss, of the request or
//! of its reply. The header says whether numbers begin at 1 (iputils) or 0 (the others), the
//! summary how many requests were sent: losses at both ends are known. The replies are held against
//! the summary (see `totals.rs`). `-D` stamps give the interval, otherwise the total time in the
//! summary (iputils). A new header begins a new link.

use std::collections::BTreeSet;
use std::path::Path;

use airtcp_units::{Outcomes, Span};

use super::super::clock::{Clock, Grain};
use super::super::head::Head;
use super::super::lines::Lines;
use super::super::notes::counted;
use super::super::open::Input;
use super::super::sequence::Recorder;
use super::super::strays::Strays;
use super::link;
use super::totals::{Totals, begins_late, late_start};
use crate::error::{TraceError, excerpt};
use crate::reader::LinkTrace;

pub(super) const TAG: &str = "ping";
pub(super) const DESCRIPTION: &str = "output of ping (iputils, busybox, BSD; best with -D and -O): requests without a reply are lost";

/// Lines looked at to know it.
const LOOKED_AT: usize = 20;

/// One line of the output.
#[derive(Debug, PartialEq, Eq)]
enum Line<'a> {
    Header {
        host: &'a str,
        first: u64,
    },
    Reply(u64),
    NoReply(u64),
    /// A reply that ping marks as a repeated one.
    Duplicate,
    /// A reply, in a language other than English.
    Foreign,
    Sent(Summary),
    /// Printed by ping, and says nothing of a packet.
    Known,
    Other,
}

/// The line of totals at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Summary {
    totals: Totals,
    time: Option<Span>,
    /// Number of the first request of a program that writes such a summary.
    first: u64,
}

pub(super) fn detect(head: &Head<'_>) -> bool {
    head.content().take(LOOKED_AT).any(|(_, line)| match parse(line).1 {
        Line::Header { .. } | Line::Reply(_) | Line::Foreign => true,
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
        return (stamp, header(rest));
    }
    if let Some(rest) = line.strip_prefix("PING6(") {
        let host = rest.split_once("--> ").map_or("", |(_, host)| host.trim());
        return (stamp, Line::Header { host, first: 0 });
    }
    if let Some((sent, rest)) = line.split_once(" packets transmitted") {
        return (stamp, sent.parse().map_or(Line::Other, |sent| Line::Sent(summary(sent, rest))));
    }
    let Some(number) = number(line) else {
        return (stamp, if is_known(line) { Line::Known } else { Line::Other });
    };
    let reply = line.contains("bytes from") && !line.contains("(DUP!)");
    let foreign = line.contains(" ttl=") && !line.contains("bytes from");
    let silent = [
        "BAD CHECKSUM",
        "no answer yet",
        "Request timeout",
        "Unreachable",
        "unreachable",
        "exceeded",
    ];
    match () {
        () if silent.iter().any(|words| line.contains(words)) => (stamp, Line::NoReply(number)),
        () if reply => (stamp, Line::Reply(number)),
        () if foreign => (stamp, Line::Foreign),
        () if line.contains("(DUP!)") => (stamp, Line::Duplicate),
        () => (stamp, Line::Other),
    }
}

/// `rest` of a line that begins with PING. iputils counts from 1: "a.b (1.2.3.4) 56(84) bytes of data.",
/// "::1(::1) 56 data bytes"; the others from 0: "a.b (1.2.3.4): 56 data bytes".
fn header(rest: &str) -> Line<'_> {
    let word = rest.split_whitespace().next().unwrap_or_default();
    let host = word.split('(').next().unwrap_or_default().trim_end_matches(':');
    let from_0 = !word.contains('(') && rest.contains(": ") && rest.contains(" data bytes");
    Line::Header { host, first: u64::from(!from_0) }
}

/// The totals behind "packets transmitted".
fn summary(sent: u64, rest: &str) -> Summary {
    let received = rest.split(',').find_map(|part| part.trim().strip_suffix("received"));
    let words: Vec<_> = received.map_or(Vec::new(), |part| part.split_whitespace().collect());
    Summary {
        totals: Totals { sent, received: words.first().and_then(|count| count.parse().ok()) },
        time: rest.rsplit_once("time ").and_then(|(_, t)| t.trim().parse().ok()),
        first: u64::from(words.get(1) != Some(&"packets")),
    }
}

/// True of lines that ping prints beside those of packets.
fn is_known(line: &str) -> bool {
    const BEGINNINGS: [&str; 7] =
        ["--- ", "rtt min/", "round-trip min/", "PATTERN:", "pipe ", "ping: ", "Warning: "];
    line.is_empty() || line == "^C" || BEGINNINGS.iter().any(|words| line.starts_with(words))
}

/// What an ICMP error said of a request.
fn report(line: &str) -> Option<&'static str> {
    const SAID: [&str; 6] = [
        "Destination Host Unreachable",
        "Destination Net Unreachable",
        "Destination Port Unreachable",
        "Time to live exceeded",
        "Unreachable",
        "unreachable",
    ];
    SAID.into_iter().find(|words| line.contains(words))
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
    /// Number of the newest reply; numbers said to be unanswered, and the replies to these, which came
    /// after the next request was sent.
    newest: Option<u64>,
    silent: BTreeSet<u16>,
    slow: u64,
    /// Replies to requests that had been replied to.
    duplicates: u64,
    /// Packets that ICMP errors reported as lost, and what the first of them said.
    reported: u64,
    report: &'static str,
    /// The step of the stamps: they are multiples of it from the first on.
    grain: Grain,
    summary: Option<Summary>,
}

impl Run {
    /// How many packets a reply is past the newest one, if it is; numbers are of 16 bits.
    fn past_newest(&mut self, number: u64) -> Option<u64> {
        let past = self.newest.map_or(1, |newest| number.wrapping_sub(newest) & 0xffff);
        let newer = past > 0 && past < 1 << 15;
        if newer {
            self.newest = Some(number);
        }
        newer.then_some(past)
    }
}

pub(super) fn read(_: &Head<'_>, input: Input<'_>) -> Result<Vec<LinkTrace>, TraceError> {
    let (path, options, budget) = (input.path, input.options, input.budget);
    let template = link(&input, TAG, None, Outcomes::new());
    let mut lines = Lines::new(input);
    let mut runs: Vec<Run> = Vec::new();
    let mut strays = Strays::default();
    while let Some(line) = lines.next()? {
        let (stamp, parsed) = parse(line);
        let (number, received) = match parsed {
            Line::Header { host, first } => {
                budget.link(path)?;
                let host = host.chars().take(100).collect();
                runs.push(Run { host, first: Some(first), ..Run::default() });
                continue;
            }
            Line::Sent(summary) => {
                if let Some(run) = runs.last_mut() {
                    run.summary = Some(summary);
                }
                continue;
            }
            Line::Foreign => return Err(foreign(path)),
            Line::Known => continue,
            Line::Duplicate => {
                if let Some(run) = runs.last_mut() {
                    run.duplicates += 1;
                }
                continue;
            }
            Line::Other => {
                strays.add(line);
                continue;
            }
            Line::Reply(number) => (number, true),
            Line::NoReply(number) => (number, false),
        };
        let shown = excerpt(line);
        let report = if received { None } else { report(line) };
        if runs.is_empty() {
            budget.link(path)?;
            runs.push(Run::default());
        }
        let Some(run) = runs.last_mut() else { continue };
        run.seen.get_or_insert(number);
        if let Some(words) = report {
            run.report = if run.reported == 0 { words } else { run.report };
            run.reported += 1;
        }
        let before = run.recorder.duplicates();
        let Ok(steps) = run.recorder.take_outcome(number, received, options.max_gap) else {
            return Err(lines.malformed(shown, "numbers that grow; split a file of several runs"));
        };
        budget.packets(path, steps)?;
        run.duplicates += if received { run.recorder.duplicates() - before } else { 0 };
        // "No answer yet" is said when the next request goes out; the reply may come after that.
        let low = (number & 0xffff) as u16;
        if !received {
            run.silent.insert(low);
            continue;
        }
        run.slow += u64::from(run.silent.remove(&low) && steps == 0);
        if let Some(past) = run.past_newest(number) {
            run.clock.stamp(stamp, past);
            run.grain.add(stamp);
        }
    }
    let several = runs.iter().filter(|run| run.seen.is_some() || run.summary.is_some()).count() > 1;
    let mut links = Vec::new();
    for (i, run) in (1..).zip(runs) {
        let mut link = finish(run, template.clone(), path, |n| budget.packets(path, n))?;
        if link.outcomes.is_empty() {
            continue;
        }
        if several {
            link.name = format!("{}:{i}", link.name);
        }
        link.notes.extend(strays.note("ping"));
        links.push(link);
    }
    Ok(links)
}

/// A reply that is none in English: "64 Bytes von 10.0.0.1: icmp_seq=1 ttl=64 Zeit=9,8 ms".
fn foreign(path: &Path) -> TraceError {
    TraceError::NotATrace {
        path: path.display().to_string(),
        what: "the output of ping in another language than English".to_owned(),
        hint: "Only its English is read: run LC_ALL=C ping -D -O HOST.".to_owned(),
    }
}

fn finish(
    mut run: Run,
    mut link: LinkTrace,
    path: &Path,
    charge: impl Fn(u64) -> Result<(), TraceError>,
) -> Result<LinkTrace, TraceError> {
    let first = run.first.or(run.summary.map(|summary| summary.first)).or(run.seen).unwrap_or(0);
    let begins = run.seen.unwrap_or(first);
    let lead = begins.saturating_sub(first);
    let late = run.recorder.late().saturating_sub(run.slow);
    let (seen, notes) = run.recorder.finish();
    let totals = run.summary.map(|summary| summary.totals);
    let cut = match totals {
        Some(totals) => begins_late(totals, lead, &seen, path, "ping")?,
        None => run.first.is_none() && begins > 1,
    };
    let tail = totals.map_or(0, |totals| totals.sent - lead - seen.len() as u64);
    // What is before the first line of a log without its beginning is not known.
    let lead = if cut { 0 } else { lead };
    charge(lead + tail)?;
    link.outcomes.push_run(false, lead as usize);
    seen.iter().for_each(|bit| link.outcomes.push(bit));
    link.outcomes.push_run(false, tail as usize);
    link.notes.push(
        "round trips: a packet is lost if the request or its reply was; replies have numbers, and \
         a number without a reply is a loss"
            .to_owned(),
    );
    if cut {
        link.notes.push(late_start(begins));
    }
    // A request may be told of twice: unanswered when the next is sent, then unreachable.
    let put_right = |note: &String| !note.contains("arrived late") && !note.contains("duplicate");
    link.notes.extend(notes.into_iter().skip(1).filter(put_right));
    if run.reported > 0 {
        let packets = counted(run.reported, ("packet was", "packets were"));
        link.notes
            .push(format!("{packets} reported lost by ICMP errors, such as \"{}\"", run.report));
    }
    if run.duplicates > 0 {
        let replies = counted(run.duplicates, ("duplicate reply", "duplicate replies"));
        link.notes.push(format!("{replies} ignored"));
    }
    if late > 0 {
        link.notes.push(counted(
            late,
            (
                "reply overtook another and was put in its place",
                "replies overtook others and were put in their place",
            ),
        ));
    }
    if run.slow > 0 {
        link.notes.push(format!(
            "{} after the next request was sent, and {} as received",
            counted(run.slow, ("reply came", "replies came")),
            if run.slow == 1 { "counts" } else { "count" }
        ));
    }
    if totals.is_none() {
        link.notes.push(
            "without the summary at the end: losses after the last reply are not known".to_owned(),
        );
    }
    let (interval, notes) = run.clock.interval_by_numbers(Span::from_secs(1), run.grain.step());
    link.interval = interval;
    if let (None, Some(Summary { totals, time: Some(time), .. })) = (interval, run.summary)
        && totals.sent > 1
        && time > Span::ZERO
    {
        link.interval = Some(Span(time.0 / (totals.sent - 1)));
        link.notes.push("the interval is the mean, from the summary; -D stamps each".to_owned());
    }
    let stampless =
        |note: &&String| !note.contains("no time stamp") && !note.contains("do not give");
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
        let sent = |sent, received, time, first| {
            let totals = Totals { sent, received: Some(received) };
            Line::Sent(Summary { totals, time, first })
        };
        for (line, parsed) in [
            (
                "PING 10.9.0.2 (10.9.0.2) 56(84) bytes of data.",
                Line::Header { host: "10.9.0.2", first: 1 },
            ),
            ("PING a.b (1.2.3.4): 56 data bytes", Line::Header { host: "a.b", first: 0 }),
            ("PING ::1(::1) 56 data bytes", Line::Header { host: "::1", first: 1 }),
            ("PING a (::1) from ::2 va: 56 data bytes", Line::Header { host: "a", first: 0 }),
            ("PING6(56=40+8+8 bytes) ::1 --> fe80::2", Line::Header { host: "fe80::2", first: 0 }),
            (
                "PING 192.0.2.7 (192.0.2.7) 56(84) octets de données.",
                Line::Header { host: "192.0.2.7", first: 1 },
            ),
            ("64 Bytes von 192.0.2.7: icmp_seq=1 ttl=57 Zeit=9,8 ms", Line::Foreign),
            (
                "5 packets transmitted, 4 received, +1 duplicates, 20% packet loss",
                sent(5, 4, None, 1),
            ),
            ("64 bytes from 10.9.0.2: icmp_seq=7 ttl=64 time=0.05 ms", Line::Reply(7)),
            ("64 bytes from fe80::1%va: icmp_seq=7 ttl=64 time=0.05 ms", Line::Reply(7)),
            ("64 bytes from 1.2.3.4: seq=3 ttl=56 time=13.310 ms", Line::Reply(3)),
            ("64 bytes from 1.2.3.4: icmp_seq=7 ttl=64 time=0.05 ms (DUP!)", Line::Duplicate),
            ("no answer yet for icmp_seq=12", Line::NoReply(12)),
            ("Request timeout for icmp_seq 5", Line::NoReply(5)),
            ("From 10.9.0.1 icmp_seq=4 Destination Host Unreachable", Line::NoReply(4)),
            (
                "60 packets transmitted, 50 received, 16.6667% packet loss, time 1000ms",
                sent(60, 50, Some(second), 1),
            ),
            ("8 packets transmitted, 8 packets received, 0.0% packet loss", sent(8, 8, None, 0)),
            ("rtt min/avg/max/mdev = 0.047/0.060/0.075/0.005 ms", Line::Known),
            ("the router was restarted here", Line::Other),
        ] {
            assert_eq!(parse(line), (None, parsed), "{line}");
        }
        let stamped = parse("[1795392084.653295] no answer yet for icmp_seq=2");
        assert_eq!(stamped, (Some(1_795_392_084_653_295_000), Line::NoReply(2)));
    }
}

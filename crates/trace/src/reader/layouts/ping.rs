//! Output of `ping`: iputils (with `-D`, `-O`), busybox, BSD and macOS.
//!
//! A reply has the number of its request; a missing number is a loss of the request or of its
//! reply. The header shows whether numbers begin at 1 (iputils) or 0 (the others), the summary how
//! many requests were sent, so losses at both ends are known. The replies are compared with the
//! summary (see `totals.rs`). The interval comes from the `-D` stamps, otherwise from the total
//! time in the summary (iputils). A new header begins a new link.

mod line;
mod run;

use std::path::Path;

use airtcp_units::Outcomes;

use super::super::head::Head;
use super::super::input::Input;
use super::super::lines::Lines;
use super::super::strays::Strays;
use super::link::link;
use crate::error::{TraceError, excerpt};
use crate::reader::LinkTrace;
use line::{Line, parse, report};
use run::{Run, finish};

pub(super) const TAG: &str = "ping";
pub(super) const DESCRIPTION: &str = "output of ping (iputils, busybox, BSD; best with -D and -O): requests without a reply are lost";

/// Lines examined for detection.
const LOOKED_AT: usize = 20;

pub(super) fn detect(head: &Head<'_>) -> bool {
    head.content().take(LOOKED_AT).any(|(_, line)| match parse(line).1 {
        Line::Header { .. } | Line::Reply(_) | Line::Foreign => true,
        Line::NoReply(_) => line.contains("icmp_seq"),
        _ => false,
    })
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
                runs.push(Run::of(host, first));
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
        let Ok(steps) = run.take(number, received, (stamp, report), options.max_gap) else {
            return Err(lines.malformed(shown, "numbers that grow; split a file of several runs"));
        };
        budget.packets(path, steps)?;
    }
    links(runs, &strays, &template, path, |n| budget.packets(path, n))
}

/// The links of the runs that have packets.
fn links(
    runs: Vec<Run>,
    strays: &Strays,
    template: &LinkTrace,
    path: &Path,
    charge: impl Fn(u64) -> Result<(), TraceError>,
) -> Result<Vec<LinkTrace>, TraceError> {
    let several = runs.iter().filter(|run| run.seen.is_some() || run.summary.is_some()).count() > 1;
    let mut links = Vec::new();
    for (i, run) in (1..).zip(runs) {
        let mut link = finish(run, template.clone(), path, &charge)?;
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

/// The error on a reply in another language, such as "64 Bytes von 10.0.0.1: icmp_seq=1 ttl=64
/// Zeit=9,8 ms".
fn foreign(path: &Path) -> TraceError {
    TraceError::NotATrace {
        path: path.display().to_string(),
        what: "the output of ping in another language than English".to_owned(),
        hint: "Only its English is read: run LC_ALL=C ping -D -O HOST.".to_owned(),
    }
}

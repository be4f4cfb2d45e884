//! One run of ping, and its link.

use std::collections::BTreeSet;
use std::path::Path;

use airtcp_units::{Narrow, Span};

use super::super::super::clock::{Clock, StampStep};
use super::super::super::notes::counted;
use super::super::super::sequence::{Fault, Recorder};
use super::super::totals::{begins_late, late_start};
use super::line::Summary;
use crate::error::TraceError;
use crate::reader::LinkTrace;

/// One run of the program.
#[derive(Default)]
pub(super) struct Run {
    host: String,
    /// Number of the first request, if the header shows it.
    first: Option<u64>,
    /// First number seen.
    pub(super) seen: Option<u64>,
    recorder: Recorder,
    clock: Clock,
    /// Number of the newest reply; numbers reported as unanswered, and later replies to these.
    newest: Option<u64>,
    silent: BTreeSet<u16>,
    slow: u64,
    /// Duplicate replies.
    pub(super) duplicates: u64,
    /// Packets that ICMP errors reported as lost, and the first error.
    reported: u64,
    report: &'static str,
    /// The step of the time stamps.
    stamp_step: StampStep,
    pub(super) summary: Option<Summary>,
}

impl Run {
    /// A run with the host and the number of the first request of its header.
    pub(super) fn of(host: String, first: u64) -> Self {
        Self { host, first: Some(first), ..Self::default() }
    }

    /// How many packets a reply is after the newest one, if it is; numbers have 16 bits.
    fn past_newest(&mut self, number: u64) -> Option<u64> {
        let past = self.newest.map_or(1, |newest| number.wrapping_sub(newest) & 0xffff);
        let newer = past > 0 && past < 1 << 15;
        if newer {
            self.newest = Some(number);
        }
        newer.then_some(past)
    }

    /// Takes a line about a packet: a reply, or its absence. Returns the number of packets added to
    /// the record.
    pub(super) fn take(
        &mut self,
        number: u64,
        received: bool,
        (stamp, report): (Option<i128>, Option<&'static str>),
        max_gap: u64,
    ) -> Result<u64, Fault> {
        self.seen.get_or_insert(number);
        if let Some(words) = report {
            self.report = if self.reported == 0 { words } else { self.report };
            self.reported += 1;
        }
        let before = self.recorder.duplicates();
        let steps = self.recorder.take_outcome(number, received, max_gap)?;
        self.duplicates += if received { self.recorder.duplicates() - before } else { 0 };
        // Ping prints "no answer yet" with the next request; the reply may arrive later.
        let low = (number & 0xffff) as u16;
        if !received {
            self.silent.insert(low);
            return Ok(steps);
        }
        self.slow += u64::from(self.silent.remove(&low) && steps == 0);
        if let Some(past) = self.past_newest(number) {
            self.clock.stamp(stamp, past);
            self.stamp_step.add(stamp);
        }
        Ok(steps)
    }

    /// The notes on replies; `late` of them arrived after the reply to a later request.
    fn replies_noted(&self, late: u64) -> Vec<String> {
        let mut notes = Vec::new();
        if self.reported > 0 {
            let packets = counted(self.reported, ("packet was", "packets were"));
            notes.push(format!(
                "{packets} reported lost by ICMP errors, such as \"{}\"",
                self.report
            ));
        }
        if self.duplicates > 0 {
            let replies = counted(self.duplicates, ("duplicate reply", "duplicate replies"));
            notes.push(format!("{replies} ignored"));
        }
        if late > 0 {
            notes.push(counted(
                late,
                (
                    "reply overtook another and was put in its place",
                    "replies overtook others and were put in their place",
                ),
            ));
        }
        if self.slow > 0 {
            notes.push(format!(
                "{} after the next request was sent, and {} as received",
                counted(self.slow, ("reply came", "replies came")),
                if self.slow == 1 { "counts" } else { "count" }
            ));
        }
        if self.summary.is_none() {
            notes.push(
                "without the summary at the end: losses after the last reply are not known"
                    .to_owned(),
            );
        }
        notes
    }
}

pub(super) fn finish(
    mut run: Run,
    mut link: LinkTrace,
    path: &Path,
    charge: impl Fn(u64) -> Result<(), TraceError>,
) -> Result<LinkTrace, TraceError> {
    let first = run.first.or(run.summary.map(|summary| summary.first)).or(run.seen).unwrap_or(0);
    let begins = run.seen.unwrap_or(first);
    let lead = begins.saturating_sub(first);
    let late = run.recorder.late().saturating_sub(run.slow);
    let (seen, notes) = std::mem::take(&mut run.recorder).finish();
    let totals = run.summary.map(|summary| summary.totals);
    let cut = match totals {
        Some(totals) => begins_late(totals, lead, &seen, path, "ping")?,
        None => run.first.is_none() && begins > 1,
    };
    let tail = totals.map_or(0, |totals| totals.sent - lead - seen.len() as u64);
    // A log without its beginning does not show the packets before its first line.
    let lead = if cut { 0 } else { lead };
    charge(lead + tail)?;
    link.outcomes.push_run(false, usize::narrow(lead));
    seen.iter().for_each(|bit| link.outcomes.push(bit));
    link.outcomes.push_run(false, usize::narrow(tail));
    link.notes.push(
        "round trips: a packet is lost if the request or its reply was; replies have numbers, and \
         a number without a reply is a loss"
            .to_owned(),
    );
    if cut {
        link.notes.push(late_start(begins));
    }
    // A request may have two lines: unanswered when the next is sent, then unreachable.
    let put_right = |note: &String| !note.contains("arrived late") && !note.contains("duplicate");
    link.notes.extend(notes.into_iter().skip(1).filter(put_right));
    link.notes.extend(run.replies_noted(late));
    let (interval, notes) =
        run.clock.interval_by_numbers(Span::from_secs(1), run.stamp_step.step());
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

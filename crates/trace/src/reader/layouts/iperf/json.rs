//! The JSON of iperf3.

use std::path::Path;

use airtcp_units::Saturate;
use serde_json::Value;

use super::counts::{Count, Counts, MOST, POSSIBLE, rounded};
use super::text::Text;
use crate::error::{TraceError, excerpt};

/// Names of the totals of a test: of all, of what was received, of the other direction.
const TOTALS: [&str; 4] =
    ["sum_received", "sum", "sum_received_bidir_reverse", "sum_bidir_reverse"];

pub(super) fn of_json(document: &Value, path: &Path) -> Result<Counts, TraceError> {
    let mut counts = Counts::default();
    let server = &document["server_output_json"];
    for part in [document, server] {
        let intervals = part["intervals"].as_array();
        for (i, interval) in (1..).zip(intervals.into_iter().flatten()) {
            for stream in interval["streams"].as_array().into_iter().flatten() {
                let taken = stream_of(stream, &mut counts);
                taken.map_err(|found| wrong(path, &place(i, stream), found))?;
            }
        }
        if !counts.each.is_empty() {
            counts.said = said(&part["end"], &counts);
            break;
        }
    }
    if counts.each.is_empty() {
        // With --get-server-output, a server without -J sends the text of its log.
        let mut text = Text::default();
        let lines = document["server_output_text"].as_str().unwrap_or_default().lines();
        for (i, line) in (1..).zip(lines) {
            let place = || format!("line {i} of server_output_text");
            text.line(line).map_err(|(found, _)| wrong(path, &place(), found))?;
        }
        let of_sender = counts.of_sender;
        let start = &document["start"];
        // A client with -R receives, and so does a server without.
        let reverse = start["test_start"]["reverse"] == 1;
        let is_receiver = reverse != start["accepted_connection"].is_object();
        let said = said(&document["end"], &counts);
        counts = Counts { of_sender, is_receiver, said, ..text.counts() };
    }
    let error = document["error"].as_str().or_else(|| server["error"].as_str());
    counts.error = error.map(excerpt);
    counts.totals += u32::from(document["end"]["sum"]["packets"].is_u64());
    Ok(counts)
}

/// Takes one stream of an interval, or returns its error.
fn stream_of(stream: &Value, counts: &mut Counts) -> Result<(), String> {
    if stream["omitted"] == true {
        counts.omitted += 1;
        return Ok(());
    }
    let (lost, total) = (stream.get("lost_packets"), stream.get("packets"));
    let (Some(lost), Some(total), false) = (lost, total, stream["sender"] == true) else {
        // Streams of TCP do not count packets.
        counts.of_sender += u32::from(total.is_some());
        return Ok(());
    };
    let number = |name: &str, value: &Value| {
        whole(value).ok_or_else(|| format!("{name} = {}", excerpt_of(value)))
    };
    let (lost, packets) = (number("lost_packets", lost)?, number("packets", total)?);
    let total = u64::try_from(packets).map_err(|_| format!("packets = {packets}"))?;
    if lost > packets {
        return Err(format!("lost_packets = {lost} of {total} packets"));
    }
    let seconds = stream["seconds"].as_f64();
    let seconds = seconds.ok_or_else(|| format!("seconds = {}", excerpt_of(&stream["seconds"])))?;
    let from = stream["start"].as_f64().unwrap_or(0.0);
    let bytes = stream["bytes"].as_f64().is_some_and(|bytes| bytes > 0.0);
    let count = Count { from, seconds, lost, total, bytes };
    count.possible()?;
    counts.add(1, &stream["socket"].to_string(), count);
    Ok(())
}

/// A whole number.
fn whole(value: &Value) -> Option<i64> {
    let number = value.as_f64().filter(|n| n.fract() == 0.0 && n.abs() <= MOST as f64)?;
    Some(i64::saturate(number))
}

/// A value of the file, shortened for a message.
fn excerpt_of(value: &Value) -> String {
    let text = value.to_string();
    text.chars().take(40).collect()
}

/// The total of a test, lost and sent; if there are several, the one that the intervals add up to.
fn said(end: &Value, counts: &Counts) -> Option<(i64, u64)> {
    let all = || counts.each.values().flatten();
    let sum = (all().map(|c| c.lost).sum::<i64>(), all().map(|c| c.total).sum::<u64>());
    let total =
        |name: &&str| Some((end[name]["lost_packets"].as_i64()?, end[name]["packets"].as_u64()?));
    let totals: Vec<_> = TOTALS.iter().filter_map(total).collect();
    totals.iter().find(|total| **total == sum).or(totals.first()).copied()
}

fn place(i: usize, stream: &Value) -> String {
    match (stream["start"].as_f64(), stream["end"].as_f64()) {
        (Some(from), Some(to)) => {
            format!("interval {i} ({} s to {} s)", rounded(from), rounded(to))
        }
        _ => format!("interval {i}"),
    }
}

fn wrong(path: &Path, place: &str, found: String) -> TraceError {
    TraceError::Entry {
        path: path.display().to_string(),
        place: place.to_owned(),
        found,
        expected: POSSIBLE.to_owned(),
    }
}

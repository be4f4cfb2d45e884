//! Results of irtt (`irtt client -o FILE`, JSON): the outcome of each packet, in both directions.
//!
//! `round_trips` has `seqno` and `lost`: `false`, `true_up` (the request was lost), `true_down`
//! (the reply was lost), or `true` if the direction is not known. If the direction of nearly every
//! loss is known, there are two links, up (all packets) and down (the packets that arrived up).
//! Packets of unknown direction are left out and counted. Otherwise there is one link of round
//! trips. The interval is the configured one.

use airtcp_units::{Outcomes, Span};
use serde_json::Value;

use super::super::head::Head;
use super::super::input::Input;
use super::json_document::document;
use super::link::link;
use crate::error::TraceError;
use crate::reader::LinkTrace;

pub(super) const TAG: &str = "irtt";
pub(super) const DESCRIPTION: &str = "JSON of irtt (irtt client -o): one link up and one down, or one of round trips where the \
     server did not say which way packets were lost";

/// Least ratio of losses with a known direction to losses with an unknown one, for two links.
const MOSTLY: usize = 5;

pub(super) fn detect(head: &Head<'_>) -> bool {
    head.first().starts_with('{')
        && head.lines().take(200).any(|line| line.contains("\"irtt\""))
        && head.lines().take(200).any(|line| line.contains("\"json_format\""))
}

/// Number and outcome of each packet: "false" (received), "true", "true_up" or "true_down".
fn packets<'a>(document: &'a Value, input: &Input<'_>) -> Result<Vec<(u64, &'a str)>, TraceError> {
    let (path, budget) = (input.path, input.budget);
    let wrong = |place: String, expected: &str, found: &Value| TraceError::Entry {
        path: path.display().to_string(),
        place,
        found: found.to_string().chars().take(80).collect(),
        expected: expected.to_owned(),
    };
    let Some(trips) = document["round_trips"].as_array() else {
        return Err(wrong("round_trips".to_owned(), "a list of packets", &document["round_trips"]));
    };
    budget.packets(path, 2 * trips.len() as u64)?;
    budget.link(path)?;
    let mut packets: Vec<(u64, &str)> = Vec::with_capacity(trips.len());
    for (i, trip) in trips.iter().enumerate() {
        let (number, lost) = (trip["seqno"].as_u64(), trip["lost"].as_str());
        let Some((number, lost @ ("false" | "true" | "true_up" | "true_down"))) = number.zip(lost)
        else {
            let expected = "seqno, and lost as false, true, true_up or true_down";
            return Err(wrong(format!("round_trips[{i}]"), expected, trip));
        };
        packets.push((number, lost));
    }
    Ok(packets)
}

pub(super) fn read(_: &Head<'_>, mut input: Input<'_>) -> Result<Vec<LinkTrace>, TraceError> {
    let document = document(&mut input)?;
    let mut packets = packets(&document, &input)?;
    packets.sort_unstable();
    packets.dedup_by_key(|(number, _)| *number);
    let interval = document["config"]["params"]["interval"].as_u64().filter(|ns| *ns > 0).map(Span);
    let template = LinkTrace { interval, ..link(&input, TAG, None, Outcomes::new()) };
    let whole = |note: &str, name: &str, outcomes: Outcomes| LinkTrace {
        name: if name.is_empty() {
            template.name.clone()
        } else {
            format!("{}:{name}", template.name)
        },
        notes: vec![note.to_owned()],
        outcomes,
        ..template.clone()
    };
    // The last packets of a test are often such, because the server's report on them did not
    // arrive.
    let unknown = packets.iter().filter(|(_, lost)| *lost == "true").count();
    let known = packets.iter().filter(|(_, lost)| lost.starts_with("true_")).count();
    if unknown > 0 && known < MOSTLY * unknown {
        let outcomes = packets.iter().map(|(_, lost)| *lost == "false").collect();
        let note = "round trips: the server did not say whether requests or replies were lost";
        return Ok(vec![whole(note, "", outcomes)]);
    }
    input.budget.link(input.path)?;
    let left_out = (unknown > 0).then(|| {
        let number = packets.iter().find(|(_, lost)| *lost == "true").map_or(0, |(number, _)| *number);
        format!(
            "{unknown} of {} packets are left out (the first is number {number}): they were lost, and irtt \
             does not say on which way",
            packets.len()
        )
    });
    packets.retain(|(_, lost)| *lost != "true");
    let up = packets.iter().map(|(_, lost)| *lost != "true_up").collect();
    let came = packets.iter().filter(|(_, lost)| *lost != "true_up");
    let down: Outcomes = came.map(|(_, lost)| *lost != "true_down").collect();
    let mut links = vec![whole("requests, from client to server", "up", up)];
    if !down.is_empty() {
        let note = "replies, from server to client, to the requests that arrived";
        links.push(whole(note, "down", down));
    }
    for link in &mut links {
        link.notes.extend(left_out.clone());
    }
    Ok(links)
}

//! K7 connectivity files of low-power wireless test-beds: bursts of packets, counted.
//!
//! A JSON header line, a CSV header, then a row per (time, source, destination, channel):
//! `datetime,src,dst,channel,mean_rssi,pdr,tx_count`. One link per source, destination and channel;
//! its bursts are joined, each with its packets in random order (see `reader/order.rs`), although
//! hours may pass between two bursts.
//!
//! Two kinds of file. Test-bed runs (`interframe_duration` a number) sent `tx_count` probes a
//! burst. SmartMesh health reports (`type` names HRNEIGHBORS) count what the network itself sent in
//! the time before. They do not state whether two reports overlap; each is taken as a burst. Rows
//! without `tx_count` (pdr 0, no RSSI) do not show that a packet was sent and are left out.

use std::collections::BTreeMap;

use airtcp_units::{Outcomes, Saturate, Span};

use super::super::head::Head;
use super::super::input::Input;
use super::super::lines::Lines;
use super::super::notes::counted;
use super::super::order::{self, Shuffler};
use super::super::ratios::Ratios;
use super::link::link;
use crate::error::{TraceError, excerpt};
use crate::reader::LinkTrace;

pub(super) const TAG: &str = "k7";
pub(super) const DESCRIPTION: &str = "K7 connectivity file (JSON header, then datetime,src,dst,channel,mean_rssi,pdr,tx_count): \
     one link per source, destination and channel; order within a burst is not recorded and drawn at random";

const HEADER: &str = "datetime,src,dst,channel,mean_rssi,pdr,tx_count";
/// More packets than a burst can hold.
const MAX_BURST: f64 = 1e6;

pub(super) fn detect(head: &Head<'_>) -> bool {
    let mut lines = head.lines();
    lines.next().is_some_and(|line| line.trim_start().starts_with('{'))
        && lines.next().is_some_and(|line| line.trim() == HEADER)
}

#[derive(Default)]
struct Group {
    outcomes: Outcomes,
    bursts: u64,
    unsent: u64,
    shuffler: Option<Shuffler>,
}

pub(super) fn read(_: &Head<'_>, input: Input<'_>) -> Result<Vec<LinkTrace>, TraceError> {
    let (path, options, budget) = (input.path, input.options, input.budget);
    let template = link(&input, TAG, None, Outcomes::new());
    let mut lines = Lines::new(input);
    let parsed = lines.next()?.and_then(|line| serde_json::from_str(line).ok());
    let Some(header) = parsed else {
        return Err(lines.malformed("no JSON object", "the K7 header, a JSON object"));
    };
    if lines.next()?.map(str::trim) != Some(HEADER) {
        return Err(lines.malformed("another header", HEADER));
    }
    let mut groups: BTreeMap<(String, String, String), Group> = BTreeMap::new();
    let mut unsent = 0u64;
    let mut ratios = Ratios::default();
    while let Some(line) = lines.next()? {
        if line.trim().is_empty() {
            continue;
        }
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let &[_, src, dst, channel, _, pdr, tx_count] = cells.as_slice() else {
            let found = format!("{} cells", cells.len());
            return Err(lines.malformed(found, "7 cells, as in the header"));
        };
        let key = (src.to_owned(), dst.to_owned(), channel.to_owned());
        if !groups.contains_key(&key) {
            budget.link(path)?;
            budget.names(path, src.len() + dst.len() + channel.len())?;
        }
        let group = groups.entry(key).or_default();
        if tx_count.is_empty() {
            group.unsent += 1;
            unsent += 1;
            continue;
        }
        let Some((sent, delivered)) = burst(pdr, tx_count) else {
            let found = format!("pdr {} and tx_count {}", excerpt(pdr), excerpt(tx_count));
            return Err(lines.malformed(found, "a pdr from 0 to 1 and a whole number of packets"));
        };
        ratios.add(pdr.parse().unwrap_or(0.0));
        budget.packets(path, sent)?;
        let shuffler = group.shuffler.get_or_insert_with(|| {
            Shuffler::new(options.order_seed, &format!("{src}>{dst}@{channel}"))
        });
        shuffler.append(&mut group.outcomes, sent, delivered);
        group.bursts += 1;
    }
    let links = links(groups, &header, &template, ratios.note("pdr").as_ref());
    if links.is_empty() && unsent > 0 {
        let found = "no row has a tx_count";
        return Err(TraceError::Empty { path: path.display().to_string(), found });
    }
    Ok(links)
}

/// The links of a file: each source, destination and channel that sent.
fn links(
    groups: BTreeMap<(String, String, String), Group>,
    header: &serde_json::Value,
    template: &LinkTrace,
    of_ratios: Option<&String>,
) -> Vec<LinkTrace> {
    let reports = header["type"].as_str().is_some_and(|t| t.contains("HRNEIGHBORS"));
    let interval = header["interframe_duration"]
        .as_f64()
        .filter(|ms| *ms > 0.0 && !reports)
        .map(|ms| Span::from_secs_f64(ms / 1e3));
    let location = header["location"].as_str().unwrap_or_default();
    let mut links = Vec::new();
    for ((src, dst, channel), group) in groups {
        if group.outcomes.is_empty() {
            continue;
        }
        let at = if channel.is_empty() { String::new() } else { format!("@ch{channel}") };
        let mut notes = order_notes(reports, group.bursts);
        notes.extend(of_ratios.cloned());
        if group.unsent > 0 {
            notes.push(format!(
                "{} without tx_count left out",
                counted(group.unsent, ("row", "rows"))
            ));
        }
        let mut labels = BTreeMap::from([
            ("src".to_owned(), src.clone()),
            ("dst".to_owned(), dst.clone()),
            ("bursts".to_owned(), group.bursts.to_string()),
        ]);
        for (key, value) in [("channel", channel.as_str()), ("location", location)] {
            if !value.is_empty() {
                labels.insert(key.to_owned(), value.chars().take(100).collect());
            }
        }
        links.push(LinkTrace {
            name: format!("{}:{src}>{dst}{at}", template.name),
            outcomes: group.outcomes,
            interval,
            order_known: false,
            notes,
            labels,
            ..template.clone()
        });
    }
    links
}

/// The notes that the order is drawn, and how bursts or reports follow each other.
fn order_notes(reports: bool, bursts: u64) -> Vec<String> {
    if reports {
        let overlap =
            "neighbour reports of a running network: whether two reports overlap is not stated";
        return vec![order::note("report"), overlap.to_owned()];
    }
    let apart = format!("{bursts} bursts put one after the other; minutes may lie between two");
    vec![order::note("burst"), apart]
}

/// Packets sent and delivered: `pdr` was computed from whole numbers, so rounding recovers them.
fn burst(pdr: &str, tx_count: &str) -> Option<(u64, u64)> {
    let pdr = pdr.parse::<f64>().ok().filter(|p| (0.0..=1.0).contains(p))?;
    let sent = tx_count.parse::<f64>().ok().filter(|n| (0.0..=MAX_BURST).contains(n))?;
    Some((u64::saturate(sent), u64::saturate(pdr * sent + 0.5)))
}

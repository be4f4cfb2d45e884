//! ENS Lyon's 802.11ac measurements: averages over 100 ms of a saturated UDP stream.
//!
//! A row has `nbpkt_ack` frames acknowledged in Block ACKs and `pktlost_ack` frames reported
//! missing by them. Each row becomes that many outcomes in random order (see `reader/order.rs`).
//! Rows with an impossible mcs (not a number from 0 to 9) are garbage; rows with empty counts saw
//! acknowledgements only. Both are left out and counted.

use std::path::Path;

use airtcp_units::{Outcomes, Saturate, Span};

use super::super::head::Head;
use super::super::input::Input;
use super::super::lines::Lines;
use super::super::notes::counted;
use super::super::order::{self, Shuffler};
use super::link::link;
use crate::error::TraceError;
use crate::reader::LinkTrace;

pub(super) const TAG: &str = "enslyon-80211ac";
pub(super) const DESCRIPTION: &str = "ENS Lyon 802.11ac table (time, mcs, ..., pktlost_ack, nbpkt_ack): frames acknowledged \
     and lost per 100 ms; order within a row is not recorded and drawn at random";

/// Length of a row.
const ROW: Span = Span::from_millis(100);
/// Highest 802.11ac index.
const MAX_MCS: f64 = 9.0;
/// More frames than 100 ms can hold.
const MAX_FRAMES: f64 = 1e5;

pub(super) fn detect(head: &Head<'_>) -> bool {
    let header: Vec<&str> = head.first().split('\t').collect();
    ["time", "mcs", "pktlost_ack", "nbpkt_ack"].iter().all(|name| column(&header, name).is_some())
}

pub(super) fn read(head: &Head<'_>, input: Input<'_>) -> Result<Vec<LinkTrace>, TraceError> {
    let header: Vec<&str> = head.first().split('\t').collect();
    let (path, options, budget) = (input.path, input.options, input.budget);
    let mut link = link(&input, TAG, None, Outcomes::new());
    let mut lines = Lines::new(input);
    let at = |name| column(&header, name);
    let (Some(mcs), Some(lost), Some(acked)) = (at("mcs"), at("pktlost_ack"), at("nbpkt_ack"))
    else {
        lines.next()?;
        return Err(lines.malformed("another header", "columns mcs, pktlost_ack and nbpkt_ack"));
    };
    let mut groups: Vec<[u64; 2]> = Vec::new();
    let (mut impossible, mut empty) = (0u64, 0u64);
    lines.next()?;
    while let Some(line) = lines.next()? {
        if line.trim().is_empty() {
            continue;
        }
        let cells: Vec<&str> = line.split('\t').map(str::trim).collect();
        if cells.len() != header.len() {
            let found = format!("{} cells", cells.len());
            return Err(lines.malformed(found, &format!("{}, as in the header", header.len())));
        }
        if cells[lost].is_empty() || cells[acked].is_empty() {
            empty += 1;
            continue;
        }
        let counts = within(cells[lost], MAX_FRAMES).zip(within(cells[acked], MAX_FRAMES));
        // An empty mcs means that no data frame was overheard: the counts stand.
        let plausible = cells[mcs].is_empty() || within(cells[mcs], MAX_MCS).is_some();
        let Some((lost, acked)) = counts.filter(|_| plausible) else {
            impossible += 1;
            continue;
        };
        let sent = u64::saturate(lost + acked + 0.5);
        budget.packets(path, sent)?;
        groups.push([sent, u64::saturate(acked + 0.5)]);
    }
    let mut shuffler = Shuffler::of_counts(options.order_seed, groups.iter().copied());
    for &[sent, delivered] in &groups {
        shuffler.append(&mut link.outcomes, sent, delivered);
    }
    if link.outcomes.is_empty() {
        let found = "no row has a frame acknowledged or missing in Block ACKs";
        return Err(TraceError::Empty { path: path.display().to_string(), found });
    }
    budget.link(path)?;
    describe(&mut link, path, [groups.len() as u64, impossible, empty]);
    Ok(vec![link])
}

/// A number from 0 to `most`.
fn within(cell: &str, most: f64) -> Option<f64> {
    cell.parse::<f64>().ok().filter(|x| (0.0..=most).contains(x))
}

/// Interval, notes and labels, from the rows taken, those with impossible values and those without any.
fn describe(link: &mut LinkTrace, path: &Path, [rows, impossible, empty]: [u64; 3]) {
    let packets = link.outcomes.len() as f64;
    link.interval = Some(Span::from_secs_f64(ROW.as_secs_f64() * rows as f64 / packets));
    link.order_known = false;
    link.notes = vec![
        order::note("row of 100 ms"),
        "the interval is a mean: frames are not evenly spaced".to_owned(),
    ];
    for (count, what) in
        [(impossible, "with impossible values left out"), (empty, "without counts left out")]
    {
        if count > 0 {
            link.notes.push(format!("{} {what}", counted(count, ("row", "rows"))));
        }
    }
    link.labels.insert("rows".to_owned(), rows.to_string());
    if let Some(place) = path.parent().and_then(|p| p.file_name()) {
        link.labels.insert("place".to_owned(), place.to_string_lossy().into_owned());
    }
}

/// The column named `name` of a header line.
fn column(header: &[&str], name: &str) -> Option<usize> {
    header.iter().position(|cell| cell.trim() == name)
}

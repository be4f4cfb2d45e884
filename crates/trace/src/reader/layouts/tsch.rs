//! TU Munich's 802.15.4e TSCH logs: every packet that reached the root of a multihop network.
//!
//! A line is `[38 integers]<TAB>h:mm:ss.ffffff`. Bytes, from 1: 2-6 slot number (ASN) of the last
//! hop, 7-11 of the first, 12-13 sequence number (little endian), then from 15 groups of four per
//! hop: address, retransmission field, channel, RSSI. The source is the first hop's address. Loss
//! is end to end: gaps in the numbers of one source, ordered by first ASN, which undoes the
//! reordering of the mesh. A fall of the number is a restart of the source. The losses at a restart
//! are unknown, and the parts are joined. Records with a channel that does not exist (outside
//! 11..26) are corrupt and left out.

use std::collections::BTreeMap;

use airtcp_units::{Narrow, Outcomes, Saturate, Span};

use super::super::head::Head;
use super::super::input::Input;
use super::super::lines::Lines;
use super::super::notes::counted;
use super::link::link;
use crate::error::{TraceError, excerpt};
use crate::reader::LinkTrace;

pub(super) const TAG: &str = "tum-tsch";
pub(super) const DESCRIPTION: &str = "TSCH root log ([38 integers] and a time): end-to-end delivery of each source from the \
     gaps in its sequence numbers, ordered by first slot number; restarts are joined";

/// Integers in a record.
const FIELDS: usize = 38;
/// Index of the first hop, and the integers of each hop.
const HOPS: usize = 14;
const HOP: usize = 4;
/// 2.4 GHz channels of 802.15.4.
const CHANNELS: std::ops::RangeInclusive<u64> = 11..=26;
/// Most records kept for sorting (24 bytes each).
const MAX_RECORDS: u64 = 1 << 23;
/// A number this close to 2^16, followed by one this small, has wrapped.
const NEAR_WRAP: u64 = 1000;

pub(super) fn detect(head: &Head<'_>) -> bool {
    head.lines().next().is_some_and(|line| fields(line).is_some())
}

/// The integers of a line and its time in microseconds.
fn fields(line: &str) -> Option<([u64; FIELDS], u64)> {
    let (list, time) = line.strip_prefix('[')?.split_once(']')?;
    let mut out = [0; FIELDS];
    let mut words = list.split(',');
    for field in &mut out {
        *field = words.next()?.trim().parse().ok().filter(|n| *n < 256)?;
    }
    (words.next().is_none()).then_some((out, clock(time.trim())?))
}

/// `h:mm:ss.ffffff`, or `d day(s), ` before it, as Python prints a duration.
fn clock(text: &str) -> Option<u64> {
    let (days, text) = match text.split_once(", ") {
        Some((days, rest)) => (days.split_whitespace().next()?.parse::<u64>().ok()?, rest),
        None => (0, text),
    };
    let mut parts = text.split(':');
    let hours = parts.next()?.parse::<u64>().ok()?;
    let minutes = parts.next()?.parse::<u64>().ok()?;
    let seconds = parts.next()?.parse::<f64>().ok().filter(|s| (0.0..=60.0).contains(s))?;
    let whole = days.checked_mul(24)?.checked_add(hours)?.checked_mul(60)?.checked_add(minutes)?;
    (whole < 1 << 32 && parts.next().is_none())
        .then(|| whole * 60_000_000 + u64::saturate(seconds * 1e6 + 0.5))
}

fn asn(bytes: &[u64]) -> u64 {
    bytes.iter().rev().fold(0, |sum, byte| sum << 8 | byte)
}

pub(super) fn read(_: &Head<'_>, input: Input<'_>) -> Result<Vec<LinkTrace>, TraceError> {
    let (path, budget) = (input.path, input.budget);
    let template = link(&input, TAG, None, Outcomes::new());
    let mut lines = Lines::new(input);
    let mut sources: BTreeMap<u64, Vec<(u64, u64)>> = BTreeMap::new();
    let (mut records, mut corrupt) = (0u64, 0u64);
    // Slot number and time of the first and the last record, which give the length of a slot.
    let (mut begin, mut end) = (None, None);
    while let Some(line) = lines.next()? {
        if line.trim().is_empty() {
            continue;
        }
        let Some((bytes, time)) = fields(line) else {
            let found = excerpt(line);
            return Err(lines.malformed(found, "38 integers below 256 in brackets and a time"));
        };
        records += 1;
        if records > MAX_RECORDS {
            let (limit, what) = (MAX_RECORDS, "records");
            return Err(TraceError::TooLarge { path: path.display().to_string(), limit, what });
        }
        let hops = bytes[HOPS..].chunks_exact(HOP).take_while(|hop| hop[0] != 0);
        if bytes[HOPS] == 0 || hops.clone().any(|hop| !CHANNELS.contains(&hop[2])) {
            corrupt += 1;
            continue;
        }
        let stamp = (asn(&bytes[1..6]), time);
        begin = begin.or(Some(stamp));
        end = Some(stamp);
        let number = bytes[11] | bytes[12] << 8;
        sources.entry(bytes[HOPS]).or_default().push((asn(&bytes[6..11]), number));
    }
    let slot = match (begin, end) {
        (Some((a0, t0)), Some((a1, t1))) if a1 > a0 && t1 > t0 => {
            Some((t1 - t0) as f64 * 1e-6 / (a1 - a0) as f64)
        }
        _ => None,
    };
    let mut links = Vec::new();
    for (source, seen) in sources {
        budget.link(path)?;
        let mut link =
            LinkTrace { name: format!("{}:source{source}", template.name), ..template.clone() };
        let period = assemble(&mut link, seen, |n| budget.packets(path, n))?;
        link.interval = slot.zip(period).map(|(slot, period)| Span::from_secs_f64(slot * period));
        link.labels.insert("source".to_owned(), source.to_string());
        link.notes.insert(0, "end to end over several hops, with link-layer retries".to_owned());
        if corrupt > 0 {
            link.notes.push(format!(
                "{} in the file left out",
                counted(corrupt, ("corrupt record", "corrupt records"))
            ));
        }
        links.push(link);
    }
    Ok(links)
}

/// Fills in the outcomes of one source. Returns the median number of slots between packets.
fn assemble(
    link: &mut LinkTrace,
    mut seen: Vec<(u64, u64)>,
    mut charge: impl FnMut(u64) -> Result<(), TraceError>,
) -> Result<Option<f64>, TraceError> {
    let all = seen.len();
    seen.sort_unstable();
    seen.dedup();
    let (mut duplicates, mut restarts) = (all - seen.len(), 0u64);
    let mut periods = Vec::new();
    let mut previous: Option<(u64, u64)> = None;
    for (asn, number) in seen {
        let steps = match previous {
            None => 1,
            Some((_, before)) if number == before => {
                duplicates += 1;
                continue;
            }
            Some((then, before)) if number > before => {
                periods.push((asn - then) as f64 / (number - before) as f64);
                number - before
            }
            Some((_, before)) if before > 0xffff - NEAR_WRAP && number < NEAR_WRAP => {
                number + 0x1_0000 - before
            }
            Some(_) => {
                restarts += 1;
                1
            }
        };
        charge(steps)?;
        link.outcomes.push_run(false, usize::narrow(steps - 1));
        link.outcomes.push(true);
        previous = Some((asn, number));
    }
    if duplicates > 0 {
        link.notes.push(counted(duplicates, ("duplicate ignored", "duplicates ignored")));
    }
    if restarts > 0 {
        link.notes.push(format!(
            "{} of the sequence numbers; the parts are joined, losses between them are not known",
            counted(restarts, ("restart", "restarts"))
        ));
    }
    periods.sort_by(f64::total_cmp);
    Ok(periods.get(periods.len() / 2).copied())
}

//! CSV, TSV and blank-separated tables: one packet a row.
//!
//! A column holds outcomes (0/1, true/false, received/lost, ...), or receive times or delays (a
//! blank is a loss), or the sequence numbers of the packets that came (gaps are losses).
//! `table/guess.rs` decides which, from the header's names, the options, or the first rows, and
//! `table/watch.rs` refuses what is not certain. A column of time stamps gives the interval, as the
//! median gap over the first 65,536 rows. Columns named `link`, `src`, `dst`, `tx`, `rx`, ... split
//! the rows into links. Where numbers repeat, `table/split.rs` finds the column that does.

mod columns;
mod dates;
mod delimiter;
mod early;
mod group;
mod guess;
mod markers;
mod minus;
mod moments;
mod names;
mod places;
mod rising;
mod settle;
mod sorted;
mod split;
mod spread;
mod times;
mod timing;
mod twins;
mod unread;
mod watch;

use std::path::Path;

use airtcp_units::Outcomes;

use super::super::head::Head;
use super::super::lines::Lines;
use super::super::notes::counted;
use super::super::open::{Budget, Input};
use super::link;
use crate::error::{TraceError, excerpt};
use crate::reader::{ColumnKind, LinkTrace};
use columns::Plan;
pub(super) use early::said as early_said;
use group::Group;
use names::Arrival;
pub(super) use names::unit_of;
use split::{Groups, Split};
pub(super) use times::{Stamp, beyond_reason, since_1970, unit_by_size};
use unread::Unread;
use watch::Watch;

pub(super) const TAG: &str = "table";
pub(super) const DESCRIPTION: &str = "CSV, TSV or blank-separated table, one packet a row: a column of outcomes (received, \
     outcome, success, delivered, ok; or lost, dropped), of receive times or delays with blanks for \
     lost packets (recv_time_s, rtt_ms), or of received sequence numbers (seq), optionally time \
     stamps (time_s, t_ms, timestamp_us) and link, src, dst, tx or rx";

/// Of the packets that a reader may take, one in so many may have its time kept, which takes 16 bytes.
const PER_MOMENT: u64 = 64;

/// The fallback: it says what is wrong.
pub(super) fn detect(_: &Head<'_>) -> bool {
    true
}

/// True if the columns of what begins so are known.
pub(super) fn is_certain(head: &Head<'_>) -> bool {
    Plan::of(head, &crate::reader::ReadOptions::default()).is_ok()
}

pub(super) fn read(head: &Head<'_>, input: Input<'_>) -> Result<Vec<LinkTrace>, TraceError> {
    let mut plan = Plan::of(head, input.options)?;
    let (path, options, budget) = (input.path, input.options, input.budget);
    let template = link(&input, TAG, None, Outcomes::new());
    let mut lines = Lines::new(input);
    let mut groups = Groups::new();
    let mut watch = Watch::new(&plan);
    let mut unread = Unread::new(&plan);
    let mut split = Split::new(&plan);
    let mut header = plan.header;
    let mut empty = 0;
    // Rows whose times are kept, over all links.
    let mut room = options.max_packets / PER_MOMENT;
    while let Some(line) = lines.next()? {
        if line.trim_start().starts_with('#') || columns::is_separator(line) {
            continue;
        }
        if line.trim().is_empty() {
            // In a single column of arrivals a blank cell is an empty line.
            empty +=
                u64::from(plan.columns.len() == 1 && plan.kind == ColumnKind::Arrival && !header);
            continue;
        }
        if std::mem::take(&mut header) {
            continue;
        }
        if empty > 0 {
            budget.packets(path, empty)?;
            groups.entry(Vec::new()).or_default().lose(std::mem::take(&mut empty));
        }
        let cells = plan.delimiter.split(line);
        if cells.len() != plan.columns.len() {
            let found = format!("{} cells in {}", cells.len(), excerpt(line));
            return Err(lines.malformed(found, &format!("{}, as above", plan.columns.len())));
        }
        let key: Vec<String> = plan.keys.iter().map(|&i| shorten(&cells[i])).collect();
        if !groups.contains_key(&key) {
            budget.link(path)?;
            budget.names(path, key.iter().map(String::len).sum())?;
        }
        split.row(&plan, &cells, &key, &groups, options);
        let group = groups.entry(key).or_default();
        let steps = match group.packet(&plan, &cells, options.max_gap) {
            Ok(steps) => steps,
            Err((found, expected)) => {
                let line = group.apart.filter(|_| group.is_strided).unwrap_or(lines.number());
                return Err(lines.malformed_at(line, found, &expected));
            }
        };
        if steps > 1 && group.apart.is_none() {
            group.apart = Some(lines.number());
        }
        if let (Some((found, expected)), None) = (&group.fall, &group.fall_error) {
            group.fall_error = Some(lines.malformed(found.clone(), expected));
        }
        group.moment(&plan, &cells, &mut room);
        watch.row(&plan, &cells);
        unread.row(&plan, &cells);
        // Outcomes are charged after they are taken: a gap is bounded by `max_gap`.
        budget.packets(path, steps)?;
        if let Some(time) = &plan.time {
            let cell = &cells[time.column];
            let stamp = Stamp::of(cell);
            if stamp.is_none() && names::arrival(cell) == Arrival::Unclear {
                let found = excerpt(cell);
                return Err(lines.malformed(found, "a time stamp, a number or a date"));
            }
            group.stamp(stamp, steps);
        }
    }
    if groups.is_empty() && plan.total.is_some() {
        groups.insert(Vec::new(), Group::default());
    }
    if let Some(group) = groups.values_mut().next().filter(|group| empty > 0 && group.blank > 0) {
        budget.packets(path, empty)?;
        group.lose(empty);
    }
    if let Some(column) = tell_apart(&mut plan, split, &mut groups, budget, path)? {
        watch.leave(column);
        unread.leave(column);
    }
    for group in groups.values_mut() {
        let shown = path.display().to_string();
        group.settle(&plan, &shown, options, |grown| budget.packets(path, grown))?;
    }
    watch.certain(&plan, path, &groups)?;
    unread.certain(&plan, path)?;
    plan.unread = unread.named(&plan);
    groups
        .into_iter()
        .map(|(key, group)| {
            finish(&plan, &template, key, group, (head, options.max_gap), |n| {
                budget.packets(path, n)
            })
        })
        .collect()
}

/// Splits the links that no column of a known name tells apart; gives back the column that does.
fn tell_apart(
    plan: &mut Plan,
    split: Split,
    groups: &mut Groups,
    budget: &Budget,
    path: &Path,
) -> Result<Option<usize>, TraceError> {
    let Some((column, links)) = split.found(plan, groups) else { return Ok(None) };
    if let Some(problem) = split::events(plan, column, &links) {
        return Err(plan.question(path, problem));
    }
    for key in links.keys() {
        budget.link(path)?;
        budget.names(path, key.iter().map(String::len).sum())?;
    }
    *groups = links;
    plan.tell_apart(column, groups.len());
    Ok(Some(column))
}

fn finish(
    plan: &Plan,
    template: &LinkTrace,
    key: Vec<String>,
    mut group: Group,
    (head, max_gap): (&Head<'_>, u64),
    charge: impl FnOnce(u64) -> Result<(), TraceError>,
) -> Result<LinkTrace, TraceError> {
    let mut link = template.clone();
    link.notes = vec![plan.taken(group.rows, group.blank, group.by_time)];
    link.notes.extend(plan.notes.iter().cloned());
    let (interval, times) = match &plan.time {
        Some(time) => group.interval(time.unit),
        None => (None, Vec::new()),
    };
    if group.minus_one > 0 {
        let rows = counted(group.minus_one, ("row holds", "rows hold"));
        link.notes.push(format!("{rows} -1, which is taken for lost"));
    }
    if group.zeros > 0 {
        let rows = counted(group.zeros, ("row holds", "rows hold"));
        link.notes.push(format!("{rows} a receive time of 0, which is taken for lost"));
    }
    link.notes.extend(group.early.note(plan));
    link.notes.append(&mut group.order);
    if group.breaks > 0 {
        link.notes.push(format!(
            "{} the sequence number is not the next one; rows are taken in their order",
            counted(group.breaks, ("time", "times"))
        ));
    }
    if matches!(plan.kind, ColumnKind::Received | ColumnKind::Lost) {
        link.notes.extend(group.unlisted());
        link.notes.extend(group.all_received(plan));
    }
    let (stride, missing) = (group.recorder.stride(), group.recorder.missing());
    link.outcomes = match (plan.kind, plan.sequence) {
        (ColumnKind::Sequence, _) => {
            let (mut outcomes, mut notes) = group.recorder.finish();
            if let Some(total) = plan.total {
                // Our own writer says how many were sent, so losses at both ends are known.
                let (lead, sent) = total.around(outcomes.len() as u64);
                let tail = sent.saturating_sub(lead).saturating_sub(outcomes.len() as u64);
                if lead.max(tail) > max_gap {
                    return Err(TraceError::Malformed {
                        path: link.source.path.display().to_string(),
                        line: 1,
                        found: format!("a comment that adds {} losses at an end", lead.max(tail)),
                        expected: format!(
                            "a gap of at most {max_gap} (set the environment variable {} higher)",
                            super::super::limits::VARIABLE
                        ),
                    });
                }
                charge(sent - outcomes.len() as u64)?;
                let mut whole = Outcomes::new();
                whole.push_run(false, lead as usize);
                outcomes.iter().for_each(|bit| whole.push(bit));
                whole.push_run(false, sent as usize - whole.len());
                outcomes = whole;
                "losses are gaps in the received sequence numbers".clone_into(&mut notes[0]);
            }
            link.notes.extend(notes);
            outcomes
        }
        (ColumnKind::Arrival, Some(_)) if stride.is_none() => {
            let (outcomes, notes) = group.recorder.finish();
            link.notes.extend(notes.into_iter().skip(1));
            if missing > 0 {
                link.notes.push(counted(
                    missing,
                    (
                        "number has no row and is taken for lost",
                        "numbers have no row and are taken for lost",
                    ),
                ));
            }
            outcomes
        }
        _ => group.outcomes,
    };
    link.notes.extend(times);
    link.interval = interval.or(head.interval());
    if !key.is_empty() {
        link.name = format!("{}:{}", link.name, key.join(">"));
        let names = plan.keys.iter().map(|&i| plan.columns[i].clone());
        link.labels = names.zip(key).collect();
    }
    Ok(link)
}

/// A number of seconds in billionths of one, for other logs with time stamps.
pub(super) fn seconds(cell: &str) -> Option<i128> {
    match Stamp::of(cell)? {
        Stamp::Number(value) => Some(value),
        Stamp::Date(_) | Stamp::TimeOfDay(_) => None,
    }
}

/// Characters of a cell that names a link.
const LONGEST_KEY: usize = 100;

/// A cell short enough for a name. Two that differ stay different: one that is cut ends in a hash of
/// all of it (FNV-1a).
fn shorten(cell: &str) -> String {
    if cell.chars().nth(LONGEST_KEY).is_none() {
        return cell.to_owned();
    }
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = cell.as_bytes().iter().fold(0xcbf2_9ce4_8422_2325, step);
    let kept: String = cell.chars().take(LONGEST_KEY - 17).collect();
    format!("{kept}~{hash:016x}")
}

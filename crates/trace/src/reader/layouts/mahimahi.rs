//! Link traces of mahimahi and pantheon: when a packet *may* cross a cellular link.
//!
//! Each line is a millisecond in which one 1500-byte packet can leave; it stands more than once
//! if more can. These are opportunities of a saturated link, not losses: what misses one waits.
//! Our reading: one outcome a millisecond, "is there an opportunity", from millisecond 0 to the
//! last one named. That keeps the outages and their lengths; a second opportunity in the same
//! millisecond is lost, and counted in a note.

use airtcp_units::{Outcomes, Span};

use super::super::head::Head;
use super::super::lines::Lines;
use super::super::open::Input;
use super::link;
use crate::error::{TraceError, excerpt};
use crate::reader::LinkTrace;

pub(super) const TAG: &str = "mahimahi";
pub(super) const DESCRIPTION: &str = "mahimahi link trace: one millisecond a line in which a packet may cross; \
     read as one outcome a millisecond, 1 if there is an opportunity (not a record of losses)";

/// One whole number a line, never falling, some repeated; and a name that says so, or repeats
/// that no list of received sequence numbers would have.
pub(super) fn detect(head: &Head<'_>) -> bool {
    let (mut lines, mut repeats, mut previous) = (0u64, 0u64, None);
    for (_, line) in head.content() {
        let Ok(ms) = line.parse::<u64>() else { return false };
        lines += 1;
        match previous {
            Some(before) if ms < before => return false,
            Some(before) => repeats += u64::from(ms == before),
            None => {}
        }
        previous = Some(ms);
    }
    let named = [".up", ".down", ".trace"].iter().any(|ending| head.name.ends_with(ending));
    repeats > 0 && (named || repeats * 10 >= lines)
}

pub(super) fn read(_: &Head<'_>, input: Input<'_>) -> Result<Vec<LinkTrace>, TraceError> {
    let (path, options, budget) = (input.path, input.options, input.budget);
    let mut link = link(&input, TAG, None, Outcomes::new());
    let mut lines = Lines::new(input);
    let (mut opportunities, mut shared) = (0u64, 0u64);
    while let Some(line) = lines.next()? {
        let line = super::super::head::without_comment(line);
        if line.is_empty() {
            continue;
        }
        let next = link.outcomes.len() as u64;
        let expected = "a millisecond, a whole number not below the one before";
        let ms = match line.parse::<u64>() {
            Ok(ms) if ms < u64::MAX && ms + 1 >= next => ms,
            _ => {
                let found = excerpt(line);
                return Err(lines.malformed(found, expected));
            }
        };
        opportunities += 1;
        if ms + 1 == next {
            shared += 1;
            continue;
        }
        let gap = ms - next;
        if gap > options.max_gap {
            let found = format!("{ms}, {gap} ms after the one before");
            return Err(lines.malformed(found, &format!("a gap of at most {}", options.max_gap)));
        }
        budget.packets(path, gap + 1)?;
        link.outcomes.push_run(false, gap as usize);
        link.outcomes.push(true);
    }
    budget.link(path)?;
    link.interval = Some(Span::from_millis(1));
    link.labels.insert("opportunities".to_owned(), opportunities.to_string());
    link.notes = vec![
        "delivery opportunities of a saturated link, one slot a millisecond, not losses: a packet \
         that finds none would wait"
            .to_owned(),
        format!(
            "{shared} of {opportunities} opportunities share a millisecond with another and are \
             not seen"
        ),
    ];
    Ok(vec![link])
}

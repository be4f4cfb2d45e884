//! Link traces of mahimahi and pantheon: when packets *may* cross a cellular link.
//!
//! Each line is a millisecond in which up to 1504 bytes can leave (the payload of mahimahi's
//! tunnel, `LinkQueue::PACKET_SIZE`); it is repeated if more bytes can leave. These are the
//! opportunities of a saturated link: its capacity over time without losses, since a packet that
//! misses an opportunity waits. The last line is the period after which mahimahi repeats the file.

use std::sync::Arc;

use airtcp_units::{Capacity, Outcomes, Span};

use super::super::head::Head;
use super::super::input::Input;
use super::super::lines::Lines;
use super::link::link;
use crate::error::{TraceError, excerpt};
use crate::reader::LinkTrace;

pub(super) const TAG: &str = "mahimahi";
pub(super) const DESCRIPTION: &str = "mahimahi link trace: one millisecond a line in which 1504 bytes may leave; \
     the capacity of a link over time, not a record of losses";

/// Bytes that leave at one opportunity.
const OPPORTUNITY: u64 = 1504;

/// Packets of the reader's limit that an opportunity takes, because its time is kept.
const WORTH: u64 = 8;

/// True for one whole number per line, never falling, with a name of mahimahi's, or with more
/// repeats than a list of received sequence numbers has. A slow link has at most one opportunity in
/// a millisecond and no repeats.
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
    let named = is_named(head);
    (named && lines > 1) || (repeats > 0 && repeats * 10 >= lines)
}

/// True if the file has a name like mahimahi's own files.
fn is_named(head: &Head<'_>) -> bool {
    [".up", ".down", ".trace"].iter().any(|ending| head.name.ends_with(ending))
}

pub(super) fn read(_: &Head<'_>, input: Input<'_>) -> Result<Vec<LinkTrace>, TraceError> {
    let (path, budget) = (input.path, input.budget);
    let mut link = link(&input, TAG, None, Outcomes::new());
    let mut lines = Lines::new(input);
    let mut at: Vec<Span> = Vec::new();
    while let Some(line) = lines.next()? {
        let line = super::super::head::without_comment(line);
        if line.is_empty() {
            continue;
        }
        let before = at.last().map_or(0, |span| span.0 / 1_000_000);
        let ms = match line.parse::<u64>() {
            Ok(ms) if (before..=u64::MAX / 4_000_000).contains(&ms) => ms,
            _ => {
                let expected = "a millisecond, a whole number not below the one before";
                let found = excerpt(line);
                return Err(lines.malformed(found, expected));
            }
        };
        budget.packets(path, WORTH)?;
        at.push(Span::from_millis(ms));
    }
    budget.link(path)?;
    let Some(capacity) = Capacity::opportunities(at, OPPORTUNITY) else {
        return Err(TraceError::Empty {
            path: path.display().to_string(),
            found: "no opportunity after millisecond 0",
        });
    };
    link.capacity = Some(Arc::new(capacity));
    link.notes = vec![
        "delivery opportunities of a saturated link: its capacity over time, not its losses"
            .to_owned(),
    ];
    Ok(vec![link])
}

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
mod finish;
mod group;
mod guess;
mod markers;
mod minus;
mod moments;
mod names;
mod places;
mod rising;
mod rows;
mod settle;
mod short;
mod sorted;
mod split;
mod spread;
mod times;
mod timing;
mod twins;
mod unread;
mod watch;

use airtcp_units::Outcomes;

use super::super::head::Head;
use super::super::input::Input;
use super::super::lines::Lines;
use super::link::link;
use crate::error::{TraceError, excerpt};
use crate::reader::LinkTrace;
use columns::Plan;
pub(super) use early::said as early_said;
pub(super) use names::unit_of;
use rows::Rows;
pub(super) use times::{Stamp, beyond_reason, since_1970, unit_by_size};

pub(super) const TAG: &str = "table";
pub(super) const DESCRIPTION: &str = "CSV, TSV or blank-separated table, one packet a row: a column of outcomes (received, \
     outcome, success, delivered, ok; or lost, dropped), of receive times or delays with blanks for \
     lost packets (recv_time_s, rtt_ms), or of received sequence numbers (seq), optionally time \
     stamps (time_s, t_ms, timestamp_us) and link, src, dst, tx or rx";

/// The fallback: it says what is wrong.
pub(super) fn detect(_: &Head<'_>) -> bool {
    true
}

/// True if the columns of what begins so are known.
pub(super) fn is_certain(head: &Head<'_>) -> bool {
    Plan::of(head, &crate::reader::ReadOptions::default()).is_ok()
}

pub(super) fn read(head: &Head<'_>, input: Input<'_>) -> Result<Vec<LinkTrace>, TraceError> {
    let plan = Plan::of(head, input.options)?;
    let template = link(&input, TAG, None, Outcomes::new());
    let mut rows = Rows::new(plan, &input);
    let mut lines = Lines::new(input);
    let mut header = rows.plan.header;
    while let Some(line) = lines.next()? {
        if line.trim_start().starts_with('#') || columns::is_separator(line) {
            continue;
        }
        if line.trim().is_empty() {
            rows.blank(header);
        } else if !std::mem::take(&mut header) {
            rows.charge_blanks()?;
            let cells = rows.plan.delimiter.split(line);
            if cells.len() != rows.plan.columns.len() {
                let found = format!("{} cells in {}", cells.len(), excerpt(line));
                let expected = format!("{}, as above", rows.plan.columns.len());
                return Err(lines.malformed(found, &expected));
            }
            rows.row(&cells, &lines)?;
        }
    }
    rows.links(&template, head)
}

/// A number of seconds in billionths of one, for other logs with time stamps.
pub(super) fn seconds(cell: &str) -> Option<i128> {
    match Stamp::of(cell)? {
        Stamp::Number(value) => Some(value),
        Stamp::Date(_) | Stamp::TimeOfDay(_) => None,
    }
}

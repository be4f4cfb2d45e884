//! CSV, TSV and blank-separated tables: a packet in each row, or a rate of the link over time.
//!
//! A table is read if its columns carry documented names (`words.rs`) or options say what they are
//! (`plan.rs`). Values never decide what a column means. They may contradict its name, and then the
//! table is refused (`checks.rs`) with a question that lists the columns and the options that would
//! read each (`ask.rs`).

mod ask;
mod checks;
mod group;
mod plan;
mod questions;
mod rows;
mod words;

use std::collections::BTreeMap;

use airtcp_units::Outcomes;

use super::super::head::Head;
use super::super::input::Input;
use super::super::lines::Lines;
use super::delimiter::is_comment;
use super::link::link;
use crate::error::{TraceError, excerpt};
use crate::reader::{ColumnKind, LinkTrace, ReadOptions};
use checks::Checks;
use plan::Plan;
use rows::Rows;

pub(super) const TAG: &str = "table";
pub(super) const DESCRIPTION: &str = "CSV, TSV or blank-separated table, one packet a row, with columns of documented names: outcomes (received, \
     outcome, success, delivered, ok; or lost, dropped), receive times or delays with blanks for lost packets \
     (recv_time_s, rtt_ms), or received sequence numbers (seq), optionally times (time_s, t_ms, timestamp_us) \
     and link, src or dst; or a time and one rate (rx_kbps). Options say what other columns hold: --column and \
     --kind, --lost-value, --unsent-value, --link-column, --time-column, --rate-column, --bytes-column";

/// The fallback, whose errors explain what is wrong.
pub(super) fn detect(_: &Head<'_>) -> bool {
    true
}

/// What a file with this beginning is, if its columns are known.
pub(super) fn kind(head: &Head<'_>) -> Option<&'static str> {
    let plan = Plan::of(head, &ReadOptions::default()).ok()?;
    Some(match plan.kind() {
        Some(_) => "a table with a packet in each row",
        None => "a table of the rate of a link over time",
    })
}

pub(super) fn read(head: &Head<'_>, input: Input<'_>) -> Result<Vec<LinkTrace>, TraceError> {
    let plan = Plan::of(head, input.options)?;
    let (template, budget) = (link(&input, TAG, None, Outcomes::new()), input.budget);
    let checks = Checks::new(&plan);
    let (mut header, count) = (plan.columns.header, plan.columns.names.len());
    let may_be_blank = count == 1 && plan.kind() == Some(ColumnKind::Arrival);
    let mut rows = Rows { plan, budget, groups: BTreeMap::new(), checks };
    // Empty lines since the last row, each a lost packet in a single column of arrivals.
    let mut empty = 0;
    let mut lines = Lines::new(input);
    while let Some(line) = lines.next()? {
        if line.trim().is_empty() {
            empty += u64::from(may_be_blank && !header);
        } else if !is_comment(line) && !std::mem::take(&mut header) {
            let cells = rows.plan.columns.delimiter.split(line);
            if cells.len() != count {
                let found = format!("{} cells in {}", cells.len(), excerpt(line));
                return Err(lines.malformed(found, &format!("{count}, as above")));
            }
            for _ in 0..std::mem::take(&mut empty) {
                rows.row(&[String::new()], &lines)?;
            }
            rows.row(&cells, &lines)?;
        }
    }
    rows.links(&template, head)
}

//! Reads a table.

use airtcp_units::Outcomes;

use super::super::super::head::Head;
use super::super::super::input::Input;
use super::super::super::lines::Lines;
use super::super::link::link;
use super::columns::{Plan, is_separator};
use super::rows::Rows;
use crate::error::{TraceError, excerpt};
use crate::reader::{LinkTrace, ReadOptions};

pub(in crate::reader::layouts) const TAG: &str = "table";
pub(in crate::reader::layouts) const DESCRIPTION: &str = "CSV, TSV or blank-separated table, one packet a row: a column of outcomes (received, \
     outcome, success, delivered, ok; or lost, dropped), of receive times or delays with blanks for \
     lost packets (recv_time_s, rtt_ms), or of received sequence numbers (seq), optionally time \
     stamps (time_s, t_ms, timestamp_us) and link, src, dst, tx or rx";

/// The fallback, whose errors explain what is wrong.
pub(in crate::reader::layouts) fn detect(_: &Head<'_>) -> bool {
    true
}

/// True if the columns of a file with this beginning are known.
pub(in crate::reader::layouts) fn is_certain(head: &Head<'_>) -> bool {
    Plan::of(head, &ReadOptions::default()).is_ok()
}

pub(in crate::reader::layouts) fn read(
    head: &Head<'_>,
    input: Input<'_>,
) -> Result<Vec<LinkTrace>, TraceError> {
    let plan = Plan::of(head, input.options)?;
    let template = link(&input, TAG, None, Outcomes::new());
    let mut rows = Rows::new(plan, &input);
    let mut lines = Lines::new(input);
    let mut header = rows.plan.header;
    while let Some(line) = lines.next()? {
        if line.trim_start().starts_with('#') || is_separator(line) {
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

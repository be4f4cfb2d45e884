//! The registry of layouts: one file and one line each.

mod enslyon;
mod fping;
mod iperf;
mod irtt;
mod k7;
mod link_rows;
mod macperf;
mod mahimahi;
mod owamp;
mod ping;
mod plain;
mod rates;
mod refuse;
mod sdec;
mod table;
mod totals;
mod tsch;

use std::collections::BTreeMap;

use airtcp_units::Outcomes;
use serde::Serialize;

use super::head::{HEAD, Head, stem};
use super::input::Input;
use super::link_trace::{LinkTrace, Source};
use super::options::ColumnKind;
use super::order;
use crate::error::TraceError;

/// What is known about a layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LayoutInfo {
    /// Its name in options and results.
    pub tag: &'static str,
    /// What a file of it looks like, and how it is read.
    pub description: &'static str,
}

/// A layout: how to know it and how to read it.
struct Layout {
    info: LayoutInfo,
    /// True if a file that begins so is of this layout.
    detect: fn(&Head<'_>) -> bool,
    read: fn(&Head<'_>, Input<'_>) -> Result<Vec<LinkTrace>, TraceError>,
}

macro_rules! layouts {
    ($($module:ident),* $(,)?) => {
        /// The specific ones first: the first that fits is taken. `table` fits anything and
        /// explains what is wrong with it.
        const LAYOUTS: &[Layout] = &[$(Layout {
            info: LayoutInfo { tag: $module::TAG, description: $module::DESCRIPTION },
            detect: $module::detect,
            read: $module::read,
        }),*];
    };
}

layouts!(
    sdec, k7, tsch, enslyon, macperf, link_rows, ping, fping, iperf, irtt, owamp, plain, mahimahi,
    rates, table
);

/// Every layout, for listings.
pub fn layouts() -> impl Iterator<Item = LayoutInfo> {
    LAYOUTS.iter().map(|layout| layout.info)
}

/// What a text file that begins with `start` is, and whether it can be read: for a caller that expected
/// another kind of file. `None` if nothing is known of it.
#[must_use]
pub fn text_kind(name: &std::path::Path, start: &[u8]) -> Option<(String, bool)> {
    let head = Head::new(name, start, start.len() < HEAD).ok()?;
    if let Some(TraceError::NotATrace { what, .. }) = refuse::refusal(&head) {
        return Some((what, false));
    }
    let layout = LAYOUTS.iter().find(|layout| (layout.detect)(&head))?;
    match layout.info.tag {
        table::TAG if !table::is_certain(&head) => None,
        table::TAG => Some(("a table with a packet in each row".to_owned(), true)),
        tag => Some((format!("a trace of a link (layout {tag})"), true)),
    }
}

/// Reads a text file whose beginning is `head`.
pub(super) fn read(head: &Head<'_>, input: Input<'_>) -> Result<Vec<LinkTrace>, TraceError> {
    // Who says what a rate is counted in has said that there are rates.
    let rates = input.options.rate_unit.as_ref().map(|_| rates::TAG.to_owned());
    let layout = if let Some(tag) = input.options.layout.as_ref().or(rates.as_ref()) {
        LAYOUTS.iter().find(|l| l.info.tag == tag).ok_or_else(|| {
            let tags: Vec<_> = layouts().map(|l| l.tag).collect();
            let expected = format!("one of {}", tags.join(", "));
            TraceError::Option { option: "layout", found: tag.clone(), expected }
        })?
    } else {
        if let Some(refusal) = refuse::refusal(head) {
            return Err(refusal);
        }
        let bits_as_table = input.options.column.is_some()
            || input.options.time_column.is_some()
            || input.options.kind == Some(ColumnKind::Sequence);
        let tag = if bits_as_table { plain::TAG } else { "" };
        let fits = LAYOUTS.iter().filter(|l| l.info.tag != tag).find(|l| (l.detect)(head));
        fits.ok_or_else(|| head.unrecognised(accepted()))?
    };
    let chosen = [("column", &input.options.column), ("time_column", &input.options.time_column)];
    if layout.info.tag != table::TAG
        && let Some((option, Some(found))) = chosen.into_iter().find(|(_, column)| column.is_some())
    {
        return Err(TraceError::Option {
            option,
            found: found.clone(),
            expected: format!(
                "no column for {}, which is of layout {} and has its columns given; with layout \
                 = \"{}\" it is read as a table",
                input.path.display(),
                layout.info.tag,
                table::TAG
            ),
        });
    }
    let path = input.path;
    let mut links = (layout.read)(head, input)?;
    if head.directive("order") == Some("drawn") {
        for link in &mut links {
            link.order_known = false;
            link.notes.push(order::converted());
        }
    }
    if links.iter().all(|link| link.outcomes.is_empty() && link.capacity.is_none()) {
        let found = "no packet in it can be used";
        return Err(TraceError::Empty { path: path.display().to_string(), found });
    }
    Ok(links)
}

/// A short list for error messages.
fn accepted() -> String {
    "text of 0 and 1, a CSV/TSV table with a column of outcomes (such as 'received') or of \
     received sequence numbers (such as 'seq'), the output of ping, fping, iperf3 -u, irtt or \
     owping -R, and the layouts shown by 'airtcp list layout'"
        .to_owned()
}

/// A link with nothing special about it.
fn link(input: &Input<'_>, tag: &str, local: Option<&str>, outcomes: Outcomes) -> LinkTrace {
    let file = stem(input.path);
    LinkTrace {
        name: local.map_or_else(|| file.clone(), |local| format!("{file}:{local}")),
        outcomes,
        capacity: None,
        interval: None,
        source: Source { path: input.path.to_owned(), layout: tag.to_owned() },
        order_known: true,
        notes: Vec::new(),
        labels: BTreeMap::new(),
    }
}

/// The column named `name` of a header line.
fn column(header: &[&str], name: &str) -> Option<usize> {
    header.iter().position(|cell| cell.trim() == name)
}

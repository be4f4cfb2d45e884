//! Chooses the layout of a file: the user's choice, else the first that fits its beginning.

use super::super::head::{HEAD, Head};
use super::super::input::Input;
use super::super::link_trace::LinkTrace;
use super::super::options::ColumnKind;
use super::super::order;
use super::accepted::accepted;
use super::registry::{LAYOUTS, layouts};
use super::{mahimahi, plain, rates, refuse, table};
use crate::error::TraceError;

/// The kind of a text file that begins with `start`, and whether it can be read, for a caller that
/// expected another kind. `None` if unknown.
#[must_use]
pub fn text_kind(name: &std::path::Path, start: &[u8]) -> Option<(String, bool)> {
    let head = Head::new(name, start, start.len() < HEAD).ok()?;
    if let Some(TraceError::NotATrace { what, .. }) = refuse::refusal(&head) {
        return Some((what, false));
    }
    let layout = LAYOUTS.iter().find(|layout| (layout.detect)(&head))?;
    match layout.info.tag {
        table::TAG => table::kind(&head).map(|kind| (kind.to_owned(), true)),
        tag => Some((format!("a trace of a link (layout {tag})"), true)),
    }
}

/// Reads a text file whose beginning is `head`.
pub(in crate::reader) fn read(
    head: &Head<'_>,
    input: Input<'_>,
) -> Result<Vec<LinkTrace>, TraceError> {
    // The option for the unit of rates implies a table of rates.
    let is_rates = input.options.rate_unit.is_some() && input.options.rate_column.is_none();
    let rates = is_rates.then(|| rates::TAG.to_owned());
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
        // Text of 0 and 1, of milliseconds and of rates may be a table whose columns are given.
        let as_table = input.options.of_tables().next().is_some()
            || input.options.kind == Some(ColumnKind::Sequence);
        let tags = [plain::TAG, mahimahi::TAG, rates::TAG];
        let skipped = |tag| as_table && tags.contains(&tag);
        let fits = LAYOUTS.iter().filter(|l| !skipped(l.info.tag)).find(|l| (l.detect)(head));
        fits.ok_or_else(|| head.unrecognised(accepted()))?
    };
    if layout.info.tag != table::TAG
        && let Some((option, found)) = input.options.of_tables().next()
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

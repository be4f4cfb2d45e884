//! An empty link, for a layout to fill in.

use std::collections::BTreeMap;

use airtcp_units::Outcomes;

use super::super::head::stem;
use super::super::input::Input;
use super::super::link_trace::{LinkTrace, Source};

/// A link without notes and labels.
pub(super) fn link(
    input: &Input<'_>,
    tag: &str,
    local: Option<&str>,
    outcomes: Outcomes,
) -> LinkTrace {
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

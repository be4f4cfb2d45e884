//! The registry of layouts, one line each.

use serde::Serialize;

use super::super::head::Head;
use super::super::input::Input;
use super::super::link_trace::LinkTrace;
use super::{
    enslyon, fping, iperf, irtt, k7, link_rows, macperf, mahimahi, owamp, ping, plain, rates, sdec,
    table, tsch,
};
use crate::error::TraceError;

/// The entry of a layout in lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LayoutInfo {
    /// Its name in options and results.
    pub tag: &'static str,
    /// The form of its files, and how they are read.
    pub description: &'static str,
}

/// A layout: how to detect and how to read it.
pub(super) struct Layout {
    pub(super) info: LayoutInfo,
    /// True if a file with this beginning has this layout.
    pub(super) detect: fn(&Head<'_>) -> bool,
    pub(super) read: fn(&Head<'_>, Input<'_>) -> Result<Vec<LinkTrace>, TraceError>,
}

macro_rules! layouts {
    ($($module:ident),* $(,)?) => {
        /// Specific layouts come first, because the first that fits is taken. `table` accepts any
        /// file and explains its errors.
        pub(super) const LAYOUTS: &[Layout] = &[$(Layout {
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

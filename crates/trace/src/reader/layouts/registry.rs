//! The registry of layouts: one line each.

use serde::Serialize;

use super::super::head::Head;
use super::super::input::Input;
use super::super::link_trace::LinkTrace;
use super::{
    enslyon, fping, iperf, irtt, k7, link_rows, macperf, mahimahi, owamp, ping, plain, rates, sdec,
    table, tsch,
};
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
pub(super) struct Layout {
    pub(super) info: LayoutInfo,
    /// True if a file that begins so is of this layout.
    pub(super) detect: fn(&Head<'_>) -> bool,
    pub(super) read: fn(&Head<'_>, Input<'_>) -> Result<Vec<LinkTrace>, TraceError>,
}

macro_rules! layouts {
    ($($module:ident),* $(,)?) => {
        /// The specific ones first: the first that fits is taken. `table` fits anything and
        /// explains what is wrong with it.
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

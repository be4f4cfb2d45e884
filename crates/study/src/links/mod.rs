//! The study of links: traces and their synthetic links, capacities, scores of synthesisers.

pub(crate) mod capacity_runs;
mod chance;
mod comparisons;
mod link_study;
pub(crate) mod models;
pub(crate) mod runs;
pub(crate) mod slots;

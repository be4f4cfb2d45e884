//! What a comparison runs over: scenarios, delivery traces, capacities, cells.

pub(crate) mod cell;
pub(crate) mod cell_observe;
pub(crate) mod cwnd;
pub(crate) mod describe;
pub(crate) mod input;
pub(crate) mod observe;
pub(crate) mod over_trace;
pub(crate) mod plan;
pub(crate) mod planned;
pub(crate) mod remedies;
pub(crate) mod scenarios;
pub(crate) mod synthetic_links;
pub(crate) mod traces;

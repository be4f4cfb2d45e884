//! What differs between the runs of a comparison: a TCP or remedy, a scheme of a cell, a queue discipline.

pub(crate) mod preconditions;
pub(crate) mod queues;
pub(crate) mod remedy;
pub(crate) mod scheme;
pub(crate) mod tcp;
pub(crate) mod toml_value;

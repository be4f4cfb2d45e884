//! Paired differences, rankings and equivalence.

pub(crate) mod equivalence;
pub(crate) mod paired;

//! Limits of all parts of a scenario.

/// Maximum number of flows, nodes or links in one scenario.
pub(crate) const MAX_PARTS: usize = 100_000;

/// Error message for an empty name.
pub(crate) const EMPTY_NAME: &str = "is \"\": a name has at least one character";

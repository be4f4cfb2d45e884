//! What bounds a scenario, whatever its parts are.

/// Most flows, nodes or links in one scenario.
pub(crate) const MAX_PARTS: usize = 100_000;

/// What is said of a name without a character.
pub(crate) const EMPTY_NAME: &str = "is \"\": a name has at least one character";

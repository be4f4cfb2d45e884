//! What holds for every scenario: determinism, ranges, refusals, and relations between runs.

#[path = "../common/mod.rs"]
mod common;

mod ahead;
mod bounded;
mod delays;
mod determinism;
mod metamorphic;
mod ranges;
mod recorded;
mod refusals;
mod slotted;
mod windows;

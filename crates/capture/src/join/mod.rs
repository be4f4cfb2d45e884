//! A capture of the air together with captures of hosts: which frame carried which packet, how long the
//! packet waited, and why a timeout happened.
//!
//! The captures pass the modules in this order: `hosts` (what a host captured), `matching` (which
//! frame carried which packet, and by `clocks` when), `fates` (what became of each packet),
//! `timeouts` (why each happened), `summary` (counts). `report` has the results.

mod cover;
mod fates;
pub(crate) mod hosts;
mod keys;
mod matching;
pub mod report;
mod summary;
mod timeouts;

pub(crate) use summary::{Host, join};

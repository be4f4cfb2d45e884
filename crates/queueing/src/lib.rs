//! Queue disciplines: what waits in front of a link, what is dropped or marked, who goes next.
//!
//! [`Qdisc`] is the interface, [`Queue`] the closed set of disciplines with one open arm, and
//! [`QueueConfig`] its form in a scenario. A discipline is one file, named below, and one line of
//! `family!` in `registry.rs`; that line gives it its config tag, its place in the schema,
//! its entry in [`registry()`] and its run of the conformance suite.
//!
//! A queue holds what *waits*: the packet being transmitted has left it. The interface that owns
//! queue and link pulls from the queue when the link is ready.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

mod average;
mod codel;
mod custom;
mod drop_tail;
mod fifo;
mod fq_codel;
mod jersey;
mod pie;
mod qdisc;
mod red;
mod registry;

#[cfg(test)]
mod conformance;

pub use airtcp_probe::{ConfigError, Entry};
pub use codel::{Codel, CodelConfig};
pub use drop_tail::{DropTail, DropTailConfig};
pub use fifo::{Backlog, Stats, Verdict};
pub use fq_codel::{FqCodel, FqCodelConfig};
pub use jersey::{Jersey, JerseyConfig};
pub use pie::{Pie, PieConfig};
pub(crate) use qdisc::Discipline;
pub use qdisc::{Behind, Qdisc};
pub use red::{Red, RedConfig, RedUnit};
pub use registry::{Queue, QueueConfig, registry};

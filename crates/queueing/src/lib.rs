//! Queue disciplines: they hold the packets that wait for a link, drop or mark packets, and choose
//! the next packet.
//!
//! [`Qdisc`] is the interface, [`Queue`] is any registered or custom discipline, and
//! [`QueueConfig`] its scenario table. A discipline is one file, named below, and one line of
//! `family!` in `registry.rs`. That line gives the discipline its scenario tag, its place in the
//! schema, its entry in [`registry()`] and its run of the conformance suite.
//!
//! A queue holds only waiting packets; the packet in transmission has left the queue. The owner of
//! queue and link dequeues a packet when the link is ready.

mod ack_filter;
mod airtime_fair;
mod arrivals;
mod average;
mod change;
mod codel;
mod custom;
mod drop_tail;
mod dualpi2;
mod fifo;
mod flows;
mod fq_codel;
mod jersey;
mod link;
mod per_station;
mod pie;
mod qdisc;
mod red;
mod registry;
mod stations;
mod tbf;

#[cfg(test)]
mod conformance;

pub use ack_filter::{AckFilter, AckFilterConfig, AckFilterMode};
pub use airtcp_probe::{ConfigError, Entry};
pub use airtime_fair::{AirtimeFair, AirtimeFairConfig};
pub use change::QueueChange;
pub use codel::{Codel, CodelConfig};
pub use drop_tail::{DropTail, DropTailConfig};
pub use dualpi2::{DualPi2, DualPi2Config};
pub use fifo::{Backlog, Stats, Verdict};
pub use fq_codel::{FqCodel, FqCodelConfig};
pub use jersey::{Jersey, JerseyConfig};
pub use link::{Airtime, LinkInfo, Next, Wanted};
pub use per_station::{PerStation, PerStationConfig};
pub use pie::{Pie, PieConfig};
pub(crate) use qdisc::Discipline;
pub use qdisc::Qdisc;
pub use red::{Red, RedConfig, RedUnit};
pub use registry::{Queue, QueueConfig, registry};
pub use tbf::{Tbf, TbfConfig};

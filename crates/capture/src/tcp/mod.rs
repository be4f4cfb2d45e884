//! TCP connections from their segments.
//!
//! A segment passes the modules in this order: `tracker` (which connection), `connection` (which
//! direction, and where the capture was taken), `direction` (data and ACKs), and there `sent` (what
//! is in flight), `order` (late or sent again), `cause` (why), `spurious` (needlessly), `rtt`,
//! `limits` (what limited the sender). `report` has the results.

mod cause;
mod connection;
mod copies;
mod counters;
mod direction;
mod index;
mod limits;
mod order;
pub mod report;
mod rtt;
mod sent;
mod sequence;
mod spurious;
mod tracker;

pub use cause::Cause;
pub use copies::CopyCounts;
pub use spurious::Evidence;
pub use tracker::{Tracker, TrackerLimits};

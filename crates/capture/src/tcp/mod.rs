//! TCP connections from their segments.
//!
//! A segment passes the modules in this order: `tracker` (which connection), `slot`, `connection` (which
//! direction, and where the capture was taken), `direction` (data and ACKs), and there `sent` (what
//! is in flight), `order` (late or sent again), `cause` (why), `timeouts` (why a timer was needed),
//! `spurious` (needlessly), `rtt`, `limits` (what limited the sender), `window`, and on request
//! `series` (everything over time) and `log` (every segment). `clusters` looks at the losses at the end. `connections` and `report` have the results.

mod accecn;
mod causality;
mod cause;
mod clock;
mod clusters;
mod connection;
pub mod connections;
mod copies;
mod counters;
mod direction;
mod events;
mod index;
mod limits;
pub mod log;
mod order;
mod probes;
pub mod report;
mod rtt;
mod sent;
pub(crate) mod sequence;
pub mod series;
mod slot;
mod spurious;
mod timeouts;
mod tracker;
mod vantage;
mod window;

pub use causality::EarlyAcks;
pub use cause::Cause;
pub(crate) use clusters::period;
pub use clusters::{LossClusters, Period};
pub use copies::CopyCounts;
pub(crate) use copies::MANY_COPIES;
pub use events::{RetransmissionEvent, RetransmissionRow};
pub use limits::LimitShares;
pub use spurious::Evidence;
pub use timeouts::{TimeoutCause, TimeoutCounts};
pub use tracker::{Tracker, TrackerLimits};
pub use vantage::Vantage;
pub use window::{CwndReport, ReceiveWindow};

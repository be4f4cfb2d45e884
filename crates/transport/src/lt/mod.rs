//! LT-TCP, loss-tolerant TCP: a byte stream in blocks of data and parity, S0 section III and S2
//! section V (Tickoo, Subramanian, Kalyanaraman, Ramakrishnan, IWQoS 2005).
//!
//! [`LtConnection`] is one end of a connection; [`block`] has the arithmetic of blocks as pure
//! functions. The sender turns each window into a block of K data and P parity segments, by its
//! loss estimate. It sends new parity for blocks that cannot be decoded. It keeps at least G
//! segments in a window by making them smaller. It reduces its window on ECN marks alone if the
//! path marks. In the simulator, symbols are lengths, and the set of arrived symbols decides.
//! `docs/models/lt-tcp.md` has the equations, choices and checks.

mod base;
pub mod block;
mod config;
mod connection;
mod ecn;
mod estimate;
mod ledger;
mod limits;
mod outage;
mod overflow;
mod path;
mod receiver;
mod recent_max;
mod sender;
mod stats;
#[cfg(test)]
mod tests;
mod wire;

pub use config::{
    Delivery, Deviation, LtConfig, Outages, Proactive, Reactive, Response, WithoutEcn,
};
pub use connection::{LtConnection, Mode};
pub use estimate::Protection;
pub use stats::{Amount, LtStats};
pub use wire::is_data;

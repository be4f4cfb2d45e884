//! LT-TCP, loss-tolerant TCP: a byte stream in blocks of data and parity, S0 section III and S2
//! section V (Tickoo, Subramanian, Kalyanaraman, Ramakrishnan, IWQoS 2005).
//!
//! [`LtConnection`] is one end of a connection; [`block`] holds the arithmetic of blocks as pure
//! functions. The sender turns each window into a block of K data and P parity segments by its loss
//! estimate, sends fresh parity for blocks that cannot be decoded, keeps at least G segments in a
//! window by making them smaller, and slows down for ECN marks alone where the path marks. In the
//! simulator symbols are lengths: which of them arrived decides. Equations, choices and checks are
//! in `docs/models/lt-tcp.md`.

mod base;
pub mod block;
mod config;
mod connection;
mod ecn;
mod estimate;
mod greatest;
mod ledger;
mod limits;
mod outage;
mod overflow;
mod path;
mod receiver;
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

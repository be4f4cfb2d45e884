//! Sans-IO transport endpoints.
//!
//! Read [`tcp::Connection`] first: a complete TCP endpoint as an [`airtcp_probe::Machine`] with
//! segments as input and output. The congestion laws are in [`airtcp_congestion`]. [`udp`] is a
//! datagram sender and receiver, [`tfrc`] sends datagrams at the rate of TCP's equation, [`lt`] is
//! a stream with erasure coding, [`lda`] distinguishes corruption from congestion. [`middle`]
//! has machines at a node between the two ends of a TCP flow. [`registry()`] lists the names for scenarios.

#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "tests convert numbers that they choose"
    )
)]

pub mod lda;
pub mod lt;
pub mod middle;
mod registry;
pub mod tcp;
pub mod tfrc;
pub mod udp;

pub use registry::registry;

//! Sans-IO transport endpoints.
//!
//! Read [`tcp::Connection`] first: a complete TCP endpoint as an
//! [`airtcp_probe::Machine`] that takes segments and gives segments. The congestion laws that its
//! sender asks are in [`airtcp_congestion`]. [`udp`] is a datagram sender and receiver,
//! [`tfrc`] one that keeps a rate TCP would, [`lt`] a
//! stream with erasure coding, [`lda`] tells corruption from congestion. [`middle`] has machines at a
//! node between the two ends of a TCP flow.
//! [`registry()`] lists what can be chosen by name.

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

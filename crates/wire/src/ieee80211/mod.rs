//! Frames of 802.11 (IEEE 802.11-2020 clause 9): headers, block acknowledgements, bodies of management frames.

pub mod block_ack;
mod frame;
mod kind;
mod mac;
pub mod management;

pub use frame::{Packet, Repr};
pub use kind::{Kind, Qos};
pub use mac::{FCS, Mac, fcs};
pub use management::{SNAP, snap};

//! Frames of 802.11 (IEEE 802.11-2020 clause 9).

pub mod block_ack;
mod header;

pub use header::{Header, Kind, Mac, beacon_interval};

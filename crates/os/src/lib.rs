//! What Linux gives an emulator of links: namespaces, veth pairs, rings of packets, scheduling, clocks.
//!
//! System calls that no safe library wraps are called here, each block with the reason why it is sound. Nothing here
//! knows a model, a scenario or a packet header.
#![cfg(target_os = "linux")]

pub mod child;
pub mod clock;
mod control;
pub mod datagram;
pub mod device;
pub mod error;
pub mod fifo;
pub mod interface;
pub mod namespace;
pub mod offload;
pub mod privilege;
pub mod program;
pub mod random;
pub mod ring;
pub mod schedule;
pub mod send;
pub mod signal;
mod socket;
pub mod spread;
pub mod tcp;
mod tree;
pub mod user;
pub mod wait;

pub use error::{Error, Result};

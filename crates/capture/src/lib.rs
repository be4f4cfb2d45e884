//! Packet captures: what happened on the wire, and why.
//!
//! A packet passes the modules in this order: `read` (files, both formats, damage), `dissect` (link
//! layers, IP, TCP), `tcp` (connections, retransmissions and their causes, round-trip times, what
//! limited the sender). Frames of 802.11 pass `air` first (attempts, acknowledgements, losses).
//! The headers themselves are read with `wire`: views of their bytes, and what they say.
//! `assign` tells which files were captured at the same point, and `between` compares a connection at
//! several points. `join` puts captures of the air and of hosts together, and `delivery` makes traces of both.

#![allow(
    clippy::missing_errors_doc,
    reason = "the error type says when each error occurs and what it carries"
)]

pub mod air;
mod analyse;
mod assign;
pub mod between;
pub mod bottleneck;
mod chance;
mod clocks;
pub mod delivery;
pub mod dissect;
mod error;
mod examine;
mod file;
mod identity;
pub mod join;
pub mod json_text;
pub mod read;
mod shards;
pub mod tcp;
mod timeless;
mod times;
mod unread;
mod warnings;

pub use analyse::{CAPTURE_SCHEMA, CaptureReport, FileReport, PointReport, analyse};
pub use error::CaptureError;
pub use examine::{Examination, Points, Wanted, examine, points};

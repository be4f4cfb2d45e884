//! Packet captures: what happened on the wire, and why.
//!
//! A packet passes the modules in this order: `read` (files, both formats, damage), `dissect` (link
//! layers, IP, TCP), `tcp` (connections, retransmissions and their causes, round-trip times, what
//! limited the sender). Frames of 802.11 pass `air` first (attempts, acknowledgements, losses).
//! The headers themselves are read with `wire`: views of their bytes, and what they say.
//! `parts` tells which interfaces of a file are points of their own, `assign` which files were captured
//! at the same point, and `between` compares a connection at several points. `join` puts captures of
//! the air and of hosts together, and `delivery` makes traces of both.

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
mod follow;
mod identity;
pub mod join;
pub mod json_text;
mod parts;
pub mod read;
mod report;
mod shards;
pub mod tcp;
mod timeless;
mod times;
mod unread;
mod warnings;

pub use analyse::{Asked, analyse};
pub use error::CaptureError;
pub use examine::{Examination, Points, Wanted, examine, points};
pub use follow::Following;
pub use report::{CAPTURE_SCHEMA, CaptureReport, DropReport, FileReport, PointReport};

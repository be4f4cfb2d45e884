//! Congestion laws: they compute the window and the pacing rate from the sender's measurements.
//!
//! A law decides *how much* may be outstanding. It never decides *what* is sent or what counts as a
//! loss. The sender, which is in the transport crate, reports every congestion episode exactly
//! once, with its kind ([`CongestionKind`]). Reno's and NewReno's loss recovery inflate the window
//! temporarily; the sender adds that outside the law. All windows are in bytes.
//!
//! A law is one file, its two lines below (`mod` and `pub use`), and one entry in `registry.rs`.
//! The entry gives the law its tag in the configuration, its place in the schema, its line in
//! `airtcp list` and its run of the conformance suite.
//!
//! Laws share these parts: [`Window`] (window, threshold, bounds, undo), [`SlowStart`] (standard
//! and HyStart++), [`Additive`] (a segment per round trip), [`Prior`] (the state that an undo
//! restores), [`AckedCount`] (bytes that an ACK reports as arrived). [`Promises`] declares how a
//! law differs from the default.

mod acked_count;
mod additive;
mod base;
pub mod conformance;
mod control;
mod curve;
pub mod external;
mod growth;
mod needs;
mod prior;
mod promises;
mod registry;
pub mod slow_start;
mod types;
mod window;

// The laws.
mod bbr;
mod bbr1;
mod bic;
mod cubic;
mod cubic_2008;
mod hybla;
mod jersey;
mod prague;
mod reno;
mod tcp_ap;
mod vegas;
mod veno;
mod westwood;
mod westwood_plus;

#[cfg(test)]
mod fluid;

pub use acked_count::AckedCount;
pub use additive::Additive;
pub use base::{BadValue, Base};
pub use control::{CongestionControl, LawTable};
pub use external::ExternalLaw;
pub use growth::Growth;
pub use needs::Needs;
pub use prior::Prior;
pub use promises::Promises;
pub use registry::{Law, LawConfig, registry as laws};
pub use slow_start::{SlowStart, SlowStartKind, Step};
pub use types::{
    AckSample, Congestion, CongestionKind, Idle, LawParams, LawRules, LawState, Lost, RateSample,
    Sent,
};
pub use window::Window;

// Public types of the laws.
pub use bbr::*;
pub use bbr1::*;
pub use bic::*;
pub use cubic::*;
pub use cubic_2008::*;
pub use hybla::*;
pub use jersey::*;
pub use prague::*;
pub use reno::*;
pub use tcp_ap::*;
pub use vegas::*;
pub use veno::*;
pub use westwood::*;
pub use westwood_plus::*;

use airtcp_probe::Entry;

/// Everything this crate registers: congestion laws, slow starts.
pub fn registry() -> Vec<Entry> {
    [laws(), SlowStartKind::ENTRIES].concat()
}

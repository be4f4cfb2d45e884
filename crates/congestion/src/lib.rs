//! Congestion laws: how the window and the pacing rate answer what the sender learns.
//!
//! A law decides *how much* may be outstanding; it never decides *what* is sent or what counts
//! as a loss. The sender, which is in the transport crate, tells the law of every congestion
//! episode exactly once, with its kind ([`CongestionKind`]). Loss recovery inflates Reno's and
//! NewReno's window temporarily; the sender adds that outside the law.
//!
//! A law is one file, its two lines below (`mod` and `pub use`), and one line of the list in
//! `registry.rs`: that line gives the law its tag in the configuration, its place in the schema, its
//! line in `airtcp list` and its run of the conformance suite. All windows are in bytes.
//!
//! Laws are built from parts: [`Window`] (window, threshold, bounds, undo), [`SlowStart`]
//! (standard and HyStart++), [`Additive`] (a segment per round trip), [`Prior`] (what an undo
//! returns to), [`AckedCount`] (how much an ACK says has arrived). [`Promises`] says where a law differs from the rest.

mod acked_count;
mod additive;
mod control;
mod curve;
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
mod reno;
mod vegas;
mod veno;
mod westwood;
mod westwood_plus;

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod fluid;

pub use acked_count::AckedCount;
pub use additive::Additive;
pub use control::{CongestionControl, LawTable};
pub use growth::Growth;
pub use needs::Needs;
pub use prior::Prior;
pub use promises::Promises;
pub use registry::{Law, LawConfig, registry as laws};
pub use slow_start::{SlowStart, SlowStartKind, Step};
pub use types::{
    AckSample, Congestion, CongestionKind, Idle, LawParams, LawRules, LawState, LinkHint, Lost,
    RateSample, Sent,
};
pub use window::Window;

// What the laws make public.
pub use bbr::*;
pub use bbr1::*;
pub use bic::*;
pub use cubic::*;
pub use cubic_2008::*;
pub use hybla::*;
pub use jersey::*;
pub use reno::*;
pub use vegas::*;
pub use veno::*;
pub use westwood::*;
pub use westwood_plus::*;

use airtcp_probe::Entry;

/// Everything this crate registers: congestion laws, slow starts.
pub fn registry() -> Vec<Entry> {
    [laws(), SlowStartKind::ENTRIES].concat()
}

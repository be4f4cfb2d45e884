//! Delivery traces of real links: reading and measuring them, and making synthetic traces with some
//! of their statistics.
//!
//! A trace is an [`Outcomes`](airtcp_units::Outcomes): one bit per packet, 1 received, 0 lost, in
//! the order sent. The definitions follow Srinivasan, Kazandjieva, Jain and Levis, "PRR Is Not
//! Enough": packet reception ratio, the transition probabilities `g` and `b`, and the burstiness
//! `mu = 1 - g - b`. Start at [`metrics::analyse`] and [`synth`].
//!
//! This crate does not run TCP over a trace, and imports no transport.

#![allow(
    clippy::missing_errors_doc,
    reason = "the error types say when they occur; each carries what was found and accepted"
)]
#![cfg_attr(
    test,
    allow(clippy::float_cmp, reason = "tests compare values that must be exactly equal")
)]

mod error;
mod file_names;
pub mod fit;
pub mod metrics;
pub mod predict;
pub mod reader;
pub mod synth;
pub mod write;

pub use error::{Guess, TraceError};
pub use file_names::file_names;
pub use fit::{RunLengthModel, fit_gilbert_elliott};
pub use metrics::{AnalyseOptions, Class, Convergence, LinkStats, analyse};
pub use predict::{FitOptions, FitTable, Form, LinkSample, fit_throughput};
pub use reader::{LinkTrace, ReadOptions, read_links, read_links_from, read_many};
pub use synth::{GeParams, SynthError, SynthModel};

//! An abstract lossy link, one direction of it: serialisation, loss, propagation.
//!
//! [`Link`] is the machine, [`LinkConfig`] its table in a scenario. What is lost is decided by a
//! [`LossModel`]; [`Loss`] is the closed set of models with one open arm and [`LossConfig`] its
//! form in a scenario. A model is one file in `loss/`, named in `loss/mod.rs`, and one line of
//! the `family!` in `loss/registry.rs`.
//!
//! What a link does about losses is a [`protocol`]: one file in `protocol/` and one line of the
//! `family!` there.
//!
//! The queue in front of the link is not here: whoever owns both pulls from the queue when
//! [`Link::is_ready`].

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

mod config;
mod link;
mod loss;
pub mod protocol;
mod rate;

pub use airtcp_probe::{ConfigError, Entry};
pub use config::{Distribution, JitterConfig, LinkConfig, ReorderingConfig};
pub use link::{CorruptionNotice, Latency, Link, LinkStats, ProtocolStats};
pub use loss::*;
pub use protocol::ProtocolConfig;
pub use rate::{Rate, RateTrace};

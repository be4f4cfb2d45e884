//! An abstract lossy link, one direction of it: serialisation, loss, propagation. [`Link`] is the
//! state machine, [`LinkConfig`] its scenario table. A [`LossModel`] decides which packets are
//! lost; [`Loss`] is any registered or custom model, and [`LossConfig`] its scenario table. A model
//! is one file in `loss/`, named in `loss/mod.rs`, and one line of the `family!` in
//! `loss/registry.rs`.
//!
//! A [`protocol`] recovers losses on the link. It is one file in `protocol/` and one line of the
//! registry there.
//!
//! The queue in front of the link is outside this crate: the owner of both takes a packet from the
//! queue when [`Link::is_ready`].

mod config;
mod link;
mod loss;
mod policer;
pub mod protocol;
mod rate;
mod steps;

pub use airtcp_probe::{ConfigError, Entry};
pub use config::{Distribution, JitterConfig, LinkConfig, LossUnit, ReorderingConfig};
pub use link::{
    CorruptionNotice, CorruptionNotices, Latency, Link, LinkChange, LinkStats, ProtocolStats,
};
pub use loss::*;
pub use policer::PolicerConfig;
pub use protocol::ProtocolConfig;
pub use rate::{Rate, RateTrace};
pub use steps::{Delay, Steps};

//! TCP: one end of a connection as a machine without I/O.
//!
//! Read [`Connection`] first. Offsets inside are 64-bit and never wrap: the SYN is at 0, the first
//! byte of data at 1, the FIN after the last byte. [`airtcp_packet::Seq`] exists on the wire only.
//! `docs/models/tcp.md` lists what is modelled, with the section of each RFC.

mod accecn;
mod ack_policy;
mod config;
mod connection;
mod ecn;
mod law_params;
mod misbehaviour;
mod pacing;
mod profile;
mod rate;
mod reassembly;
mod receiver;
mod recoveries;
mod recovery;
mod right_sizing;
mod rto;
mod scoreboard;
mod sender;
mod small_queue;
mod state;
mod stats;
mod template;
mod timers;
mod timestamps;
mod variant;
mod window_wait;

pub use airtcp_probe::ConfigError;
pub use config::{
    BackoffReset, CarefulHeuristic, EarlyRetransmit, Ect, Frto, LossNotification, LossResponse,
    Pacing, PartialAckTimer, PrrBound, RateReduction, Reassembly, Recovery, RecoveryExit,
    RtoMinRule, RttSampling, SpuriousResponse, TcpConfig, Tsq,
};
pub use connection::{Connection, Run};
pub(crate) use law_params::{law_params, window_cap};
pub use misbehaviour::Misbehaviour;
pub(crate) use pacing::spread;
pub use profile::Profile;
pub(crate) use rate::{RateSampler, Snapshot};
pub use recovery::Corrupted;
pub(crate) use rto::RttEstimator;
pub use state::{Role, State};
pub use stats::TcpStats;
pub use variant::{Variant, VariantError};
pub(crate) use window_wait::WindowWait;

#[cfg(test)]
mod tests;

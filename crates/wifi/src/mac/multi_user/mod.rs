//! Multi-user operation of 802.11ax: downlink and uplink OFDMA.

mod access;
mod check;
mod config;
mod downlink;
mod reports;
mod responder;
mod role;
mod schedule;
mod series;
mod state;
mod station;
mod times;
mod uplink;

pub use config::{MuEdcaConfig, MuScheduler, OfdmaConfig};
pub(crate) use role::MultiUser;
pub(super) use state::Composed;
pub(crate) use state::MuAccess;
pub(crate) use station::MuStation;
pub use times::MuTimes;
#[cfg(test)]
pub(crate) use times::TbGrant;

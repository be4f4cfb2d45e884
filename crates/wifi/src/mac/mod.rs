//! Medium access: who may transmit when, and the frame exchanges that follow.

mod ablation;
mod answer;
mod association;
mod beacon;
mod config;
mod contender;
mod edca;
mod exchange;
mod fragment;
mod frame;
mod lifetime;
mod outcome;
mod protection;
mod service;
mod station;

pub use ablation::AblationConfig;
pub(crate) use association::Association;
pub use association::AssociationConfig;
#[cfg(test)]
pub(crate) use association::Stage;
pub use beacon::BeaconConfig;
pub(crate) use beacon::Beacons;
pub(crate) use config::Rules;
pub use config::{
    AccessMethod, AfterTimeout, Backoff, BackoffDecrement, ImmediateAccess, MacConfig,
};
pub(crate) use contender::{Contender, Countdown, View};
pub use edca::{Category, CategoryConfig, EdcaConfig, TxopLimits};
pub(crate) use fragment::Part;
pub use frame::{Class, Frame, Grant, Kind, NodeId};
pub(crate) use frame::{Mpdu, data_bytes};
pub use protection::Protection;
pub use service::service_time;
pub(crate) use station::{Ended, Finished, Heard, Receiving, Station, Wait};

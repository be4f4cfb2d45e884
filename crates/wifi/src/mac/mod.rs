//! Medium access: contention for the medium, and frame exchanges.

mod ablation;
mod access;
mod aggregation;
mod amsdu;
mod answer;
mod association;
mod beacon;
mod block_ack;
mod bonding;
mod config;
mod contender;
mod edca;
mod exchange;
mod feedback;
mod fragment;
mod frame;
mod hooks;
mod joins;
mod lifetime;
mod link_red;
mod management;
mod management_frames;
mod mpdu;
mod multi_user;
mod news;
mod numbers;
mod originator;
mod outcome;
mod part;
mod power_limit;
mod ppdu;
mod protection;
mod rates;
mod receiver_lanes;
mod repeats;
mod reuse;
mod reverse;
mod rider;
mod rules;
mod sending;
mod series;
mod service;
mod settled;
mod station;
mod view;
mod widths;

pub use ablation::AblationConfig;
pub use access::AccessParams;
pub use aggregation::{AfterMissedBlockAck, AggregateLimits, AggregationConfig};
pub(crate) use aggregation::{Aggregation, places};
pub(crate) use association::Association;
pub use association::AssociationConfig;
#[cfg(test)]
pub(crate) use association::Stage;
pub use beacon::BeaconConfig;
pub(crate) use beacon::Beacons;
pub use config::{
    AccessMethod, AfterTimeout, Backoff, BackoffDecrement, ImmediateAccess, MacConfig, Protection,
};
pub(crate) use contender::{Contender, Countdown};
pub use edca::{
    CATEGORIES, Category, CategoryConfig, EdcaConfig, EdcaTable, TxopLimits, category_name,
};
pub(crate) use exchange::{Completion, Finished};
pub(crate) use frame::data_bytes;
pub use frame::{Class, Frame, Grant, Kind};
pub(crate) use hooks::Hooks;
pub use hooks::{AckGroup, ExchangeSeams};
pub(crate) use joins::Joins;
pub(crate) use link_red::LinkRed;
pub use link_red::{LinkRedCounts, LinkRedParams};
pub(crate) use mpdu::Mpdu;
#[cfg(test)]
pub(crate) use multi_user::TbGrant;
pub(crate) use multi_user::{MuAccess, MuStation, MultiUser};
pub use multi_user::{MuEdcaConfig, MuScheduler, MuTimes, OfdmaConfig};
pub(crate) use originator::{Originator, distance};
pub(crate) use part::Part;
use power_limit::PowerLimit;
pub(crate) use ppdu::Joining;
pub(crate) use rider::Rider;
pub(crate) use rules::Rules;
pub use service::service_time;
pub(crate) use station::{AccessState, FrameStart, SignalQuality, Station};
pub(crate) use view::View;
pub use widths::Bonding;
pub(crate) use widths::Widths;

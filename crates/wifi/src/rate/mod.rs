//! Rate control: which mode each attempt of a data frame is sent in.
//!
//! The station calls [`RateControl::pick`] before every attempt and [`RateControl::on_result`] after
//! it. A control keeps state per destination. It makes decisions for all attempts of a packet (such
//! as a sample of another rate) in [`RateControl::on_packet`], when the packet comes to the head.
//! Between two events `pick` returns the same mode for the same attempt.
//!
//! A PPDU is one attempt with one result, which has the numbers of its MPDUs ([`Outcome`]). Controls that count
//! attempts take it for a success if at least half of its MPDUs were acknowledged.
//!
//! No control here counts a missing CTS, which says nothing about the rate of the data. One control
//! is one file and one line of the registry.

mod amrr;
mod by_receiver;
mod by_standard;
mod chain;
mod control;
mod fixed;
mod ideal;
mod ladder;
mod minstrel;
mod minstrel_ht;
mod onoe;
mod plan;
mod rbar;
mod registry;

#[cfg(test)]
mod conformance;

pub use amrr::{Amrr, AmrrConfig};
pub(crate) use by_receiver::ByReceiver;
pub(crate) use by_standard::ByStandard;
pub use chain::{Chain, ChainConfig, Stage};
pub use control::{Attempt, Ending, Outcome, RateContext, RateControl};
use control::{Control, ControlInputs, check_period, positive};
pub use fixed::{Fixed, FixedConfig};
pub use ideal::{Ideal, IdealConfig};
pub use ladder::{Aarf, AarfConfig, Arf, ArfConfig, Ladder, S0, S0Config};
use ladder::{Peers, Period};
pub use minstrel::{Minstrel, MinstrelConfig};
pub use minstrel_ht::{MinstrelHt, MinstrelHtConfig};
pub use onoe::{Onoe, OnoeConfig};
pub use plan::RatePlan;
pub use rbar::{Rbar, RbarConfig};
pub use registry::{Rate, RateConfig, controls_of, is_for, registry};

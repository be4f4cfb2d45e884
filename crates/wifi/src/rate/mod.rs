//! Rate control: which mode each attempt of a data frame is sent in.
//!
//! A control is asked before every attempt ([`RateControl::pick`]) and told afterwards what became
//! of it ([`RateControl::on_result`]). What it knows it keeps for each station it sends to. What
//! has to be decided once for all attempts of a packet (a look-around, an update that is due) is
//! decided when the packet comes to the head ([`RateControl::on_packet`]); between two events a
//! control gives the same answer to the same question.
//!
//! A missing CTS says nothing about the rate of the data: no control here counts it. One control
//! is one file and one line of the registry.

mod aarf;
mod amrr;
mod arf;
mod by_receiver;
mod chain;
mod control;
mod fixed;
mod ideal;
mod ladder;
mod minstrel;
mod onoe;
mod plan;
mod rbar;
mod registry;
mod s0;

#[cfg(test)]
mod conformance;

pub use aarf::{Aarf, AarfConfig};
pub use amrr::{Amrr, AmrrConfig};
pub use arf::{Arf, ArfConfig};
pub(crate) use by_receiver::ByReceiver;
pub use chain::{Chain, ChainConfig, Stage};
pub use control::{Attempt, Ending, Outcome, RateContext, RateControl};
use control::{Build, Control, positive};
pub use fixed::{Fixed, FixedConfig};
pub use ideal::{Ideal, IdealConfig};
pub use ladder::Ladder;
use ladder::{Peers, Period};
pub use minstrel::{Minstrel, MinstrelConfig};
pub use onoe::{Onoe, OnoeConfig};
pub use plan::RatePlan;
pub use rbar::{Rbar, RbarConfig};
pub use registry::{Rate, RateConfig, registry};
pub use s0::{S0, S0Config};

//! TCP packets without payload in a higher access category of Wi-Fi, on a Linux host.
//!
//! The host that sends an ACK can raise it: rules on an access point help uploads of its stations, and rules on a
//! station help its downloads. The rules are an nftables chain at the egress of one device, which local, routed and
//! bridged packets pass before the driver chooses their queue. [`ruleset`] is its text; [`listing`] and [`station`]
//! read what `nft` and `iw` print; [`class`] chooses the access category; [`verdict`] says what could be seen. These
//! are functions of texts. Only [`programs`] runs programs and reads the system; [`command`] puts them together.

pub mod class;
pub mod command;
pub mod device;
pub mod listing;
pub mod programs;
pub mod ruleset;
pub mod service;
pub mod station;
pub mod verdict;

pub use command::Ftca;

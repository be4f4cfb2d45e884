//! IEEE 802.11: medium access, propagation and frame errors.
//!
//! A packet passes the modules in this order: `mac` (access categories contend; frame exchanges),
//! `phy` (frame durations, received power, frame errors), `cell` (the medium that connects the
//! radios).

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "conversions with `as` are not yet replaced by `units::{Narrow, LowBits, Saturate}`"
)]

pub mod cell;
pub mod interference;
pub mod layout;
pub mod mac;
pub mod phy;
pub mod places;
pub mod rate;
pub mod scheme;

pub use airtcp_probe::{ConfigError, Entry};

/// The registered algorithms of all families, for listing.
pub const fn registries() -> [&'static [Entry]; 5] {
    [
        phy::propagation::registry(),
        phy::error::registry(),
        rate::registry(),
        interference::registry(),
        scheme::registry(),
    ]
}

//! 802.11: who transmits when, who hears what, and what comes through.
//!
//! A packet meets the rooms in this order: `mac` (its access category waits for the medium and
//! the exchange runs), `phy` (how long the frame lasts, how strong it arrives, whether it can be
//! decoded), `cell` (the medium that joins the radios).

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

pub use airtcp_probe::{ConfigError, Entry};

/// The registered algorithms of all families, for listing.
pub const fn registries() -> [&'static [Entry]; 4] {
    [
        phy::propagation::registry(),
        phy::error::registry(),
        rate::registry(),
        interference::registry(),
    ]
}

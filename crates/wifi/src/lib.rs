//! IEEE 802.11: medium access, propagation and frame errors.
//!
//! A packet passes the modules in this order: `mac` (access categories contend; frame exchanges),
//! `phy` (frame durations, received power, frame errors), `cell` (the medium that connects the
//! radios).

pub mod cell;
pub mod interference;
pub mod mac;
pub mod node;
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

//! BBR: window and pacing rate from a model of the path, not from losses.
//!
//! [`Bbr1`](super::Bbr1) (`bbr1`) is draft-cardwell-iccrg-bbr-congestion-control-00 of 2017,
//! [`Bbr`] (`bbr`) is version 3 as draft-ietf-ccwg-bbr-06 specifies it. Both estimate the
//! bottleneck bandwidth as the greatest recent delivery rate and the propagation delay as the
//! least recent round-trip time; they pace at a gain times the one and bound what is in flight by a
//! gain times the product. Names in the comments that look like `BBR.cycle_count` or
//! `UpdateMaxBw` are those of the drafts, so that code and draft can be read side by side.
//!
//! Bandwidths are in bits of payload per second, volumes in bytes, gains plain factors. Random
//! choices come from a counter mixed with [`LawParams::seed`](super::LawParams::seed).

#[cfg(test)]
mod feed;
mod filters;
pub(super) mod v1;
mod v3;

pub use v3::{Bbr, BbrConfig};

use airtcp_units::{Saturate, Span};

use super::Promises;

/// What both versions promise: a window for what is in flight, not for what was lost.
fn promises() -> Promises {
    Promises {
        // Packet conservation and a timeout go below the four segments of the model.
        least_segments: 1,
        reduces_on_loss: false,
        restarts_on_timeout: true,
        has_threshold: false,
        grows_only_when_limited: false,
        steady_in_recovery: false,
        ..Promises::default()
    }
}

/// What `gain` times bandwidth (bit/s) times delay amounts to in bytes.
fn volume(gain: f64, bandwidth: u64, delay: Span) -> u64 {
    u64::saturate(gain * bandwidth as f64 * delay.0 as f64 / 8e9)
}

/// The rate in bits per second at which `bytes` leave in `span`.
fn rate_of(bytes: u64, span: Span) -> f64 {
    bytes as f64 * 8e9 / span.0.max(1) as f64
}

//! BBR: window and pacing rate from a model of the path, not from losses.
//!
//! [`Bbr1`](super::Bbr1) (`bbr1`) is draft-cardwell-iccrg-bbr-congestion-control-00 of 2017,
//! [`Bbr`] (`bbr`) is version 3 as draft-ietf-ccwg-bbr-06 specifies it. Both estimate the
//! bottleneck bandwidth as the maximum recent delivery rate, and the propagation delay as the
//! minimum recent round-trip time. Both pace at a gain times the bandwidth, and limit the bytes in
//! flight to a gain times the bandwidth-delay product. Names in the comments such as
//! `BBR.cycle_count` or `UpdateMaxBw` are those of the drafts.
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

/// Promises of both versions: the window limits the bytes in flight and does not answer losses.
fn promises() -> Promises {
    Promises {
        // Packet conservation and a timeout go below the minimum of four segments.
        least_segments: 1,
        reduces_on_loss: false,
        restarts_on_timeout: true,
        has_threshold: false,
        grows_only_when_limited: false,
        steady_in_recovery: false,
        ..Promises::default()
    }
}

/// Gain times bandwidth (bit/s) times delay, in bytes.
fn volume(gain: f64, bandwidth: u64, delay: Span) -> u64 {
    u64::saturate(gain * bandwidth as f64 * delay.0 as f64 / 8e9)
}

/// The rate in bits per second of `bytes` in `span`.
fn rate_of(bytes: u64, span: Span) -> f64 {
    bytes as f64 * 8e9 / span.0.max(1) as f64
}

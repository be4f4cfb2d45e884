//! The rate at which the application writes: the slope between moments at which it had written nothing more.

use airtcp_units::detmath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::levels::quantile;
use super::transmissions::Transmissions;

/// Moments below which there is no rate, and the most that are compared.
const FEW: usize = 3;
const MOST: usize = 500;
/// Part of the time between the first and the last moment that a pair spans at least.
const APART: f64 = 0.3;
/// Largest median deviation of the slopes of an application with one rate.
const ONE_RATE: f64 = 0.1;

/// An application that writes less than the transfer could carry.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Application {
    /// Rate of the application's data, in bit/s.
    pub rate_bps: f64,
    /// Median deviation of the logarithm of the rate between two moments.
    pub spread: f64,
    /// Moments at which it had written nothing more.
    pub pauses: u64,
    /// Median bytes between two moments.
    pub message_bytes: f64,
    /// True if it writes at one rate.
    pub is_steady: bool,
}

/// The rate of the application; none if it paused less than three times.
pub(super) fn application(sent: &Transmissions) -> Option<Application> {
    let every = sent.pauses.len().div_ceil(MOST).max(1);
    let pauses: Vec<_> = sent.pauses.iter().step_by(every).collect();
    let (first, last) = (pauses.first()?, pauses.last()?);
    if sent.pauses.len() < FEW {
        return None;
    }
    let least = APART * (last.since_start_s - first.since_start_s);
    let mut slopes = Vec::new();
    for (place, from) in pauses.iter().enumerate() {
        for to in &pauses[place + 1..] {
            let seconds = to.since_start_s - from.since_start_s;
            if seconds >= least && seconds > 0.0 && to.bytes > from.bytes {
                slopes.push(8.0 * (to.bytes - from.bytes) / seconds);
            }
        }
    }
    if slopes.is_empty() {
        return None;
    }
    slopes.sort_unstable_by(f64::total_cmp);
    let rate_bps = quantile(&slopes, 0.5);
    let mut off: Vec<f64> = slopes.iter().map(|s| detmath::ln(s / rate_bps).abs()).collect();
    off.sort_unstable_by(f64::total_cmp);
    let spread = quantile(&off, 0.5);
    let before = std::iter::once(0.0).chain(sent.pauses.iter().map(|pause| pause.bytes));
    let mut messages: Vec<f64> = before
        .zip(&sent.pauses)
        .map(|(before, pause)| pause.bytes - before)
        .filter(|bytes| *bytes > 0.0)
        .collect();
    messages.sort_unstable_by(f64::total_cmp);
    Some(Application {
        rate_bps,
        spread,
        pauses: sent.pauses.len() as u64,
        message_bytes: quantile(&messages, 0.5),
        is_steady: spread < ONE_RATE,
    })
}

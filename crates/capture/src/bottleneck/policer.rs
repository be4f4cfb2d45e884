//! A policer: a token bucket without a queue drops what exceeds a rate and a burst.
//!
//! For each rate r, a virtual bucket fills with what is accepted and drains at r. A policer drops if it is full, so
//! the bucket has one size at the drops. Rates are tried in steps, and those of what was accepted between drops. The
//! rate and the threshold with the largest likelihood of a two-part loss rate are taken.

use airtcp_units::{Saturate as _, detmath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::levels::{likelihood, quantile};
use super::rate::Rate;
use super::transmissions::{Fate, Transmissions};

/// Losses below which a policer is not looked for.
const FEW: usize = 8;
/// Rates tried: logarithms of the first and the step, and their number, relative to the mean rate.
const FIRST: f64 = -0.1;
const STEP: f64 = 0.02;
const RATES: u32 = 65;
/// Logarithm of the last rate.
const LAST: f64 = FIRST + STEP * 64.0;
/// Pairs of drops between which a rate is taken: at distances of all drops, a half, and so on, some pairs each.
const HALVINGS: u32 = 4;
const PAIRS: usize = 8;
/// Parts of the drops that may be below the threshold.
const BELOW: [f64; 3] = [0.05, 0.15, 0.3];
/// Slack of the threshold, and its least value in bytes.
const SLACK: f64 = 0.98;
const LEAST_BYTES: f64 = 1500.0;
/// What a policer shows: least share lost above the threshold, largest variation of the bucket at its drops, largest
/// part accepted above it, least drops, and largest rate by that of the queue.
const LOST: f64 = 0.3;
const VARIATION: f64 = 0.25;
const ACCEPTED: f64 = 0.5;
const DROPS: f64 = 6.0;
const BELOW_QUEUE: f64 = 0.9;

/// The policer that explains the losses best.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Policer {
    /// Rate of IP packets, in bit/s.
    pub rate_bps: f64,
    /// Bytes that it passes at once.
    pub burst_bytes: f64,
    /// Losses that it explains.
    pub drops: u64,
    /// True if it is one.
    pub found: bool,
    #[serde(skip)]
    pub(super) score: f64,
}

/// The policer that explains the losses best; none with few losses.
pub(super) fn policer(sent: &Transmissions, rate: &Rate) -> Option<Policer> {
    let is_lost = |place: &usize| sent.list[*place].fate == Fate::Lost;
    let lost: Vec<usize> = (0..sent.list.len()).filter(is_lost).collect();
    if lost.len() < FEW {
        return None;
    }
    let delivered = sent.list.iter().filter(|packet| packet.fate == Fate::Delivered);
    let bytes: f64 = delivered.map(|packet| packet.bytes).sum();
    let mean_bps = 8.0 * bytes / sent.duration_s().max(1e-9);
    let mut best: Option<(Policer, Fit)> = None;
    let steps = (0..RATES).map(|step| mean_bps * detmath::exp(FIRST + STEP * f64::from(step)));
    let (least, most) = (mean_bps * detmath::exp(FIRST), mean_bps * detmath::exp(LAST));
    let between = between_drops(sent, &lost);
    for rate_bps in steps.chain(between.into_iter().filter(|bps| (least..=most).contains(bps))) {
        let filled = buckets(sent, rate_bps);
        for found in thresholds(sent, &lost, &filled, rate_bps) {
            if best.as_ref().is_none_or(|(known, _)| found.0.score > known.score) {
                best = Some(found);
            }
        }
    }
    let (mut found, fit) = best?;
    let queue_bps = rate.mode_bps.unwrap_or(f64::INFINITY);
    found.found = fit.lost_share >= LOST
        && fit.variation < VARIATION
        && fit.accepted < ACCEPTED
        && found.drops as f64 >= DROPS.max(lost.len() as f64 / 2.0)
        && found.rate_bps < BELOW_QUEUE * queue_bps;
    Some(found)
}

/// Rates of what was accepted between two drops: a bucket that is full at both has drained as much. A long burst
/// remembers a small error of the rate for a long time, so the steps alone are too coarse for it.
fn between_drops(sent: &Transmissions, lost: &[usize]) -> Vec<f64> {
    let mut accepted = vec![0.0];
    for packet in &sent.list {
        let bytes = if packet.fate == Fate::Lost { 0.0 } else { packet.bytes };
        accepted.push(accepted[accepted.len() - 1] + bytes);
    }
    let mut found = Vec::new();
    for halving in 0..HALVINGS {
        let apart = ((lost.len() - 1) * (PAIRS - 1) / PAIRS) >> halving;
        let starts = lost.len() - apart;
        for first in (0..starts).step_by(starts.div_ceil(PAIRS)) {
            let (from, to) = (lost[first], lost[first + apart]);
            let seconds = sent.list[to].sent_s - sent.list[from].sent_s;
            if seconds > sent.least_rtt_s {
                found.push(8.0 * (accepted[to] - accepted[from]) / seconds);
            }
        }
    }
    found
}

/// How well a policer fits.
struct Fit {
    lost_share: f64,
    variation: f64,
    accepted: f64,
}

/// The bytes in the bucket when each transmission comes.
fn buckets(sent: &Transmissions, rate_bps: f64) -> Vec<f64> {
    let (mut bytes, mut before) = (0.0f64, 0.0);
    let mut found = Vec::with_capacity(sent.list.len());
    for packet in &sent.list {
        bytes = (bytes - (packet.sent_s - before) * rate_bps / 8.0).max(0.0);
        before = packet.sent_s;
        found.push(bytes);
        if packet.fate != Fate::Lost {
            bytes += packet.bytes;
        }
    }
    found
}

fn thresholds(
    sent: &Transmissions,
    lost: &[usize],
    filled: &[f64],
    rate_bps: f64,
) -> Vec<(Policer, Fit)> {
    let mut drops: Vec<f64> = lost.iter().map(|place| filled[*place]).collect();
    drops.sort_unstable_by(f64::total_cmp);
    let others = || {
        let pairs = sent.list.iter().zip(filled);
        pairs.filter(|(packet, _)| packet.fate == Fate::Delivered).map(|(_, bytes)| *bytes)
    };
    let all = others().count();
    let mut found = Vec::new();
    for part in BELOW {
        let place = usize::saturate(part * drops.len() as f64);
        let threshold = drops[place] * SLACK - 1.0;
        if threshold <= LEAST_BYTES {
            continue;
        }
        let first = drops.partition_point(|bytes| *bytes < threshold);
        let own = &drops[first..];
        let (m, n) = (own.len(), drops.len());
        let passed = others().filter(|bytes| *bytes >= threshold).count();
        let whole = likelihood(n as u64, (n + all) as u64);
        let score = likelihood(m as u64, (m + passed) as u64)
            + likelihood((n - m) as u64, (n - m + all - passed) as u64)
            - whole;
        let burst_bytes = quantile(own, 0.5);
        let mean = own.iter().sum::<f64>() / m as f64;
        let square = own.iter().map(|bytes| (bytes - mean) * (bytes - mean)).sum::<f64>();
        let above = others().filter(|bytes| *bytes > burst_bytes * 1.03 + LEAST_BYTES).count();
        let fit = Fit {
            lost_share: m as f64 / (m + passed) as f64,
            variation: (square / m as f64).sqrt() / mean,
            accepted: above as f64 / m as f64,
        };
        let drops = m as u64;
        found.push((Policer { rate_bps, burst_bytes, drops, found: false, score }, fit));
    }
    found
}

//! The rate of the bottleneck, and what kind of rate it is.
//!
//! | kind | when |
//! |---|---|
//! | `steady` | enough slopes agree, and the quarters of the busy time agree |
//! | `varying` | otherwise, if the link was busy for a tenth of the time |
//! | `weak` | otherwise: the value is no more than a lower bound |
//! | `none` | no two packets waited: only the largest rate of arrivals is known |

use airtcp_units::detmath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::slopes::{Run, Slope, mode, runs, slopes};
use super::transmissions::Transmissions;

/// Packets that a pair of arrivals has between them at least.
const APART: f64 = 4.0;
/// Busy packets from which a backlog of two is asked.
const MANY_BUSY: usize = 60;
/// Least slopes of a rate.
const FEW_SLOPES: usize = 10;
/// Support of a steady rate; with fewer than `ENOUGH` busy packets, `SURE`.
const STEADY: f64 = 0.18;
const SURE: f64 = 0.5;
const ENOUGH: usize = 200;
/// Least time of a pair where the clocks of the hosts disturb short ones.
const CLOCK_S: f64 = 1.5e-3;
/// Largest ratio of the rates of quarters of the busy time.
const STEP: f64 = 1.1;
/// Part of the transfer from which a busy link shows how its rate varies.
const BUSY: f64 = 0.1;
/// Part of the busy time in slower or faster phases from which the replay needs them.
const PHASES: f64 = 0.2;

/// What kind of rate was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RateKind {
    /// One rate.
    Steady,
    /// The rate changes.
    Varying,
    /// Too few packets waited: a lower bound.
    Weak,
    /// No two packets waited.
    None,
}

/// The rate of the bottleneck.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rate {
    /// What kind of rate it is.
    pub kind: RateKind,
    /// Rate of IP packets, in bit/s.
    pub value_bps: f64,
    /// The mode of the slopes, in bit/s; none without slopes.
    pub mode_bps: Option<f64>,
    /// Standard deviation of the logarithm of the rate.
    pub relative_sd: f64,
    /// Part of the weight of the slopes that agrees with the mode.
    pub support: f64,
    /// Part of the busy time in phases whose rate is more than 15 % from the mode.
    pub off_share: f64,
    /// True if these phases need a replay of their own.
    pub has_phases: bool,
    /// Packets that found a backlog, in runs.
    pub busy_packets: u64,
    /// Time of these runs.
    pub busy_s: f64,
    /// Largest rate of arrivals over two least round-trip times, in bit/s.
    pub arrived_bps: f64,
}

impl Rate {
    /// The rate of service while packets wait.
    pub(super) fn service_bps(&self) -> f64 {
        self.mode_bps.filter(|_| self.support >= STEADY).unwrap_or(self.value_bps)
    }

    /// Takes the rate that the user tells.
    pub(super) const fn tell(&mut self, rate_bps: f64) {
        self.value_bps = rate_bps;
        self.mode_bps = Some(rate_bps);
        self.kind = RateKind::Steady;
        self.relative_sd = 0.0;
        self.support = 1.0;
    }

    /// Measures the rate.
    pub fn new(sent: &Transmissions, early: &[u64], packet_bytes: f64) -> Self {
        let mut best: Option<Self> = None;
        for least in [2, 1] {
            let Some(found) = Self::at(sent, &runs(sent, early, least), packet_bytes) else {
                continue;
            };
            let is_many = found.busy_packets >= MANY_BUSY as u64;
            let is_better = best.as_ref().is_none_or(|best| found.support > best.support);
            if is_better || best.is_none() {
                best = Some(found);
            }
            if is_many {
                break;
            }
        }
        let mut found = best.unwrap_or(Self {
            kind: RateKind::None,
            value_bps: 0.0,
            mode_bps: None,
            relative_sd: 0.0,
            support: 0.0,
            off_share: 0.0,
            has_phases: false,
            busy_packets: 0,
            busy_s: 0.0,
            arrived_bps: 0.0,
        });
        found.arrived_bps = largest_arrival_bps(sent);
        if found.kind == RateKind::None {
            found.value_bps = found.arrived_bps;
        }
        found
    }

    fn at(sent: &Transmissions, runs: &[Run], packet_bytes: f64) -> Option<Self> {
        let apart = APART * 8.0 * packet_bytes;
        let mut pairs = slopes(runs, apart);
        if pairs.len() < FEW_SLOPES {
            return None;
        }
        let (mut rate, mut support) = mode(&pairs)?;
        if support < SURE {
            let longer = slopes(runs, apart.max(rate * CLOCK_S));
            if longer.len() >= MANY_BUSY
                && let Some((other, better)) = mode(&longer)
                && better > support + 0.05
            {
                (rate, support, pairs) = (other, better, longer);
            }
        }
        let busy_packets: usize = runs.iter().map(|run| run.packets).sum();
        let busy_s: f64 = runs.iter().map(Run::seconds).sum();
        let off_share = off_share(runs, rate);
        let enough = support >= if busy_packets >= ENOUGH { STEADY } else { SURE };
        let mut found = Self {
            kind: RateKind::Weak,
            value_bps: rate,
            mode_bps: Some(rate),
            relative_sd: 0.2,
            support,
            off_share,
            has_phases: false,
            busy_packets: busy_packets as u64,
            busy_s,
            arrived_bps: 0.0,
        };
        if enough && !has_step(runs, apart) {
            found.kind = RateKind::Steady;
            found.has_phases = off_share > PHASES;
            found.relative_sd = spread(&pairs, runs.len(), rate)
                .max(0.06 / (busy_packets as f64).sqrt())
                .max(0.004);
        } else if busy_s > BUSY * sent.duration_s() {
            found.kind = RateKind::Varying;
            found.value_bps = runs.iter().map(Run::bits).sum::<f64>() / busy_s.max(1e-9);
            found.relative_sd = scatter(runs).max(0.05);
        }
        Some(found)
    }
}

/// Part of the busy time of long runs whose own rate is more than 15 % from the mode.
fn off_share(runs: &[Run], rate_bps: f64) -> f64 {
    let (mut off, mut all) = (0.0, 0.0);
    for run in runs.iter().filter(|run| run.packets >= 10) {
        all += run.seconds();
        if detmath::ln(run.rate_bps() / rate_bps).abs() > 0.15 {
            off += run.seconds();
        }
    }
    if all > 0.0 { off / all } else { 0.0 }
}

/// True if the modes of the quarters of the busy packets differ.
fn has_step(runs: &[Run], apart: f64) -> bool {
    let total: usize = runs.iter().map(|run| run.packets).sum();
    if total < 80 {
        return false;
    }
    let (mut quarters, mut sum) = ([const { Vec::new() }; 4], 0);
    for run in runs {
        sum += run.packets;
        quarters[(4 * sum).div_ceil(total).clamp(1, 4) - 1].push(run.clone());
    }
    let known: Vec<f64> = quarters
        .iter()
        .map(|quarter| slopes(quarter, apart))
        .filter(|pairs| pairs.len() > FEW_SLOPES)
        .filter_map(|pairs| mode(&pairs))
        .filter(|found| found.1 >= 0.3)
        .map(|found| found.0)
        .collect();
    let least = known.iter().copied().fold(f64::INFINITY, f64::min);
    let most = known.iter().copied().fold(0.0, f64::max);
    known.len() >= 3 && most > STEP * least
}

/// Twice the standard error of the slopes near the mode, where each run counts once.
fn spread(pairs: &[Slope], runs: usize, rate_bps: f64) -> f64 {
    let middle = detmath::ln(rate_bps);
    let near: Vec<&Slope> = pairs.iter().filter(|s| (s.log_rate - middle).abs() < 0.1).collect();
    let weight: f64 = near.iter().map(|slope| slope.weight).sum();
    let mean = near.iter().map(|s| s.weight * s.log_rate).sum::<f64>() / weight;
    let square = |s: &&Slope| s.weight * (s.log_rate - mean) * (s.log_rate - mean);
    let variance = near.iter().map(square).sum::<f64>() / weight;
    let mut by_run = vec![0.0; runs];
    for slope in &near {
        by_run[slope.run] += slope.weight;
    }
    let squares: f64 = by_run.iter().map(|weight| weight * weight).sum();
    let effective = (weight * weight / squares.max(1e-9)).max(1.0);
    2.0 * variance.sqrt() / effective.sqrt()
}

/// Twice the standard error of the logarithms of the rates of runs.
fn scatter(runs: &[Run]) -> f64 {
    let long = runs.iter().filter(|run| run.packets >= 10);
    let rates: Vec<f64> = long.map(|run| detmath::ln(run.rate_bps().max(1.0))).collect();
    let n = rates.len() as f64;
    if rates.len() <= 3 {
        return 0.4 / (runs.len().max(1) as f64).sqrt();
    }
    let mean = rates.iter().sum::<f64>() / n;
    let variance = rates.iter().map(|rate| (rate - mean) * (rate - mean)).sum::<f64>() / n;
    2.0 * variance.sqrt() / (runs.len() as f64).sqrt()
}

/// The largest rate of arrivals over two least round-trip times.
fn largest_arrival_bps(sent: &Transmissions) -> f64 {
    let window = 2.0 * sent.least_rtt_s;
    let arrival =
        |packet: &super::transmissions::Transmission| Some((packet.acked_s?, packet.bytes));
    let mut arrivals: Vec<(f64, f64)> = sent.list.iter().filter_map(arrival).collect();
    arrivals.sort_by(|a, b| a.0.total_cmp(&b.0));
    let span = arrivals.last().map_or(0.0, |last| last.0 - arrivals[0].0);
    let window = window.max(1e-3).min(span.max(1e-3));
    let (mut bytes, mut begin, mut most) = (0.0, 0, 0.0f64);
    for (at, more) in &arrivals {
        bytes += more;
        while arrivals[begin].0 <= at - window {
            bytes -= arrivals[begin].1;
            begin += 1;
        }
        most = most.max(bytes);
    }
    8.0 * most / window
}

//! Published formulas for TCP's rate over losses without bursts.
//!
//! All give packets per second (times the MSS: bytes per second) from a loss probability `p`, a
//! round-trip time in seconds, and `b`, the segments per acknowledgement:
//!
//! - the square-root law, `1/RTT sqrt(3 / (2 b p))` for evenly spaced losses (Mathis, Semke,
//!   Mahdavi, Ott 1997, eq. 3), and with S1's constant, `1.3 / (RTT sqrt p)` (S1 section 4;
//!   1.31 is that paper's constant for random losses and `b = 1`);
//! - Padhye, Firoiu, Towsley, Kurose 1998: the full model with timeouts and the largest window
//!   (eq. 29 to 32), the throughput it leaves at the receiver, and the approximation (eq. 33);
//! - TFRC's equation, RFC 5348 section 3.1, which is this approximation without a largest window
//!   and without the bound on the probability of a timeout.
//!
//! `p` is the probability that a packet starts a loss event (Padhye: the first loss of a round,
//! after which the rest of the round is lost). S1 and [`predictions`] use the packet loss rate.
//! Left out: slow start, the handshake, and limits of the application.

use airtcp_units::detmath::{exp_m1, ln_1p, pow};
use airtcp_units::tfrc_seconds_per_segment;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::altman;
use super::error::FitError;
use super::fits::Prediction;
use super::solve::Data;

/// S1's constant of the square-root law.
pub const S1_CONSTANT: f64 = 1.3;

/// The square-root law with S1's constant: packets per second at loss probability `p`. Infinite
/// without loss.
pub fn mathis(p: f64, rtt_s: f64) -> f64 {
    S1_CONSTANT / (rtt_s * p.sqrt())
}

/// The square-root law for evenly spaced losses, `sqrt(3 / (2 b p)) / RTT`: packets per second
/// with an acknowledgement for every `b` segments. Infinite without loss.
pub fn square_root(p: f64, rtt_s: f64, b: f64) -> f64 {
    (3.0 / (2.0 * b * p)).sqrt() / rtt_s
}

/// A path as Padhye's model sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Path {
    /// Round-trip time, seconds.
    pub rtt_s: f64,
    /// First retransmission timeout `T0`, seconds; it doubles up to six times.
    pub timeout_s: f64,
    /// Segments per acknowledgement.
    pub b: f64,
    /// Largest window, packets.
    pub max_window: f64,
}

/// `1 - (1 - p)^w`: the probability of a loss among `w` packets, accurate for small `p`.
fn any_lost(p: f64, w: f64) -> f64 {
    if p >= 1.0 { 1.0 } else { -exp_m1(w * ln_1p(-p)) }
}

/// Probability that a loss in a window of `w` packets leads to a timeout (Padhye, eq. 24): `min(1,
/// (1 - (1-p)^3)(1 + (1-p)^3 (1 - (1-p)^(w-3))) / (1 - (1-p)^w))`.
pub fn timeout_chance(p: f64, w: f64) -> f64 {
    // The product is written out to avoid 0 times infinity at p = 1 and w < 3.
    let kept = pow(1.0 - p, 3.0) - pow(1.0 - p, w);
    (any_lost(p, 3.0) * (1.0 + kept) / any_lost(p, w)).min(1.0)
}

/// Mean unconstrained window when a loss is found (Padhye, eq. 13).
pub fn unlimited_window(p: f64, b: f64) -> f64 {
    let c = (2.0 + b) / (3.0 * b);
    c + (8.0 * (1.0 - p) / (3.0 * b * p) + c * c).sqrt()
}

/// `f(p)`: mean duration of a run of timeouts times `1 - p`, in units of the first (eq. 29).
fn backoff(p: f64) -> f64 {
    1.0 + p * (1.0 + p * (2.0 + p * (4.0 + p * (8.0 + p * (16.0 + p * 32.0)))))
}

/// Rounds of a period between losses, and the window at its end, in either branch of the model.
fn period(p: f64, path: &Path) -> (f64, f64) {
    let wanted = unlimited_window(p, path.b);
    if wanted < path.max_window {
        return (path.b / 2.0 * wanted + 1.0, wanted);
    }
    let w = path.max_window;
    (path.b / 8.0 * w + (1.0 - p) / (p * w) + 2.0, w)
}

/// Padhye's full model (eq. 32): packets sent per second, retransmissions included. Without loss
/// it is the largest window per round trip.
pub fn padhye(p: f64, path: &Path) -> f64 {
    full_model(p, path, |w, q| (1.0 - p) * ((1.0 - p) / p + w) + q)
}

/// Padhye's full model, with the packets that the receiver gets: half of the window in which the
/// sender finds a loss, and one packet of a run of timeouts (Padhye et al. 2000, section V).
pub fn padhye_throughput(p: f64, path: &Path) -> f64 {
    full_model(p, path, |w, q| (1.0 - p) * ((1.0 - p) / p + w / 2.0 + q))
}

/// Packets per second of a period between losses. `packets` gives the packets of the period, times
/// `1 - p`, from its window and its chance of a timeout.
fn full_model(p: f64, path: &Path, packets: impl Fn(f64, f64) -> f64) -> f64 {
    let largest = path.max_window / path.rtt_s;
    if p <= 0.0 {
        return largest;
    }
    let (rounds, w) = period(p, path);
    let q = timeout_chance(p, w);
    // Both sides of the equation's fraction are times 1 - p, so that p = 1 needs no limit.
    let seconds = (1.0 - p) * path.rtt_s * rounds + q * path.timeout_s * backoff(p);
    (packets(w, q) / seconds).min(largest)
}

/// Padhye's approximation (eq. 33): `min(Wmax/RTT, 1 / (RTT sqrt(2bp/3) + T0 min(1, 3
/// sqrt(3bp/8)) p (1 + 32 p^2)))`, packets per second.
pub fn padhye_approximate(p: f64, path: &Path) -> f64 {
    let chance = (3.0 * (3.0 * path.b * p / 8.0).sqrt()).min(1.0);
    let seconds = path.rtt_s * (2.0 * path.b * p / 3.0).sqrt()
        + path.timeout_s * chance * p * (1.0 + 32.0 * p * p);
    (path.max_window / path.rtt_s).min(1.0 / seconds)
}

/// TFRC's equation (RFC 5348 section 3.1), packets per second at loss event rate `p`; times the
/// segment size it is `X_Bps`. The RFC takes `b = 1` and `timeout_s = 4 rtt_s`. Infinite
/// without loss.
pub fn tfrc(p: f64, rtt_s: f64, timeout_s: f64, b: f64) -> f64 {
    1.0 / tfrc_seconds_per_segment(rtt_s, timeout_s, p, b)
}

/// Parameters of the formulas for slotted links, in slots.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FormulaOptions {
    /// Round-trip time: a slot for the packet and one for its acknowledgement.
    pub rtt_slots: f64,
    /// First retransmission timeout; S1's least timeout is 100 slots.
    pub timeout_slots: f64,
    /// Segments per acknowledgement. TFRC's equation always takes 1, as the RFC does.
    pub segments_per_ack: f64,
    /// Largest window, packets; S1's is 130.
    pub max_window: f64,
}

impl Default for FormulaOptions {
    fn default() -> Self {
        Self { rtt_slots: 2.0, timeout_slots: 100.0, segments_per_ack: 2.0, max_window: 130.0 }
    }
}

impl FormulaOptions {
    pub(super) fn validate(&self) -> Result<(), FitError> {
        let positive = |option, value: f64| {
            if value > 0.0 && value <= 1e9 {
                return Ok(());
            }
            let accepted = "more than 0, up to 1000000000";
            Err(FitError::Range { option, found: value.to_string(), accepted })
        };
        positive("rtt_slots", self.rtt_slots)?;
        positive("timeout_slots", self.timeout_slots)?;
        positive("segments_per_ack", self.segments_per_ack)?;
        positive("max_window", self.max_window)
    }
}

/// A formula for slotted links: packets per slot from PRR and mu.
struct Formula {
    name: &'static str,
    text: &'static str,
    source: &'static str,
    rate: fn(prr: f64, mu: f64, options: &FormulaOptions) -> f64,
}

fn path(options: &FormulaOptions) -> Path {
    Path {
        rtt_s: options.rtt_slots,
        timeout_s: options.timeout_slots,
        b: options.segments_per_ack,
        max_window: options.max_window,
    }
}

const FORMULAS: [Formula; 6] = [
    Formula {
        name: "mathis",
        text: "1.3 / (RTT sqrt p)",
        source: "Srinivasan et al., PRR Is Not Enough, section 4; Mathis et al. 1997",
        rate: |prr, _, o| mathis(1.0 - prr, o.rtt_slots),
    },
    Formula {
        name: "square-root",
        text: "sqrt(3 / (2 b p)) / RTT",
        source: "Mathis et al. 1997, eq. 3",
        rate: |prr, _, o| square_root(1.0 - prr, o.rtt_slots, o.segments_per_ack),
    },
    Formula {
        name: "padhye",
        text: "full model, received",
        source: "Padhye et al. 1998, eq. 29 to 32; 2000, section V",
        rate: |prr, _, o| padhye_throughput(1.0 - prr, &path(o)),
    },
    Formula {
        name: "padhye-approximate",
        text: "1 / (RTT sqrt(2bp/3) + T0 min(1, 3 sqrt(3bp/8)) p (1 + 32 p^2))",
        source: "Padhye et al. 1998, eq. 33",
        rate: |prr, _, o| padhye_approximate(1.0 - prr, &path(o)),
    },
    Formula {
        name: "tfrc",
        text: "1 / (RTT sqrt(2p/3) + 12 RTT sqrt(3p/8) p (1 + 32 p^2))",
        source: "RFC 5348, section 3.1, with b = 1 and t_RTO = 4 RTT",
        rate: |prr, _, o| tfrc(1.0 - prr, o.rtt_slots, 4.0 * o.rtt_slots, 1.0),
    },
    Formula {
        name: "altman",
        text: "PRR (2 - h/2) / (b RTT^2 h), h = (1-PRR)(1-mu)",
        source: "Altman, Avrachenkov, Barakat 2000, for bad periods of a Gilbert-Elliott chain",
        rate: |prr, mu, o| altman::bad_periods(prr, mu, o.rtt_slots, o.segments_per_ack),
    },
];

/// The formulas over the links; a link without mu is taken as independent.
pub(super) fn predictions(data: &Data<'_>, options: &FormulaOptions) -> Vec<Prediction> {
    FORMULAS
        .iter()
        .map(|formula| {
            let raw: Vec<f64> = data
                .links
                .iter()
                .map(|link| (formula.rate)(link.prr, link.mu.unwrap_or(0.0), options))
                .collect();
            let shares: Vec<f64> = raw.iter().map(|rate| rate.min(1.0)).collect();
            let error = data.error(&shares);
            Prediction {
                name: formula.name.into(),
                formula: formula.text.into(),
                source: formula.source.into(),
                error,
                bic: data.bic(0, error),
                limited: raw.iter().filter(|rate| **rate > 1.0).count(),
                estimates: data.rates(&shares),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests;

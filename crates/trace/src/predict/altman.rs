//! TCP's rate when losses follow a two-state chain: Altman, Avrachenkov and Barakat, "A
//! stochastic model of TCP/IP with stationary random losses" (SIGCOMM 2000; ToN 13(2), 2005).
//!
//! The model is fluid: the rate `X` (packets per second) grows by `alpha = 1 / (b RTT^2)` a
//! second, and each loss multiplies it by `nu` (1/2). Losses come at times that do not depend
//! on the rate, with stationary intervals `S_n` of mean `1/lambda`. The rate just before a loss
//! is `Z_n = alpha sum_{k>=0} nu^k S_{n-1-k}`, and the packets of an interval are `nu Z_n S_n +
//! alpha S_n^2 / 2`. So the mean rate is (the paper's theorem for the throughput)
//!
//! ```text
//! X = lambda alpha (E[S^2] / 2 + sum_{k>=1} nu^k E[S_0 S_k])
//! ```
//!
//! With `p = lambda / X`, the losses per packet, and `c_k` the covariances of the intervals over
//! their squared mean, this is a square-root law whose constant contains the statistics of the
//! losses: `X = sqrt((1 + nu) / (2 (1 - nu)) + c_0 / 2 + sum nu^k c_k) / (RTT sqrt(b p))`:
//! `sqrt(3/2)` for even losses, `sqrt(2)` for Poisson ones.
//!
//! [`Chain`] gives the sums in closed form for a two-state chain that steps once per slot. Each
//! state has a loss probability, and each loss halves the rate. With `D0 = diag(1 - l) Q` (steps
//! without loss), `D1 = diag(l) Q` and `M = (I - D0)^-1`: `P = M D1` steps from loss to loss, with
//! stationary `phi`; `E[S^2] = phi M^2 (I + D0) 1`, `sum nu^k E[S_0 S_k] = nu phi M^2 D1 (I - nu
//! P)^-1 M 1`.
//!
//! [`bad_periods`] is the form for links as S1 models them: all packets of the bad state are lost,
//! and a bad period is one loss event, during which nothing arrives and the rate does not change.
//! Good periods are geometric and independent, so no covariance is left: `X = alpha (E[G^2]/2 +
//! nu/(1-nu) E[G]^2) / (E[G] + E[L])`.
//!
//! Left out: timeouts, a largest window, slow start, and unused slots. If TCP sends in few slots,
//! the model still applies every loss of the link.

/// Decrease at a loss.
const NU: f64 = 0.5;

type Matrix = [[f64; 2]; 2];

const UNIT: Matrix = [[1.0, 0.0], [0.0, 1.0]];

fn times(a: Matrix, b: Matrix) -> Matrix {
    let entry = |i: usize, j: usize| a[i][0] * b[0][j] + a[i][1] * b[1][j];
    [[entry(0, 0), entry(0, 1)], [entry(1, 0), entry(1, 1)]]
}

fn applied(a: Matrix, v: [f64; 2]) -> [f64; 2] {
    [a[0][0] * v[0] + a[0][1] * v[1], a[1][0] * v[0] + a[1][1] * v[1]]
}

/// `a + factor b`.
fn plus(a: Matrix, factor: f64, b: Matrix) -> Matrix {
    let entry = |i: usize, j: usize| a[i][j] + factor * b[i][j];
    [[entry(0, 0), entry(0, 1)], [entry(1, 0), entry(1, 1)]]
}

fn inverse(a: Matrix) -> Option<Matrix> {
    let det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    (det > 0.0).then(|| [[a[1][1] / det, -a[0][1] / det], [-a[1][0] / det, a[0][0] / det]])
}

/// A two-state chain of losses, which steps once per slot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chain {
    /// Chance to leave the bad state in a slot.
    pub g: f64,
    /// Chance to leave the good state in a slot.
    pub b: f64,
    /// Loss probability in the good state.
    pub loss_good: f64,
    /// Loss probability in the bad state.
    pub loss_bad: f64,
}

/// Statistics of the intervals between losses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Intervals {
    /// Losses per slot, `lambda`.
    pub rate: f64,
    /// `E[S^2]`, slots squared.
    pub second_moment: f64,
    /// `sum_{k>=1} nu^k E[S_0 S_k]` with `nu` = 1/2, slots squared.
    pub correlations: f64,
}

impl Chain {
    /// The intervals between losses. `None` if the numbers are no probabilities, or the chain never
    /// changes state or has no losses.
    pub fn intervals(&self) -> Option<Intervals> {
        let all = [self.g, self.b, self.loss_good, self.loss_bad];
        if all.iter().any(|p| !(0.0..=1.0).contains(p)) || self.g + self.b == 0.0 {
            return None;
        }
        let lost = [self.loss_good, self.loss_bad];
        let steps: Matrix = [[1.0 - self.b, self.b], [self.g, 1.0 - self.g]];
        let row = |i: usize, part: f64| [part * steps[i][0], part * steps[i][1]];
        let without = [row(0, 1.0 - lost[0]), row(1, 1.0 - lost[1])];
        let with = [row(0, lost[0]), row(1, lost[1])];
        let m = inverse(plus(UNIT, -1.0, without))?;
        // Stationary states just after a loss: those of the chain, weighted with losses.
        let rate = (self.g * lost[0] + self.b * lost[1]) / (self.g + self.b);
        if rate <= 0.0 {
            return None;
        }
        let weight = [self.g * lost[0], self.b * lost[1]];
        let after = [
            weight[0] * steps[0][0] + weight[1] * steps[1][0],
            weight[0] * steps[0][1] + weight[1] * steps[1][1],
        ];
        let phi = after.map(|a| a / ((self.g + self.b) * rate));
        let mean = |v: [f64; 2]| phi[0] * v[0] + phi[1] * v[1];
        let ones = [1.0, 1.0];
        let squared = times(m, m);
        let onward = inverse(plus(UNIT, -NU, times(m, with)))?;
        let later = applied(onward, applied(m, ones));
        Some(Intervals {
            rate,
            second_moment: mean(applied(squared, applied(plus(UNIT, 1.0, without), ones))),
            correlations: NU * mean(applied(squared, applied(with, later))),
        })
    }

    /// Mean rate in packets per second with slots of `slot_s`, a round-trip time of `rtt_s`
    /// and an acknowledgement for every `b` segments, each loss halving the rate. `None` as
    /// for [`intervals`](Self::intervals).
    pub fn throughput(&self, slot_s: f64, rtt_s: f64, b: f64) -> Option<f64> {
        let i = self.intervals()?;
        let growth = slot_s / (b * rtt_s * rtt_s);
        Some(growth * i.rate * (i.second_moment / 2.0 + i.correlations))
    }
}

/// Goodput over a Gilbert-Elliott chain whose bad state loses everything, in packets per slot: each
/// bad period halves the rate once, and nothing arrives while it lasts. `rtt_slots` is the
/// round-trip time, `b` the segments per acknowledgement. With `h = (1 - prr)(1 - mu)`, the
/// probability that a good period ends, it is `prr (2 - h/2) / (b RTT^2 h)`; infinite without loss.
pub fn bad_periods(prr: f64, mu: f64, rtt_slots: f64, b: f64) -> f64 {
    let end = ((1.0 - prr) * (1.0 - mu)).min(1.0);
    if prr <= 0.0 {
        return 0.0;
    }
    prr * (2.0 - end / 2.0) / (b * rtt_slots * rtt_slots * end)
}

/// The fluid model itself, over measured intervals between losses (seconds): mean rate in packets
/// per second when the rate grows by `growth` packets per second each second and every interval
/// ends in a halving. The rate starts at zero. `None` without an interval.
pub fn fluid(intervals_s: impl IntoIterator<Item = f64>, growth: f64) -> Option<f64> {
    let (mut rate, mut packets, mut seconds) = (0.0, 0.0, 0.0);
    for s in intervals_s {
        packets += rate * s + growth * s * s / 2.0;
        rate = NU * (rate + growth * s);
        seconds += s;
    }
    (seconds > 0.0).then(|| packets / seconds)
}

#[cfg(test)]
mod tests;

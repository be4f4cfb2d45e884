//! The conditional packet delivery function and the beta factor (Srinivasan, Kazandjieva, Agarwal
//! and Levis, "The beta-factor: measuring wireless link burstiness", SenSys 2008).
//!
//! `C(k)`, k > 0, is the probability that a packet is received after k received packets; `C(-k)`
//! after k lost packets. An independent link has `C(k) = PRR` everywhere, the ideal bursty link `C
//! = 1` right of zero and `C = 0` left of it. With KW the mean absolute difference to the ideal
//! bursty link (the paper's Kantorovich-Wasserstein distance), `beta = (KW(I) - KW(E)) / KW(I)`: 0
//! for an independent link, 1 for the ideal bursty one. For a Gilbert-Elliott chain `C(k) = 1 - b`
//! and `C(-k) = g`, hence beta = mu exactly.
//!
//! Our choices: a point needs 100 samples (`min_samples`), the largest k is 100, the independent
//! link is averaged over the same k as the trace, and at least one point on each side of zero is
//! required.

use airtcp_units::{Narrow, Outcomes};
use serde::{Deserialize, Serialize};

use super::runs::{Bursts, RunStats};

/// One point of the conditional packet delivery function.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CpdfPoint {
    /// Number of equal outcomes before the packet: received if positive, lost if negative.
    pub k: i32,
    /// Share of packets received after them.
    pub probability: f64,
    /// Packets after k such outcomes.
    pub samples: u64,
}

/// `C(k)` for k = -max_k ..= max_k without 0, by rising k; points with fewer than `min_samples`
/// samples are left out.
pub fn cpdf(runs: &RunStats, max_k: u32, min_samples: u64) -> Vec<CpdfPoint> {
    let cut = |received| match runs.last {
        Some((outcome, length)) if outcome == received => length,
        _ => 0,
    };
    let keep = |p: &CpdfPoint| p.samples >= min_samples.max(1);
    let mut points: Vec<_> = side(&runs.loss, max_k, cut(false))
        .into_iter()
        .map(|tail| {
            let samples = tail.positions - tail.cut;
            // The packet after a whole burst of losses is received; all others in it are lost.
            let received = tail.bursts - tail.cut;
            CpdfPoint { k: -tail.k, probability: received as f64 / samples as f64, samples }
        })
        .filter(keep)
        .collect();
    let success = side(&runs.success, max_k, cut(true)).into_iter().rev().map(|tail| {
        let samples = tail.positions - tail.cut;
        let received = tail.positions - tail.bursts;
        CpdfPoint { k: tail.k, probability: received as f64 / samples as f64, samples }
    });
    points.extend(success.filter(keep));
    points
}

/// The contribution of the bursts of length k or more.
struct Tail {
    k: i32,
    /// Bursts of length >= k.
    bursts: u64,
    /// Places after k equal outcomes of a burst, the place after the burst included.
    positions: u64,
    /// 1 if the last run of the trace is among them, which no packet follows.
    cut: u64,
}

/// Tails for k = max_k down to 1.
fn side(bursts: &Bursts, max_k: u32, last_run: u64) -> Vec<Tail> {
    let mut out = Vec::new();
    let mut histogram = bursts.histogram.iter().rev().peekable();
    let (mut count, mut packets) = (0u64, 0u64);
    for k in (1..=u64::from(max_k)).rev() {
        while let Some(&&(length, n)) = histogram.peek() {
            if length < k {
                break;
            }
            count += n;
            packets += length * n;
            histogram.next();
        }
        if count > 0 {
            // Each burst of length L has L - k + 1 such places.
            let positions = packets - count * (k - 1);
            let cut = u64::from(last_run >= k);
            out.push(Tail {
                k: i32::try_from(k).unwrap_or(i32::MAX),
                bursts: count,
                positions,
                cut,
            });
        }
    }
    out
}

/// The beta factor of a CPDF and the PRR of its trace; see the module's text. Points with fewer
/// than `min_samples` samples do not count.
pub fn beta(points: &[CpdfPoint], prr: f64, min_samples: u64) -> Option<f64> {
    let (mut independent, mut empirical) = (0.0, 0.0);
    let (mut left, mut right) = (0, 0);
    for point in points.iter().filter(|p| p.samples >= min_samples) {
        if point.k > 0 {
            right += 1;
            independent += 1.0 - prr;
            empirical += 1.0 - point.probability;
        } else {
            left += 1;
            independent += prr;
            empirical += point.probability;
        }
    }
    (left > 0 && right > 0 && independent > 0.0).then(|| (independent - empirical) / independent)
}

/// The autocorrelation of the outcomes at each lag that fits the trace:
/// `(lag, r)` with `r = mean((x_i - PRR)(x_(i+lag) - PRR)) / (PRR (1 - PRR))`. Empty for a
/// trace of equal outcomes, which has no variance. A Gilbert-Elliott chain has `r = mu^lag`.
pub fn autocorrelation(trace: &Outcomes, lags: &[u64]) -> Vec<(u64, f64)> {
    let n = trace.len();
    let prr = trace.received() as f64 / n.max(1) as f64;
    let variance = prr * (1.0 - prr);
    if variance <= 0.0 {
        return Vec::new();
    }
    let of = |lag: usize| {
        let pairs = n - lag;
        let (mut both, mut first, mut second) = (0u64, 0u64, 0u64);
        let mut at = 0;
        while at < pairs {
            let width = (pairs - at).min(64);
            let mask = u64::MAX >> (64 - width);
            let (a, b) = (trace.bits_at(at) & mask, trace.bits_at(at + lag) & mask);
            both += u64::from((a & b).count_ones());
            first += u64::from(a.count_ones());
            second += u64::from(b.count_ones());
            at += width;
        }
        let m = pairs as f64;
        let covariance = (both as f64 - prr * (first + second) as f64) / m + prr * prr;
        covariance / variance
    };
    lags.iter()
        .filter(|lag| (1..n as u64).contains(*lag))
        .map(|&lag| (lag, of(usize::narrow(lag))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn brute(bits: &[bool], k: i32) -> Option<CpdfPoint> {
        let width = k.unsigned_abs() as usize;
        let (mut samples, mut received) = (0u64, 0u64);
        for i in width..bits.len() {
            if bits[i - width..i].iter().all(|x| *x == (k > 0)) {
                samples += 1;
                received += u64::from(bits[i]);
            }
        }
        (samples > 0).then(|| CpdfPoint {
            k,
            probability: received as f64 / samples as f64,
            samples,
        })
    }

    proptest! {
        #[test]
        fn cpdf_is_what_it_says(pieces in proptest::collection::vec((any::<bool>(), 1usize..9), 0..60)) {
            let bits: Vec<bool> = pieces.iter().flat_map(|&(x, n)| std::iter::repeat_n(x, n)).collect();
            let trace: Outcomes = bits.iter().copied().collect();
            let expected: Vec<_> = (-12..=12).filter(|k| *k != 0).filter_map(|k| brute(&bits, k)).collect();
            prop_assert_eq!(cpdf(&RunStats::of(&trace), 12, 1), expected);
        }

        #[test]
        fn autocorrelation_is_what_it_says(bits in proptest::collection::vec(any::<bool>(), 2..300), lag in 1u64..80) {
            let trace: Outcomes = bits.iter().copied().collect();
            let x: Vec<f64> = bits.iter().map(|b| f64::from(u8::from(*b))).collect();
            let mean = x.iter().sum::<f64>() / x.len() as f64;
            let got = autocorrelation(&trace, &[lag]);
            let lag = usize::narrow(lag);
            if lag >= x.len() || mean == 0.0 || (mean - 1.0).abs() < 1e-12 {
                prop_assert!(got.is_empty());
            } else {
                let pairs: Vec<f64> = (0..x.len() - lag)
                    .map(|i| (x[i] - mean) * (x[i + lag] - mean)).collect();
                let expected = pairs.iter().sum::<f64>() / pairs.len() as f64 / (mean * (1.0 - mean));
                prop_assert!((got[0].1 - expected).abs() < 1e-9, "{} {}", got[0].1, expected);
            }
        }
    }

    #[test]
    fn beta_of_the_two_reference_links() {
        let point = |k, probability| CpdfPoint { k, probability, samples: 1000 };
        let ideal = [point(-2, 0.0), point(-1, 0.0), point(1, 1.0)];
        assert_eq!(beta(&ideal, 0.3, 100), Some(1.0));
        let independent = [point(-2, 0.3), point(-1, 0.3), point(1, 0.3)];
        assert!(beta(&independent, 0.3, 100).unwrap().abs() < 1e-12);
        assert_eq!(beta(&ideal[..2], 0.3, 100), None);
        assert_eq!(beta(&ideal, 0.3, 1001), None);
    }
}

//! Semi-Markov traces: runs of successes and of losses alternate, each kind with its length
//! distribution.
//!
//! With geometric lengths this is a Gilbert-Elliott chain. Real links have rare very long bursts
//! that no such chain has (S1 figure 20); heavy-tailed, empirical and mixed lengths do. The trace
//! begins at the start of a run, whose kind is drawn in proportion to the mean lengths.

use airtcp_random::Stream;
use airtcp_units::{Outcomes, Saturate, detmath};
use serde::{Deserialize, Serialize};

use super::error::SynthError;
use super::geometric::{Geometric, append_run};
use super::gilbert::GeParams;

/// The length distribution of runs of one kind, in packets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "lengths", rename_all = "kebab-case")]
pub enum RunLengths {
    /// Memoryless, with the given mean (at least 1).
    Geometric {
        /// Mean length, packets.
        mean: f64,
    },
    /// Discrete Pareto: `P(L >= k) = (min / k)^shape` for k >= min, cut at `max`.
    Pareto {
        /// Tail index; the mean is finite above 1 without the cut, the variance above 2.
        shape: f64,
        /// Shortest run, packets.
        min: u64,
        /// Longest run, packets.
        max: u64,
    },
    /// Discrete Weibull (Nakagawa and Osaki 1975): `P(L > k) = q^(k^shape)`.
    Weibull {
        /// P(L > 1), between 0 and 1.
        q: f64,
        /// Below 1 the tail is heavier than geometric, at 1 it is geometric.
        shape: f64,
    },
    /// Lengths with their observed counts: `(length, count)`.
    Empirical {
        /// Length in packets and how often it occurs.
        histogram: Vec<(u64, u64)>,
    },
    /// One of several, drawn anew for each run.
    Mixture {
        /// The parts and their weights.
        parts: Vec<Part>,
    },
}

/// A part of a [`RunLengths::Mixture`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Share of the runs, relative to the other parts.
    pub weight: f64,
    /// Lengths of these runs.
    pub of: RunLengths,
}

/// Alternating runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SemiMarkov {
    /// Lengths of runs of received packets.
    pub success: RunLengths,
    /// Lengths of runs of lost packets.
    pub loss: RunLengths,
}

/// Mixtures within mixtures deeper than this are refused.
const MAX_DEPTH: u32 = 8;

impl SemiMarkov {
    /// A link with the PRR and mu of a Gilbert-Elliott chain, whose success runs are mostly short
    /// except for a share `long_share` with mean `long_mean` packets. Pair counts do not
    /// distinguish this link from the chain, but TCP does. The other runs have the mean that keeps
    /// the overall mean at `1/b`.
    pub fn rare_long_bursts(
        prr: f64,
        mu: f64,
        long_share: f64,
        long_mean: f64,
    ) -> Result<Self, SynthError> {
        let chain = GeParams::from_prr_mu(prr, mu)?;
        let share = SynthError::probability("long_share", long_share)?;
        if chain.b <= 0.0 || chain.g <= 0.0 || share >= 1.0 {
            let accepted = "rare long bursts need 0 < PRR < 1 and a share of long runs below 1";
            return Err(SynthError::new("prr", prr, accepted));
        }
        let short = (1.0 / chain.b - share * long_mean) / (1.0 - share);
        if !(long_mean >= 1.0 && short >= 1.0) {
            let most = (1.0 / chain.b - (1.0 - share)) / share;
            return Err(SynthError::new(
                "long_mean",
                long_mean,
                format!(
                    "at PRR {prr}, mu {mu} and a share of {share} it is from 1 to {most:.3} packets"
                ),
            ));
        }
        let part = |weight, mean| Part { weight, of: RunLengths::Geometric { mean } };
        Ok(Self {
            success: RunLengths::Mixture {
                parts: vec![part(1.0 - share, short), part(share, long_mean)],
            },
            loss: RunLengths::Geometric { mean: 1.0 / chain.g },
        })
    }

    /// Mean share of packets received: mean success run over the sum of both means.
    pub fn prr(&self) -> Result<f64, SynthError> {
        let (success, loss) = (Sampler::new(&self.success)?, Sampler::new(&self.loss)?);
        Ok(success.mean / (success.mean + loss.mean))
    }

    pub(super) fn generate(&self, n: usize, stream: &mut Stream) -> Result<Outcomes, SynthError> {
        let samplers = [Sampler::new(&self.loss)?, Sampler::new(&self.success)?];
        let mut out = Outcomes::with_capacity(n);
        if n == 0 {
            return Ok(out);
        }
        let share = samplers[1].mean / (samplers[0].mean + samplers[1].mean);
        let mut received = stream.chance(share);
        while append_run(&mut out, received, samplers[usize::from(received)].draw(stream), n) {
            received = !received;
        }
        Ok(out)
    }
}

impl RunLengths {
    /// Mean length of a run, packets.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn mean(&self) -> Result<f64, SynthError> {
        Sampler::new(self).map(|s| s.mean)
    }
}

/// A checked [`RunLengths`] with its tables.
struct Sampler {
    draw: Draw,
    mean: f64,
}

enum Draw {
    Geometric(Geometric),
    Pareto {
        min: f64,
        max: u64,
        inverse_shape: f64,
    },
    Weibull {
        inverse_ln_q: f64,
        inverse_shape: f64,
    },
    /// Lengths and running sums of their counts.
    Table {
        lengths: Vec<u64>,
        sums: Vec<u64>,
    },
    /// Running sums of the weights, scaled to end at 1, and the parts.
    Mixture(Vec<(f64, Sampler)>),
}

impl Sampler {
    fn new(lengths: &RunLengths) -> Result<Self, SynthError> {
        Self::nested(lengths, 0)
    }

    fn nested(lengths: &RunLengths, depth: u32) -> Result<Self, SynthError> {
        match lengths {
            RunLengths::Geometric { mean } => {
                if !(mean.is_finite() && *mean >= 1.0) {
                    let accepted = "expected a mean run length of at least 1 packet";
                    return Err(SynthError::new("mean", mean, accepted));
                }
                Ok(Self { draw: Draw::Geometric(Geometric::new(1.0 / mean)), mean: *mean })
            }
            RunLengths::Pareto { shape, min, max } => pareto(*shape, *min, *max),
            RunLengths::Weibull { q, shape } => weibull(*q, *shape),
            RunLengths::Empirical { histogram } => table(histogram),
            RunLengths::Mixture { parts } => mixture(parts, depth),
        }
    }

    fn draw(&self, stream: &mut Stream) -> u64 {
        match &self.draw {
            Draw::Geometric(law) => law.draw(stream),
            Draw::Pareto { min, max, inverse_shape } => {
                let length = min * detmath::pow(stream.unit_positive(), -inverse_shape);
                u64::saturate(length).min(*max)
            }
            Draw::Weibull { inverse_ln_q, inverse_shape } => {
                let e = detmath::ln(stream.unit_positive()) * inverse_ln_q;
                u64::saturate(detmath::pow(e, *inverse_shape)).saturating_add(1)
            }
            Draw::Table { lengths, sums } => {
                let at = stream.below(sums.last().copied().unwrap_or(0));
                lengths[sums.partition_point(|sum| *sum <= at)]
            }
            Draw::Mixture(parts) => {
                let at = stream.unit();
                let chosen = parts.iter().find(|(sum, _)| at < *sum).or(parts.last());
                chosen.map_or(1, |(_, part)| part.draw(stream))
            }
        }
    }
}

fn pareto(shape: f64, min: u64, max: u64) -> Result<Sampler, SynthError> {
    if !(shape.is_finite() && shape > 0.0) {
        return Err(SynthError::new("shape", shape, "expected a tail index above 0"));
    }
    if min < 1 || max < min {
        let accepted = "expected 1 <= min <= max";
        return Err(SynthError::new("min..max", format!("{min}..{max}"), accepted));
    }
    // The mean is the sum of P(L >= k): exactly for the first thousand, by the integral beyond.
    let base = min as f64;
    let tail = |k: f64| detmath::pow(base / k, shape);
    let exact_to = max.min(min.saturating_add(1000));
    let mut mean = base + (min..exact_to).map(|k| tail((k + 1) as f64)).sum::<f64>();
    if max > exact_to {
        let (a, b) = (exact_to as f64 + 0.5, max as f64 + 0.5);
        let integral = |x: f64| {
            if (shape - 1.0).abs() < 1e-9 {
                base * detmath::ln(x)
            } else {
                detmath::pow(base, shape) * detmath::pow(x, 1.0 - shape) / (1.0 - shape)
            }
        };
        mean += integral(b) - integral(a);
    }
    if !mean.is_finite() {
        let accepted = "the mean of so long runs of this tail index cannot be computed; \
                        expected a smaller index or shorter runs";
        return Err(SynthError::new("min..max", format!("{min}..{max}"), accepted));
    }
    Ok(Sampler { draw: Draw::Pareto { min: base, max, inverse_shape: 1.0 / shape }, mean })
}

fn weibull(q: f64, shape: f64) -> Result<Sampler, SynthError> {
    if !(q > 0.0 && q < 1.0) {
        return Err(SynthError::new("q", q, "expected P(L > 1) between 0 and 1, both excluded"));
    }
    if !(shape.is_finite() && shape >= 0.1) {
        return Err(SynthError::new("shape", shape, "expected a shape of at least 0.1"));
    }
    let ln_q = detmath::ln(q);
    let mean = 1.0
        + (1..200_000u32)
            .map(|k| detmath::exp(ln_q * detmath::pow(f64::from(k), shape)))
            .take_while(|p| *p > 1e-9)
            .sum::<f64>();
    let draw = Draw::Weibull { inverse_ln_q: 1.0 / ln_q, inverse_shape: 1.0 / shape };
    Ok(Sampler { draw, mean })
}

fn table(histogram: &[(u64, u64)]) -> Result<Sampler, SynthError> {
    let (mut lengths, mut sums) = (Vec::new(), Vec::new());
    let (mut count, mut packets) = (0u64, 0.0);
    for &(length, n) in histogram.iter().filter(|(_, n)| *n > 0) {
        if length == 0 {
            return Err(SynthError::new("histogram", "length 0", "a run has at least 1 packet"));
        }
        count = count.saturating_add(n);
        packets += length as f64 * n as f64;
        lengths.push(length);
        sums.push(count);
    }
    if count == 0 {
        return Err(SynthError::new("histogram", "no runs", "expected at least one run"));
    }
    Ok(Sampler { draw: Draw::Table { lengths, sums }, mean: packets / count as f64 })
}

fn mixture(parts: &[Part], depth: u32) -> Result<Sampler, SynthError> {
    if parts.is_empty() || depth >= MAX_DEPTH {
        let accepted = format!("expected at least one part, nested at most {MAX_DEPTH} deep");
        return Err(SynthError::new("parts", parts.len(), accepted));
    }
    let total: f64 = parts.iter().map(|p| p.weight).sum();
    if parts.iter().any(|p| p.weight.is_nan() || p.weight < 0.0)
        || !(total.is_finite() && total > 0.0)
    {
        return Err(SynthError::new("weight", total, "weights are not negative and not all 0"));
    }
    let (mut sum, mut mean, mut out) = (0.0, 0.0, Vec::new());
    for part in parts {
        let sampler = Sampler::nested(&part.of, depth + 1)?;
        sum += part.weight / total;
        mean += part.weight / total * sampler.mean;
        out.push((sum, sampler));
    }
    Ok(Sampler { draw: Draw::Mixture(out), mean })
}

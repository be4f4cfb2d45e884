//! Models fitted to a measured trace, for synthetic links like it.

mod chaotic;
mod hidden;
mod synthesisers;
mod tails;

pub use chaotic::fit_chaotic_map;
pub use hidden::fit_hidden_markov;
pub use synthesisers::{SYNTHESISERS, Synthesiser};
pub use tails::{pareto, weibull};

use airtcp_units::Outcomes;
use serde::{Deserialize, Serialize};

use crate::metrics::{Pairs, RunStats};
use crate::synth::{GeParams, RunLengths, SemiMarkov};

/// The Gilbert-Elliott chain of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct GeFit {
    /// The chain with the trace's PRR and mu (S1's "of the same PRR and mu").
    pub params: GeParams,
    /// P(received | previous lost), from counts.
    pub g: f64,
    /// P(lost | previous received), from counts.
    pub b: f64,
    /// The PRR of the counted g and b, `g / (g + b)`; it differs from the trace's by the first and
    /// last packets.
    pub stationary_prr: f64,
    /// True if no chain has both the trace's PRR and mu, which happens with short traces. The chain
    /// then has the nearest mu.
    pub mu_moved: bool,
}

/// The chain with the PRR and mu of `trace`. `None` if mu is not defined; only an independent link
/// of the same PRR is then possible.
pub fn fit_gilbert_elliott(trace: &Outcomes) -> Option<GeFit> {
    let pairs = Pairs::of(trace);
    let (g, b) = (pairs.g()?, pairs.b()?);
    let prr = trace.received() as f64 / trace.len() as f64;
    let (params, mu_moved) = GeParams::nearest(prr, 1.0 - g - b)?;
    Some(GeFit { params, g, b, stationary_prr: g / (g + b), mu_moved })
}

/// Run lengths exactly as a trace has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunLengthModel;

impl RunLengthModel {
    /// The semi-Markov model with the run lengths of `trace`. `None` if the trace has runs of one
    /// kind only.
    pub fn of(trace: &Outcomes) -> Option<SemiMarkov> {
        let runs = RunStats::of(trace);
        if runs.success.count == 0 || runs.loss.count == 0 {
            return None;
        }
        Some(SemiMarkov {
            success: RunLengths::Empirical { histogram: runs.success.histogram },
            loss: RunLengths::Empirical { histogram: runs.loss.histogram },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synth::SynthModel;
    use airtcp_random::Seed;

    #[test]
    fn a_fit_reproduces_prr_and_mu() {
        let truth = GeParams::from_prr_mu(0.4, 0.7).unwrap();
        let mut stream = Seed::new(1).stream("fit");
        let trace = SynthModel::GilbertElliott(truth).generate(50_000, &mut stream).unwrap();
        let fit = fit_gilbert_elliott(&trace).unwrap();
        let prr = trace.received() as f64 / 50_000.0;
        assert!((fit.params.prr() - prr).abs() < 1e-9 && !fit.mu_moved);
        assert!((fit.params.mu() - Pairs::of(&trace).mu().unwrap()).abs() < 1e-9);
        assert!((fit.stationary_prr - prr).abs() < 1e-3);
    }

    #[test]
    fn a_short_alternating_trace_gets_the_nearest_chain() {
        // PRR 0.6 allows mu >= -2/3; the trace has mu = -1.
        let trace: Outcomes = "10101".chars().map(|c| c == '1').collect();
        let fit = fit_gilbert_elliott(&trace).unwrap();
        assert!(fit.mu_moved && (fit.params.mu() + 2.0 / 3.0).abs() < 1e-9);
        // A single long run of each kind: g = 1, b = 1/8.
        let trace: Outcomes = "1111111101".chars().map(|c| c == '1').collect();
        assert!(fit_gilbert_elliott(&trace).is_some());
        assert!(fit_gilbert_elliott(&[true; 9].into_iter().collect()).is_none());
        // Received first, lost ever after: g = 0, so mu would make a frozen chain.
        let trace: Outcomes = (0..1000).map(|i| i < 500).collect();
        assert!(fit_gilbert_elliott(&trace).is_some());
    }

    #[test]
    fn redrawn_runs_have_the_same_lengths() {
        let trace: Outcomes = "1110110010111100".repeat(50).chars().map(|c| c == '1').collect();
        let model = RunLengthModel::of(&trace).unwrap();
        assert!(
            (model.prr().unwrap() - trace.received() as f64 / trace.len() as f64).abs() < 1e-12
        );
        let mut stream = Seed::new(2).stream("runs");
        let drawn = SynthModel::SemiMarkov(model).generate(20_000, &mut stream).unwrap();
        let lengths = |t: &Outcomes| -> Vec<u64> {
            RunStats::of(t).success.histogram.iter().map(|(l, _)| *l).collect()
        };
        // Lengths 1 to 4; the last run may be cut short.
        assert_eq!(lengths(&drawn), lengths(&trace));
        assert!(RunLengthModel::of(&[true; 9].into_iter().collect()).is_none());
    }
}

//! The trace length that is needed to show the chain that it is drawn from.
//!
//! The runs of a two-state chain are geometric: losses last `1 / g` packets in the mean, receptions
//! `1 / b`, and a pair of runs takes `1 / g + 1 / b = 1 / (PRR (1 - PRR) (1 - mu))` packets. Over
//! `k` such pairs the PRR of a trace has the standard error `PRR (1 - PRR) sqrt((1 + mu) / k)`:
//! with [`PAIRS`] pairs at most 0.036 for any `mu`. A trace with few runs may have only losses, or
//! none.

use serde::Serialize;

use super::model::SynthModel;

/// Runs of losses that a trace should hold.
const PAIRS: f64 = 100.0;

/// Expected statistics of a trace drawn from a chain.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ExpectedRuns {
    /// Packet reception ratio.
    pub prr: f64,
    /// Burstiness.
    pub mu: f64,
    /// Mean length of a run of losses, packets.
    pub loss_run: f64,
    /// Mean length of a run of received packets.
    pub success_run: f64,
    /// Packets in which [`PAIRS`] runs of each kind are expected.
    pub packets_needed: f64,
}

impl ExpectedRuns {
    /// For independent losses and the Gilbert-Elliott chain; `None` for other models, and if one of
    /// the outcomes never occurs.
    pub fn of(model: &SynthModel) -> Option<Self> {
        let (g, b) = match model {
            SynthModel::Independent { prr } => (*prr, 1.0 - prr),
            SynthModel::GilbertElliott(chain) => (chain.g, chain.b),
            _ => return None,
        };
        if !(g > 0.0 && b > 0.0) {
            return None;
        }
        let (loss_run, success_run) = (1.0 / g, 1.0 / b);
        let packets_needed = (PAIRS * (loss_run + success_run)).ceil();
        Some(Self { prr: g / (g + b), mu: 1.0 - g - b, loss_run, success_run, packets_needed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::RunStats;
    use crate::synth::GeParams;
    use airtcp_random::Seed;
    use airtcp_units::Saturate;

    #[test]
    fn the_length_holds_so_many_runs_and_their_ratio() {
        for (prr, mu) in [(0.5, 0.999), (0.9, 0.95), (0.3, 0.0)] {
            let model = SynthModel::GilbertElliott(GeParams::from_prr_mu(prr, mu).unwrap());
            let expected = ExpectedRuns::of(&model).unwrap();
            let packets = 1.0 / (prr * (1.0 - prr) * (1.0 - mu)) * PAIRS;
            assert!((expected.packets_needed - packets).abs() < 1.01, "{expected:?}");
            let (mut runs, mut squares) = (0.0, 0.0);
            for seed in 0..400 {
                let mut stream = Seed::new(seed).stream("test");
                let trace = model.generate(usize::saturate(packets), &mut stream).unwrap();
                runs += RunStats::of(&trace).loss.count as f64 / 400.0;
                let ratio = trace.received() as f64 / trace.len() as f64;
                squares += (ratio - prr) * (ratio - prr) / 400.0;
            }
            assert!((runs / PAIRS - 1.0).abs() < 0.03, "{runs}");
            let error = prr * (1.0 - prr) * ((1.0 + mu) / PAIRS).sqrt();
            assert!((squares.sqrt() / error - 1.0).abs() < 0.15, "{} {error}", squares.sqrt());
        }
        assert_eq!(ExpectedRuns::of(&SynthModel::Independent { prr: 1.0 }), None);
    }
}

//! Burst excess: how much longer the burst around a packet is than that of a two-state chain.
//!
//! S1 closes by asking for a metric that captures rare long bursts, which pair counts (PRR, mu)
//! cannot see. Take a received packet at random: the mean length of the success run it lies in is
//! `R = sum L^2 / sum L` over the runs, because a run of length L contains L packets. A
//! Gilbert-Elliott chain that leaves the run with probability `q` has `R = (2 - q) / q`. The excess
//! is `ln(R q / (2 - q))` with `q = runs / packets in them`: 0 for any Gilbert-Elliott or
//! independent link, 1 if the run around a packet is `e` times as long, negative if runs are more
//! regular than memoryless ones. The metric is our proposal; its value for predicting TCP is
//! measured in `docs/models/prediction.md`.

use super::Bursts;
use airtcp_units::detmath;

/// Mean length of the run in which a packet of this kind lies, packets; `None` without any.
pub fn residual_burst(bursts: &Bursts) -> Option<f64> {
    let squares: f64 =
        bursts.histogram.iter().map(|&(length, n)| length as f64 * length as f64 * n as f64).sum();
    (bursts.packets > 0).then(|| squares / bursts.packets as f64)
}

/// The burst excess of runs of one kind; `None` without any.
pub fn burst_excess(bursts: &Bursts) -> Option<f64> {
    let residual = residual_burst(bursts)?;
    let q = bursts.count as f64 / bursts.packets as f64;
    Some(detmath::ln(residual * q / (2.0 - q)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::RunStats;
    use crate::synth::{GeParams, SemiMarkov, SynthModel};
    use airtcp_random::Seed;

    #[test]
    fn by_hand() {
        // Runs 1, 1, 4: a packet lies in a run of (1 + 1 + 16) / 6 = 3; q = 1/2 gives 3.
        let bursts = Bursts::from_histogram(vec![(1, 2), (4, 1)]);
        assert!((residual_burst(&bursts).unwrap() - 3.0).abs() < 1e-12);
        assert!(burst_excess(&bursts).unwrap().abs() < 1e-12);
        // Runs all of 4 are more regular than memoryless ones: 4 against 7.
        let regular = Bursts::from_histogram(vec![(4, 10)]);
        let expected = detmath::ln(4.0 / 7.0);
        assert!((burst_excess(&regular).unwrap() - expected).abs() < 1e-12);
        assert_eq!(burst_excess(&Bursts::default()), None);
    }

    #[test]
    fn zero_for_chains_and_above_for_rare_long_bursts() {
        let excess = |model: SynthModel| {
            let trace = model.generate(400_000, &mut Seed::new(3).stream("excess")).unwrap();
            let runs = RunStats::of(&trace);
            (burst_excess(&runs.success).unwrap(), burst_excess(&runs.loss).unwrap())
        };
        for (prr, mu) in [(0.3, 0.0), (0.5, 0.6), (0.9, 0.8)] {
            let chain = GeParams::from_prr_mu(prr, mu).unwrap();
            let (success, loss) = excess(SynthModel::GilbertElliott(chain));
            assert!(success.abs() < 0.05 && loss.abs() < 0.05, "{success} {loss}");
        }
        let rare = SemiMarkov::rare_long_bursts(0.4, 0.5, 0.005, 200.0).unwrap();
        let (success, loss) = excess(SynthModel::SemiMarkov(rare));
        assert!(success > 1.5 && loss.abs() < 0.05, "{success} {loss}");
    }
}

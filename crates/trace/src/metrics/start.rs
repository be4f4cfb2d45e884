//! Whether the start of a trace differs from the rest.
//!
//! If a test begins while nodes are still being set up or moved, the first packets have another PRR
//! than the rest. A short good start may then carry most of TCP's deliveries over a bad link. The
//! first 1, 2, 5 and 10 % (ten packets at least) are compared with the rest. A start is reported if
//! its PRR differs by 0.1 or more and by more than five standard errors. The standard error is the
//! larger of that of equally long stretches of the rest and that of a chain. With five of them, a
//! false report has a probability of 1e-4 even with the Student's t of few stretches.

use airtcp_units::Outcomes;
use serde::{Deserialize, Serialize};

use super::counts::{Pairs, received_within};

/// Shares of the trace, in percent.
const SHARES: [usize; 4] = [1, 2, 5, 10];
const FEWEST: usize = 10;
const MIN_DIFFERENCE: f64 = 0.1;
const ERRORS: f64 = 5.0;

/// A start that differs from the rest.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Start {
    /// Packets of the start.
    pub packets: u64,
    /// Share of them received.
    pub prr: f64,
    /// Share received of the packets after it.
    pub rest_prr: f64,
}

/// The start of `trace` that differs most clearly from the rest; `None` if none does.
pub fn start(trace: &Outcomes) -> Option<Start> {
    let n = trace.len();
    let clear = SHARES.iter().map(|share| n * share / 100).filter(|k| *k >= FEWEST);
    let found = clear.filter_map(|k| {
        let rest = (n - k) as f64;
        let first = received_within(trace, 0..k) as f64 / k as f64;
        let rest_prr = received_within(trace, k..n) as f64 / rest;
        let stretches = n / k - 1;
        let scatter = (1..=stretches)
            .map(|i| received_within(trace, i * k..(i + 1) * k) as f64 / k as f64 - rest_prr)
            .map(|d| d * d)
            .sum::<f64>()
            / (stretches as f64 - 1.0);
        let mu = Pairs::within(trace, k..n).mu().unwrap_or(0.0).clamp(0.0, 0.999);
        // Adds one packet of either outcome, because a link without deliveries in the trace may
        // have a PRR above zero.
        let p = (rest_prr * rest + 1.0) / (rest + 2.0);
        let chain = p * (1.0 - p) / k as f64 * (1.0 + mu) / (1.0 - mu);
        let error = scatter.max(chain).sqrt();
        let difference = (first - rest_prr).abs();
        let told = difference >= MIN_DIFFERENCE && difference > ERRORS * error;
        told.then_some((difference / error, Start { packets: k as u64, prr: first, rest_prr }))
    });
    found.reduce(|a, b| if b.0 > a.0 { b } else { a }).map(|(_, start)| start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synth::{GeParams, LossyGe, SynthModel};
    use airtcp_random::Seed;

    fn drawn(model: &SynthModel, n: usize, seed: u64) -> Outcomes {
        model.generate(n, &mut Seed::new(seed).stream("start")).unwrap()
    }

    #[test]
    fn a_good_start_of_a_bad_link_is_told() {
        for seed in 0..20 {
            let mut trace = drawn(&SynthModel::Independent { prr: 0.99 }, 200, seed);
            for bit in drawn(&SynthModel::Independent { prr: 0.4 }, 9_800, seed + 100).iter() {
                trace.push(bit);
            }
            let found = start(&trace).unwrap();
            assert_eq!(found.packets, 200);
            assert!(found.prr > 0.95 && (found.rest_prr - 0.4).abs() < 0.03, "{found:?}");
        }
    }

    #[test]
    fn a_link_that_is_the_same_throughout_has_no_start() {
        let chain = |prr, mu| SynthModel::GilbertElliott(GeParams::from_prr_mu(prr, mu).unwrap());
        // A nonstationary link: later stretches differ as much as the start.
        let hidden = LossyGe { g: 0.0004, b: 0.0002, loss_good: 0.02, loss_bad: 0.6 };
        for model in [
            SynthModel::Independent { prr: 0.5 },
            chain(0.9, 0.6),
            chain(0.5, 0.95),
            SynthModel::LossyGilbertElliott(hidden),
        ] {
            let told =
                (0..100).filter(|seed| start(&drawn(&model, 20_000, *seed)).is_some()).count();
            assert!(told <= 3, "{model:?}: {told} of 100");
        }
        for bits in [vec![], vec![true; 3], vec![true; 5000], vec![false; 5000]] {
            let trace: Outcomes = bits.into_iter().collect();
            assert_eq!(start(&trace), None);
        }
    }
}

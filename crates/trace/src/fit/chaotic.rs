//! A chaotic map with the mean and the spread of the run lengths of a trace.
//!
//! For each side the fit tries exponents from light to heavy tails. For each exponent it finds the
//! step that gives the mean run length. It keeps the exponent with the nearest residual burst (see
//! [`crate::metrics::residual_burst`]). The first approximation assumes that points enter a side
//! evenly. Runs of the map itself then correct the wanted means.

use airtcp_units::detmath;

use crate::metrics::{RunStats, residual_burst};
use crate::synth::{ChaoticMap, Side, SynthModel};
use airtcp_random::Seed;
use airtcp_units::Outcomes;

/// Points at which runs enter a side in the first approximation.
const ENTRIES: u32 = 200;
/// Exponents tried: 1, 1.2, ... 3.
const EXPONENTS: u32 = 11;
/// Halvings of the step's range, on a logarithmic scale from 1e-7 to 1/2.
const STEPS: usize = 24;
/// Corrections by runs of the map, and packets drawn for each.
const ROUNDS: usize = 4;
const DRAWN: usize = 40_000;

/// The map; `None` for a trace without both outcomes.
pub fn fit_chaotic_map(trace: &Outcomes) -> Option<ChaoticMap> {
    let runs = RunStats::of(trace);
    let wanted = [(&runs.success), (&runs.loss)];
    let means = [wanted[0].mean?, wanted[1].mean?];
    let residuals = [residual_burst(wanted[0])?, residual_burst(wanted[1])?];
    let mut asked = means;
    let mut map = None;
    for _ in 0..ROUNDS {
        let side = |i: usize| fit_side(asked[i], residuals[i], wanted[i].longest);
        let fitted = ChaoticMap { success: side(0), loss: side(1) };
        map = Some(fitted);
        let drawn = SynthModel::ChaoticMap(fitted)
            .generate(DRAWN, &mut Seed::new(1).stream("fit/chaotic"))
            .ok()?;
        let made = RunStats::of(&drawn);
        for (i, bursts) in [made.success, made.loss].iter().enumerate() {
            let Some(mean) = bursts.mean else { continue };
            asked[i] = (asked[i] * means[i] / mean).clamp(1.0, 1e5);
        }
    }
    map
}

fn fit_side(mean: f64, residual: f64, longest: u64) -> Side {
    // Runs are cut at a length beyond the longest of the trace, where they do not matter.
    let most = longest.saturating_mul(4).max(16);
    let mut best = (f64::INFINITY, Side { exponent: 1.0, step: 0.5 });
    for i in 0..EXPONENTS {
        let exponent = 1.0 + 0.2 * f64::from(i);
        let (mut low, mut high) = (1e-7_f64, 0.5_f64);
        for _ in 0..STEPS {
            let step = (low * high).sqrt();
            if lengths(Side { exponent, step }, most).0 > mean { low = step } else { high = step }
        }
        let side = Side { exponent, step: (low * high).sqrt() };
        let (got, spread) = lengths(side, most);
        let distance = detmath::ln(spread / residual).abs() + 4.0 * detmath::ln(got / mean).abs();
        if distance < best.0 {
            best = (distance, side);
        }
    }
    best.1
}

/// Mean and residual length of the runs of a side that points enter evenly.
fn lengths(side: Side, most: u64) -> (f64, f64) {
    let (mut sum, mut squares) = (0.0, 0.0);
    for i in 0..ENTRIES {
        let x = 0.5 * (f64::from(i) + 0.5) / f64::from(ENTRIES);
        let length = side.escape(x, most) as f64;
        sum += length;
        squares += length * length;
    }
    (sum / f64::from(ENTRIES), squares / sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synth::GeParams;

    #[test]
    fn the_reception_ratio_is_met() {
        for (prr, mu) in [(0.4, 0.6), (0.6, 0.3)] {
            let chain = SynthModel::GilbertElliott(GeParams::from_prr_mu(prr, mu).unwrap());
            let trace = chain.generate(50_000, &mut Seed::new(6).stream("chain")).unwrap();
            let map = fit_chaotic_map(&trace).unwrap();
            let drawn = SynthModel::ChaoticMap(map)
                .generate(100_000, &mut Seed::new(7).stream("map"))
                .unwrap();
            let got = drawn.received() as f64 / 1e5;
            assert!((got - prr).abs() < 0.06, "{got} for {prr}: {map:?}");
        }
        assert!(fit_chaotic_map(&[false; 9].into_iter().collect()).is_none());
    }

    /// With exponent 1 every step is the same, and run lengths follow by hand.
    #[test]
    fn escape_times_by_hand() {
        // c = 0: x + 1/2 each time, so that every point leaves in one step.
        assert_eq!(Side { exponent: 1.0, step: 0.5 }.escape(0.1, 100), 1);
        // e = 1/4, c = 1/4, m = 1: x' = 1.5 x + 1/4: 0, .25, .625: two steps.
        assert_eq!(Side { exponent: 1.0, step: 0.25 }.escape(0.0, 100), 2);
    }
}

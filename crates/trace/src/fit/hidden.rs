//! Hidden Markov models by expectation maximisation: the Baum-Welch algorithm with scaled forward
//! and backward passes (Rabiner, Proc. IEEE 77(2), 1989, section V).
//!
//! The search starts from evenly spread deliveries and slowly mixing states, so that the same trace
//! gives the same model. The maximum is a local one.

use airtcp_units::{Outcomes, detmath};

use crate::synth::HiddenMarkov;

/// Packets used at most: the start of the trace. The cost is linear in them.
const MAX_PACKETS: usize = 100_000;
/// Most steps. The gain of a step usually falls below [`CLOSE`] much earlier.
const MAX_STEPS: usize = 60;
/// Relative gain of the log-likelihood at which the search ends.
const CLOSE: f64 = 1e-7;
/// Least probability: the search could never leave a zero.
const FLOOR: f64 = 1e-9;
/// Chance to stay in a state before the first step.
const STAY: f64 = 0.95;

/// The model and the log-likelihood of the trace under it. `None` for fewer than 2 states or a
/// trace without both outcomes.
pub fn fit_hidden_markov(trace: &Outcomes, states: usize) -> Option<(HiddenMarkov, f64)> {
    let bits: Vec<bool> = trace.iter().take(MAX_PACKETS).collect();
    let received = bits.iter().filter(|b| **b).count();
    if !(2..=8).contains(&states) || received == 0 || received == bits.len() {
        return None;
    }
    let other = (1.0 - STAY) / (states - 1) as f64;
    let row = |i: usize| (0..states).map(|j| if i == j { STAY } else { other }).collect();
    let mut model = HiddenMarkov {
        transitions: (0..states).map(row).collect(),
        delivery: (0..states).map(|i| (i as f64 + 0.5) / states as f64).collect(),
    };
    let mut work = Work::new(states, bits.len());
    let mut last = f64::NEG_INFINITY;
    for _ in 0..MAX_STEPS {
        let likelihood = work.step(&mut model, &bits);
        let gain = likelihood - last;
        last = likelihood;
        if gain < CLOSE * likelihood.abs() {
            break;
        }
    }
    Some((model, last))
}

/// Room for the passes: `states` numbers a packet.
struct Work {
    states: usize,
    forward: Vec<f64>,
    scale: Vec<f64>,
}

impl Work {
    fn new(states: usize, packets: usize) -> Self {
        Self { states, forward: vec![0.0; states * packets], scale: vec![0.0; packets] }
    }

    /// One step; returns the log-likelihood of the model that went in.
    fn step(&mut self, model: &mut HiddenMarkov, bits: &[bool]) -> f64 {
        let likelihood = self.forward(model, bits);
        self.backward(model, bits).maximise(model);
        likelihood
    }

    /// The forward pass; returns the log-likelihood.
    fn forward(&mut self, model: &HiddenMarkov, bits: &[bool]) -> f64 {
        let n = self.states;
        let mut likelihood = 0.0;
        let start = model.stationary();
        for (t, &bit) in bits.iter().enumerate() {
            let mut sum = 0.0;
            for (j, first) in start.iter().enumerate() {
                let prior: f64 = if t == 0 {
                    *first
                } else {
                    let before = &self.forward[(t - 1) * n..t * n];
                    before.iter().zip(&model.transitions).map(|(p, row)| p * row[j]).sum()
                };
                let value = prior * emit(model, j, bit);
                self.forward[t * n + j] = value;
                sum += value;
            }
            let sum = sum.max(f64::MIN_POSITIVE);
            self.scale[t] = sum;
            likelihood += detmath::ln(sum);
            for value in &mut self.forward[t * n..(t + 1) * n] {
                *value /= sum;
            }
        }
        likelihood
    }

    /// The backward pass, which adds up the expected counts.
    fn backward(&self, model: &HiddenMarkov, bits: &[bool]) -> Expected {
        let n = self.states;
        let mut moves = vec![vec![0.0; n]; n];
        let (mut visits, mut arrivals) = (vec![0.0; n], vec![0.0; n]);
        let mut backward = vec![1.0; n];
        for t in (0..bits.len()).rev() {
            for i in 0..n {
                let share = self.forward[t * n + i] * backward[i];
                visits[i] += share;
                if bits[t] {
                    arrivals[i] += share;
                }
            }
            if t == 0 {
                break;
            }
            let weighted: Vec<f64> =
                (0..n).map(|j| emit(model, j, bits[t]) * backward[j] / self.scale[t]).collect();
            let before = &self.forward[(t - 1) * n..t * n];
            for i in 0..n {
                for j in 0..n {
                    moves[i][j] += before[i] * model.transitions[i][j] * weighted[j];
                }
            }
            backward = (0..n)
                .map(|i| (0..n).map(|j| model.transitions[i][j] * weighted[j]).sum())
                .collect();
        }
        Expected { moves, visits, arrivals }
    }
}

/// Probability of a packet's outcome in state `j`.
fn emit(model: &HiddenMarkov, j: usize, bit: bool) -> f64 {
    if bit { model.delivery[j] } else { 1.0 - model.delivery[j] }
}

/// Expected counts under a model: moves between states, visits to a state, packets received in it.
struct Expected {
    moves: Vec<Vec<f64>>,
    visits: Vec<f64>,
    arrivals: Vec<f64>,
}

impl Expected {
    /// Makes the model the most likely one given the counts.
    fn maximise(&self, model: &mut HiddenMarkov) {
        let Self { moves, visits, arrivals } = self;
        for i in 0..moves.len() {
            let total: f64 = moves[i].iter().sum::<f64>().max(f64::MIN_POSITIVE);
            let raised: Vec<f64> = moves[i].iter().map(|m| (m / total).max(FLOOR)).collect();
            let sum: f64 = raised.iter().sum();
            model.transitions[i] = raised.iter().map(|p| p / sum).collect();
            let visits = visits[i].max(f64::MIN_POSITIVE);
            model.delivery[i] = (arrivals[i] / visits).clamp(FLOOR, 1.0 - FLOOR);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synth::SynthModel;
    use airtcp_random::Seed;

    fn truth() -> HiddenMarkov {
        HiddenMarkov {
            transitions: vec![vec![0.98, 0.02], vec![0.01, 0.99]],
            delivery: vec![0.1, 0.9],
        }
    }

    /// The likelihood of the scaled passes against the definition: the sum over all paths through
    /// the states.
    #[test]
    fn likelihood_by_enumeration() {
        let bits = [true, false, false, true, true, false, true, true];
        let mut model = truth();
        let start = model.stationary();
        let mut total = 0.0;
        for path in 0..1u32 << bits.len() {
            let state = |t: usize| (path >> t & 1) as usize;
            let mut p = start[state(0)];
            for (t, bit) in bits.iter().enumerate() {
                if t > 0 {
                    p *= model.transitions[state(t - 1)][state(t)];
                }
                let d = model.delivery[state(t)];
                p *= if *bit { d } else { 1.0 - d };
            }
            total += p;
        }
        let likelihood = Work::new(2, bits.len()).step(&mut model, &bits);
        assert!((likelihood - detmath::ln(total)).abs() < 1e-12);
    }

    #[test]
    fn finds_what_made_the_trace() {
        let model = SynthModel::HiddenMarkov(truth());
        let trace = model.generate(60_000, &mut Seed::new(4).stream("hmm")).unwrap();
        let (fit, likelihood) = fit_hidden_markov(&trace, 2).unwrap();
        assert!((fit.delivery[0] - 0.1).abs() < 0.03, "{fit:?}");
        assert!((fit.delivery[1] - 0.9).abs() < 0.03, "{fit:?}");
        assert!((fit.transitions[0][1] - 0.02).abs() < 0.006, "{fit:?}");
        assert!((fit.transitions[1][0] - 0.01).abs() < 0.004, "{fit:?}");
        // More states never explain less, except for the limit of steps.
        let (_, three) = fit_hidden_markov(&trace, 3).unwrap();
        assert!(three > likelihood - 1.0);
    }

    #[test]
    fn every_step_gains() {
        let model = SynthModel::HiddenMarkov(truth());
        let trace = model.generate(5_000, &mut Seed::new(5).stream("hmm")).unwrap();
        let bits: Vec<bool> = trace.iter().collect();
        let mut model = HiddenMarkov {
            transitions: vec![vec![0.9, 0.1], vec![0.1, 0.9]],
            delivery: vec![0.3, 0.7],
        };
        let mut work = Work::new(2, bits.len());
        let mut last = f64::NEG_INFINITY;
        for _ in 0..30 {
            let now = work.step(&mut model, &bits);
            // The search does not maximise over the stationary start, so a step may lose a little.
            assert!(now > last - 0.1, "{now} after {last}");
            last = now;
        }
        assert!(fit_hidden_markov(&[true; 9].into_iter().collect(), 2).is_none());
    }
}

//! Hidden Markov traces: a chain of a few hidden states, each with a delivery probability. Two
//! states with deliveries 0 and 1 are S1's Gilbert-Elliott chain.

use airtcp_random::Stream;
use airtcp_units::Outcomes;
use serde::{Deserialize, Serialize};

use super::bernoulli;
use super::error::SynthError;
use super::geometric::Geometric;

/// Most states accepted.
pub(crate) const MAX_STATES: usize = 16;
/// Permitted error of the sum of a row of probabilities.
const ROUNDING: f64 = 1e-6;

/// A hidden Markov model of the outcomes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HiddenMarkov {
    /// `transitions[i][j]`: P(state j next | state i now).
    pub transitions: Vec<Vec<f64>>,
    /// P(received) in each state.
    pub delivery: Vec<f64>,
}

impl HiddenMarkov {
    fn check(&self) -> Result<(), SynthError> {
        let n = self.delivery.len();
        if !(1..=MAX_STATES).contains(&n) || self.transitions.len() != n {
            let found = format!("{n} states, {} rows", self.transitions.len());
            let accepted = format!("expected 1 to {MAX_STATES} states and a row for each");
            return Err(SynthError::new("transitions", found, accepted));
        }
        for p in &self.delivery {
            SynthError::probability("delivery", *p)?;
        }
        for row in &self.transitions {
            for p in row {
                SynthError::probability("transitions", *p)?;
            }
            let sum: f64 = row.iter().sum();
            if row.len() != n || (sum - 1.0).abs() > ROUNDING {
                let found = format!("a row of {} with sum {sum}", row.len());
                let accepted = format!("each row has {n} probabilities that sum to 1");
                return Err(SynthError::new("transitions", found, accepted));
            }
        }
        Ok(())
    }

    /// The stationary distribution, by repeated steps (averaged, so that a periodic chain settles
    /// too).
    pub fn stationary(&self) -> Vec<f64> {
        let n = self.delivery.len();
        let mut now = vec![1.0 / n as f64; n];
        for _ in 0..20_000 {
            let mut next: Vec<f64> = now.iter().map(|p| p / 2.0).collect();
            for (p, row) in now.iter().zip(&self.transitions) {
                for (sum, t) in next.iter_mut().zip(row) {
                    *sum += p * t / 2.0;
                }
            }
            let change: f64 = now.iter().zip(&next).map(|(a, b)| (a - b).abs()).sum();
            now = next;
            if change < 1e-13 {
                break;
            }
        }
        now
    }

    /// Stationary packet reception ratio.
    pub fn prr(&self) -> f64 {
        self.stationary().iter().zip(&self.delivery).map(|(p, d)| p * d).sum()
    }

    pub(super) fn generate(&self, n: usize, stream: &mut Stream) -> Result<Outcomes, SynthError> {
        self.check()?;
        let stays: Vec<Geometric> =
            self.transitions.iter().enumerate().map(|(i, r)| Geometric::new(1.0 - r[i])).collect();
        let mut out = Outcomes::with_capacity(n);
        let mut state = pick(self.stationary().into_iter(), stream.unit()).unwrap_or(0);
        while out.len() < n {
            let stay = stays[state].draw(stream);
            let stay = usize::try_from(stay).unwrap_or(usize::MAX).min(n - out.len());
            bernoulli::append(&mut out, self.delivery[state], stay, stream);
            let row = &self.transitions[state];
            let leaving = 1.0 - row[state];
            if leaving > 0.0 {
                let others = row.iter().enumerate().map(|(j, p)| if j == state { 0.0 } else { *p });
                let at = stream.unit() * leaving;
                // If rounding leaves no state to pick, the state stays.
                state = pick(others, at).unwrap_or(state);
            }
        }
        Ok(out)
    }
}

/// The place at which the running sum of the weights passes `at`.
fn pick(mut weights: impl Iterator<Item = f64>, at: f64) -> Option<usize> {
    let mut sum = 0.0;
    weights.position(|w| {
        sum += w;
        at < sum
    })
}

//! Inhomogeneous Markov traces: a two-state chain whose transition probabilities change with
//! time (Jiao, Schwiebert and Xu, LCN 2002, found them not to be constant on real links).
//!
//! `g` and `b` are given window by window; the course repeats at its end. The state is the outcome,
//! as in [`GeParams`].

use airtcp_random::Stream;
use airtcp_units::Outcomes;
use serde::{Deserialize, Serialize};

use super::error::SynthError;
use super::geometric::Geometric;
use super::gilbert::GeParams;

/// A two-state chain that changes over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Inhomogeneous {
    /// Length of a window, packets.
    pub window: u64,
    /// The chain in each window; here both probabilities may be 0.
    pub course: Vec<GeParams>,
}

impl Inhomogeneous {
    pub(super) fn generate(&self, n: usize, stream: &mut Stream) -> Result<Outcomes, SynthError> {
        if self.window == 0 || self.course.is_empty() {
            let found = format!("{} windows of {}", self.course.len(), self.window);
            let accepted = "expected at least one window of at least 1 packet";
            return Err(SynthError::new("course", found, accepted));
        }
        for chain in &self.course {
            SynthError::probability("g", chain.g)?;
            SynthError::probability("b", chain.b)?;
        }
        let window = usize::try_from(self.window).unwrap_or(usize::MAX);
        let mut out = Outcomes::with_capacity(n);
        let first = &self.course[0];
        let share = if first.g + first.b > 0.0 { first.prr() } else { 0.5 };
        let mut received = stream.chance(share);
        for chain in self.course.iter().cycle() {
            if out.len() >= n {
                break;
            }
            let end = out.len().saturating_add(window).min(n);
            let ends = [Geometric::new(chain.g), Geometric::new(chain.b)];
            while out.len() < end {
                let drawn = ends[usize::from(received)].draw(stream);
                let room = end - out.len();
                let run = usize::try_from(drawn).unwrap_or(usize::MAX);
                out.push_run(received, run.min(room));
                // A run that the window cuts continues in the next window, because it is
                // memoryless; a run that fits exactly has ended.
                if run <= room {
                    received = !received;
                }
            }
        }
        Ok(out)
    }
}

//! Traces with a given conditional packet delivery function, on which the beta factor is based.
//!
//! The delivery probability of a packet depends on the number of equal outcomes before it (see
//! [`crate::metrics::cpdf`]); beyond the table the last value applies, so that longer runs have a
//! geometric tail. The model reproduces the CPDF, hence beta, PRR and mu.

use airtcp_random::Stream;
use airtcp_units::Outcomes;
use serde::{Deserialize, Serialize};

use super::error::SynthError;
use super::geometric::{Geometric, append_run};

/// Delivery by the length of the present run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Conditional {
    /// P(received) after 1, 2, ... received packets; the last value applies beyond.
    pub after_success: Vec<f64>,
    /// P(received) after 1, 2, ... lost packets; the last value applies beyond.
    pub after_loss: Vec<f64>,
}

impl Conditional {
    pub(super) fn generate(&self, n: usize, stream: &mut Stream) -> Result<Outcomes, SynthError> {
        let check = |name, table: &[f64]| {
            for p in table {
                SynthError::probability(name, *p)?;
            }
            match table.last() {
                Some(_) => Ok(()),
                None => Err(SynthError::new(name, "nothing", "expected at least one probability")),
            }
        };
        check("after_success", &self.after_success)?;
        check("after_loss", &self.after_loss)?;
        // Probabilities that a run ends after its k-th packet.
        let ends = [
            self.after_loss.clone(),
            self.after_success.iter().map(|p| 1.0 - p).collect::<Vec<f64>>(),
        ];
        let tails = [0, 1].map(|i: usize| Geometric::new(ends[i].last().copied().unwrap_or(1.0)));
        let mut out = Outcomes::with_capacity(n);
        // Starts with a run of either kind, which has no effect after one run.
        let mut received = stream.chance(0.5);
        while out.len() < n {
            let i = usize::from(received);
            let table = &ends[i][..ends[i].len() - 1];
            let inside = table.iter().position(|end| stream.chance(*end));
            let run = match inside {
                Some(k) => k as u64 + 1,
                None => table.len() as u64 + tails[i].draw(stream),
            };
            append_run(&mut out, received, run, n);
            received = !received;
        }
        Ok(out)
    }
}

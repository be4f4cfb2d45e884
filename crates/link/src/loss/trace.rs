//! A recorded delivery trace as a loss model, indexed by time slot.
//!
//! S1 simulates TCP over measured links this way: the packet sent at time `t` succeeds if the entry
//! at the corresponding time, `trace[floor((t + offset) / slot)]`, is 1. Idle slots consume the
//! trace: the link changes with or without traffic.

use std::sync::Arc;

use airtcp_probe::ConfigError;
use airtcp_units::{Narrow, Outcomes, Span};

use super::{Build, Frame, LossModel, Model, at_least_a_microsecond};

/// Behaviour after the last entry of a trace.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum AtEnd {
    /// Loses every further packet.
    #[default]
    Stop,
    /// Restarts the trace.
    Wrap,
    /// Repeats the last outcome.
    Hold,
}

/// Recorded delivery trace.
#[derive(
    Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct TraceConfig {
    /// File of the trace.
    pub path: String,
    /// Time between two entries. Default: the link's slot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<Span>,
    /// Position in the trace at which the run begins.
    #[serde(default)]
    pub offset: Span,
    /// Behaviour after the last entry.
    #[serde(default)]
    pub at_end: AtEnd,
}

/// A delivery trace.
#[derive(Debug, Clone)]
pub struct Trace {
    outcomes: Arc<Outcomes>,
    slot: Span,
    offset: Span,
    at_end: AtEnd,
}

impl Trace {
    /// A link that repeats `outcomes`, one entry per `slot` (at least 1 ns; 0 counts as 1 ns). An
    /// empty record loses everything.
    pub fn from_outcomes(outcomes: Arc<Outcomes>, slot: Span, at_end: AtEnd) -> Self {
        Self { outcomes, slot: slot.max(Span(1)), offset: Span::ZERO, at_end }
    }

    /// The same trace, started at `offset`.
    pub fn starting_at(self, offset: Span) -> Self {
        Self { offset, ..self }
    }
}

impl LossModel for Trace {
    #[inline]
    fn loses(&mut self, frame: &Frame) -> bool {
        let index = (frame.now + self.offset).0 / self.slot.0;
        let len = self.outcomes.len() as u64;
        if len == 0 {
            return true;
        }
        let index = match self.at_end {
            _ if index < len => index,
            AtEnd::Stop => return true,
            AtEnd::Wrap => index % len,
            AtEnd::Hold => len - 1,
        };
        self.outcomes.get(usize::narrow(index)) != Some(true)
    }

    /// Loss rate of the whole record.
    fn mean_loss(&self) -> Option<f64> {
        let n = self.outcomes.len();
        (n > 0).then(|| 1.0 - self.outcomes.received() as f64 / n as f64)
    }
}

/// Reads a record and rejects an empty one.
pub(super) fn load(path: &str, build: &Build<'_>) -> Result<Arc<Outcomes>, ConfigError> {
    let outcomes = (build.load)(path).map_err(|message| ConfigError::new("path", message))?;
    if outcomes.is_empty() {
        return Err(ConfigError::new("path", format!("{path} has no entry")));
    }
    Ok(outcomes)
}

impl Model for Trace {
    type Config = TraceConfig;

    fn build(config: &TraceConfig, build: &Build<'_>) -> Result<Self, ConfigError> {
        let slot = match config.slot {
            Some(slot) => at_least_a_microsecond("slot", slot)?,
            None => build.slot(None, "a trace needs the time between two entries")?,
        };
        let outcomes = load(&config.path, build)?;
        Ok(Self::from_outcomes(outcomes, slot, config.at_end).starting_at(config.offset))
    }

    #[cfg(test)]
    fn samples() -> Vec<TraceConfig> {
        let ms = Span::from_millis;
        let sample = |at_end, offset| TraceConfig {
            path: "sample".into(),
            slot: Some(ms(10)),
            offset,
            at_end,
        };
        vec![
            sample(AtEnd::Stop, Span::ZERO),
            sample(AtEnd::Wrap, ms(33)),
            sample(AtEnd::Hold, ms(5)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LossConfig;
    use crate::loss::conformance::{build_err, frame};
    use airtcp_units::Nanos;
    use proptest::prelude::*;

    #[test]
    fn the_end() {
        let record: Arc<Outcomes> = Arc::new([true, false, true].into_iter().collect());
        let slot = Span::from_millis(10);
        let lost = |at_end, ms| {
            let mut trace = Trace::from_outcomes(record.clone(), slot, at_end);
            trace.loses(&frame(Nanos::ZERO + Span::from_millis(ms), 0))
        };
        assert!(!lost(AtEnd::Stop, 29) && lost(AtEnd::Stop, 30) && lost(AtEnd::Stop, 500));
        assert!(!lost(AtEnd::Wrap, 30) && lost(AtEnd::Wrap, 40) && lost(AtEnd::Wrap, 313));
        assert!(!lost(AtEnd::Hold, 30) && !lost(AtEnd::Hold, 1_000_000));
    }

    #[test]
    fn refuses_impossible_values() {
        let config = |path: &str, slot| {
            LossConfig::Trace(TraceConfig {
                path: path.into(),
                slot,
                offset: Span::ZERO,
                at_end: AtEnd::Stop,
            })
        };
        assert!(build_err(&config("sample", None)).contains("slot = \"10 ms\""));
        assert!(build_err(&config("sample", Some(Span::ZERO))).contains("1 us"));
        assert!(build_err(&config("missing", Some(Span::from_millis(1)))).contains("no such"));
        assert!(build_err(&config("empty", Some(Span::from_millis(1)))).contains("no entry"));
    }

    proptest! {
        #[test]
        fn slot_edges_are_exact(
            bits in proptest::collection::vec(any::<bool>(), 1..200),
            slot in 1u64..1_000_000_000,
            offset in 0u64..10_000_000_000,
            k in 0usize..200,
        ) {
            let k = k % bits.len();
            let record = Arc::new(bits.iter().copied().collect());
            let mut trace = Trace::from_outcomes(record, Span(slot), AtEnd::Wrap)
                .starting_at(Span(offset));
            // First and last nanosecond of the slot that holds entry k, some laps later.
            let lap = slot * bits.len() as u64;
            let start = lap * offset.div_ceil(lap) + k as u64 * slot - offset;
            prop_assert_eq!(trace.loses(&frame(Nanos(start), 0)), !bits[k]);
            prop_assert_eq!(trace.loses(&frame(Nanos(start + slot - 1), 1)), !bits[k]);
            let next = (k + 1) % bits.len();
            prop_assert_eq!(trace.loses(&frame(Nanos(start + slot), 2)), !bits[next]);
        }
    }
}

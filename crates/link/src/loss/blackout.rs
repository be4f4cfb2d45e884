//! Periodic blackouts: the link loses every packet during `duration` of each `period`.
//!
//! S0 section IV-C/D models a hidden co-channel cell this way: the base station receives nothing
//! during 250 ms of every 2 s. S0 does not give the phase relative to the start of the flow; the
//! model draws it once per run unless it is configured. Leaves out: partial overlap (the start of a
//! packet's transmission decides).

use airtcp_probe::ConfigError;
use airtcp_units::Span;

use super::{Build, Frame, LossModel, Model, at_least_a_microsecond};

/// Periodic blackouts. The defaults are S0's.
#[derive(
    Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields, default)]
pub struct BlackoutConfig {
    /// Time from the start of one blackout to the start of the next.
    pub period: Span,
    /// Duration of each blackout.
    pub duration: Span,
    /// Start of a blackout relative to the start of the run; the others follow from `period`.
    /// Default: random in each run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<Span>,
}

impl Default for BlackoutConfig {
    fn default() -> Self {
        Self { period: Span::from_secs(2), duration: Span::from_millis(250), phase: None }
    }
}

/// Periodic blackouts.
#[derive(Debug, Clone)]
pub struct Blackout {
    period: u64,
    duration: u64,
    /// Added to the time so that blackouts begin at multiples of the period.
    offset: u64,
}

impl LossModel for Blackout {
    #[inline]
    fn loses(&mut self, frame: &Frame) -> bool {
        (frame.now.0 % self.period + self.offset) % self.period < self.duration
    }

    fn mean_loss(&self) -> Option<f64> {
        Some(self.duration as f64 / self.period as f64)
    }
}

impl Model for Blackout {
    type Config = BlackoutConfig;

    fn build(config: &BlackoutConfig, build: &Build<'_>) -> Result<Self, ConfigError> {
        let period = at_least_a_microsecond("period", config.period)?;
        if period > Span(u64::MAX / 2) {
            return Err(ConfigError::new("period", format!("{period} is longer than any run")));
        }
        if config.duration > period {
            return Err(ConfigError::new(
                "duration",
                format!("{} is longer than the period, {period}", config.duration),
            ));
        }
        let phase = match config.phase {
            Some(phase) => phase.0 % period.0,
            None => build.seed.stream(&build.label("phase")).below(period.0),
        };
        let offset = period.0 - phase;
        Ok(Self { period: period.0, duration: config.duration.0, offset })
    }

    #[cfg(test)]
    fn samples() -> Vec<BlackoutConfig> {
        let ms = Span::from_millis;
        vec![
            BlackoutConfig::default(),
            BlackoutConfig { period: ms(100), duration: ms(30), phase: Some(ms(250)) },
            BlackoutConfig { period: ms(10), duration: Span::ZERO, phase: Some(Span::ZERO) },
            BlackoutConfig { period: ms(10), duration: ms(10), phase: None },
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LossConfig;
    use crate::loss::conformance::{build, frame};
    use airtcp_units::Nanos;

    #[test]
    fn edges_are_exact() {
        let ms = Span::from_millis;
        let config = BlackoutConfig { period: ms(2000), duration: ms(250), phase: Some(ms(300)) };
        let mut model = build(&LossConfig::Blackout(config), 1);
        for k in 0..3 {
            let start = Nanos::ZERO + ms(300 + 2000 * k);
            assert!(!model.loses(&frame(start - Span(1), 0)), "just before blackout {k}");
            assert!(model.loses(&frame(start, 0)));
            assert!(model.loses(&frame(start + ms(250) - Span(1), 0)));
            assert!(!model.loses(&frame(start + ms(250), 0)), "just after blackout {k}");
        }
    }

    #[test]
    fn the_random_phase_differs_between_runs() {
        let first_loss = |seed| {
            let mut model = build(&LossConfig::Blackout(BlackoutConfig::default()), seed);
            (0..2000).find(|&t| model.loses(&frame(Nanos::ZERO + Span::from_millis(t), t)))
        };
        let firsts: std::collections::BTreeSet<_> = (0..20).map(first_loss).collect();
        assert!(firsts.len() > 10, "{firsts:?}");
    }
}

//! Alternates between two loss probabilities after uniformly distributed times.
//!
//! S2 section VI says of its bursty process that the actual error rate varied around the nominal
//! rate. This model has two states with losses 0.5 p and 1.5 p and sojourns uniform on 9 to 11 ms.
//! It starts from stationarity: the probability of the first sojourn is proportional to its length,
//! and time zero is uniform within it.

use airtcp_probe::ConfigError;
use airtcp_random::{Keyed, Stream};
use airtcp_units::{Pace, Probability, Saturate, Span};

use crate::protocol::SymbolSet;

use super::sojourn::{Alternation, Sojourns};
use super::{Build, Frame, LossModel, Model, at_least_a_microsecond};

/// Alternation between two loss probabilities. Give either `mean` (and `spread`) or `low` and
/// `high`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TwoStateConfig {
    /// Mean loss probability p.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<Probability>,
    /// The loss probabilities are `(1 - spread) p` and `(1 + spread) p`. Default: 0.5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<Probability>,
    /// Loss probability in the low state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<Probability>,
    /// Loss probability in the high state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<Probability>,
    /// Minimum sojourn in a state.
    #[serde(default = "nine_ms")]
    pub stay_min: Span,
    /// Maximum sojourn in a state.
    #[serde(default = "eleven_ms")]
    pub stay_max: Span,
}

const fn nine_ms() -> Span {
    Span::from_millis(9)
}

const fn eleven_ms() -> Span {
    Span::from_millis(11)
}

#[derive(Debug, Clone)]
struct Bounded {
    min: u64,
    max: u64,
}

impl Sojourns for Bounded {
    fn draw(&mut self, _: bool, draws: &mut Stream) -> Span {
        // Whole nanoseconds, both bounds included.
        Span(self.min + draws.below(self.max - self.min + 1))
    }
}

/// Alternation between two loss probabilities.
#[derive(Debug, Clone)]
pub struct TwoState {
    low: f64,
    high: f64,
    /// A draw is below these bounds with the two loss probabilities.
    bounds: [u64; 2],
    is_high: Alternation<Bounded>,
    draws: Keyed,
}

impl LossModel for TwoState {
    #[inline]
    fn loses(&mut self, frame: &Frame) -> bool {
        let bound = self.bounds[usize::from(self.is_high.at(frame.now))];
        self.draws.is_below(frame.ordinal, bound)
    }

    fn losses_of_train(&mut self, first: &Frame, pace: Pace, count: u16) -> SymbolSet {
        let starts = |place: u16| first.now + pace.after(u64::from(place));
        // Reads the state only where it may have changed; most trains end before.
        let (mut lost, mut place) = (SymbolSet::EMPTY, 0);
        while place < count {
            let bound = self.bounds[usize::from(self.is_high.at(starts(place)))];
            let until = self.is_high.until();
            let later = |place: &u16| starts(*place) >= until;
            let whole = !later(&(count - 1));
            let change =
                if whole { count } else { (place + 1..count).find(later).unwrap_or(count) };
            let here = (change - place).min(64);
            let ordinal = first.ordinal + u64::from(place);
            lost.insert_bits(place, self.draws.are_below(ordinal, u32::from(here), bound));
            place += here;
        }
        lost
    }

    fn mean_loss(&self) -> Option<f64> {
        // Both states last equally long on average.
        Some(f64::midpoint(self.low, self.high))
    }
}

fn probabilities(c: &TwoStateConfig) -> Result<(f64, f64), ConfigError> {
    match (c.mean, c.low, c.high) {
        (Some(mean), None, None) => {
            let spread = c.spread.map_or(0.5, Probability::get);
            let (p, high) = (mean.get(), mean.get() * (1.0 + spread));
            if high > 1.0 {
                let most = 1.0 / (1.0 + spread);
                return Err(ConfigError::new(
                    "mean",
                    format!(
                        "a mean loss of {p} with a spread of {spread} would need a loss of \
                         {high} in the high state; the mean is at most {most}"
                    ),
                ));
            }
            Ok((p * (1.0 - spread), high))
        }
        (None, Some(low), Some(high)) if c.spread.is_none() => {
            if low > high {
                return Err(ConfigError::new(
                    "low",
                    format!("the low state's loss, {low}, is above the high state's, {high}"),
                ));
            }
            Ok((low.get(), high.get()))
        }
        _ => Err(ConfigError::new(
            "mean",
            "the losses of the two states are given either by `mean` (and `spread`) or by `low` \
             and `high`, and by one of these only",
        )),
    }
}

impl Model for TwoState {
    type Config = TwoStateConfig;

    fn build(config: &TwoStateConfig, build: &Build<'_>) -> Result<Self, ConfigError> {
        let (low, high) = probabilities(config)?;
        let min = at_least_a_microsecond("stay_min", config.stay_min)?.0;
        let max = config.stay_max.0;
        if max < min || max > u64::MAX / 4 {
            return Err(ConfigError::new(
                "stay_max",
                format!(
                    "is {}; expected stay_min, {}, to 146 years",
                    config.stay_max, config.stay_min
                ),
            ));
        }
        let mut draws = build.seed.stream(&build.label("stay"));
        let state = draws.chance(0.5);
        // The density of the sojourn at a random instant is proportional to its length x: the
        // inverse of its distribution function is sqrt(a^2 + u (b^2 - a^2)).
        let (a, b) = (min as f64, max as f64);
        let stay = (a * a + draws.unit() * (b * b - a * a)).sqrt();
        let remaining = Span(u64::saturate(stay * draws.unit()));
        let is_high = Alternation::new(Bounded { min, max }, draws, state, remaining);
        let bounds = [low, high].map(Keyed::bound);
        Ok(Self { low, high, bounds, is_high, draws: build.seed.keyed(&build.label("frame")) })
    }

    #[cfg(test)]
    fn samples() -> Vec<TwoStateConfig> {
        let nominal = TwoStateConfig {
            mean: Some(Probability::clamped(0.2)),
            spread: None,
            low: None,
            high: None,
            stay_min: nine_ms(),
            stay_max: eleven_ms(),
        };
        vec![
            nominal.clone(),
            TwoStateConfig {
                mean: None,
                low: Some(Probability::ZERO),
                high: Some(Probability::ONE),
                stay_min: Span::from_millis(2),
                stay_max: Span::from_millis(50),
                ..nominal
            },
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LossConfig;
    use crate::loss::conformance::{build, build_err, frame};
    use airtcp_units::Nanos;

    #[test]
    fn stays_are_bounded() {
        // With losses 0 and 1 the state is visible: sample every 10 us for 20 s.
        let config = TwoStateConfig {
            mean: None,
            spread: None,
            low: Some(Probability::ZERO),
            high: Some(Probability::ONE),
            stay_min: nine_ms(),
            stay_max: eleven_ms(),
        };
        let mut model = build(&LossConfig::TwoState(config), 3);
        let mut changes = Vec::new();
        let mut last = model.loses(&frame(Nanos::ZERO, 0));
        for i in 1..2_000_000 {
            let state = model.loses(&frame(Nanos(i * 10_000), i));
            if state != last {
                changes.push(i * 10_000);
            }
            last = state;
        }
        let stays: Vec<u64> = changes.windows(2).map(|w| w[1] - w[0]).collect();
        assert!(stays.len() > 1900);
        assert!(stays.iter().all(|s| (8_990_000..=11_010_000).contains(s)));
        assert!(stays.iter().any(|s| *s < 9_200_000) && stays.iter().any(|s| *s > 10_800_000));
        let mean = stays.iter().sum::<u64>() as f64 / stays.len() as f64;
        // Five standard errors: 2 ms / sqrt(12) / sqrt(1990).
        assert!((mean - 10e6).abs() < 5.0 * 0.577e6 / 44.0, "{mean}");
    }

    #[test]
    fn the_start_is_stationary() {
        // Over many channels, the share in the high state at time zero and the mean time to the
        // first change are those of a random instant: 1/2 and E[X^2] / (2 E[X]) = 5.0167 ms.
        let config = &TwoState::samples()[1];
        let config =
            TwoStateConfig { stay_min: nine_ms(), stay_max: eleven_ms(), ..config.clone() };
        let config = LossConfig::TwoState(config);
        let n = 4000;
        let (mut high, mut to_change) = (0, 0.0);
        for seed in 0..n {
            let mut model = build(&config, seed);
            let first = model.loses(&frame(Nanos::ZERO, 0));
            high += u32::from(first);
            let change = (0..1000)
                .find(|i| model.loses(&frame(Nanos(i * 50_000), *i)) != first)
                .unwrap_or(0);
            to_change += change as f64 * 0.05;
        }
        let (high, to_change) = (f64::from(high) / n as f64, to_change / n as f64);
        assert!((high - 0.5).abs() < 5.0 * 0.5 / 63.0, "{high}");
        // The grid adds 25 us on average; the standard deviation of a residual is 2.9 ms.
        assert!((to_change - 5.0167 - 0.025).abs() < 5.0 * 2.9 / 63.0, "{to_change}");
    }

    #[test]
    fn refuses_impossible_values() {
        let nominal = &TwoState::samples()[0];
        let p = |x| Some(Probability::clamped(x));
        let cases = [
            (TwoStateConfig { mean: p(0.8), ..nominal.clone() }, "at most 0.66"),
            (TwoStateConfig { low: p(0.1), ..nominal.clone() }, "either"),
            (TwoStateConfig { mean: None, ..nominal.clone() }, "either"),
            (TwoStateConfig { mean: None, low: p(0.2), high: p(0.1), ..nominal.clone() }, "above"),
            (TwoStateConfig { stay_max: Span::from_millis(1), ..nominal.clone() }, "stay_min"),
            (TwoStateConfig { stay_min: Span::ZERO, ..nominal.clone() }, "1 us"),
        ];
        for (config, part) in cases {
            let message = build_err(&LossConfig::TwoState(config));
            assert!(message.contains(part), "{message}");
        }
    }
}

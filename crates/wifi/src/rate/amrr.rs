//! AMRR: adaptive multi-rate retry.
//!
//! ```text
//! attempt 0, 1, 2, 3...   at step r, r - 1, r - 2, r - 3 (at least the lowest)
//! on a new packet, at most once per period; F failures, K acknowledged packets:
//!   good     F < K / 10 and F + K > 10: one more good period; after `threshold` of them r + 1
//!   bad      F > K / 3: r - 1; if the last change was an increase, threshold = min(2 threshold, 10),
//!            else threshold = 1
//! ```
//! F counts failed attempts, and each packet at the retry limit once more, as in `MadWifi`. A PPDU is one
//! attempt. The initial rate is `MadWifi`'s, the highest up to 36 Mb/s. In 802.11n, ac and ax it is the scheme
//! with the modulation and code of 36 Mb/s, MCS 4. Source:
//! Lacage, Manshaei and Turletti, MSWiM 2004; period and ratios are those of ns-3's
//! `AmrrWifiManager`. If the chain leads below the lowest step, ns-3 uses step r again and this
//! control the lowest step.

use airtcp_probe::ConfigError;
use airtcp_units::{Probability, Span};

use super::{
    Attempt, Control, ControlInputs, Ladder, Outcome, Peers, Period, RateControl, check_period,
    positive,
};
use crate::phy::Mode;

/// A good period has more results than this (`MadWifi`).
const ENOUGH: u32 = 10;
/// Attempts at each step of the retry chain before the last.
const TRIES: [u32; 3] = [1, 1, 1];
/// Default initial rate in kb/s (`MadWifi`); for an MCS, that of its modulation and code.
pub(super) const START_KBPS: u32 = 36_000;

/// AMRR.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AmrrConfig {
    /// Time between decisions.
    pub period: Span,
    /// Failures per acknowledged packet above which a period is bad.
    pub failure_ratio: Probability,
    /// Failures per acknowledged packet below which a period is good.
    pub success_ratio: Probability,
    /// Good periods that raise the rate: initial threshold.
    pub min_threshold: u32,
    /// Maximum of that threshold.
    pub max_threshold: u32,
}

impl Default for AmrrConfig {
    fn default() -> Self {
        Self {
            period: Span::from_millis(1_000),
            failure_ratio: Probability::clamped(1.0 / 3.0),
            success_ratio: Probability::clamped(0.1),
            min_threshold: 1,
            max_threshold: 10,
        }
    }
}

#[derive(Debug, Clone)]
struct State {
    step: usize,
    period: Period,
    acknowledged: u32,
    failed: u32,
    good_periods: u32,
    threshold: u32,
    /// True if the last change of rate was an increase.
    increased: bool,
}

/// AMRR.
#[derive(Debug, Clone)]
pub struct Amrr {
    config: AmrrConfig,
    ladder: Ladder,
    peers: Peers<State>,
}

impl Amrr {
    /// Decides at the end of a period.
    fn decide(config: &AmrrConfig, state: &mut State, top: usize) {
        let (failed, sent) = (f64::from(state.failed), f64::from(state.acknowledged));
        let enough = state.failed + state.acknowledged > ENOUGH;
        let before = state.step;
        if enough && failed < sent * config.success_ratio.get() {
            state.good_periods += 1;
            state.increased = state.good_periods >= state.threshold && state.step < top;
            if state.increased {
                state.good_periods = 0;
                state.step += 1;
            }
        } else if failed > sent * config.failure_ratio.get() {
            state.good_periods = 0;
            if state.step > 0 {
                state.threshold = if state.increased {
                    (2 * state.threshold).min(config.max_threshold)
                } else {
                    config.min_threshold
                };
                state.step -= 1;
            }
            state.increased = false;
        }
        if enough || state.step != before {
            state.failed = 0;
            state.acknowledged = 0;
        }
    }
}

impl RateControl for Amrr {
    fn learns_from_receptions(&self) -> bool {
        false
    }

    fn on_packet(&mut self, first: &Attempt) {
        let state = self.peers.get_mut(first.to);
        if state.period.has_ended(first.now, self.config.period) {
            Self::decide(&self.config, state, self.ladder.top());
        }
    }

    fn pick(&self, attempt: &Attempt) -> Mode {
        self.ladder.on_chain(self.peers.get(attempt.to).step, attempt.number, &TRIES)
    }

    fn on_result(&mut self, outcome: &Outcome) {
        let Some(succeeded) = outcome.succeeded() else { return };
        let state = self.peers.get_mut(outcome.attempt.to);
        if succeeded {
            state.acknowledged += 1;
        } else {
            state.failed += 1 + u32::from(outcome.given_up);
        }
    }
}

impl Control for Amrr {
    type Config = AmrrConfig;

    fn build(config: &AmrrConfig, inputs: &ControlInputs<'_>) -> Result<Self, ConfigError> {
        positive("min_threshold", config.min_threshold)?;
        if config.max_threshold < config.min_threshold {
            let message = format!(
                "is {}, below min_threshold ({})",
                config.max_threshold, config.min_threshold
            );
            return Err(ConfigError::new("max_threshold", message));
        }
        check_period(config.period)?;
        if config.success_ratio > config.failure_ratio {
            let message = format!(
                "is {}, above failure_ratio ({})",
                config.success_ratio, config.failure_ratio
            );
            return Err(ConfigError::new("success_ratio", message));
        }
        let state = State {
            step: inputs.start.unwrap_or(inputs.ladder.at_most_reference(START_KBPS)),
            period: Period::new(),
            acknowledged: 0,
            failed: 0,
            good_periods: 0,
            threshold: config.min_threshold,
            increased: false,
        };
        Ok(Self { config: config.clone(), ladder: inputs.ladder.clone(), peers: Peers::new(state) })
    }

    #[cfg(test)]
    fn samples() -> Vec<AmrrConfig> {
        let quick = AmrrConfig { period: Span::from_millis(200), ..AmrrConfig::default() };
        vec![AmrrConfig::default(), quick]
    }
}

#[cfg(test)]
mod tests {
    use super::super::RateConfig;
    use super::super::conformance::Script;
    use super::*;

    /// Periods of a second, by hand: 36 Mb/s is step 5 of 802.11a.
    #[test]
    fn scripted() {
        let mut s = Script::new(&RateConfig::Amrr(AmrrConfig::default()));
        // The attempts of one packet go down the chain: r, r-1, r-2, r-3, r-3 ...
        assert_eq!(s.packet("xxxx.").1, [5, 4, 3, 2, 2]);
        // 4 failures, 21 acknowledged: neither below 2.1 nor above 7: no change.
        for _ in 0..20 {
            assert_eq!(s.packet(".").1, [5]);
        }
        s.wait(1_000);
        assert_eq!(s.packet(".").1, [5]);
        // 11 successes and no failure: good, and one good period is enough.
        for _ in 0..10 {
            s.packet(".");
        }
        s.wait(1_000);
        assert_eq!(s.packet("xx.").1, [6, 5, 4]);
        // 2 failures to 1 success: above a third: down, and the threshold doubles.
        s.wait(1_000);
        assert_eq!(s.packet(".").1, [5]);
        for period in 0..2 {
            for _ in 0..11 {
                s.packet(".");
            }
            s.wait(1_000);
            assert_eq!(s.packet(".").1, [5 + period]);
        }
    }

    /// Too few attempts decide nothing and count for the next period. The retry limit counts as a
    /// failure.
    #[test]
    fn few_attempts_are_kept() {
        let mut s = Script::new(&RateConfig::Amrr(AmrrConfig::default()));
        for _ in 0..6 {
            s.packet(".");
        }
        s.wait(1_000);
        for _ in 0..5 {
            assert_eq!(s.packet(".").1, [5]);
        }
        s.wait(1_000);
        // 6 and 5 are 11, which is more than 10.
        assert_eq!(s.packet(".").1, [6]);
        // 1 success since the increase; 7 attempts and the packet make 8 failures.
        assert_eq!(s.packet("xxxxxxx").1, [6, 5, 4, 3, 3, 3, 3]);
        for _ in 0..22 {
            s.packet(".");
        }
        s.wait(1_000);
        // 8 > 23 / 3, where 7 would not be.
        assert_eq!(s.packet(".").1, [5]);
    }
}

//! Onoe: raises the rate after ten good periods.
//!
//! ```text
//! attempts 0-3, 4-5, 6-7, 8...    at step r, r - 1, r - 2, r - 3
//! on a new packet, at most once per period; K packets acknowledged, E at the retry limit, R failed
//! attempts:
//!   E > 0 and K = 0, or K + E >= 10 and K < R           r - 1, credits 0
//!   K + E >= 10 and E = 0 and R < K * raise             one more credit; at `credits` r + 1
//!   otherwise with K + E >= 10                          one credit less
//! ```
//! Source: `MadWifi`'s `ath_rate/onoe`, after ns-3's `OnoeWifiManager`. A packet's failed attempts
//! count at the end of the packet. Neither program counts failed RTS. A PPDU counts as a packet, and the PPDUs
//! without an answer before it as its failed attempts. A PPDU with an answer that acknowledges less than half of its
//! MPDUs ends its row of attempts without success, and counts as a packet at the retry limit. The initial rate is that of AMRR.

use airtcp_probe::ConfigError;
use airtcp_units::{Probability, Span};

use super::amrr::START_KBPS;
use super::{
    Attempt, Control, ControlInputs, Ending, Ladder, Outcome, Peers, Period, RateControl,
    check_period, positive,
};
use crate::phy::Mode;

/// Minimum number of packets of a period that gives or takes credits (`MadWifi`).
const ENOUGH: u32 = 10;
/// Attempts at each step of the retry chain before the last.
const TRIES: [u32; 3] = [4, 2, 2];

/// Onoe.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OnoeConfig {
    /// Time between decisions.
    pub period: Span,
    /// Credits that raise the rate.
    pub credits: u32,
    /// Failed attempts per acknowledged packet below which a period gives a credit.
    pub raise: Probability,
}

impl Default for OnoeConfig {
    fn default() -> Self {
        Self { period: Span::from_millis(1_000), credits: 10, raise: Probability::clamped(0.1) }
    }
}

#[derive(Debug, Clone)]
struct State {
    step: usize,
    period: Period,
    acknowledged: u32,
    given_up: u32,
    retries: u32,
    credits: u32,
}

/// Onoe.
#[derive(Debug, Clone)]
pub struct Onoe {
    config: OnoeConfig,
    ladder: Ladder,
    peers: Peers<State>,
}

impl Onoe {
    /// Decides at the end of a period.
    fn decide(config: &OnoeConfig, state: &mut State, top: usize) {
        let enough = state.acknowledged + state.given_up >= ENOUGH;
        let none = state.given_up > 0 && state.acknowledged == 0;
        let few = f64::from(state.acknowledged) * config.raise.get();
        let before = state.step;
        if none || enough && state.acknowledged < state.retries {
            state.step = state.step.saturating_sub(1);
            state.credits = 0;
        } else if enough && state.given_up == 0 && f64::from(state.retries) < few {
            state.credits += 1;
            if state.credits >= config.credits {
                state.credits = 0;
                state.step = (state.step + 1).min(top);
            }
        } else if enough {
            state.credits = state.credits.saturating_sub(1);
        }
        if enough || state.step != before {
            (state.acknowledged, state.given_up, state.retries) = (0, 0, 0);
        }
    }
}

impl RateControl for Onoe {
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
            state.retries += outcome.attempt.number;
        } else if outcome.given_up || outcome.ending == Ending::Acknowledged {
            state.given_up += 1;
            state.retries += outcome.attempt.number + 1;
        }
    }
}

impl Control for Onoe {
    type Config = OnoeConfig;

    fn build(config: &OnoeConfig, inputs: &ControlInputs<'_>) -> Result<Self, ConfigError> {
        positive("credits", config.credits)?;
        check_period(config.period)?;
        let state = State {
            step: inputs.start.unwrap_or(inputs.ladder.at_most_reference(START_KBPS)),
            period: Period::new(),
            acknowledged: 0,
            given_up: 0,
            retries: 0,
            credits: 0,
        };
        Ok(Self { config: config.clone(), ladder: inputs.ladder.clone(), peers: Peers::new(state) })
    }

    #[cfg(test)]
    fn samples() -> Vec<OnoeConfig> {
        vec![OnoeConfig::default(), OnoeConfig { credits: 2, ..OnoeConfig::default() }]
    }
}

#[cfg(test)]
mod tests {
    use super::super::RateConfig;
    use super::super::conformance::Script;
    use super::*;

    fn period(s: &mut Script, packets: &[&str]) -> usize {
        let first = s.packet(packets[0]).1[0];
        for packet in &packets[1..] {
            s.packet(packet);
        }
        s.wait(1_000);
        first
    }

    /// Periods of a second, by hand: 36 Mb/s is step 5 of 802.11a.
    #[test]
    fn scripted() {
        let mut s = Script::new(&RateConfig::Onoe(OnoeConfig::default()));
        let good = ["."; 10];
        for _ in 0..10 {
            assert_eq!(period(&mut s, &good), 5);
        }
        // The tenth credit raises the rate. One retry in ten is not below 10 %: nine credits, then
        // eight.
        for _ in 0..9 {
            assert_eq!(period(&mut s, &good), 6);
        }
        let mut some = good;
        some[3] = "x.";
        assert_eq!(period(&mut s, &some), 6);
        assert_eq!(period(&mut s, &good), 6);
        assert_eq!(period(&mut s, &good), 6);
        assert_eq!(period(&mut s, &good), 7);
        // Every packet needs one retry, and one packet needs two: down.
        let mut bad = ["x."; 10];
        bad[9] = "xx.";
        assert_eq!(period(&mut s, &bad), 7);
        assert_eq!(period(&mut s, &["x."; 10]), 6);
        // As many retries as packets: no step down.
        assert_eq!(period(&mut s, &["xxxxxxx"]), 6);
        // No packet succeeded: down, even after few packets.
        assert_eq!(s.packet("xxxxxxxxx.").1, [5, 5, 5, 5, 4, 4, 3, 3, 2, 2]);
    }

    /// PPDUs of which a minority of the MPDUs arrives lower the scheme, though each has an answer.
    #[test]
    fn answers_for_few_mpdus_are_failures() {
        let mut s = Script::new(&RateConfig::Onoe(OnoeConfig::default()));
        // At step 2 half of them are enough.
        for (acknowledged, step) in [(31, 5), (31, 4), (0, 3), (32, 2), (32, 2)] {
            for _ in 0..10 {
                assert_eq!(s.aggregate((64, acknowledged)), step, "{acknowledged}");
            }
            s.wait(1_000);
        }
    }
}

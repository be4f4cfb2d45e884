//! Ideal: the sender knows at which SNR its last frame from the other end arrived, and what that
//! SNR carries.
//!
//! ```text
//! mode = the fastest whose frame of this length comes through with probability >= target
//! ```
//! at the SNR of the last frame received from the destination, by the cell's own error model; the
//! slowest if none does. A frame given up, or an RTS never answered, contradicts that SNR: the control
//! forgets it and sends in the slowest mode until the other end is heard again. Without that rule a
//! sender that hears nothing but ACKs keeps the rate of a channel that is gone. Interference is not counted. ns-3's `IdealWifiManager` asks for a bit error
//! rate (1e-6) where this asks for a frame's success, and forgets on the same two events. The target
//! 0.9 is a choice: a step up wins at least an eighth (48 to 54 Mb/s), so that losing a tenth of the
//! frames costs no more than it wins.

use airtcp_probe::ConfigError;
use airtcp_units::{Nanos, Probability};

use super::{Attempt, Control, ControlInputs, Ladder, Outcome, Peers, RateControl};
use crate::mac::NodeId;
use crate::phy::Mode;
use crate::phy::error::ErrorModel;

/// The last SNR decides.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IdealConfig {
    /// Least probability that a frame comes through.
    pub target: Probability,
}

impl Default for IdealConfig {
    fn default() -> Self {
        Self { target: Probability::clamped(0.9) }
    }
}

/// The fastest mode in which a frame of `bytes` comes through with `target`, or the slowest.
pub(super) fn fastest(
    ladder: &Ladder,
    error: &ErrorModel,
    sinr: f64,
    bytes: u32,
    target: f64,
) -> Mode {
    let carries = |mode: &&Mode| error.success(**mode, sinr, mode.body_bits(bytes)) >= target;
    let found = ladder.modes().iter().rev().find(carries);
    found.copied().unwrap_or_else(|| ladder.mode(0))
}

/// Refuses a target that no frame or every frame meets.
pub(super) fn check_target(target: Probability) -> Result<f64, ConfigError> {
    let p = target.get();
    if p > 0.0 && p < 1.0 {
        return Ok(p);
    }
    Err(ConfigError::new("target", format!("is {p}: accepted are values between 0 and 1")))
}

/// The last SNR decides.
#[derive(Debug, Clone)]
pub struct Ideal {
    target: f64,
    start: usize,
    ladder: Ladder,
    error: ErrorModel,
    peers: Peers<Known>,
}

/// What is known of a destination.
#[derive(Debug, Clone, Copy)]
enum Known {
    /// It has not been heard.
    Nothing,
    /// The SNR of its last frame.
    Snr(f64),
    /// A frame to it was given up since it was last heard.
    Lost,
}

impl RateControl for Ideal {
    fn pick(&self, attempt: &Attempt) -> Mode {
        match *self.peers.get(attempt.to) {
            Known::Snr(snr) => fastest(&self.ladder, &self.error, snr, attempt.bytes, self.target),
            Known::Nothing => self.ladder.mode(self.start),
            Known::Lost => self.ladder.mode(0),
        }
    }

    fn on_result(&mut self, outcome: &Outcome) {
        if outcome.given_up {
            *self.peers.get_mut(outcome.attempt.to) = Known::Lost;
        }
    }

    fn on_rx(&mut self, _: Nanos, from: NodeId, snr: f64) {
        *self.peers.get_mut(from) = Known::Snr(snr);
    }
}

impl Control for Ideal {
    type Config = IdealConfig;

    fn build(config: &IdealConfig, inputs: &ControlInputs<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            target: check_target(config.target)?,
            start: inputs.start.unwrap_or(0),
            ladder: inputs.ladder.clone(),
            error: inputs.context.error.clone(),
            peers: Peers::new(Known::Nothing),
        })
    }

    #[cfg(test)]
    fn samples() -> Vec<IdealConfig> {
        vec![IdealConfig::default(), IdealConfig { target: Probability::clamped(0.5) }]
    }
}

#[cfg(test)]
mod tests {
    use super::super::RateConfig;
    use super::super::conformance::{PEER, Script};
    use super::*;

    /// Just above the SNR at which a mode meets the target it is chosen, just below the one before.
    #[test]
    fn thresholds() {
        let error = ErrorModel::default();
        let mut s = Script::new(&RateConfig::Ideal(IdealConfig::default()));
        assert_eq!(s.packet(".").1, [0]);
        // 9 Mb/s (BPSK 3/4) needs more than 12 (QPSK 1/2) where that is so: it is never chosen.
        let need = |step: usize| error.sinr_for(Mode::OFDM[step], 8 * 1536 + 22, 0.9);
        for step in 2..8 {
            assert!(need(step) > need(step - 1) || step == 2, "{step}");
            s.rate.on_rx(Nanos::ZERO, PEER, need(step) * 1.000_001);
            assert_eq!(s.packet(".").1, [step]);
            s.rate.on_rx(Nanos::ZERO, PEER, need(step) * 0.999_999);
            assert!(s.packet(".").1[0] < step);
        }
        s.rate.on_rx(Nanos::ZERO, PEER, 0.0);
        assert_eq!(s.packet(".").1, [0]);
        // What others are heard with says nothing about this destination.
        s.rate.on_rx(Nanos::ZERO, NodeId(9), 1e9);
        assert_eq!(s.packet(".").1, [0]);
    }

    /// A frame given up says that the SNR heard last no longer holds; a failure in between does not.
    #[test]
    fn giving_up_forgets_the_snr() {
        let mut s = Script::new(&RateConfig::Ideal(IdealConfig::default()));
        s.rate.on_rx(Nanos::ZERO, PEER, 1e6);
        assert_eq!(s.packet("xxxxxx.").1, [7; 7]);
        assert_eq!(s.packet("xxxxxxx").1, [7; 7]);
        assert_eq!(s.packet("xx").1, [0, 0]);
        s.rate.on_rx(Nanos::ZERO, PEER, 1e6);
        assert_eq!(s.packet(".").1, [7]);
    }
}

//! Ideal: the fastest mode for the SNR of the last frame received from the destination.
//!
//! ```text
//! mode = the fastest in which a frame of this length succeeds with probability >= target
//! ```
//! The cell's own error model gives the probability, without interference. If no mode meets the
//! target, the control uses the slowest. The power of a narrower frame meets less noise:
//!
//! ```text
//! SNR of a mode = SNR over the widest mode * width of the widest / width of the mode
//! ```
//! Frames without HT are duplicated over the width of the pair, which is that of its widest mode. When a data frame or its RTS reaches the retry limit, the
//! control forgets the SNR and uses the slowest mode until it receives another frame of the
//! destination. Without that rule a sender that receives only ACKs would keep a rate that the channel
//! no longer carries. ns-3's `IdealWifiManager` forgets on the same two events, but requires a bit
//! error rate of 1e-6 and not a frame success probability. The target of 0.9 is a choice: a step up
//! gains at least an eighth (48 to 54 Mb/s), more than a loss of one frame in ten costs.

use airtcp_probe::ConfigError;
use airtcp_units::{Nanos, Probability};

use super::{Attempt, Control, ControlInputs, Ladder, Outcome, Peers, RateControl};
use crate::mac::NodeId;
use crate::phy::Mode;
use crate::phy::error::ErrorModel;

/// The fastest mode for the SNR of the destination's last frame.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IdealConfig {
    /// Minimum success probability of a frame.
    pub target: Probability,
}

impl Default for IdealConfig {
    fn default() -> Self {
        Self { target: Probability::clamped(0.9) }
    }
}

/// The fastest mode in which a frame of `bytes` succeeds with probability `target`, or the slowest. `sinr` is that
/// over the band of the widest mode.
pub(super) fn fastest(
    ladder: &Ladder,
    error: &ErrorModel,
    sinr: f64,
    bytes: u32,
    target: f64,
) -> Mode {
    let carries = |mode: &&Mode| {
        let own = sinr / ladder.part_of_widest(**mode);
        error.success(**mode, own, mode.body_bits(bytes)) >= target
    };
    let found = ladder.modes().iter().rev().find(carries);
    found.copied().unwrap_or_else(|| ladder.mode(0))
}

/// Refuses a target of 0 or 1.
pub(super) fn check_target(target: Probability) -> Result<f64, ConfigError> {
    let p = target.get();
    if p > 0.0 && p < 1.0 {
        return Ok(p);
    }
    Err(ConfigError::new("target", format!("is {p}: accepted are values between 0 and 1")))
}

/// The fastest mode for the SNR of the destination's last frame.
#[derive(Debug, Clone)]
pub struct Ideal {
    target: f64,
    start: usize,
    ladder: Ladder,
    error: ErrorModel,
    peers: Peers<PeerSnr>,
}

/// State of a destination.
#[derive(Debug, Clone, Copy)]
enum PeerSnr {
    /// No frame of it received yet.
    Unknown,
    /// SNR of its last frame, over the band of the widest mode.
    Snr(f64),
    /// A frame to it has reached the retry limit since.
    Lost,
}

impl RateControl for Ideal {
    fn pick(&self, attempt: &Attempt) -> Mode {
        match *self.peers.get(attempt.to) {
            PeerSnr::Snr(snr) => {
                fastest(&self.ladder, &self.error, snr, attempt.bytes, self.target)
            }
            PeerSnr::Unknown => self.ladder.mode(self.start),
            PeerSnr::Lost => self.ladder.mode(0),
        }
    }

    fn on_result(&mut self, outcome: &Outcome) {
        if outcome.given_up {
            *self.peers.get_mut(outcome.attempt.to) = PeerSnr::Lost;
        }
    }

    fn on_rx(&mut self, _: Nanos, from: NodeId, mode: Mode, snr: f64) {
        let over_widest = snr * self.ladder.part_of_widest(mode);
        *self.peers.get_mut(from) = PeerSnr::Snr(over_widest);
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
            peers: Peers::new(PeerSnr::Unknown),
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

    /// A mode is chosen just above the SNR at which it meets the target, and not just below.
    #[test]
    fn thresholds() {
        let error = ErrorModel::default();
        let mut s = Script::new(&RateConfig::Ideal(IdealConfig::default()));
        assert_eq!(s.packet(".").1, [0]);
        // 9 Mb/s (BPSK 3/4) may need a higher SNR than 12 Mb/s (QPSK 1/2); it is then never chosen.
        let need = |step: usize| error.sinr_for(Mode::OFDM[step], 8 * 1536 + 22, 0.9);
        for step in 2..8 {
            assert!(need(step) > need(step - 1) || step == 2, "{step}");
            s.rate.on_rx(Nanos::ZERO, PEER, Mode::OFDM[0], need(step) * 1.000_001);
            assert_eq!(s.packet(".").1, [step]);
            s.rate.on_rx(Nanos::ZERO, PEER, Mode::OFDM[0], need(step) * 0.999_999);
            assert!(s.packet(".").1[0] < step);
        }
        s.rate.on_rx(Nanos::ZERO, PEER, Mode::OFDM[0], 0.0);
        assert_eq!(s.packet(".").1, [0]);
        // The SNR of other stations does not count.
        s.rate.on_rx(Nanos::ZERO, NodeId(9), Mode::OFDM[0], 1e9);
        assert_eq!(s.packet(".").1, [0]);
    }

    /// The retry limit makes the control forget the SNR; a failed attempt before it does not.
    #[test]
    fn giving_up_forgets_the_snr() {
        let mut s = Script::new(&RateConfig::Ideal(IdealConfig::default()));
        s.rate.on_rx(Nanos::ZERO, PEER, Mode::OFDM[0], 1e6);
        assert_eq!(s.packet("xxxxxx.").1, [7; 7]);
        assert_eq!(s.packet("xxxxxxx").1, [7; 7]);
        assert_eq!(s.packet("xx").1, [0, 0]);
        s.rate.on_rx(Nanos::ZERO, PEER, Mode::OFDM[0], 1e6);
        assert_eq!(s.packet(".").1, [7]);
    }
}

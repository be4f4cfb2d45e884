//! Ideal: the fastest mode for the SNR of the last frame received from the destination.
//!
//! ```text
//! mode = the fastest in which a frame of this length succeeds with probability p >= target
//!        802.11n, ac and ax: that with the greatest rate * p of those with p >= target
//! ```
//! The cell's own error model gives the probability, without interference. If no mode meets the
//! target, the control uses the slowest. The power of a narrower frame meets less noise:
//!
//! ```text
//! SNR of a mode = SNR over the widest mode * width of the widest / width of the mode
//! ```
//! Frames without HT are duplicated over the width of the pair, which is that of its widest mode, or over that of
//! the frame that they answer. When a data frame or its RTS reaches the retry limit, the
//! control forgets the SNR and uses the slowest mode until it receives another frame of the
//! destination. Without that rule a sender that receives only ACKs would keep a rate that the channel
//! no longer carries. ns-3's `IdealWifiManager` forgets on the same two events, but requires a bit
//! error rate of 1e-6 and not a frame success probability. The target of 0.9 is a choice: a step up
//! gains at least an eighth (48 to 54 Mb/s), more than a loss of one frame in ten costs. Schemes of different widths
//! and numbers of streams are closer together, and several have the same rate.

use airtcp_probe::ConfigError;
use airtcp_units::{Nanos, Probability};

use super::{Attempt, Control, ControlInputs, Ladder, Outcome, Peers, RateControl};
use crate::node::NodeId;
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

/// The fastest mode in which a frame of `bytes` succeeds with probability `target`, or the slowest. Of the modes of
/// HT, VHT and HE that meet the target, the one with the highest product of rate and probability. `sinr` is that over
/// the band of the widest mode.
pub(super) fn fastest(
    ladder: &Ladder,
    error: &ErrorModel,
    sinr: f64,
    bytes: u32,
    target: f64,
) -> Mode {
    let mut best: Option<(f64, Mode)> = None;
    for mode in ladder.modes().iter().rev().copied() {
        let rate = f64::from(mode.kbps());
        if best.is_some_and(|(most, _)| rate <= most) {
            break;
        }
        let own = sinr / ladder.part_of_mode(mode);
        let p = error.success(mode, own, mode.body_bits(bytes));
        if p < target {
            continue;
        }
        if !mode.is_mcs() {
            return mode;
        }
        if best.is_none_or(|(most, _)| rate * p > most) {
            best = Some((rate * p, mode));
        }
    }
    best.map_or_else(|| ladder.mode(0), |(_, mode)| mode)
}

/// Refuses a target of 0 or 1.
pub(super) fn check_target(target: Probability) -> Result<f64, ConfigError> {
    let p = target.get();
    if p > 0.0 && p < 1.0 {
        return Ok(p);
    }
    Err(ConfigError::new("target", format!("is {p}: expected values between 0 and 1")))
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

    fn on_rx(&mut self, _: Nanos, from: NodeId, hz: Option<f64>, snr: f64) {
        let over_widest = snr * hz.map_or(1.0, |hz| self.ladder.part_of_widest(hz));
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
            s.rate.on_rx(Nanos::ZERO, PEER, None, need(step) * 1.000_001);
            assert_eq!(s.packet(".").1, [step]);
            s.rate.on_rx(Nanos::ZERO, PEER, None, need(step) * 0.999_999);
            assert!(s.packet(".").1[0] < step);
        }
        s.rate.on_rx(Nanos::ZERO, PEER, None, 0.0);
        assert_eq!(s.packet(".").1, [0]);
        // The SNR of other stations does not count.
        s.rate.on_rx(Nanos::ZERO, NodeId(9), None, 1e9);
        assert_eq!(s.packet(".").1, [0]);
    }

    /// The best product of rate and probability of those that meet the target, over widths and streams. A narrow
    /// frame has a higher SNR, whether the control chooses its mode or measures it.
    #[test]
    fn widths_and_streams() {
        use crate::phy::error::ErrorModelConfig;
        use crate::phy::{PhySetup, SetupKeys, Standard, Timing, TimingConfig, Width};
        let keys = SetupKeys { streams: Some(2), ..SetupKeys::default() };
        let modes = PhySetup::new(Standard::Ac, &keys).unwrap().modes_of_all_widths();
        assert_eq!(modes.len(), 58);
        let error = ErrorModel::for_modes(&ErrorModelConfig::default(), &modes).unwrap();
        let ladder = Ladder::new(&modes).unwrap();
        let part = |mode: Mode| f64::from(mode.width_mhz()) / 80.0;
        let mut widths = std::collections::BTreeSet::new();
        for tenths in -30..450 {
            let sinr = airtcp_units::Db(f64::from(tenths) / 10.0).linear();
            let p = |mode: Mode| error.success(mode, sinr / part(mode), mode.body_bits(1_530));
            let expected = |mode: &Mode| f64::from(mode.kbps()) * p(*mode);
            let meet = modes.iter().filter(|mode| p(**mode) >= 0.9);
            let best = meet.max_by(|a, b| expected(a).total_cmp(&expected(b)));
            let found = fastest(&ladder, &error, sinr, 1_530, 0.9);
            match best {
                Some(best) => {
                    let same = expected(&found).total_cmp(&expected(best)).is_eq();
                    assert!(same, "{tenths} {found} {best}");
                }
                None => assert_eq!((found.width(), found.streams()), (Width::Mhz20, 1)),
            }
            widths.insert(found.width());
        }
        assert_eq!(widths.len(), 3);
        let config = IdealConfig::default();
        let timing = Timing::new(Standard::Ac, &TimingConfig::default()).unwrap();
        let seed = airtcp_random::Seed::new(1);
        let context =
            crate::rate::RateContext { timing: &timing, error: &error, seed, label: "rate" };
        let inputs = ControlInputs { ladder: ladder.clone(), start: None, context };
        let mut ideal = Ideal::build(&config, &inputs).unwrap();
        for (hz, factor) in [(None, 1.0), (Some(80e6), 1.0), (Some(20e6), 4.0)] {
            ideal.on_rx(Nanos::ZERO, PEER, hz, 300.0 * factor);
            let attempt =
                Attempt { now: Nanos::ZERO, to: PEER, category: 0, bytes: 1_530, number: 0 };
            assert_eq!(ideal.pick(&attempt), fastest(&ladder, &error, 300.0, 1_530, 0.9));
        }
    }

    /// The retry limit makes the control forget the SNR; a failed attempt before it does not.
    #[test]
    fn giving_up_forgets_the_snr() {
        let mut s = Script::new(&RateConfig::Ideal(IdealConfig::default()));
        s.rate.on_rx(Nanos::ZERO, PEER, None, 1e6);
        assert_eq!(s.packet("xxxxxx.").1, [7; 7]);
        assert_eq!(s.packet("xxxxxxx").1, [7; 7]);
        assert_eq!(s.packet("xx").1, [0, 0]);
        s.rate.on_rx(Nanos::ZERO, PEER, None, 1e6);
        assert_eq!(s.packet(".").1, [7]);
    }
}

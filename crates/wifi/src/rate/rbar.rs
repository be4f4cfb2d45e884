//! RBAR: the receiver chooses the rate by the SINR of the RTS and returns it in the CTS. With `burst`
//! it is OAR: the sender transmits frames for as long as one frame at the lowest rate would take.
//!
//! ```text
//! mode = the fastest in which a frame of this length succeeds at the RTS's SINR with >= target
//! burst = floor(rate / lowest allowed rate) frames, SIFS apart, for one RTS and CTS
//! ```
//! Source: Holland, Vaidya and Bahl, *A rate-adaptive MAC protocol for multi-hop wireless
//! networks*, `MobiCom` 2001; Sadeghi, Kanodia, Sabharwal and Knightly, *Opportunistic media access
//! for multirate ad hoc networks*, `MobiCom` 2002. The thresholds come from the cell's own error model
//! and a target for the frame; RBAR's come from a bit error rate.
//!
//! The RTS uses the lowest allowed mode, so that it still succeeds on a worse channel. It reserves
//! time for the mode granted last, and the CTS for the mode granted now. Stations that received only
//! the RTS correct their NAV by the Duration field at the end of the data frame; RBAR instead has a
//! sub-header at the start of the frame, and longer PLCP headers. A frame below the RTS threshold uses
//! the mode granted last, or the slowest after a frame has reached the retry limit.
//!
//! A station does not know the packets behind the head of its queue, so each frame of a burst reserves
//! time for its own ACK only. SIFS then makes the stations that sense the sender defer, but not those
//! that sense only the receiver. With `reserve` each frame also reserves time for the next frame, as
//! in OAR, and assumes an equal length. If no frame to the same station follows, that time is wasted.

use airtcp_probe::ConfigError;
use airtcp_units::Probability;

use super::ideal::{check_target, fastest};
use super::{Attempt, Control, ControlInputs, Ladder, Outcome, Peers, RateControl};
use crate::node::NodeId;
use crate::phy::Mode;
use crate::phy::error::ErrorModel;

/// The receiver chooses.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RbarConfig {
    /// Minimum success probability of a frame.
    pub target: Probability,
    /// Sends several frames per RTS, for as long as one frame at the lowest rate would take (OAR).
    pub burst: bool,
    /// Each frame of a burst reserves time for the next frame and its ACK (OAR), with the assumption
    /// of an equal length. The time is wasted if no frame to the same station follows.
    pub reserve: bool,
}

impl Default for RbarConfig {
    fn default() -> Self {
        Self { target: Probability::clamped(0.9), burst: false, reserve: false }
    }
}

/// The receiver chooses.
#[derive(Debug, Clone)]
pub struct Rbar {
    target: f64,
    burst: bool,
    reserve: bool,
    ladder: Ladder,
    error: ErrorModel,
    /// The mode granted last.
    peers: Peers<Mode>,
}

impl RateControl for Rbar {
    fn learns_from_receptions(&self) -> bool {
        false
    }

    fn pick(&self, attempt: &Attempt) -> Mode {
        *self.peers.get(attempt.to)
    }

    fn grant(&self, _: NodeId, sinr: f64, bytes: u32) -> Option<Mode> {
        Some(fastest(&self.ladder, &self.error, sinr, bytes, self.target))
    }

    fn on_grant(&mut self, to: NodeId, mode: Mode) {
        // The receiver may grant a rate that is not allowed here: take the next lower one.
        let step = self.ladder.at_most(mode.kbps());
        *self.peers.get_mut(to) = self.ladder.mode(step);
    }

    fn on_result(&mut self, outcome: &Outcome) {
        // Frames below the RTS threshold bring no new grant: the mode could stay too fast for good.
        if outcome.given_up {
            *self.peers.get_mut(outcome.attempt.to) = self.ladder.mode(0);
        }
    }

    fn burst(&self, mode: Mode) -> u32 {
        if self.burst { mode.kbps() / self.ladder.mode(0).kbps() } else { 1 }
    }

    fn burst_reserves(&self) -> bool {
        self.burst && self.reserve
    }

    fn rts_mode(&self) -> Option<Mode> {
        Some(self.ladder.mode(0))
    }
}

impl Control for Rbar {
    type Config = RbarConfig;

    fn build(config: &RbarConfig, inputs: &ControlInputs<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            target: check_target(config.target)?,
            burst: config.burst,
            reserve: config.reserve,
            error: inputs.context.error.clone(),
            peers: Peers::new(inputs.ladder.mode(inputs.start.unwrap_or(0))),
            ladder: inputs.ladder.clone(),
        })
    }

    #[cfg(test)]
    fn samples() -> Vec<RbarConfig> {
        vec![RbarConfig::default(), RbarConfig { burst: true, ..RbarConfig::default() }]
    }
}

#[cfg(test)]
mod tests {
    use super::super::RateConfig;
    use super::super::conformance::{PEER, Script};
    use super::*;

    #[test]
    fn what_the_receiver_grants_is_used() {
        let s = Script::new(&RateConfig::Rbar(RbarConfig { burst: true, ..RbarConfig::default() }));
        let need = |step: usize| {
            ErrorModel::default().sinr_for(Mode::OFDM[step], 8 * 1536 + 22, 0.9) * 1.000_001
        };
        for step in [2, 4, 7] {
            assert_eq!(s.rate.grant(PEER, need(step), 1536), Some(Mode::OFDM[step]));
        }
        let mut s = s;
        assert_eq!(s.packet(".").1, [0]);
        s.rate.on_grant(PEER, Mode::OFDM[5]);
        assert_eq!(s.packet("xx.").1, [5, 5, 5]);
        // Retry limit: the grant no longer counts.
        assert_eq!(s.packet("xxxxxxx").1, [5; 7]);
        assert_eq!(s.packet(".").1, [0]);
        // OAR: floor(rate / 6 Mb/s).
        let bursts = Mode::OFDM.map(|mode| s.rate.burst(mode));
        assert_eq!(bursts, [1, 1, 2, 3, 4, 6, 8, 9]);
    }
}

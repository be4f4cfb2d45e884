//! Parameters of BBR version 3, with the values of draft-ietf-ccwg-bbr-06.

use airtcp_probe::{ConfigError, within};
use airtcp_units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::LawTable;

/// Parameters of BBR version 3.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BbrConfig {
    /// Gain of pacing in Startup. Default 2.77, which is 4 ln 2. Draft: `StartupPacingGain`.
    pub startup_pacing_gain: f64,
    /// Gain of pacing in Drain. Default 0.5. Draft: `DrainPacingGain`.
    pub drain_pacing_gain: f64,
    /// Gain of the window, except in ProbeBW UP, which adds a quarter, and in ProbeRTT. Default 2.
    /// Draft: `DefaultCwndGain`.
    pub default_cwnd_gain: f64,
    /// Share by which the pacing rate stays below gain times bandwidth. Default 0.01. Draft:
    /// `PacingMarginPercent`.
    pub pacing_margin: f64,
    /// Share of a round trip's packets that may be lost while probing. Default 0.02. Draft:
    /// `LossThresh`.
    pub loss_thresh: f64,
    /// A round trip with losses reduces the short-term bounds to at least this share. Default 0.7.
    /// Draft: `Beta`.
    pub beta: f64,
    /// Share of the long-term bound left free for other flows. Default 0.15. Draft: `Headroom`.
    pub headroom: f64,
    /// Minimum window in segments. Default 4. Draft: `MinPipeCwnd`.
    pub min_pipe_cwnd: u32,
    /// Ranges lost in a round trip from which losses may end Startup. Default 6. Draft:
    /// `StartupFullLossCnt`.
    pub startup_full_loss_cnt: u32,
    /// Round trips of the filter that takes the maximum ACK aggregation. Default 10. Draft:
    /// `ExtraAckedFilterLen`.
    pub extra_acked_filter_len: u32,
    /// Length of the filter that takes the minimum round-trip time. Default 10 s. Draft:
    /// `MinRTTFilterLen`.
    pub min_rtt_filter_len: Span,
    /// Time without a shorter round trip after which ProbeRTT begins. Default 5 s. Draft:
    /// `ProbeRTTInterval`.
    pub probe_rtt_interval: Span,
    /// Time spent with little in flight in ProbeRTT. Default 200 ms. Draft: `ProbeRTTDuration`.
    pub probe_rtt_duration: Span,
    /// BDPs in flight in ProbeRTT. Default 0.5. Draft: `ProbeRTTCwndGain`.
    pub probe_rtt_cwnd_gain: f64,
}

impl Default for BbrConfig {
    fn default() -> Self {
        Self {
            startup_pacing_gain: 2.77,
            drain_pacing_gain: 0.5,
            default_cwnd_gain: 2.0,
            pacing_margin: 0.01,
            loss_thresh: 0.02,
            beta: 0.7,
            headroom: 0.15,
            min_pipe_cwnd: 4,
            startup_full_loss_cnt: 6,
            extra_acked_filter_len: 10,
            min_rtt_filter_len: Span::from_secs(10),
            probe_rtt_interval: Span::from_secs(5),
            probe_rtt_duration: Span::from_millis(200),
            probe_rtt_cwnd_gain: 0.5,
        }
    }
}

impl LawTable for BbrConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        within("startup_pacing_gain", self.startup_pacing_gain, 1.0, 10.0)?;
        within("drain_pacing_gain", self.drain_pacing_gain, 0.01, 1.0)?;
        within("default_cwnd_gain", self.default_cwnd_gain, 1.0, 10.0)?;
        within("pacing_margin", self.pacing_margin, 0.0, 0.5)?;
        within("loss_thresh", self.loss_thresh, 0.0, 0.99)?;
        within("beta", self.beta, 0.0, 1.0)?;
        within("headroom", self.headroom, 0.0, 0.99)?;
        within("min_pipe_cwnd", f64::from(self.min_pipe_cwnd), 1.0, 1000.0)?;
        within("startup_full_loss_cnt", f64::from(self.startup_full_loss_cnt), 1.0, 1e6)?;
        within("extra_acked_filter_len", f64::from(self.extra_acked_filter_len), 1.0, 1000.0)?;
        within("probe_rtt_cwnd_gain", self.probe_rtt_cwnd_gain, 0.01, 1.0)?;
        if self.min_rtt_filter_len < self.probe_rtt_interval {
            // The draft's condition: the filter must span a ProbeRTT.
            let (length, least) = (self.min_rtt_filter_len, self.probe_rtt_interval);
            let message = format!("{length} is shorter than probe_rtt_interval, which is {least}");
            return Err(ConfigError::new("min_rtt_filter_len", message));
        }
        Ok(())
    }
}

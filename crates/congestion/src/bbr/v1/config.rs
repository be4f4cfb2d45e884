//! Parameters of BBR version 1, with the values of the draft.

use airtcp_probe::{ConfigError, within};
use airtcp_units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{LawRules, LawTable};

/// Parameters of BBR version 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Bbr1Config {
    /// Gain of pacing and window in Startup; Drain uses its inverse. Default 2.885, which is
    /// 2 / ln 2. Draft: `BBRHighGain`.
    pub high_gain: f64,
    /// Gain of the window in ProbeBW. Default 2.
    pub cwnd_gain: f64,
    /// Round trips of the filter that takes the maximum bandwidth. Default 10. Draft:
    /// `BtlBwFilterLen`.
    pub btlbw_filter_len: u32,
    /// Length of the filter that takes the minimum round-trip time, and time without a sample as
    /// low after which ProbeRTT begins. Default 10 s. Draft: `RTpropFilterLen`, `ProbeRTTInterval`.
    pub rtprop_filter_len: Span,
    /// Time spent with little in flight in ProbeRTT. Default 200 ms. Draft: `ProbeRTTDuration`.
    pub probe_rtt_duration: Span,
    /// Minimum window in segments, also that of ProbeRTT. Default 4. Draft: `BBRMinPipeCwnd`.
    pub min_pipe_cwnd: u32,
    /// Share by which the pacing rate stays below gain times bandwidth. Absent: 0 by the documents,
    /// 0.01 by Linux's rules.
    pub pacing_margin: Option<f64>,
    /// Rules: `documents` (the draft) or `linux`. With `linux`, the three neighbouring keys default
    /// to Linux's behaviour and windows have an even number of segments. Absent: the connection's
    /// `law_rules`, which profile `linux` sets to `linux`.
    pub rules: Option<LawRules>,
    /// If a fifth or more is lost at a steady rate, assume a policer and take that rate as the
    /// bandwidth. Absent: by Linux's rules only.
    pub policer_detection: Option<bool>,
    /// Add the excess of aggregated ACKs over the bandwidth to the window. Absent: by Linux's rules
    /// only.
    pub ack_aggregation: Option<bool>,
}

impl Default for Bbr1Config {
    fn default() -> Self {
        Self {
            high_gain: 2.885,
            cwnd_gain: 2.0,
            btlbw_filter_len: 10,
            rtprop_filter_len: Span::from_secs(10),
            probe_rtt_duration: Span::from_millis(200),
            min_pipe_cwnd: 4,
            pacing_margin: None,
            rules: None,
            policer_detection: None,
            ack_aggregation: None,
        }
    }
}

impl LawTable for Bbr1Config {
    fn validate(&self) -> Result<(), ConfigError> {
        within("high_gain", self.high_gain, 1.0, 10.0)?;
        within("cwnd_gain", self.cwnd_gain, 1.0, 10.0)?;
        within("btlbw_filter_len", f64::from(self.btlbw_filter_len), 1.0, 1000.0)?;
        within("min_pipe_cwnd", f64::from(self.min_pipe_cwnd), 1.0, 1000.0)?;
        within("pacing_margin", self.pacing_margin.unwrap_or(0.0), 0.0, 0.5)
    }
}

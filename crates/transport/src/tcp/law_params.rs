//! Parameters of the law and the bound of the window, from the configuration.

use super::config::{Pacing, TcpConfig};
use airtcp_congestion::LawParams;

/// The configured bound of the window.
pub(crate) fn window_cap(config: &TcpConfig, mss: u32) -> u64 {
    config.max_window.map_or(u64::MAX, |n| u64::from(n) * u64::from(mss))
}

/// A law's parameters from the configuration.
pub(crate) fn law_params(config: &TcpConfig, mss: u32, initial_window: u64) -> LawParams {
    LawParams {
        mss,
        initial_window,
        initial_ssthresh: config.initial_ssthresh.map_or(u64::MAX, |b| b.0),
        max_cwnd: window_cap(config, mss),
        abc_limit: config.abc_limit,
        half_of_cwnd: config.half_of_cwnd,
        ssthresh_in_segments: config.ssthresh_in_segments,
        slow_start: config.slow_start,
        paced: config.pacing == Pacing::Cwnd,
        rules: config.law_rules,
        ..LawParams::default()
    }
}

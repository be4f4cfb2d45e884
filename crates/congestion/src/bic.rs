//! BIC: a binary search for the window at the last loss.
//!
//! Xu, Harfoush, Rhee, "Binary increase congestion control (BIC) for fast long-distance networks",
//! INFOCOM 2004, as in Linux's `tcp_bic.c`. `w` is the window and `W` the window at the last loss,
//! in whole segments. Per round trip the window grows by
//!
//! | where | segments |
//! |---|---|
//! | `w <= low_window` | 1, as Reno |
//! | below `W`, `d = (W - w) / B` rounded down | `max_increment` if `d` is larger, else `d`, but `B / smooth_part` for `d <= 1` |
//! | `W` to `W + B` | `B / smooth_part` |
//! | up to `W + (B - 1) max_increment` | `(w - W) / (B - 1)` |
//! | above | `max_increment` |
//!
//! and by at least a twentieth until the first loss. A loss keeps `beta` of the window, or half at
//! or below `low_window`. If the loss came before the window reached `W`, `W` becomes smaller than
//! the window (fast convergence). A timeout resets `W`.
//!
//! Differences from Linux: growth counts acknowledged bytes instead of Linux's estimate of segments
//! per ACK, and uses real numbers where Linux rounds `w / increment` down. Linux's estimate is an
//! integer average that starts at 2 and stays at 31/16 when every segment is acknowledged, so that
//! its window grows nearly twice as fast. `ack_ratio` reproduces that. ns-3's values can be set: it
//! has `smooth_part` 5, takes `beta` times the window for fast convergence, and keeps `W` after a
//! timeout. Leaves out: the `initial_ssthresh` of 100 of early Linux. Bytes.

use airtcp_probe::{ConfigError, within};
use airtcp_units::{Nanos, Saturate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::window::by_window;
use super::{AckSample, Congestion, CongestionControl, Idle, LawParams, LawTable, Prior, Window};
use crate::CongestionKind;

/// How the search target `W` changes if a loss comes before the window reaches it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BicConvergence {
    /// `(1 + beta) / 2` of the window: the middle between the window and its kept share (paper,
    /// Linux).
    #[default]
    Middle,
    /// `beta` of the window: its kept share (ns-3).
    Kept,
    /// The whole window, as at any other loss.
    Off,
}

/// Parameters of BIC.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BicConfig {
    /// Largest window in segments at which the law is Reno. Default 14.
    pub low_window: u32,
    /// Maximum growth per round trip in segments, `Smax`. Default 16.
    pub max_increment: u32,
    /// Divisor `B` of the search: each round trip covers 1/`B` of the distance. Default 4.
    pub binary_search: u32,
    /// Share of the window kept on a loss. Default 0.8; Linux: 819/1024.
    pub beta: f64,
    /// Near the search target, growth per round trip is `binary_search / smooth_part` segments.
    /// Default 20 (Linux); ns-3: 5.
    pub smooth_part: u32,
    /// The search target after a loss below the previous target. Default `middle` (Linux); ns-3:
    /// `kept`.
    pub fast_convergence: BicConvergence,
    /// A timeout resets the search target. Default true (Linux); ns-3: false.
    pub timeout_forgets: bool,
    /// Factor on the growth above `low_window`. Default 1; 1.9375 reproduces Linux when every
    /// segment is acknowledged.
    pub ack_ratio: f64,
}

impl Default for BicConfig {
    fn default() -> Self {
        Self {
            low_window: 14,
            max_increment: 16,
            binary_search: 4,
            beta: 0.8,
            smooth_part: 20,
            fast_convergence: BicConvergence::Middle,
            timeout_forgets: true,
            ack_ratio: 1.0,
        }
    }
}

impl LawTable for BicConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        within("max_increment", f64::from(self.max_increment), 1.0, 1e6)?;
        within("binary_search", f64::from(self.binary_search), 2.0, 1e6)?;
        within("smooth_part", f64::from(self.smooth_part), 1.0, 1e6)?;
        within("ack_ratio", self.ack_ratio, 1.0, 16.0)?;
        within("beta", self.beta, 0.1, 0.99)
    }
}

/// Before the first loss the window grows by at least `cwnd` divided by this, 5 %, each round trip (Linux).
const CWND_DIVISOR_BEFORE_LOSS: f64 = 20.0;

/// BIC.
#[derive(Debug, Clone)]
pub struct Bic {
    config: BicConfig,
    window: Window,
    /// Search target in segments; 0 before the first loss.
    w_max: u64,
    prior: Prior<u64>,
}

impl Bic {
    /// A law that waits for [`CongestionControl::start`].
    pub fn new(config: &BicConfig) -> Self {
        Self { config: *config, window: Window::default(), w_max: 0, prior: Prior::default() }
    }

    fn segments(&self) -> u64 {
        self.window.cwnd() / self.window.mss()
    }

    /// Segments by which the window grows per round trip.
    fn increment(&self) -> f64 {
        let c = &self.config;
        let (w, w_max) = (self.segments(), self.w_max);
        let (b, most) = (u64::from(c.binary_search), u64::from(c.max_increment));
        let smooth = b as f64 / f64::from(c.smooth_part);
        if w <= u64::from(c.low_window) {
            return 1.0;
        }
        let increment = if w < w_max {
            match (w_max - w) / b {
                0 | 1 => smooth,
                d => d.min(most) as f64,
            }
        } else if w < w_max + b {
            smooth
        } else if w < w_max + most * (b - 1) {
            (w - w_max) as f64 / (b - 1) as f64
        } else {
            most as f64
        };
        let increment =
            if w_max == 0 { increment.max(w as f64 / CWND_DIVISOR_BEFORE_LOSS) } else { increment };
        increment * c.ack_ratio
    }

    /// The search target after a loss at the present window.
    fn next_w_max(&self) -> u64 {
        let w = self.segments();
        if w >= self.w_max {
            return w;
        }
        match self.config.fast_convergence {
            BicConvergence::Middle => u64::saturate(w as f64 * (1.0 + self.config.beta) / 2.0),
            BicConvergence::Kept => u64::saturate(w as f64 * self.config.beta),
            BicConvergence::Off => w,
        }
    }
}

impl CongestionControl for Bic {
    fn start(&mut self, _: Nanos, params: &LawParams) {
        self.window = Window::new(params, false);
        self.w_max = 0;
        self.prior.forget();
    }

    #[inline]
    fn on_ack(&mut self, _: Nanos, ack: &AckSample) {
        if ack.acked == 0 || ack.in_fast_recovery || self.window.on_slow_start_ack(ack) {
            return;
        }
        if ack.cwnd_limited && !ack.ece {
            let per_byte = self.increment() * self.window.mss() as f64 / self.window.cwnd() as f64;
            self.window.grow(per_byte * ack.acked as f64);
        }
    }

    fn on_congestion(&mut self, _: Nanos, c: &Congestion) {
        self.prior.before(c.kind, self.w_max);
        let low = self.segments() <= u64::from(self.config.low_window);
        let share = if low { 0.5 } else { self.config.beta };
        match c.kind {
            CongestionKind::FastRetransmit | CongestionKind::EcnCe => {
                self.w_max = self.next_w_max();
            }
            CongestionKind::Rto | CongestionKind::Persistent if self.config.timeout_forgets => {
                self.w_max = 0;
            }
            CongestionKind::Rto => self.w_max = self.next_w_max(),
            CongestionKind::Persistent => {}
        }
        let reduced = self.window.loss_base(c) as f64 * share;
        self.window.on_congestion(c, u64::saturate(reduced.round()));
    }

    fn on_spurious(&mut self, _: Nanos) {
        self.window.on_spurious();
        if let Some(w_max) = self.prior.take() {
            self.w_max = w_max;
        }
    }

    fn on_idle(&mut self, _: Nanos, idle: &Idle) {
        if self.window.on_idle(idle) {
            self.prior.forget();
        }
    }

    by_window!();
}

#[cfg(test)]
mod tests;

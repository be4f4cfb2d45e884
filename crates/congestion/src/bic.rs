//! BIC: the window searches for the one at which the last loss came.
//!
//! Xu, Harfoush, Rhee, "Binary increase congestion control (BIC) for fast long-distance networks",
//! INFOCOM 2004, as Linux's `tcp_bic.c` has it. With the window `w` and the window `W` of the last
//! loss in whole segments, the window grows per round trip by
//!
//! | where | segments |
//! |---|---|
//! | `w <= low_window` | 1, as Reno |
//! | below `W`, `d = (W - w) / B` rounded down | `max_increment` if `d` is larger, else `d`, but `B / smooth_part` for `d <= 1` |
//! | `W` to `W + B` | `B / smooth_part` |
//! | up to `W + (B - 1) max_increment` | `(w - W) / (B - 1)` |
//! | above | `max_increment` |
//!
//! and by a twentieth at least while no loss is known. A loss keeps `beta` of the window, half at
//! or below `low_window`; if it came before the window reached `W`, `W` becomes smaller than the
//! window (fast convergence). A timeout forgets `W`.
//!
//! Differences from Linux: growth is by acknowledged bytes, which takes the place of its estimate
//! of segments per ACK, and in real numbers, where Linux rounds `w / increment` down. Linux's
//! estimate is an integer average that starts at 2 and stays at 31/16 when every segment is
//! acknowledged, so that it grows nearly twice as fast there: `ack_ratio` is for that. Windows count
//! whole segments, as there. ns-3's values are keys; it has `smooth_part` 5, takes
//! `beta` times the window for fast convergence, and does not forget. Leaves out: the
//! `initial_ssthresh` of 100 of early Linux. Bytes.

use airtcp_probe::{ConfigError, within};
use airtcp_units::{Nanos, Saturate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::window::by_window;
use super::{AckSample, Congestion, CongestionControl, Idle, LawParams, LawTable, Prior, Window};
use crate::CongestionKind;

/// What becomes of the window searched for when a loss comes before it is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BicConvergence {
    /// `(1 + beta) / 2` of the window: the middle between it and what is kept (paper, Linux).
    #[default]
    Middle,
    /// `beta` of the window: what is kept (ns-3).
    Kept,
    /// The window, as at any loss.
    Off,
}

/// Parameters of BIC.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BicConfig {
    /// Window in segments up to which it is Reno. Default 14.
    pub low_window: u32,
    /// Most segments by which the window grows per round trip, `Smax`. Default 16.
    pub max_increment: u32,
    /// The search goes this part of the way per round trip: `B` of 4 is a quarter. Default 4.
    pub binary_search: u32,
    /// Share of the window kept on a loss. Default 0.8; Linux has 819/1024.
    pub beta: f64,
    /// Round trips for the last segments below and the first above the window searched for:
    /// growth is `binary_search / smooth_part`. Default 20 (Linux); ns-3 has 5.
    pub smooth_part: u32,
    /// The window searched for after a loss that came early. Default `middle` (Linux); ns-3 has
    /// `kept`.
    pub fast_convergence: BicConvergence,
    /// A timeout forgets the window searched for. Default true (Linux); ns-3: false.
    pub timeout_forgets: bool,
    /// Growth above `low_window` is this many times as fast. Default 1; 1.9375 does what Linux
    /// does when every segment is acknowledged.
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
    /// Window searched for, in segments; 0 while no loss is known.
    w_max: u64,
    prior: Prior<u64>,
}

impl Bic {
    /// A law that waits for [`CongestionControl::start`].
    pub fn new(config: &BicConfig) -> Self {
        Self { config: *config, window: Window::default(), w_max: 0, prior: Prior::default() }
    }

    /// The window in whole segments.
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

    /// What is searched for after a loss at the present window.
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

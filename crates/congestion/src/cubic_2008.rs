//! CUBIC as first published: Ha, Rhee, Xu, "CUBIC: a new TCP-friendly high-speed TCP variant",
//! ACM SIGOPS Operating Systems Review 42(5), 2008, algorithm 1.
//!
//! In congestion avoidance, with windows in segments and `t` in seconds since its first ACK:
//!
//! ```text
//! W(t)   = C (t - K)^3 + W_max        K = cbrt((W_max - cwnd) / C)
//! cwnd  += (W(t + dMin) - cwnd) / cwnd       per acknowledged segment, or 0.01 / cwnd if W is not larger
//! W_tcp += 3 beta / (2 - beta) / cwnd        per acknowledged segment
//! ```
//!
//! `dMin` is the smallest round-trip time; if `W_tcp` is larger than the window, `cwnd` grows by at least
//! `(W_tcp - cwnd) / cwnd` per acknowledged segment (TCP friendliness). The window grows by at most one
//! segment per acknowledged segment. A loss reduces the window by the share `beta`; `W_max` becomes the
//! window before the loss, or `(2 - beta) / 2` of that if it had not reached the last `W_max` (fast
//! convergence). A timeout resets everything: `K` is then 0, and `W_max` is the window with which
//! congestion avoidance begins.
//!
//! `beta` here is the share *taken off*, 0.2; in RFC 9438 ([`Cubic`](super::Cubic)) it is the
//! share kept, 0.7. With the window that a loss leaves, `K` is `cbrt(W_max beta / C)`, equation 2
//! of the paper; after fast convergence it is shorter than that equation says.
//!
//! Differences from the paper: real numbers instead of counting ACKs up to `cnt`; growth by acknowledged bytes
//! instead of ACKs; a loss reduces FlightSize unless `half_of_cwnd` is set, as in every law
//! here; an ECN mark counts as a loss; an undo restores everything (the paper has no undo).
//! As in the paper, and unlike later versions, `t` advances while the application limits sending, so that
//! the window grows fast after a pause. Segments and seconds inside, bytes
//! outside.

use airtcp_probe::{ConfigError, within};
use airtcp_units::{Nanos, Saturate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::curve::Curve;
use super::window::by_window;
use super::{
    AckSample, Congestion, CongestionControl, CongestionKind, Idle, LawParams, LawTable, Prior,
    Window,
};

/// Parameters of CUBIC by the paper of 2008.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Cubic2008Config {
    /// C, segments per second cubed: how fast the window grows back. Default 0.4.
    pub c: f64,
    /// Share of the window *taken off* by a loss. Default 0.2.
    pub beta: f64,
    /// Reduce W_max further if a loss comes below the last W_max, so that new flows gain bandwidth. Default true.
    pub fast_convergence: bool,
    /// Grow at least as fast as Reno. Default true.
    pub tcp_friendliness: bool,
}

impl Default for Cubic2008Config {
    fn default() -> Self {
        Self { c: 0.4, beta: 0.2, fast_convergence: true, tcp_friendliness: true }
    }
}

impl LawTable for Cubic2008Config {
    fn validate(&self) -> Result<(), ConfigError> {
        within("c", self.c, 1e-6, 1e6)?;
        within("beta", self.beta, 0.01, 0.9)
    }
}

/// Minimum growth per acknowledged segment as a fraction of the window, where the curve is not
/// above the window (algorithm 1: `cnt = 100 cwnd`).
const MIN_GROWTH: f64 = 0.01;

/// CUBIC by the paper of 2008.
#[derive(Debug, Clone)]
pub struct Cubic2008 {
    config: Cubic2008Config,
    window: Window,
    cubic: CubicState,
    prior: Prior<CubicState>,
    d_min: Option<Span>,
}

/// What an undo restores besides the window.
#[derive(Debug, Clone, Copy, Default)]
struct CubicState {
    /// `W_lastmax` in segments; 0 for none.
    w_max: f64,
    epoch: Option<Epoch>,
}

#[derive(Debug, Clone, Copy)]
struct Epoch {
    start: Nanos,
    curve: Curve,
    w_tcp: f64,
}

impl Cubic2008 {
    /// A law that waits for [`CongestionControl::start`].
    pub fn new(config: &Cubic2008Config) -> Self {
        Self {
            config: *config,
            window: Window::default(),
            cubic: CubicState::default(),
            prior: Prior::default(),
            d_min: None,
        }
    }

    fn segments(&self) -> f64 {
        self.window.cwnd() as f64 / self.window.mss() as f64
    }

    fn avoid(&mut self, now: Nanos, ack: &AckSample) {
        let (cwnd, mss) = (self.segments(), self.window.mss() as f64);
        let acked = ack.acked as f64 / mss;
        let mut epoch = self.cubic.epoch.unwrap_or_else(|| Epoch {
            start: now,
            curve: Curve::new(self.config.c, cwnd, self.cubic.w_max),
            w_tcp: cwnd,
        });
        let beta = self.config.beta;
        epoch.w_tcp += 3.0 * beta / (2.0 - beta) * acked / cwnd;
        let t = now.since(epoch.start) + self.d_min.unwrap_or(Span::ZERO);
        let mut growth = (epoch.curve.at(t) - cwnd).max(MIN_GROWTH);
        if self.config.tcp_friendliness {
            growth = growth.max(epoch.w_tcp - cwnd);
        }
        self.window.grow((growth / cwnd).min(1.0) * ack.acked as f64);
        self.cubic.epoch = Some(epoch);
    }
}

impl CongestionControl for Cubic2008 {
    fn start(&mut self, _: Nanos, params: &LawParams) {
        self.window = Window::new(params, false);
        self.cubic = CubicState::default();
        self.prior.forget();
        self.d_min = None;
    }

    #[inline]
    fn on_ack(&mut self, now: Nanos, ack: &AckSample) {
        self.d_min = self.d_min.into_iter().chain(ack.rtt).min();
        if ack.acked == 0 || ack.in_fast_recovery || self.window.on_slow_start_ack(ack) {
            return;
        }
        if ack.cwnd_limited && !ack.ece {
            self.avoid(now, ack);
        }
    }

    fn on_congestion(&mut self, _: Nanos, c: &Congestion) {
        self.prior.before(c.kind, self.cubic);
        let beta = self.config.beta;
        match c.kind {
            CongestionKind::FastRetransmit | CongestionKind::EcnCe => {
                let cwnd = self.segments();
                let early = cwnd < self.cubic.w_max && self.config.fast_convergence;
                let w_max = if early { cwnd * (2.0 - beta) / 2.0 } else { cwnd };
                self.cubic = CubicState { w_max, epoch: None };
            }
            CongestionKind::Rto | CongestionKind::Persistent => {
                self.cubic = CubicState::default();
                self.d_min = None;
            }
        }
        let reduced = self.window.loss_base(c) as f64 * (1.0 - beta);
        self.window.on_congestion(c, u64::saturate(reduced.round()));
    }

    fn on_spurious(&mut self, _: Nanos) {
        self.window.on_spurious();
        if let Some(before) = self.prior.take() {
            self.cubic = before;
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

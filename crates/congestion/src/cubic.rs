//! CUBIC by RFC 9438.
//!
//! In congestion avoidance, with windows in segments and `t` in seconds since the epoch began,
//!
//! ```text
//! W_cubic(t) = C (t - K)^3 + W_max        K = cbrt((W_max - cwnd_epoch) / C)      (eq. 1, 2)
//! target     = W_cubic(t + RTT), at least cwnd, at most 1.5 cwnd                  (4.2)
//! cwnd      += (target - cwnd) / cwnd     per acknowledged segment                (4.4, 4.5)
//! W_est     += alpha / cwnd               per acknowledged segment                (eq. 4)
//! ```
//!
//! with `alpha = 3 (1 - beta) / (1 + beta)` until `W_est` reaches `cwnd_prior`, and 1 after that.
//! If `W_cubic(t) < W_est`, the window is `W_est` (Reno-friendly region, 4.3). A loss or mark keeps
//! `beta` of FlightSize (4.6). `W_max` becomes the window before it, or `(1 + beta) / 2` of that if
//! the window had not reached the last `W_max` (fast convergence, 4.7). After a timeout, and after
//! HyStart++ has left slow start without a loss, `W_max` is the window at the beginning of the
//! epoch and `K` is 0 (4.8, 4.10). After a spurious loss everything is restored, unless the window
//! is already larger (4.9).
//!
//! `beta` here is the share that is *kept*, 0.7; in [`cubic_2008`](super::Cubic2008) it is the
//! share taken off, 0.2.
//!
//! With `rules = "linux"` the law is Linux's: see [`linux`]. Absent, the connection's `law_rules`
//! decides.
//!
//! Time in which the window did not limit sending does not count (4.2, 5.8): the time since the
//! last ACK is left out, whether the application or the peer was the limit. Choices where the RFC
//! leaves room: growth counts acknowledged bytes rather than ACKs, so that delayed ACKs do not slow
//! it (as in Linux). A smoothed round-trip time that is still unknown counts as 0. An undo also
//! happens if the window is exactly `cwnd_prior`. A restart after a pause begins a new epoch.
//! Leaves out: RFC 7661's window validation. Segments and seconds inside, bytes outside.

mod config;
mod linux;

use airtcp_units::{Nanos, Saturate, Span};

pub use self::config::CubicConfig;
use self::linux::Linux;
use super::curve::Curve;
use super::window::by_window;
use super::{
    AckSample, Congestion, CongestionControl, CongestionKind, Idle, LawParams, LawRules, Prior,
    Window,
};

/// Upper bound of the target, in windows (RFC 9438 section 4.2).
const MAX_GROWTH: f64 = 1.5;

/// CUBIC by RFC 9438 or by Linux's rules.
#[derive(Debug, Clone)]
pub struct Cubic {
    config: CubicConfig,
    window: Window,
    growth: CubicState,
    prior: Prior<CubicState>,
    /// Time of the last ACK in congestion avoidance, or of the last pause.
    last: Nanos,
    /// State by Linux's rules. If set, it replaces the other state.
    linux: Option<Linux>,
}

/// State that an undo restores besides the window.
#[derive(Debug, Clone, Copy)]
struct CubicState {
    /// Segments; `None` if the next epoch begins on its plateau (4.8, 4.10).
    w_max: Option<f64>,
    /// Window in segments when the threshold was last set.
    cwnd_prior: Option<f64>,
    epoch: Option<Epoch>,
}

#[derive(Debug, Clone, Copy)]
struct Epoch {
    /// `t_epoch`, moved forward by the time that does not count.
    start: Nanos,
    curve: Curve,
    w_est: f64,
}

const INITIAL: CubicState = CubicState { w_max: None, cwnd_prior: None, epoch: None };

impl Cubic {
    /// A law that waits for [`CongestionControl::start`].
    pub fn new(config: &CubicConfig) -> Self {
        Self {
            config: *config,
            window: Window::default(),
            growth: INITIAL,
            prior: Prior::default(),
            last: Nanos::ZERO,
            linux: None,
        }
    }

    fn segments(&self) -> f64 {
        self.window.cwnd() as f64 / self.window.mss() as f64
    }

    /// The present epoch, which begins with this ACK if there is none.
    fn epoch(&mut self, now: Nanos) -> Epoch {
        if let Some(epoch) = self.growth.epoch {
            return epoch;
        }
        let cwnd = self.segments();
        let w_max = *self.growth.w_max.get_or_insert(cwnd);
        self.growth.cwnd_prior.get_or_insert(cwnd);
        Epoch { start: now, curve: Curve::new(self.config.c, cwnd, w_max), w_est: cwnd }
    }

    fn avoid(&mut self, now: Nanos, ack: &AckSample) {
        let (cwnd, mss) = (self.segments(), self.window.mss() as f64);
        let beta = self.config.beta_cubic;
        let mut epoch = self.epoch(now);
        let acked = ack.acked as f64 / mss;
        let t = now.since(epoch.start);
        let past = self.growth.cwnd_prior.is_some_and(|prior| epoch.w_est >= prior);
        let alpha = if past { 1.0 } else { 3.0 * (1.0 - beta) / (1.0 + beta) };
        epoch.w_est += alpha * acked / cwnd;
        if self.config.reno_friendly && epoch.curve.at(t) < epoch.w_est {
            self.window.set_cwnd(self.window.cwnd().max(u64::saturate(epoch.w_est * mss)));
        } else {
            let target = epoch.curve.at(t + ack.srtt.unwrap_or(Span::ZERO));
            let target = target.clamp(cwnd, MAX_GROWTH * cwnd);
            self.window.grow((target - cwnd) / cwnd * ack.acked as f64);
        }
        self.growth.epoch = Some(epoch);
    }

    /// Leaves out the time up to now, in which the window was not the limit.
    fn skip_time(&mut self, now: Nanos) {
        if let Some(epoch) = &mut self.growth.epoch {
            epoch.start += now.since(self.last);
        }
        self.last = now;
    }
}

impl CongestionControl for Cubic {
    fn start(&mut self, now: Nanos, params: &LawParams) {
        self.window = Window::new(params, false);
        self.growth = INITIAL;
        self.prior.forget();
        self.last = now;
        let rules = self.config.rules.unwrap_or(params.rules);
        self.linux = (rules == LawRules::Linux).then(Linux::default);
    }

    #[inline]
    fn on_ack(&mut self, now: Nanos, ack: &AckSample) {
        if let Some(linux) = &mut self.linux {
            linux.on_ack(now, ack, &mut self.window, &self.config);
            return;
        }
        if ack.acked == 0 || ack.in_fast_recovery || self.window.on_slow_start_ack(ack) {
            return;
        }
        if !ack.cwnd_limited {
            self.skip_time(now);
            return;
        }
        self.last = now;
        if !ack.ece {
            self.avoid(now, ack);
        }
    }

    fn on_congestion(&mut self, _: Nanos, c: &Congestion) {
        if let Some(linux) = &mut self.linux {
            let reduced = linux.on_congestion(c, &self.window, &self.config);
            self.window.on_congestion(c, reduced);
            return;
        }
        self.prior.before(c.kind, self.growth);
        let beta = self.config.beta_cubic;
        self.growth.epoch = None;
        match c.kind {
            CongestionKind::FastRetransmit | CongestionKind::EcnCe => {
                let cwnd = self.segments();
                let early = self.growth.w_max.is_some_and(|w_max| cwnd < w_max);
                let w_max = if early && self.config.fast_convergence {
                    cwnd * (1.0 + beta) / 2.0
                } else {
                    cwnd
                };
                self.growth =
                    CubicState { w_max: Some(w_max), cwnd_prior: Some(cwnd), epoch: None };
            }
            CongestionKind::Rto => {
                let cwnd_prior = Some(self.segments());
                self.growth = CubicState { w_max: None, cwnd_prior, epoch: None };
            }
            CongestionKind::Persistent => self.growth.w_max = None,
        }
        let reduced = self.window.loss_base(c) as f64 * beta;
        self.window.on_congestion(c, u64::saturate(reduced.round()));
        if c.kind == CongestionKind::EcnCe {
            self.window.set_ssthresh(self.window.ssthresh().max(2 * self.window.mss()));
        }
    }

    fn on_spurious(&mut self, _: Nanos) {
        if self.linux.is_some() {
            self.window.on_spurious();
            return;
        }
        let Some(before) = self.prior.take() else { return };
        // RFC 9438 keeps at least two segments.
        let grown = self.growth.cwnd_prior.is_some_and(|w| self.segments() > w.max(2.0));
        if !grown {
            self.window.on_spurious();
            self.growth = before;
        }
    }

    fn on_idle(&mut self, now: Nanos, idle: &Idle) {
        if let Some(linux) = &mut self.linux {
            linux.on_idle(now, idle);
            self.window.on_idle(idle);
            return;
        }
        self.skip_time(now);
        if self.window.on_idle(idle) {
            self.prior.forget();
            self.growth.epoch = None;
        }
    }

    by_window!();
}

#[cfg(test)]
mod tests;

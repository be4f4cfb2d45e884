//! Westwood: sets the threshold to the measured bandwidth times the smallest round-trip time.
//!
//! S. Mascolo, C. Casetti, M. Gerla, M. Sanadidi and R. Wang, "TCP Westwood: Bandwidth Estimation
//! for Enhanced Transport over Wireless Links", MobiCom 2001, sections 2 and 3. Every ACK is a
//! sample of the bandwidth. A first-order low-pass filter, discretised by Tustin's method, smooths
//! the samples. `d_k` is the number of bytes that the ACK reports as newly arrived (see
//! [`AckedCount`]):
//!
//! ```text
//! b_k = d_k/(t_k - t_{k-1})          a_k = (2 tau - dt)/(2 tau + dt),  dt = t_k - t_{k-1}
//! BWE_k = a_k BWE_{k-1} + (1 - a_k)(b_k + b_{k-1})/2
//! ```
//!
//! After every `tau/m` without an ACK the filter takes a virtual sample of zero, which reduces the
//! estimate by the factor `(2m - 1)/(2m + 1)`. Reactions, at least two segments:
//!
//! ```text
//! duplicates or mark: ssthresh = BWE RTTmin; cwnd = min(cwnd, ssthresh)
//! timeout:            ssthresh = BWE RTTmin; cwnd = 1 segment
//! ```
//!
//! Growth is Reno's. A sample spans the time since the last real ACK, even if virtual samples lie
//! between. ACKs at the same instant are one sample. The filter starts at zero. Leaves out: a
//! defence against ACK compression, which inflates the estimate; Westwood+ has one. Bytes and
//! nanoseconds.

use airtcp_probe::ConfigError;
use airtcp_units::{BitRate, Nanos, Saturate, Span, detmath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::window::by_window;
use super::{
    AckSample, AckedCount, Additive, Congestion, CongestionControl, CongestionKind, Growth,
    LawParams, LawTable, Promises, Window,
};

/// Parameters of Westwood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WestwoodConfig {
    /// Time constant of the filter, the inverse of its cut-off frequency. Default 500 ms.
    pub tau: Span,
    /// The filter takes a virtual sample of zero after `tau/m` without an ACK; at least 2. Default
    /// 2.
    pub m: u32,
}

impl Default for WestwoodConfig {
    fn default() -> Self {
        Self { tau: Span::from_millis(500), m: 2 }
    }
}

/// Longest time constant accepted.
const MAX_TAU: Span = Span::from_secs(3600);

impl LawTable for WestwoodConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        let shortest = Span::from_millis(1);
        if !(shortest..=MAX_TAU).contains(&self.tau) {
            let tau = self.tau;
            let message = format!("{tau} is out of range: accepted is {shortest} to {MAX_TAU}");
            return Err(ConfigError::new("tau", message));
        }
        if !(2..=1000).contains(&self.m) {
            let message = format!("{} is out of range: accepted is 2 to 1000", self.m);
            return Err(ConfigError::new("m", message));
        }
        Ok(())
    }
}

#[derive(Debug, Clone)]
struct Tustin {
    tau_s: f64,
    /// `tau/m`.
    tau_m: Span,
    /// BWE, bytes per second.
    estimate: f64,
    /// Last sample, bytes per second.
    sample: f64,
    /// Time of the last sample.
    at: Nanos,
    /// Time of the last real sample.
    last_ack: Nanos,
    /// Bytes of ACKs at the instant of the last real sample.
    pending: u64,
}

impl Tustin {
    fn new(config: &WestwoodConfig, now: Nanos) -> Self {
        let tau_m = Span((config.tau.0 / u64::from(config.m.max(1))).max(1));
        let tau_s = config.tau.as_secs_f64();
        Self { tau_s, tau_m, estimate: 0.0, sample: 0.0, at: now, last_ack: now, pending: 0 }
    }

    /// `a_k`.
    fn coefficient(&self, dt_s: f64) -> f64 {
        (2.0 * self.tau_s - dt_s) / (2.0 * self.tau_s + dt_s)
    }

    fn fold(&mut self, sample: f64, dt_s: f64) {
        let a = self.coefficient(dt_s);
        self.estimate = a * self.estimate + (1.0 - a) * (sample + self.sample) / 2.0;
        self.sample = sample;
    }

    /// Takes the virtual samples that are due before `now`.
    fn decay(&mut self, now: Nanos) {
        let gap = now.since(self.at).0;
        let n = gap.saturating_sub(1) / self.tau_m.0;
        if n == 0 {
            return;
        }
        let dt_s = self.tau_m.as_secs_f64();
        self.fold(0.0, dt_s);
        self.estimate *= detmath::pow(self.coefficient(dt_s), (n - 1) as f64);
        self.at += Span(n * self.tau_m.0);
    }

    /// An ACK reported `bytes` as arrived.
    fn on_ack(&mut self, now: Nanos, bytes: u64) {
        self.decay(now);
        self.pending = self.pending.saturating_add(bytes);
        let elapsed = now.since(self.last_ack);
        if elapsed > Span::ZERO {
            let sample = self.pending as f64 / elapsed.as_secs_f64();
            self.fold(sample, now.since(self.at).as_secs_f64());
            (self.at, self.last_ack, self.pending) = (now, now, 0);
        }
    }
}

/// Upper bound of the threshold in bytes: the estimate from a few ACKs in a burst can be far too
/// large.
const MAX_BYTES: f64 = (1u64 << 50) as f64;

/// `BWE RTTmin` of an estimate in bytes per second, at least two segments.
pub(super) fn target(estimate: f64, rtt: Option<Span>, mss: u64) -> u64 {
    let bytes = estimate * rtt.map_or(0.0, Span::as_secs_f64);
    u64::saturate(bytes.clamp(0.0, MAX_BYTES)).max(2 * mss)
}

/// Reacts to an episode with the window of the estimate; never raises the window.
pub(super) fn react(window: &mut Window, c: &Congestion, target: u64) {
    let lowered = target.min(window.cwnd());
    window.on_congestion(c, lowered);
    // The window may have been below the threshold throughout.
    if c.kind != CongestionKind::Persistent {
        window.set_ssthresh(target);
    }
}

/// Converts an estimate in bytes per second to a rate.
pub(super) fn rate(estimate: f64) -> Option<BitRate> {
    BitRate::new(u64::saturate(estimate.clamp(0.0, MAX_BYTES) * 8.0))
}

/// Westwood's law.
#[derive(Debug, Clone)]
pub struct Westwood {
    config: WestwoodConfig,
    window: Window,
    increase: Additive,
    arrived: AckedCount,
    filter: Tustin,
    min_rtt: Option<Span>,
}

impl Westwood {
    /// A law that waits for [`CongestionControl::start`].
    pub fn new(config: &WestwoodConfig) -> Self {
        Self {
            config: *config,
            window: Window::default(),
            increase: Additive::new(Growth::PerAck),
            arrived: AckedCount::default(),
            filter: Tustin::new(config, Nanos::ZERO),
            min_rtt: None,
        }
    }
}

impl CongestionControl for Westwood {
    fn start(&mut self, now: Nanos, params: &LawParams) {
        self.window = Window::new(params, false);
        self.increase = Additive::new(params.growth());
        self.arrived = AckedCount::new(params);
        self.filter = Tustin::new(&self.config, now);
        self.min_rtt = None;
    }

    #[inline]
    fn on_ack(&mut self, now: Nanos, ack: &AckSample) {
        self.filter.on_ack(now, self.arrived.take(ack));
        self.min_rtt = ack.min_rtt.or(self.min_rtt);
        if ack.acked == 0 || ack.in_fast_recovery || self.window.on_slow_start_ack(ack) {
            return;
        }
        if ack.cwnd_limited && !ack.ece {
            self.increase.on_ack(ack.acked, &mut self.window);
        }
    }

    fn on_congestion(&mut self, now: Nanos, c: &Congestion) {
        self.filter.decay(now);
        let target = target(self.filter.estimate, self.min_rtt, self.window.mss());
        react(&mut self.window, c, target);
        self.increase.reset();
    }

    fn bandwidth(&self) -> Option<BitRate> {
        rate(self.filter.estimate)
    }

    fn promises(&self) -> Promises {
        // The estimate may exceed the window.
        Promises { reduces_on_loss: false, ..Promises::default() }
    }

    by_window!(and undo and pause);
}

#[cfg(test)]
mod tests;

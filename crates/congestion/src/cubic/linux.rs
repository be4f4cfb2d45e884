//! CUBIC by Linux's rules (`tcp_cubic.c`, 2.6.26 to 6.x), where they differ from RFC 9438.
//!
//! Windows are whole segments, and an ACK of `n` segments counts towards the next one:
//!
//! ```text
//! target = origin + C (t + RTTmin - K)^3, the distance rounded down       K = cbrt((W_max - w) / C)
//! cnt    = w / (target - w), or 100 w if the curve is not above;  at most 20 while W_max is unknown
//! W_tcp += 1 per w (8 (1 + beta) / 3 / (1 - beta)) / 8 acknowledged segments, 15/8 of a window
//! W_tcp > w:  cnt = min(cnt, w / (W_tcp - w));   cnt >= 2
//! w     += 1 per cnt acknowledged segments
//! ```
//!
//! `W_tcp` begins with the epoch and grows by at most 8/15 of a segment per round trip. It does not
//! have RFC 9438's alpha of 1 above the window before the loss. `cnt` is computed again when the
//! window has changed or 1/32 s has passed. The minimum round-trip time uses samples from more than
//! a second after the beginning of the epoch. A timeout resets it, and also `W_max`: the growth is
//! then at least a twentieth of the window per round trip. An undo restores window and threshold
//! but not `W_max`. If the application is silent, the epoch moves forward. If the window merely
//! does not limit sending, it does not.
//!
//! HyStart ends slow start at 16 segments and more (`ssthresh = w`) in two cases: ACKs at most
//! 2 ms apart continue for more than half of RTTmin and a millisecond, or the minimum of eight
//! round-trip times of a round is RTTmin / 8 (4 to 16 ms) above RTTmin.

use airtcp_units::{Nanos, Saturate, Span};

use super::config::CubicConfig;
use crate::curve::Curve;
use crate::{AckSample, Congestion, CongestionKind, Idle, LawRules, Window};

/// Scale of the module parameter `beta`.
const BETA_SCALE: u64 = 1024;
/// Until a loss has shown a `W_max`, the window grows by at least this fraction per round trip.
const MAX_COUNT_WITHOUT_W_MAX: u64 = 20;
/// `cnt` in windows, where the curve is not above the window.
const FLAT_COUNT_IN_WINDOWS: u64 = 100;
/// Time after which `cnt` is computed again if the window has not changed: HZ / 32.
const COUNT_LIFETIME: Span = Span(1_000_000_000 / 32);
/// Round-trip times this soon after a reduction do not count for the minimum.
const MIN_EPOCH_AGE: Span = Span::from_secs(1);

/// Minimum window in segments for HyStart.
const HYSTART_LOW_WINDOW: u64 = 16;
/// Maximum gap between ACKs of one train.
const HYSTART_ACK_DELTA: Span = Span::from_millis(2);
/// Round-trip time samples that HyStart takes per round.
const SAMPLES: u32 = 8;
/// Bounds of the delay rise that ends slow start.
const HYSTART_DELAY_MIN: Span = Span::from_millis(4);
const HYSTART_DELAY_MAX: Span = Span::from_millis(16);
/// Allowance for segmentation offload: the time of four maximum-size segments at the pacing rate,
/// at most a millisecond.
const OFFLOAD_BYTES: u64 = 4 * 65_536;
const MAX_OFFLOAD_TIME: Span = Span::from_millis(1);

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Linux {
    /// `last_max_cwnd` in segments; 0 for none.
    w_max: u64,
    epoch: Option<Epoch>,
    d_min: Option<Span>,
    /// Acknowledged segments that have not grown the window yet.
    credit: u64,
    hystart: HyStart,
}

#[derive(Debug, Clone, Copy)]
struct Epoch {
    start: Nanos,
    curve: Curve,
    /// Acknowledged segments that have not grown `w_tcp` yet.
    acked: u64,
    w_tcp: u64,
    count: u64,
    /// Window and time at which `count` was computed.
    found: (u64, Nanos),
}

#[derive(Debug, Clone, Copy, Default)]
struct HyStart {
    found: bool,
    /// Acknowledging more than this ends the round.
    round_end: u64,
    round_start: Nanos,
    last_ack: Nanos,
    least: Option<Span>,
    samples: u32,
}

fn segments(window: &Window) -> u64 {
    (window.cwnd() / window.mss()).max(1)
}

impl Linux {
    /// An acknowledgement outside fast recovery.
    #[inline]
    pub(super) fn on_ack(
        &mut self,
        now: Nanos,
        ack: &AckSample,
        window: &mut Window,
        config: &CubicConfig,
    ) {
        if let Some(rtt) = ack.rtt {
            self.on_rtt(now, rtt, ack, window, config.hystart);
        }
        if ack.acked == 0 || ack.is_recovering(LawRules::Linux) || window.on_slow_start_ack(ack) {
            return;
        }
        if ack.cwnd_limited && !ack.ece {
            // A SACKed segment counted when it was SACKed.
            let acked = ack.newly_arrived(window.mss()).div_ceil(window.mss());
            let count = self.count(now, acked, segments(window), config);
            self.grow(acked, count, window);
        }
    }

    fn on_rtt(&mut self, now: Nanos, rtt: Span, ack: &AckSample, window: &mut Window, watch: bool) {
        if self.epoch.is_some_and(|e| now.since(e.start) < MIN_EPOCH_AGE) {
            return;
        }
        let d_min = self.d_min.map_or(rtt, |d| d.min(rtt));
        self.d_min = Some(d_min);
        if !watch || self.hystart.found || !window.in_slow_start() {
            return;
        }
        let in_time =
            ack.srtt.map_or(0, |srtt| OFFLOAD_BYTES.saturating_mul(srtt.0) / (2 * window.cwnd()));
        let train = Span(u64::midpoint(d_min.0, in_time.min(MAX_OFFLOAD_TIME.0)));
        if self.hystart.watch(now, rtt, ack, (d_min, train), segments(window)) {
            window.set_ssthresh(window.cwnd());
        }
    }

    /// `bictcp_update`: number of acknowledged segments per segment of growth.
    fn count(&mut self, now: Nanos, acked: u64, cwnd: u64, config: &CubicConfig) -> u64 {
        let (c, w_max) = (config.c, self.w_max);
        let mut e = self.epoch.unwrap_or_else(|| Epoch {
            start: now,
            curve: Curve::new(c, cwnd as f64, w_max as f64),
            acked: 0,
            w_tcp: cwnd,
            count: 0,
            found: (0, now),
        });
        e.acked += acked;
        if e.found.0 == cwnd && now.since(e.found.1) <= COUNT_LIFETIME {
            self.epoch = Some(e);
            return e.count;
        }
        e.found = (cwnd, now);
        let target = e.curve.rounded(now.since(e.start) + self.d_min.unwrap_or(Span::ZERO));
        e.count = if target > cwnd { cwnd / (target - cwnd) } else { FLAT_COUNT_IN_WINDOWS * cwnd };
        if w_max == 0 {
            e.count = e.count.min(MAX_COUNT_WITHOUT_W_MAX);
        }
        if config.reno_friendly {
            let beta = u64::saturate((config.beta_cubic * BETA_SCALE as f64).round());
            let eighths = 8 * (BETA_SCALE + beta) / 3 / (BETA_SCALE - beta).max(1);
            let per_segment = ((cwnd * eighths) >> 3).max(1);
            let grown = e.acked.saturating_sub(1) / per_segment;
            e.acked -= grown * per_segment;
            e.w_tcp += grown;
            if e.w_tcp > cwnd {
                e.count = e.count.min(cwnd / (e.w_tcp - cwnd));
            }
        }
        e.count = e.count.max(2);
        self.epoch = Some(e);
        e.count
    }

    /// `tcp_cong_avoid_ai`: one segment per `count` acknowledged segments. The credit from a larger
    /// count gives only one segment.
    fn grow(&mut self, acked: u64, count: u64, window: &mut Window) {
        let mut grown = 0;
        if self.credit >= count {
            self.credit = 0;
            grown = 1;
        }
        self.credit += acked;
        grown += self.credit / count;
        self.credit %= count;
        window.set_cwnd(window.cwnd().saturating_add(grown.saturating_mul(window.mss())));
    }

    /// Changes the state at an episode and returns the new threshold.
    pub(super) fn on_congestion(
        &mut self,
        c: &Congestion,
        window: &Window,
        config: &CubicConfig,
    ) -> u64 {
        let cwnd = segments(window);
        let beta = u64::saturate((config.beta_cubic * BETA_SCALE as f64).round());
        self.epoch = None;
        let early = cwnd < self.w_max && config.fast_convergence;
        self.w_max = if early { cwnd * (BETA_SCALE + beta) / (2 * BETA_SCALE) } else { cwnd };
        if matches!(c.kind, CongestionKind::Rto | CongestionKind::Persistent) {
            *self = Self::default();
        }
        let base = (window.loss_base(c) / window.mss()).max(1);
        (base * beta / BETA_SCALE).max(2) * window.mss()
    }

    /// The application was silent: the epoch moves forward by that time.
    pub(super) fn on_idle(&mut self, now: Nanos, idle: &Idle) {
        if let Some(epoch) = &mut self.epoch {
            epoch.start = (epoch.start + idle.idle).min(now);
        }
    }
}

impl HyStart {
    /// Takes a round-trip time in slow start. Returns true if slow start ends.
    fn watch(
        &mut self,
        now: Nanos,
        rtt: Span,
        ack: &AckSample,
        (d_min, train): (Span, Span),
        cwnd: u64,
    ) -> bool {
        if ack.acked_up_to > self.round_end {
            *self = Self {
                round_end: ack.sent_up_to,
                round_start: now,
                last_ack: now,
                ..Self::default()
            };
        }
        if cwnd < HYSTART_LOW_WINDOW {
            return false;
        }
        if now.since(self.last_ack) <= HYSTART_ACK_DELTA {
            self.last_ack = now;
            self.found = now.since(self.round_start) > train;
        }
        self.least = Some(self.least.map_or(rtt, |l| l.min(rtt)));
        if self.samples < SAMPLES {
            self.samples += 1;
        } else if let Some(least) = self.least {
            let rise = Span(d_min.0 / 8).max(HYSTART_DELAY_MIN).min(HYSTART_DELAY_MAX);
            self.found |= least > d_min + rise;
        }
        self.found
    }
}

#[cfg(test)]
mod tests;

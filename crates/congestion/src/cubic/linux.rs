//! CUBIC as Linux has it (`tcp_cubic.c`, 2.6.26 to 6.x): what it does otherwise than RFC 9438.
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
//! `W_tcp` begins with the epoch and never grows faster than 8/15 of a segment per round trip:
//! RFC 9438's alpha of 1 beyond the window before the loss is not there. `cnt` is found anew when
//! the window changed or 1/32 s has passed. The smallest round-trip time is taken from samples more
//! than a second after the epoch began, and forgotten by a timeout, as is `W_max`: the growth is then
//! at least a twentieth of the window per round trip. An undo gives window and threshold back but
//! not `W_max`. Silence of the application moves the epoch on; a window that is merely not the limit
//! does not.
//!
//! HyStart ends slow start at 16 segments and more (`ssthresh = w`) when ACKs that follow one
//! another within 2 ms go on for more than half of RTTmin and a millisecond, or when the least of
//! eight round-trip times of a round is RTTmin / 8 (4 to 16 ms) above RTTmin.

use airtcp_units::{Nanos, Saturate, Span};

use super::config::CubicConfig;
use crate::curve::Curve;
use crate::{AckSample, Congestion, CongestionKind, Idle, LawRules, Window};

/// The parameter `beta` of the module is in parts of this.
const BETA_SCALE: u64 = 1024;
/// The window's share per round trip by which it grows at least until a loss has shown a `W_max`.
const UNKNOWN_COUNT: u64 = 20;
/// `cnt` where the curve is not above the window, in windows.
const FLAT: u64 = 100;
/// How long `cnt` stands while the window is the same: HZ / 32.
const REFRESH: Span = Span(1_000_000_000 / 32);
/// Round-trip times this soon after a reduction are not the path's.
const AFTER_EPOCH: Span = Span::from_secs(1);

/// Least window at which HyStart looks.
const LOW_WINDOW: u64 = 16;
/// ACKs closer than this belong to one train.
const ACK_GAP: Span = Span::from_millis(2);
/// Samples of a round.
const SAMPLES: u32 = 8;
/// Bounds of the rise that ends slow start.
const HYSTART_DELAY_MIN: Span = Span::from_millis(4);
const HYSTART_DELAY_MAX: Span = Span::from_millis(16);
/// What a host may hold back: the time of four of the largest segments at the pacing rate, at most
/// a millisecond.
const HELD_BACK: u64 = 4 * 65_536;
const MAX_HELD_BACK: Span = Span::from_millis(1);

/// State of CUBIC by Linux's rules.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Linux {
    /// `last_max_cwnd`, segments; 0 for none.
    w_max: u64,
    epoch: Option<Epoch>,
    d_min: Option<Span>,
    /// Acknowledged segments that have not yet grown the window.
    credit: u64,
    hystart: HyStart,
}

#[derive(Debug, Clone, Copy)]
struct Epoch {
    start: Nanos,
    curve: Curve,
    /// Acknowledged segments that have not yet grown `w_tcp`.
    acked: u64,
    w_tcp: u64,
    count: u64,
    /// Window and time when `count` was found.
    found: (u64, Nanos),
}

#[derive(Debug, Clone, Copy, Default)]
struct HyStart {
    found: bool,
    /// The round ends when more than this is acknowledged.
    round_end: u64,
    round_start: Nanos,
    last_ack: Nanos,
    least: Option<Span>,
    samples: u32,
}

/// The window in whole segments.
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
            // A SACKed segment counted when it was reported.
            let acked = ack.fresh(window.mss()).div_ceil(window.mss());
            let count = self.count(now, acked, segments(window), config);
            self.grow(acked, count, window);
        }
    }

    fn on_rtt(&mut self, now: Nanos, rtt: Span, ack: &AckSample, window: &mut Window, watch: bool) {
        if self.epoch.is_some_and(|e| now.since(e.start) < AFTER_EPOCH) {
            return;
        }
        let d_min = self.d_min.map_or(rtt, |d| d.min(rtt));
        self.d_min = Some(d_min);
        if !watch || self.hystart.found || !window.in_slow_start() {
            return;
        }
        let in_time =
            ack.srtt.map_or(0, |srtt| HELD_BACK.saturating_mul(srtt.0) / (2 * window.cwnd()));
        let train = Span(u64::midpoint(d_min.0, in_time.min(MAX_HELD_BACK.0)));
        if self.hystart.watch(now, rtt, ack, (d_min, train), segments(window)) {
            window.set_ssthresh(window.cwnd());
        }
    }

    /// `bictcp_update`: acknowledged segments per segment of growth.
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
        if e.found.0 == cwnd && now.since(e.found.1) <= REFRESH {
            self.epoch = Some(e);
            return e.count;
        }
        e.found = (cwnd, now);
        let target = e.curve.rounded(now.since(e.start) + self.d_min.unwrap_or(Span::ZERO));
        e.count = if target > cwnd { cwnd / (target - cwnd) } else { FLAT * cwnd };
        if w_max == 0 {
            e.count = e.count.min(UNKNOWN_COUNT);
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

    /// `tcp_cong_avoid_ai`: a segment per `count` acknowledged ones. What was saved up under a larger
    /// count gives one segment only.
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

    /// The threshold that an episode leaves, and what it does to the course.
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

    /// The application was silent: the curve goes on where it was.
    pub(super) fn on_idle(&mut self, now: Nanos, idle: &Idle) {
        if let Some(epoch) = &mut self.epoch {
            epoch.start = (epoch.start + idle.idle).min(now);
        }
    }
}

impl HyStart {
    /// Takes a round-trip time in slow start; true if it is to end.
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
        if cwnd < LOW_WINDOW {
            return false;
        }
        if now.since(self.last_ack) <= ACK_GAP {
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

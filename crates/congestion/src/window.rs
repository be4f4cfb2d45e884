//! The common part of laws with a window and a threshold: both values with their bounds, slow start
//! and undo.
//!
//! Windows lie between one segment and [`LawParams::max_cwnd`]. Reactions follow RFC 5681 section
//! 3.1 and RFC 3168 section 6.1.2; the law computes the reduced window. An undo restores window and
//! threshold, like Linux, but keeps a window that has grown larger meanwhile. Bytes.

use super::{
    AckSample, Congestion, CongestionKind, Idle, LawParams, LawRules, LawState, Prior, SlowStart,
    Step,
};
use airtcp_units::Saturate;

/// Within `impl CongestionControl`: the methods that a law delegates to `self.window`. `and undo`
/// and `and pause` add the methods for a spurious loss and for a restart after idle.
macro_rules! by_window {
    (and undo and pause) => {
        by_window!(and undo);

        fn on_idle(&mut self, _: airtcp_units::Nanos, idle: &$crate::Idle) {
            self.window.on_idle(idle);
        }
    };
    (and undo) => {
        by_window!();

        fn on_spurious(&mut self, _: airtcp_units::Nanos) {
            self.window.on_spurious();
        }
    };
    () => {
        fn raise_ssthresh(&mut self, bytes: u64) {
            self.window.raise_ssthresh(bytes);
        }

        fn limit_cwnd(&mut self, bytes: u64) {
            self.window.limit(bytes);
        }

        fn cwnd(&self) -> u64 {
            self.window.cwnd()
        }

        fn ssthresh(&self) -> u64 {
            self.window.ssthresh()
        }

        fn state(&self) -> $crate::LawState {
            self.window.state()
        }
    };
}
pub(crate) use by_window;

/// cwnd and ssthresh of a law.
#[derive(Debug, Clone)]
pub struct Window {
    params: LawParams,
    cwnd: u64,
    ssthresh: u64,
    slow_start: SlowStart,
    prior: Prior<SavedWindow>,
    /// Growth of less than a byte, carried over.
    fraction: f64,
}

#[derive(Debug, Clone, Copy)]
struct SavedWindow {
    cwnd: u64,
    ssthresh: u64,
    slow_start: SlowStart,
}

impl Default for Window {
    fn default() -> Self {
        Self::new(&LawParams::default(), false)
    }
}

impl Window {
    /// The initial window of `params`; `paced` if the law gives a pacing rate.
    pub fn new(params: &LawParams, paced: bool) -> Self {
        let mss = params.mss.max(1);
        Self {
            params: LawParams { mss, ..*params },
            cwnd: params.initial_window.min(params.max_cwnd).max(u64::from(mss)),
            ssthresh: params.initial_ssthresh,
            slow_start: SlowStart::new(params, paced || params.paced),
            prior: Prior::default(),
            fraction: 0.0,
        }
    }

    /// The parameters with which the law started.
    pub const fn params(&self) -> &LawParams {
        &self.params
    }

    /// Largest payload of a segment; at least 1.
    #[inline]
    pub const fn mss(&self) -> u64 {
        self.params.mss as u64
    }

    /// Congestion window.
    #[inline]
    pub const fn cwnd(&self) -> u64 {
        self.cwnd
    }

    /// Slow-start threshold.
    #[inline]
    pub const fn ssthresh(&self) -> u64 {
        self.ssthresh
    }

    /// Sets the window, within its bounds.
    #[inline]
    pub fn set_cwnd(&mut self, bytes: u64) {
        self.cwnd = bytes.min(self.params.max_cwnd).max(self.mss());
    }

    /// Raises the window by `bytes` and carries the fraction. Ignores values that are not positive
    /// numbers.
    #[inline]
    pub fn grow(&mut self, bytes: f64) {
        let total = self.fraction + bytes.max(0.0);
        let whole = u64::saturate(total);
        self.fraction = (total - whole as f64).clamp(0.0, 1.0);
        self.set_cwnd(self.cwnd.saturating_add(whole));
    }

    /// Sets the threshold, at least one segment.
    pub fn set_ssthresh(&mut self, bytes: u64) {
        self.ssthresh = bytes.max(self.mss());
    }

    /// Raises the threshold to at least `bytes`, so that slow start can return to that window.
    pub fn raise_ssthresh(&mut self, bytes: u64) {
        self.ssthresh = self.ssthresh.max(bytes);
    }

    /// True below the threshold.
    #[inline]
    pub const fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// In slow start, takes an ACK of new data outside recovery and returns true; otherwise does
    /// nothing and returns false.
    #[inline]
    pub fn on_slow_start_ack(&mut self, ack: &AckSample) -> bool {
        if !self.in_slow_start() {
            return false;
        }
        let Step { grow, leave } = self.slow_start.on_ack(ack);
        self.grow_in_slow_start(grow);
        if leave {
            self.ssthresh = self.cwnd;
        }
        true
    }

    /// Raises the window in slow start, at most to one segment above the threshold: an ACK of many
    /// segments does not overshoot it.
    #[inline]
    pub fn grow_in_slow_start(&mut self, bytes: u64) {
        let room = self.ssthresh.saturating_sub(self.cwnd).max(self.mss());
        self.set_cwnd(self.cwnd.saturating_add(bytes.min(room)));
    }

    /// The value that a loss multiplies: FlightSize (RFC 5681 equation 4), or the window if so
    /// configured. FlightSize is limited to the window. While a retransmission is missing, a SACK
    /// sender sends on as `pipe` allows, and many windows may be outstanding. A reaction to that
    /// FlightSize would raise the window [chosen; Linux takes the window].
    pub fn loss_base(&self, congestion: &Congestion) -> u64 {
        if self.params.half_of_cwnd { self.cwnd } else { congestion.flight.min(self.cwnd) }
    }

    /// Reacts to a congestion episode, for which the law computed the window `reduced`. Threshold
    /// and window become `reduced`, at least two segments after a loss and one after a mark (two by
    /// Linux's rules). A timeout or a restart leaves a window of one segment. A repeated timeout
    /// keeps the threshold.
    pub fn on_congestion(&mut self, congestion: &Congestion, reduced: u64) {
        let mss = self.mss();
        let (cwnd, ssthresh, slow_start) = (self.cwnd, self.ssthresh, self.slow_start);
        self.prior.before(congestion.kind, SavedWindow { cwnd, ssthresh, slow_start });
        self.slow_start.on_congestion();
        self.fraction = 0.0;
        let threshold =
            if self.params.ssthresh_in_segments { reduced / mss * mss } else { reduced };
        match congestion.kind {
            CongestionKind::EcnCe => {
                let least = if self.params.rules == LawRules::Linux { 2 * mss } else { mss };
                self.ssthresh = threshold.max(least);
                self.set_cwnd(reduced.max(least));
            }
            CongestionKind::FastRetransmit => {
                self.ssthresh = threshold.max(2 * mss);
                self.set_cwnd(reduced.max(2 * mss));
            }
            CongestionKind::Rto => {
                self.ssthresh = threshold.max(2 * mss);
                self.cwnd = mss;
            }
            CongestionKind::Persistent => self.cwnd = mss,
        }
        if congestion.restart {
            self.cwnd = mss;
        }
    }

    /// Reverts the last reaction to a loss, which was unnecessary. Returns false if there is none
    /// to revert.
    pub fn on_spurious(&mut self) -> bool {
        let Some(before) = self.prior.take() else { return false };
        self.set_cwnd(before.cwnd.max(self.cwnd));
        self.ssthresh = before.ssthresh;
        self.slow_start = before.slow_start;
        true
    }

    /// Restarts after idle time: `min(IW, cwnd)` after a long pause (RFC 5681 section 4.1). Returns
    /// whether the pause was long.
    pub fn on_idle(&mut self, idle: &Idle) -> bool {
        let restart = idle.restart && idle.idle > idle.rto;
        if restart {
            self.limit(self.params.initial_window);
            self.prior.forget();
        }
        restart
    }

    /// Lowers the window to at most `bytes`.
    pub fn limit(&mut self, bytes: u64) {
        self.set_cwnd(self.cwnd.min(bytes));
    }

    /// State of a law that grows slowly above the threshold.
    pub fn state(&self) -> LawState {
        if !self.in_slow_start() {
            LawState::Avoidance
        } else if self.slow_start.is_conservative() {
            LawState::Other("conservative slow start")
        } else {
            LawState::SlowStart
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window() -> Window {
        let params = LawParams {
            mss: 1000,
            initial_window: 10_000,
            initial_ssthresh: 40_000,
            max_cwnd: 60_000,
            ..LawParams::default()
        };
        Window::new(&params, false)
    }

    fn loss(kind: CongestionKind) -> Congestion {
        Congestion { kind, flight: 30_000, restart: false }
    }

    /// ns-2's `ssthresh_ = (int) halfwin`: the window keeps the fraction that the threshold loses.
    #[test]
    fn a_threshold_of_whole_segments() {
        use CongestionKind::{EcnCe, FastRetransmit, Rto};
        for (kind, window_after) in [(EcnCe, 7_700), (FastRetransmit, 7_700), (Rto, 1000)] {
            for (in_segments, threshold) in [(false, 7_700), (true, 7_000)] {
                let mut w = window();
                w.params.ssthresh_in_segments = in_segments;
                w.on_congestion(&loss(kind), 7_700);
                assert_eq!((w.cwnd(), w.ssthresh()), (window_after, threshold), "{kind:?}");
            }
        }
    }

    #[test]
    fn an_undo_restores_window_and_threshold() {
        let mut w = window();
        w.set_cwnd(30_000);
        w.on_congestion(&loss(CongestionKind::Rto), 15_000);
        assert_eq!((w.cwnd(), w.ssthresh()), (1000, 15_000));
        w.on_congestion(&loss(CongestionKind::Persistent), 1);
        assert!(w.on_spurious());
        assert_eq!((w.cwnd(), w.ssthresh()), (30_000, 40_000));
        assert!(!w.on_spurious(), "once");
        // A window that has grown larger meanwhile stays.
        w.on_congestion(&loss(CongestionKind::FastRetransmit), 15_000);
        w.set_cwnd(50_000);
        w.on_spurious();
        assert_eq!((w.cwnd(), w.ssthresh()), (50_000, 40_000));
    }

    #[test]
    fn a_long_pause_discards_the_undo() {
        let mut w = window();
        w.set_cwnd(30_000);
        w.on_congestion(&loss(CongestionKind::FastRetransmit), 15_000);
        let rto = airtcp_units::Span::from_secs(1);
        let idle = Idle { idle: rto + rto, rto, restart: true, app_limited: true };
        assert!(w.on_idle(&idle));
        assert_eq!(w.cwnd(), 10_000);
        assert!(!w.on_spurious());
    }

    #[test]
    fn fractions_of_a_byte_add_up() {
        let mut w = window();
        for _ in 0..1000 {
            w.grow(0.3);
        }
        assert_eq!(w.cwnd(), 10_300 - 1, "rounding may cost one");
        w.grow(f64::NAN);
        w.grow(-5.0);
        assert_eq!(w.cwnd(), 10_299);
        w.grow(f64::INFINITY);
        w.grow(1.0);
        assert_eq!(w.cwnd(), 60_000);
    }

    /// One ACK covers nine segments while the window is two segments below the threshold.
    #[test]
    fn slow_start_does_not_jump_over_the_threshold() {
        let rise = |from: u64, bytes: u64| {
            let mut w = window();
            w.set_cwnd(from);
            w.grow_in_slow_start(bytes);
            w.cwnd()
        };
        assert_eq!(rise(38_000, 9000), 40_000);
        assert_eq!(rise(20_000, 9000), 29_000);
        // At least one segment: with an ACK for each segment the result is the same.
        assert_eq!(rise(39_900, 1000), 40_900);
        assert_eq!(rise(39_900, 9000), 40_900);
    }

    #[test]
    fn bounds_hold() {
        let mut w = window();
        w.set_cwnd(u64::MAX);
        assert_eq!(w.cwnd(), 60_000);
        w.limit(0);
        assert_eq!(w.cwnd(), 1000);
        w.on_congestion(&loss(CongestionKind::FastRetransmit), u64::MAX);
        assert_eq!(w.cwnd(), 60_000);
        w.on_congestion(&loss(CongestionKind::EcnCe), 0);
        assert_eq!((w.cwnd(), w.ssthresh()), (1000, 1000));
    }
}

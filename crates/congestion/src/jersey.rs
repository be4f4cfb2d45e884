//! Jersey: marks decide whether a loss is congestion, and a bandwidth estimate sets the reduced
//! window.
//!
//! K. Xu, Y. Tian and N. Ansari, "TCP-Jersey for Wireless IP Communications", IEEE JSAC 22(4),
//! 2004. Every ACK updates an estimate of the bandwidth over a sliding window of a round trip.
//! `L_n` is the number of bytes that the ACK reports as newly arrived (see [`AckedCount`]):
//!
//! ```text
//! R_n = (RTT R_{n-1} + L_n) / ((t_n - t_{n-1}) + RTT)        ownd = RTT R_n, at least two segments
//! ```
//!
//! The routers on the path mark every packet while they are congested (the queue `jersey`).
//!
//! ```text
//! mark echoed, once a round trip:  rate control: ssthresh = ownd; cwnd = min(cwnd, ownd)
//! duplicates, mark in the window:  rate control
//! duplicates without a mark:       nothing: the loss is repaired at the same rate
//! timeout:                         ssthresh = ownd; cwnd = 1 segment
//! ```
//!
//! Growth is Reno's. Without ECN on the path there is no warning, and the window grows until a
//! timeout or the receiver's window limits it. RTT is the smoothed or the smallest round-trip time.
//! With the smoothed one, `ownd` is about the flight, so that marks hold a queue at its length. The
//! smallest one drains the queue. Bytes and nanoseconds.

use airtcp_units::{BitRate, Nanos, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::westwood::{rate, react, target};
use super::window::by_window;
use super::{
    AckSample, AckedCount, Additive, Congestion, CongestionControl, CongestionKind, Growth,
    LawParams, LawTable, Needs, Promises, Window,
};

/// The round-trip time that converts the estimated bandwidth to a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WindowRtt {
    /// The smoothed one.
    #[default]
    Smoothed,
    /// The smallest of the connection, as in Westwood.
    Smallest,
}

/// Parameters of Jersey.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JerseyConfig {
    /// The round-trip time that converts the estimated bandwidth to a window: `smoothed` (default)
    /// or `smallest`.
    pub window_rtt: WindowRtt,
}

impl LawTable for JerseyConfig {
    /// The queue `jersey`. Its marks warn of congestion, and a loss without a warning reduces
    /// nothing.
    fn needs(&self) -> Needs {
        Needs::MarkingQueue("jersey")
    }
}

/// Jersey's law.
#[derive(Debug, Clone)]
pub struct Jersey {
    config: JerseyConfig,
    window: Window,
    increase: Additive,
    arrived: AckedCount,
    /// `R_n`, bytes per second.
    estimate: f64,
    /// Time of the last ACK.
    at: Nanos,
    srtt: Option<Span>,
    min_rtt: Option<Span>,
    acked_up_to: u64,
    /// End of the data sent when the last mark was echoed.
    warned_up_to: u64,
}

impl Jersey {
    /// A law that waits for [`CongestionControl::start`].
    pub fn new(config: &JerseyConfig) -> Self {
        Self {
            config: *config,
            window: Window::default(),
            increase: Additive::new(Growth::PerAck),
            arrived: AckedCount::default(),
            estimate: 0.0,
            at: Nanos::ZERO,
            srtt: None,
            min_rtt: None,
            acked_up_to: 0,
            warned_up_to: 0,
        }
    }

    fn measure(&mut self, now: Nanos, bytes: u64) {
        let rtt = self.srtt.unwrap_or(Span::ZERO).as_secs_f64();
        let whole = now.since(self.at).as_secs_f64() + rtt;
        if whole > 0.0 {
            self.estimate = (rtt * self.estimate + bytes as f64) / whole;
        }
        self.at = now;
    }
}

impl CongestionControl for Jersey {
    fn start(&mut self, now: Nanos, params: &LawParams) {
        *self = Self::new(&self.config);
        self.window = Window::new(params, false);
        self.increase = Additive::new(params.growth());
        self.arrived = AckedCount::new(params);
        self.at = now;
        self.srtt = params.srtt;
    }

    #[inline]
    fn on_ack(&mut self, now: Nanos, ack: &AckSample) {
        self.srtt = ack.srtt.or(self.srtt);
        self.min_rtt = ack.min_rtt.or(self.min_rtt);
        let arrived = self.arrived.take(ack);
        self.measure(now, arrived);
        self.acked_up_to = ack.acked_up_to;
        if ack.ece {
            self.warned_up_to = ack.sent_up_to;
        }
        if ack.acked == 0 || ack.in_fast_recovery || self.window.on_slow_start_ack(ack) {
            return;
        }
        if ack.cwnd_limited && !ack.ece {
            self.increase.on_ack(ack.acked, &mut self.window);
        }
    }

    fn on_congestion(&mut self, _: Nanos, c: &Congestion) {
        let warned = self.acked_up_to < self.warned_up_to;
        if c.kind == CongestionKind::FastRetransmit && !warned && !c.restart {
            // Explicit retransmit. The window records the reaction anyway, so that an undo restores
            // this state.
            let (cwnd, ssthresh) = (self.window.cwnd(), self.window.ssthresh());
            self.window.on_congestion(c, cwnd);
            self.window.set_cwnd(cwnd);
            self.window.set_ssthresh(ssthresh);
            return;
        }
        let rtt = match self.config.window_rtt {
            WindowRtt::Smoothed => self.srtt,
            WindowRtt::Smallest => self.min_rtt,
        };
        let target = target(self.estimate, rtt, self.window.mss());
        react(&mut self.window, c, target);
        self.increase.reset();
    }

    fn bandwidth(&self) -> Option<BitRate> {
        rate(self.estimate)
    }

    fn promises(&self) -> Promises {
        // Without a warning a loss does not count as congestion.
        Promises { reduces_on_loss: false, ..Promises::default() }
    }

    by_window!(and undo and pause);
}

#[cfg(test)]
mod tests {
    use airtcp_units::{Narrow, detmath};

    use super::*;
    use crate::LawState;

    const MSS: u64 = 1000;

    fn at_ms(ms: u64) -> Nanos {
        Nanos::ZERO + Span::from_millis(ms)
    }

    /// A law that received an ACK of one segment every 10 ms, with a round-trip time of 200 ms now
    /// and 100 ms at its smallest, and 40 segments outstanding.
    fn fed(config: JerseyConfig, acks: u64) -> Jersey {
        let params = LawParams {
            mss: u32::narrow(MSS),
            initial_window: 40 * MSS,
            initial_ssthresh: 2 * MSS,
            srtt: Some(Span::from_millis(200)),
            ..LawParams::default()
        };
        let mut law = Jersey::new(&config);
        law.start(Nanos::ZERO, &params);
        (1..=acks).for_each(|k| ack(&mut law, k, false));
        law
    }

    fn ack(law: &mut Jersey, k: u64, ece: bool) {
        let sample = AckSample {
            acked: MSS,
            acked_up_to: k * MSS,
            sent_up_to: (k + 40) * MSS,
            srtt: Some(Span::from_millis(200)),
            min_rtt: Some(Span::from_millis(100)),
            ece,
            ..AckSample::default()
        };
        law.on_ack(at_ms(10 * k), &sample);
    }

    fn loss(kind: CongestionKind) -> Congestion {
        Congestion { kind, flight: 40 * MSS, restart: false }
    }

    #[test]
    fn the_estimate_by_hand_and_in_closed_form() {
        // (0.2 x 0 + 1000)/(0.01 + 0.2), then (0.2 R + 1000)/0.21.
        let first = 1000.0 / 0.21;
        assert!((fed(JerseyConfig::default(), 1).estimate - first).abs() < 1e-9);
        let second = (0.2 * first + 1000.0) / 0.21;
        assert!((fed(JerseyConfig::default(), 2).estimate - second).abs() < 1e-9);
        // The distance to the rate, 100 kB/s, shrinks by RTT/(RTT + dt) with every ACK.
        for n in [10, 100, 400] {
            let left = detmath::pow(0.2 / 0.21, n as f64);
            let expected = 100_000.0 * (1.0 - left);
            let found = fed(JerseyConfig::default(), n).estimate;
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
    }

    #[test]
    fn a_loss_without_a_mark_changes_nothing() {
        let mut law = fed(JerseyConfig::default(), 400);
        let before = (law.cwnd(), law.ssthresh());
        law.on_congestion(at_ms(4001), &loss(CongestionKind::FastRetransmit));
        assert_eq!((law.cwnd(), law.ssthresh()), before);
        law.on_spurious(at_ms(4002));
        assert_eq!((law.cwnd(), law.ssthresh()), before);
        // Also in slow start, which continues.
        law.window.set_ssthresh(u64::MAX);
        law.on_congestion(at_ms(4003), &loss(CongestionKind::FastRetransmit));
        assert_eq!((law.ssthresh(), law.state()), (u64::MAX, LawState::SlowStart));
    }

    #[test]
    fn rate_control() {
        // 100 kB/s at 200 ms: 20 segments; at 100 ms: 10.
        let smallest = JerseyConfig { window_rtt: WindowRtt::Smallest };
        for (config, segments) in [(JerseyConfig::default(), 20), (smallest, 10)] {
            let mut law = fed(config, 1000);
            law.on_congestion(at_ms(10_001), &loss(CongestionKind::EcnCe));
            assert!(law.cwnd().abs_diff(segments * MSS) <= 1, "{}", law.cwnd());
            assert_eq!(law.ssthresh(), law.cwnd());
            // Rate control never raises the window.
            law.limit_cwnd(4 * MSS);
            law.on_congestion(at_ms(10_002), &loss(CongestionKind::EcnCe));
            assert_eq!(law.cwnd(), 4 * MSS);
            let mut law = fed(config, 1000);
            law.on_congestion(at_ms(10_001), &loss(CongestionKind::Rto));
            assert_eq!(law.cwnd(), MSS);
            assert!(law.ssthresh().abs_diff(segments * MSS) <= 1);
            law.on_spurious(at_ms(10_002));
            assert_eq!((law.cwnd(), law.ssthresh()), (40 * MSS, 2 * MSS));
        }
    }

    #[test]
    fn a_warning_holds_until_its_window_is_acknowledged() {
        let mut law = fed(JerseyConfig::default(), 1000);
        ack(&mut law, 1001, true);
        law.on_congestion(at_ms(10_011), &loss(CongestionKind::FastRetransmit));
        assert!(law.cwnd() < 21 * MSS);
        // 1041 segments had been sent when the mark was echoed.
        let after = |k| {
            let mut law = fed(JerseyConfig::default(), 1000);
            ack(&mut law, 1001, true);
            (1002..=k).for_each(|k| ack(&mut law, k, false));
            law.on_congestion(at_ms(10 * k + 1), &loss(CongestionKind::FastRetransmit));
            law.cwnd().div_ceil(MSS)
        };
        assert_eq!((after(1040), after(1041)), (20, 40));
    }

    #[test]
    fn the_window_does_not_grow_on_an_echo() {
        let mut law = fed(JerseyConfig::default(), 1);
        law.window.set_ssthresh(u64::MAX);
        let before = law.cwnd();
        ack(&mut law, 2, true);
        assert_eq!(law.cwnd(), before);
    }
}

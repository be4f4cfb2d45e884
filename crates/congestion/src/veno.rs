//! Veno: Reno that estimates the queue as Vegas does before it reduces the window.
//!
//! C. P. Fu and S. C. Liew, "TCP Veno: TCP Enhancement for Transmission over Wireless Access
//! Networks", IEEE JSAC 21(2), 2003. `N` is the number of segments queued, as Vegas estimates it
//! from the latest sample:
//!
//! ```text
//! N = (cwnd/BaseRTT - cwnd/RTT) BaseRTT = cwnd (1 - BaseRTT/RTT)
//! ```
//!
//! `N` decides whether a loss counts as congestion:
//!
//! ```text
//! avoidance:   N < beta: cwnd += MSS*MSS/cwnd per ACK;  N >= beta: on every other ACK
//! duplicates:  N < beta: ssthresh = 4/5 FlightSize;     N >= beta: 1/2
//! ```
//!
//! Slow start, timeouts and marks are Reno's. ns-3's Veno discards its samples on every ACK, so
//! that its increase is always Reno's; this law does not copy that. Linux halves the growth per
//! round trip instead of per ACK, with the same rate. Bytes and nanoseconds.

use airtcp_probe::ConfigError;
use airtcp_units::{Nanos, Saturate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::window::by_window;
use super::{
    AckSample, Additive, Congestion, CongestionControl, CongestionKind, Growth, LawParams,
    LawTable, Window,
};

/// Period over which BaseRTT is the minimum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BaseRtt {
    /// Since the connection began (Linux, ns-3).
    #[default]
    Connection,
    /// Since the last loss, so that BaseRTT can rise after the path has changed.
    SinceLoss,
}

/// Parameters of Veno.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct VenoConfig {
    /// Minimum number of queued segments at which a loss counts as congestion. Default 3.
    pub beta: u32,
    /// Share of FlightSize kept on a loss that counts as random, above 0 and below 1. Default 0.8.
    pub kept_on_random_loss: f64,
    /// Period over which BaseRTT is the minimum: `connection` (default) or `since-loss`.
    pub base_rtt: BaseRtt,
}

impl Default for VenoConfig {
    fn default() -> Self {
        Self { beta: 3, kept_on_random_loss: 0.8, base_rtt: BaseRtt::Connection }
    }
}

impl LawTable for VenoConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        let kept = self.kept_on_random_loss;
        if kept > 0.0 && kept < 1.0 {
            return Ok(());
        }
        let message = format!("{kept} is out of range: it is above 0 and below 1");
        Err(ConfigError::new("kept_on_random_loss", message))
    }
}

/// Veno's law.
#[derive(Debug, Clone)]
pub struct Veno {
    config: VenoConfig,
    window: Window,
    increase: Additive,
    base: Option<Span>,
    latest: Span,
    /// While congested: true if the previous ACK raised the window.
    raised: bool,
}

impl Veno {
    /// A law that waits for [`CongestionControl::start`].
    pub fn new(config: &VenoConfig) -> Self {
        Self {
            config: *config,
            window: Window::default(),
            increase: Additive::new(Growth::PerAck),
            base: None,
            latest: Span::ZERO,
            raised: false,
        }
    }

    /// `N >= beta`, without a division.
    fn is_congested(&self) -> bool {
        let Some(base) = self.base else { return false };
        let (rtt, beta) = (u128::from(self.latest.0), u128::from(self.config.beta));
        let queued = u128::from(self.window.cwnd()) * (rtt.saturating_sub(u128::from(base.0)));
        queued >= beta * u128::from(self.window.mss()) * rtt
    }
}

impl CongestionControl for Veno {
    fn start(&mut self, _: Nanos, params: &LawParams) {
        self.window = Window::new(params, false);
        self.increase = Additive::new(params.growth());
        (self.base, self.latest, self.raised) = (None, Span::ZERO, false);
    }

    #[inline]
    fn on_ack(&mut self, _: Nanos, ack: &AckSample) {
        if let Some(rtt) = ack.rtt.filter(|rtt| *rtt > Span::ZERO) {
            self.base = Some(self.base.map_or(rtt, |b| b.min(rtt)));
            self.latest = rtt;
        }
        if ack.acked == 0 || ack.in_fast_recovery || self.window.on_slow_start_ack(ack) {
            return;
        }
        if !ack.cwnd_limited || ack.ece {
            return;
        }
        self.raised = !(self.raised && self.is_congested());
        if self.raised {
            self.increase.on_ack(ack.acked, &mut self.window);
        }
    }

    fn on_congestion(&mut self, _: Nanos, c: &Congestion) {
        let flight = self.window.loss_base(c);
        let reduced = match c.kind {
            CongestionKind::FastRetransmit if !self.is_congested() => {
                u64::saturate((flight as f64 * self.config.kept_on_random_loss).round())
            }
            CongestionKind::EcnCe => self.window.cwnd() / 2,
            _ => flight / 2,
        };
        self.window.on_congestion(c, reduced);
        self.increase.reset();
        if self.config.base_rtt == BaseRtt::SinceLoss && c.kind != CongestionKind::EcnCe {
            self.base = None;
        }
    }

    by_window!(and undo and pause);
}

#[cfg(test)]
mod tests {
    use airtcp_units::Narrow;

    use super::*;
    use crate::LawState;

    const MSS: u64 = 1000;

    fn veno(config: &VenoConfig, segments: u64) -> Veno {
        let params = LawParams {
            mss: u32::narrow(MSS),
            initial_window: segments * MSS,
            initial_ssthresh: 2 * MSS,
            ..LawParams::default()
        };
        let mut law = Veno::new(config);
        law.start(Nanos::ZERO, &params);
        law
    }

    fn ack(law: &mut Veno, rtt_ms: u64) {
        let rtt = Some(Span::from_millis(rtt_ms));
        let sample = AckSample { acked: MSS, rtt, cwnd_limited: true, ..AckSample::default() };
        law.on_ack(Nanos(1), &sample);
    }

    /// The window after a loss with 20 segments in flight. The latest sample is `rtt_ms`, the
    /// smallest 100 ms.
    fn after(config: &VenoConfig, kind: CongestionKind, rtt_ms: u64) -> u64 {
        let mut law = veno(config, 20);
        (law.base, law.latest) = (Some(Span::from_millis(100)), Span::from_millis(rtt_ms));
        law.on_congestion(Nanos(1), &Congestion { kind, flight: 20 * MSS, restart: false });
        law.cwnd()
    }

    #[test]
    fn a_loss_keeps_four_fifths_below_beta_and_half_above() {
        let config = VenoConfig::default();
        let loss = CongestionKind::FastRetransmit;
        // 20 (1 - 100/117) = 2.91; 20 (1 - 100/118) = 3.05.
        assert_eq!(after(&config, loss, 100), 16 * MSS);
        assert_eq!(after(&config, loss, 117), 16 * MSS);
        assert_eq!(after(&config, loss, 118), 10 * MSS);
        // Exactly 3 of 18 segments at 120 ms is congestion.
        let mut law = veno(&config, 18);
        (law.base, law.latest) = (Some(Span::from_millis(100)), Span::from_millis(120));
        assert!(law.is_congested());
        assert_eq!(after(&config, CongestionKind::Rto, 100), MSS);
        assert_eq!(after(&config, CongestionKind::EcnCe, 100), 10 * MSS);
        let own = VenoConfig { beta: 4, kept_on_random_loss: 0.9, ..config };
        assert_eq!(after(&own, loss, 118), 18 * MSS);
    }

    /// Over many windows of ACKs: a segment per window below beta, half a segment above.
    #[test]
    fn growth_halves_once_segments_queue() {
        let grown = |rtt_ms| {
            let mut law = veno(&VenoConfig::default(), 20);
            ack(&mut law, 100);
            let before = law.cwnd();
            for _ in 0..200 {
                ack(&mut law, rtt_ms);
            }
            (law.cwnd() - before) as f64 / MSS as f64
        };
        // dW/dn = 1/W from about 20.05 for 200 ACKs: sqrt(20.05^2 + 400) - 20.05.
        assert!((grown(105) - 8.27).abs() < 0.05, "{}", grown(105));
        // 100 of them count: sqrt(20.05^2 + 200) - 20.05.
        assert!((grown(200) - 4.48).abs() < 0.05, "{}", grown(200));
    }

    #[test]
    fn slow_start_is_standard_and_an_undo_restores() {
        let mut law = veno(&VenoConfig::default(), 1);
        law.window.set_ssthresh(64 * MSS);
        for _ in 0..3 {
            ack(&mut law, 100);
        }
        assert_eq!((law.cwnd(), law.state()), (4 * MSS, LawState::SlowStart));
        let c = Congestion { kind: CongestionKind::Rto, flight: 4 * MSS, restart: false };
        law.on_congestion(Nanos(1), &c);
        law.on_spurious(Nanos(2));
        assert_eq!((law.cwnd(), law.ssthresh()), (4 * MSS, 64 * MSS));
    }

    #[test]
    fn base_rtt_since_the_last_loss() {
        let config = VenoConfig { base_rtt: BaseRtt::SinceLoss, ..VenoConfig::default() };
        for (config, congested) in [(VenoConfig::default(), true), (config, false)] {
            let mut law = veno(&config, 20);
            ack(&mut law, 100);
            let kind = CongestionKind::FastRetransmit;
            law.on_congestion(Nanos(1), &Congestion { kind, flight: 20 * MSS, restart: false });
            ack(&mut law, 200);
            assert_eq!(law.is_congested(), congested);
        }
    }

    #[test]
    fn tables() {
        let bad: VenoConfig = serde_json::from_str(r#"{"kept_on_random_loss": 1.2}"#).unwrap();
        let message = bad.validate().unwrap_err().to_string();
        assert!(message.contains("1.2 is out of range"), "{message}");
        VenoConfig::default().validate().unwrap();
    }
}

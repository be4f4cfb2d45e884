//! Hybla: Reno with growth that does not depend on the round-trip time.
//!
//! C. Caini and R. Firrincieli, "TCP Hybla: a TCP Enhancement for Heterogeneous Networks",
//! International Journal of Satellite Communications and Networking 22(5), 2004. The rate on a long
//! path is to grow as on a path of RTT0. With the smallest round-trip time so far,
//!
//! ```text
//! rho = RTT/RTT0, at least 1
//! start:       cwnd = rho MSS, ssthresh = rho times the configured one
//! slow start:  cwnd += (2^rho - 1) MSS per ACK
//! avoidance:   cwnd += rho^2 MSS*MSS/cwnd per ACK
//! ```
//!
//! In congestion avoidance the rate then grows by a segment per RTT0 every RTT0, at any RTT.
//! Losses, timeouts and marks have Reno's reactions. With RTT <= RTT0 the whole law is Reno.
//!
//! Choices: an initial window above `rho MSS` stays. Slow start multiplies the growth of standard
//! slow start for an ACK, including its limit `L`. The additional growth ends at the threshold, as
//! in Linux and ns-3. One ACK raises the window by at most `2^16 - 1` segments (in Linux, in slow
//! start only). rho follows the smallest sample as in ns-3; in Linux it follows the smallest
//! smoothed one.
//!
//! Leaves out two separate proposals of the paper: pacing, which is a key of the connection, and
//! the bandwidth estimate for the first threshold. Bytes and nanoseconds; rho has no unit.

use airtcp_probe::ConfigError;
use airtcp_units::{Nanos, Saturate, Span, detmath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::window::by_window;
use super::{
    AckSample, Congestion, CongestionControl, CongestionKind, LawParams, LawTable, Window,
};

/// Maximum growth per ACK in segments (Linux).
const MAX_SEGMENTS: f64 = 65_535.0;

/// Parameters of Hybla.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HyblaConfig {
    /// Round-trip time of the reference path, 1 ms to 10 s. Default 25 ms.
    pub rtt0: Span,
}

impl Default for HyblaConfig {
    fn default() -> Self {
        Self { rtt0: Span::from_millis(25) }
    }
}

impl LawTable for HyblaConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        let (least, most) = (Span::from_millis(1), Span::from_secs(10));
        if (least..=most).contains(&self.rtt0) {
            return Ok(());
        }
        let message = format!("{} is out of range: accepted is {least} to {most}", self.rtt0);
        Err(ConfigError::new("rtt0", message))
    }
}

/// Ratio of the round-trip times of path and reference, and the factors derived from it.
#[derive(Debug, Clone, Copy)]
struct Rho {
    /// RTT/RTT0, at least 1.
    ratio: f64,
    /// `2^rho - 1`: segments per ACK in slow start.
    slow_start: f64,
    /// `rho^2`: segments per window of ACKs in avoidance.
    avoidance: f64,
}

impl Rho {
    /// The ratio of a path of `rtt`.
    fn new(rtt: Span, rtt0: Span) -> Self {
        let rho = (rtt.0 as f64 / rtt0.0.max(1) as f64).max(1.0);
        let slow_start = (detmath::pow(2.0, rho) - 1.0).min(MAX_SEGMENTS);
        Self { ratio: rho, slow_start, avoidance: rho * rho }
    }
}

/// Hybla's law.
#[derive(Debug, Clone)]
pub struct Hybla {
    config: HyblaConfig,
    window: Window,
    /// Smallest round-trip time; `None` before the first.
    rtt: Option<Span>,
    rho: Rho,
}

impl Hybla {
    /// A law that waits for [`CongestionControl::start`].
    pub fn new(config: &HyblaConfig) -> Self {
        Self {
            config: *config,
            window: Window::default(),
            rtt: None,
            rho: Rho::new(Span::ZERO, config.rtt0),
        }
    }

    fn measure(&mut self, rtt: Option<Span>) {
        let Some(rtt) = rtt.filter(|rtt| self.rtt.is_none_or(|least| *rtt < least)) else { return };
        self.rtt = Some(rtt);
        self.rho = Rho::new(rtt, self.config.rtt0);
    }

    /// Multiplies the growth of standard slow start, which raised the window from `before`.
    fn scale_slow_start(&mut self, before: u64) {
        let (cwnd, ssthresh) = (self.window.cwnd(), self.window.ssthresh());
        let standard = cwnd.saturating_sub(before) as f64;
        let most = (self.max_growth() - standard).min(ssthresh.saturating_sub(cwnd) as f64);
        self.window.grow((standard * (self.rho.slow_start - 1.0)).min(most));
    }

    fn increase(&mut self) {
        let (mss, cwnd) = (self.window.mss() as f64, self.window.cwnd() as f64);
        self.window.grow((self.rho.avoidance * mss * mss / cwnd).min(self.max_growth()));
    }

    /// Maximum growth per ACK in bytes.
    fn max_growth(&self) -> f64 {
        MAX_SEGMENTS * self.window.mss() as f64
    }
}

impl CongestionControl for Hybla {
    fn start(&mut self, _: Nanos, params: &LawParams) {
        (self.rtt, self.rho) = (None, Rho::new(Span::ZERO, self.config.rtt0));
        self.measure(params.srtt);
        let least = u64::saturate((self.rho.ratio * f64::from(params.mss)).round());
        let initial_ssthresh = match params.initial_ssthresh {
            u64::MAX => u64::MAX,
            bytes => u64::saturate((self.rho.ratio * bytes as f64).round()),
        };
        let initial_window = params.initial_window.max(least);
        self.window =
            Window::new(&LawParams { initial_window, initial_ssthresh, ..*params }, false);
    }

    #[inline]
    fn on_ack(&mut self, _: Nanos, ack: &AckSample) {
        self.measure(ack.min_rtt);
        if ack.acked == 0 || ack.in_fast_recovery {
            return;
        }
        let before = self.window.cwnd();
        if self.window.on_slow_start_ack(ack) {
            self.scale_slow_start(before);
        } else if ack.cwnd_limited && !ack.ece {
            self.increase();
        }
    }

    fn on_congestion(&mut self, _: Nanos, c: &Congestion) {
        let base = match c.kind {
            CongestionKind::EcnCe => self.window.cwnd(),
            _ => self.window.loss_base(c),
        };
        self.window.on_congestion(c, base / 2);
    }

    by_window!(and undo and pause);
}

#[cfg(test)]
mod tests {
    use airtcp_units::Narrow;

    use super::*;
    use crate::{LawState, Reno, RenoConfig, SlowStartKind};

    const MSS: u64 = 1000;

    /// After a handshake of `rtt_us`.
    fn hybla(rtt_us: u64, segments: u64, ssthresh: u64) -> Hybla {
        let mut law = Hybla::new(&HyblaConfig::default());
        law.start(Nanos::ZERO, &params(rtt_us, segments, ssthresh));
        law
    }

    fn params(rtt_us: u64, segments: u64, ssthresh: u64) -> LawParams {
        LawParams {
            mss: u32::narrow(MSS),
            initial_window: segments * MSS,
            initial_ssthresh: ssthresh.saturating_mul(MSS),
            srtt: Some(Span::from_micros(rtt_us)),
            ..LawParams::default()
        }
    }

    fn ack(law: &mut impl CongestionControl, rtt_us: u64) -> u64 {
        let min_rtt = Some(Span::from_micros(rtt_us));
        let sample = AckSample { acked: MSS, min_rtt, cwnd_limited: true, ..AckSample::default() };
        law.on_ack(Nanos(1), &sample);
        law.cwnd()
    }

    #[test]
    fn starts_with_rho_segments_and_rho_times_the_threshold() {
        // 100 ms: rho = 4. 37.5 ms: 1.5. Below 25 ms: 1.
        for (rtt_us, cwnd, ssthresh) in
            [(100_000, 4000, 40_000), (37_500, 1500, 15_000), (10_000, 1000, 10_000)]
        {
            let law = hybla(rtt_us, 1, 10);
            assert_eq!((law.cwnd(), law.ssthresh()), (cwnd, ssthresh), "{rtt_us}");
        }
        // A larger initial window stays, and an absent threshold stays absent.
        let law = hybla(100_000, 10, u64::MAX);
        assert_eq!((law.cwnd(), law.ssthresh()), (10_000, u64::MAX));
    }

    #[test]
    fn slow_start_by_hand() {
        // Per ACK: 2^2 - 1 = 3 segments; 2^1.5 - 1 = 1.828427; 2^4 - 1 = 15; 1 below RTT0.
        for (rtt_us, grown) in [(50_000, 3000), (37_500, 1828), (100_000, 15_000), (10_000, 1000)] {
            let mut law = hybla(rtt_us, 4, u64::MAX);
            assert_eq!(ack(&mut law, rtt_us), 4000 + grown, "{rtt_us}");
        }
        // A window of ACKs multiplies the window by 2^rho: 2, 8, 32 at rho = 2.
        let mut law = hybla(50_000, 2, u64::MAX);
        for window in [2, 8, 32] {
            assert_eq!(law.cwnd(), window * MSS);
            for _ in 0..window {
                ack(&mut law, 50_000);
            }
        }
        // Slow start ends at the threshold: 4 + 15 segments would exceed 4 * 3.
        let mut law = hybla(100_000, 4, 3);
        assert_eq!((ack(&mut law, 100_000), law.state()), (12_000, LawState::Avoidance));
    }

    #[test]
    fn avoidance_by_hand() {
        // rho = 4 in a window of 40: 16/40 of a segment, then 16/40.4 = 0.39604.
        let mut law = hybla(100_000, 40, 1);
        assert_eq!(ack(&mut law, 100_000), 40_400);
        assert_eq!(ack(&mut law, 100_000), 40_796);
        // dW/dn = 16/W: after 1000 ACKs in all sqrt(1600 + 32000) = 183.30.
        for _ in 2..1000 {
            ack(&mut law, 100_000);
        }
        let segments = law.cwnd() as f64 / MSS as f64;
        assert!((segments - 183.30).abs() < 0.2, "{segments}");
    }

    /// The rate in segments per second that avoidance adds in ten seconds is 10 s/RTT0^2 = 16,000
    /// at any round-trip time.
    #[test]
    fn the_rate_grows_by_the_clock() {
        for rtt_ms in [25, 50, 100, 200] {
            let mut law = hybla(rtt_ms * 1000, 40, 1);
            let before = law.cwnd();
            for _ in 0..10_000 / rtt_ms {
                for _ in 0..law.cwnd() / MSS {
                    ack(&mut law, rtt_ms * 1000);
                }
            }
            let added = (law.cwnd() - before) as f64 / MSS as f64 / (rtt_ms as f64 / 1000.0);
            // The window also grows within a round of ACKs, so the gain is slightly less.
            assert!((0.95..=1.0).contains(&(added / 16_000.0)), "{rtt_ms} ms: {added}");
        }
    }

    #[test]
    fn rho_follows_the_smallest_round_trip_time() {
        // 100 ms in the handshake, then 50 ms, then 200 ms: 15, 3, 3 segments.
        let mut law = hybla(100_000, 4, u64::MAX);
        let grown = [100_000, 50_000, 200_000].map(|rtt| ack(&mut law, rtt));
        assert_eq!(grown, [19_000, 22_000, 25_000]);
        // Unknown after the handshake: Reno until the first sample.
        let mut law = Hybla::new(&HyblaConfig::default());
        law.start(Nanos::ZERO, &LawParams { srtt: None, ..params(1, 1, u64::MAX) });
        assert_eq!((law.cwnd(), ack(&mut law, 50_000)), (1000, 4000));
    }

    #[test]
    fn one_ack_adds_at_most_65535_segments() {
        // Ten hours: rho = 1,440,000.
        let hours = 36_000_000_000;
        let mut law = hybla(1000, 1, 1);
        law.rho = Rho::new(Span::from_micros(hours), law.config.rtt0);
        assert_eq!(ack(&mut law, hours), 65_536 * MSS);
        law.window.set_ssthresh(u64::MAX);
        assert_eq!(ack(&mut law, hours), (65_536 + 65_535) * MSS);
        // Two thousand segments are acknowledged at once, and paced HyStart++ takes all of them.
        // Factors 15 and 31 stay below the bound, 63 does not.
        for (rtt_us, grown) in [(100_000, 30_000), (125_000, 62_000), (150_000, 65_535)] {
            let p = params(rtt_us, 10, u64::MAX);
            let slow_start = SlowStartKind::HyStartPlusPlus;
            let mut law = Hybla::new(&HyblaConfig::default());
            law.start(Nanos::ZERO, &LawParams { slow_start, paced: true, ..p });
            let acked = 2000 * MSS;
            law.on_ack(Nanos(1), &AckSample { acked, cwnd_limited: true, ..AckSample::default() });
            assert_eq!(law.cwnd(), (10 + grown) * MSS, "{rtt_us}");
        }
    }

    /// At RTT0 and below every window is Reno's, through slow start, avoidance, losses, marks,
    /// timeouts and undo. The two laws carry fractions of a byte differently.
    #[test]
    fn reno_on_a_short_path() {
        let p = params(25_000, 2, 40);
        let (mut hybla, mut reno) =
            (Hybla::new(&HyblaConfig::default()), Reno::new(&RenoConfig::default()));
        hybla.start(Nanos::ZERO, &p);
        reno.start(Nanos::ZERO, &p);
        for i in 1..5000u64 {
            let (a, b) = (ack(&mut hybla, 20_000), ack(&mut reno, 20_000));
            assert!(a.abs_diff(b) <= b / 1000, "{i}: {a}, Reno {b}");
            let kind = match i {
                1000 => CongestionKind::FastRetransmit,
                2000 => CongestionKind::EcnCe,
                3000 => CongestionKind::Rto,
                _ => continue,
            };
            for law in [&mut hybla as &mut dyn CongestionControl, &mut reno] {
                law.on_congestion(Nanos(1), &Congestion { kind, flight: b, restart: false });
                if i == 3000 {
                    law.on_spurious(Nanos(1));
                }
            }
            assert!(hybla.cwnd().abs_diff(reno.cwnd()) <= reno.cwnd() / 1000, "after {kind:?}");
        }
    }

    #[test]
    fn tables() {
        let config: HyblaConfig = serde_json::from_str(r#"{"rtt0": "50 ms"}"#).unwrap();
        config.validate().unwrap();
        assert_eq!(config.rtt0, Span::from_millis(50));
        let message = HyblaConfig { rtt0: Span::ZERO }.validate().unwrap_err().to_string();
        assert!(message.contains("accepted is 1 ms to 10 s"), "{message}");
    }
}

//! TCP with adaptive pacing (TCP-AP): Reno's window, and a rate from the delay of four hops of a chain.
//!
//! S. ElRakabawy, A. Klemm and C. Lindemann, "TCP with Adaptive Pacing for Multihop Wireless Networks",
//! MobiHoc 2005. In a chain of 802.11 hops whose interference range is about twice the range of reception,
//! a sender may send again when its last packet is four hops away. The sender estimates that time from the
//! round-trip time, which data and ACK spend at `h` hops each, and adds a share for contention:
//!
//! ```text
//! q    = max(0, (RTT/h - (s_data + s_ack)/b) / 2)          delay of queueing and contention per hop
//! FHD  = min(h, 4) (q + s_data/b)                          four-hop delay of one sample
//! mean = smoothing mean + (1 - smoothing) FHD;             begins with the first sample
//! cov  = standard deviation / mean of the last `samples` round-trip times
//! rate = MSS / (mean (1 + 2 cov))
//! ```
//! `s_data` is the segment with `overhead`, `s_ack` is `overhead`, and `b` the rate of the hops. The window is
//! NewReno's and bounds what is outstanding.
//!
//! The abstract has the four-hop delay and the coefficient of variation; the equations are S0's (section 3).
//! `smoothing`, `samples` and `overhead` are the values of the authors' code for ns-2. Choices: a chain of less
//! than four hops has the delay of all its hops (the code: of one); the deviation is that of round-trip times,
//! over `n - 1` (the code: the mean absolute deviation of FHD); every sample counts (the code ignores delays
//! over 0.5 s). Leaves out that the authors' code sends fast retransmissions without pacing, and does not back
//! off the retransmission timer.

use std::collections::VecDeque;

use airtcp_probe::{ConfigError, within};
use airtcp_units::{BitRate, Bytes, Nanos, Saturate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::window::by_window;
use super::{
    AckSample, Additive, Congestion, CongestionControl, CongestionKind, LawParams, LawTable,
    Promises, Window,
};

/// Hops after which a packet no longer contends with the next one.
const REUSE: u32 = 4;
/// Longest round-trip time that is evaluated; bounds the rate and the sums.
const LONGEST: Span = Span::from_secs(100_000);

/// Parameters of TCP-AP.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TcpApConfig {
    /// Number of hops `h` from the sender to the receiver, 1 to 1000. Default 4. The law does not learn
    /// it: give the hops of the flow's path, for a chain of a cell the difference of the two nodes' places.
    pub hops: u32,
    /// Rate `b` of the hops. Default 2 Mb/s.
    pub rate: BitRate,
    /// Number `N` of round-trip times in the coefficient of variation, 2 to 1000. Default 50.
    pub samples: u32,
    /// Weight of the former four-hop delay in its mean, 0 to less than 1. Default 0.7.
    pub smoothing: f64,
    /// Headers of all layers of a segment. Default 112 B.
    pub overhead: Bytes,
}

impl Default for TcpApConfig {
    fn default() -> Self {
        Self {
            hops: 4,
            rate: BitRate::from_mbps(2),
            samples: 50,
            smoothing: 0.7,
            overhead: Bytes(112),
        }
    }
}

impl LawTable for TcpApConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        within("hops", self.hops, 1, 1000)?;
        within("samples", self.samples, 2, 1000)?;
        if !(0.0..1.0).contains(&self.smoothing) {
            let found = self.smoothing;
            let message = format!("{found} is out of range: accepted is 0 to less than 1");
            return Err(ConfigError::new("smoothing", message));
        }
        within("overhead", self.overhead, Bytes(0), Bytes(10_000))
    }
}

/// The last round-trip times in nanoseconds, with their sums. The sums are exact, so that no error grows as
/// times come and go.
#[derive(Debug, Clone, Default)]
struct Times {
    last: VecDeque<u64>,
    sum: u64,
    /// Sum of squares: at most 1000 times 1e28.
    squares: u128,
}

impl Times {
    /// Adds a time, in place of the oldest if there are `most`.
    fn push(&mut self, time: Span, most: usize) {
        if self.last.len() >= most
            && let Some(old) = self.last.pop_front()
        {
            self.sum -= old;
            self.squares -= u128::from(old) * u128::from(old);
        }
        self.last.push_back(time.0);
        self.sum += time.0;
        self.squares += u128::from(time.0) * u128::from(time.0);
    }

    /// Coefficient of variation; 0 with one time:
    /// `sqrt((n squares - sum^2) / (n (n - 1))) / (sum / n)`.
    fn variation(&self) -> f64 {
        let n = self.last.len();
        if n < 2 || self.sum == 0 {
            return 0.0;
        }
        let sum = u128::from(self.sum);
        let spread = (n as u128 * self.squares - sum * sum) as f64;
        (spread * n as f64 / (n - 1) as f64).sqrt() / self.sum as f64
    }
}

/// TCP-AP's law.
#[derive(Debug, Clone)]
pub struct TcpAp {
    config: TcpApConfig,
    window: Window,
    increase: Additive,
    times: Times,
    /// Mean of the four-hop delay in seconds; `None` before the first sample.
    four_hops: Option<f64>,
    rate: Option<BitRate>,
}

impl TcpAp {
    /// A law that waits for [`CongestionControl::start`].
    pub fn new(config: &TcpApConfig) -> Self {
        Self {
            config: *config,
            window: Window::default(),
            increase: Additive::default(),
            times: Times::default(),
            four_hops: None,
            rate: None,
        }
    }

    fn on_rtt(&mut self, rtt: Span) {
        let rtt = rtt.min(LONGEST);
        let TcpApConfig { hops, rate, samples, smoothing, overhead } = self.config;
        self.times.push(rtt, samples as usize);
        let rtt = rtt.as_secs_f64();
        let seconds = |bytes: u64| bytes as f64 * 8.0 / rate.bps() as f64;
        let (data, ack) = (seconds(self.window.mss() + overhead.0), seconds(overhead.0));
        let queueing = ((rtt / f64::from(hops) - (data + ack)) / 2.0).max(0.0);
        let sample = f64::from(hops.min(REUSE)) * (queueing + data);
        let kept = self.four_hops.unwrap_or(sample);
        let mean = smoothing * kept + (1.0 - smoothing) * sample;
        self.four_hops = Some(mean);
        let bits = self.window.mss() as f64 * 8.0;
        let interval = mean * (1.0 + 2.0 * self.times.variation());
        self.rate = BitRate::new(u64::saturate(bits / interval).max(1));
    }
}

impl CongestionControl for TcpAp {
    fn start(&mut self, _: Nanos, params: &LawParams) {
        self.window = Window::new(params, true);
        self.increase = Additive::new(params.growth());
        self.times = Times::default();
        (self.four_hops, self.rate) = (None, None);
    }

    fn on_ack(&mut self, _: Nanos, ack: &AckSample) {
        if let Some(rtt) = ack.rtt {
            self.on_rtt(rtt);
        }
        if ack.acked == 0 || ack.in_fast_recovery || self.window.on_slow_start_ack(ack) {
            return;
        }
        if ack.cwnd_limited && !ack.ece {
            self.increase.on_ack(ack.acked, &mut self.window);
        }
    }

    fn on_congestion(&mut self, _: Nanos, c: &Congestion) {
        let base = match c.kind {
            CongestionKind::EcnCe => self.window.cwnd(),
            _ => self.window.loss_base(c),
        };
        self.increase.reset();
        self.window.on_congestion(c, base / 2);
    }

    fn pacing_rate(&self) -> Option<BitRate> {
        self.rate
    }

    fn promises(&self) -> Promises {
        Promises::default()
    }

    by_window!(and undo and pause);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn law(hops: u32) -> TcpAp {
        let mut law = TcpAp::new(&TcpApConfig { hops, ..TcpApConfig::default() });
        let params = LawParams { mss: 1460, initial_window: 1460, ..LawParams::default() };
        law.start(Nanos::ZERO, &params);
        law
    }

    fn ack(law: &mut TcpAp, rtt: Span) {
        law.on_ack(Nanos::ZERO, &AckSample { rtt: Some(rtt), ..AckSample::default() });
    }

    /// 1572 B take 6.288 ms at 2 Mb/s, and 112 B 0.448 ms. Over eight hops, 80 ms leave 3.264 ms per hop, half
    /// of them for the data: FHD = 4 (1.632 + 6.288) = 31.68 ms.
    #[test]
    fn four_hops_of_eight() {
        let mut law = law(8);
        assert_eq!(law.pacing_rate(), None);
        ack(&mut law, Span::from_millis(80));
        let expected = 1460.0 * 8.0 / 31.68e-3;
        assert!((law.pacing_rate().unwrap().bps() as f64 - expected).abs() < 1.0);
        // Equal samples have no variation.
        ack(&mut law, Span::from_millis(80));
        assert!((law.pacing_rate().unwrap().bps() as f64 - expected).abs() < 1.0);
    }

    /// Round-trip times of 80 and 120 ms: mean 100 ms, deviation 28.28 ms, cov 0.2828. The second FHD is
    /// 4 (4.132 + 6.288) = 41.68 ms, the mean 0.7 31.68 + 0.3 41.68 = 34.68 ms.
    #[test]
    fn variation_slows_the_sender() {
        let mut law = law(8);
        ack(&mut law, Span::from_millis(80));
        ack(&mut law, Span::from_millis(120));
        assert!((law.times.variation() - 0.08f64.sqrt()).abs() < 1e-9);
        let interval = 34.68e-3 * (1.0 + 2.0 * 0.08f64.sqrt());
        let expected = 1460.0 * 8.0 / interval;
        assert!((law.pacing_rate().unwrap().bps() as f64 - expected).abs() < 1.0);
    }

    /// A round-trip time below the time of the transmissions has no queueing, and only the last samples count.
    #[test]
    fn bounds() {
        let mut short = law(2);
        ack(&mut short, Span::from_millis(1));
        let expected = 1460.0 * 8.0 / (2.0 * 6.288e-3);
        assert!((short.pacing_rate().unwrap().bps() as f64 - expected).abs() < 1.0);
        let mut long = law(8);
        for i in 0..500 {
            ack(&mut long, Span::from_millis(if i < 400 { 80 + i } else { 100 }));
        }
        assert_eq!(long.times.last.len(), 50);
        assert!(long.times.variation().abs() < 1e-9);
    }

    /// Against the definition, while times come and go, from nanoseconds to the longest.
    #[test]
    fn sums_give_the_coefficient_of_variation() {
        let mut times = Times::default();
        let mut all: Vec<f64> = Vec::new();
        let mut state = 1u64;
        for i in 0..3000u32 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let most = [1_000, 100_000_000, LONGEST.0][(i / 1000) as usize];
            let time = Span((state >> 11) % most + 1);
            times.push(time, 50);
            all.push(time.0 as f64);
            let last = &all[all.len().saturating_sub(50)..];
            let n = last.len() as f64;
            let mean = last.iter().sum::<f64>() / n;
            let squares = last.iter().map(|t| (t - mean) * (t - mean)).sum::<f64>();
            let expected = if n > 1.0 { (squares / (n - 1.0)).sqrt() / mean } else { 0.0 };
            assert!((times.variation() - expected).abs() < 1e-9, "{i}: {expected}");
        }
    }

    #[test]
    fn keys_have_ranges() {
        let base = TcpApConfig::default();
        for (key, config) in [
            ("hops", TcpApConfig { hops: 0, ..base }),
            ("samples", TcpApConfig { samples: 1, ..base }),
            ("smoothing", TcpApConfig { smoothing: 1.0, ..base }),
            ("overhead", TcpApConfig { overhead: Bytes(10_001), ..base }),
        ] {
            let error = config.validate().unwrap_err();
            assert_eq!(error.key, key);
            assert!(error.message.contains("is out of range: accepted is"), "{error}");
        }
        assert!(base.validate().is_ok());
    }
}

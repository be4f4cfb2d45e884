//! Westwood+: Westwood with one sample of the bandwidth per round trip.
//!
//! L. Grieco and S. Mascolo, "Performance Evaluation and Comparison of Westwood+, New Reno, and
//! Vegas TCP Congestion Control", ACM CCR 34(2), 2004. A burst of compressed ACKs falls into one
//! interval and therefore does not inflate the estimate:
//!
//! ```text
//! b_k = bytes acknowledged in the interval / its length; an interval ends with the first ACK more
//!       than max(RTT, 50 ms) after its beginning
//! linux: ns_k = 7/8 ns_{k-1} + 1/8 b_k;  BWE_k = 7/8 BWE_{k-1} + 1/8 ns_k;  both begin with b_1
//! ns-3:  BWE_k = 0.9 BWE_{k-1} + 0.1 (b_k + b_{k-1})/2;                      begins with 0
//! ```
//!
//! RTT is the latest sample. The ACK that ends an interval counts for the next one. The counting of
//! duplicates and the reactions are Westwood's: `ssthresh = BWE RTTmin`. Leaves out: Linux resets
//! RTTmin after a timeout, and lowers the window at the end of a recovery. Bytes and nanoseconds.

use airtcp_probe::ConfigError;
use airtcp_units::{BitRate, Nanos, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::westwood::{rate, react, target};
use super::window::by_window;
use super::{
    AckSample, AckedCount, Additive, Congestion, CongestionControl, Growth, LawParams, LawTable,
    Promises, Window,
};

/// How the law smooths bandwidth samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub enum BandwidthFilter {
    /// Two cascaded filters with a weight of 7/8 on the old value, both set by the first sample.
    #[default]
    #[serde(rename = "linux")]
    Linux,
    /// 0.9 of the estimate plus 0.1 of the mean of the last two samples, starting at zero.
    #[serde(rename = "ns-3")]
    Ns3,
}

/// Parameters of Westwood+.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WestwoodPlusConfig {
    /// How the law smooths bandwidth samples: `linux` (default) or `ns-3`.
    pub filter: BandwidthFilter,
    /// Minimum length of a sample interval. Default 50 ms.
    pub least_interval: Span,
}

impl Default for WestwoodPlusConfig {
    fn default() -> Self {
        Self { filter: BandwidthFilter::Linux, least_interval: Span::from_millis(50) }
    }
}

impl LawTable for WestwoodPlusConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        let most = Span::from_secs(3600);
        if self.least_interval <= most {
            return Ok(());
        }
        let message = format!("{} is out of range: accepted is 0 s to {most}", self.least_interval);
        Err(ConfigError::new("least_interval", message))
    }
}

/// One bandwidth sample per round trip, and the filter.
#[derive(Debug, Clone, Default)]
struct PerRound {
    begin: Nanos,
    bytes: u64,
    /// State of the first of two filters, or the last sample; bytes per second.
    before: f64,
    /// BWE, bytes per second; `None` before the first sample.
    estimate: Option<f64>,
}

impl PerRound {
    fn fold(&mut self, sample: f64, filter: BandwidthFilter) {
        let keep = |old: f64, new: f64| 0.875 * old + 0.125 * new;
        self.estimate = Some(match (filter, self.estimate) {
            (BandwidthFilter::Linux, None) => {
                self.before = sample;
                sample
            }
            (BandwidthFilter::Linux, Some(estimate)) => {
                self.before = keep(self.before, sample);
                keep(estimate, self.before)
            }
            (BandwidthFilter::Ns3, estimate) => {
                let mean = f64::midpoint(sample, self.before);
                self.before = sample;
                0.9 * estimate.unwrap_or(0.0) + 0.1 * mean
            }
        });
    }

    /// An ACK reported `bytes` as arrived; `interval` is the minimum length of a sample.
    fn on_ack(&mut self, now: Nanos, bytes: u64, interval: Span, filter: BandwidthFilter) {
        let length = now.since(self.begin);
        if length > interval {
            self.fold(self.bytes as f64 / length.as_secs_f64(), filter);
            (self.begin, self.bytes) = (now, 0);
        }
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

/// Westwood+'s law.
#[derive(Debug, Clone)]
pub struct WestwoodPlus {
    config: WestwoodPlusConfig,
    window: Window,
    increase: Additive,
    arrived: AckedCount,
    samples: PerRound,
    rtt: Option<Span>,
    min_rtt: Option<Span>,
}

impl WestwoodPlus {
    /// A law that waits for [`CongestionControl::start`].
    pub fn new(config: &WestwoodPlusConfig) -> Self {
        Self {
            config: *config,
            window: Window::default(),
            increase: Additive::new(Growth::PerAck),
            arrived: AckedCount::default(),
            samples: PerRound::default(),
            rtt: None,
            min_rtt: None,
        }
    }
}

impl CongestionControl for WestwoodPlus {
    fn start(&mut self, now: Nanos, params: &LawParams) {
        self.window = Window::new(params, false);
        self.increase = Additive::new(params.growth());
        self.arrived = AckedCount::new(params);
        self.samples = PerRound { begin: now, ..PerRound::default() };
        (self.rtt, self.min_rtt) = (None, None);
    }

    #[inline]
    fn on_ack(&mut self, now: Nanos, ack: &AckSample) {
        self.rtt = ack.rtt.or(self.rtt);
        self.min_rtt = ack.min_rtt.or(self.min_rtt);
        let arrived = self.arrived.take(ack);
        let interval = self.rtt.unwrap_or(Span::ZERO).max(self.config.least_interval);
        self.samples.on_ack(now, arrived, interval, self.config.filter);
        if ack.acked == 0 || ack.in_fast_recovery || self.window.on_slow_start_ack(ack) {
            return;
        }
        if ack.cwnd_limited && !ack.ece {
            self.increase.on_ack(ack.acked, &mut self.window);
        }
    }

    fn on_congestion(&mut self, _: Nanos, c: &Congestion) {
        let estimate = self.samples.estimate.unwrap_or(0.0);
        let target = target(estimate, self.min_rtt, self.window.mss());
        react(&mut self.window, c, target);
        self.increase.reset();
    }

    fn bandwidth(&self) -> Option<BitRate> {
        self.samples.estimate.and_then(rate)
    }

    fn promises(&self) -> Promises {
        // The estimate may exceed the window.
        Promises { reduces_on_loss: false, ..Promises::default() }
    }

    by_window!(and undo and pause);
}

#[cfg(test)]
mod tests {
    use airtcp_units::{Narrow, Saturate, detmath};

    use super::*;
    use crate::CongestionKind;

    const MSS: u64 = 1000;

    /// A law that received an ACK of one segment every `gap_ms`, at a round-trip time of 100 ms.
    fn fed(config: &WestwoodPlusConfig, gap_ms: u64, acks: u64) -> WestwoodPlus {
        let params = LawParams {
            mss: u32::narrow(MSS),
            initial_window: 40 * MSS,
            initial_ssthresh: 2 * MSS,
            ..LawParams::default()
        };
        let mut law = WestwoodPlus::new(config);
        law.start(Nanos::ZERO, &params);
        for k in 1..=acks {
            let rtt = Some(Span::from_millis(100));
            let sample = AckSample { acked: MSS, rtt, min_rtt: rtt, ..AckSample::default() };
            law.on_ack(Nanos::ZERO + Span::from_millis(k * gap_ms), &sample);
        }
        law
    }

    #[test]
    fn an_interval_is_longer_than_a_round_trip() {
        // ACKs at 10, 20, ..., 110 ms: the one at 110 ms ends the interval and is not in it.
        let law = fed(&WestwoodPlusConfig::default(), 10, 10);
        assert_eq!(law.bandwidth(), None);
        let law = fed(&WestwoodPlusConfig::default(), 10, 11);
        let expected = 10.0 * MSS as f64 * 8.0 / 0.110;
        assert_eq!(law.bandwidth(), BitRate::new(u64::saturate(expected)));
        // The second interval has the ACKs from 110 to 210 ms: 11 in 110 ms.
        let law = fed(&WestwoodPlusConfig::default(), 10, 22);
        let (first, second) = (10.0 / 0.110, 11.0 / 0.110);
        let ns = 0.875 * first + 0.125 * second;
        let expected = (0.875 * first + 0.125 * ns) * 8.0 * MSS as f64;
        assert_eq!(law.bandwidth(), BitRate::new(u64::saturate(expected)));
    }

    #[test]
    fn the_filters_step_answer() {
        // From 0 to 1 at the first sample; after k samples the cascade keeps (1 + k/8)(7/8)^k of a
        // step.
        let mut linux = PerRound::default();
        linux.fold(0.0, BandwidthFilter::Linux);
        for _ in 0..8 {
            linux.fold(1.0, BandwidthFilter::Linux);
        }
        let expected = 1.0 - (1.0 + 8.0 / 8.0) * detmath::pow(0.875, 8.0);
        assert!((linux.estimate.unwrap() - expected).abs() < 1e-12);
        // First 0.05, then each step keeps 0.9 of the distance.
        let mut ns3 = PerRound::default();
        for _ in 0..8 {
            ns3.fold(1.0, BandwidthFilter::Ns3);
        }
        let expected = 1.0 - 0.95 * detmath::pow(0.9, 7.0);
        assert!((ns3.estimate.unwrap() - expected).abs() < 1e-12);
    }

    #[test]
    fn the_threshold_is_the_bandwidth_delay_product() {
        // 100 segments a second at 100 ms: 10 segments.
        let mut law = fed(&WestwoodPlusConfig::default(), 10, 1000);
        let kind = CongestionKind::FastRetransmit;
        law.on_congestion(Nanos(1), &Congestion { kind, flight: 40 * MSS, restart: false });
        assert!(law.cwnd().abs_diff(10 * MSS) < MSS / 10, "{}", law.cwnd());
        assert_eq!(law.ssthresh(), law.cwnd());
        law.on_spurious(Nanos(2));
        assert_eq!((law.cwnd(), law.ssthresh()), (40 * MSS, 2 * MSS));
        let kind = CongestionKind::Rto;
        law.on_congestion(Nanos(3), &Congestion { kind, flight: 40 * MSS, restart: false });
        assert_eq!(law.cwnd(), MSS);
        assert!(law.ssthresh().abs_diff(10 * MSS) < MSS / 10);
    }

    #[test]
    fn tables() {
        let read = |text: &str| serde_json::from_str::<WestwoodPlusConfig>(text);
        let own = read(r#"{"filter": "ns-3", "least_interval": "0 s"}"#).unwrap();
        assert_eq!((own.filter, own.least_interval), (BandwidthFilter::Ns3, Span::ZERO));
        own.validate().unwrap();
        let long = read(r#"{"least_interval": "2 h"}"#);
        let long = long.unwrap_or(WestwoodPlusConfig {
            least_interval: Span::from_secs(7200),
            ..WestwoodPlusConfig::default()
        });
        assert!(long.validate().unwrap_err().to_string().contains("out of range"));
    }
}

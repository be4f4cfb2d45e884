//! Vegas: keeps a few segments of its own in the queue of the bottleneck.
//!
//! L. Brakmo and L. Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global Internet",
//! IEEE JSAC 13(8), 1995, sections 3.2 and 3.3. Once per round trip:
//!
//! ```text
//! Expected = cwnd / BaseRTT        BaseRTT = smallest round-trip time of the connection
//! Actual   = cwnd / RTT            RTT = smallest (or mean) sample of the round trip
//! diff = (Expected - Actual) BaseRTT = cwnd (1 - BaseRTT/RTT)     segments
//! diff < alpha:  cwnd += 1 segment
//! diff > beta:   cwnd -= 1 segment
//! slow start doubles the window every other round trip and keeps it in between, so that the comparison
//! is valid; diff > gamma after a round trip without growth ends slow start
//!
//! A round trip ends when data sent after its beginning is acknowledged. `diff` is compared exactly;
//! nothing is rounded to segments.
//!
//! Two sets of parameters, whose keys may also be set one by one:
//!
//! | | `1995` | `linux` |
//! |---|---|---|
//! | alpha, beta, gamma | 1, 3, 1 | 2, 4, 1 |
//! | slow start doubles | every other round trip | every round trip |
//! | on leaving it | `cwnd -= cwnd/8` | `cwnd = cwnd BaseRTT/RTT + 1 segment` |
//! | share kept on a loss | 3/4 | 1/2 |
//! | samples a round trip needs | 1 | 3, with fewer it is Reno's |
//!
//! The 1/8 and the 3/4 come from the authors' code as ported to ns-2; timeouts and marks halve.
//! Leaves out: the paper's retransmission on the first or second duplicate by a fine-grained timer,
//! which is loss recovery; Linux's `diff = cwnd (RTT - BaseRTT)/BaseRTT`, which overestimates the
//! queue. Bytes and nanoseconds.

use airtcp_probe::ConfigError;
use airtcp_units::{Nanos, Narrow, Saturate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::window::by_window;
use super::{
    AckSample, Additive, Congestion, CongestionControl, CongestionKind, Growth, Idle, LawParams,
    LawTable, Window,
};

/// A set of parameters of Vegas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub enum VegasSet {
    /// The paper's and the authors' code's.
    #[default]
    #[serde(rename = "1995")]
    Paper,
    /// Linux's; ns-3 has the same alpha, beta and gamma.
    #[serde(rename = "linux")]
    Linux,
}

/// How often slow start doubles the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Doubling {
    /// Every other round trip (the paper).
    EveryOtherRoundTrip,
    /// Every round trip (Linux, ns-3).
    EveryRoundTrip,
}

/// The round-trip time that represents a round trip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RoundRtt {
    /// The smallest sample, which delayed ACKs do not lengthen (Linux, ns-3).
    #[default]
    Min,
    /// The mean of the samples (the authors' code as carried over to ns-2).
    Mean,
}

/// Parameters of Vegas. An absent key takes the value of `set`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct VegasConfig {
    /// The set of parameters: `1995` (default) or `linux`.
    pub set: VegasSet,
    /// Minimum number of segments to keep queued. 1995: 1; linux: 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alpha: Option<u32>,
    /// Maximum number of segments to keep queued. 1995: 3; linux: 4.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beta: Option<u32>,
    /// Number of queued segments that ends slow start. Both sets: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gamma: Option<u32>,
    /// How often slow start doubles the window. 1995: `every-other-round-trip`; linux:
    /// `every-round-trip`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubling: Option<Doubling>,
    /// Share of FlightSize kept on a loss found by duplicates, above 0 and below 1. 1995: 0.75;
    /// linux: 0.5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_on_loss: Option<f64>,
    /// Samples that a round trip needs for a comparison; with fewer, the window grows like Reno's.
    /// 1995: 1; linux: 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_samples: Option<u32>,
    /// The round-trip time that represents a round trip: `min` (default) or `mean`.
    pub round_rtt: RoundRtt,
}

impl VegasConfig {
    fn by_set<T>(&self, own: Option<T>, paper: T, linux: T) -> T {
        own.unwrap_or(match self.set {
            VegasSet::Paper => paper,
            VegasSet::Linux => linux,
        })
    }

    /// alpha, beta and gamma in force, segments.
    pub fn thresholds(&self) -> (u32, u32, u32) {
        let alpha = self.by_set(self.alpha, 1, 2);
        let beta = self.by_set(self.beta, 3, 4);
        (alpha, beta, self.by_set(self.gamma, 1, 1))
    }
}

impl LawTable for VegasConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        let (alpha, beta, _) = self.thresholds();
        if alpha > beta {
            let message = format!("{beta} is below alpha, which is {alpha}: beta is at least that");
            return Err(ConfigError::new("beta", message));
        }
        let kept = self.by_set(self.kept_on_loss, 0.75, 0.5);
        if !(kept > 0.0 && kept < 1.0) {
            let message = format!("{kept} is out of range: it is above 0 and below 1");
            return Err(ConfigError::new("kept_on_loss", message));
        }
        Ok(())
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Round {
    /// Sequence number whose acknowledgement ends the round trip; `None` until its first ACK.
    end: Option<u64>,
    min: Option<Span>,
    sum: Span,
    samples: u32,
}

/// Vegas' law.
#[derive(Debug, Clone)]
pub struct Vegas {
    alpha: u64,
    beta: u64,
    gamma: u64,
    every_round: bool,
    /// Share of FlightSize kept on a loss.
    kept: f64,
    min_samples: u32,
    rtt: RoundRtt,
    set: VegasSet,
    window: Window,
    increase: Additive,
    base: Option<Span>,
    round: Round,
    /// In slow start: true if the window grows in this round trip.
    growing: bool,
}

impl Vegas {
    /// A law that waits for [`CongestionControl::start`].
    pub fn new(config: &VegasConfig) -> Self {
        let (alpha, beta, gamma) = config.thresholds();
        let doubling =
            config.by_set(config.doubling, Doubling::EveryOtherRoundTrip, Doubling::EveryRoundTrip);
        Self {
            alpha: u64::from(alpha),
            beta: u64::from(beta),
            gamma: u64::from(gamma),
            every_round: doubling == Doubling::EveryRoundTrip,
            kept: config.by_set(config.kept_on_loss, 0.75, 0.5),
            min_samples: config.by_set(config.min_samples, 1, 3).max(1),
            rtt: config.round_rtt,
            set: config.set,
            window: Window::default(),
            increase: Additive::new(Growth::PerAck),
            base: None,
            round: Round::default(),
            growing: true,
        }
    }

    /// Begins a new round trip with the next ACK.
    fn restart_round(&mut self) {
        self.round = Round::default();
    }

    fn take_sample(&mut self, rtt: Span) {
        self.base = Some(self.base.map_or(rtt, |b| b.min(rtt)));
        let round = &mut self.round;
        round.min = Some(round.min.map_or(rtt, |m| m.min(rtt)));
        round.sum = Span(round.sum.0.saturating_add(rtt.0));
        round.samples = round.samples.saturating_add(1);
    }

    /// BaseRTT and the round trip's RTT, if the round trip has enough samples.
    fn round_rtts(&self, round: &Round) -> Option<(u64, u64)> {
        if round.samples < self.min_samples {
            return None;
        }
        let rtt = match self.rtt {
            RoundRtt::Min => round.min?.0,
            RoundRtt::Mean => round.sum.0 / u64::from(round.samples),
        };
        let base = self.base?.0;
        Some((base, rtt.max(base)))
    }

    /// Ends a round trip in which the window limited sending.
    fn on_round(&mut self, ack: &AckSample, round: &Round) {
        let (cwnd, mss) = (self.window.cwnd(), self.window.mss());
        let Some((base, rtt)) = self.round_rtts(round) else {
            if self.window.in_slow_start() {
                self.slow_start(ack);
            } else if round.samples > 0 {
                self.increase.on_ack(ack.acked, &mut self.window);
            }
            return;
        };
        // `diff` in segments times MSS RTT, which needs no division.
        let diff = u128::from(cwnd) * u128::from(rtt - base);
        let segments = |n: u64| u128::from(n) * u128::from(mss) * u128::from(rtt);
        if self.window.in_slow_start() {
            let is_comparable = self.every_round || !self.growing;
            if is_comparable && diff > segments(self.gamma) {
                let target =
                    u64::narrow(u128::from(cwnd) * u128::from(base) / u128::from(rtt.max(1)));
                let left = match self.set {
                    VegasSet::Paper => cwnd - cwnd / 8,
                    VegasSet::Linux => cwnd.min(target + mss),
                };
                self.lower(left);
            } else {
                self.slow_start(ack);
                self.growing = self.every_round || !self.growing;
            }
        } else if diff < segments(self.alpha) {
            self.window.set_cwnd(cwnd.saturating_add(mss));
        } else if diff > segments(self.beta) {
            self.lower(cwnd.saturating_sub(mss));
        }
    }

    /// Lowers the window, but not below two segments, and leaves slow start.
    fn lower(&mut self, bytes: u64) {
        let least = (2 * self.window.mss()).min(self.window.cwnd());
        self.window.set_cwnd(bytes.max(least));
        self.window.set_ssthresh(self.window.ssthresh().min(self.window.cwnd()));
    }

    /// Growth of slow start (RFC 5681 equation 2 with the limit of RFC 3465 section 2.3), in
    /// the round trips that grow.
    fn slow_start(&mut self, ack: &AckSample) {
        if self.growing {
            let params = self.window.params();
            let limit = u64::from(params.mss).saturating_mul(u64::from(params.abc_limit));
            self.window.grow_in_slow_start(ack.newly_arrived(self.window.mss()).min(limit));
        }
    }
}

impl CongestionControl for Vegas {
    fn start(&mut self, _: Nanos, params: &LawParams) {
        self.window = Window::new(params, false);
        self.increase = Additive::new(params.growth());
        self.base = None;
        self.restart_round();
        self.growing = true;
    }

    fn on_ack(&mut self, _: Nanos, ack: &AckSample) {
        if let Some(rtt) = ack.rtt.filter(|rtt| *rtt > Span::ZERO) {
            self.take_sample(rtt);
        }
        if ack.in_fast_recovery {
            // These samples were taken with the window before the reduction.
            self.restart_round();
            return;
        }
        if ack.acked == 0 {
            return;
        }
        let may_grow = ack.cwnd_limited && !ack.ece;
        let end = *self.round.end.get_or_insert(ack.sent_up_to);
        // The first data of this round trip is acknowledged.
        if ack.acked_up_to > end {
            let round = std::mem::take(&mut self.round);
            self.round.end = Some(ack.sent_up_to);
            // If the sender did not fill the window, the round trip does not show the window's
            // effect.
            if may_grow {
                self.on_round(ack, &round);
            }
        } else if may_grow && self.window.in_slow_start() {
            self.slow_start(ack);
        }
    }

    fn on_congestion(&mut self, _: Nanos, c: &Congestion) {
        let flight = self.window.loss_base(c);
        let reduced = match c.kind {
            CongestionKind::FastRetransmit => u64::saturate((flight as f64 * self.kept).round()),
            CongestionKind::EcnCe => self.window.cwnd() / 2,
            CongestionKind::Rto | CongestionKind::Persistent => flight / 2,
        };
        self.window.on_congestion(c, reduced);
        self.increase.reset();
        self.restart_round();
        self.growing = true;
    }

    fn on_spurious(&mut self, _: Nanos) {
        if self.window.on_spurious() {
            self.restart_round();
        }
    }

    fn on_idle(&mut self, _: Nanos, idle: &Idle) {
        self.window.on_idle(idle);
        self.restart_round();
    }

    fn follows_model(&self) -> bool {
        true
    }

    by_window!();
}

#[cfg(test)]
mod tests;

//! A test driver that passes acknowledgements and losses to a BBR law of either version.

use airtcp_units::{Nanos, Narrow, Span};

use crate::{
    AckSample, Congestion, CongestionControl, CongestionKind, LawParams, LawState, Lost, RateSample,
};

pub(super) const MSS: u64 = 1000;
pub(super) const RTT: Span = Span::from_millis(100);
/// 8 Mb/s for 100 ms.
pub(super) const BDP: u64 = 100_000;
pub(super) const RATE: u64 = 8_000_000;

/// A law, and the sender's counters (bytes).
pub(super) struct Feed<L> {
    pub(super) law: L,
    pub(super) now: Nanos,
    pub(super) delivered: u64,
    pub(super) lost: u64,
}

pub(super) fn params() -> LawParams {
    LawParams {
        mss: u32::narrow(MSS),
        initial_window: 10 * MSS,
        selective_acks: true,
        srtt: Some(RTT),
        seed: 7,
        ..LawParams::default()
    }
}

impl<L: CongestionControl> Feed<L> {
    pub(super) fn new(mut law: L, params: &LawParams) -> Self {
        let now = Nanos::from_secs_f64(1.0);
        law.start(now, params);
        Self { law, now, delivered: 0, lost: 0 }
    }

    /// An ACK at `rate` of `segments` that left when `prior` bytes had been delivered.
    pub(super) fn sample(&self, segments: u64, prior: u64, rate: u64) -> AckSample {
        let bytes = segments * MSS;
        let total_delivered = self.delivered + bytes;
        AckSample {
            acked: bytes,
            delivered: bytes,
            pipe: BDP,
            prior_pipe: BDP + bytes,
            total_delivered,
            total_lost: self.lost,
            rtt: Some(RTT),
            srtt: Some(RTT),
            min_rtt: Some(RTT),
            rate: Some(RateSample {
                delivered: rate / 80,
                interval: RTT,
                prior_delivered: prior,
                tx_in_flight: BDP,
                ..RateSample::default()
            }),
            cwnd_limited: true,
            ..AckSample::default()
        }
    }

    /// Passes `sample` to the law now.
    pub(super) fn ack(&mut self, sample: &AckSample) {
        self.delivered = sample.total_delivered;
        self.law.on_ack(self.now, sample);
    }

    /// One ACK, a round trip after the last call. It ends a round and acknowledges half a window.
    pub(super) fn round(&mut self, rate: u64) {
        self.round_with(rate, |_| ());
    }

    pub(super) fn round_with(&mut self, rate: u64, change: impl FnOnce(&mut AckSample)) {
        self.now += RTT;
        let mut sample = self.sample(50, self.delivered, rate);
        change(&mut sample);
        self.ack(&sample);
    }

    /// An ACK within a round, `after` the last call.
    pub(super) fn within(&mut self, after: Span, change: impl FnOnce(&mut AckSample)) {
        self.now += after;
        let mut sample = self.sample(2, self.delivered.saturating_sub(BDP), RATE);
        change(&mut sample);
        self.ack(&sample);
    }

    /// One segment of the present flight is lost, the `n`-th loss of that flight, which had `tx`
    /// bytes.
    pub(super) fn lose(&mut self, start: u64, n: u64, tx: u64) {
        self.lost += MSS;
        let lost = Lost {
            start,
            bytes: MSS,
            tx_in_flight: tx,
            lost: n * MSS,
            app_limited: false,
            total_delivered: self.delivered,
        };
        self.law.on_lost(self.now, &lost);
    }

    pub(super) fn episode(&mut self, kind: CongestionKind) {
        self.law.on_congestion(self.now, &Congestion { kind, flight: BDP, restart: false });
    }

    pub(super) fn state(&self) -> &'static str {
        match self.law.state() {
            LawState::Other(name) => name,
            _ => "",
        }
    }

    /// Pacing rate over `RATE`.
    pub(super) fn pacing(&self) -> f64 {
        self.law.pacing_rate().map_or(0.0, |r| r.bps() as f64 / RATE as f64)
    }
}

/// Equal within rounding error.
pub(super) fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * b.abs()
}

//! Reno's law: slow start, congestion avoidance and halving, RFC 5681 section 3.1.
//!
//! The same law stands under Tahoe, Reno, NewReno and SACK: they differ in loss recovery only
//! (see [`crate::tcp::Recovery`]). ECN reaction: RFC 3168 section 6.1.2. Bytes.

use airtcp_units::Nanos;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    AckSample, Congestion, CongestionControl, CongestionKind, Idle, LawParams, LawState, LawTable,
};

/// How the window grows in congestion avoidance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Growth {
    /// `MSS*MSS/cwnd` for every ACK (RFC 5681 equation 3): with delayed ACKs about half a
    /// segment per round trip.
    #[default]
    PerAck,
    /// One segment for every window of acknowledged bytes (RFC 3465, appropriate byte
    /// counting): one segment per round trip however ACKs come.
    Bytes,
}

/// Parameters of Reno's law.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RenoConfig {
    /// How the window grows in congestion avoidance: `per-ack` (default, RFC 5681 equation 3)
    /// or `bytes` (RFC 3465).
    pub growth: Growth,
}

impl LawTable for RenoConfig {}

/// Reno's law.
#[derive(Debug, Clone)]
pub struct Reno {
    growth: Growth,
    params: LawParams,
    cwnd: u64,
    ssthresh: u64,
    /// Growth earned in congestion avoidance but not yet given, in byte-bytes: the fraction of
    /// `MSS*MSS/cwnd` that integer division would lose, or bytes acknowledged times MSS.
    credit: u64,
}

impl Reno {
    /// A law that waits for [`CongestionControl::start`].
    pub fn new(config: &RenoConfig) -> Self {
        let params = LawParams::default();
        Self { growth: config.growth, params, cwnd: 1, ssthresh: u64::MAX, credit: 0 }
    }

    fn mss(&self) -> u64 {
        u64::from(self.params.mss)
    }

    fn slow_start(&mut self, acked: u64) {
        // RFC 5681 equation 2 with the limit of RFC 3465 section 2.3.
        let limit = self.mss().saturating_mul(u64::from(self.params.abc_limit));
        self.cwnd = self.cwnd.saturating_add(acked.min(limit));
    }

    fn avoid(&mut self, acked: u64) {
        let mss = self.mss();
        let earned = match self.growth {
            Growth::PerAck => mss,
            Growth::Bytes => acked,
        };
        // Growth is credit/cwnd; the remainder is carried, so that W segments grow by one
        // segment in W acknowledgements exactly as with real numbers.
        self.credit = self.credit.saturating_add(earned.saturating_mul(mss));
        match self.growth {
            Growth::PerAck => {
                self.cwnd += self.credit / self.cwnd;
                self.credit %= self.cwnd;
            }
            // RFC 3465 section 2.1: a whole segment once a whole window was acknowledged.
            Growth::Bytes => {
                let whole = self.cwnd.saturating_mul(mss);
                if self.credit >= whole {
                    self.credit -= whole;
                    self.cwnd += mss;
                }
            }
        }
    }
}

impl CongestionControl for Reno {
    fn start(&mut self, _: Nanos, params: &LawParams) {
        self.params = LawParams { mss: params.mss.max(1), ..*params };
        self.cwnd = params.initial_window.min(params.max_cwnd).max(self.mss());
        self.ssthresh = params.initial_ssthresh;
        self.credit = 0;
    }

    #[inline]
    fn on_ack(&mut self, _: Nanos, ack: &AckSample) {
        if ack.acked == 0 || ack.in_fast_recovery || ack.ece || !ack.cwnd_limited {
            return;
        }
        if self.cwnd < self.ssthresh {
            self.slow_start(ack.acked);
        } else {
            self.avoid(ack.acked);
        }
        self.cwnd = self.cwnd.min(self.params.max_cwnd.max(self.mss()));
    }

    fn on_congestion(&mut self, _: Nanos, c: &Congestion) {
        let mss = self.mss();
        let half = if self.params.half_of_cwnd { self.cwnd } else { c.flight } / 2;
        self.credit = 0;
        match c.kind {
            CongestionKind::EcnCe => {
                // RFC 3168 section 6.1.2: halve the window, down to one segment.
                self.ssthresh = (self.cwnd / 2).max(mss);
                self.cwnd = self.ssthresh;
            }
            CongestionKind::FastRetransmit => {
                self.ssthresh = half.max(2 * mss);
                self.cwnd = self.ssthresh;
            }
            CongestionKind::Rto => {
                self.ssthresh = half.max(2 * mss);
                self.cwnd = mss;
            }
            CongestionKind::Persistent => self.cwnd = mss,
        }
        if c.restart {
            self.cwnd = mss;
        }
        self.cwnd = self.cwnd.min(self.params.max_cwnd.max(mss));
    }

    fn on_idle(&mut self, _: Nanos, idle: &Idle) {
        if idle.restart && idle.idle > idle.rto {
            // RFC 5681 section 4.1: the restart window is min(IW, cwnd).
            self.limit_cwnd(self.params.initial_window);
        }
    }

    fn limit_cwnd(&mut self, bytes: u64) {
        self.cwnd = self.cwnd.min(bytes).max(self.mss());
    }

    fn cwnd(&self) -> u64 {
        self.cwnd
    }

    fn ssthresh(&self) -> u64 {
        self.ssthresh
    }

    fn state(&self) -> LawState {
        if self.cwnd < self.ssthresh { LawState::SlowStart } else { LawState::Avoidance }
    }
}

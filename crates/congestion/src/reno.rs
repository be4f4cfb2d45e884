//! Reno's law: slow start, congestion avoidance and halving, RFC 5681 section 3.1.
//!
//! Tahoe, Reno, NewReno and SACK TCP all use this law; they differ in loss recovery only (see
//! `Recovery` of the transport crate). ECN reaction: RFC 3168 section 6.1.2. Bytes.
//!
//! By Linux's rules (`law_rules`) half of the window is rounded to whole segments, bytes SACKed
//! before the ACK that covers them do not count again, and the ACK that ends a fast recovery
//! counts.

use airtcp_units::Nanos;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::window::by_window;
use super::{
    AckSample, Additive, Congestion, CongestionControl, CongestionKind, Growth, LawParams,
    LawRules, LawTable, Promises, Window,
};

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
    window: Window,
    increase: Additive,
}

impl Reno {
    /// A law that waits for [`CongestionControl::start`].
    pub fn new(config: &RenoConfig) -> Self {
        Self { window: Window::default(), increase: Additive::new(config.growth) }
    }
}

impl CongestionControl for Reno {
    fn start(&mut self, _: Nanos, params: &LawParams) {
        self.window = Window::new(params, false);
        self.increase.reset();
    }

    #[inline]
    fn on_ack(&mut self, _: Nanos, ack: &AckSample) {
        let rules = self.window.params().rules;
        if ack.acked == 0 || ack.is_recovering(rules) || self.window.on_slow_start_ack(ack) {
            return;
        }
        if ack.cwnd_limited && !ack.ece {
            let linux = rules == LawRules::Linux;
            let bytes = if linux { ack.delivered } else { ack.acked };
            self.increase.on_ack(bytes, &mut self.window);
        }
    }

    fn on_congestion(&mut self, _: Nanos, c: &Congestion) {
        let base = match c.kind {
            // RFC 3168 section 6.1.2: half of the window.
            CongestionKind::EcnCe => self.window.cwnd(),
            _ if self.window.params().half_of_cwnd => self.window.cwnd(),
            // RFC 5681 equation 4 literally, even if more than the window is outstanding.
            _ => c.flight,
        };
        self.increase.reset();
        let unit = match self.window.params().rules {
            LawRules::Documents => 1,
            LawRules::Linux => self.window.mss(),
        };
        self.window.on_congestion(c, base / unit / 2 * unit);
    }

    fn promises(&self) -> Promises {
        Promises { bounded_by_window: false, ..Promises::default() }
    }

    by_window!(and undo and pause);
}

#[cfg(test)]
mod tests {
    use airtcp_units::Narrow;

    use super::*;

    const MSS: u64 = 1000;

    /// A law with a window of `segments` in congestion avoidance.
    fn avoiding(rules: LawRules, segments: u64) -> Reno {
        let params = LawParams {
            mss: u32::narrow(MSS),
            initial_window: segments * MSS,
            initial_ssthresh: segments * MSS,
            half_of_cwnd: true,
            rules,
            ..LawParams::default()
        };
        let mut law = Reno::new(&RenoConfig { growth: Growth::Bytes });
        law.start(Nanos::ZERO, &params);
        law
    }

    fn window(law: &Reno) -> u64 {
        law.window.cwnd()
    }

    /// Half of five segments.
    #[test]
    fn linux_halves_whole_segments() {
        for (rules, half) in [(LawRules::Documents, 2500), (LawRules::Linux, 2000)] {
            let mut law = avoiding(rules, 5);
            let kind = CongestionKind::FastRetransmit;
            law.on_congestion(Nanos::ZERO, &Congestion { kind, flight: 5 * MSS, restart: false });
            assert_eq!((window(&law), law.window.ssthresh()), (half, half), "{rules:?}");
        }
    }

    /// An ACK of four segments, two of them SACKed before, ends a recovery at a window of two.
    #[test]
    fn linux_counts_the_ack_that_ends_a_recovery() {
        let ack = AckSample {
            acked: 4 * MSS,
            delivered: 2 * MSS,
            cwnd_limited: true,
            in_fast_recovery: true,
            ends_recovery: true,
            ..AckSample::default()
        };
        let after = |rules, ack| {
            let mut law = avoiding(rules, 2);
            law.on_ack(Nanos::ZERO, &ack);
            window(&law) / MSS
        };
        assert_eq!(after(LawRules::Documents, ack), 2);
        assert_eq!(after(LawRules::Linux, ack), 3);
        assert_eq!(after(LawRules::Linux, AckSample { delivered: MSS, ..ack }), 2, "half of it");
        assert_eq!(after(LawRules::Linux, AckSample { ends_recovery: false, ..ack }), 2);
    }
}

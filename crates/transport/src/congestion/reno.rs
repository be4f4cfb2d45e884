//! Reno's law: slow start, congestion avoidance and halving, RFC 5681 section 3.1.
//!
//! The same law stands under Tahoe, Reno, NewReno and SACK: they differ in loss recovery only
//! (see [`crate::tcp::Recovery`]). ECN reaction: RFC 3168 section 6.1.2. Bytes.

use airtcp_units::Nanos;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::window::by_window;
use super::{
    AckSample, Additive, Congestion, CongestionControl, CongestionKind, Growth, LawParams,
    LawTable, Promises, Window,
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
        if ack.acked == 0 || ack.in_fast_recovery || self.window.on_slow_start_ack(ack) {
            return;
        }
        if ack.cwnd_limited && !ack.ece {
            self.increase.on_ack(ack.acked, &mut self.window);
        }
    }

    fn on_congestion(&mut self, _: Nanos, c: &Congestion) {
        let base = match c.kind {
            // RFC 3168 section 6.1.2: half of the window.
            CongestionKind::EcnCe => self.window.cwnd(),
            _ if self.window.params().half_of_cwnd => self.window.cwnd(),
            // The letter of RFC 5681 equation 4, also where more than the window is outstanding.
            _ => c.flight,
        };
        self.increase.reset();
        self.window.on_congestion(c, base / 2);
    }

    fn promises(&self) -> Promises {
        Promises { bounded_by_window: false, ..Promises::default() }
    }

    by_window!(and undo and pause);
}

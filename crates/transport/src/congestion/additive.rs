//! Additive increase: about one segment per round trip.
//!
//! RFC 5681 equation 3, `cwnd += MSS*MSS/cwnd` per ACK, or RFC 3465 section 2.1, one segment per
//! window of acknowledged bytes. The remainder of the division is carried, so that W segments
//! grow by one in W acknowledgements exactly as with real numbers. Bytes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Window;

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

/// Additive increase of a window.
#[derive(Debug, Clone, Copy, Default)]
pub struct Additive {
    growth: Growth,
    /// Growth earned but not yet given, in byte-bytes: the fraction of `MSS*MSS/cwnd` that
    /// integer division would lose, or bytes acknowledged times MSS.
    credit: u64,
}

impl Additive {
    /// With nothing earned.
    pub const fn new(growth: Growth) -> Self {
        Self { growth, credit: 0 }
    }

    /// Forgets what was earned: the window was reduced.
    pub const fn reset(&mut self) {
        self.credit = 0;
    }

    /// An ACK of `acked` new bytes.
    #[inline]
    pub fn on_ack(&mut self, acked: u64, window: &mut Window) {
        let (mss, cwnd) = (window.mss(), window.cwnd());
        let earned = match self.growth {
            Growth::PerAck => mss,
            Growth::Bytes => acked,
        };
        self.credit = self.credit.saturating_add(earned.saturating_mul(mss));
        match self.growth {
            Growth::PerAck => {
                let grown = cwnd + self.credit / cwnd;
                self.credit %= grown;
                window.set_cwnd(grown);
            }
            // A whole segment once a whole window was acknowledged.
            Growth::Bytes => {
                let whole = cwnd.saturating_mul(mss);
                if self.credit >= whole {
                    self.credit -= whole;
                    window.set_cwnd(cwnd + mss);
                }
            }
        }
    }
}

//! Slow start of all laws: the standard one and HyStart++.
//!
//! Standard (RFC 5681 equation 2 with the limit of RFC 3465 section 2.3): each ACK of `N` new bytes
//! gives `cwnd += min(N, L MSS)` with `L` = [`LawParams::abc_limit`]. `N` counts only bytes that
//! arrived with the ACK, but at least one segment. An ACK that fills a hole covers bytes that were
//! SACKed long before; with a high `L` they would cause a burst. Linux also counts newly delivered
//! bytes.
//!
//! HyStart++ (RFC 9406 section 4.2) also watches the smallest round-trip time of each round. A
//! round ends when the data sent before its beginning is acknowledged. If a round has
//! [`N_RTT_SAMPLE`] samples and its minimum is `max(4 ms, min(last minimum / 8, 16 ms))` above that
//! of the previous round, slow start becomes conservative: `cwnd += min(N, L MSS) / 4`. It becomes
//! standard again if the minimum of a later round falls below the one that ended it. After five
//! conservative rounds it ends with `ssthresh = cwnd`. `L` is 8, or unlimited if the law paces
//! (section 4.3).
//!
//! HyStart++ applies to the first slow start of a connection only (section 4.3: SHOULD). Later ones
//! have a threshold and are standard. Leaves out: HyStart++ after a long idle time (a MAY). Bytes
//! and nanoseconds.

mod kind;

use airtcp_units::Span;

pub use self::kind::SlowStartKind;
use super::{AckSample, LawParams};

/// Minimum rise of the round-trip time that can end slow start (RFC 9406 section 4.3).
pub const MIN_RTT_THRESH: Span = Span::from_millis(4);
/// A rise of this much always ends slow start (RFC 9406 section 4.3).
pub const MAX_RTT_THRESH: Span = Span::from_millis(16);
/// Between these bounds, the required rise is this fraction of the last round's minimum
/// (RFC 9406 section 4.3).
pub const MIN_RTT_DIVISOR: u64 = 8;
/// Samples that a round needs before its minimum counts (RFC 9406 section 4.3).
pub const N_RTT_SAMPLE: u32 = 8;
/// Divisor of the growth in conservative slow start (RFC 9406 section 4.3).
pub const CSS_GROWTH_DIVISOR: u64 = 4;
/// Rounds of conservative slow start, including the one in which it begins (RFC 9406 section 4.3).
pub const CSS_ROUNDS: u32 = 5;
/// Segments by which one ACK may raise the window without pacing, HyStart++'s `L`
/// (RFC 9406 section 4.3).
pub const UNPACED_LIMIT: u64 = 8;

/// Effect of an ACK in slow start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Bytes by which the window grows.
    pub grow: u64,
    /// Slow start is over: after the growth, the threshold becomes the window.
    pub leave: bool,
}

/// The slow start of a connection.
#[derive(Debug, Clone, Copy)]
pub struct SlowStart {
    mss: u64,
    /// Bytes by which one ACK may raise the window in standard slow start.
    limit: u64,
    /// The same limit in HyStart++.
    hystart_limit: u64,
    hystart: Option<HyStart>,
}

#[derive(Debug, Clone, Copy, Default)]
struct HyStart {
    /// The round ends when this offset is acknowledged (RFC 9406 `windowEnd`).
    window_end: Option<u64>,
    last_min: Option<Span>,
    current_min: Option<Span>,
    samples: u32,
    conservative: Option<Conservative>,
}

#[derive(Debug, Clone, Copy)]
struct Conservative {
    /// Minimum that ended standard slow start (RFC 9406 `cssBaselineMinRtt`).
    baseline: Span,
    /// Number of conservative rounds that have ended.
    rounds: u32,
}

impl SlowStart {
    /// The slow start that `params` select; `paced` if the law gives a pacing rate.
    pub fn new(params: &LawParams, paced: bool) -> Self {
        let mss = u64::from(params.mss.max(1));
        let first = params.slow_start == SlowStartKind::HyStartPlusPlus;
        Self {
            mss,
            limit: mss.saturating_mul(u64::from(params.abc_limit)),
            hystart_limit: if paced { u64::MAX } else { mss * UNPACED_LIMIT },
            hystart: first.then(HyStart::default),
        }
    }

    /// An ACK of new data while the window is below the threshold. Without
    /// [`AckSample::cwnd_limited`], or with the echo of a mark, rounds are watched but the window
    /// does not grow.
    #[inline]
    pub fn on_ack(&mut self, ack: &AckSample) -> Step {
        let acked = if ack.cwnd_limited && !ack.ece { ack.acked } else { 0 };
        let Some(hystart) = &mut self.hystart else {
            let fresh = acked.min(ack.newly_arrived(self.mss));
            return Step { grow: fresh.min(self.limit), leave: false };
        };
        let divisor = if hystart.conservative.is_some() { CSS_GROWTH_DIVISOR } else { 1 };
        let grow = acked.min(self.hystart_limit) / divisor;
        let leave = hystart.watch(ack);
        if leave {
            self.hystart = None;
        }
        Step { grow, leave }
    }

    /// A congestion episode began: the first slow start is over.
    pub const fn on_congestion(&mut self) {
        self.hystart = None;
    }

    /// True in the conservative phase of HyStart++.
    pub fn is_conservative(&self) -> bool {
        self.hystart.is_some_and(|h| h.conservative.is_some())
    }
}

impl HyStart {
    /// Takes the round-trip time of an ACK. Returns whether slow start is over.
    fn watch(&mut self, ack: &AckSample) -> bool {
        let end = *self.window_end.get_or_insert(ack.sent_up_to);
        if let Some(rtt) = ack.rtt {
            self.current_min = Some(self.current_min.map_or(rtt, |m| m.min(rtt)));
            self.samples = self.samples.saturating_add(1);
        }
        if let Some(current) = self.current_min.filter(|_| self.samples >= N_RTT_SAMPLE) {
            match (self.conservative, self.last_min) {
                (None, Some(last)) if current >= last + threshold(last) => {
                    self.conservative = Some(Conservative { baseline: current, rounds: 0 });
                }
                (Some(c), _) if current < c.baseline => self.conservative = None,
                _ => {}
            }
        }
        if ack.acked_up_to < end {
            return false;
        }
        self.window_end = Some(ack.sent_up_to);
        self.last_min = self.current_min.take();
        self.samples = 0;
        // The round in which the phase began counts.
        self.conservative.as_mut().is_some_and(|c| {
            c.rounds += 1;
            c.rounds >= CSS_ROUNDS
        })
    }
}

/// RFC 9406 `RttThresh`.
fn threshold(last: Span) -> Span {
    Span(last.0 / MIN_RTT_DIVISOR).min(MAX_RTT_THRESH).max(MIN_RTT_THRESH)
}

#[cfg(test)]
mod tests;

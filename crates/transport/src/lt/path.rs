//! The path's own loss rate if marks are not reliable, and losses beyond it, which show that a
//! queue overflows. This is ours, not the papers'.
//!
//! The base learns only from small windows while no queue stands, as an average over up to `MEMORY`
//! segments:
//!
//! ```text
//! small:   W <= SMALL R RTT_min, not in slow start; or W <= 2 segments of the law, its minimum,
//!          and 3 if W <= BEYOND R RTT_min
//! stands:  SRTT - RTT_min >= max(min(queue_floor, RTT_min / 8), STANDS (SRTT_max - RTT_min)), once since the block began
//! ```
//!
//! R is the maximum arrival rate over the last `ROUNDS` to twice as many round trips. A window
//! within R RTT_min fits the path without a queue if it leaves evenly, which is why small windows
//! are paced. In slow start, data leaves in bursts at twice the rate, and a short queue loses half
//! of it at any window. A block waits until a later rate shows it to be small. The base also
//! follows a loss rate well below itself at any window, since a queue only adds losses.
//!
//! Until `MIN_KNOWN_SEGMENTS` segments are known, every loss counts as an overflow, as in TCP. The
//! window then falls until it is small, and either nothing is lost or the base learns. From then on
//! losses are compared with the base ([`super::base`]). If no small window confirms the base for
//! `CONFIRMATION_TIME` and `MEMORY` segments, it loses the share `UNCONFIRMED_LOSS_REDUCTION` of
//! its losses.
//!
//! Shares of segments, windows in bytes. Losses that queues of other flows cause without measurable
//! delay become part of the base.

use airtcp_units::{Nanos, Saturate, Span};

use super::base::{Base, MEMORY, Share};
use super::recent_max::RecentMax;

/// Maximum size of a small window, as a share of what the path carries in the minimum round-trip
/// time.
const SMALL: f64 = 0.9;

/// The same bound for a window near the law's minimum, which has no smaller window to compare with.
const BEYOND: f64 = 1.25;

/// The law's minimum window (RFC 5681 section 3.1), and the bound of windows near it, in segments.
const LEAST: u64 = 2;
const NEAR: u64 = 3;

/// Share of the range of smoothed round-trip times from which a queue stands.
const STANDS: f64 = 0.25;

/// Divisor of the minimum round-trip time: the shortest queue that counts.
const MIN_QUEUE: u64 = 8;

/// Time for which round-trip times are kept: between this and twice this.
const INTERVAL: Span = Span::from_secs(10);

/// Number of round trips over which rates are kept: between this and twice this.
const ROUNDS: u32 = 64;

/// Number of segments from which the base counts.
const MIN_KNOWN_SEGMENTS: f64 = 48.0;

/// Time for which the base counts without confirmation, and the share of losses removed after it.
const CONFIRMATION_TIME: Span = Span::from_secs(10);
const UNCONFIRMED_LOSS_REDUCTION: f64 = 0.3;

/// Outcome of a block's first segments.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    pub(crate) lost: u16,
    pub(crate) sent: u16,
    /// Window for which the block was made, in bytes, and the time of its beginning.
    pub(crate) window: u64,
    pub(crate) begun: Nanos,
    /// The law is in slow start.
    pub(crate) starting: bool,
}

/// The base, and the state compared with it.
#[derive(Debug, Clone, Default)]
pub(crate) struct PathLoss {
    base: Base,
    /// Rates of arrival in bytes per second.
    rates: RecentMax<f64>,
    rounds: u32,
    /// Beginning of the present round, and bytes that had arrived by then.
    round: Option<(Nanos, u64)>,
    least_rtt: Span,
    /// Smoothed round-trip times.
    longest: RecentMax<Span>,
    since: Nanos,
    /// Time at which a queue last stood.
    stood: Option<Nanos>,
    confirmed: Nanos,
    unconfirmed: f64,
}

impl PathLoss {
    /// Takes a smoothed round-trip time and the minimum; `floor` is the shortest queue that counts.
    #[inline]
    pub(crate) fn on_rtt(&mut self, now: Nanos, smoothed: Span, least: Span, floor: Span) {
        if now.since(self.since) >= INTERVAL {
            self.longest.turn();
            self.since = now;
        }
        self.longest.take(smoothed);
        self.least_rtt = least;
        let range = self.longest.get().saturating_sub(least);
        let share = Span(u64::saturate(range.0 as f64 * STANDS));
        if smoothed.saturating_sub(least) >= share.max(floor.min(least / MIN_QUEUE)) {
            self.stood = Some(now);
        }
    }

    /// `arrived` bytes have arrived in total; a round lasts at least a smoothed round-trip time.
    pub(crate) fn on_arrived(&mut self, now: Nanos, arrived: u64, smoothed: Span) {
        let Some((began, before)) = self.round else {
            self.round = Some((now, arrived));
            return;
        };
        let time = now.since(began);
        if time < smoothed || time == Span::ZERO {
            return;
        }
        self.round = Some((now, arrived));
        self.rounds += 1;
        if self.rounds > ROUNDS {
            self.rounds = 1;
            self.rates.turn();
        }
        self.rates.take(arrived.saturating_sub(before) as f64 / time.as_secs_f64());
    }

    /// Bytes that the path carries in the minimum round-trip time.
    fn carried(&self) -> f64 {
        self.rates.get() * self.least_rtt.as_secs_f64()
    }

    /// True if the window is near the law's minimum for such segments, and not shown to be too
    /// large.
    fn is_least(&self, window: u64, segment: u64) -> bool {
        let near = window <= NEAR * segment && window as f64 <= BEYOND * self.carried();
        window <= LEAST * segment || near
    }

    /// Takes a sample; `segment` is the law's segment in bytes. Returns whether more was lost than
    /// the path itself loses.
    pub(crate) fn sample(&mut self, now: Nanos, of: &Sample, segment: u64) -> bool {
        if of.sent == 0 {
            return false;
        }
        let block = Share::of_block(f64::from(of.lost.min(of.sent)), f64::from(of.sent));
        self.base.take(block);
        self.unconfirmed += block.sent();
        let calm = self.stood.is_none_or(|at| at < of.begun);
        let most = SMALL * self.carried();
        let small = self.is_least(of.window, segment) || (of.window as f64 <= most && !of.starting);
        let known = self.base.known().sent() >= MIN_KNOWN_SEGMENTS;
        let more =
            if known { self.base.is_exceeded(block) } else { of.lost > 0 && !(small && calm) };
        if (known && self.base.is_above_recent()) || (small && calm) {
            self.base.learn(block);
            self.confirm(now);
        } else if calm && !of.starting {
            self.base.wait(of.window, block);
        }
        // Rates measured since may show windows to be small.
        if self.base.learn_small(most) {
            self.confirm(now);
        }
        if now.since(self.confirmed) > CONFIRMATION_TIME && self.unconfirmed > MEMORY {
            self.base.reduce_losses(UNCONFIRMED_LOSS_REDUCTION);
            self.confirm(now);
        }
        more
    }

    fn confirm(&mut self, now: Nanos) {
        self.confirmed = now;
        self.unconfirmed = 0.0;
    }

    /// The sender reported congestion to the law.
    pub(crate) fn on_reaction(&mut self) {
        self.base.on_reaction();
    }
}

#[cfg(test)]
mod tests;

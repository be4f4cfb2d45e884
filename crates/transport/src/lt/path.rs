//! What the path loses by itself, where marks cannot be relied on, and what is lost beyond it: a queue
//! that overflows, ours or everybody's. Ours, not the papers'.
//!
//! The base is learned from small windows alone while no queue stands, an average over up to `MEMORY`
//! segments:
//!
//! ```text
//! small:   W <= SMALL R RTT_min, not in slow start; or W <= 2 segments of the law, the least it can be,
//!          and 3 if W <= BEYOND R RTT_min
//! stands:  SRTT - RTT_min >= max(min(queue_floor, RTT_min / 8), STANDS (SRTT_max - RTT_min)), once since the block began
//! ```
//!
//! R is the greatest rate at which data arrived, over `ROUNDS` to twice as many round trips: a window
//! within R RTT_min fits the path without a queue, if it leaves evenly (which is why small ones are paced). In slow
//! start data leave at twice the rate, in bursts; a short queue loses half of these whatever the window. A
//! block waits to be shown small by a rate that is found soon after. From what lies well below it
//! the base learns at any window, as a queue only adds to losses.
//!
//! Until `ENOUGH` segments are known every loss counts as an overflow, as for TCP: the window falls until it is
//! small, and then either nothing is lost or the base is learned. From then on losses are held against it ([`super::base`]). A base that
//! no small window confirms for `BELIEVED` and `MEMORY` segments loses `FORGOTTEN` of itself.
//!
//! Shares of segments, windows in bytes. Leaves out losses that others' queue causes in moments without
//! delay: they become part of the base.

use airtcp_units::{Nanos, Saturate, Span};

use super::base::{Base, MEMORY, Share};
use super::greatest::Greatest;

/// What a small window is at most of what the path carries in the least round trip.
const SMALL: f64 = 0.9;

/// The same for a window near the law's least, which small ones cannot be compared with.
const BEYOND: f64 = 1.25;

/// The law's least window (RFC 5681 section 3.1), and what counts as near to it, in segments.
const LEAST: u64 = 2;
const NEAR: u64 = 3;

/// Share of the range of smoothed round trips from which on a queue stands.
const STANDS: f64 = 0.25;

/// The least queue that counts, as a part of the least round trip.
const MIN_QUEUE: u64 = 8;

/// How long round trips are remembered, once or twice that.
const INTERVAL: Span = Span::from_secs(10);

/// Round trips over which rates are remembered, at least, and half of the most.
const ROUNDS: u32 = 64;

/// Segments from which on the base is believed.
const ENOUGH: f64 = 48.0;

/// How long it is believed without being confirmed, and what is forgotten then.
const BELIEVED: Span = Span::from_secs(10);
const FORGOTTEN: f64 = 0.3;

/// What became of a block's first segments.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    pub(crate) lost: u16,
    pub(crate) sent: u16,
    /// Window it was made for, in bytes, and when.
    pub(crate) window: u64,
    pub(crate) begun: Nanos,
    /// The law is in slow start.
    pub(crate) starting: bool,
}

/// The base, and what is held against it.
#[derive(Debug, Clone, Default)]
pub(crate) struct PathLoss {
    base: Base,
    /// Rates of arrival in bytes per second.
    rates: Greatest<f64>,
    rounds: u32,
    /// When the present round began, and bytes that had arrived.
    round: Option<(Nanos, u64)>,
    least_rtt: Span,
    /// Smoothed round trips.
    longest: Greatest<Span>,
    since: Nanos,
    /// When a queue last stood.
    stood: Option<Nanos>,
    confirmed: Nanos,
    unconfirmed: f64,
}

impl PathLoss {
    /// A smoothed round trip, with the least one; `floor` is the least queue that counts.
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

    /// So many bytes have arrived in all; a round lasts a smoothed round trip at least.
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

    /// Bytes that the path carries in the least round trip.
    fn carried(&self) -> f64 {
        self.rates.get() * self.least_rtt.as_secs_f64()
    }

    /// The window is near the least of a law with such segments, and not shown to be too large.
    fn is_least(&self, window: u64, segment: u64) -> bool {
        let near = window <= NEAR * segment && window as f64 <= BEYOND * self.carried();
        window <= LEAST * segment || near
    }

    /// Takes a sample; `segment` is the law's segment in bytes. True if more was lost than the path
    /// loses.
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
        let known = self.base.known().sent() >= ENOUGH;
        let more =
            if known { self.base.is_exceeded(block) } else { of.lost > 0 && !(small && calm) };
        if (known && self.base.is_above_recent()) || (small && calm) {
            self.base.learn(block);
            self.confirm(now);
        } else if calm && !of.starting {
            self.base.wait(of.window, block);
        }
        // Rates that were found since may show windows to be small.
        if self.base.learn_small(most) {
            self.confirm(now);
        }
        if now.since(self.confirmed) > BELIEVED && self.unconfirmed > MEMORY {
            self.base.forgive(FORGOTTEN);
            self.confirm(now);
        }
        more
    }

    fn confirm(&mut self, now: Nanos) {
        self.confirmed = now;
        self.unconfirmed = 0.0;
    }

    /// The law was told of congestion.
    pub(crate) fn on_reaction(&mut self) {
        self.base.on_reaction();
    }
}

#[cfg(test)]
mod tests;

//! What the path shows: round-trip times, and the time of a packet at the bottleneck.
//!
//! - *base*: the least round-trip time of 10 to 20 s (60 to 120 s while another flow's queue hides it).
//! - *low*: the same for the mean of a round. It is the base, or where the path jitters the least mean of
//!   a round, at most 1.5 spreads above the base. The spread is the median of a round's mean beyond its least.
//! - *jitter*: what twice the median change of the mean from round to round exceeds half of the configured
//!   queue by.
//! - *range*: the least and the greatest round-trip time of 10 to 20 s.
//!
//! Medians are tracked by steps of equal size up and down.

use airtcp_units::{Nanos, Span};

/// Time for which base and range are kept, and for which the base is while another flow's queue hides it.
pub(super) const BASE_MEMORY: Span = Span::from_secs(10);
pub(super) const BASE_MEMORY_SHARED: Span = Span::from_secs(60);
/// Number of samples that all show a short queue, or whose minimum can end the startup.
pub(super) const RECENT: usize = 4;
/// Maximum of the mean round-trip time without a queue beyond the minimum: over the spread of a round.
const MAX_FLOOR: f64 = 1.5;
/// Steps of the median change of the round-trip time, per configured queue.
const CHANGE_STEPS: f64 = 32.0;
/// Slots in all of which the minimum round-trip time rises if another flow fills the queue slowly.
const SLOTS: usize = 5;
const SLOT: Span = Span::from_secs(3);
/// Share of the window that remains in each slot if it yields to such a flow: an equal flow of this transport takes
/// its share sooner.
const FALL: f64 = 0.975;
/// Maximum of our queue, and of the jitter, as a multiple of the configured delay.
pub(super) const MAX_QUEUE_FACTOR: u64 = 4;
/// Divisor of the first round-trip time that gives its initial deviation.
const FIRST_DEVIATION: u64 = 8;
/// Round-trip time for rates before the first sample.
const DEFAULT_RTT: Span = Span::from_millis(100);

/// Samples of the round-trip time.
#[derive(Debug)]
pub(super) struct RoundTrips {
    /// The configured queue.
    queue: Span,
    /// Minima of the present and the previous period.
    base: [Option<Span>; 2],
    base_since: Nanos,
    /// Minimum mean of a round in the periods of `base`.
    floor: [Option<Span>; 2],
    /// Minima and maxima of the present and the previous ten seconds.
    range: [Option<(Span, Span)>; 2],
    range_since: Nanos,
    /// Minimum of this slot and of the last ones.
    slot: Option<Span>,
    slots: [Option<Span>; SLOTS],
    slot_since: Nanos,
    /// The window at the ends of the last slots.
    windows: [f64; SLOTS],
    /// The last mean of a round, the median change from round to round, and the median of a round's mean
    /// beyond its minimum, in seconds.
    mean: Option<Span>,
    change: f64,
    spread: f64,
    /// Round-trip time of the opening, while it is kept: its packets are shorter.
    opening: Option<Span>,
    smoothed: Option<(Span, Span)>,
    latest: Span,
    recent: [Span; RECENT],
    samples: usize,
    round_least: Option<Span>,
    round_sum: f64,
    round_count: f64,
    /// Packets per second through the bottleneck, the maximum so far.
    fastest: f64,
}

impl RoundTrips {
    pub(super) fn new(queue: Span) -> Self {
        Self {
            queue,
            base: [None; 2],
            base_since: Nanos::ZERO,
            floor: [None; 2],
            range: [None; 2],
            range_since: Nanos::ZERO,
            slot: None,
            slots: [None; SLOTS],
            slot_since: Nanos::ZERO,
            windows: [0.0; SLOTS],
            mean: None,
            change: 0.0,
            spread: 0.0,
            opening: None,
            smoothed: None,
            latest: Span::ZERO,
            recent: [Span::MAX; RECENT],
            samples: 0,
            round_least: None,
            round_sum: 0.0,
            round_count: 0.0,
            fastest: 0.0,
        }
    }

    pub(super) fn on_opening(&mut self, rtt: Span) {
        self.smoothed = Some((rtt, rtt / FIRST_DEVIATION));
        self.opening = Some(rtt);
        self.latest = rtt;
    }

    /// A sample; the base is kept for `memory`. Returns whether it is below the base.
    pub(super) fn on_sample(&mut self, now: Nanos, rtt: Span, memory: Span) -> bool {
        let (srtt, deviation) = match self.smoothed {
            Some((srtt, deviation)) => {
                let error = Span(srtt.0.abs_diff(rtt.0));
                ((srtt * 7 + rtt) / 8, (deviation * 3 + error) / 4)
            }
            // An opening does not show deviations. Half, as in RFC 6298, is for paths on which a
            // timeout costs the window.
            None => (rtt, rtt / FIRST_DEVIATION),
        };
        self.smoothed = Some((srtt, deviation));
        self.latest = rtt;
        if now.since(self.base_since) >= memory {
            let base = self.base();
            self.base = [None, self.opening.take().map_or(self.base[0], |_| Some(base))];
            self.floor = [None, self.floor[0]];
            self.base_since = now;
        }
        if now.since(self.range_since) >= BASE_MEMORY {
            self.range = [None, self.range[0]];
            self.range_since = now;
        }
        let below = rtt < self.base();
        let least = |old: Option<Span>| Some(old.map_or(rtt, |o| o.min(rtt)));
        self.base[0] = least(self.base[0]);
        self.range[0] = Some(self.range[0].map_or((rtt, rtt), |r| (r.0.min(rtt), r.1.max(rtt))));
        self.round_least = least(self.round_least);
        self.slot = least(self.slot);
        self.round_sum += rtt.as_secs_f64();
        self.round_count += 1.0;
        self.recent[self.samples % RECENT] = rtt;
        self.samples += 1;
        below
    }

    /// A round trip is over. Returns its mean; `None` without a sample.
    pub(super) fn on_round(&mut self) -> Option<Span> {
        let least = self.round_least.take()?;
        let (sum, count) =
            (std::mem::take(&mut self.round_sum), std::mem::take(&mut self.round_count));
        let mean = Span::from_secs_f64(sum / count.max(1.0)).max(least);
        let spread = mean.saturating_sub(least).as_secs_f64();
        let step = self.queue.as_secs_f64() / CHANGE_STEPS;
        let track =
            |median: f64, x: f64| (if x > median { median + step } else { median - step }).max(0.0);
        self.spread = track(self.spread, spread);
        self.floor[0] = Some(self.floor[0].map_or(mean, |f| f.min(mean)));
        if let Some(last) = self.mean.replace(mean) {
            self.change = track(self.change, Span(mean.0.abs_diff(last.0)).as_secs_f64());
        }
        Some(mean)
    }

    /// Discards the samples of this round.
    pub(super) const fn restart_round(&mut self) {
        self.round_least = None;
    }

    /// `rate` packets per second passed the bottleneck.
    #[inline]
    pub(super) fn on_passed(&mut self, rate: f64) {
        self.fastest = self.fastest.max(rate);
    }

    /// The last sample.
    #[inline]
    pub(super) const fn latest(&self) -> Span {
        self.latest
    }

    pub(super) const fn samples(&self) -> usize {
        self.samples
    }

    #[inline]
    pub(super) fn smoothed(&self) -> Span {
        self.smoothed.map_or(DEFAULT_RTT, |s| s.0)
    }

    /// Maximum time for an answer: smoothed round-trip time and four deviations.
    #[inline]
    pub(super) fn answer_time(&self) -> Span {
        let (srtt, deviation) = self.smoothed.unwrap_or((DEFAULT_RTT, DEFAULT_RTT / 2));
        srtt + (deviation * 4).max(Span::from_millis(2))
    }

    /// Time of this number of packets at the bottleneck.
    pub(super) fn packets(&self, number: f64) -> Span {
        Span::from_secs_f64(number / self.fastest.max(1.0))
    }

    #[inline]
    pub(super) fn base(&self) -> Span {
        let opening = self.opening.map(|o| o + self.packets(1.0).min(self.queue * 4));
        let least = self.base.iter().flatten().copied().chain(opening).min();
        least.unwrap_or_else(|| self.smoothed())
    }

    pub(super) fn range(&self) -> (Span, Span) {
        let all = self.range.iter().flatten();
        all.copied()
            .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
            .unwrap_or((self.latest, self.latest))
    }

    /// Jitter of a round's mean: what it varies by without a queue.
    pub(super) fn jitter(&self) -> Span {
        let most = self.queue * MAX_QUEUE_FACTOR;
        Span::from_secs_f64(2.0 * self.change).saturating_sub(self.queue / 2).min(most)
    }

    /// Round-trip time without a queue, of the mean of a round.
    pub(super) fn low(&self) -> Span {
        let base = self.base();
        let floor = self.floor.iter().flatten().copied().min().unwrap_or(base);
        base + floor.saturating_sub(base).min(Span::from_secs_f64(MAX_FLOOR * self.spread))
    }

    /// Minimum and maximum of the latest samples; the longest time for a missing one.
    pub(super) fn recent(&self) -> (Span, Span) {
        let least = self.recent.iter().min().copied().unwrap_or(Span::MAX);
        let most = self.recent.iter().max().copied().unwrap_or(Span::MAX);
        (least, most)
    }

    /// Another flow fills the queue slowly. Either the least round-trip time has risen for a while, although this
    /// window does not grow: the base follows, and the first of these times is the base. Or the window has fallen
    /// for as long, and keeps the queue from growing.
    pub(super) fn rises(&mut self, now: Nanos, window: f64) -> bool {
        if now.since(self.slot_since) < SLOT {
            return false;
        }
        self.slot_since = now;
        self.windows.rotate_left(1);
        self.windows[SLOTS - 1] = window;
        if self.windows.is_sorted_by(|a, b| *b < FALL * a) {
            return true;
        }
        self.slots.rotate_left(1);
        self.slots[SLOTS - 1] = self.slot.take();
        let each: Vec<Span> = self.slots.iter().flatten().copied().collect();
        let rises = each.len() == SLOTS
            && each.is_sorted_by(|a, b| a < b)
            && each[SLOTS - 1].saturating_sub(each[0]) > self.queue / 2;
        if rises {
            self.base[0] = Some(each[0]);
        }
        rises
    }

    /// Forgets the slots.
    pub(super) const fn restart_slots(&mut self) {
        self.slots = [None; SLOTS];
        self.windows = [0.0; SLOTS];
    }
}

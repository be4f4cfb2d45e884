//! The window: the maximum number of packets in flight. The round-trip time controls it, not
//! losses.
//!
//! A packet leaves the window when its fate is known, arrived or lost. Window over round-trip time
//! is therefore the rate into the bottleneck, at any loss rate behind it. There are three states:
//!
//! - *Startup* doubles per round trip until packets wait (by the minimum of a few samples), or
//!   until the arrivals have stopped growing for three rounds.
//! - *Alone*: `base` is the minimum round-trip time of the last 10 to 20 s and `rtt` the minimum of
//!   this round. Once per round, the window moves by a share of the distance to
//!   `window * base / rtt + alpha` (FAST TCP, Wei, Jin, Low and Hegde 2006): `alpha` packets stay in
//!   the queue. Rounds without a queue double the step.
//! - *Shared*: if a queue stands although the window shrinks, another flow fills it. Then the
//!   window competes as Reno does: a packet more per round trip, and half for a loss, at most once
//!   per round trip. Only losses count that coincide with a queue at least half as long as the
//!   longest seen; others are the link's.
//!
//! The window responds to marks (ECN) in each state, at most once per round trip. A mark ends the
//! startup and halves the window in *Shared*. In *Alone* it takes a fifth of the window, or as much
//! as empties the queue, up to half. The fifth mark in *Alone*, with less than ten seconds between
//! successive ones, belongs to another flow's queue.
//!
//! Every few seconds the window is lowered to `window * base / rtt` for two rounds, which drains
//! our own queue. This measures the base. In *Shared* it also shows whether another flow is still
//! there: if the queue is gone, it was ours. Windows in packets, times exact.

mod losses;
mod startup;

use airtcp_units::{Nanos, Saturate, Span};

use super::config::SlidingConfig;
use super::delivery_bound::DeliveryBound;
use super::loss_cusum::LossCusum;

/// Share of the distance to the target per round, up and down. Growth is careful, since its queue
/// shows a round later; a standing queue is removed at once.
const GAIN: f64 = 0.4;
const SHRINK: f64 = 0.8;
/// Rounds with a queue of other flows before the window competes.
const SHARED_AFTER_ROUNDS: u32 = 5;
const MIN_WINDOW: f64 = 2.0;
/// Number of samples whose minimum can end the startup.
const SAMPLES: usize = 4;
/// Time for which a base is kept: alone, and while another flow's queue hides it.
const BASE_MEMORY: Span = Span::from_secs(10);
const BASE_MEMORY_SHARED: Span = Span::from_secs(60);
/// Maximum of our queue as a multiple of `queue`, however slow the link seems.
const MAX_QUEUE_FACTOR: u64 = 4;
/// Maximum multiple of the step while there is no queue.
const MAX_BOOST: f64 = 64.0;
const MAX_BOOST_BURSTS: f64 = 4.0;
/// Number of flows for which an overflowing buffer should have room.
const MAX_SHARING_FLOWS: f64 = 8.0;
/// Pacing rate over window per round-trip time: the window is the limit, pacing only spreads.
const PACING: f64 = 1.05;
/// Divisor of the first round-trip time that gives its initial deviation.
const FIRST_DEVIATION: u64 = 8;
/// Factor on the probe interval in *Shared*, since each probe costs a part of our share.
const SHARED_PROBE_FACTOR: u64 = 4;
/// Maximum window as a multiple of the arrivals per round trip.
const MAX_WINDOW_OVER_ARRIVALS: f64 = 1.25;
/// Round-trip time for rates before the first sample.
const DEFAULT_RTT: Span = Span::from_millis(100);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    Startup,
    Alone,
    Shared,
}

/// The window and the measurements behind it.
#[derive(Debug)]
pub(crate) struct Control {
    config: SlidingConfig,
    window: f64,
    phase: Phase,
    /// Minimum round-trip times of the present and the previous period.
    base: [Option<Span>; 2],
    base_since: Nanos,
    /// Maximum queueing delays of the same periods.
    max_queue: [Span; 2],
    /// Round-trip time of the opening, while it is kept.
    opening: Option<Span>,
    /// No round-trip time was shorter than that of the opening: its packet met no queue.
    is_first: bool,
    smoothed: Option<(Span, Span)>,
    latest: Span,
    recent: [Span; SAMPLES],
    samples: usize,
    round_least: Option<Span>,
    round_most: Span,
    /// Packets per second through the bottleneck: the maximum of this round and of the last.
    passed: [f64; 2],
    /// The maximum so far.
    fastest: f64,
    arrived: u64,
    full: (f64, u32),
    /// Arrivals of the last startup round, if there was one.
    before: Option<f64>,
    /// The window when another flow's queue appeared, and the number of rounds for which it has
    /// stood.
    high: (f64, u32),
    /// Rounds in *Shared* without a queue.
    empty: u32,
    boost: f64,
    /// A probe: the window to return to and the rounds left.
    probe: Option<(f64, u32)>,
    next_probe: Nanos,
    shared: u64,
    reductions: u64,
    marks: u64,
    /// Number of recent responses to marks, and the time of the last.
    marked: (u32, Nanos),
    /// No further reduction for packets before this number.
    reduced_at: u64,
    delivery_bound: DeliveryBound,
    loss_cusum: LossCusum,
    /// Window and phase before a suspected overflow whose losses may be the link's.
    before_suspected_overflow: Option<(f64, Phase)>,
    /// Number of recent overflows, and the time of the last.
    overflows: (u32, Nanos),
    now: Nanos,
    probes: u64,
}

impl Control {
    pub(crate) fn new(config: &SlidingConfig) -> Self {
        Self {
            config: *config,
            window: f64::from(config.initial_window),
            phase: Phase::Startup,
            base: [None; 2],
            base_since: Nanos::ZERO,
            max_queue: [Span::ZERO; 2],
            opening: None,
            is_first: true,
            smoothed: None,
            latest: Span::ZERO,
            recent: [Span::MAX; SAMPLES],
            samples: 0,
            round_least: None,
            round_most: Span::ZERO,
            passed: [0.0; 2],
            fastest: 0.0,
            arrived: 0,
            full: (0.0, 0),
            before: None,
            high: (0.0, 0),
            empty: 0,
            boost: 1.0,
            probe: None,
            next_probe: Nanos::ZERO,
            shared: 0,
            reductions: 0,
            marks: 0,
            marked: (0, Nanos::ZERO),
            reduced_at: 0,
            delivery_bound: DeliveryBound::default(),
            loss_cusum: LossCusum::default(),
            before_suspected_overflow: None,
            overflows: (0, Nanos::ZERO),
            now: Nanos::ZERO,
            probes: 0,
        }
    }

    /// The window in packets.
    #[inline]
    pub(crate) fn window(&self) -> u64 {
        u64::saturate(self.window)
    }

    /// Number of times another flow was found, and of reductions for losses and for marks.
    pub(crate) const fn counts(&self) -> (u64, u64, u64) {
        (self.shared, self.reductions, self.marks)
    }

    /// The last round-trip time measured.
    #[inline]
    pub(crate) const fn latest(&self) -> Span {
        self.latest
    }

    #[inline]
    pub(crate) fn srtt(&self) -> Span {
        self.smoothed.map_or(DEFAULT_RTT, |s| s.0)
    }

    /// Maximum time for an answer: smoothed round-trip time and four deviations.
    #[inline]
    pub(crate) fn answer_time(&self) -> Span {
        let (srtt, deviation) = self.smoothed.unwrap_or((DEFAULT_RTT, DEFAULT_RTT / 2));
        srtt + (deviation * 4).max(Span::from_millis(2))
    }

    /// Time after which a packet is lost if later ones overtook it.
    #[inline]
    pub(crate) fn loss_delay(&self) -> Span {
        self.srtt().max(self.latest) * 9 / 8
    }

    #[inline]
    pub(crate) fn gap(&self) -> Span {
        let gain = if self.phase == Phase::Startup { 2.0 } else { PACING };
        Span::from_secs_f64(self.srtt().as_secs_f64() / (gain * self.window.max(1.0)))
    }

    #[inline]
    fn base(&self) -> Span {
        let opening = self.opening_base();
        let least = self.base.iter().flatten().copied().chain(opening).min();
        least.unwrap_or_else(|| self.srtt())
    }

    /// Number of packets kept in the queue.
    fn alpha(&self, rtt: Span) -> f64 {
        let rate = self.window / rtt.as_secs_f64().max(1e-9);
        let mut least = f64::from(self.config.queue_packets);
        if self.overflows.0 > 0 {
            // A buffer that overflows has little room: a share of the longest queue seen.
            let most = self.longest().as_secs_f64() * self.fastest;
            least = least.min(most / MAX_SHARING_FLOWS).max(1.0);
        }
        (rate * self.config.queue.as_secs_f64()).max(least)
    }

    /// The queue that we keep when alone; a shorter queue shows no other flow. It is longer on slow
    /// links, where a few packets take more time, as far as the rate of the link is known.
    fn low(&self) -> Span {
        let packets = f64::from(self.config.queue_packets) / self.fastest.max(1.0);
        self.config
            .queue
            .max(Span::from_secs_f64(packets).min(self.config.queue * MAX_QUEUE_FACTOR))
    }

    fn longest(&self) -> Span {
        self.max_queue[0].max(self.max_queue[1])
    }

    #[inline]
    pub(crate) fn on_rtt(&mut self, now: Nanos, rtt: Span, next: u64) {
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
        self.now = now;
        let memory = if self.phase == Phase::Shared { BASE_MEMORY_SHARED } else { BASE_MEMORY };
        self.is_first &= self.opening.is_some_and(|o| rtt >= o);
        if !self.is_first {
            self.loss_cusum.end_startup();
        }
        let base = self.base();
        if now.since(self.base_since) >= memory {
            self.base = [None, self.opening.take().map_or(self.base[0], |_| Some(base))];
            self.max_queue = [Span::ZERO, self.max_queue[0]];
            self.base_since = now;
        }
        // All flows that share a queue see it disappear, whoever filled it. They therefore schedule
        // their next probe for the same time, and the queue then drains completely.
        if self.phase == Phase::Alone && rtt < self.base() {
            self.next_probe = self.next_probe.max(now + self.config.probe_interval);
        }
        self.base[0] = Some(self.base[0].map_or(rtt, |b| b.min(rtt)));
        self.round_most = self.round_most.max(rtt);
        self.round_least = Some(self.round_least.map_or(rtt, |r| r.min(rtt)));
        let queue = rtt.saturating_sub(self.base());
        self.max_queue[0] = self.max_queue[0].max(queue);
        self.recent[self.samples % SAMPLES] = rtt;
        self.samples += 1;
        if self.phase == Phase::Startup && self.samples >= SAMPLES {
            let least = self.recent.iter().min().copied().unwrap_or(rtt);
            let base = self.base();
            if least.saturating_sub(base) > self.config.queue.max(base / 8) {
                self.on_startup_queue(now, next);
            }
        }
    }

    /// `rate` packets per second passed the bottleneck.
    #[inline]
    pub(crate) fn on_passed(&mut self, rate: f64) {
        self.passed[0] = self.passed[0].max(rate);
        self.fastest = self.fastest.max(rate);
    }

    /// A round trip is over: every packet in flight at its beginning is resolved.
    pub(crate) fn on_round(&mut self, now: Nanos, next: u64, limited: bool, dispersion: f64) {
        let Some(rtt) = self.round_least.take() else { return };
        let queue = rtt.saturating_sub(self.base());
        let arrived = self.arrived as f64;
        self.arrived = 0;
        self.prove(arrived, limited);
        self.loss_cusum.on_round(now, dispersion);
        if self.loss_cusum.bursts() && queue <= self.low() {
            self.restore_window();
        }
        let sampled = self.delivery_bound.on_round(now, limited, dispersion);
        if sampled && self.probe.is_none() && self.loss_cusum.bursts() {
            self.limit_to_arrivals(now, rtt, next);
        }
        if let Some((saved, left)) = self.probe {
            self.passed = [0.0, self.passed[0]];
            self.on_probe(now, rtt, queue, saved, left);
            return;
        }
        if sampled && !self.loss_cusum.bursts() {
            self.bound(rtt);
        }
        match self.phase {
            Phase::Startup => self.is_full(now, arrived, limited),
            Phase::Alone => self.alone(now, rtt, queue, limited),
            Phase::Shared => self.shared_round(queue),
        }
        self.passed = [0.0, self.passed[0]];
        if self.phase != Phase::Startup && now >= self.next_probe && self.probe.is_none() {
            self.probe = Some((self.window, 2));
            let base = self.base().as_secs_f64();
            let mut drained = self.window * base / rtt.as_secs_f64() - self.alpha(rtt) / 2.0;
            // Now and then the window is at most the arrivals: losses at that time are the link's.
            if self.probes.is_multiple_of(SHARED_PROBE_FACTOR)
                && self.delivery_bound.arriving() > 0.0
            {
                drained = drained.min(self.delivery_bound.arriving() * base);
            }
            self.probes += 1;
            self.window = drained.max(MIN_WINDOW);
        }
    }

    fn alone(&mut self, now: Nanos, rtt: Span, queue: Span, limited: bool) {
        let full = queue > self.full() && self.delivery_bound.lossy();
        if full || queue > self.config.shared_queue.max(self.low() * 3) {
            if self.high.1 == 0 {
                self.high.0 = self.window;
            }
            self.high.1 += 1;
            if self.high.1 >= SHARED_AFTER_ROUNDS {
                self.share(now);
                self.window = self.window.max(self.high.0);
                return;
            }
        } else {
            self.high.1 = 0;
        }
        let alpha = self.alpha(rtt);
        let target = self.window * self.base().as_secs_f64() / rtt.as_secs_f64() + alpha;
        if target < self.window {
            self.window += SHRINK * (target - self.window);
            self.boost = 1.0;
        } else if limited {
            // A quarter of the target queue counts as none. In bursts, many rounds have none by
            // chance.
            let most = if self.loss_cusum.bursts() { MAX_BOOST_BURSTS } else { MAX_BOOST };
            self.boost = if queue * 4 < self.low() { (self.boost * 2.0).min(most) } else { 1.0 };
            let step = GAIN * (target - self.window) * self.boost;
            self.window += step.min(self.window / 4.0);
        } else {
            self.boost = 1.0;
        }
        self.window = self.window.max(MIN_WINDOW);
    }

    /// Another flow fills the queue.
    fn share(&mut self, now: Nanos) {
        self.phase = Phase::Shared;
        self.next_probe = now + self.config.probe_interval;
        self.shared += 1;
        self.high.1 = 0;
        self.empty = 0;
    }

    fn on_probe(&mut self, now: Nanos, rtt: Span, queue: Span, saved: f64, left: u32) {
        if left > 1 {
            // Packets answered from now on left during the probe.
            self.delivery_bound.restart(now);
            self.probe = Some((saved, left - 1));
            return;
        }
        self.probe = None;
        self.loss_cusum.on_probed();
        let factor = if self.phase == Phase::Shared { SHARED_PROBE_FACTOR } else { 1 };
        self.next_probe = now + self.config.probe_interval * factor;
        let gone = queue <= self.low();
        if self.phase == Phase::Shared && gone {
            self.phase = Phase::Alone;
            self.window += self.alpha(rtt);
        } else {
            self.window = saved;
        }
    }
}

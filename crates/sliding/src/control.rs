//! The window: the maximum number of packets in flight, and below one packet a rate. The queue
//! controls it, not losses; losses count as far as the path does not explain them.
//!
//! ```text
//! base   least RTT of 10-20 s (Compete 60-120 s); low = base, or the least mean of a round if the RTT
//!        jitters: at most base + 1.5 spread, the median of a round's mean beyond its least
//! T      3 ms; a link known to be slow 2 packet times, at most 12 ms; after an overflow at most half of
//!        the range; and what twice the median change of a round's mean exceeds T/2 by
//! dq     mean RTT of a round - low
//! p      the path's own loss rate, by pairs (crate::loss_cusum)
//!
//! PAIRS     every 8th packet (Startup: every 2nd) and the next leave at the same instant. If the second
//!           arrived, the queue had room for the first: a lost first one was lost by the path.
//! STARTUP   feedback: w += min(resolved, 2 arrived);   round: w <= 3 arrived/(1-p)
//!           train of 10 answered: w = max(w, min(rate base/2, 8 arrived))
//!           leaves when the least of 4 RTTs > max(base, mean of the last round) + 2T: w = rate (low + T),
//!           or after 3 parts of 16 packets in which arrivals did not grow by 1/4                  -> DELAY
//! DELAY     round: aim = w' (low + T)/rtt + .15 sqrt(w), w' the window of the packets measured
//!           down by .8 (.4 below 4 packets) of the distance, up by .4 times a boost that doubles while
//!           dq < T/4, at most w/4
//!           leaves when dq > max(12 ms, 1.5 T) for 5 rounds; dq > 1.5 T until w is a quarter; the least
//!           RTT rose in 4 successive slots of 3 s by T/2 in total; or an overflow             -> COMPETE
//! COMPETE   CUBIC, C = .4, beta = .65, Reno region .34
//!           leaves after 10 s (doubling to 80 s) when a probe or 5 rounds show dq <= T          -> DELAY
//! OVERFLOW  losses beyond p, once per RTT: w x .65; x .5 below 4 packets and if not quiet. Where p > .005,
//!           or the queue is known and short, Delay needs 5 within 10 s of each other to leave
//! PROBE     every 5 s (Compete 20 s), two rounds at w (low - T/2)/rtt
//! SILENCE   probes one per max(answer time, gap); after as many as p explains, w x .5 each; half of the
//!           window before returns with the first answer
//! ```
//!
//! Windows in packets, times exact.

mod losses;

use std::collections::VecDeque;

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
/// Minimum rate: packets per second.
const MIN_RATE: f64 = 2.0;
/// Minimum time in *Compete*; doubles up to the maximum if it returns sooner than that.
const HOLD: Span = Span::from_secs(10);
const MAX_HOLD: Span = Span::from_secs(80);
/// A queue this many times ours that shrinks the window to this share belongs to another flow.
const OTHERS: f64 = 1.5;
const SHRUNK: f64 = 0.25;
/// Number of samples whose minimum can end the startup.
const SAMPLES: usize = 4;
/// Share of the first window that shows a rate if it arrives, and the growth that it allows.
const TRAIN_ARRIVALS: f64 = 0.35;
const MAX_JUMP: f64 = 8.0;
/// One pair of packets that leave together in this many packets; in the startup every second packet
/// begins one.
const PAIR_EVERY: u64 = 8;
/// Maximum of the mean round-trip time without a queue beyond the minimum: over the spread of a round.
const MAX_FLOOR: f64 = 1.5;
/// Steps of the median change of the round-trip time, per configured queue.
const CHANGE_STEPS: f64 = 32.0;
/// Slots in all of which the minimum round-trip time rises if another flow fills the queue slowly.
const SLOTS: usize = 5;
const SLOT: Span = Span::from_secs(3);
/// Number of answers that show the rate at the end of the startup.
const TRAIN: usize = 24;
/// Number of samples that all show a short queue.
const RECENT: usize = 4;
/// Time for which base and range are kept: alone, and while another flow's queue hides it.
const BASE_MEMORY: Span = Span::from_secs(10);
const BASE_MEMORY_SHARED: Span = Span::from_secs(60);
/// Our queue: this many packets, at most `MAX_QUEUE_FACTOR` times the configured delay.
const QUEUE_PACKETS: f64 = 2.0;
const MAX_QUEUE_FACTOR: u64 = 4;
/// Packets kept beyond the delay, over the square root of the window.
const SPREAD: f64 = 0.15;
/// Growth of a small window per packet, as a share of it: over the square root of the window.
const SMALL_GROWTH: f64 = 0.15;
const MAX_SMALL_GROWTH: f64 = 0.5;
/// A small window in packets.
const SMALL: f64 = 4.0;
/// Maximum multiple of the step while there is no queue.
const MAX_BOOST: f64 = 64.0;
const MAX_BOOST_BURSTS: f64 = 4.0;
const FIRST_BOOST: f64 = 8.0;
/// Pacing rate over window per round-trip time: the window is the limit, pacing only spreads.
const PACING: f64 = 1.05;
/// Divisor of the first round-trip time that gives its initial deviation.
const FIRST_DEVIATION: u64 = 8;
/// Factor on the probe interval in *Compete*, since each probe costs a part of our share.
const SHARED_PROBE_FACTOR: u64 = 4;
/// Maximum window as a multiple of the arrivals per round trip; in the startup.
const MAX_WINDOW_OVER_ARRIVALS: f64 = 1.25;
/// Minimum number of packets by which growth is judged.
const EPOCH: f64 = 16.0;
const STARTUP_OVER_ARRIVALS: f64 = 3.0;
/// Rounds without growth that end the startup (BBR, section 4.3.1.2), and the growth factor.
const FULL_ROUNDS: u32 = 3;
const FULL_GROWTH: f64 = 1.25;
/// CUBIC (RFC 9438): factor of the cubic, reduction, growth in the TCP-friendly region.
const CUBIC_C: f64 = 0.4;
const CUBIC_BETA: f64 = 0.65;
const CUBIC_ALPHA: f64 = 0.34;
/// Round-trip time for rates before the first sample.
const DEFAULT_RTT: Span = Span::from_millis(100);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    Startup,
    Delay,
    Compete,
}

/// Growth of CUBIC since the last reduction: its maximum, the Reno window, its beginning.
#[derive(Debug, Clone, Copy, Default)]
struct Cubic {
    most: f64,
    /// The window after the reduction.
    least: f64,
    reno: f64,
    since: Option<Nanos>,
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
    /// Minimum and maximum round-trip times of the present and the previous ten seconds.
    range: [Option<(Span, Span)>; 2],
    range_since: Nanos,
    /// Minimum round-trip time of this slot and of the last ones.
    slot: Option<Span>,
    /// Minimum mean round-trip time of a round in the periods of `base`, the last mean, and the median
    /// change from round to round in seconds.
    floor: [Option<Span>; 2],
    mean: Option<Span>,
    change: f64,
    /// Median of a round's mean beyond its minimum, in seconds.
    spread: f64,
    /// Mean round-trip time of the last round of the startup.
    before: Span,
    slots: [Option<Span>; SLOTS],
    slot_since: Nanos,
    /// Round-trip time of the opening, while it is kept: its packets are shorter.
    opening: Option<Span>,
    smoothed: Option<(Span, Span)>,
    latest: Span,
    recent: [Span; RECENT],
    samples: usize,
    round_least: Option<Span>,
    round_sum: f64,
    round_count: f64,
    /// Packets per second through the bottleneck: the maximum of this round and of the last.
    passed: [f64; 2],
    /// Times and numbers of packets of the latest feedback of the startup.
    acks: VecDeque<(Nanos, u64)>,
    total: u64,
    resolved: u64,
    jumped: bool,
    /// The first train showed the rate of the link.
    trained: bool,
    /// Rounds without a decision: their packets left before the last one.
    skip: u32,
    /// The maximum so far.
    fastest: f64,
    arrived: u64,
    full: (f64, u32),
    /// Packets that arrived in this part of the startup, and that passed the bottleneck; and its beginning.
    epoch: (f64, f64),
    epoch_since: Nanos,
    /// The window when another flow's queue appeared, and the number of rounds for which it has
    /// stood.
    high: (f64, u32),
    /// The window before the last round's decision.
    older: f64,
    /// Rounds in *Compete* without a queue.
    empty: u32,
    /// The window before a silence that goes on.
    before_silence: Option<f64>,
    /// Minimum time in *Compete*, and since when it or *Delay* lasts.
    hold: Span,
    since: Nanos,
    boost: f64,
    cubic: Cubic,
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
    /// Number of recent overflows, and the time of the last.
    overflows: (u32, Nanos),
    now: Nanos,
}

impl Control {
    pub(crate) fn new(config: &SlidingConfig) -> Self {
        Self {
            config: *config,
            window: f64::from(config.initial_window),
            phase: Phase::Startup,
            base: [None; 2],
            base_since: Nanos::ZERO,
            range: [None; 2],
            range_since: Nanos::ZERO,
            slot: None,
            floor: [None; 2],
            mean: None,
            change: 0.0,
            spread: 0.0,
            before: Span::ZERO,
            slots: [None; SLOTS],
            slot_since: Nanos::ZERO,
            opening: None,
            smoothed: None,
            latest: Span::ZERO,
            recent: [Span::MAX; RECENT],
            samples: 0,
            round_least: None,
            round_sum: 0.0,
            round_count: 0.0,
            passed: [0.0; 2],
            acks: VecDeque::new(),
            total: 0,
            resolved: 0,
            jumped: false,
            trained: false,
            skip: 0,
            fastest: 0.0,
            arrived: 0,
            full: (0.0, 0),
            epoch: (0.0, 0.0),
            epoch_since: Nanos::ZERO,
            high: (0.0, 0),
            older: f64::from(config.initial_window),
            empty: 0,
            before_silence: None,
            hold: HOLD,
            since: Nanos::ZERO,
            boost: 1.0,
            cubic: Cubic::default(),
            probe: None,
            next_probe: Nanos::ZERO,
            shared: 0,
            reductions: 0,
            marks: 0,
            marked: (0, Nanos::ZERO),
            reduced_at: 0,
            delivery_bound: DeliveryBound::default(),
            loss_cusum: LossCusum::default(),
            overflows: (0, Nanos::ZERO),
            now: Nanos::ZERO,
        }
    }

    /// The window in packets.
    #[inline]
    pub(crate) fn window(&self) -> u64 {
        u64::saturate(self.window.ceil())
    }

    /// Number of times another flow was found, and of reductions for losses and for marks.
    pub(crate) const fn counts(&self) -> (u64, u64, u64) {
        (self.shared, self.reductions, self.marks)
    }

    /// The path's own loss rate.
    pub(crate) fn path(&self) -> f64 {
        self.loss_cusum.path()
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
        Span::from_secs_f64(self.srtt().as_secs_f64() / (gain * self.window))
    }

    /// Time between packet `number` and the next: some leave in pairs, and the first window
    /// at once. That train shows the rate of the bottleneck.
    #[inline]
    pub(crate) fn gap_after(&self, number: u64) -> Span {
        let train = number + 1 < u64::from(self.config.initial_window);
        if train || self.begins_pair(number) {
            return Span::ZERO;
        }
        let second = number > 0 && self.begins_pair(number - 1);
        if second { self.gap() * 2 } else { self.gap() }
    }

    /// Whether packet `number` and the next leave together.
    pub(crate) fn begins_pair(&self, number: u64) -> bool {
        let every = if self.phase == Phase::Startup { 2 } else { PAIR_EVERY };
        number.is_multiple_of(every)
    }

    #[inline]
    fn base(&self) -> Span {
        let opening = self.opening.map(|o| o + self.packet_time().min(self.config.queue * 4));
        let least = self.base.iter().flatten().copied().chain(opening).min();
        least.unwrap_or_else(|| self.srtt())
    }

    fn packet_time(&self) -> Span {
        Span::from_secs_f64(1.0 / self.fastest.max(1.0))
    }

    /// Minimum and maximum round-trip time of the last 10 to 20 s.
    fn range(&self) -> (Span, Span) {
        let all = self.range.iter().flatten();
        all.copied()
            .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
            .unwrap_or((self.latest, self.latest))
    }

    /// The queue that we keep: a delay that all flows share, and on slow links a few packets. A
    /// buffer that overflowed is shorter: half of it.
    fn target(&self) -> Span {
        let packets = Span::from_secs_f64(QUEUE_PACKETS / self.fastest.max(1.0));
        let slow = packets.min(self.config.queue * MAX_QUEUE_FACTOR);
        let target = if self.trained { self.config.queue.max(slow) } else { self.config.queue };
        let (lo, hi) = self.range();
        let most = if self.overflows.0 == 0 { target } else { hi.saturating_sub(lo) / 2 };
        target.min(most) + self.jitter()
    }

    /// Growth of a window per round trip in *Delay*, in packets.
    fn own(&self) -> f64 {
        SPREAD * self.window.sqrt()
    }

    /// Growth for a resolved packet at `packets` per round trip, slower in small windows.
    fn growth(&self, packets: f64) -> f64 {
        let w = self.window;
        (packets / w).min(SMALL_GROWTH * w.sqrt()).min(MAX_SMALL_GROWTH * w)
    }

    /// Minimum of the window.
    fn least(&self) -> f64 {
        MIN_RATE * self.srtt().as_secs_f64()
    }

    #[inline]
    pub(crate) fn on_opening(&mut self, now: Nanos, rtt: Span) {
        self.smoothed = Some((rtt, rtt / FIRST_DEVIATION));
        self.opening = Some(rtt);
        self.latest = rtt;
        self.now = now;
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
        if let Some(window) = self.before_silence.take() {
            self.window = self.window.max(window / 2.0);
        }
        let memory = if self.phase == Phase::Compete { BASE_MEMORY_SHARED } else { BASE_MEMORY };
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
        // All flows that share a queue see it disappear, whoever filled it. They therefore schedule
        // their next probe for the same time, and the queue then drains completely.
        if self.phase == Phase::Delay && rtt < self.base() {
            self.next_probe = self.next_probe.max(now + self.config.probe_interval);
        }
        self.base[0] = Some(self.base[0].map_or(rtt, |b| b.min(rtt)));
        self.range[0] = Some(self.range[0].map_or((rtt, rtt), |r| (r.0.min(rtt), r.1.max(rtt))));
        self.round_least = Some(self.round_least.map_or(rtt, |r| r.min(rtt)));
        self.slot = Some(self.slot.map_or(rtt, |r| r.min(rtt)));
        self.round_sum += rtt.as_secs_f64();
        self.round_count += 1.0;
        self.recent[self.samples % RECENT] = rtt;
        self.samples += 1;
        // The train at the beginning is its own queue.
        let train = usize::from(self.config.initial_window);
        if self.phase == Phase::Startup && self.samples >= train + SAMPLES {
            let last = (self.samples - SAMPLES..self.samples).map(|i| self.recent[i % RECENT]);
            let least = last.min().unwrap_or(rtt);
            let base = self.base();
            if least.saturating_sub(base.max(self.before)) > self.config.queue * 2 {
                self.leave_startup(now);
                self.reduced_at = next;
                self.boost = FIRST_BOOST;
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
        let Some(least) = self.round_least.take() else { return };
        let rtt = Span::from_secs_f64(
            std::mem::take(&mut self.round_sum) / std::mem::take(&mut self.round_count).max(1.0),
        )
        .max(least);
        if self.phase == Phase::Startup
            && self.samples > usize::from(self.config.initial_window) + SAMPLES
        {
            self.before = rtt;
        }
        self.on_mean(rtt, least);
        let queue = rtt.saturating_sub(self.low());
        let arrived = std::mem::take(&mut self.arrived) as f64;
        self.loss_cusum.on_round(now, dispersion);
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
        let window = self.window;
        match self.phase {
            Phase::Startup => self.startup(now, arrived, limited),
            Phase::Delay => self.delay(now, rtt, queue, limited),
            Phase::Compete => self.compete(queue),
        }
        self.older = window;
        self.passed = [0.0, self.passed[0]];
        if self.phase != Phase::Startup && now >= self.next_probe && self.probe.is_none() {
            self.probe = Some((self.window, 2));
            let base = self.low().as_secs_f64();
            let drained = self.window * (base - 0.5 * self.target().as_secs_f64()).max(base / 2.0)
                / rtt.as_secs_f64();
            self.window = drained.max(self.least());
        }
    }

    /// Mean round-trip time of a round.
    fn on_mean(&mut self, mean: Span, least: Span) {
        let spread = mean.saturating_sub(least).as_secs_f64();
        let step = self.config.queue.as_secs_f64() / CHANGE_STEPS;
        self.spread += if spread > self.spread { step } else { -step };
        self.spread = self.spread.max(0.0);
        self.floor[0] = Some(self.floor[0].map_or(mean, |f| f.min(mean)));
        if let Some(last) = self.mean.replace(mean) {
            let change = Span(mean.0.abs_diff(last.0)).as_secs_f64();
            self.change += if change > self.change { step } else { -step };
            self.change = self.change.max(0.0);
        }
    }

    /// Jitter of a round's mean: what it varies by without a queue.
    fn jitter(&self) -> Span {
        let most = self.config.queue * MAX_QUEUE_FACTOR;
        Span::from_secs_f64(2.0 * self.change).saturating_sub(self.config.queue / 2).min(most)
    }

    /// Round-trip time without a queue, of the mean of a round.
    fn low(&self) -> Span {
        let base = self.base();
        let floor = self.floor.iter().flatten().copied().min().unwrap_or(base);
        base + floor.saturating_sub(base).min(Span::from_secs_f64(MAX_FLOOR * self.spread))
    }

    /// A round of the startup with this number of arrivals.
    fn startup(&mut self, now: Nanos, arrived: f64, limited: bool) {
        if !limited {
            return;
        }
        let passed = arrived / (1.0 - self.loss_cusum.path().min(losses::MAX_LOSS));
        self.window = self.window.min((STARTUP_OVER_ARRIVALS * passed).max(1.0));
        self.epoch.0 += arrived;
        self.epoch.1 += passed;
        if self.epoch.1 < EPOCH {
            return;
        }
        let time = now.since(self.epoch_since).as_secs_f64().max(1e-6);
        let arrived = self.epoch.0 / time * self.srtt().as_secs_f64();
        self.epoch = (0.0, 0.0);
        self.epoch_since = now;
        let (best, rounds) = self.full;
        if arrived >= best * FULL_GROWTH {
            self.full = (best.max(arrived), 0);
        } else if rounds + 1 >= FULL_ROUNDS {
            self.window = arrived.clamp(1.0, (self.window / 2.0).max(1.0));
            self.leave_startup(now);
        } else {
            self.full.1 = rounds + 1;
        }
    }

    /// The first train is answered: half of what the link carries at its spacing, if it arrived.
    fn jump(&mut self) {
        let train = f64::from(self.config.initial_window);
        let arrived = self.acks.len() as f64;
        if let Some(rate) = self.train_rate()
            && arrived >= TRAIN_ARRIVALS * train
        {
            self.trained = true;
            self.fastest = self.fastest.max(rate);
            let half = rate * self.base().as_secs_f64() / 2.0;
            self.window = self.window.max(half.min(MAX_JUMP * arrived));
        }
    }

    /// Packets per second in the latest answers; lost ones count up to the number that arrived.
    fn train_rate(&self) -> Option<f64> {
        let (first, last) = (self.acks.front()?, self.acks.back()?);
        let time = last.0.since(first.0).as_secs_f64();
        (time > 0.0).then(|| (last.1 - first.1) as f64 / time)
    }

    /// Half of the window met no queue one round trip ago.
    fn leave_startup(&mut self, now: Nanos) {
        let keep = (self.low() + self.target()).as_secs_f64();
        if let Some(rate) = self.train_rate() {
            self.window = self.window.min(rate * keep).max(self.least());
        }
        self.skip = 2;
        self.since = now;
        self.phase = Phase::Delay;
        self.next_probe = now + self.config.probe_interval;
        self.round_least = None;
    }

    /// The least round-trip time has risen for a while, although this window does not grow: another flow
    /// fills the queue, so slowly that the base follows.
    fn rises(&mut self, now: Nanos) -> bool {
        if now.since(self.slot_since) < SLOT {
            return false;
        }
        self.slot_since = now;
        self.slots.rotate_left(1);
        self.slots[SLOTS - 1] = self.slot.take();
        let each: Vec<Span> = self.slots.iter().flatten().copied().collect();
        let rises = each.len() == SLOTS
            && each.is_sorted_by(|a, b| a < b)
            && each[SLOTS - 1].saturating_sub(each[0]) > self.config.queue / 2;
        if rises {
            self.base[0] = Some(each[0]);
        }
        rises
    }

    fn delay(&mut self, now: Nanos, rtt: Span, queue: Span, limited: bool) {
        let target = self.target();
        if self.rises(now) {
            self.share(now);
            return;
        }
        if self.skip > 0 {
            self.skip -= 1;
            return;
        }
        if queue.as_secs_f64() > OTHERS * target.as_secs_f64() {
            if self.high.0 == 0.0 {
                self.high = (self.window, 0);
            }
            let long = queue > self.config.shared_queue.max(target * 3 / 2);
            self.high.1 = if long { self.high.1 + 1 } else { 0 };
            let shrunk = self.window < SHRUNK * self.high.0;
            if self.high.1 >= SHARED_AFTER_ROUNDS || shrunk {
                self.share(now);
                self.window = self.window.max(self.high.0);
                self.high.0 = 0.0;
                return;
            }
        } else {
            self.high = (0.0, 0);
        }
        let keep = self.low() + target;
        // These packets left with the window before the last decision.
        let sent = if queue > target { self.older } else { self.window };
        let aim = sent * keep.as_secs_f64() / rtt.as_secs_f64() + self.own();
        if aim < self.window {
            let gain = if self.window < SMALL { GAIN } else { SHRINK };
            self.window += gain * (aim - self.window);
            self.boost = 1.0;
        } else if limited && self.loss_cusum.is_quiet(self.window) {
            // A quarter of the target queue counts as none. In bursts, many rounds have none by
            // chance.
            let most = if self.loss_cusum.bursts() { MAX_BOOST_BURSTS } else { MAX_BOOST };
            self.boost = if queue * 4 < target { (self.boost * 2.0).min(most) } else { 1.0 };
            let step = GAIN * (aim - self.window) * self.boost;
            let most = if self.window < SMALL {
                self.growth(1.0) * self.window.max(1.0)
            } else {
                self.window / 4.0
            };
            self.window += step.min(most);
        } else {
            self.boost = 1.0;
        }
        self.window = self.window.max(self.least());
    }

    /// Another flow fills the queue.
    fn share(&mut self, now: Nanos) {
        self.phase = Phase::Compete;
        self.next_probe = now + self.config.probe_interval;
        self.shared += 1;
        self.hold =
            if now.since(self.since) < self.hold { (self.hold * 2).min(MAX_HOLD) } else { HOLD };
        self.since = now;
        self.high = (self.high.0, 0);
        self.empty = 0;
        self.cubic = Cubic::default();
        self.slots = [None; SLOTS];
    }

    /// A queue that stays short without a probe belongs to no other flow.
    fn compete(&mut self, queue: Span) {
        self.empty = if queue <= self.target() { self.empty + 1 } else { 0 };
        if self.marked.0 == 0
            && self.empty >= SHARED_AFTER_ROUNDS
            && self.loss_cusum.is_quiet(self.window)
        {
            self.leave_compete();
        }
    }

    fn leave_compete(&mut self) {
        if self.now.since(self.since) >= self.hold || self.loss_cusum.bursts() {
            self.phase = Phase::Delay;
            self.since = self.now;
        }
    }

    fn on_probe(&mut self, now: Nanos, rtt: Span, queue: Span, saved: f64, left: u32) {
        if left > 1 {
            // Packets answered from now on left during the probe.
            self.delivery_bound.restart(now);
            self.probe = Some((saved, left - 1));
            return;
        }
        self.probe = None;
        let factor = if self.phase == Phase::Compete { SHARED_PROBE_FACTOR } else { 1 };
        self.next_probe = now + self.config.probe_interval * factor;
        let gone = queue <= self.target();
        let competes = self.phase == Phase::Compete;
        if competes && gone {
            self.leave_compete();
        }
        if competes && self.phase == Phase::Delay {
            self.window *= 1.0 + self.target().as_secs_f64() / rtt.as_secs_f64();
        } else {
            self.window = saved;
        }
    }
}

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
//!           10 packets in two trains, RTT/4 apart; 3 answers of one: w = max(w, min(rate base/2, 8 answers))
//!           leaves when the least of 4 RTTs > max(base, mean of the last round) + 2T: w = rate (low + T),
//!           or after 3 parts of 16 packets in which arrivals did not grow by 1/4                  -> DELAY
//! DELAY     round: aim = w' (low + T)/rtt + .15 sqrt(w), w' the window of the packets measured
//!           down by .8 (.4 below 4 packets) of the distance, up by .4 times a boost that doubles while
//!           dq < T/4, at most w/4
//!           leaves when dq > max(12 ms, 1.5 T) for 5 rounds; dq > 1.5 T until w is a quarter; the least
//!           RTT rose in 4 successive slots of 3 s by T/2 in total, or w fell in each by 1/40; or an
//!           overflow                                                                         -> COMPETE
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

mod cubic;
mod delay;
mod losses;
mod round_trips;
mod startup;

use airtcp_units::{Nanos, Saturate, Span};

use self::cubic::{Cubic, HOLD};
use self::round_trips::{BASE_MEMORY, BASE_MEMORY_SHARED, RoundTrips};
use self::startup::{After, BETWEEN_TRAINS, Startup};
use super::config::SlidingConfig;
use super::delivery_bound::DeliveryBound;
use super::loss_cusum::LossCusum;

/// Rounds with a queue of other flows before the window competes, rounds without one before it does not,
/// and overflows of a path with losses of its own.
const SHARED_AFTER_ROUNDS: u32 = 5;
/// Minimum rate: packets per second.
const MIN_RATE: f64 = 2.0;
/// One pair of packets that leave together in this many packets; in the startup every second packet
/// begins one.
const PAIR_EVERY: u64 = 8;
/// A small window in packets.
const SMALL: f64 = 4.0;
/// Multiple of the first step after a startup that met a queue.
const FIRST_BOOST: f64 = 8.0;
/// Rounds after the startup without a decision: their packets left before its end.
const SKIP: u32 = 2;
/// Pacing rate over window per round-trip time: the window is the limit, pacing only spreads.
const PACING: f64 = 1.05;
const STARTUP_PACING: f64 = 2.0;
/// Maximum of the path's loss rate.
const MAX_LOSS: f64 = 0.8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    Startup,
    Delay,
    Compete,
}

/// The window and the measurements behind it.
#[derive(Debug)]
pub(crate) struct Control {
    config: SlidingConfig,
    window: f64,
    phase: Phase,
    times: RoundTrips,
    startup: Startup,
    cubic: Cubic,
    delivery_bound: DeliveryBound,
    loss_cusum: LossCusum,
    now: Nanos,
    /// Packets that arrived in this round; packets resolved so far.
    arrived: u64,
    resolved: u64,
    /// Rounds without a decision.
    skip: u32,
    /// The window before the last round's decision.
    older: f64,
    boost: f64,
    /// The window when another flow's queue appeared, and the number of rounds for which it has
    /// stood.
    high: (f64, u32),
    /// Rounds in *Compete* without a queue.
    empty: u32,
    /// Minimum time in *Compete*, and since when it or *Delay* lasts.
    hold: Span,
    since: Nanos,
    /// The window before a silence that goes on.
    before_silence: Option<f64>,
    /// A probe: the window to return to and the rounds left.
    probe: Option<(f64, u32)>,
    next_probe: Nanos,
    shared: u64,
    reductions: u64,
    marks: u64,
    /// Number of recent responses to marks, and the time of the last.
    marked: (u32, Nanos),
    /// Number of recent overflows, and the time of the last.
    overflows: (u32, Nanos),
    /// No further reduction for packets before this number.
    reduced_at: u64,
}

impl Control {
    pub(crate) fn new(config: &SlidingConfig) -> Self {
        Self {
            config: *config,
            window: f64::from(config.initial_window),
            phase: Phase::Startup,
            times: RoundTrips::new(config.queue),
            startup: Startup::new(config.initial_window),
            cubic: Cubic::default(),
            delivery_bound: DeliveryBound::default(),
            loss_cusum: LossCusum::default(),
            now: Nanos::ZERO,
            arrived: 0,
            resolved: 0,
            skip: 0,
            older: f64::from(config.initial_window),
            boost: 1.0,
            high: (0.0, 0),
            empty: 0,
            hold: HOLD,
            since: Nanos::ZERO,
            before_silence: None,
            probe: None,
            next_probe: Nanos::ZERO,
            shared: 0,
            reductions: 0,
            marks: 0,
            marked: (0, Nanos::ZERO),
            overflows: (0, Nanos::ZERO),
            reduced_at: 0,
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
        self.times.latest()
    }

    #[inline]
    pub(crate) fn srtt(&self) -> Span {
        self.times.smoothed()
    }

    /// What of the round-trip time is a queue.
    pub(crate) fn queue(&self) -> Span {
        self.srtt().saturating_sub(self.times.base())
    }

    /// Maximum time for an answer.
    #[inline]
    pub(crate) fn answer_time(&self) -> Span {
        self.times.answer_time()
    }

    /// Time after which a packet is lost if later ones overtook it.
    #[inline]
    pub(crate) fn loss_delay(&self) -> Span {
        self.srtt().max(self.latest()) * 9 / 8
    }

    #[inline]
    pub(crate) fn gap(&self) -> Span {
        let gain = if self.phase == Phase::Startup { STARTUP_PACING } else { PACING };
        Span::from_secs_f64(self.srtt().as_secs_f64() / (gain * self.window))
    }

    /// Time between packet `number` and the next: some leave in pairs, and the first window in trains.
    #[inline]
    pub(crate) fn gap_after(&self, number: u64) -> Span {
        if self.startup.ends_train(number) {
            return self.srtt() / BETWEEN_TRAINS;
        }
        if self.startup.is_train(number) || self.begins_pair(number) {
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

    /// Minimum of the window.
    fn least(&self) -> f64 {
        MIN_RATE * self.srtt().as_secs_f64()
    }

    #[inline]
    pub(crate) fn on_opening(&mut self, now: Nanos, rtt: Span) {
        self.times.on_opening(rtt);
        self.now = now;
    }

    #[inline]
    pub(crate) fn on_rtt(&mut self, now: Nanos, rtt: Span, greatest: u64, next: u64) {
        self.now = now;
        if let Some(window) = self.before_silence.take() {
            self.window = self.window.max(window / 2.0);
        }
        let memory = if self.phase == Phase::Compete { BASE_MEMORY_SHARED } else { BASE_MEMORY };
        let below = self.times.on_sample(now, rtt, memory);
        if self.phase == Phase::Startup
            && let Some(train) = self.startup.on_answer(now, greatest)
        {
            self.times.on_passed(train.0);
            self.window = self.window.max(Startup::jump(train, self.times.base()));
        }
        // All flows that share a queue see it disappear, whoever filled it. They therefore schedule
        // their next probe for the same time, and the queue then drains completely.
        if self.phase == Phase::Delay && below {
            self.next_probe = self.next_probe.max(now + self.config.probe_interval);
        }
        if self.phase == Phase::Startup && self.startup.is_past_train(self.times.samples()) {
            let (least, _) = self.times.recent();
            let base = self.times.base();
            if least.saturating_sub(base.max(self.startup.before)) > self.config.queue * 2 {
                self.leave_startup(now);
                self.reduced_at = next;
                self.boost = FIRST_BOOST;
            }
        }
    }

    /// `rate` packets per second passed the bottleneck.
    #[inline]
    pub(crate) fn on_passed(&mut self, rate: f64) {
        self.times.on_passed(rate);
    }

    /// A round trip is over: every packet in flight at its beginning is resolved.
    pub(crate) fn on_round(&mut self, now: Nanos, next: u64, limited: bool, dispersion: f64) {
        let Some(rtt) = self.times.on_round() else { return };
        if self.phase == Phase::Startup && self.startup.is_past_train(self.times.samples() - 1) {
            self.startup.before = rtt;
        }
        let queue = rtt.saturating_sub(self.times.low());
        let arrived = std::mem::take(&mut self.arrived) as f64;
        self.loss_cusum.on_round(now, dispersion);
        let sampled = self.delivery_bound.on_round(now, limited, dispersion);
        if sampled && self.probe.is_none() && self.loss_cusum.bursts() {
            self.limit_to_arrivals(now, rtt, next);
        }
        if let Some(probe) = self.probe {
            self.on_probe(now, rtt, queue, probe);
            return;
        }
        if sampled && !self.loss_cusum.bursts() {
            self.bound(rtt);
        }
        let window = self.window;
        match self.phase {
            Phase::Startup if limited => self.on_startup_round(now, arrived),
            Phase::Startup => {}
            Phase::Delay => self.delay(now, rtt, queue, limited),
            Phase::Compete => self.compete(queue),
        }
        self.older = window;
        self.begin_probe(now, rtt);
    }

    /// A round of the startup with this number of arrivals.
    fn on_startup_round(&mut self, now: Nanos, arrived: f64) {
        let loss = (self.path().min(MAX_LOSS), self.loss_cusum.most());
        match self.startup.on_round(now, arrived, loss, self.srtt(), self.window) {
            After::Window(window) => self.window = window,
            After::End(window, overflows) => {
                self.window = window;
                self.leave_startup(now);
                if overflows {
                    self.share(now);
                }
            }
        }
    }

    /// Leaves the startup with a window that keeps the own queue at the rate of the latest answers.
    fn leave_startup(&mut self, now: Nanos) {
        let keep = (self.times.low() + self.target()).as_secs_f64();
        if let Some(rate) = self.startup.rate() {
            self.window = self.window.min(rate * keep).max(self.least());
        }
        self.skip = SKIP;
        self.since = now;
        self.phase = Phase::Delay;
        self.next_probe = now + self.config.probe_interval;
        self.times.restart_round();
    }
}

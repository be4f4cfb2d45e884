//! What the window does once a round, after the startup.
//!
//! In *Delay* it moves towards a short queue (FAST TCP, Wei, Jin, Low and Hegde 2006, with packets of its own
//! over the square root of the window). In *Compete* it grows per packet ([`super::cubic`]), and a round only
//! shows whether another flow is still there. A probe drains the queue in both. Windows in packets.

use airtcp_units::{Nanos, Span};

use super::cubic::{Cubic, HOLD, growth};
use super::round_trips::MAX_QUEUE_FACTOR;
use super::{Control, Phase, SHARED_AFTER_ROUNDS, SMALL};

/// Share of the distance to the target per round, up and down. Growth is careful, since its queue
/// shows a round later; a standing queue is removed at once.
const GAIN: f64 = 0.4;
const SHRINK: f64 = 0.8;
/// Our queue: this many packets, at most `MAX_QUEUE_FACTOR` times the configured delay.
const QUEUE_PACKETS: f64 = 2.0;
/// Packets kept beyond the delay, over the square root of the window.
const SPREAD: f64 = 0.15;
/// A queue this many times ours that shrinks the window to this share belongs to another flow.
const OTHERS: f64 = 1.5;
const SHRUNK: f64 = 0.25;
/// Maximum multiple of the step while there is no queue.
const MAX_BOOST: f64 = 64.0;
const MAX_BOOST_BURSTS: f64 = 4.0;
/// Maximum of [`HOLD`], which doubles if *Compete* returns sooner than that.
const MAX_HOLD: Span = Span::from_secs(80);
/// Factor on the probe interval in *Compete*, since each probe costs a part of our share.
const SHARED_PROBE_FACTOR: u64 = 4;

impl Control {
    /// The queue that we keep: a delay that all flows share, and on slow links a few packets. A
    /// buffer that overflowed is shorter: half of it.
    pub(super) fn target(&self) -> Span {
        let queue = self.config.queue;
        let slow = self.times.packets(QUEUE_PACKETS).min(queue * MAX_QUEUE_FACTOR);
        let target = if self.startup.trained() { queue.max(slow) } else { queue };
        let (lo, hi) = self.times.range();
        let most = if self.overflows.0 == 0 { target } else { hi.saturating_sub(lo) / 2 };
        // In bursts the round-trip times change with the losses.
        let jitter = if self.loss_cusum.bursts() { Span::ZERO } else { self.times.jitter() };
        target.min(most) + jitter
    }

    /// A round in *Delay* with this mean round-trip time, of which `queue` is queueing delay.
    pub(super) fn delay(&mut self, now: Nanos, rtt: Span, queue: Span, limited: bool) {
        let target = self.target();
        if self.times.rises(now, self.window) {
            self.share(now);
            return;
        }
        if self.skip > 0 {
            self.skip -= 1;
            return;
        }
        if self.yields_to_others(now, queue, target) {
            return;
        }
        let keep = self.times.low() + target;
        // These packets left with the window before the last decision.
        let sent = if queue > target { self.older } else { self.window };
        let own = SPREAD * self.window.sqrt();
        let aim = sent * keep.as_secs_f64() / rtt.as_secs_f64() + own;
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
                growth(self.window, 1.0) * self.window.max(1.0)
            } else {
                self.window / 4.0
            };
            self.window += step.min(most);
        } else {
            self.boost = 1.0;
        }
        self.window = self.window.max(self.least());
    }

    /// Whether another flow's queue stands although the window shrinks; then the window competes.
    fn yields_to_others(&mut self, now: Nanos, queue: Span, target: Span) -> bool {
        if queue.as_secs_f64() <= OTHERS * target.as_secs_f64() {
            self.high = (0.0, 0);
            return false;
        }
        if self.high.0 <= 0.0 {
            self.high = (self.window, 0);
        }
        let long = queue > self.config.shared_queue.max(target * 3 / 2);
        self.high.1 = if long { self.high.1 + 1 } else { 0 };
        let stands = self.high.1 >= SHARED_AFTER_ROUNDS || self.window < SHRUNK * self.high.0;
        if stands {
            self.share(now);
            self.window = self.window.max(self.high.0);
            self.high.0 = 0.0;
        }
        stands
    }

    /// Another flow fills the queue.
    pub(super) fn share(&mut self, now: Nanos) {
        self.phase = Phase::Compete;
        self.next_probe = now + self.config.probe_interval;
        self.shared += 1;
        self.hold =
            if now.since(self.since) < self.hold { (self.hold * 2).min(MAX_HOLD) } else { HOLD };
        self.since = now;
        self.high = (self.high.0, 0);
        self.empty = 0;
        self.cubic = Cubic::default();
        self.times.restart_slots();
    }

    /// A round in *Compete*: a queue that stays short without a probe belongs to no other flow.
    pub(super) fn compete(&mut self, queue: Span) {
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

    /// Begins a probe if it is time: two rounds with a window that drains our queue.
    pub(super) fn begin_probe(&mut self, now: Nanos, rtt: Span) {
        if self.phase == Phase::Startup || now < self.next_probe || self.probe.is_some() {
            return;
        }
        self.probe = Some((self.window, 2));
        let base = self.times.low().as_secs_f64();
        let drained = self.window * (base - 0.5 * self.target().as_secs_f64()).max(base / 2.0)
            / rtt.as_secs_f64();
        self.window = drained.max(self.least());
    }

    /// A round of a probe with `left` rounds, after which the window is `saved`.
    pub(super) fn on_probe(
        &mut self,
        now: Nanos,
        rtt: Span,
        queue: Span,
        (saved, left): (f64, u32),
    ) {
        if left > 1 {
            // Packets answered from now on left during the probe.
            self.delivery_bound.restart(now);
            self.probe = Some((saved, left - 1));
            return;
        }
        self.probe = None;
        let factor = if self.phase == Phase::Compete { SHARED_PROBE_FACTOR } else { 1 };
        self.next_probe = now + self.config.probe_interval * factor;
        let competes = self.phase == Phase::Compete;
        if competes && queue <= self.target() {
            self.leave_compete();
        }
        if competes && self.phase == Phase::Delay {
            self.window *= 1.0 + self.target().as_secs_f64() / rtt.as_secs_f64();
        } else {
            self.window = saved;
        }
    }
}

//! How the window responds to losses, marks and silence.
//!
//! - Losses beyond the path's own rate ([`crate::loss_cusum`]): CUBIC's reduction, by half in small
//!   windows.
//! - A mark: see [`Control::on_marked`].
//! - Where losses come in bursts: growth without growing arrivals ([`crate::delivery_bound`]).
//!
//! At most one reduction per round trip. Windows in packets.

use airtcp_units::{Nanos, Span};

use super::cubic::BETA;
use super::round_trips::BASE_MEMORY;
use super::startup::STARTUP_OVER_ARRIVALS;
use super::{Control, Phase, SHARED_AFTER_ROUNDS, SMALL};

/// Reduction in small windows, on marks, and on a series of overflows.
const REDUCTION: f64 = 0.5;
/// The smallest reduction on a mark: while the queue is ours, or short (RFC 8511 section 3.1).
const MARK_REDUCTION: f64 = 0.8;
/// Loss rate of a link from which a few suspected overflows do not count.
const LOSSY: f64 = 0.005;
/// Number of packets of a flow before losses are tested.
const OPENING: u64 = 160;
/// Below this queue no AQM drops (RFC 8289: CoDel's target).
const NO_AQM: Span = Span::from_millis(5);
/// Minimum range of round-trip times that shows a queue.
const MIN_RANGE: Span = Span::from_millis(4);
/// Maximum window as a multiple of the arrivals per round trip.
const MAX_WINDOW_OVER_ARRIVALS: f64 = 1.25;

impl Control {
    /// Whether the loss of packet `number` counts for [`Self::on_lost`].
    #[inline]
    pub(crate) fn counts_loss(&mut self, number: u64) -> bool {
        // The second of a pair may be lost only because it followed the first at once.
        let second = number > 0
            && self.begins_pair(number - 1)
            && self.phase != Phase::Startup
            && self.window < SMALL;
        self.loss_cusum.counts(number) && !second
    }

    /// `resolved` packets were resolved: how many arrived, and how many losses do not count;
    /// `limited` if the window delayed packets.
    #[inline]
    pub(crate) fn on_resolved(
        &mut self,
        resolved: u64,
        arrived: u64,
        uncounted: u64,
        limited: bool,
    ) {
        self.arrived += arrived;
        self.resolved += resolved;
        if self.phase == Phase::Startup {
            self.startup.on_feedback(self.now, resolved, arrived);
        }
        self.delivery_bound.on_resolved(resolved, arrived);
        let lost = resolved.saturating_sub(arrived + uncounted);
        let sent = resolved.saturating_sub(uncounted);
        if self.phase != Phase::Startup {
            let small = self.window < SMALL;
            self.loss_cusum.on_resolved(sent, self.is_high(), small);
            if self.is_short() {
                self.loss_cusum.learn(self.now, sent as f64, lost as f64);
            }
        }
        if !limited || self.probe.is_some() {
            return;
        }
        match self.phase {
            // Doubles up to a loss of one half.
            Phase::Startup => self.window += (resolved as f64).min(2.0 * arrived as f64),
            Phase::Compete if self.loss_cusum.is_quiet(self.window) => {
                let (srtt, resolved) = (self.srtt(), resolved as f64);
                self.window = self.cubic.grow(self.now, self.window, srtt, resolved);
            }
            Phase::Compete | Phase::Delay => {}
        }
    }

    /// The queue is in the upper half of its range.
    fn is_high(&self) -> bool {
        let (lo, hi) = self.times.range();
        let width = hi.saturating_sub(lo);
        self.phase == Phase::Compete
            && self.latest().saturating_sub(lo) >= width / 2
            && width >= self.config.queue
    }

    /// The queue is known, and short. Packets further apart than its range do not show it.
    fn is_short(&self) -> bool {
        let most = self.times.recent().1;
        let base = self.times.base();
        let room = self.times.range().1.saturating_sub(base);
        let near = (self.target() / 2).max(room / 4).min(NO_AQM);
        let packet = Span::from_secs_f64(self.srtt().as_secs_f64() / self.window);
        room >= MIN_RANGE.max(packet) && most <= base + near
    }

    /// Pairs of packets that left together, of which the second arrived, and how many of the first were
    /// lost. The queue had room for the second, so it had for the first: the path lost that one.
    pub(crate) fn on_pairs(&mut self, (pairs, lost): (u64, u64)) {
        if pairs > 0 {
            let most = self.times.low() + NO_AQM + self.times.jitter() * 2;
            let short = self.phase == Phase::Startup || self.latest() <= most;
            self.loss_cusum.on_pairs(self.now, pairs, lost, short);
        }
    }

    /// Packet `number` was judged lost; `next` is the number of the next packet.
    #[inline]
    pub(crate) fn on_lost(&mut self, number: u64, next: u64) {
        if self.probe.is_some() || number < self.reduced_at || self.phase == Phase::Startup {
            return;
        }
        // A transfer of a few round trips has no time for a test, if its first train arrived.
        if self.startup.trained() && self.resolved < OPENING {
            return;
        }
        self.loss_cusum.on_lost(self.is_high());
        if self.loss_cusum.exceeded(self.window < SMALL) {
            self.overflowed(next);
        }
    }

    /// More is lost than the path explains: a buffer overflows.
    fn overflowed(&mut self, next: u64) {
        let again = !self.loss_cusum.is_quiet(self.window);
        self.loss_cusum.on_overflow();
        let now = self.now;
        if now.since(self.overflows.1) > BASE_MEMORY {
            self.overflows.0 = 0;
        }
        self.overflows = (self.overflows.0.saturating_add(1), now);
        // On a link with a high loss rate, chance sometimes looks like an overflow.
        let chance = (self.loss_cusum.path() > LOSSY || self.is_short())
            && self.overflows.0 < SHARED_AFTER_ROUNDS;
        if self.phase != Phase::Compete && !chance {
            self.share(now);
        }
        self.reduce(if again || self.window < SMALL { REDUCTION } else { BETA });
        self.reductions += 1;
        self.reduced_at = next;
    }

    /// Lowers the window and begins a new cubic.
    fn reduce(&mut self, share: f64) {
        let w = self.window;
        self.window = (w * share).max(self.least());
        self.cubic.reduce(self.now, w, self.window);
        self.boost = 1.0;
    }

    /// Nothing was heard for longer than the path's losses explain.
    pub(crate) fn on_silence(&mut self) {
        self.before_silence.get_or_insert(self.window);
        self.window = (self.window * REDUCTION).max(self.least());
    }

    /// A packet up to `number` was marked. Responds at most once, to this mark or to a loss, for
    /// packets sent before the response.
    pub(crate) fn on_marked(&mut self, now: Nanos, number: u64, next: u64) {
        if number < self.reduced_at {
            return;
        }
        self.marks += 1;
        self.reduced_at = next;
        if now.since(self.marked.1) > BASE_MEMORY {
            self.marked.0 = 0;
        }
        self.marked = (self.marked.0.saturating_add(1), now);
        let share = match self.phase {
            Phase::Startup => {
                self.leave_startup(now);
                return;
            }
            // Our own queue would not be marked so often.
            Phase::Delay if self.marked.0 >= SHARED_AFTER_ROUNDS && self.probe.is_none() => {
                self.share(now);
                BETA
            }
            // The window that would leave no queue, if the queue is longer than marking queues
            // usually are.
            Phase::Delay => {
                let empty = self.times.base().as_secs_f64() / self.latest().as_secs_f64().max(1e-9);
                empty.clamp(REDUCTION, MARK_REDUCTION)
            }
            Phase::Compete => BETA,
        };
        self.reduce(share);
        // The window restored after a probe, or when another flow's queue is found.
        self.high.0 *= share;
        let least = self.least();
        if let Some((saved, _)) = &mut self.probe {
            *saved = (*saved * share).max(least);
        }
    }

    /// Limits the window to the arrivals. Beyond them a buffer overflows without a visible delay,
    /// and the flow competes for it as for another flow's queue.
    pub(super) fn limit_to_arrivals(&mut self, now: Nanos, rtt: Span, next: u64) {
        let Some(taken) = self.delivery_bound.taken(self.path()) else { return };
        if !self.delivery_bound.lossy() {
            return;
        }
        let base = self.times.base();
        let time = match self.phase {
            Phase::Startup => base.as_secs_f64() * STARTUP_OVER_ARRIVALS,
            Phase::Delay => (base.as_secs_f64() * MAX_WINDOW_OVER_ARRIVALS)
                .max((base + self.target() * 2).as_secs_f64()),
            Phase::Compete => self.srtt().max(rtt).as_secs_f64() * MAX_WINDOW_OVER_ARRIVALS,
        };
        let most = taken * time + f64::from(self.config.queue_packets);
        if self.window <= most {
            return;
        }
        self.window = most;
        if self.phase == Phase::Startup {
            self.leave_startup(now);
        }
        if self.phase == Phase::Delay {
            return;
        }
        self.reduce(REDUCTION);
        self.reductions += 1;
        self.reduced_at = next;
    }

    /// Where losses are independent: limits the window to the arrivals, independent of the estimate
    /// of the path's loss rate.
    pub(super) fn bound(&mut self, rtt: Span) {
        let Some(taken) = self.delivery_bound.taken(self.path()) else { return };
        if self.delivery_bound.lossy() {
            let time =
                if self.phase == Phase::Compete { rtt } else { self.times.base() + self.target() };
            let most = MAX_WINDOW_OVER_ARRIVALS * taken * time.as_secs_f64();
            self.window = self.window.min(most.max(self.least()));
        }
    }
}

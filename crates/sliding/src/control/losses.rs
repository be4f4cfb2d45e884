//! How the window responds to losses and marks.
//!
//! - A loss beyond the path's own loss rate ([`crate::loss_cusum`]): the window falls to
//!   `FIRST_REDUCTION`, then by half each round trip while such losses continue, and the flow
//!   shares. If the losses stay in a small window, they are shown to be the path's: then the window
//!   returns to half of its earlier size. Otherwise they end.
//! - A loss while the queue is long, in *Shared*: half.
//! - A mark: see [`Control::on_marked`].
//! - Where losses come in bursts: growth without growing arrivals ([`crate::delivery_bound`]).
//!
//! At most one reduction per round trip. Windows in packets.

use airtcp_units::{Nanos, Span};

use super::{
    BASE_MEMORY, Control, MAX_WINDOW_OVER_ARRIVALS, MIN_WINDOW, Phase, SHARED_AFTER_ROUNDS,
};
use crate::loss_cusum::Moment;

/// Reduction on a loss or a mark while the queue is shared (RFC 5681, RFC 3168 section 6.1.2).
const REDUCTION: f64 = 0.5;
/// The first reduction on an overflow (RFC 9438 section 4.6).
const FIRST_REDUCTION: f64 = 0.7;
/// The smallest reduction on a mark: while the queue is ours, or short (RFC 8511 section 3.1).
const MARK_REDUCTION: f64 = 0.8;
/// A window is small if it is this many times below the arrivals of a round trip.
const SMALL: f64 = 6.0;
/// Loss rate of a link from which a few suspected overflows do not count.
pub(super) const LOSSY: f64 = 0.005;
/// Growth of the window per round trip in packets, while the queue is shared.
const SHARED_GROWTH: f64 = 0.6;
/// Bound for a startup, whose arrivals belong to a round trip with half the window.
const MAX_STARTUP_WINDOW_OVER_ARRIVALS: f64 = 4.0;

impl Control {
    /// Whether the loss of packet `number` counts for [`Self::on_lost`].
    #[inline]
    pub(crate) fn counts_loss(&mut self, number: u64) -> bool {
        self.loss_cusum.counts(number)
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
        self.delivery_bound.on_resolved(resolved, arrived);
        let lost = resolved.saturating_sub(arrived + uncounted);
        let sent = resolved.saturating_sub(uncounted);
        if self.loss_cusum.on_resolved(self.now, lost, sent, self.moment()) {
            self.restore_window();
        }
        if !limited || self.probe.is_some() {
            return;
        }
        match self.phase {
            Phase::Startup => self.window += resolved as f64,
            Phase::Shared if self.loss_cusum.is_quiet() => {
                // A queue that marks keeps itself short.
                let growth = if self.marked.0 > 0 { 1.0 } else { SHARED_GROWTH };
                self.window += growth * resolved as f64 / self.window;
            }
            Phase::Shared | Phase::Alone => {}
        }
    }

    /// State of window and queue for the loss test.
    fn moment(&self) -> Moment {
        let queue = self.srtt().saturating_sub(self.base());
        let (most, low) = (self.longest(), self.low());
        Moment {
            small: self.is_small() && self.probe.is_none(),
            half: queue <= self.config.queue.max(most / 2),
            short: queue <= (low * 3 / 2).min(most * 3 / 5).max(most / 3),
            empty: queue <= low.min(most / 2).max(most / 4),
            long: self.is_long(),
        }
    }

    /// True if the window is small compared with the recent arrivals of a round trip.
    fn is_small(&self) -> bool {
        let most = self.delivery_bound.arriving() * self.base().as_secs_f64();
        self.window <= (most / SMALL).max(MIN_WINDOW)
    }

    /// True if the queue is at least half as long as the longest seen.
    fn is_long(&self) -> bool {
        let queue = self.latest.saturating_sub(self.base());
        queue >= self.longest() / 2 && queue >= self.config.shared_queue.min(self.full())
    }

    /// A queue near the longest seen, and longer than our own.
    pub(super) fn full(&self) -> Span {
        (self.longest() * 3 / 4).max(self.low() * 3 / 2)
    }

    /// Packet `number` was judged lost; `next` is the number of the next packet.
    #[inline]
    pub(crate) fn on_lost(&mut self, number: u64, next: u64) {
        if self.probe.is_some() || number < self.reduced_at {
            return;
        }
        self.loss_cusum.on_lost();
        // A transfer of a few round trips has no time for a test.
        if self.loss_cusum.exceeded() && !self.is_opening() && !self.is_small() {
            self.overflowed(next);
        } else if self.phase == Phase::Shared && self.is_long() && self.loss_cusum.on_lost_long() {
            self.window = (self.window * REDUCTION).max(MIN_WINDOW);
            self.reductions += 1;
            self.reduced_at = next;
            self.loss_cusum.on_long();
        }
    }

    /// More is lost than the path explains: a buffer overflows. If that continues in a window of
    /// any size, it was no overflow.
    fn overflowed(&mut self, next: u64) {
        let share = if self.loss_cusum.is_quiet() { FIRST_REDUCTION } else { REDUCTION };
        self.loss_cusum.on_overflow();
        let now = self.now;
        if now.since(self.overflows.1) > BASE_MEMORY {
            self.overflows.0 = 0;
        }
        self.overflows = (self.overflows.0.saturating_add(1), now);
        // On a link with a high loss rate, chance sometimes looks like an overflow.
        let chance = self.phase == Phase::Alone
            && self.before_suspected_overflow.is_none()
            && self.loss_cusum.path() > LOSSY
            && self.overflows.0 < SHARED_AFTER_ROUNDS;
        if self.phase != Phase::Shared && !chance {
            self.before_suspected_overflow =
                self.before_suspected_overflow.or(Some((self.window, self.phase)));
            self.share(now);
        }
        self.window = (self.window * share).max(MIN_WINDOW);
        self.boost = 1.0;
        self.reductions += 1;
        self.reduced_at = next;
    }

    /// The path itself loses that much: the suspected overflow was none. Returns to half of the
    /// window from before it.
    pub(super) fn restore_window(&mut self) {
        if self.loss_cusum.path() <= 0.0 && !self.loss_cusum.bursts() {
            return;
        }
        if let Some((window, phase)) = self.before_suspected_overflow.take() {
            self.window = self.window.max(window / 2.0);
            self.phase = phase;
        }
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
            Phase::Alone if self.marked.0 >= SHARED_AFTER_ROUNDS && self.probe.is_none() => {
                self.share(now);
                REDUCTION
            }
            // The window that would leave no queue, if the queue is longer than marking queues
            // usually are.
            Phase::Alone => {
                let empty = self.base().as_secs_f64() / self.latest.as_secs_f64().max(1e-9);
                empty.clamp(REDUCTION, MARK_REDUCTION)
            }
            Phase::Shared => REDUCTION,
        };
        self.window = (self.window * share).max(MIN_WINDOW);
        // The window restored after a probe, or when another flow's queue is found.
        self.high.0 *= share;
        self.boost = 1.0;
        if let Some((saved, _)) = &mut self.probe {
            *saved = (*saved * share).max(MIN_WINDOW);
        }
    }

    /// Limits the window to the arrivals. Beyond them a buffer overflows without a visible delay,
    /// and the flow competes for it as for another flow's queue.
    pub(super) fn limit_to_arrivals(&mut self, now: Nanos, rtt: Span, next: u64) {
        let Some(taken) = self.delivery_bound.taken() else { return };
        if !self.delivery_bound.lossy() {
            return;
        }
        let base = self.base();
        let time = match self.phase {
            Phase::Startup => base.as_secs_f64() * MAX_STARTUP_WINDOW_OVER_ARRIVALS,
            Phase::Alone => (base.as_secs_f64() * MAX_WINDOW_OVER_ARRIVALS)
                .max((base + self.low() * 2).as_secs_f64()),
            Phase::Shared => self.srtt().max(rtt).as_secs_f64() * MAX_WINDOW_OVER_ARRIVALS,
        };
        let most = taken * time + f64::from(self.config.queue_packets);
        if self.window <= most {
            return;
        }
        self.window = most;
        if self.phase == Phase::Startup {
            self.leave_startup(now);
        }
        if self.phase == Phase::Alone {
            self.share(now);
        }
        self.window = (self.window * REDUCTION).max(MIN_WINDOW);
        self.boost = 1.0;
        self.reductions += 1;
        self.reduced_at = next;
    }

    /// A queue that stays short without a probe belongs to no other flow, if the base is certain
    /// and losses had indicated that queue.
    pub(super) fn shared_round(&mut self, queue: Span) {
        self.empty = if queue <= self.low() { self.empty + 1 } else { 0 };
        let suspected =
            self.is_first && self.before_suspected_overflow.is_some() && self.marked.0 == 0;
        if suspected && self.empty >= SHARED_AFTER_ROUNDS && self.loss_cusum.is_quiet() {
            self.phase = Phase::Alone;
        }
    }

    /// Where losses are independent: limits the window to the arrivals, independent of the estimate
    /// of the path's loss rate.
    pub(super) fn bound(&mut self, rtt: Span) {
        let Some(taken) = self.delivery_bound.taken() else { return };
        if self.delivery_bound.lossy() {
            let time = if self.phase == Phase::Shared { rtt } else { self.base() + self.low() };
            let most = MAX_WINDOW_OVER_ARRIVALS * taken * time.as_secs_f64();
            self.window = self.window.min(most.max(MIN_WINDOW));
        }
    }
}

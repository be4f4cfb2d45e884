//! What the window does about losses and marks.
//!
//! - A loss beyond what the path loses by itself ([`crate::loss_cusum`]): the window goes down to
//!   `FIRST_REDUCTION`, then to half each round trip as long as that goes on, and the flow shares. It
//!   ends in a small window, where the same losses are shown to be the path's: then it returns to half
//!   of where it came from; or they end.
//! - A loss while the queue is long, in *Shared*: half.
//! - A mark: see [`Control::on_marked`].
//! - Where losses come in bursts: growth that what arrives does not pay for ([`crate::delivery_bound`]).
//!
//! One reduction a round trip. Windows in packets.

use airtcp_units::{Nanos, Span};

use super::{BASE_MEMORY, Control, MIN_WINDOW, PATIENT_ROUNDS, Phase, UNPAID};
use crate::loss_cusum::Moment;

/// Reduction on a loss or a mark while the queue is shared (RFC 5681, RFC 3168 section 6.1.2).
const REDUCTION: f64 = 0.5;
/// The first reduction on an overflow (RFC 9438 section 4.6).
const FIRST_REDUCTION: f64 = 0.7;
/// The least reduction on a mark: while the queue is ours, or short (RFC 8511 section 3.1).
const MARK_REDUCTION: f64 = 0.8;
/// A window is small that is this many times less than what arrived in a round trip.
const SMALL: f64 = 6.0;
/// Share that a link loses by itself, from which on a few overflows are none.
pub(super) const LOSSY: f64 = 0.005;
/// Packets by which the window grows in a round trip while the queue is shared.
const SHARED_GROWTH: f64 = 0.6;
/// What arrives in a startup is of a round trip with half the window.
const UNPAID_STARTUP: f64 = 4.0;

impl Control {
    /// Whether the loss of packet `number` counts as one, for [`Self::on_lost`].
    #[inline]
    pub(crate) fn counts_loss(&mut self, number: u64) -> bool {
        self.loss_cusum.counts(number)
    }

    /// The fates of so many packets became known, so many of which arrived and so many of whose losses do
    /// not count; `limited` if the window held packets back.
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

    /// What the present tells of losses.
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

    /// The window is small beside what arrived in a round trip of late.
    fn is_small(&self) -> bool {
        let most = self.delivery_bound.arriving() * self.base().as_secs_f64();
        self.window <= (most / SMALL).max(MIN_WINDOW)
    }

    /// The queue is at least half as long as the longest seen.
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
        // A transfer of a few round trips has no time to find out.
        if self.loss_cusum.exceeded() && !self.is_opening() && !self.is_small() {
            self.overflowed(next);
        } else if self.phase == Phase::Shared && self.is_long() && self.loss_cusum.on_lost_long() {
            self.window = (self.window * REDUCTION).max(MIN_WINDOW);
            self.reductions += 1;
            self.reduced_at = next;
            self.loss_cusum.on_long();
        }
    }

    /// More is lost than the path explains: a buffer overflows, ours or everybody's. If that goes on
    /// however small the window becomes, it was none.
    fn overflowed(&mut self, next: u64) {
        let share = if self.loss_cusum.is_quiet() { FIRST_REDUCTION } else { REDUCTION };
        self.loss_cusum.on_overflow();
        let now = self.now;
        if now.since(self.overflows.1) > BASE_MEMORY {
            self.overflows.0 = 0;
        }
        self.overflows = (self.overflows.0.saturating_add(1), now);
        // A link that loses much looks like an overflow now and then.
        let chance = self.phase == Phase::Alone
            && self.before_suspected_overflow.is_none()
            && self.loss_cusum.path() > LOSSY
            && self.overflows.0 < PATIENT_ROUNDS;
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

    /// The path loses that much by itself: the suspected overflow was none. Returns to half of the
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

    /// A packet up to `number` was marked: at most one answer, to this or to a loss, for what left
    /// before it.
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
            Phase::Alone if self.marked.0 >= PATIENT_ROUNDS && self.probe.is_none() => {
                self.share(now);
                REDUCTION
            }
            // What would leave no queue, if there is more of one than marks usually ask for.
            Phase::Alone => {
                let empty = self.base().as_secs_f64() / self.latest.as_secs_f64().max(1e-9);
                empty.clamp(REDUCTION, MARK_REDUCTION)
            }
            Phase::Shared => REDUCTION,
        };
        self.window = (self.window * share).max(MIN_WINDOW);
        // What the window returns to after a probe, or when another's queue is found.
        self.high.0 *= share;
        self.boost = 1.0;
        if let Some((saved, _)) = &mut self.probe {
            *saved = (*saved * share).max(MIN_WINDOW);
        }
    }

    /// Holds the window to what arrives. Beyond it a buffer overflows, ours or everybody's, without a
    /// delay that shows it: that is competed for as with another's queue.
    pub(super) fn pay(&mut self, now: Nanos, rtt: Span, next: u64) {
        let Some(taken) = self.delivery_bound.taken() else { return };
        if !self.delivery_bound.lossy() {
            return;
        }
        let base = self.base();
        let time = match self.phase {
            Phase::Startup => base.as_secs_f64() * UNPAID_STARTUP,
            Phase::Alone => {
                (base.as_secs_f64() * UNPAID).max((base + self.low() * 2).as_secs_f64())
            }
            Phase::Shared => self.srtt().max(rtt).as_secs_f64() * UNPAID,
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

    /// A queue that stays short without a probe is nobody's, if the base is certain and it was losses that
    /// told of one.
    pub(super) fn shared_round(&mut self, queue: Span) {
        self.empty = if queue <= self.low() { self.empty + 1 } else { 0 };
        let suspected =
            self.is_first && self.before_suspected_overflow.is_some() && self.marked.0 == 0;
        if suspected && self.empty >= PATIENT_ROUNDS && self.loss_cusum.is_quiet() {
            self.phase = Phase::Alone;
        }
    }

    /// Where losses are independent: holds the window to what arrives, whatever the share of the path is
    /// believed to be.
    pub(super) fn bound(&mut self, rtt: Span) {
        let Some(taken) = self.delivery_bound.taken() else { return };
        if self.delivery_bound.lossy() {
            let time = if self.phase == Phase::Shared { rtt } else { self.base() + self.low() };
            let most = UNPAID * taken * time.as_secs_f64();
            self.window = self.window.min(most.max(MIN_WINDOW));
        }
    }
}

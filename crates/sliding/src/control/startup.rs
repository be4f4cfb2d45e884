//! The startup: what the first feedback proves bounds it.
//!
//! - The window doubles each round trip. If a packet waited, or other flows were there before, it is at
//!   most `PROVEN` times what arrived in the last round trip: many flows that start at once then send at
//!   most three times what the link carries.
//! - A queue ends the startup. Half of the window met no queue a round trip ago and is kept; from there
//!   the window grows by at most a quarter each round trip until a queue shows
//!   ([`super::Control::alone`]). Losses among the packets under way are answered by that.
//! - If no round trip is shorter than that of the opening, the opening met no queue. If moreover twice
//!   as much arrives in a round trip as in the one before, and no packet of it waited, nothing
//!   overflowed. What was lost then is the path's share of losses. A flow that joins others fails one of
//!   the conditions: it learns the share as before, in a small window.

use airtcp_units::{Nanos, Span};

use super::losses::LOSSY;
use super::{Control, FIRST_DEVIATION, MIN_WINDOW, Phase, UNPAID};

/// Rounds without growth that end the startup (BBR, section 4.3.1.2), and what growth is.
const FULL_ROUNDS: u32 = 3;
const GROWTH: f64 = 1.25;
/// Packets of a flow before losses are held against the path: a transfer of a few round trips has no
/// time for it.
const OPENING: u64 = 160;
/// The window of a startup is at most so many times what arrived in a round trip, and that of the
/// packets after it.
const PROVEN: f64 = 3.0;
const PROVEN_LATER: f64 = 2.0;
/// What arrives of a round in which twice as much was sent as before, if nothing overflows.
const DOUBLED: f64 = 1.5;
/// Multiple of the step after a startup.
const FIRST_BOOST: f64 = 8.0;

impl Control {
    /// A round trip of the opening: smoothed as any, but no base, as its packets are shorter than data.
    pub(crate) fn on_opening(&mut self, now: Nanos, rtt: Span) {
        self.smoothed = Some((rtt, rtt / FIRST_DEVIATION));
        self.opening = Some(rtt);
        self.latest = rtt;
        self.now = now;
    }

    /// The first packets, which losses do not slow down: in the startup, and after it while neither the
    /// opening nor a packet of data met another's queue.
    pub(super) fn is_opening(&self) -> bool {
        let queue = self.latest.saturating_sub(self.base());
        let alone = self.is_first && queue < self.config.shared_queue;
        self.loss_cusum.total() < OPENING && (alone || self.phase == Phase::Startup)
    }

    /// A round is over in which that much arrived.
    pub(super) fn prove(&mut self, arrived: f64, limited: bool) {
        let longest = std::mem::take(&mut self.round_most);
        if self.phase != Phase::Startup && !self.is_opening() {
            return;
        }
        let Some(before) = self.before.replace(arrived) else { return };
        if !limited {
            return;
        }
        let no_queue = longest.saturating_sub(self.base()) <= self.config.queue / 2;
        let mut most = PROVEN_LATER * arrived.max(before);
        if self.phase == Phase::Startup {
            self.loss_cusum.on_startup_round(arrived >= before * DOUBLED, no_queue);
            // Alone without a queue, what did not arrive the path has lost.
            most = if self.is_first && no_queue { f64::MAX } else { PROVEN * arrived };
        }
        self.window = self.window.min(most.max(MIN_WINDOW));
    }

    /// A queue appeared in the startup; `next` is the number of the next packet.
    pub(super) fn on_startup_queue(&mut self, now: Nanos, next: u64) {
        self.loss_cusum.on_queue(now);
        if self.loss_cusum.path() > LOSSY {
            // The queue that is kept is as short as that of flows that had to find out.
            self.overflows = (1, now);
        }
        self.leave_startup(now);
        self.reduced_at = next;
        self.boost = FIRST_BOOST;
    }

    pub(super) fn leave_startup(&mut self, now: Nanos) {
        let rate = self.passed[0].max(self.passed[1]);
        let base = self.base().as_secs_f64();
        // What passed counts what a buffer dropped; what is paid for does not.
        let rate = self.delivery_bound.taken().map_or(rate, |taken| rate.min(taken * UNPAID));
        if rate > 0.0 {
            let half = self.window / 2.0;
            self.window = self.window.min((rate * base).max(half)).max(MIN_WINDOW);
        }
        self.loss_cusum.end_startup();
        self.phase = Phase::Alone;
        self.next_probe = now + self.config.probe_interval;
        self.round_least = None;
    }

    pub(super) fn is_full(&mut self, now: Nanos, arrived: f64, limited: bool) {
        let (best, rounds) = self.full;
        if !limited || arrived >= best * GROWTH {
            self.full = (best.max(arrived), 0);
        } else if rounds + 1 >= FULL_ROUNDS {
            self.window /= 2.0;
            self.leave_startup(now);
        } else {
            self.full.1 = rounds + 1;
        }
    }

    /// The round trip without a queue that the opening shows. Data take longer than an opening of 48 bytes
    /// by the time of a packet at the rate of the path, as far as that is known.
    pub(super) fn opening_base(&self) -> Option<Span> {
        let own = Span::from_secs_f64(1.0 / self.fastest.max(1.0));
        self.opening.map(|opening| opening + own.min(self.config.queue * super::MAX_QUEUE_FACTOR))
    }
}

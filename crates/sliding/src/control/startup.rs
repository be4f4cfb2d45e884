//! The startup: the first feedback bounds it.
//!
//! - The window doubles each round trip. If a packet waited, or other flows were there before, the
//!   window is at most `PROVEN` times the arrivals of the last round trip. Many flows that start at
//!   once then send at most three times what the link carries.
//! - A queue ends the startup. Half of the window met no queue a round trip ago and is kept. From
//!   there the window grows by at most a quarter each round trip until a queue shows
//!   ([`super::Control::alone`]). That is also the response to losses among the packets in flight.
//! - If no round-trip time is shorter than that of the opening, the opening met no queue. If also
//!   the arrivals of a round trip double and none of these packets waited, nothing overflowed, and
//!   the losses are the path's own. A flow that joins others fails one of the conditions, and
//!   learns the loss rate in a small window.

use airtcp_units::{Nanos, Span};

use super::losses::LOSSY;
use super::{Control, FIRST_DEVIATION, MAX_WINDOW_OVER_ARRIVALS, MIN_WINDOW, Phase};

/// Rounds without growth that end the startup (BBR, section 4.3.1.2), and the growth factor.
const FULL_ROUNDS: u32 = 3;
const GROWTH: f64 = 1.25;
/// Number of packets of a flow before losses are tested: a transfer of a few round trips has no
/// time for a test.
const OPENING: u64 = 160;
/// Maximum window of a startup as a multiple of the arrivals per round trip, and the same after the
/// first packets.
const PROVEN: f64 = 3.0;
const PROVEN_LATER: f64 = 2.0;
/// Growth factor of the arrivals in a round of doubled sending, if nothing overflows.
const DOUBLED: f64 = 1.5;
/// Initial multiple of the step after a startup.
const FIRST_BOOST: f64 = 8.0;

impl Control {
    /// A round-trip time of the opening: smoothed like any other, but no base, since its packets
    /// are shorter.
    pub(crate) fn on_opening(&mut self, now: Nanos, rtt: Span) {
        self.smoothed = Some((rtt, rtt / FIRST_DEVIATION));
        self.opening = Some(rtt);
        self.latest = rtt;
        self.now = now;
    }

    /// True for the first packets, whose losses do not slow the sender: in the startup, and after
    /// it while neither the opening nor a data packet met another flow's queue.
    pub(super) fn is_opening(&self) -> bool {
        let queue = self.latest.saturating_sub(self.base());
        let alone = self.is_first && queue < self.config.shared_queue;
        self.loss_cusum.total() < OPENING && (alone || self.phase == Phase::Startup)
    }

    /// A round is over in which `arrived` packets arrived.
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
            // Alone without a queue, the missing packets are the path's losses.
            most = if self.is_first && no_queue { f64::MAX } else { PROVEN * arrived };
        }
        self.window = self.window.min(most.max(MIN_WINDOW));
    }

    /// A queue appeared in the startup; `next` is the number of the next packet.
    pub(super) fn on_startup_queue(&mut self, now: Nanos, next: u64) {
        self.loss_cusum.on_queue(now);
        if self.loss_cusum.path() > LOSSY {
            // The queue kept is as short as that of flows that had to search for the window.
            self.overflows = (1, now);
        }
        self.leave_startup(now);
        self.reduced_at = next;
        self.boost = FIRST_BOOST;
    }

    pub(super) fn leave_startup(&mut self, now: Nanos) {
        let rate = self.passed[0].max(self.passed[1]);
        let base = self.base().as_secs_f64();
        // The rate through the bottleneck includes packets that a buffer dropped; the arrivals do
        // not.
        let rate = self
            .delivery_bound
            .taken()
            .map_or(rate, |taken| rate.min(taken * MAX_WINDOW_OVER_ARRIVALS));
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

    /// The round-trip time without a queue that the opening shows. Data packets take longer than an
    /// opening of 48 bytes, by the time of a packet at the path's rate, as far as that rate is
    /// known.
    pub(super) fn opening_base(&self) -> Option<Span> {
        let own = Span::from_secs_f64(1.0 / self.fastest.max(1.0));
        self.opening.map(|opening| opening + own.min(self.config.queue * super::MAX_QUEUE_FACTOR))
    }
}

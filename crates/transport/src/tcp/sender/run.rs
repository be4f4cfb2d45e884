//! Several full segments of a plain sender at one instant, without a poll for each.
//!
//! What `Sender::next_plain` decides about a segment, it decides in the same way about the next one at the same instant, up to
//! what the departure itself changes:
//!
//! - the data, the peer's window and the law's window do not move, so the number of full segments that they admit is a
//!   quotient. A law of this workspace does not answer departures; one from outside may, and goes the other way;
//! - without pacing, and without a small queue below, nothing else delays the next segment;
//! - each segment records the delivery state at its departure: of this, only the data in flight differs;
//! - the timers start at the same instant. The first segment starts the retransmission timer if it does not run, and each
//!   sets the timer of the loss probe to the same time, since more than one segment is outstanding then;
//! - with one timed segment a round trip, the first one is timed.
//!
//! If the law's window ends the run, a further poll would find that, and no more. `tests/predict.rs` compares both paths.

use airtcp_units::{Nanos, Narrow};

use super::{Env, Sender};
use crate::tcp::config::RttSampling;
use crate::tcp::scoreboard::SentSegment;
use crate::tcp::timers::Timer;
use airtcp_congestion::{CongestionControl, Law, Sent};

/// Full segments of new data that leave at one instant.
pub(crate) struct Departures {
    /// Offset of the first byte.
    pub(crate) start: u64,
    /// Number of segments.
    pub(crate) count: u32,
    /// The law's window is full then.
    pub(crate) held: bool,
}

impl Sender {
    /// The next segments at `now`, at most `most`, of a plain sender whose segments carry no SACK blocks and no CWR. `None` if
    /// something else may delay them, or if there are none.
    #[inline]
    pub(crate) fn next_run(
        &mut self,
        now: Nanos,
        most: u32,
        env: &mut Env<'_>,
    ) -> Option<Departures> {
        let (start, len, outstanding) = (self.nxt, u64::from(self.mss), self.in_flight());
        let waits = now < self.pacer.next || now < self.hold_until || self.small_queue.is_some();
        let is_free = self.pacing_rate(env.config).is_none() && !matches!(self.law, Law::Dyn(_));
        if waits || !is_free || outstanding == 0 || self.recovery.has_prr() {
            return None;
        }
        let window = self.law.cwnd().min(self.window_cap).max(len);
        let ready = self.edge.min(self.stream_end() - 1).saturating_sub(start);
        let room = window.saturating_sub(outstanding);
        let all = room.min(ready) / len;
        let count = all.min(u64::from(most));
        if count == 0 {
            return None;
        }
        for _ in 0..count {
            let snapshot = self.snapshot(now, self.mss);
            self.board.push(SentSegment::new(self.nxt, self.mss, false, now, snapshot));
            self.nxt += len;
            let pipe = self.board.pipe();
            self.law.on_sent(now, &Sent { bytes: len, pipe, retransmission: false });
        }
        if self.timed.is_none() && env.config.rtt_sampling == RttSampling::OnePerRoundTrip {
            self.timed = Some((start + len, now));
        }
        if !env.timers.is_running(Timer::Retransmit) {
            self.arm(now, env.timers);
        }
        self.last_sent = Some(now);
        self.schedule_probe(now, env);
        // One more full segment is ready, and the window has no room for it.
        let held = count == all && ready >= (count + 1) * len;
        if held {
            self.hold_for_window(now, window);
        }
        Some(Departures { start, count: u32::narrow(count), held })
    }
}

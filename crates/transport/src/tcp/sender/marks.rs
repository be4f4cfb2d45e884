//! Response to the echo of a congestion mark: RFC 3168 section 6.1.2.
//!
//! At most one reaction per window of data: none before data sent after the last reduction is
//! acknowledged, whether a mark or a loss caused it. FlightSize is the data outstanding when the
//! ACK with the echo arrived. The data that this ACK acknowledges was in the network when the mark
//! was made. Otherwise a law that keeps a share of FlightSize would keep less after an ACK that
//! covers more. Bytes.

use airtcp_packet::Segment;
use airtcp_units::Nanos;

use super::{Env, Sender};
use airtcp_congestion::{Congestion, CongestionControl, CongestionKind};

impl Sender {
    /// Processes the echo of an acknowledgement that found `outstanding` in the network and was the first to report
    /// `delivered` bytes. Returns whether the ACK has an echo, and the bytes that it newly reports as marked, which only
    /// accurate feedback knows.
    #[inline]
    pub(super) fn take_echo(
        &mut self,
        now: Nanos,
        segment: &Segment,
        (outstanding, delivered): (u64, u64),
        env: &mut Env<'_>,
    ) -> (bool, u64) {
        self.recovery.end_mark(self.una);
        let mss = u64::from(self.mss);
        let (echo, marked) = env.ecn.echoed(segment, || delivered.div_ceil(mss));
        if echo {
            self.on_ecn_echo(now, outstanding, env);
        }
        (echo, marked * mss)
    }

    /// An ACK that found `outstanding` in the network echoed a mark (FlightSize, including the data
    /// that the ACK acknowledges).
    fn on_ecn_echo(&mut self, now: Nanos, outstanding: u64, env: &mut Env<'_>) {
        let answered = self.answers_marks(env.config);
        if self.una <= env.ecn.reacted_up_to || answered {
            return;
        }
        let before = self.law.cwnd();
        let at_floor = before <= u64::from(self.mss);
        env.stats.ecn_reactions += 1;
        // Data of limited transmit does not count, as for a loss.
        let flight = self.recovery.without_limited(outstanding);
        let episode = Congestion { kind: CongestionKind::EcnCe, flight, restart: false };
        self.law.on_congestion(now, &episode);
        self.window_wait.on_mark(before, &self.law);
        env.ecn.on_reduction(self.nxt);
        if !self.law.answers_marks_at_once() {
            // A reaction to a share of marks does not answer a loss of the same window.
            env.ecn.marked_up_to = self.nxt;
            self.prr_begin_mark(env.config);
        }
        // The mark requires a reduction of its own: nothing can be undone any more.
        self.spurious.forget();
        if at_floor {
            // The window cannot shrink further: the next new segment waits for the time of a
            // retransmission timeout.
            self.hold_until = now + self.rtt.rto();
        }
    }
}

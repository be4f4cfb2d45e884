//! Answering the echo of a congestion mark: RFC 3168 section 6.1.2.
//!
//! At most one reaction per window of data: none before data sent after the last reduction is
//! acknowledged, whether a mark or a loss was its reason. FlightSize is what was outstanding when
//! the ACK with the echo arrived: what it acknowledges was in the network while the mark was made,
//! and a law that keeps a share of FlightSize would otherwise keep the less the more one ACK
//! covers. Bytes.

use airtcp_packet::{Flags, Segment};
use airtcp_units::Nanos;

use super::{Env, Sender};
use airtcp_congestion::{Congestion, CongestionControl, CongestionKind};

impl Sender {
    /// Takes the echo of an acknowledgement that found `outstanding` in the network; returns whether
    /// it has one.
    #[inline]
    pub(super) fn take_echo(
        &mut self,
        now: Nanos,
        segment: &Segment,
        outstanding: u64,
        env: &mut Env<'_>,
    ) -> bool {
        self.recovery.end_mark(self.una);
        let echo = env.ecn.enabled && segment.flags.has(Flags::ECE);
        if echo {
            self.on_ecn_echo(now, outstanding, env);
        }
        echo
    }

    /// A mark was echoed by an ACK that found `outstanding` in the network (FlightSize, before
    /// anything it acknowledges is taken off).
    fn on_ecn_echo(&mut self, now: Nanos, outstanding: u64, env: &mut Env<'_>) {
        let answered = self.answers_marks(env.config);
        if self.una <= env.ecn.reacted_up_to || answered {
            return;
        }
        let at_floor = self.law.cwnd() <= u64::from(self.mss);
        env.stats.ecn_reactions += 1;
        // What limited transmit sent does not count, as for a loss.
        let flight = self.recovery.without_limited(outstanding);
        let episode = Congestion { kind: CongestionKind::EcnCe, flight, restart: false };
        self.law.on_congestion(now, &episode);
        env.ecn.on_reduction(self.nxt);
        env.ecn.marked_up_to = self.nxt;
        self.prr_begin_mark(env.config);
        // The mark asked for a reduction of its own: nothing is undone any more.
        self.spurious.forget();
        if at_floor {
            // The window cannot shrink further: the next new segment waits for the time of a
            // retransmission timeout.
            self.hold_until = now + self.rtt.rto();
        }
    }
}

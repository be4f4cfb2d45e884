//! The Eifel detection algorithm, RFC 3522 section 3.2.
//!
//! (2) RetransmitTS is the timestamp of the first retransmission of the recovery. (3) At the first
//!   ACK
//! of new data after it: (4) if the ACK echoes an older timestamp, it acknowledges the original.
//! (5) Two cases are excluded: the ACK carries a DSACK, or it acknowledges everything outstanding
//! and the receiver has never sent a DSACK. In the second case all ACKs of the flight may have been
//! lost, and the echo is that of the last segment that was no duplicate. (6) The recovery was
//! spurious.
//!
//! [choice] The algorithm runs only if the first retransmission is the first one of the oldest
//! segment. RACK and tail loss probes cause others, and the echo of an earlier copy would look like
//! the original.
//!
//! Needs timestamps (RFC 7323) that tick faster than the round trip. A retransmission in the tick
//! of its original cannot be distinguished from it and counts as needed.

use airtcp_units::{Nanos, Span};

use super::evidence::Evidence;
use crate::tcp::timestamps::clock_at;

#[derive(Debug, Clone, Default)]
pub(super) struct Eifel {
    /// Departure of the first retransmission: RetransmitTS.
    first_sent: Option<Nanos>,
    /// The acceptable ACK has arrived, or no ACK can be acceptable.
    over: bool,
}

impl Eifel {
    /// A segment is retransmitted; `oldest` if it is the first outstanding one and was never
    /// retransmitted before.
    pub(super) fn on_retransmission(&mut self, now: Nanos, oldest: bool) {
        if self.first_sent.is_none() {
            self.first_sent = Some(now);
            self.over = !oldest;
        }
    }

    /// Steps 3 to 6; `all` if nothing is outstanding after the ACK; `tick` is that of the timestamp
    /// clock.
    pub(super) fn is_spurious(&mut self, ack: &Evidence, all: bool, tick: Span) -> bool {
        let (Some(sent), Some(echo)) = (self.first_sent, ack.echo) else { return false };
        if ack.acked == 0 || std::mem::replace(&mut self.over, true) {
            return false;
        }
        let original = echo.wrapping_sub(clock_at(sent, tick)).cast_signed() < 0;
        let (here, before) = ack.dsack;
        original && !here && (before || !all)
    }
}

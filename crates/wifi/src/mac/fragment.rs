//! Fragmentation: a long packet is sent as several frames, SIFS apart, each acknowledged.
//!
//! ```text
//! fragments = ceil((packet + 8) / body)      body = threshold - MAC header and FCS, even
//! Duration of a fragment  = SIFS + ACK + [SIFS + next fragment + SIFS + ACK]
//! Duration of its ACK     = that of the fragment - SIFS - ACK
//! ```
//! All fragments but the last have the same length. Attempts count per fragment. If a fragment reaches
//! the retry limit, the sender drops the packet. After a failure, the sender contends again and
//! continues with the failed fragment. The receiver detects duplicates by sequence number and fragment
//! number, and delivers the packet with its last fragment. Lengths are in bytes. Source: IEEE
//! 802.11-2012 clauses 9.2.3, 9.3.2.10, 9.3.4.5, 9.5 and 9.6, 8.2.5.2 (Duration).
//!
//! Two simplifications: The Duration field assumes that the next fragment has the same rate, but rate
//! control may change it. CTS-to-self precedes only the first fragment; the others are covered by the
//! Duration fields of fragments and ACKs, which 802.11b stations cannot decode.

use airtcp_units::{Nanos, Narrow, Span};

use super::exchange::{Due, Exchange};
use super::outcome::{attempt, outcome};
use super::sending::data_and_ack_time;
use super::{Frame, Mpdu, Part, Rules, Station};
use crate::rate::{Ending, RateControl};

impl Mpdu {
    /// Moves on to the next fragment, with its attempts at 0.
    pub(super) const fn advance(&mut self, next: Part) {
        self.part = next;
        self.bytes = next.bytes();
        self.short_failures = 0;
        self.long_failures = 0;
        self.transmissions = 0;
    }
}

impl Station {
    /// Time that a data frame reserves beyond its own ACK: that of the next fragment, or the next
    /// frame of a burst (OAR), and its ACK. The next frame of a burst counts as equally long.
    pub(super) fn further_reservation(&self, mpdu: &Mpdu, rules: &Rules) -> Span {
        let follows = match mpdu.part.next() {
            Some(next) => next.bytes(),
            None if self.burst.1 > 0
                && self.burst.0 == mpdu.to
                && self.rates.control.burst_reserves() =>
            {
                mpdu.bytes
            }
            None => return Span::ZERO,
        };
        let follows = Mpdu { bytes: follows, ..*mpdu }.alone();
        rules.timing.sifs + data_and_ack_time(mpdu.mode, follows.bytes, rules)
    }

    /// The next fragment, if it fits into the transmission opportunity.
    pub(super) fn next_fragment(&mut self, now: Nanos, rules: &Rules) -> Option<Frame> {
        if self.expire(now, self.active) {
            self.contenders[self.active].draw(now, &mut self.random);
            self.exchange = Exchange::None;
            self.next_management(now, rules);
            return None;
        }
        let next = self.choose_mode(now)?.alone();
        let limited = self.contenders[self.active].txop > Span::ZERO;
        if limited && now + data_and_ack_time(next.mode, next.bytes, rules) > self.txop_end {
            self.contenders[self.active].draw(now, &mut self.random);
            self.exchange = Exchange::None;
            return None;
        }
        self.data(rules)
    }

    /// Moves on to the next fragment after an ACK. Returns false if the packet has no more.
    pub(super) fn continue_with_next_fragment(&mut self, now: Nanos, rules: &Rules) -> bool {
        let category = u8::narrow(self.active);
        let Some(mpdu) = self.contenders[self.active].mpdu.as_mut() else { return false };
        let Some(next) = mpdu.part.next() else { return false };
        let done = outcome(now, self.active, mpdu, Ending::Acknowledged, false);
        mpdu.advance(next);
        let first = attempt(now, category, mpdu);
        self.rates.control.on_result(&done);
        self.rates.control.on_packet(&first);
        self.exchange = Exchange::Sending;
        self.due = Some((now + rules.timing.sifs, Due::Fragment));
        true
    }
}

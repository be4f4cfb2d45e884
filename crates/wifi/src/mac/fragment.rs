//! Fragmentation: a long packet goes as several frames, each acknowledged, SIFS apart.
//!
//! ```text
//! fragments = ceil((packet + 8) / body)      body = threshold - MAC header and FCS, even
//! Duration of a fragment  = SIFS + ACK + [SIFS + next fragment + SIFS + ACK]
//! Duration of its ACK     = that of the fragment - SIFS - ACK
//! ```
//! All fragments but the last are equally long. Each has attempts of its own; when one is given up, so is the packet. A
//! fragment that failed contends again and its burst goes on from there. The receiver knows a
//! repetition by sequence number and fragment number, and hands the packet up with its last fragment. Source: IEEE 802.11-2012
//! clauses 9.2.3, 9.3.2.10, 9.3.4.5, 9.5 and 9.6, 8.2.5.2 (Duration).
//!
//! Left out: a burst's rate is chosen anew for each fragment, while its Duration takes the next to go
//! as fast; CTS-to-self precedes only the first (its successors are reserved for by fragments and ACKs,
//! which stations of 802.11b do not read). Bytes and numbers without unit.

use airtcp_units::{Nanos, Narrow, Span};

use super::exchange::{Due, Exchange};
use super::outcome::{acknowledged_attempt, attempt};
use super::sending::acknowledged;
use super::station::SEQUENCES;
use super::{Frame, Mpdu, Part, Rules, Station};
use crate::rate::RateControl;

impl Mpdu {
    /// Goes over to the next fragment, which has failed in nothing yet.
    pub(super) const fn advance(&mut self, next: Part) {
        self.part = next;
        self.bytes = next.bytes();
        self.short = 0;
        self.long = 0;
        self.tries = 0;
    }
}

impl Station {
    /// What a data frame reserves beyond its own ACK: the frame that follows it SIFS after that, if
    /// one does, and the ACK of that one. Of a burst (OAR) the next packet is taken to be as long.
    pub(super) fn reserves_further(&self, mpdu: &Mpdu, rules: &Rules) -> Span {
        let follows = match mpdu.part.next() {
            Some(next) => next.bytes(),
            None if self.burst.1 > 0 && self.burst.0 == mpdu.to && self.rate.burst_reserves() => {
                mpdu.bytes
            }
            None => return Span::ZERO,
        };
        rules.timing.sifs + acknowledged(mpdu.mode, follows, rules)
    }

    /// The next fragment follows, if the transmission opportunity holds it.
    pub(super) fn next_fragment(&mut self, now: Nanos, rules: &Rules) -> Option<Frame> {
        if self.expire(now, self.active) {
            self.contenders[self.active].draw(now, &mut self.random);
            self.exchange = Exchange::None;
            self.next_management(now, rules);
            return None;
        }
        let next = self.choose(now)?;
        let limited = self.contenders[self.active].txop > Span::ZERO;
        if limited && now + acknowledged(next.mode, next.bytes, rules) > self.txop_end {
            self.contenders[self.active].draw(now, &mut self.random);
            self.exchange = Exchange::None;
            return None;
        }
        self.data(rules)
    }

    /// A fragment has been acknowledged: true if another follows it.
    pub(super) fn goes_on(&mut self, now: Nanos, rules: &Rules) -> bool {
        let category = u8::narrow(self.active);
        let Some(mpdu) = self.contenders[self.active].mpdu.as_mut() else { return false };
        let Some(next) = mpdu.part.next() else { return false };
        let done = acknowledged_attempt(now, category, mpdu);
        mpdu.advance(next);
        let first = attempt(now, category, mpdu);
        self.rate.on_result(&done);
        self.rate.on_packet(&first);
        self.exchange = Exchange::Sending;
        self.due = Some((now + rules.timing.sifs, Due::Fragment));
        true
    }

    /// Notes a frame; true if it brings something entire that the station has not had before. Its number is one of those that `sequences` counts.
    pub(super) fn completes(&mut self, frame: &Frame, sequences: usize) -> bool {
        let place = frame.from.index() * SEQUENCES + sequences;
        let this = u32::from(frame.sequence) << 4 | u32::from(frame.fragment);
        let seen = &mut self.seen[place];
        if frame.retry && *seen == this + 1 {
            return false;
        }
        // One that does not follow what was there before belongs to nothing.
        let follows = frame.fragment == 0 || *seen == this;
        *seen = if follows { this + 1 } else { 0 };
        follows && !frame.more_fragments
    }
}

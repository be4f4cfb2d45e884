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

use airtcp_units::{Nanos, Span};

use super::exchange::{Due, Exchange, acknowledged};
use super::station::SEQUENCES;
use super::{Frame, Mpdu, NodeId, Rules, Station, data_bytes};
use crate::rate::RateControl;

/// Most fragments of a packet (clause 8.2.4.4.3: four bits).
pub(crate) const MAX_FRAGMENTS: u32 = 16;

/// Least threshold: 256 bytes (`dot11FragmentationThreshold`).
pub(crate) const MIN_THRESHOLD: u64 = 256;

/// Which part of a packet a frame carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// Number of the fragment, from 0.
    pub(crate) number: u8,
    of: u8,
    /// MAC header and FCS.
    header: u32,
    /// What each fragment but the last carries.
    body: u32,
    /// What all carry together.
    all: u32,
}

impl Part {
    /// The first fragment of a packet whose one frame would have `bytes`.
    pub(crate) fn first(bytes: u32, rules: &Rules, to: NodeId) -> Self {
        let header = data_bytes(0, rules.qos()) - 8;
        let all = bytes.saturating_sub(header);
        let threshold = rules.mac.fragmentation_threshold.map(|t| t.0);
        match threshold {
            Some(limit) if to != NodeId::BROADCAST && u64::from(bytes) > limit => {
                let body = (limit as u32 - header) & !1;
                // No packet needs more than 16 of the least.
                let of = all.div_ceil(body).min(MAX_FRAGMENTS);
                Self { number: 0, of: of as u8, header, body, all }
            }
            _ => Self::whole(bytes, rules),
        }
    }

    /// All of a frame of `bytes`.
    pub(crate) fn whole(bytes: u32, rules: &Rules) -> Self {
        let header = data_bytes(0, rules.qos()) - 8;
        let all = bytes.saturating_sub(header);
        Self { number: 0, of: 1, header, body: all, all }
    }

    /// Length of its frame.
    pub(crate) const fn bytes(self) -> u32 {
        if self.has_next() {
            return self.header + self.body;
        }
        self.header + self.all - self.body * (self.of as u32 - 1)
    }

    /// Length of the frames of all fragments together.
    pub(crate) const fn bytes_of_all(self) -> u32 {
        self.all + self.header * self.of as u32
    }

    /// Whether another follows.
    pub(crate) const fn has_next(self) -> bool {
        self.number + 1 < self.of
    }

    pub(crate) fn next(self) -> Option<Self> {
        self.has_next().then(|| Self { number: self.number + 1, ..self })
    }
}

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
        let category = self.active as u8;
        let Some(mpdu) = self.contenders[self.active].mpdu.as_mut() else { return false };
        let Some(next) = mpdu.part.next() else { return false };
        let done = super::outcome::acknowledged_attempt(now, category, mpdu);
        mpdu.advance(next);
        let first = super::outcome::attempt(now, category, mpdu);
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

//! The acknowledgement of segments about which nothing is known but their departure.
//!
//! A board is *fresh* if each outstanding segment was sent once, was not reported, and counts in `pipe` once. Whatever
//! becomes known about one of them ends that ([`Scoreboard::note_history`]) until all that were outstanding are acknowledged.
//! Of the effects of an ACK of new data (`Scoreboard::ack`) there remain:
//!
//! - the departures of the first and of the last segment that it covers, and whether one was watched;
//! - `pipe`, which is the outstanding data, less what it covers;
//! - the bytes delivered, and the sample of the delivery rate. Of several segments, `RateSampler::on_delivered` keeps the
//!   one that left last, with the most delivered before it. Here this is the last one. So one call with the bytes of
//!   all is the same as one a segment;
//! - RACK's list, by segment.
//!
//! There are no runs, and the edge follows the first segment. `tests/predict.rs` compares both paths.

use airtcp_units::{Nanos, Narrow};

use super::{Acked, Scoreboard, SentSegment};
use crate::tcp::rate::{RateSampler, Snapshot};

impl Scoreboard {
    /// Something becomes known about an outstanding segment, besides its departure.
    pub(super) fn note_history(&mut self) {
        self.fresh_from = self.segments.back().map_or(self.fresh_from, SentSegment::end);
    }

    /// True if nothing is known about any outstanding segment but its departure: each was sent once and counts in `pipe`
    /// once, and an ACK of new data finds no losses.
    pub(crate) fn is_fresh(&self) -> bool {
        self.runs.is_empty()
            && self.losses.is_empty()
            && self.edge <= self.first
            && self.front().is_none_or(|s| s.start >= self.fresh_from)
    }

    /// [`ack`](Self::ack) of a fresh board.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once an ACK, by one caller")]
    pub(crate) fn ack_fresh(&mut self, ack: u64, now: Nanos, rate: &mut RateSampler) -> Acked {
        debug_assert!(self.is_fresh(), "something is known about a segment");
        let mut acked = Acked::default();
        let (mut bytes, mut snapshot) = (0, Snapshot::default());
        while let Some(front) = self.segments.front_mut().filter(|front| front.start < ack) {
            acked.oldest = acked.oldest.or(Some(front.sent_at));
            acked.newest = Some(front.sent_at);
            snapshot = front.rate;
            self.watched |= front.end() <= self.watch_end;
            if front.end() > ack {
                let covered = ack - front.start;
                (front.start, front.len) = (ack, front.len - u32::narrow(covered));
                bytes += covered;
                break;
            }
            bytes += u64::from(front.len);
            if let Some(rack) = &mut self.rack {
                rack.on_acked(now, front);
            }
            self.segments.pop_front();
            self.first += 1;
        }
        acked.last = acked.newest;
        if let Some(sent_at) = acked.newest {
            rate.on_delivered(now, bytes, sent_at, snapshot);
        }
        self.pipe -= bytes;
        self.high_rxt = self.high_rxt.max(ack);
        self.edge = self.edge.max(self.first);
        acked
    }
}

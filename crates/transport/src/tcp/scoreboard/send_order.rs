//! RACK's view of the outstanding segments: RFC 8985 sections 5 and 6.2.
//!
//! A linked list holds each outstanding segment that is neither SACKed nor lost, in the order of
//! the last departure. RACK finds the segments sent before the latest delivered one without a
//! search. Sending appends, everything else removes, both in constant time. A detection visits only
//! the segments that it marks lost or still waits for. The board also keeps the latest delivered
//! segment, and whether any segment arrived out of order.
//!
//! [choice] The list order decides which segment was sent first. RFC 8985 compares times, and
//! offsets at equal times (RACK_sent_after), which assumes that two segments rarely share an
//! instant. Here a whole window does, and a retransmission would count as older than the new data
//! that left with it.
//!
//! Only present with `rack = true`; without it the scoreboard pays one test per segment.

use std::cell::Cell;
use std::collections::VecDeque;

use airtcp_units::{Nanos, Narrow, Span};

use super::segment::SentSegment;
use crate::tcp::timestamps::clock_at;

/// No segment.
const NONE: u64 = u64::MAX;

/// Position of a segment in the order of departure.
#[derive(Debug, Clone, Copy)]
struct Link {
    before: u64,
    after: u64,
    /// Number of departures before this one, retransmissions included.
    ordinal: u64,
}

const UNLINKED: Link = Link { before: NONE, after: NONE, ordinal: 0 };

/// RACK's state of the segments; numbers are those of the scoreboard.
#[derive(Debug, Clone)]
pub(super) struct RackBoard {
    /// The link of each outstanding segment.
    links: VecDeque<Link>,
    first: u64,
    head: u64,
    tail: u64,
    /// Number of departures, retransmissions included.
    sent: u64,
    /// Segments marked lost and not retransmitted since.
    due: usize,
    /// None of them starts below this offset.
    due_from: Cell<u64>,
    /// Segments SACKed and not acknowledged (RACK.segs_sacked).
    sacked: usize,
    /// Ordinal of the latest delivered segment (RACK.xmit_ts and RACK.end_seq).
    latest: Option<u64>,
    /// RACK.rtt, and the ordinal of its segment if the ACK in process delivered that.
    rtt: Span,
    rtt_of: u64,
    /// RACK.fack, and its value before the ACK in process.
    fack: u64,
    fack_before: u64,
    reordering_seen: bool,
    /// True if anything was delivered since the last detection.
    advanced: bool,
    /// The smallest round-trip time, the timestamp echoed by the ACK in process, and the tick of
    /// that clock.
    min_rtt: Span,
    echo: Option<u32>,
    tick: Span,
}

impl RackBoard {
    pub(super) fn new(tick: Span) -> Self {
        Self {
            links: VecDeque::new(),
            first: 0,
            head: NONE,
            tail: NONE,
            sent: 0,
            due: 0,
            due_from: Cell::new(0),
            sacked: 0,
            latest: None,
            rtt: Span::ZERO,
            rtt_of: 0,
            fack: 0,
            fack_before: 0,
            reordering_seen: false,
            advanced: false,
            min_rtt: Span::ZERO,
            echo: None,
            tick,
        }
    }

    fn link(&mut self, number: u64) -> Option<&mut Link> {
        self.links.get_mut(usize::narrow(number.checked_sub(self.first)?))
    }

    fn is_linked(&self, number: u64) -> bool {
        let at = usize::narrow(number.wrapping_sub(self.first));
        self.head == number || self.links.get(at).is_some_and(|l| l.before != NONE)
    }

    pub(super) fn unlink(&mut self, number: u64) {
        if !self.is_linked(number) {
            return;
        }
        let Some(link) = self.link(number) else { return };
        let Link { before, after, .. } = *link;
        (link.before, link.after) = (NONE, NONE);
        match self.link(before) {
            Some(link) => link.after = after,
            None => self.head = after,
        }
        match self.link(after) {
            Some(link) => link.before = before,
            None => self.tail = before,
        }
    }

    /// A segment was sent, for the first time or again.
    pub(super) fn link_last(&mut self, number: u64) {
        self.unlink(number);
        let before = std::mem::replace(&mut self.tail, number);
        self.sent += 1;
        let ordinal = self.sent;
        if let Some(link) = self.link(number) {
            (link.before, link.ordinal) = (before, ordinal);
        }
        match self.link(before) {
            Some(link) => link.after = number,
            None => self.head = number,
        }
    }

    /// A segment is added after the last one.
    pub(super) fn on_push(&mut self) {
        self.links.push_back(UNLINKED);
        self.link_last(self.first + self.links.len() as u64 - 1);
    }

    /// The first segment is acknowledged.
    #[inline]
    pub(super) fn on_acked(&mut self, now: Nanos, segment: &SentSegment) {
        if segment.sacked {
            self.sacked -= 1;
        } else {
            self.due -= usize::from(segment.is_due());
            self.on_delivered(now, self.first, segment);
        }
        self.unlink(self.first);
        self.links.pop_front();
        self.first += 1;
    }

    pub(super) fn on_sacked(&mut self, now: Nanos, number: u64, segment: &SentSegment) {
        self.sacked += 1;
        self.due -= usize::from(segment.is_due());
        self.on_delivered(now, number, segment);
        self.unlink(number);
    }

    /// Section 6.2 steps 2 and 3: the latest delivered segment, and reordering. What one ACK reports has no order: a
    /// delayed ACK covers the segment before a gap together with the one after it.
    fn on_delivered(&mut self, now: Nanos, number: u64, segment: &SentSegment) {
        if segment.delivered {
            return;
        }
        let end = segment.end();
        if end < self.fack_before && !segment.retransmitted {
            self.reordering_seen = true;
        }
        self.fack = self.fack.max(end);
        let rtt = now.since(segment.sent_at);
        if segment.retransmitted {
            // The ACK is for an earlier copy if its echo is older, or if it arrived too early.
            let clock = clock_at(segment.sent_at, self.tick);
            let older = self.echo.is_some_and(|e| e.wrapping_sub(clock).cast_signed() < 0);
            if older || rtt < self.min_rtt {
                return;
            }
        }
        self.advanced = true;
        let ordinal = self.link(number).map(|l| l.ordinal);
        self.latest = self.latest.max(ordinal);
        // The RFC takes the segments of an ACK in the order of their departures; SACK blocks come before the rest here.
        let ordinal = ordinal.unwrap_or_default();
        if ordinal >= self.rtt_of {
            (self.rtt, self.rtt_of) = (rtt, ordinal);
        }
    }

    /// Called before an ACK that echoes `echo` is processed.
    pub(super) fn before_ack(&mut self, min_rtt: Option<Span>, echo: Option<u32>) {
        (self.min_rtt, self.echo) = (min_rtt.unwrap_or_default(), echo);
        (self.fack_before, self.rtt_of) = (self.fack, 0);
    }

    /// Whether anything was delivered since the last call.
    pub(super) const fn take_advanced(&mut self) -> bool {
        std::mem::replace(&mut self.advanced, false)
    }

    pub(super) const fn reordering_seen(&self) -> bool {
        self.reordering_seen
    }

    /// Number of segments SACKed and not acknowledged.
    pub(super) const fn sacked(&self) -> usize {
        self.sacked
    }

    pub(super) const fn due(&self) -> usize {
        self.due
    }

    /// Offset from which to search for the first segment marked lost; `None` if there is none.
    pub(super) fn due_from(&self) -> Option<u64> {
        (self.due > 0).then(|| self.due_from.get())
    }

    /// No segment marked lost starts below `offset`.
    pub(super) fn set_due_from(&self, offset: u64) {
        self.due_from.set(offset);
    }

    /// Time after its departure at which a segment is overdue; `None` before the first delivery.
    pub(super) fn overdue_after(&self, window: Span) -> Option<Span> {
        self.latest.map(|_| self.rtt + window)
    }

    /// The segment of the list with the earliest departure.
    pub(super) fn oldest(&self) -> Option<u64> {
        (self.head != NONE).then_some(self.head)
    }

    /// Whether a segment of the list left before the latest delivered one, and the next segment of
    /// the list.
    pub(super) fn is_overtaken(&self, number: u64) -> Option<(bool, Option<u64>)> {
        let link = self.links.get(usize::narrow(number.checked_sub(self.first)?))?;
        Some((
            self.latest.is_some_and(|latest| link.ordinal < latest),
            (link.after != NONE).then_some(link.after),
        ))
    }

    /// A segment that begins at `start` is marked lost.
    pub(super) fn on_lost(&mut self, start: u64) {
        self.due += 1;
        self.due_from.set(self.due_from.get().min(start));
    }

    /// A segment is retransmitted; `repairs` if it was marked lost until now.
    pub(super) fn on_sent_again(&mut self, number: u64, repairs: bool) {
        self.due -= usize::from(repairs);
        self.link_last(number);
    }

    /// Rebuilds the list and the counts after all segments, or none, became lost.
    pub(super) fn rebuild(&mut self, segments: &VecDeque<SentSegment>) {
        (self.head, self.tail, self.due, self.sacked) = (NONE, NONE, 0, 0);
        self.due_from.set(0);
        let mut sent = Vec::new();
        for ((number, segment), link) in (self.first..).zip(segments).zip(&mut self.links) {
            self.sacked += usize::from(segment.sacked);
            self.due += usize::from(segment.is_due());
            (link.before, link.after) = (NONE, NONE);
            if !segment.sacked && !segment.is_due() {
                sent.push((link.ordinal, number));
            }
        }
        sent.sort_unstable();
        for (ordinal, number) in sent {
            self.link_last(number);
            if let Some(link) = self.link(number) {
                link.ordinal = ordinal;
            }
        }
    }
}

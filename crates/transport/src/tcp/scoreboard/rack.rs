//! RACK's view of what is outstanding: RFC 8985 sections 5 and 6.2.
//!
//! Segments in the order in which they were last sent, so that those sent before the latest
//! delivered one are found without a search: a list through the outstanding segments that holds
//! each one neither reported nor lost. Sending adds at its end, everything else takes out, both in
//! constant time; a detection visits what it declares lost and what it still waits for. Beside the
//! list: what was delivered latest, and whether anything ever arrived out of order.
//!
//! [choice] What was sent before what is told by that order itself. RFC 8985 compares times, and
//! offsets where they are equal (RACK_sent_after): enough where no two segments share an instant,
//! but here a whole window does, and a retransmission would count as older than the new data that
//! left with it.
//!
//! Only present with `rack = true`; without it the scoreboard pays a test per segment.

use std::cell::Cell;
use std::collections::VecDeque;

use airtcp_units::{Nanos, Span};

use super::{Scoreboard, SentSegment};

/// No segment.
const NONE: u64 = u64::MAX;

/// What a detection found.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Detected {
    /// Until when the last of the segments still waited for has to be delivered.
    pub(crate) deadline: Option<Nanos>,
    /// Some were declared lost.
    pub(crate) any: bool,
    /// When the latest retransmission among them was sent.
    pub(crate) again: Option<Nanos>,
}

/// A segment's place in the order of sending.
#[derive(Debug, Clone, Copy)]
struct Link {
    before: u64,
    after: u64,
    /// How many segments had been sent when it was, repeated ones counted.
    ordinal: u64,
}

const UNLINKED: Link = Link { before: NONE, after: NONE, ordinal: 0 };

/// What RACK keeps about segments; numbers are those of the scoreboard.
#[derive(Debug, Clone)]
pub(super) struct RackBoard {
    /// Of each outstanding segment.
    links: VecDeque<Link>,
    first: u64,
    head: u64,
    tail: u64,
    /// Segments sent, repeated ones counted.
    sent: u64,
    /// Segments declared lost and not sent again since.
    due: usize,
    /// None of them starts below this offset.
    due_from: Cell<u64>,
    /// Segments reported and not acknowledged (RACK.segs_sacked).
    sacked: usize,
    /// Ordinal of the latest delivered segment (RACK.xmit_ts and RACK.end_seq).
    latest: Option<u64>,
    /// RACK.rtt.
    rtt: Span,
    /// RACK.fack.
    fack: u64,
    reordering_seen: bool,
    /// Something was delivered since the last detection.
    advanced: bool,
    /// The smallest round-trip time, the timestamp that the ACK being taken echoes, and the tick
    /// of that clock.
    min_rtt: Span,
    echo: Option<u32>,
    tick: Span,
}

impl RackBoard {
    fn new(tick: Span) -> Self {
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
            fack: 0,
            reordering_seen: false,
            advanced: false,
            min_rtt: Span::ZERO,
            echo: None,
            tick,
        }
    }

    fn link(&mut self, number: u64) -> Option<&mut Link> {
        self.links.get_mut(number.checked_sub(self.first)? as usize)
    }

    fn is_linked(&self, number: u64) -> bool {
        let at = number.wrapping_sub(self.first) as usize;
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

    /// A segment follows the last one.
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

    /// A segment was reported.
    pub(super) fn on_sacked(&mut self, now: Nanos, number: u64, segment: &SentSegment) {
        self.sacked += 1;
        self.due -= usize::from(segment.is_due());
        self.on_delivered(now, number, segment);
        self.unlink(number);
    }

    /// Section 6.2 steps 2 and 3: the latest delivered segment, and reordering.
    fn on_delivered(&mut self, now: Nanos, number: u64, segment: &SentSegment) {
        if segment.delivered {
            return;
        }
        let end = segment.end();
        if end >= self.fack {
            self.fack = end;
        } else if !segment.retransmitted {
            self.reordering_seen = true;
        }
        let rtt = now.since(segment.sent_at);
        if segment.retransmitted {
            // Which copy was it? Not this one if the ACK is older, or too early.
            let clock = (segment.sent_at.0 / self.tick.0.max(1)) as u32 + 1;
            let older = self.echo.is_some_and(|e| (e.wrapping_sub(clock) as i32) < 0);
            if older || rtt < self.min_rtt {
                return;
            }
        }
        self.rtt = rtt;
        self.advanced = true;
        let ordinal = self.link(number).map(|l| l.ordinal);
        self.latest = self.latest.max(ordinal);
    }
}

impl SentSegment {
    /// Lost, and neither reported nor sent again since.
    pub(super) const fn is_due(&self) -> bool {
        self.lost && !self.repaired && !self.sacked
    }
}

impl Scoreboard {
    /// Losses are found by RACK from now on; `tick` is that of the timestamp clock.
    pub(crate) fn enable_rack(&mut self, tick: Span) {
        self.rack = Some(Box::new(RackBoard::new(tick)));
    }

    #[inline]
    pub(crate) const fn has_rack(&self) -> bool {
        self.rack.is_some()
    }

    /// An acknowledgement is about to be taken.
    pub(crate) fn rack_before_ack(&mut self, min_rtt: Option<Span>, echo: Option<u32>) {
        if let Some(rack) = &mut self.rack {
            (rack.min_rtt, rack.echo) = (min_rtt.unwrap_or_default(), echo);
        }
    }

    /// Whether anything was delivered since this was last asked.
    pub(crate) fn take_rack_advanced(&mut self) -> bool {
        self.rack.as_mut().is_some_and(|r| std::mem::replace(&mut r.advanced, false))
    }

    /// RACK.reordering_seen.
    pub(crate) fn reordering_seen(&self) -> bool {
        self.rack.as_ref().is_some_and(|r| r.reordering_seen)
    }

    /// RACK.segs_sacked.
    pub(crate) fn segments_sacked(&self) -> usize {
        self.rack.as_ref().map_or(0, |r| r.sacked)
    }

    /// Segments declared lost and not sent again since.
    pub(crate) fn segments_due(&self) -> usize {
        self.rack.as_ref().map_or(0, |r| r.due)
    }

    /// Position of the first of them.
    pub(crate) fn next_due(&self) -> Option<usize> {
        let rack = self.rack.as_ref().filter(|r| r.due > 0)?;
        let mut at = self.position(rack.due_from.get());
        while let Some(segment) = self.segments.get(at) {
            if segment.is_due() {
                rack.due_from.set(segment.start);
                return Some(at);
            }
            at = if segment.sacked { self.after_run(at) } else { at + 1 };
        }
        None
    }

    /// The segment with this number is lost, as an original or as a retransmission.
    fn rack_lose(&mut self, number: u64) {
        let Some(rack) = &mut self.rack else { return };
        let Some(segment) = self.segments.get_mut((number - self.first) as usize) else { return };
        rack.unlink(number);
        if segment.sacked || segment.is_due() {
            return;
        }
        self.pipe -= segment.in_pipe();
        (segment.lost, segment.repaired) = (true, false);
        self.pipe += segment.in_pipe();
        self.lost_total += u64::from(segment.len);
        self.losses.push(segment.as_lost(self.lost_total));
        rack.due += 1;
        rack.due_from.set(rack.due_from.get().min(segment.start));
    }

    /// RACK_detect_loss (section 6.2 step 5): what was sent before the latest delivered segment
    /// and should have arrived by now, a reordering window included, is lost.
    pub(crate) fn rack_detect(&mut self, now: Nanos, window: Span) -> Detected {
        let mut found = Detected::default();
        let Some((latest, patience, mut number)) =
            self.rack.as_ref().and_then(|r| Some((r.latest?, r.rtt + window, r.head)))
        else {
            return found;
        };
        while let Some(link) = self.rack.as_mut().and_then(|r| r.link(number).copied()) {
            let Some(segment) = self.segments.get((number - self.first) as usize) else { break };
            if link.ordinal >= latest {
                break;
            }
            let deadline = segment.sent_at + patience;
            if deadline <= now {
                found.any = true;
                if segment.retransmitted {
                    found.again = found.again.max(Some(segment.sent_at));
                }
                self.rack_lose(number);
            } else {
                found.deadline = found.deadline.max(Some(deadline));
            }
            number = link.after;
        }
        found
    }

    /// RACK_mark_losses_on_RTO (section 6.3): the first segment, and what should have arrived.
    pub(super) fn rack_lose_on_timeout(&mut self, now: Nanos, window: Span) {
        if self.front().is_some_and(|s| !s.sacked) {
            self.rack_lose(self.first);
        }
        // Before anything was delivered nothing is known to be overdue.
        let delivered = self.rack.as_ref().filter(|r| r.latest.is_some());
        let Some(patience) = delivered.map(|r| r.rtt + window) else { return };
        while let Some(number) = self.rack.as_ref().map(|r| r.head).filter(|n| *n != NONE) {
            let Some(segment) = self.segments.get((number - self.first) as usize) else { return };
            if segment.sent_at + patience > now {
                return;
            }
            self.rack_lose(number);
        }
    }

    /// Everything was lost, or nothing: the list and the counts anew.
    pub(super) fn rack_rebuild(&mut self) {
        let Some(rack) = &mut self.rack else { return };
        (rack.head, rack.tail, rack.due, rack.sacked) = (NONE, NONE, 0, 0);
        rack.due_from.set(0);
        let mut sent = Vec::new();
        for ((number, segment), link) in (self.first..).zip(&self.segments).zip(&mut rack.links) {
            rack.sacked += usize::from(segment.sacked);
            rack.due += usize::from(segment.is_due());
            (link.before, link.after) = (NONE, NONE);
            if !segment.sacked && !segment.is_due() {
                sent.push((link.ordinal, number));
            }
        }
        sent.sort_unstable();
        for (ordinal, number) in sent {
            rack.link_last(number);
            if let Some(link) = rack.link(number) {
                link.ordinal = ordinal;
            }
        }
    }

    /// A segment is sent again.
    pub(super) fn rack_on_retransmit(&mut self, at: usize, was_due: bool) {
        if let Some(rack) = &mut self.rack {
            let still = self.segments.get(at).is_some_and(SentSegment::is_due);
            rack.due -= usize::from(was_due && !still);
            rack.link_last(self.first + at as u64);
        }
    }
}

#[cfg(test)]
mod tests;

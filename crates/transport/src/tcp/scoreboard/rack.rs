//! RACK's part of the scoreboard: detection, RFC 8985 sections 6.2 and 6.3. The list in order of
//! departure is in `send_order.rs`.

use airtcp_units::{Nanos, Narrow, Span};

use super::Scoreboard;
use super::segment::SentSegment;
use super::send_order::RackBoard;

/// Result of a detection.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Detected {
    /// Time at which the last of the remaining segments becomes overdue.
    pub(crate) deadline: Option<Nanos>,
    /// Some segments were marked lost.
    pub(crate) any: bool,
    /// Departure of the latest retransmission among them.
    pub(crate) again: Option<Nanos>,
}

impl Scoreboard {
    /// RACK detects the losses from now on; `tick` is that of the timestamp clock.
    pub(crate) fn enable_rack(&mut self, tick: Span) {
        self.rack = Some(Box::new(RackBoard::new(tick)));
    }

    #[inline]
    pub(crate) const fn has_rack(&self) -> bool {
        self.rack.is_some()
    }

    /// Called before an acknowledgement is processed.
    pub(crate) fn rack_before_ack(&mut self, min_rtt: Option<Span>, echo: Option<u32>) {
        if let Some(rack) = &mut self.rack {
            rack.before_ack(min_rtt, echo);
        }
    }

    /// Whether anything was delivered since the last call.
    pub(crate) fn take_rack_advanced(&mut self) -> bool {
        self.rack.as_mut().is_some_and(|r| r.take_advanced())
    }

    pub(crate) fn reordering_seen(&self) -> bool {
        self.rack.as_ref().is_some_and(|r| r.reordering_seen())
    }

    /// RACK.segs_sacked.
    pub(crate) fn segments_sacked(&self) -> usize {
        self.rack.as_ref().map_or(0, |r| r.sacked())
    }

    /// Number of segments marked lost and not retransmitted since.
    pub(crate) fn segments_due(&self) -> usize {
        self.rack.as_ref().map_or(0, |r| r.due())
    }

    /// Some segment is lost and was not retransmitted since.
    pub(crate) fn has_due(&self) -> bool {
        match &self.rack {
            Some(rack) => rack.due() > 0,
            None => self.next_lost().is_some(),
        }
    }

    /// Position of the first of them.
    pub(crate) fn next_due(&self) -> Option<usize> {
        let rack = self.rack.as_ref()?;
        let mut at = self.position(rack.due_from()?);
        while let Some(segment) = self.segments.get(at) {
            if segment.is_due() {
                rack.set_due_from(segment.start);
                return Some(at);
            }
            at = if segment.sacked { self.after_run(at) } else { at + 1 };
        }
        None
    }

    /// Marks the segment with this number lost, as an original or as a retransmission.
    fn rack_lose(&mut self, number: u64) {
        let Some(rack) = &mut self.rack else { return };
        let Some(segment) = self.segments.get_mut(usize::narrow(number - self.first)) else {
            return;
        };
        rack.unlink(number);
        if segment.sacked || segment.is_due() {
            return;
        }
        self.pipe -= segment.in_pipe();
        (segment.lost, segment.repaired) = (true, false);
        self.pipe += segment.in_pipe();
        self.lost_total += u64::from(segment.len);
        self.losses.push(segment.as_lost(self.lost_total));
        rack.on_lost(segment.start);
        self.note_history();
    }

    /// RACK_detect_loss (section 6.2 step 5): marks segments lost that left before the latest
    /// delivered segment and are overdue by more than the reordering window.
    pub(crate) fn rack_detect(&mut self, now: Nanos, window: Span) -> Detected {
        let mut found = Detected::default();
        let Some((overdue_after, mut next)) =
            self.rack.as_ref().and_then(|r| Some((r.overdue_after(window)?, r.oldest())))
        else {
            return found;
        };
        while let Some(number) = next {
            let Some((true, after)) = self.rack.as_ref().and_then(|r| r.is_overtaken(number))
            else {
                break;
            };
            let Some(segment) = self.segments.get(usize::narrow(number - self.first)) else {
                break;
            };
            let deadline = segment.sent_at + overdue_after;
            if deadline <= now {
                found.any = true;
                if segment.retransmitted {
                    found.again = found.again.max(Some(segment.sent_at));
                }
                self.rack_lose(number);
            } else {
                found.deadline = found.deadline.max(Some(deadline));
            }
            next = after;
        }
        found
    }

    /// RACK_mark_losses_on_RTO (section 6.3): marks the first segment and all overdue segments
    /// lost.
    pub(super) fn rack_lose_on_timeout(&mut self, now: Nanos, window: Span) {
        if self.front().is_some_and(|s| !s.sacked) {
            self.rack_lose(self.first);
        }
        // Before the first delivery no segment is overdue.
        let overdue_after = self.rack.as_ref().and_then(|r| r.overdue_after(window));
        let Some(overdue_after) = overdue_after else { return };
        while let Some(number) = self.rack.as_ref().and_then(|r| r.oldest()) {
            let Some(segment) = self.segments.get(usize::narrow(number - self.first)) else {
                return;
            };
            if segment.sent_at + overdue_after > now {
                return;
            }
            self.rack_lose(number);
        }
    }

    /// Rebuilds the list after all segments, or none, became lost.
    pub(super) fn rack_rebuild(&mut self) {
        if let Some(rack) = &mut self.rack {
            rack.rebuild(&self.segments);
        }
    }

    pub(super) fn rack_on_retransmit(&mut self, at: usize, was_due: bool) {
        if let Some(rack) = &mut self.rack {
            let still = self.segments.get(at).is_some_and(SentSegment::is_due);
            rack.on_sent_again(self.first + at as u64, was_due && !still);
        }
    }
}

#[cfg(test)]
mod tests;

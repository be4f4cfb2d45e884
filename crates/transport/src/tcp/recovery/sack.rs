//! Recovery from the scoreboard, RFC 6675 section 5.
//!
//! `IsLost`, `SetPipe` and `HighRxt` are in the scoreboard. This file decides when an episode
//! begins, and has `NextSeg` and `RescueRxt`.

use super::discipline::{Duplicate, LossRecovery, Next, Phase, Room, Signs, Start, View};
use crate::tcp::scoreboard::SentSegment;

#[derive(Debug, Clone, Default)]
pub(crate) struct Sack {
    /// `RescueRxt`; `None` while undefined.
    rescue: Option<u64>,
}

impl Sack {
    /// NextSeg (section 4).
    fn next_seg(&self, view: &View<'_>, new_data: bool) -> Next {
        if let Some(at) = view.board.next_lost() {
            return Next::Again { at, repair: true };
        }
        if new_data {
            return Next::New;
        }
        let highest = view.board.highest_sacked().unwrap_or(0);
        if let Some(at) = view.board.next_hole()
            && view.board.get(at).is_some_and(|s| s.start < highest)
        {
            return Next::Again { at, repair: true };
        }
        // Rule 4: once each time the cumulative ACK has passed the last rescue.
        if self.rescue.is_none_or(|r| view.una > r)
            && let Some(at) = view.board.last_hole()
        {
            return Next::Again { at, repair: false };
        }
        Next::New
    }
}

impl LossRecovery for Sack {
    #[inline]
    fn trusts_pipe(&self) -> bool {
        true
    }

    fn on_duplicate(&mut self, view: &View<'_>, signs: Signs) -> Duplicate {
        // Section 5.1: no fast retransmit before all data sent before the timeout is acknowledged.
        if view.phase != Phase::Open {
            return Duplicate::Ignored;
        }
        // Section 5 (1) and (2).
        let enough = view.dup_acks >= view.config.dup_thresh || view.board.is_first_lost();
        if (enough || signs.early) && (!view.config.careful || view.is_covered()) {
            Duplicate::Loss
        } else {
            Duplicate::Counted
        }
    }

    /// Steps 4.1 and 4.3: the recovery point, and the first segment.
    fn begin(&mut self, view: &View<'_>, _before: u64) -> Start {
        // Its retransmission moves HighRxt; RescueRxt starts there too.
        self.rescue = view.board.front().map(SentSegment::end);
        Start::SELECTIVE
    }

    fn next(&self, view: &View<'_>, room: &Room) -> Next {
        if view.phase == Phase::Timeout {
            return Next::after_timeout(view, room, view.board.next_lost());
        }
        self.next_seg(view, room.new_data)
    }

    /// A rescue retransmission left: the next one waits for the recovery point.
    #[inline]
    fn on_sent(&mut self, view: &View<'_>, next: Next) {
        if matches!(next, Next::Again { repair: false, .. }) {
            self.rescue = Some(view.recover);
        }
    }
}

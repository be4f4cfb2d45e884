//! Recovery from the scoreboard, RFC 6675 section 5.
//!
//! `IsLost` and `SetPipe` are in the scoreboard; here are the beginning (step 4) and `NextSeg`.
//! `HighRxt` is the scoreboard's; `RescueRxt` is kept here.

use super::Phase;
use crate::tcp::sender::Sender;

/// What NextSeg chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NextSeg {
    /// The segment at this position, which counts as repaired (rules 1 and 3).
    Repair(usize),
    /// New data (rule 2).
    New,
    /// The segment at this position, as a rescue (rule 4).
    Rescue(usize),
    /// Nothing.
    Nothing,
}

impl Sender {
    /// Step 4.1 and 4.3: the recovery point, and the first segment.
    pub(super) fn sack_enter(&mut self) {
        self.recovery.phase = Phase::Fast;
        self.recovery.recover = self.nxt;
        self.board.restart_repairs();
        // Retransmitting it moves HighRxt; RescueRxt starts there too.
        self.recovery.rescue = self.board.front().map(super::super::scoreboard::SentSegment::end);
        self.send_head();
    }

    /// NextSeg (section 4); `new_data` says whether rule 2 has anything to send.
    pub(crate) fn next_seg(&self, new_data: bool) -> NextSeg {
        if let Some(at) = self.board.next_lost() {
            return NextSeg::Repair(at);
        }
        if new_data {
            return NextSeg::New;
        }
        let highest = self.board.highest_sacked().unwrap_or(0);
        if let Some(at) = self.board.next_hole()
            && self.board.get(at).is_some_and(|s| s.start < highest)
        {
            return NextSeg::Repair(at);
        }
        // Rule 4: once per time that the cumulative ACK has passed the last rescue.
        if self.recovery.rescue.is_none_or(|r| self.una > r)
            && let Some(at) = self.board.last_hole()
        {
            return NextSeg::Rescue(at);
        }
        NextSeg::Nothing
    }

    /// A rescue left: the next one waits for the recovery point.
    pub(crate) fn on_rescue(&mut self) {
        self.recovery.rescue = Some(self.recovery.recover);
    }
}

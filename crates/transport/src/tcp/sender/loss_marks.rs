//! Marks of ACKs: explicit loss notification (Balakrishnan and Katz 1998).
//!
//! An ACK with the mark states that every gap that it shows was lost on the air. The sender
//! retransmits these segments at once and does not reduce its window, as for the notices of
//! `recovery/corruption.rs`. [choice] A segment that was retransmitted is retransmitted again no sooner than
//! `SRTT + 4 RTTVAR` after it left. Until then the mark may speak of the copy before.

use airtcp_packet::Segment;
use airtcp_units::{Nanos, Span};

use super::{AckInfo, Env, Sender};
use crate::tcp::recovery::LossRecovery;

/// SACK blocks of a segment, at most.
const BLOCKS: usize = 4;

impl Sender {
    /// Takes the mark of an acknowledgement, before its number and its SACK blocks.
    #[cold]
    pub(super) fn take_loss_mark(
        &mut self,
        now: Nanos,
        info: &AckInfo,
        segment: &Segment,
        env: &mut Env<'_>,
    ) {
        if info.ack < self.una {
            return;
        }
        let (mut blocks, mut count) = ([(0, 0); BLOCKS], 0);
        let sacks = if self.discipline.reads_sacks() { segment.sacks() } else { &[] };
        for (block, to) in sacks.iter().zip(&mut blocks) {
            let (start, end) = (
                block.start.unwrap_near(info.iss, self.una).unwrap_or_default(),
                block.end.unwrap_near(info.iss, self.una).unwrap_or_default(),
            );
            // A block of duplicates reports nothing beyond the ACK.
            if info.ack < start && start < end && end <= self.nxt {
                *to = (start, end);
            }
            count += 1;
        }
        let (srtt, rttvar) = self.rtt.smoothed().unwrap_or_default();
        let wait = srtt + Span(4 * rttvar.0);
        let again_before = Nanos(now.0.saturating_sub(wait.0));
        let (notices, room) = (&mut self.notices, self.board.len());
        self.board.mark_gaps(info.ack, &blocks[..count], again_before, |start| {
            if notices.len() < room {
                env.stats.corruption_notices += 1;
                notices.push(start, now);
            }
        });
    }
}

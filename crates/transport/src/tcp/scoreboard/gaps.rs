//! Gaps that a mark on an ACK declares as losses of the air (explicit loss notification).

use airtcp_units::Nanos;

use super::Scoreboard;

impl Scoreboard {
    /// An ACK of `ack` with these SACK blocks states that the gaps that it shows were lost on the air:
    /// without blocks the segment at `ack`, else everything below the last block that is not SACKed.
    /// Calls `mark` with the start of each such segment whose last copy counts as in the network. A
    /// segment that was retransmitted must have left by `again_before`, since the mark may mean
    /// the copy before.
    pub(crate) fn mark_gaps(
        &mut self,
        ack: u64,
        blocks: &[(u64, u64)],
        again_before: Nanos,
        mut mark: impl FnMut(u64),
    ) {
        self.note_history();
        let top = blocks.iter().map(|block| block.1).fold(ack + 1, u64::max);
        let mut at = self.segments.partition_point(|s| s.end() <= ack);
        while let Some(segment) = self.segments.get_mut(at).filter(|s| s.start < top) {
            if segment.sacked {
                at = self.after_run(at);
                continue;
            }
            let (start, end) = (segment.start, segment.end());
            let arrived = blocks.iter().any(|block| block.0 <= start && end <= block.1);
            let due = if segment.retransmitted {
                segment.sent_at <= again_before
            } else {
                !segment.corrupted
            };
            if due && !arrived && segment.in_pipe() > 0 {
                segment.corrupted = true;
                // RACK takes the copy that leaves next for the one in the network.
                self.rack_on_retransmit(at, false);
                mark(start);
            }
            at += 1;
        }
    }
}

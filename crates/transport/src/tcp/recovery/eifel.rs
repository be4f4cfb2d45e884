//! The Eifel detection algorithm, RFC 3522 section 3.2.
//!
//! (2) RetransmitTS is the timestamp of the first retransmission of the recovery. (3) At the
//! first ACK of new data after it: (4) if it echoes an older timestamp, what it acknowledges is
//! the original; (5) unless it carries a DSACK, or acknowledges everything outstanding from a
//! receiver that was never seen to send DSACKs (all ACKs of the flight may have been lost, and
//! the echo is then that of the last segment that was no duplicate). (6) The recovery was
//! spurious.
//!
//! [choice] Only if the first retransmission is that of the oldest segment and its first: with RACK
//! and tail loss probes others come, and an echo of a copy sent before would look like the original.
//!
//! Needs timestamps (RFC 7323) that tick faster than the round trip: a retransmission in the
//! tick of its original cannot be told from it, and is taken to have been needed.

use super::undo::Evidence;
use crate::tcp::config::TcpConfig;
use crate::tcp::sender::Sender;
use crate::tcp::timestamps::clock_at;

impl Sender {
    /// Steps 3 to 6.
    pub(super) fn eifel_detects(&mut self, ack: &Evidence, config: &TcpConfig) -> bool {
        if !config.eifel_detection || ack.acked == 0 {
            return false;
        }
        let all = self.in_flight() == 0;
        let Some(episode) = self.recovery.detection.episode.as_mut() else { return false };
        let (Some(sent), Some(echo)) = (episode.first_sent, ack.echo) else { return false };
        if std::mem::replace(&mut episode.eifel_over, true) {
            return false;
        }
        let retransmit_ts = clock_at(sent, config.timestamp_tick);
        let original = (echo.wrapping_sub(retransmit_ts) as i32) < 0;
        let (here, before) = ack.dsack;
        original && !here && (before || !all)
    }
}

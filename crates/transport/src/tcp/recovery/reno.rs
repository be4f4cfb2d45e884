//! Fast retransmit and fast recovery, RFC 5681 section 3.2.
//!
//! The law has set its window to the threshold; the three segments that left the network and
//! each further duplicate inflate it. Reno leaves with the first ACK of new data, so that two
//! losses in a window are two episodes.

use super::Phase;
use crate::tcp::config::{Recovery, TcpConfig};
use crate::tcp::sender::Sender;

impl Sender {
    /// Steps 2 and 3: retransmit the first segment, inflate by the duplicates seen.
    pub(super) fn reno_enter(&mut self, config: &TcpConfig) {
        self.recovery.phase = Phase::Fast;
        if self.recovery.discipline == Recovery::NewReno {
            self.recovery.recover = self.nxt;
        }
        // Early retransmit begins with fewer.
        let left = self.recovery.dup_acks.min(config.dup_thresh);
        self.recovery.inflation = i64::from(left) * i64::from(self.mss);
        self.send_head();
    }

    /// Step 4: a duplicate means that a segment left the network.
    pub(super) fn reno_inflate(&mut self) {
        if matches!(self.recovery.discipline, Recovery::Reno | Recovery::NewReno) {
            self.recovery.inflation += i64::from(self.mss);
        }
    }
}

//! Early retransmit, RFC 5827: with too little outstanding for three duplicates, fewer are enough.
//!
//! Only if less than four segments are outstanding and no new data may be sent that would bring
//! further duplicates:
//!
//! ```text
//!                 outstanding          without SACK: ACKs needed     with SACK: reported
//! segments (3.2)  oseg < 4             oseg - 1                      oseg - 1 segments
//! bytes (3.1)     ownd < 4 SMSS        ceil(ownd / SMSS) - 1         ownd - SMSS bytes
//! ```
//!
//! What follows is an ordinary fast retransmit. Leaves out the delay by which Linux had it wait
//! for reordering. Bytes.

use airtcp_units::Nanos;

use crate::tcp::config::{EarlyRetransmit, Recovery, TcpConfig};
use crate::tcp::sender::Sender;

/// Fewer segments than this outstanding: RFC 5827 sections 3.1 (2.a) and 3.2 (3.a).
const LEAST_FOR_THREE: u64 = 4;

impl Sender {
    /// Whether the duplicates so far are enough.
    pub(super) fn is_early_loss(&self, now: Nanos, config: &TcpConfig) -> bool {
        let mss = u64::from(self.mss);
        let bytes = match config.early_retransmit {
            EarlyRetransmit::Off => return false,
            EarlyRetransmit::Segments => false,
            EarlyRetransmit::Bytes => true,
        };
        let (outstanding, limit) = if bytes {
            (self.in_flight(), LEAST_FOR_THREE * mss)
        } else {
            (self.board.len() as u64, LEAST_FOR_THREE)
        };
        if outstanding >= limit || self.may_send_new(now, config) {
            return false;
        }
        let sack = self.recovery.discipline == Recovery::Sack;
        let (seen, needed) = match (sack, bytes) {
            (true, true) => (self.board.sacked(), outstanding.saturating_sub(mss)),
            (true, false) => (self.board.sacked_segments(), outstanding.saturating_sub(1)),
            (false, true) => (self.dup_acks(), outstanding.div_ceil(mss).saturating_sub(1)),
            (false, false) => (self.dup_acks(), outstanding.saturating_sub(1)),
        };
        let first_missing = self.board.front().is_some_and(|s| !s.sacked);
        first_missing && needed > 0 && seen >= needed
    }

    const fn dup_acks(&self) -> u64 {
        self.recovery.dup_acks as u64
    }
}

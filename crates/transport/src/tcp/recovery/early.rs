//! Early retransmit, RFC 5827: fewer duplicates signal a loss if few segments are outstanding.
//!
//! It applies if less than four segments are outstanding and no new data may be sent that would
//! cause further duplicates:
//!
//! ```text
//!                 outstanding          without SACK: ACKs needed     with SACK: reported
//! segments (3.2)  oseg < 4             oseg - 1                      oseg - 1 segments
//! bytes (3.1)     ownd < 4 SMSS        ceil(ownd / SMSS) - 1         ownd - SMSS bytes
//! ```
//!
//! A fast retransmit follows as usual. Leaves out Linux's former delay against reordering. Bytes.

use super::discipline::View;
use crate::tcp::config::EarlyRetransmit;

/// With fewer segments outstanding, early retransmit applies: RFC 5827 sections 3.1 (2.a) and 3.2
/// (3.a).
const MIN_FOR_THREE: u64 = 4;

/// Whether there are enough duplicates. With `sack`, SACKed segments count instead; `more_follow`
/// is true if new data may be sent.
pub(crate) fn is_early_loss(
    view: &View<'_>,
    sack: bool,
    more_follow: impl FnOnce() -> bool,
) -> bool {
    let bytes = match view.config.early_retransmit {
        EarlyRetransmit::Off => return false,
        EarlyRetransmit::Segments => false,
        EarlyRetransmit::Bytes => true,
    };
    let (outstanding, limit) = if bytes {
        (view.nxt - view.una, MIN_FOR_THREE * view.mss)
    } else {
        (view.board.len() as u64, MIN_FOR_THREE)
    };
    if outstanding >= limit || more_follow() {
        return false;
    }
    let dup_acks = u64::from(view.dup_acks);
    let (seen, needed) = match (sack, bytes) {
        (true, true) => (view.board.sacked(), outstanding.saturating_sub(view.mss)),
        (true, false) => (view.board.sacked_segments(), outstanding.saturating_sub(1)),
        (false, true) => (dup_acks, outstanding.div_ceil(view.mss).saturating_sub(1)),
        (false, false) => (dup_acks, outstanding.saturating_sub(1)),
    };
    let first_missing = view.board.front().is_some_and(|s| !s.sacked);
    first_missing && needed > 0 && seen >= needed
}

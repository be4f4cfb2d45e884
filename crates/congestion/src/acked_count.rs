//! Bytes that each ACK reports as newly arrived: `d_k` of the laws that estimate bandwidth.
//!
//! Westwood's AckedCount (Mascolo, Casetti, Gerla, Sanadidi and Wang, "TCP Westwood: Bandwidth
//! Estimation for Enhanced Transport over Wireless Links", MobiCom 2001, section 2.3). A duplicate
//! ACK reports that some segment arrived. It counts as one segment at once. A later ACK of several
//! segments counts for the bytes that it acknowledges, less the bytes that duplicates have counted:
//!
//! ```text
//! duplicate:                 d = MSS; accounted += MSS
//! ACK of n > MSS bytes:      accounted >= n: d = MSS; accounted -= n
//!                            otherwise:      d = n - accounted; accounted = 0
//! ACK of n <= MSS bytes:     d = n
//! ```
//!
//! With SACK, `d` is the number of bytes that the ACK acknowledges or SACKs for the first time.
//! Bytes.

use super::{AckSample, LawParams};

/// Counts the bytes that arrived.
#[derive(Debug, Clone, Copy, Default)]
pub struct AckedCount {
    mss: u64,
    selective: bool,
    accounted: u64,
    /// Value of [`AckSample::total_delivered`] at the previous ACK.
    delivered: u64,
}

impl AckedCount {
    /// The count of a new connection.
    pub fn new(params: &LawParams) -> Self {
        let mss = u64::from(params.mss.max(1));
        Self { mss, selective: params.selective_acks, ..Self::default() }
    }

    /// Bytes that this ACK is the first to report as arrived.
    pub const fn take(&mut self, ack: &AckSample) -> u64 {
        if self.selective {
            // The law is not called for an old ACK. The difference includes the old ACK's SACK
            // blocks.
            let new = ack.total_delivered.saturating_sub(self.delivered);
            self.delivered = ack.total_delivered;
            return new;
        }
        let new = ack.acked;
        if new == 0 {
            self.accounted = self.accounted.saturating_add(self.mss);
            self.mss
        } else if new <= self.mss {
            new
        } else if self.accounted >= new {
            self.accounted -= new;
            self.mss
        } else {
            let counted = new - self.accounted;
            self.accounted = 0;
            counted
        }
    }
}

#[cfg(test)]
mod tests {
    use airtcp_units::Narrow;

    use super::*;

    const MSS: u64 = 1000;

    /// The count of each ACK, given as (cumulative, delivered in all).
    fn counts(selective_acks: bool, acks: &[(u64, u64)]) -> Vec<u64> {
        let params = LawParams { mss: u32::narrow(MSS), selective_acks, ..LawParams::default() };
        let mut count = AckedCount::new(&params);
        let mut una = 0;
        acks.iter()
            .map(|(ack, total_delivered)| {
                let acked = ack * MSS - una;
                una = ack * MSS;
                let total_delivered = total_delivered * MSS;
                count.take(&AckSample { acked, total_delivered, ..AckSample::default() }) / MSS
            })
            .collect()
    }

    #[test]
    fn a_segment_counts_once() {
        // Segment 3 of 1..=8 is lost: five duplicates of 2, then 8 is acknowledged at once.
        let acks = [(1, 1), (2, 2), (2, 2), (2, 2), (2, 2), (2, 2), (2, 2), (8, 8)];
        let counted = counts(false, &acks);
        assert_eq!(counted, [1, 1, 1, 1, 1, 1, 1, 1]);
        // With SACK the same arrivals.
        let acks = [(1, 1), (2, 2), (2, 3), (2, 4), (2, 5), (2, 6), (2, 7), (8, 8)];
        assert_eq!(counts(true, &acks), [1, 1, 1, 1, 1, 1, 1, 1]);
    }

    #[test]
    fn delayed_and_partial_acks() {
        // Delayed ACKs of two segments count for two.
        assert_eq!(counts(false, &[(2, 2), (4, 4)]), [2, 2]);
        // Two holes, 3 and 6 of 1..=9: duplicates for 4, 5, 7, 8, 9; a partial ACK of 3 to 5, then
        // of 6 to 9. The partial one counts for 1 and leaves 2 accounted for.
        let acks = [(2, 2), (2, 2), (2, 2), (2, 2), (2, 2), (2, 2), (5, 5), (9, 9)];
        assert_eq!(counts(false, &acks), [2, 1, 1, 1, 1, 1, 1, 2]);
    }

    #[test]
    fn the_arrivals_of_a_lost_ack_are_counted_with_the_next() {
        assert_eq!(counts(true, &[(2, 2), (2, 5), (7, 7)]), [2, 3, 2]);
    }
}

//! The header of the next data segment, copied from the last one.
//!
//! Of two segments of new data between which only the ACKs arrive that a sender of bulk data expects
//! (`connection/predict.rs`), the headers differ in the sequence number and, with timestamps, in both of these. All other
//! fields follow from the receiving half, from what both ends agreed on, and from whether the segment carries CWR:
//!
//! - such an ACK has no data, so the offset that is acknowledged, the buffer and the echo of marks stay as they are, and
//!   neither a gap nor a duplicate is there to report (`Connection::sends_plainly`);
//! - the second header finds the right edge where the first one has put it. The avoidance of silly windows then keeps it, or,
//!   if the scale had cut off some of it, takes the same target again: the field is the same (`Receiver::advertise`);
//! - the delayed ACK that it would stop is stopped already.
//!
//! Any other segment, an expired timer, a read by the application, a request for an ACK, and the end of the connection
//! forget the header. While it holds, no ACK, reset or SYN is owed. The header of a misbehaving receiver, which may say
//! something else each time, is not kept, nor one with CWR. `tests/predict.rs` compares both paths.

use std::fmt;

use airtcp_packet::Segment;

/// The last header, while it holds.
#[derive(Default)]
pub(crate) struct Template(Option<Segment>);

impl fmt::Debug for Template {
    /// Only whether a header is derived or copied depends on it, so that tests can compare connections.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Template")
    }
}

impl Template {
    /// True if the next header is known, and nothing but data waits to be sent.
    #[inline]
    pub(crate) const fn holds(&self) -> bool {
        self.0.is_some()
    }

    /// The header, for a segment with this payload that does not carry CWR.
    #[inline]
    pub(crate) fn of(&self, len: u32) -> Option<Segment> {
        self.0.filter(|last| u32::from(last.len) == len)
    }

    /// Keeps the header of new data without CWR, that an honest receiver sends.
    #[inline]
    pub(crate) const fn keep(&mut self, segment: Segment) {
        self.0 = Some(segment);
    }

    /// Something may change the next header.
    #[inline]
    pub(crate) const fn forget(&mut self) {
        self.0 = None;
    }
}

//! The header of the next data segment, copied from the last one.
//!
//! Of two segments of new data between which only the ACKs arrive that a sender of bulk data expects (`predict.rs`), the
//! headers differ in the sequence number and, with timestamps, in both of these. All other fields follow from the
//! receiving half, from what both ends agreed on, and from whether the segment carries CWR:
//!
//! - such an ACK has no data, so the offset that is acknowledged, the buffer and the echo of marks stay as they are, and
//!   neither a gap nor a duplicate is there to report (`Connection::sends_plainly`);
//! - the second header finds the right edge where the first one has put it. The avoidance of silly windows then keeps it, or,
//!   if the scale had cut off some of it, takes the same target again: the field is the same (`Receiver::advertise`);
//! - the delayed ACK that it would stop is stopped already.
//!
//! Any other segment, an expired timer, a read by the application, a request for an ACK, and the end of the connection
//! forget the header. While it holds, no ACK, reset or SYN is owed. One of a misbehaving receiver,
//! which may say something else each time, or with CWR is not kept. Compared by `tests/predict.rs`.

use std::fmt;

use airtcp_packet::{Segment, Seq};
use airtcp_probe::{Cx, Probe};
use airtcp_units::Nanos;

use super::Connection;
use crate::tcp::sender::Outgoing;

/// The last header, while it holds.
#[derive(Default)]
pub(super) struct Template(Option<Segment>);

impl fmt::Debug for Template {
    /// Only whether a header is derived or copied depends on it, so that tests can compare connections.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Template")
    }
}

impl Template {
    /// True if the next header is known, and nothing but data waits to be sent.
    #[inline]
    pub(super) const fn holds(&self) -> bool {
        self.0.is_some()
    }

    /// Something may change the next header.
    #[inline]
    pub(super) const fn forget(&mut self) {
        self.0 = None;
    }
}

impl Connection {
    /// Emits full new data of a sender that sends plainly.
    #[inline]
    pub(super) fn emit_plain<P: Probe>(
        &mut self,
        now: Nanos,
        out: Outgoing,
        cx: &mut Cx<'_, P>,
    ) -> Segment {
        let kept = self.template.0.filter(|last| u32::from(last.len) == out.len && !out.cwr);
        let Some(mut segment) = kept else {
            let segment = self.emit_data(now, out, cx);
            self.template.0 = (!out.cwr && self.receiver.is_honest()).then_some(segment);
            return segment;
        };
        segment.seq = Seq::wrap(self.iss, out.start);
        if self.timestamps.enabled {
            segment.set_timestamps(self.timestamps.clock(now), self.timestamps.recent());
        }
        self.stats.data_segments_sent += 1;
        self.stats.bytes_sent += u64::from(out.len);
        self.sent(now, segment, false, cx)
    }
}

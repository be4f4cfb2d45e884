//! Receivers that deviate from RFC 5681 to get more than their share: ACK division and optimistic acknowledgements
//! (Savage, Cardwell, Wetherall and Anderson, "TCP Congestion Control with a Misbehaving Receiver", ACM CCR 29(5), 1999).
//!
//! Under ACK division each acknowledgement of new data becomes several, each of a part of the data: a law that counts
//! ACKs instead of bytes grows faster (RFC 3465 section 2.1). An optimistic receiver acknowledges segments that have
//! not arrived. It shows the sender a shorter round-trip time, and no loss: data that a packet loss took are
//! acknowledged and never delivered. It answers a duplicate honestly, so that the end of the stream arrives.

use airtcp_probe::{ConfigError, within};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a receiver deviates from RFC 5681 to get more than its share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Misbehaviour {
    /// ACKs in place of one acknowledgement of new data, each of an equal part of the data. Default 1.
    pub ack_division: u32,
    /// Segments that an acknowledgement of new data claims beyond those that have arrived. With 1 or more the
    /// receiver also acknowledges missing data, which it then lacks. Default 0.
    pub optimistic_acks: u32,
}

impl Default for Misbehaviour {
    fn default() -> Self {
        Self { ack_division: 1, optimistic_acks: 0 }
    }
}

impl Misbehaviour {
    /// A receiver that follows RFC 5681.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Rejects impossible values.
    pub(super) fn validate(self) -> Result<(), ConfigError> {
        let number = within::<u64>;
        number("misbehaviour.ack_division", u64::from(self.ack_division), 1, 1000)?;
        number("misbehaviour.optimistic_acks", u64::from(self.optimistic_acks), 0, 1000)
    }
}

/// The acknowledgements of a receiver that misbehaves.
#[derive(Debug, Clone)]
pub(super) struct Misbehaving {
    division: u64,
    /// Bytes claimed beyond what has arrived.
    ahead: u64,
    /// Highest offset acknowledged; the SYN takes 0.
    acked: u64,
    /// New data has arrived since the last acknowledgement.
    progress: bool,
    /// The parts of an acknowledgement that are still to be sent: their number, and the end of the last one.
    parts: Option<(u64, u64)>,
}

impl Misbehaving {
    /// `None` for a receiver that follows RFC 5681. `mss` is that of the sender, in bytes.
    pub(super) fn new(how: Misbehaviour, mss: u64) -> Option<Box<Self>> {
        let (division, ahead) = (u64::from(how.ack_division), u64::from(how.optimistic_acks) * mss);
        let new = Self { division, ahead, acked: 1, progress: false, parts: None };
        (!how.is_none()).then(|| Box::new(new))
    }

    /// Data beyond a gap count as if the gap had arrived.
    pub(super) const fn hides_gaps(&self) -> bool {
        self.ahead > 0
    }

    /// New data has arrived.
    pub(super) const fn on_progress(&mut self) {
        self.progress = true;
    }

    /// The offset that the next segment acknowledges, if `next` is the next expected byte, and whether another part is
    /// to follow. Only a pure ACK is divided.
    pub(super) fn next_ack(&mut self, next: u64, pure: bool) -> (u64, bool) {
        if !pure {
            self.parts = None;
        }
        let claimed = if self.progress { next + self.ahead } else { next };
        let (left, end) = self.parts.unwrap_or_else(|| {
            let new = claimed.saturating_sub(self.acked);
            (if pure && self.progress { self.division.min(new).max(1) } else { 1 }, claimed)
        });
        // After an honest answer the next claim may lie below an earlier one: its ACK is old.
        let part = end.saturating_sub(self.acked) / left;
        let ack = if left == 1 { end } else { self.acked + part };
        self.acked = self.acked.max(ack);
        self.parts = (left > 1).then_some((left - 1, end));
        self.progress &= left > 1;
        (ack, left > 1)
    }
}

//! What identifies a TCP segment at every place of its path.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::dissect::{Endpoint, Flags, Segment};

/// What identifies a copy of a TCP segment on its whole path: addresses, ports, and the TCP header
/// without its checksum. The identification of the IPv4 header tells copies apart that agree in all that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Identity {
    /// Of addresses and ports, in the direction of the segment.
    pub(crate) pair: u64,
    /// Of all fields.
    pub(crate) key: u64,
    /// Sequence number.
    pub(crate) sequence: u32,
    /// Acknowledgement number, if the segment has one.
    pub(crate) acknowledgement: Option<u32>,
    /// Bytes of payload.
    pub(crate) payload: u32,
    /// Identification of the IPv4 header; 0 without one.
    pub(crate) ip_id: u16,
}

/// The number of a pair of addresses and ports, in this direction.
pub(crate) fn pair(from: Endpoint, to: Endpoint) -> u64 {
    let mut hasher = DefaultHasher::new();
    (from, to).hash(&mut hasher);
    hasher.finish()
}

impl Identity {
    /// The identity of a segment.
    pub(crate) fn of(segment: &Segment) -> Self {
        let mut hasher = DefaultHasher::new();
        (segment.from, segment.to).hash(&mut hasher);
        (segment.sequence, segment.acknowledgement, segment.payload).hash(&mut hasher);
        // Routers may change the ECN flags of IP, but not these.
        (segment.flags.0, segment.window, segment.options.timestamps).hash(&mut hasher);
        segment.options.sack.as_slice().hash(&mut hasher);
        Self {
            pair: pair(segment.from, segment.to),
            key: hasher.finish(),
            sequence: segment.sequence,
            acknowledgement: segment.flags.has(Flags::ACK).then_some(segment.acknowledgement),
            payload: segment.payload,
            ip_id: segment.ip_id.unwrap_or(0),
        }
    }
}

//! The packet: a transport segment and its destination.
//!
//! In the simulator packets are lengths, not bytes: a [`Packet`] is a record of 64 bytes, whatever its
//! length on the wire. Records live in a [`Pool`] and are passed on as [`PacketId`]s. Only captures and
//! real networks have bytes.

pub mod ack_bitmap;
mod device;
mod fingerprint;
mod flags;
mod headers;
mod pool;
mod segment;
mod seq;
mod service;

pub use ack_bitmap::AckBitmap;
pub use device::Completed;
pub use fingerprint::{Fate, Fingerprint};
pub use flags::{Ecn, Flags};
pub use headers::{IP_HEADER, TCP_HEADER, UDP_HEADER};
pub use pool::{DropCount, Dropped, PacketId, Pool};
pub use segment::{CODED_WORDS, Kind, NO_WINDOW_SCALE, SackBlock, Segment};
pub use seq::Seq;
pub use service::Service;

use std::fmt;

/// An end of a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The end that opens the flow; for a one-way flow, the sender.
    Client,
    /// The other end.
    Server,
}

impl Side {
    /// The other side.
    pub const fn peer(self) -> Self {
        match self {
            Self::Client => Self::Server,
            Self::Server => Self::Client,
        }
    }
}

/// One end of one flow. A packet carries its destination.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EndpointId(u32);

impl EndpointId {
    /// The `side` of flow number `flow`.
    pub const fn new(flow: u32, side: Side) -> Self {
        Self(flow << 1 | side as u32)
    }

    /// Number of the flow.
    pub const fn flow(self) -> u32 {
        self.0 >> 1
    }

    /// The side of the flow.
    pub const fn side(self) -> Side {
        if self.0 & 1 == 0 { Side::Client } else { Side::Server }
    }

    /// The other end of the same flow.
    pub const fn peer(self) -> Self {
        Self(self.0 ^ 1)
    }

    /// Position in an array that holds both ends of every flow.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for EndpointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "flow {} {:?}", self.flow(), self.side())
    }
}

/// A segment on its way to an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet {
    /// Destination.
    pub to: EndpointId,
    /// Transport segment.
    pub segment: Segment,
}

impl Packet {
    /// Length on the wire in bytes: IP header, transport header with options, payload.
    #[inline]
    pub fn wire_len(&self) -> u32 {
        self.segment.wire_len()
    }
}

const _: () = assert!(size_of::<Packet>() == 64, "a packet record is one cache line");

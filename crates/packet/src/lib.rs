//! The record that travels: one transport segment with what the network adds to it.
//!
//! In the simulator packets are lengths, not bytes: a [`Packet`] is 64 bytes of typed header
//! whatever it stands for. Records live in a [`Pool`] and move by [`PacketId`]; real bytes
//! exist only where a capture is written or a real network is spoken to.

pub mod ack_bitmap;
mod fingerprint;
mod flags;
mod headers;
mod pool;
mod segment;
mod seq;

pub use ack_bitmap::AckBitmap;
pub use fingerprint::{End, Fingerprint};
pub use flags::{Ecn, Flags};
pub use headers::{IP_HEADER, TCP_HEADER, UDP_HEADER};
pub use pool::{Dropped, PacketId, Pool};
pub use segment::{CODED_WORDS, Kind, NO_WINDOW_SCALE, SackBlock, Segment};
pub use seq::Seq;

use std::fmt;

/// Which end of a flow: the client opened it, the server answered.
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

/// One end of one flow. A packet carries the end it is *going to*.
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

    /// Which of its ends.
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
    /// Where it is going.
    pub to: EndpointId,
    /// What it carries.
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

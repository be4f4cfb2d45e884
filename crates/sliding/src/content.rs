//! What symbols carry: their lengths in the simulator, their bytes over real sockets.
//!
//! Sender, receiver and connection are generic over [`Content`]. Nothing that they decide depends on
//! it: an end that moves bytes sends the same packets at the same times as one that moves lengths.

use airtcp_units::Narrow;
use std::collections::VecDeque;
use std::fmt::Debug;

use airtcp_fec::Symbol;
use airtcp_packet::{Ecn, Segment};

use super::frame;
use super::wire::Head;

/// What a symbol of the stream carries.
pub trait Content: Symbol + Default + Debug {
    /// Data of the stream in order: written and not in a symbol yet, or arrived and not read yet.
    type Data: Default + Debug;
    /// What travels.
    type Packet;

    /// How many bytes of data there are.
    fn amount(data: &Self::Data) -> u64;

    /// Takes the next symbol, of at most `most` bytes, out of the data. It is the last one if nothing
    /// is left and the stream is `closing`.
    fn cut(data: &mut Self::Data, most: u16, closing: bool) -> Self;

    /// Length and flag of the symbol, or a combination of such.
    fn head(&self) -> Head;

    /// Adds what the symbol carries to the data that arrived, and tells how many bytes that is.
    fn append_to(&self, data: &mut Self::Data) -> u64;

    /// Reads the header of a packet; `None` if it is no packet of this transport.
    fn header(packet: &Self::Packet) -> Option<Segment>;

    /// The content of a data packet whose header has this head.
    fn of(head: Head, packet: &Self::Packet) -> Self;

    /// The packet with this header and content.
    fn into_packet(self, header: Segment) -> Self::Packet;
}

/// Lengths alone: the head says them.
impl Content for Head {
    type Data = u64;
    type Packet = Segment;

    #[inline]
    fn amount(data: &u64) -> u64 {
        *data
    }

    fn cut(data: &mut u64, most: u16, closing: bool) -> Self {
        let len = (*data).min(u64::from(most));
        *data -= len;
        Self::new(u16::narrow(len), closing && *data == 0)
    }

    #[inline]
    fn head(&self) -> Head {
        *self
    }

    #[inline]
    fn append_to(&self, _: &mut u64) -> u64 {
        u64::from(self.len())
    }

    #[inline]
    fn header(packet: &Segment) -> Option<Segment> {
        Some(*packet)
    }

    #[inline]
    fn of(head: Head, _: &Segment) -> Self {
        head
    }

    #[inline]
    fn into_packet(self, header: Segment) -> Segment {
        header
    }
}

/// Bytes: a symbol's head, then its payload, which are combined alike.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bytes(Vec<u8>);

/// A packet as it goes through a socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Datagram {
    /// The ECN field of its IP header.
    pub ecn: Ecn,
    /// Everything behind the UDP header.
    pub bytes: Vec<u8>,
}

impl Bytes {
    fn payload(&self) -> &[u8] {
        self.0.get(2..).unwrap_or_default()
    }
}

impl Symbol for Bytes {
    fn add_scaled(&mut self, other: &Self, c: u8) {
        self.0.add_scaled(&other.0, c);
    }
    fn scale(&mut self, c: u8) {
        self.0.scale(c);
    }
}

impl Content for Bytes {
    type Data = VecDeque<u8>;
    type Packet = Datagram;

    fn amount(data: &VecDeque<u8>) -> u64 {
        data.len() as u64
    }

    fn cut(data: &mut VecDeque<u8>, most: u16, closing: bool) -> Self {
        let len = data.len().min(usize::from(most));
        let head = Head::new(u16::narrow(len), closing && len == data.len());
        Self(head.0.into_iter().chain(data.drain(..len)).collect())
    }

    fn head(&self) -> Head {
        Head([0, 1].map(|i| self.0.get(i).copied().unwrap_or_default()))
    }

    /// A sender that lies can make a symbol whose head says more than came with it.
    fn append_to(&self, data: &mut VecDeque<u8>) -> u64 {
        let payload = self.payload();
        let len = payload.len().min(usize::from(self.head().len()));
        data.extend(&payload[..len]);
        len as u64
    }

    fn header(packet: &Datagram) -> Option<Segment> {
        let (mut header, _) = frame::parse(&packet.bytes)?;
        header.ecn = packet.ecn;
        Some(header)
    }

    fn of(head: Head, packet: &Datagram) -> Self {
        let payload = frame::parse(&packet.bytes).map_or(&[][..], |(_, payload)| payload);
        Self([&head.0, payload].concat())
    }

    fn into_packet(self, header: Segment) -> Datagram {
        Datagram { ecn: header.ecn, bytes: frame::emit(&header, self.payload()) }
    }
}

//! Content of symbols: their lengths in the simulator, their bytes over real sockets.
//!
//! Sender, receiver and connection are generic over [`Content`]. Their decisions do not depend on
//! it: an end with bytes sends the same packets at the same times as one with lengths.

use airtcp_units::Narrow;
use std::collections::VecDeque;
use std::fmt::Debug;

use airtcp_fec::Symbol;
use airtcp_packet::{Ecn, Segment};

use super::frame;
use super::wire::Head;

/// Content of a symbol of the stream.
pub trait Content: Symbol + Default + Debug {
    /// In-order data of the stream: written but not in a symbol yet, or arrived but not read yet.
    type Data: Default + Debug;
    /// A packet on the path.
    type Packet;

    /// Number of bytes of data.
    fn amount(data: &Self::Data) -> u64;

    /// Takes the next symbol, of at most `most` bytes, out of the data. It is the last one if no
    /// data is left and the stream is `closing`.
    fn cut(data: &mut Self::Data, most: u16, closing: bool) -> Self;

    /// Length and flag of the symbol, or a combination of these.
    fn head(&self) -> Head;

    /// Appends the content of the symbol to the data that arrived, and returns its number of bytes.
    fn append_to(&self, data: &mut Self::Data) -> u64;

    /// Parses the header of a packet; `None` if the packet is not of this transport.
    fn header(packet: &Self::Packet) -> Option<Segment>;

    /// The content of a data packet whose header has this head.
    fn of(head: Head, packet: &Self::Packet) -> Self;

    /// The packet with this header and content.
    fn into_packet(self, header: Segment) -> Self::Packet;
}

/// Lengths alone: the head contains them.
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

/// Bytes: a symbol's head, then its payload, combined by the same arithmetic.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bytes(Vec<u8>);

/// A packet on a socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Datagram {
    /// The ECN field of its IP header.
    pub ecn: Ecn,
    /// Everything after the UDP header.
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

    /// A hostile sender can make a symbol whose head states more bytes than it has.
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

//! The header of IPv4 (RFC 791), with the ECN field of RFC 3168 and the codepoints of RFC 2474.
//!
//! Leaves out: the meaning of options. A total length of 0 stands for a packet that is longer than the field
//! can say, or that the network card will cut into segments.

use std::net::Ipv4Addr;

use airtcp_packet::Ecn;

use crate::checksum::{checksum, sum};

/// Bytes of a header without options.
pub const HEADER: usize = 20;
const DONT_FRAGMENT: u16 = 0x4000;
const MORE_FRAGMENTS: u16 = 0x2000;
/// The offset counts eight bytes.
const OFFSET: u16 = 0x1fff;

/// A packet, or the part of it that a capture has: at least its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet<'a> {
    data: &'a [u8],
    head: &'a [u8; HEADER],
}

impl<'a> Packet<'a> {
    /// A view of these bytes; `None` if they end within the header, or if its length is below 20. The version is
    /// not looked at.
    #[inline]
    pub fn new_checked(data: &'a [u8]) -> Option<Self> {
        let packet = Self { data, head: data.first_chunk()? };
        let header = packet.header_len();
        (header >= HEADER && data.len() >= header).then_some(packet)
    }

    #[inline]
    const fn half(&self, at: usize) -> u16 {
        u16::from_be_bytes([self.head[at], self.head[at + 1]])
    }

    #[inline]
    const fn address(&self, at: usize) -> Ipv4Addr {
        Ipv4Addr::new(self.head[at], self.head[at + 1], self.head[at + 2], self.head[at + 3])
    }

    /// Version: 4.
    pub const fn version(&self) -> u8 {
        self.head[0] >> 4
    }

    /// Bytes of the header with its options.
    #[inline]
    pub const fn header_len(&self) -> usize {
        (self.head[0] & 0xf) as usize * 4
    }

    /// Codepoint of differentiated services.
    pub const fn dscp(&self) -> u8 {
        self.head[1] >> 2
    }

    /// The two bits of ECN.
    #[inline]
    pub const fn ecn(&self) -> u8 {
        self.head[1] & 3
    }

    /// Length as the header states it, header included.
    #[inline]
    pub fn total_len(&self) -> usize {
        usize::from(self.half(2))
    }

    /// Identification.
    #[inline]
    pub const fn ident(&self) -> u16 {
        self.half(4)
    }

    /// No router may cut the packet.
    pub const fn dont_fragment(&self) -> bool {
        self.half(6) & DONT_FRAGMENT != 0
    }

    /// Other fragments follow.
    #[inline]
    pub const fn more_fragments(&self) -> bool {
        self.half(6) & MORE_FRAGMENTS != 0
    }

    /// Bytes of the datagram before this fragment.
    #[inline]
    pub fn frag_offset(&self) -> usize {
        usize::from(self.half(6) & OFFSET) * 8
    }

    /// True for a part of a datagram.
    #[inline]
    pub const fn is_fragment(&self) -> bool {
        self.half(6) & (MORE_FRAGMENTS | OFFSET) != 0
    }

    /// Time to live.
    #[inline]
    pub const fn hop_limit(&self) -> u8 {
        self.head[8]
    }

    /// Protocol of the payload.
    #[inline]
    pub const fn protocol(&self) -> u8 {
        self.head[9]
    }

    /// Checksum of the header.
    pub const fn checksum(&self) -> u16 {
        self.half(10)
    }

    /// Source.
    #[inline]
    pub const fn source(&self) -> Ipv4Addr {
        self.address(12)
    }

    /// Destination.
    #[inline]
    pub const fn destination(&self) -> Ipv4Addr {
        self.address(16)
    }

    /// True if the header's checksum is right.
    pub fn verify_checksum(&self) -> bool {
        self.data.get(..self.header_len()).is_some_and(|header| checksum(sum(header)) == 0)
    }

    /// What is there behind the header, up to the stated length if that is possible.
    pub fn payload(&self) -> &'a [u8] {
        let header = self.header_len();
        let end = match self.total_len() {
            stated if stated >= header => stated.min(self.data.len()),
            _ => self.data.len(),
        };
        self.data.get(header..end).unwrap_or_default()
    }
}

/// What a header says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repr {
    /// Source.
    pub source: Ipv4Addr,
    /// Destination.
    pub destination: Ipv4Addr,
    /// Protocol of the payload.
    pub protocol: u8,
    /// Time to live.
    pub hop_limit: u8,
    /// Codepoint of differentiated services, 6 bits.
    pub dscp: u8,
    /// ECN field.
    pub ecn: Ecn,
    /// Identification.
    pub ident: u16,
    /// No router may cut the packet.
    pub dont_fragment: bool,
    /// Other fragments follow.
    pub more_fragments: bool,
    /// Bytes of the datagram before this fragment, a multiple of 8 below 65536.
    pub frag_offset: usize,
    /// Bytes of the payload.
    pub payload_len: usize,
}

impl Repr {
    /// What a packet's header says; `None` of another version, or if the stated length ends within the header.
    /// The checksum is not looked at ([`Packet::verify_checksum`]).
    pub fn parse(packet: &Packet<'_>) -> Option<Self> {
        let stated = packet.total_len();
        let payload_len = match stated {
            0 => packet.payload().len(),
            _ => stated.checked_sub(packet.header_len())?,
        };
        (packet.version() == 4).then(|| Self {
            source: packet.source(),
            destination: packet.destination(),
            protocol: packet.protocol(),
            hop_limit: packet.hop_limit(),
            dscp: packet.dscp(),
            ecn: Ecn::from_bits(packet.ecn()),
            ident: packet.ident(),
            dont_fragment: packet.dont_fragment(),
            more_fragments: packet.more_fragments(),
            frag_offset: packet.frag_offset(),
            payload_len,
        })
    }

    /// Bytes that [`emit`](Self::emit) writes.
    pub const fn buffer_len(&self) -> usize {
        HEADER
    }

    /// Appends the header, with its checksum. A length of more than 65535 bytes is written as 0.
    pub fn emit(&self, out: &mut Vec<u8>) {
        let start = out.len();
        let total = u16::try_from(HEADER + self.payload_len).unwrap_or(0);
        let mut fragment = u16::try_from(self.frag_offset / 8).unwrap_or(OFFSET) & OFFSET;
        fragment |= if self.dont_fragment { DONT_FRAGMENT } else { 0 };
        fragment |= if self.more_fragments { MORE_FRAGMENTS } else { 0 };
        out.extend([0x45, self.dscp << 2 | self.ecn.bits()]);
        out.extend(total.to_be_bytes());
        out.extend(self.ident.to_be_bytes());
        out.extend(fragment.to_be_bytes());
        out.extend([self.hop_limit, self.protocol, 0, 0]);
        out.extend(self.source.octets());
        out.extend(self.destination.octets());
        let header = checksum(sum(&out[start..]));
        out[start + 10..start + 12].copy_from_slice(&header.to_be_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn repr() -> impl Strategy<Value = Repr> {
        let addresses = (any::<u32>(), any::<u32>());
        let bytes = (any::<u8>(), any::<u8>(), 0..64u8, 0..4u8);
        let fragment = (any::<u16>(), any::<[bool; 2]>(), 0..0x2000usize, 0..=65_515usize);
        (addresses, bytes, fragment).prop_map(|(addresses, bytes, fragment)| Repr {
            source: addresses.0.into(),
            destination: addresses.1.into(),
            protocol: bytes.0,
            hop_limit: bytes.1,
            dscp: bytes.2,
            ecn: Ecn::from_bits(bytes.3),
            ident: fragment.0,
            dont_fragment: fragment.1[0],
            more_fragments: fragment.1[1],
            frag_offset: fragment.2 * 8,
            payload_len: fragment.3,
        })
    }

    proptest! {
        #[test]
        fn round_trip(repr in repr(), before in 0..3usize) {
            let mut out = vec![7; before];
            repr.emit(&mut out);
            prop_assert_eq!(out.len(), before + repr.buffer_len());
            let packet = Packet::new_checked(&out[before..]).unwrap();
            prop_assert!(packet.verify_checksum());
            prop_assert_eq!(Repr::parse(&packet), Some(repr));
        }

        #[test]
        fn any_bytes(data in prop::collection::vec(any::<u8>(), 0..80)) {
            if let Some(packet) = Packet::new_checked(&data) {
                prop_assert!(packet.payload().len() + packet.header_len() <= data.len());
                let _ = (packet.verify_checksum(), packet.checksum(), Repr::parse(&packet));
            }
        }
    }

    /// A SYN of a Linux host: don't fragment, time to live 64, TCP, 60 bytes.
    #[test]
    fn a_known_header() {
        let data = [
            0x45, 0x00, 0x00, 0x3c, 0x1c, 0x46, 0x40, 0x00, 0x40, 0x06, 0xb1, 0xe6, 0xac, 0x10,
            0x0a, 0x63, 0xac, 0x10, 0x0a, 0x0c,
        ];
        let packet = Packet::new_checked(&data).unwrap();
        let repr = Repr::parse(&packet).unwrap();
        assert!(packet.verify_checksum() && repr.dont_fragment && !packet.is_fragment());
        assert_eq!((repr.protocol, repr.hop_limit, repr.payload_len), (6, 64, 40));
        assert_eq!((repr.source, repr.ident), (Ipv4Addr::new(172, 16, 10, 99), 0x1c46));
        let mut out = Vec::new();
        repr.emit(&mut out);
        assert_eq!(out, data);
    }

    #[test]
    fn lengths_that_do_not_fit() {
        let mut data = [0u8; 24];
        (data[0], data[3]) = (0x45, 22);
        assert_eq!(Packet::new_checked(&data).unwrap().payload().len(), 2);
        // Below the header; zero; a header that is too short, and one that the bytes end within.
        data[3] = 19;
        let packet = Packet::new_checked(&data).unwrap();
        assert_eq!((packet.payload().len(), Repr::parse(&packet)), (4, None));
        data[3] = 0;
        assert_eq!(Repr::parse(&Packet::new_checked(&data).unwrap()).unwrap().payload_len, 4);
        for first in [0x44, 0x47] {
            data[0] = first;
            assert_eq!(Packet::new_checked(&data), None);
        }
        assert_eq!(Packet::new_checked(&data[..19]), None);
        // A packet of more than 65535 bytes states none.
        let mut out = Vec::new();
        data[0] = 0x45;
        let packet = Packet::new_checked(&data).unwrap();
        Repr { payload_len: 65_516, ..Repr::parse(&packet).unwrap() }.emit(&mut out);
        assert_eq!(out[2..4], [0, 0]);
    }
}

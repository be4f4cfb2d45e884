//! The header of IPv6 and its extension headers (RFC 8200), with those of authentication (RFC 4302).
//!
//! Leaves out: the meaning of options and routes. A payload length of 0 stands for a packet that is longer than the
//! field can say (RFC 2675), or that the network card will cut into segments.

use std::net::Ipv6Addr;

use airtcp_packet::Ecn;

use crate::bytes::{be16, be32, byte};

/// Bytes of the header.
pub const HEADER: usize = 40;
/// Numbers of extension headers.
const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const AUTHENTICATION: u8 = 51;
const DESTINATION: u8 = 60;

/// A packet, or the part of it that a capture has: at least its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet<'a> {
    data: &'a [u8],
    head: &'a [u8; HEADER],
}

impl<'a> Packet<'a> {
    /// A view of these bytes; `None` if they end within the header. The version is not looked at.
    #[inline]
    pub fn new_checked(data: &'a [u8]) -> Option<Self> {
        Some(Self { data, head: data.first_chunk()? })
    }

    #[inline]
    fn address(&self, at: usize) -> Ipv6Addr {
        let mut octets = [0; 16];
        octets.copy_from_slice(&self.head[at..at + 16]);
        octets.into()
    }

    /// Version: 6.
    pub const fn version(&self) -> u8 {
        self.head[0] >> 4
    }

    /// The traffic class: codepoint and ECN.
    const fn traffic_class(&self) -> u8 {
        self.head[0] << 4 | self.head[1] >> 4
    }

    /// Codepoint of differentiated services.
    pub const fn dscp(&self) -> u8 {
        self.traffic_class() >> 2
    }

    /// The two bits of ECN.
    #[inline]
    pub const fn ecn(&self) -> u8 {
        self.traffic_class() & 3
    }

    /// Flow label.
    pub const fn flow_label(&self) -> u32 {
        u32::from_be_bytes([0, self.head[1] & 0xf, self.head[2], self.head[3]])
    }

    /// Length of what is behind the header, as the header states it.
    #[inline]
    pub fn payload_len(&self) -> usize {
        usize::from(u16::from_be_bytes([self.head[4], self.head[5]]))
    }

    /// What follows the header.
    #[inline]
    pub const fn next_header(&self) -> u8 {
        self.head[6]
    }

    /// Hop limit.
    #[inline]
    pub const fn hop_limit(&self) -> u8 {
        self.head[7]
    }

    /// Source.
    #[inline]
    pub fn source(&self) -> Ipv6Addr {
        self.address(8)
    }

    /// Destination.
    #[inline]
    pub fn destination(&self) -> Ipv6Addr {
        self.address(24)
    }

    /// What is there behind the header, up to the stated length if that is not 0.
    #[inline]
    pub fn payload(&self) -> &'a [u8] {
        let rest = &self.data[HEADER..];
        match self.payload_len() {
            0 => rest,
            stated => &rest[..stated.min(rest.len())],
        }
    }

    /// What follows the extension headers.
    #[inline]
    pub fn upper(&self) -> Upper<'a> {
        Upper::behind(self.next_header(), self.payload())
    }
}

/// What follows the extension headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Upper<'a> {
    /// Its protocol; that of an extension header if this one is cut off, malformed or at a wrong place.
    pub protocol: u8,
    /// Its bytes.
    pub payload: &'a [u8],
    /// The first header of a part of a datagram, and what follows that header.
    pub fragment: Option<(Fragment, &'a [u8])>,
}

impl<'a> Upper<'a> {
    /// Passes the extension headers over. Options of routers stand first or not at all.
    #[inline]
    fn behind(first: u8, payload: &'a [u8]) -> Self {
        let mut upper = Self { protocol: first, payload, fragment: None };
        if first == HOP_BY_HOP && upper.pass(8).is_none() {
            return upper;
        }
        loop {
            let passed = match upper.protocol {
                ROUTING | DESTINATION => upper.pass(8),
                FRAGMENT => upper.pass_fragment(),
                AUTHENTICATION => upper.pass(4),
                _ => None,
            };
            if passed.is_none() {
                return upper;
            }
        }
    }

    /// Passes a header over whose length counts units of so many bytes: of 8 without the first, or of 4 without
    /// the first two.
    fn pass(&mut self, unit: usize) -> Option<()> {
        let (next, length) = (byte(self.payload, 0)?, usize::from(byte(self.payload, 1)?));
        if unit == 4 && length == 0 {
            return None;
        }
        let length = 8 + length * unit;
        self.payload = self.payload.get(length..)?;
        self.protocol = next;
        Some(())
    }

    fn pass_fragment(&mut self) -> Option<()> {
        let fragment = Fragment::parse(self.payload)?;
        self.payload = self.payload.get(Fragment::LEN..)?;
        self.protocol = fragment.next_header;
        if fragment.is_part() {
            self.fragment.get_or_insert((fragment, self.payload));
        }
        Some(())
    }
}

/// The fragment header (RFC 8200 section 4.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fragment {
    /// What follows it.
    pub next_header: u8,
    /// Bytes of the datagram before this fragment, a multiple of 8 below 65536.
    pub offset: u16,
    /// Other fragments follow.
    pub more: bool,
    /// Identification of the datagram.
    pub ident: u32,
}

impl Fragment {
    /// Bytes of the header.
    pub const LEN: usize = 8;

    /// What the header at the start of some bytes says.
    pub fn parse(data: &[u8]) -> Option<Self> {
        let place = be16(data, 2)?;
        Some(Self {
            next_header: byte(data, 0)?,
            offset: place & 0xfff8,
            more: place & 1 != 0,
            ident: be32(data, 4)?,
        })
    }

    /// Appends the header.
    pub fn emit(&self, out: &mut Vec<u8>) {
        out.extend([self.next_header, 0]);
        out.extend((self.offset & 0xfff8 | u16::from(self.more)).to_be_bytes());
        out.extend(self.ident.to_be_bytes());
    }

    /// False for a header before a datagram that is whole (RFC 6946).
    pub const fn is_part(&self) -> bool {
        self.more || self.offset != 0
    }
}

/// What a header says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repr {
    /// Source.
    pub source: Ipv6Addr,
    /// Destination.
    pub destination: Ipv6Addr,
    /// What follows the header.
    pub next_header: u8,
    /// Hop limit.
    pub hop_limit: u8,
    /// Codepoint of differentiated services, 6 bits.
    pub dscp: u8,
    /// ECN field.
    pub ecn: Ecn,
    /// Flow label, 20 bits.
    pub flow_label: u32,
    /// Bytes behind the header.
    pub payload_len: usize,
}

impl Repr {
    /// What a packet's header says; `None` of another version.
    pub fn parse(packet: &Packet<'_>) -> Option<Self> {
        (packet.version() == 6).then(|| Self {
            source: packet.source(),
            destination: packet.destination(),
            next_header: packet.next_header(),
            hop_limit: packet.hop_limit(),
            dscp: packet.dscp(),
            ecn: Ecn::from_bits(packet.ecn()),
            flow_label: packet.flow_label(),
            payload_len: match packet.payload_len() {
                0 => packet.payload().len(),
                stated => stated,
            },
        })
    }

    /// Bytes that [`emit`](Self::emit) writes.
    pub const fn buffer_len(&self) -> usize {
        HEADER
    }

    /// Appends the header. A length of more than 65535 bytes is written as 0.
    pub fn emit(&self, out: &mut Vec<u8>) {
        let class = u32::from(self.dscp << 2 | self.ecn.bits());
        let first = 6 << 28 | class << 20 | self.flow_label & 0xf_ffff;
        out.extend(first.to_be_bytes());
        out.extend(u16::try_from(self.payload_len).unwrap_or(0).to_be_bytes());
        out.extend([self.next_header, self.hop_limit]);
        out.extend(self.source.octets());
        out.extend(self.destination.octets());
    }
}

#[cfg(test)]
mod tests;

//! A TCP segment with its addresses, from the headers of TCP and IP.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use airtcp_wire::tcp::{Flags, Options, Packet};

/// An IP address in a form that compares fast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Address(u128);

impl Address {
    /// An IPv4 address, in its IPv6-mapped form.
    pub fn v4(bytes: [u8; 4]) -> Self {
        Self(u128::from_be_bytes(Ipv4Addr::from(bytes).to_ipv6_mapped().octets()))
    }

    /// An IPv6 address.
    pub const fn v6(bytes: [u8; 16]) -> Self {
        Self(u128::from_be_bytes(bytes))
    }

    /// Its low 64 bits.
    pub(crate) const fn low(self) -> u64 {
        let [.., a, b, c, d, e, f, g, h] = self.0.to_be_bytes();
        u64::from_be_bytes([a, b, c, d, e, f, g, h])
    }

    /// Its high and its low 64 bits.
    pub(crate) const fn halves(self) -> [u64; 2] {
        let [a, b, c, d, e, f, g, h, ..] = self.0.to_be_bytes();
        [u64::from_be_bytes([a, b, c, d, e, f, g, h]), self.low()]
    }

    /// The address.
    pub fn ip(self) -> IpAddr {
        let v6 = Ipv6Addr::from(self.0.to_be_bytes());
        v6.to_ipv4_mapped().map_or(IpAddr::V6(v6), IpAddr::V4)
    }
}

/// An address with a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Endpoint {
    /// The address.
    pub address: Address,
    /// The port.
    pub port: u16,
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.address.ip() {
            IpAddr::V4(ip) => write!(f, "{ip}:{}", self.port),
            IpAddr::V6(ip) => write!(f, "[{ip}]:{}", self.port),
        }
    }
}

/// A TCP segment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Segment {
    /// Time in nanoseconds since 1970-01-01.
    pub time_ns: u64,
    /// Source.
    pub from: Endpoint,
    /// Destination.
    pub to: Endpoint,
    /// Sequence number.
    pub sequence: u32,
    /// Acknowledgement number.
    pub acknowledgement: u32,
    /// Flags.
    pub flags: Flags,
    /// The flag AE, formerly NS (RFC 9768 section 3.2).
    pub ae: bool,
    /// Window as sent, before its scale.
    pub window: u16,
    /// Bytes of payload.
    pub payload: u32,
    /// Options.
    pub options: Options,
    /// Identification of the IPv4 header.
    pub ip_id: Option<u16>,
    /// Time to live, or hop limit.
    pub ttl: u8,
    /// ECN field of the IP header (RFC 3168).
    pub ecn: u8,
    /// Checksum of TCP.
    pub checksum: u16,
    /// True if a radio in monitor mode captured it.
    pub of_air: bool,
}

/// The fields of an IP header that a segment takes over.
#[derive(Debug, Clone, Copy)]
pub(super) struct IpFields {
    pub(super) time_ns: u64,
    pub(super) source: Address,
    pub(super) destination: Address,
    pub(super) id: Option<u16>,
    pub(super) ttl: u8,
    pub(super) ecn: u8,
}

impl Segment {
    /// Parses a TCP header. `length` is that of header and payload on the wire.
    #[inline]
    pub(super) fn parse(ip: &IpFields, data: &[u8], length: usize) -> Option<Self> {
        let tcp = Packet::new_checked(data)?;
        let payload = length.saturating_sub(tcp.header_len());
        Some(Self {
            time_ns: ip.time_ns,
            from: Endpoint { address: ip.source, port: tcp.source_port() },
            to: Endpoint { address: ip.destination, port: tcp.destination_port() },
            sequence: tcp.seq().0,
            acknowledgement: tcp.ack().0,
            flags: tcp.flags(),
            ae: tcp.ae(),
            window: tcp.window(),
            payload: u32::try_from(payload).unwrap_or(u32::MAX),
            options: Options::parse(tcp.options()),
            ip_id: ip.id,
            ttl: ip.ttl,
            ecn: ip.ecn,
            checksum: tcp.checksum(),
            of_air: false,
        })
    }

    /// Length in sequence numbers: payload, and one each for SYN and FIN.
    pub fn sequence_length(&self) -> u32 {
        let flags = u32::from(self.flags.has(Flags::SYN)) + u32::from(self.flags.has(Flags::FIN));
        self.payload.saturating_add(flags)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip() -> IpFields {
        IpFields {
            time_ns: 7,
            source: Address::v4([10, 0, 0, 1]),
            destination: Address::v4([10, 0, 0, 2]),
            id: Some(9),
            ttl: 64,
            ecn: 0,
        }
    }

    #[test]
    fn options_of_a_segment() {
        let mut data = vec![0, 80, 1, 0, 0, 0, 0, 5, 0, 0, 0, 6, 0xd0, 0x18, 1, 2, 0, 0, 0, 0];
        data.extend([1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 1, 1, 5, 18]);
        data.extend([0, 0, 0, 10, 0, 0, 0, 20, 0, 0, 0, 30, 0, 0, 0, 40]);
        let segment = Segment::parse(&ip(), &data, 152).unwrap();
        assert_eq!((segment.sequence, segment.acknowledgement, segment.payload), (5, 6, 100));
        assert_eq!(segment.options.timestamps, Some((1, 2)));
        assert_eq!(segment.options.sack.as_slice(), [(10, 20), (30, 40)]);
        assert_eq!(segment.from.to_string(), "10.0.0.1:80");
        // Cut within the options: what precedes the cut is read.
        let segment = Segment::parse(&ip(), &data[..34], 152).unwrap();
        assert_eq!((segment.payload, segment.options.timestamps), (100, Some((1, 2))));
        assert!(Segment::parse(&ip(), &data[..19], 152).is_none());
    }
}

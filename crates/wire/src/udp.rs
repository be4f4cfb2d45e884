//! The header of UDP (RFC 768; over IPv6 RFC 8200 section 8.1).
//!
//! A length of 0 stands for a datagram that is longer than the field can say (RFC 2675), or that the network card
//! will cut.

use crate::bytes::be16;
use crate::checksum::{Addresses, Payload, checksum, sum};

/// IP's number of UDP.
pub const PROTOCOL: u8 = 17;
/// Bytes of the header.
pub const HEADER: usize = 8;

/// The ports of source and destination, which a capture may have of a header that it cut off.
#[inline]
pub fn ports(data: &[u8]) -> Option<(u16, u16)> {
    be16(data, 0).zip(be16(data, 2))
}

/// A datagram, or the part of it that a capture has: at least its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet<'a> {
    data: &'a [u8],
    head: &'a [u8; HEADER],
}

impl<'a> Packet<'a> {
    /// A view of these bytes; `None` if they end within the header.
    pub fn new_checked(data: &'a [u8]) -> Option<Self> {
        Some(Self { data, head: data.first_chunk()? })
    }

    const fn half(&self, at: usize) -> u16 {
        u16::from_be_bytes([self.head[at], self.head[at + 1]])
    }

    /// Port of the source.
    pub const fn source_port(&self) -> u16 {
        self.half(0)
    }

    /// Port of the destination.
    pub const fn destination_port(&self) -> u16 {
        self.half(2)
    }

    /// Length as the header states it, header included; `None` if it is too small to be one.
    pub fn total_len(&self) -> Option<usize> {
        Some(usize::from(self.half(4))).filter(|length| *length >= HEADER)
    }

    /// Checksum; 0 if there is none.
    pub const fn checksum(&self) -> u16 {
        self.half(6)
    }

    /// What is there of the payload, up to the stated length.
    pub fn payload(&self) -> &'a [u8] {
        let end = self.total_len().map_or(self.data.len(), |length| length.min(self.data.len()));
        &self.data[HEADER..end]
    }

    /// True if the checksum of a whole datagram is right. Over IPv4 there may be none.
    pub fn verify_checksum(&self, between: &Addresses) -> bool {
        if self.checksum() == 0 {
            return matches!(between, Addresses::V4(..));
        }
        let datagram = &self.data[..HEADER + self.payload().len()];
        checksum(between.pseudo(PROTOCOL, datagram.len()) + sum(datagram)) == 0
    }
}

/// What a header says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repr {
    /// Port of the source.
    pub source_port: u16,
    /// Port of the destination.
    pub destination_port: u16,
    /// Bytes of the payload.
    pub payload_len: usize,
}

impl Repr {
    /// What a datagram's header says; `None` if the length is that of a part of the header. The checksum is not
    /// looked at ([`Packet::verify_checksum`]).
    pub fn parse(packet: &Packet<'_>) -> Option<Self> {
        let payload_len = match packet.half(4) {
            0 => packet.payload().len(),
            _ => packet.total_len()? - HEADER,
        };
        let (source_port, destination_port) = (packet.source_port(), packet.destination_port());
        Some(Self { source_port, destination_port, payload_len })
    }

    /// Bytes that [`emit`](Self::emit) writes.
    pub const fn buffer_len(&self) -> usize {
        HEADER
    }

    /// Appends the header, with its checksum. The length is that of the payload; one of more than 65535 bytes is
    /// written as 0.
    pub fn emit(&self, out: &mut Vec<u8>, between: &Addresses, payload: Payload) {
        let start = out.len();
        out.extend(self.source_port.to_be_bytes());
        out.extend(self.destination_port.to_be_bytes());
        out.extend(u16::try_from(HEADER + self.payload_len).unwrap_or(0).to_be_bytes());
        out.extend([0; 2]);
        let value = match payload.checksum(between, PROTOCOL, &out[start..]) {
            // A checksum of 0 would mean that there is none.
            0 => u16::MAX,
            value => value,
        };
        out[start + 6..start + 8].copy_from_slice(&value.to_be_bytes());
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use super::*;
    use proptest::prelude::*;

    const V4: Addresses = Addresses::V4(Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 1, 0, 1));
    const V6: Addresses = Addresses::V6(Ipv6Addr::LOCALHOST, Ipv6Addr::LOCALHOST);

    proptest! {
        #[test]
        fn round_trip(ports in any::<[u16; 2]>(), payload in prop::collection::vec(any::<u8>(), 0..50)) {
            let [source_port, destination_port] = ports;
            let repr = Repr { source_port, destination_port, payload_len: payload.len() };
            for between in [V4, V6] {
                let mut out = Vec::new();
                repr.emit(&mut out, &between, Payload::of(&payload));
                prop_assert_eq!(out.len(), repr.buffer_len());
                out.extend(&payload);
                // What fills up a frame is not part of the datagram.
                out.extend([1; 3]);
                let packet = Packet::new_checked(&out).unwrap();
                prop_assert!(packet.verify_checksum(&between) && packet.checksum() != 0);
                prop_assert_eq!(packet.payload(), &payload);
                prop_assert_eq!(Repr::parse(&packet), Some(repr));
            }
        }

        #[test]
        fn any_bytes(data in prop::collection::vec(any::<u8>(), 0..40)) {
            if let Some(packet) = Packet::new_checked(&data) {
                let _ = (packet.verify_checksum(&V4), Repr::parse(&packet));
                prop_assert_eq!(ports(&data), Some((packet.source_port(), packet.destination_port())));
            }
        }
    }

    #[test]
    fn checksums_of_zero() {
        let mut data = [0, 53, 0, 53, 0, 8, 0, 0];
        assert!(Packet::new_checked(&data).unwrap().verify_checksum(&V4));
        assert!(!Packet::new_checked(&data).unwrap().verify_checksum(&V6));
        data[5] = 7;
        assert_eq!(Repr::parse(&Packet::new_checked(&data).unwrap()), None);
        assert_eq!((ports(&data[..4]), ports(&data[..3])), (Some((53, 53)), None));
        // Ports for which the sum is all ones: the field is all ones too, not 0.
        let mut out = Vec::new();
        let repr = Repr { source_port: 0, destination_port: 0, payload_len: 0 };
        let rest = V4.pseudo(PROTOCOL, 8) + 8;
        let repr = Repr { source_port: checksum(rest), ..repr };
        repr.emit(&mut out, &V4, Payload::zeros(0));
        assert_eq!(out[6..], [0xff; 2]);
    }
}

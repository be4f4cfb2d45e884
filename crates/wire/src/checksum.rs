//! The checksum of IP, TCP and UDP (RFC 1071): the one's complement of the one's complement sum of 16-bit words.
//!
//! TCP and UDP sum a pseudo-header first: the addresses, the protocol and the length (RFC 9293 section 3.1,
//! RFC 768; for IPv6 RFC 8200 section 8.1).

use std::net::{Ipv4Addr, Ipv6Addr};

/// Sum of 16-bit words before folding. Only the last part of what is summed may have an odd length.
#[inline]
pub fn sum(bytes: &[u8]) -> u64 {
    let (words, last) = bytes.as_chunks::<2>();
    let whole: u64 = words.iter().map(|word| u64::from(u16::from_be_bytes(*word))).sum();
    whole + last.first().map_or(0, |byte| u64::from(*byte) << 8)
}

/// Folds a sum into a checksum. Over bytes that hold their checksum it is 0.
#[inline]
pub const fn checksum(mut sum: u64) -> u16 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    let [.., high, low] = sum.to_be_bytes();
    !u16::from_be_bytes([high, low])
}

/// Source and destination of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Addresses {
    /// Of IPv4.
    V4(Ipv4Addr, Ipv4Addr),
    /// Of IPv6.
    V6(Ipv6Addr, Ipv6Addr),
}

impl Addresses {
    /// Sum of the pseudo-header of `length` bytes of a protocol.
    pub fn pseudo(&self, protocol: u8, length: usize) -> u64 {
        let addresses = match self {
            Self::V4(from, to) => sum(&from.octets()) + sum(&to.octets()),
            Self::V6(from, to) => sum(&from.octets()) + sum(&to.octets()),
        };
        addresses + u64::from(protocol) + sum(&(length as u64).to_be_bytes())
    }
}

/// The payload behind a header, as far as the header's fields depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Payload {
    length: usize,
    sum: u64,
}

impl Payload {
    /// These bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self { length: bytes.len(), sum: sum(bytes) }
    }

    /// So many bytes that are zero, as in the simulator.
    pub const fn zeros(length: usize) -> Self {
        Self { length, sum: 0 }
    }

    /// Its bytes.
    pub const fn len(self) -> usize {
        self.length
    }

    /// True without bytes.
    pub const fn is_empty(self) -> bool {
        self.length == 0
    }

    /// The checksum of a header before it, whose checksum field is 0 yet.
    pub fn checksum(self, between: &Addresses, protocol: u8, header: &[u8]) -> u16 {
        let length = header.len() + self.length;
        checksum(between.pseudo(protocol, length) + sum(header) + self.sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worked example of RFC 1071 section 3: the words 0001 f203 f4f5 f6f7 sum to 2ddf0, folded ddf2.
    #[test]
    fn the_example_of_rfc_1071() {
        let bytes = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
        assert_eq!(sum(&bytes), 0x2ddf0);
        assert_eq!(checksum(sum(&bytes)), !0xddf2);
        // In its second column the bytes of each word are swapped, and so is the sum: f2dd.
        let swapped = [0x01, 0x00, 0x03, 0xf2, 0xf5, 0xf4, 0xf7, 0xf6];
        assert_eq!(checksum(sum(&swapped)), !0xf2dd);
        // An odd number of bytes counts as if a zero followed (section 1).
        assert_eq!(sum(&bytes[..7]), sum(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0x00]));
        // The order of groups of words does not matter (section 2, property A).
        assert_eq!(sum(&bytes[4..]) + sum(&bytes[..4]), sum(&bytes));
    }

    /// The header that the literature works out: 4500 003c 1c46 4000 4006 .... ac10 0a63 ac10 0a0c has b1e6.
    #[test]
    fn an_ipv4_header() {
        let mut header = [
            0x45, 0x00, 0x00, 0x3c, 0x1c, 0x46, 0x40, 0x00, 0x40, 0x06, 0, 0, 0xac, 0x10, 0x0a,
            0x63, 0xac, 0x10, 0x0a, 0x0c,
        ];
        assert_eq!(checksum(sum(&header)), 0xb1e6);
        (header[10], header[11]) = (0xb1, 0xe6);
        assert_eq!(checksum(sum(&header)), 0);
    }

    /// RFC 8200 section 8.1, by hand: fe80::1 and fe80::2 are fe80 + 1 + fe80 + 2 = 1fd03; a length of 12 and
    /// next header 17 make 1fd20. The header 0400 0035 000c 0000 adds 0441, and "test" 7465 + 7374 = e7d9:
    /// 2e93a, folded e93c.
    #[test]
    fn a_pseudo_header_of_ipv6() {
        let between = Addresses::V6(
            Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 1),
            Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 2),
        );
        assert_eq!(between.pseudo(17, 12), 0x1fd20);
        let header = [0x04, 0x00, 0x00, 0x35, 0x00, 0x0c, 0, 0];
        assert_eq!(Payload::of(b"test").checksum(&between, 17, &header), !0xe93c);
        // Lengths beyond 16 bits count with both halves.
        assert_eq!(between.pseudo(6, 0x1_0002), 0x1fd03 + 6 + 1 + 2);
    }
}

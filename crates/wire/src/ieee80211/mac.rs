//! Addresses of 802.11 and Ethernet (IEEE 802-2014 clause 8), and the check of a frame.

use std::fmt;

use airtcp_units::LowBits;

/// A MAC address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Mac(pub [u8; 6]);

impl Mac {
    /// All stations.
    pub const BROADCAST: Self = Self([0xff; 6]);

    #[inline]
    pub(super) fn at(data: &[u8], at: usize) -> Option<Self> {
        data.get(at..)?.first_chunk().copied().map(Self)
    }

    /// True for an address of a group, such as broadcast.
    pub const fn is_group(self) -> bool {
        self.0[0] & 1 != 0
    }

    /// The address without the group bit, which control frames use to announce a bandwidth.
    pub(super) const fn individual(self) -> Self {
        let [first, a, b, c, d, e] = self.0;
        Self([first & !1, a, b, c, d, e])
    }
}

impl fmt::Display for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

/// Bytes of the frame check sequence.
pub const FCS: usize = 4;

/// The frame check sequence, little-endian on the air: CRC-32 (IEEE 802.11-2020 section 9.2.4.8, IEEE 802.3).
pub fn fcs(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut i = 0_u32;
        while i < 256 {
            let mut value = i;
            let mut bit = 0;
            while bit < 8 {
                value = if value & 1 == 1 { value >> 1 ^ 0xedb8_8320 } else { value >> 1 };
                bit += 1;
            }
            table[i as usize] = value;
            i += 1;
        }
        table
    };
    let step = |crc: u32, byte: &u8| crc >> 8 ^ TABLE[usize::from(u8::low_bits(crc) ^ byte)];
    !bytes.iter().fold(u32::MAX, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check value of this CRC in catalogues, and the residue of IEEE 802.3 clause 3.2.9: over bytes and their
    /// check it is always the same.
    #[test]
    fn check_of_the_check_string() {
        assert_eq!(fcs(b"123456789"), 0xcbf4_3926);
        for bytes in [&b"123456789"[..], b"", &[0xff; 33]] {
            let whole = [bytes, &fcs(bytes).to_le_bytes()].concat();
            assert_eq!(fcs(&whole), 0x2144_df1c);
        }
    }
}

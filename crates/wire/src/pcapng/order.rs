//! The byte order of a section: numbers in a block, read and written.

use crate::bytes::{be16, be32, be64, le16, le32, le64};

/// The byte order of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Least significant byte first.
    #[default]
    Little,
    /// Most significant byte first.
    Big,
}

impl Order {
    /// 16 bits at a place; `None` past the end.
    #[inline]
    pub fn half(self, data: &[u8], at: usize) -> Option<u16> {
        match self {
            Self::Little => le16(data, at),
            Self::Big => be16(data, at),
        }
    }

    /// 32 bits at a place.
    #[inline]
    pub fn word(self, data: &[u8], at: usize) -> Option<u32> {
        match self {
            Self::Little => le32(data, at),
            Self::Big => be32(data, at),
        }
    }

    /// 64 bits at a place.
    #[inline]
    pub fn long(self, data: &[u8], at: usize) -> Option<u64> {
        match self {
            Self::Little => le64(data, at),
            Self::Big => be64(data, at),
        }
    }

    /// Appends 16 bits.
    pub fn put_half(self, out: &mut Vec<u8>, value: u16) {
        out.extend(match self {
            Self::Little => value.to_le_bytes(),
            Self::Big => value.to_be_bytes(),
        });
    }

    /// Appends 32 bits.
    pub fn put_word(self, out: &mut Vec<u8>, value: u32) {
        out.extend(match self {
            Self::Little => value.to_le_bytes(),
            Self::Big => value.to_be_bytes(),
        });
    }

    /// Appends 64 bits.
    pub fn put_long(self, out: &mut Vec<u8>, value: u64) {
        out.extend(match self {
            Self::Little => value.to_le_bytes(),
            Self::Big => value.to_be_bytes(),
        });
    }
}

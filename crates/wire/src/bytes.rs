//! Integers at a place in bytes; `None` past the end.

/// The byte at a place.
#[inline]
pub fn byte(data: &[u8], at: usize) -> Option<u8> {
    data.get(at).copied()
}

#[inline]
fn array<const N: usize>(data: &[u8], at: usize) -> Option<[u8; N]> {
    data.get(at..)?.first_chunk().copied()
}

/// 16 bits, little-endian.
#[inline]
pub fn le16(data: &[u8], at: usize) -> Option<u16> {
    array(data, at).map(u16::from_le_bytes)
}

/// 32 bits, little-endian.
#[inline]
pub fn le32(data: &[u8], at: usize) -> Option<u32> {
    array(data, at).map(u32::from_le_bytes)
}

/// 64 bits, little-endian.
#[inline]
pub fn le64(data: &[u8], at: usize) -> Option<u64> {
    array(data, at).map(u64::from_le_bytes)
}

/// 16 bits, big-endian.
#[inline]
pub fn be16(data: &[u8], at: usize) -> Option<u16> {
    array(data, at).map(u16::from_be_bytes)
}

/// 32 bits, big-endian.
#[inline]
pub fn be32(data: &[u8], at: usize) -> Option<u32> {
    array(data, at).map(u32::from_be_bytes)
}

/// 64 bits, big-endian.
#[inline]
pub fn be64(data: &[u8], at: usize) -> Option<u64> {
    array(data, at).map(u64::from_be_bytes)
}

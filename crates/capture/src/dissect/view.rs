//! The captured bytes of a part of a packet, and how many the capture cut off behind them.

use airtcp_wire::bytes::{be16, be32, byte};

/// A part of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct View<'a> {
    /// Its captured bytes.
    pub(super) data: &'a [u8],
    /// Bytes behind them that the capture lacks.
    pub(super) missing: usize,
}

impl<'a> View<'a> {
    /// A part that has `wire` bytes on the wire.
    pub(super) const fn new(data: &'a [u8], wire: usize) -> Self {
        Self { data, missing: wire.saturating_sub(data.len()) }
    }

    /// Its length on the wire.
    pub(super) const fn wire(self) -> usize {
        self.data.len() + self.missing
    }

    /// What follows the first `length` bytes; `None` if the capture cut these off.
    pub(super) fn skip(self, length: usize) -> Option<Self> {
        Some(Self { data: self.data.get(length..)?, missing: self.missing })
    }

    /// At most `length` bytes of it.
    pub(super) fn limit(self, length: usize) -> Self {
        let wire = self.wire().min(length);
        Self::new(&self.data[..self.data.len().min(wire)], wire)
    }

    /// The byte at a place.
    pub(super) fn byte(self, at: usize) -> Option<u8> {
        byte(self.data, at)
    }

    /// 16 bits at a place, big-endian.
    pub(super) fn be16(self, at: usize) -> Option<u16> {
        be16(self.data, at)
    }

    /// 32 bits at a place, big-endian.
    pub(super) fn be32(self, at: usize) -> Option<u32> {
        be32(self.data, at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_packet_that_was_cut_off() {
        let whole = View::new(&[1, 2, 3, 4], 10);
        assert_eq!((whole.missing, whole.wire()), (6, 10));
        assert_eq!(whole.skip(3), Some(View { data: &[4], missing: 6 }));
        assert_eq!(whole.skip(5), None);
        assert_eq!(whole.limit(3), View { data: &[1, 2, 3], missing: 0 });
        assert_eq!(whole.limit(7), View { data: &[1, 2, 3, 4], missing: 3 });
        assert_eq!(whole.limit(70), whole);
        // A length on the wire below that of the capture is none.
        assert_eq!(View::new(&[1, 2], 1).wire(), 2);
    }
}

//! Numbers from an input.

/// Reads numbers off bytes; at their end there are zeros.
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl<'a> Bytes<'a> {
    pub(super) fn take<const N: usize>(&mut self) -> [u8; N] {
        let mut out = [0; N];
        for byte in &mut out {
            let Some((first, rest)) = self.0.split_first() else { break };
            *byte = *first;
            self.0 = rest;
        }
        out
    }

    pub(super) fn u8(&mut self) -> u8 {
        let [byte] = self.take();
        byte
    }

    pub(super) fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take())
    }

    pub(super) fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    pub(super) fn i16(&mut self) -> i16 {
        i16::from_le_bytes(self.take())
    }

    /// At most `length` bytes as they are.
    pub(super) fn slice(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        taken
    }
}

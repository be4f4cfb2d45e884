//! The bytes of a stream, in one buffer of bounded length.

use std::io::{self, Read};

/// Bytes that a buffer begins with: they stay in the caches of a core.
const FIRST: usize = 256 * 1024;
/// Most bytes that can be asked for at once.
pub(super) const MAX_NEEDED: usize = 1 << 21;

/// The part of a stream that is being read.
pub(super) struct Buffer {
    reader: Box<dyn Read>,
    bytes: Vec<u8>,
    /// What of `bytes` was read and is not consumed: from here to `end`.
    start: usize,
    end: usize,
    /// Bytes consumed since the start of the stream.
    consumed: u64,
    /// True if the stream has ended, or failed.
    over: bool,
    failed: bool,
}

impl Buffer {
    /// A stream, of which `first` was read before.
    pub(super) fn new(first: &[u8], reader: Box<dyn Read>) -> Self {
        let mut bytes = vec![0; FIRST.max(first.len())];
        bytes[..first.len()].copy_from_slice(first);
        let end = first.len();
        Self { reader, bytes, start: 0, end, consumed: 0, over: false, failed: false }
    }

    /// The bytes that were read and are not consumed.
    pub(super) fn data(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// Makes at least `needed` bytes available. False if the stream ends before, or if more than
    /// [`MAX_NEEDED`] are asked for.
    #[inline]
    pub(super) fn fill(&mut self, needed: usize) -> bool {
        self.end - self.start >= needed || self.read_until(needed)
    }

    #[inline(never)]
    fn read_until(&mut self, needed: usize) -> bool {
        if needed > MAX_NEEDED {
            return false;
        }
        while self.end - self.start < needed {
            if self.over {
                return false;
            }
            if self.bytes.len() < 2 * needed {
                self.bytes.resize(2 * needed, 0);
            }
            // A move of at most half the buffer follows the consumption of at least half of it.
            if self.start >= self.bytes.len() / 2 {
                self.bytes.copy_within(self.start..self.end, 0);
                self.end -= self.start;
                self.start = 0;
            }
            match self.reader.read(&mut self.bytes[self.end..]) {
                Ok(0) => self.over = true,
                Ok(n) => self.end += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => (self.over, self.failed) = (true, true),
            }
        }
        true
    }

    /// Goes `length` bytes on; all of them must be available.
    #[inline]
    pub(super) fn consume(&mut self, length: usize) {
        self.start = (self.start + length).min(self.end);
        self.consumed += length as u64;
    }

    /// Bytes consumed since the start of the stream.
    pub(super) const fn consumed(&self) -> u64 {
        self.consumed
    }

    /// True if the stream failed, such as within damaged compressed data.
    pub(super) const fn failed(&self) -> bool {
        self.failed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte more at each read.
    struct Slow(Vec<u8>, usize);

    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 += 1;
            let n = self.1.min(self.0.len()).min(buffer.len());
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.0.drain(..n);
            Ok(n)
        }
    }

    #[test]
    fn bytes_come_in_order_whatever_the_reads() {
        let all: Vec<u8> = (0..700_000u32).flat_map(u32::to_le_bytes).collect();
        let mut buffer = Buffer::new(&all[..10], Box::new(Slow(all[10..].to_vec(), 0)));
        let mut found = Vec::new();
        let mut length = 1;
        while buffer.fill(length) {
            found.extend_from_slice(&buffer.data()[..length]);
            buffer.consume(length);
            length = length * 7 % 40_009;
        }
        found.extend_from_slice(buffer.data());
        assert!(found == all);
        assert!(!buffer.fill(MAX_NEEDED + 1) && !buffer.failed());
    }
}

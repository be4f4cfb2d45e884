//! Streams with an error in place of unbounded expansion: limits on bytes, on the compression
//! ratio, and on compressed bytes without content.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use super::stream_error::{EmptyMembers, OverLimit, TooCompressed};

/// Largest ratio of decompressed to compressed bytes beyond [`FREE`] of the limit. Deflate reaches 1032.
const MAX_EXPANSION: u64 = 1000;
/// Divisor of the limit for the bytes that may be decompressed at any ratio.
const FREE: u64 = 50;
/// Most compressed bytes without content: members of an archive may be empty, but not without end.
const HOLLOW: u64 = 1 << 20;
/// Most compressed bytes for each decompressed byte, beyond [`HOLLOW`].
const MAX_OVERHEAD: u64 = 100;

/// Stops a stream at a limit: a small file can expand to terabytes, and a pipe has no end.
pub(super) struct Limited<'a> {
    inner: Box<dyn Read + 'a>,
    left: u64,
    limit: u64,
    /// Counts of the decompressor, if the bytes are decompressed.
    counts: Option<Rc<ByteCounts>>,
}

impl<'a> Limited<'a> {
    pub(super) fn new(inner: Box<dyn Read + 'a>, limit: u64) -> Self {
        Self { inner, left: limit, limit, counts: None }
    }

    /// The same for decompressed bytes; `counts` holds the compressed ones.
    pub(super) fn decompressed(
        inner: Box<dyn Read + 'a>,
        limit: u64,
        counts: Rc<ByteCounts>,
    ) -> Self {
        Self { counts: Some(counts), ..Self::new(inner, limit) }
    }
}

impl Read for Limited<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        match self.left.checked_sub(n as u64) {
            Some(left) => self.left = left,
            None => return Err(io::Error::other(OverLimit(self.limit))),
        }
        if let Some(counts) = &self.counts {
            let (taken, given) = (counts.taken.get(), counts.given.get() + n as u64);
            counts.given.set(given);
            let free = self.limit / FREE;
            if given > free && given / MAX_EXPANSION > taken {
                return Err(io::Error::other(TooCompressed(free)));
            }
        }
        Ok(n)
    }
}

/// Bytes that a decompressor has read and written.
#[derive(Default)]
pub(super) struct ByteCounts {
    taken: Cell<u64>,
    given: Cell<u64>,
}

/// Counts the input of a decompressor, and stops a decompressor without output.
pub(super) struct Counted<'a> {
    pub(super) inner: Box<dyn Read + 'a>,
    pub(super) counts: Rc<ByteCounts>,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        let taken = self.counts.taken.get() + n as u64;
        self.counts.taken.set(taken);
        if taken > HOLLOW + self.counts.given.get().saturating_mul(MAX_OVERHEAD) {
            return Err(io::Error::other(EmptyMembers));
        }
        Ok(n)
    }
}

//! Lines of text from a stream, each of bounded length.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use super::input::Input;
use super::stream_error::from_io;
use crate::error::TraceError;

/// Longest accepted line. A row of a million outcomes fits.
const MAX_LINE: usize = 8 << 20;

/// Reads lines, counting them.
pub(super) struct Lines<'a> {
    path: &'a Path,
    reader: BufReader<Box<dyn Read + 'a>>,
    buffer: Vec<u8>,
    /// Number of the last returned line, from 1.
    number: u64,
    /// Bytes before it.
    offset: u64,
    next_offset: u64,
}

impl<'a> Lines<'a> {
    pub(super) fn new(input: Input<'a>) -> Self {
        Self {
            path: input.path,
            reader: BufReader::with_capacity(1 << 16, input.reader),
            buffer: Vec::new(),
            number: 0,
            offset: 0,
            next_offset: 0,
        }
    }

    /// The next line without its end (LF or CRLF), `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<&str>, TraceError> {
        self.buffer.clear();
        let mut limited = self.reader.by_ref().take(MAX_LINE as u64 + 1);
        let n = limited
            .read_until(b'\n', &mut self.buffer)
            .map_err(|e| from_io(self.path, self.next_offset, e))?;
        if n == 0 {
            return Ok(None);
        }
        self.number += 1;
        self.offset = self.next_offset;
        self.next_offset += n as u64;
        if n > MAX_LINE {
            let found = format!("more than {MAX_LINE} bytes in one line");
            return Err(self.malformed(found, "shorter lines"));
        }
        while let [rest @ .., b'\n' | b'\r'] = &self.buffer[..] {
            let keep = rest.len();
            self.buffer.truncate(keep);
        }
        let from = if self.number == 1 && self.buffer.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        check_text(self.path, self.offset, &self.buffer)?;
        std::str::from_utf8(&self.buffer[from..]).map(Some).map_err(|e| TraceError::NotUtf8 {
            path: self.path.display().to_string(),
            offset: self.offset + (from + e.valid_up_to()) as u64,
        })
    }

    /// The number of the line last given out, from 1.
    pub(super) const fn number(&self) -> u64 {
        self.number
    }

    /// The error "this line is wrong".
    pub(super) fn malformed(&self, found: impl Into<String>, expected: &str) -> TraceError {
        self.malformed_at(self.number, found, expected)
    }

    /// The error "that line is wrong".
    pub(super) fn malformed_at(
        &self,
        line: u64,
        found: impl Into<String>,
        expected: &str,
    ) -> TraceError {
        TraceError::Malformed {
            path: self.path.display().to_string(),
            line,
            found: found.into(),
            expected: expected.to_owned(),
        }
    }
}

/// Refuses control characters that text does not contain.
pub(super) fn check_text(path: &Path, offset: u64, bytes: &[u8]) -> Result<(), TraceError> {
    let control = |b: &u8| *b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r' | 0x0c);
    match bytes.iter().position(control) {
        None => Ok(()),
        Some(at) => Err(TraceError::Binary {
            path: path.display().to_string(),
            offset: offset + at as u64,
            found: format!("byte 0x{:02x}", bytes[at]),
        }),
    }
}

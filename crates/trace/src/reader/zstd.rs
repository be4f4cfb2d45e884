//! Zstandard files of any number of frames (RFC 8878 section 3). The decoder reads one frame; `cat
//! a.zst b.zst` and parallel compressors write several, so stopping after the first would lose
//! data.

use std::io::{self, Read};

use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

use super::stream_error::{Trailing, Wrong};

/// Bytes of a magic number.
const MAGIC: usize = 4;

/// True if a file begins with a zstd frame or with a skippable one (magic 0x184D2A50 to 5F).
pub(super) const fn begins(start: &[u8]) -> bool {
    matches!(start, [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// The decompressed contents of all frames.
pub(super) struct Frames<'a> {
    state: State<'a>,
    given: u64,
}

enum State<'a> {
    /// Before a frame.
    Between(Source<'a>),
    /// Within a frame.
    Frame(Box<StreamingDecoder<Source<'a>, FrameDecoder>>),
    Done,
}

/// A stream that can take back the bytes of a magic number.
struct Source<'a> {
    inner: Box<dyn Read + 'a>,
    returned: Vec<u8>,
}

impl Read for Source<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.returned.is_empty() {
            return self.inner.read(buffer);
        }
        let n = self.returned.as_slice().read(buffer)?;
        self.returned.drain(..n);
        Ok(n)
    }
}

impl<'a> Frames<'a> {
    pub(super) fn new(inner: Box<dyn Read + 'a>) -> Self {
        Self { state: State::Between(Source { inner, returned: Vec::new() }), given: 0 }
    }
}

/// The state before the next frame with data, or `Done`.
fn next_frame(mut source: Source<'_>, given: u64) -> io::Result<State<'_>> {
    loop {
        let mut magic = Vec::with_capacity(MAGIC);
        (&mut source).take(MAGIC as u64).read_to_end(&mut magic)?;
        if magic.is_empty() {
            return Ok(State::Done);
        }
        if !begins(&magic) {
            return Err(io::Error::other(Trailing(given)));
        }
        if magic[0] == 0x28 {
            source.returned = magic;
            let decoder = StreamingDecoder::new(source).map_err(io::Error::other)?;
            return Ok(State::Frame(Box::new(decoder)));
        }
        let mut length = [0; 4];
        source.read_exact(&mut length)?;
        let length = u64::from(u32::from_le_bytes(length));
        if io::copy(&mut (&mut source).take(length), &mut io::sink())? < length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

fn invalid(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, Wrong(what))
}

impl Read for Frames<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            self.state = match std::mem::replace(&mut self.state, State::Done) {
                State::Done => return Ok(0),
                State::Between(source) => next_frame(source, self.given)?,
                State::Frame(mut frame) => {
                    let n = frame.read(buffer)?;
                    if n > 0 || buffer.is_empty() {
                        self.state = State::Frame(frame);
                        self.given += n as u64;
                        return Ok(n);
                    }
                    let stated = frame.decoder.get_checksum_from_data();
                    if stated.is_some() && stated != frame.decoder.get_calculated_checksum() {
                        return Err(invalid("the checksum of a frame is wrong"));
                    }
                    State::Between(frame.into_inner())
                }
            };
        }
    }
}

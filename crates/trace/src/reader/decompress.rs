//! Decompression of any stream by its first bytes: gzip, xz, zstd, or none of them.

use std::io::{self, Cursor, Read};

use super::gzip::Members;
use super::open::{MAX_NESTING, Wrapping, XZ_MEMORY_KIB};
use super::zstd::Frames;

/// Bytes that tell the kind of compression.
const MAGIC: u64 = 6;

/// The decompressed bytes of a stream. A stream that is not compressed passes unchanged; compressed
/// data within compressed data are decompressed up to three layers deep.
///
/// # Errors
/// If the stream cannot be read. Damage within compressed data is an error of a later read.
pub fn decompress(mut reader: Box<dyn Read>) -> io::Result<Box<dyn Read>> {
    for _ in 0..MAX_NESTING {
        let mut start = Vec::new();
        reader.by_ref().take(MAGIC).read_to_end(&mut start)?;
        let wrapping = Wrapping::of(&start);
        let whole: Box<dyn Read> = Box::new(Cursor::new(start).chain(reader));
        reader = match wrapping {
            Some(Wrapping::Gzip) => Box::new(Members::new(whole)),
            Some(Wrapping::Xz) => {
                Box::new(lzma_rust2::XzReader::new_mem_limit(whole, true, XZ_MEMORY_KIB))
            }
            Some(Wrapping::Zstd) => Box::new(Frames::new(whole)),
            Some(Wrapping::Tar) | None => return Ok(whole),
        };
    }
    Ok(reader)
}

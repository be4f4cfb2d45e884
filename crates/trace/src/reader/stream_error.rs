//! Reasons why a stream ended early, carried through `io::Error`, and their words.

use std::io;
use std::path::Path;

use crate::error::TraceError;

/// Carried through `io::Error` when `Limited` stops.
#[derive(Debug, thiserror::Error)]
#[error("more than {0} bytes")]
pub(super) struct OverLimit(pub(super) u64);

/// Carried through `io::Error` when the compression ratio is too high.
#[derive(Debug, thiserror::Error)]
#[error("more than {0} bytes from data compressed more than 1000 times")]
pub(super) struct TooCompressed(pub(super) u64);

/// Carried through `io::Error` when other bytes follow the compressed data, after this many
/// decompressed bytes.
#[derive(Debug, thiserror::Error)]
#[error("other bytes after {0} bytes")]
pub(super) struct Trailing(pub(super) u64);

/// The error of our own frame reader.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Wrong(pub(super) &'static str);

/// Carried through `io::Error` when `Counted` stops.
#[derive(Debug, thiserror::Error)]
#[error("empty members without end")]
pub(super) struct EmptyMembers;

/// An I/O error in words; errors of a decompressor are errors of the file.
pub(super) fn from_io(path: &Path, offset: u64, error: io::Error) -> TraceError {
    if let Some(OverLimit(limit)) = error.get_ref().and_then(|e| e.downcast_ref()) {
        let what = "bytes, decompressed";
        return TraceError::TooLarge { path: path.display().to_string(), limit: *limit, what };
    }
    if let Some(TooCompressed(limit)) = error.get_ref().and_then(|e| e.downcast_ref()) {
        let what = "bytes from data compressed more than 1000 times";
        return TraceError::TooLarge { path: path.display().to_string(), limit: *limit, what };
    }
    if error.get_ref().and_then(|e| e.downcast_ref::<EmptyMembers>()).is_some() {
        let found = "its first MiB of compressed data holds next to nothing";
        return TraceError::Empty { path: path.display().to_string(), found };
    }
    if let Some(Trailing(offset)) = error.get_ref().and_then(|e| e.downcast_ref()) {
        return TraceError::Trailing { path: path.display().to_string(), offset: *offset };
    }
    // Errors of the operating system have a number; a decoder's do not.
    if error.raw_os_error().is_some() {
        return TraceError::Io { path: path.display().to_string(), source: error };
    }
    damage(path, offset, &error)
}

fn damage(path: &Path, offset: u64, reason: &io::Error) -> TraceError {
    TraceError::Damaged { path: path.display().to_string(), offset, reason: in_words(reason) }
}

/// The error of a decoder, without the decoder's own terms.
fn in_words(error: &io::Error) -> &'static str {
    if let Some(Wrong(what)) = error.get_ref().and_then(|e| e.downcast_ref()) {
        return what;
    }
    let said = error.to_string().to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| said.contains(word));
    if error.kind() == io::ErrorKind::UnexpectedEof
        || says(&["fill whole buffer", "unexpected eof"])
    {
        "it ends before its end mark"
    } else if says(&["crc", "checksum", "hash"]) {
        "a checksum does not match"
    } else if says(&["memory", "too big", "too large"]) {
        "it asks for too much memory"
    } else if says(&["unsupported", "not supported"]) {
        "it uses a feature that is not supported"
    } else {
        "it breaks the rules of its format"
    }
}

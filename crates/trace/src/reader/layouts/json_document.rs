//! Reads a JSON document as a whole.

use std::io::Read;

use serde_json::Value;

use super::super::input::Input;
use super::super::stream_error::from_io;
use crate::error::TraceError;

/// Maximum size of a JSON document.
const MAX_BYTES: u64 = 256 << 20;

/// Parses the input, one JSON document.
pub(super) fn document(input: &mut Input<'_>) -> Result<Value, TraceError> {
    let path = input.path;
    let mut text = Vec::new();
    input
        .reader
        .by_ref()
        .take(MAX_BYTES + 1)
        .read_to_end(&mut text)
        .map_err(|e| from_io(path, 0, e))?;
    let shown = || path.display().to_string();
    if text.len() as u64 > MAX_BYTES {
        let (limit, what) = (MAX_BYTES, "bytes of JSON");
        return Err(TraceError::TooLarge { path: shown(), limit, what });
    }
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    serde_json::from_slice(text).map_err(|e| TraceError::Malformed {
        path: shown(),
        line: e.line() as u64,
        found: format!("no JSON at column {}", e.column()),
        expected: "a complete JSON document, as the measuring program wrote it".to_owned(),
    })
}

//! Opens a capture: a file or the standard input, compressed or not.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use airtcp_trace::reader::decompress;
use airtcp_trace::reader::waiting::InterruptiblePipe;

use crate::error::CaptureError;

/// Bytes read so far from a file, as it is on the disk.
#[derive(Debug, Clone, Default)]
pub struct BytesRead(Arc<AtomicU64>);

impl BytesRead {
    /// The number of bytes.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// An open capture.
pub struct Input {
    /// Name for messages.
    pub name: String,
    /// Its decompressed bytes.
    pub reader: Box<dyn Read>,
    /// Bytes read so far, before decompression.
    pub read: BytesRead,
    /// Length of the file, if it is known.
    pub length: Option<u64>,
}

impl Input {
    /// Opens a file; `-` is the standard input.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn open(path: &Path) -> Result<Self, CaptureError> {
        if path.as_os_str() == "-" {
            return Self::new("standard input", standard_input(), None);
        }
        let name = path.display().to_string();
        let failed = |source| CaptureError::Io { path: name.clone(), source };
        let file = File::open(path).map_err(failed)?;
        let known = file.metadata().map_err(failed)?;
        if known.is_dir() {
            return Err(CaptureError::NotACapture {
                path: name,
                what: "a folder".to_owned(),
                hint: "Give the files in it.",
            });
        }
        let length = known.is_file().then_some(known.len());
        Self::new(&name, Box::new(file), length)
    }

    /// A capture from any stream.
    ///
    /// # Errors
    /// If the stream cannot be read.
    pub fn new(
        name: &str,
        source: Box<dyn Read>,
        length: Option<u64>,
    ) -> Result<Self, CaptureError> {
        let read = BytesRead::default();
        let counted = Counted { inner: source, read: read.clone() };
        let reader = decompress(Box::new(counted))
            .map_err(|source| CaptureError::Io { path: name.to_owned(), source })?;
        Ok(Self { name: name.to_owned(), reader, read, length })
    }
}

/// Standard input; a pipe is read so that the wait for it can be interrupted.
fn standard_input() -> Box<dyn Read> {
    match InterruptiblePipe::of(Path::new("/dev/stdin")) {
        Ok(Some(pipe)) => Box::new(pipe),
        _ => Box::new(io::stdin()),
    }
}

struct Counted {
    inner: Box<dyn Read>,
    read: BytesRead,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.read.0.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

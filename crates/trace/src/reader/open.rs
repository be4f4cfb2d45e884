//! From a file to text: decompression, archives, limits.

use std::cell::Cell;
use std::io::{self, Cursor, Read};
use std::path::Path;
use std::rc::Rc;

use super::gzip::Members;
use super::head::Head;
use super::layouts;
use super::zstd::{self, Frames};
use super::{LinkTrace, ReadOptions};
use crate::error::TraceError;

/// Text looked at to tell the layout, from the first line that is no comment.
pub(super) const HEAD: usize = 64 * 1024;
/// Comments that a file may begin with.
const MAX_COMMENTS: usize = 64 << 20;
/// Blank lines and comments that a file may begin with.
const MAX_COMMENT_LINES: usize = 1_000_000;
/// Largest ratio of decompressed to compressed bytes beyond [`FREE`] of the limit. Deflate reaches 1032.
const MAX_EXPANSION: u64 = 1000;
/// Share of the limit, as a divisor, that may be decompressed at any ratio.
const FREE: u64 = 50;
/// Compressed bytes that may hold nothing: members of an archive may be empty, but not without end.
const HOLLOW: u64 = 1 << 20;
/// Compressed bytes for each decompressed byte, beyond [`HOLLOW`].
const MAX_OVERHEAD: u64 = 100;
/// Compressions one inside the other.
const MAX_NESTING: u32 = 3;
/// Memory an xz dictionary may ask for, KiB. `xz -9` needs 65 MiB.
const XZ_MEMORY_KIB: u32 = 128 * 1024;
/// Bytes needed to recognise a tar header.
const MAGIC: usize = 512;

/// A stream of decompressed bytes, and how the layouts may use it.
pub(super) struct Input<'a> {
    /// The file, for messages.
    pub(super) path: &'a Path,
    pub(super) reader: Box<dyn Read + 'a>,
    pub(super) options: &'a ReadOptions,
    /// Shared by all members of an archive.
    pub(super) budget: &'a Budget,
}

/// What may still be taken from the file.
pub(super) struct Budget {
    packets: Cell<u64>,
    links: Cell<u64>,
    names: Cell<u64>,
    max_packets: u64,
    max_links: u64,
    max_names: u64,
}

impl Budget {
    fn new(options: &ReadOptions) -> Self {
        Self {
            packets: Cell::new(options.max_packets),
            links: Cell::new(options.max_links),
            names: Cell::new(options.max_bytes / 8),
            max_packets: options.max_packets,
            max_links: options.max_links,
            max_names: options.max_bytes / 8,
        }
    }

    /// Takes `n` packets.
    pub(super) fn packets(&self, path: &Path, n: u64) -> Result<(), TraceError> {
        take(&self.packets, n, path, self.max_packets, "packets")
    }

    /// Takes the names of a link, so many bytes in all: they are kept several times.
    pub(super) fn names(&self, path: &Path, bytes: usize) -> Result<(), TraceError> {
        take(&self.names, bytes as u64, path, self.max_names, "bytes of names")
    }

    /// Takes one link.
    pub(super) fn link(&self, path: &Path) -> Result<(), TraceError> {
        take(&self.links, 1, path, self.max_links, "links")
    }
}

fn take(
    left: &Cell<u64>,
    n: u64,
    path: &Path,
    limit: u64,
    what: &'static str,
) -> Result<(), TraceError> {
    match left.get().checked_sub(n) {
        Some(rest) => {
            left.set(rest);
            Ok(())
        }
        None => Err(TraceError::TooLarge { path: path.display().to_string(), limit, what }),
    }
}

/// Reads all links of a file.
pub(super) fn read<'a>(
    path: &'a Path,
    data: Box<dyn Read + 'a>,
    options: &'a ReadOptions,
) -> Result<Vec<LinkTrace>, TraceError> {
    let budget = Budget::new(options);
    let reader = Box::new(Limited::new(data, options.max_bytes));
    read_nested(Input { path, reader, options, budget: &budget }, 0)
}

fn read_nested(mut input: Input<'_>, depth: u32) -> Result<Vec<LinkTrace>, TraceError> {
    let start = peek(&mut input, MAGIC)?;
    let flow = Rc::new(Flow::default());
    let counted =
        |inner| -> Box<dyn Read + '_> { Box::new(Counted { inner, flow: Rc::clone(&flow) }) };
    let wrapped: Box<dyn Read + '_> = match Wrapping::of(&start) {
        Some(_) if depth >= MAX_NESTING => {
            return Err(TraceError::NotATrace {
                path: input.path.display().to_string(),
                what: format!("compressed data more than {MAX_NESTING} layers deep"),
                hint: "Decompress it first.".to_owned(),
            });
        }
        Some(Wrapping::Tar) => return read_tar(input, depth),
        Some(Wrapping::Gzip) => Box::new(Members::new(counted(input.reader))),
        Some(Wrapping::Xz) => Box::new(lzma_rust2::XzReader::new_mem_limit(
            counted(input.reader),
            true,
            XZ_MEMORY_KIB,
        )),
        Some(Wrapping::Zstd) => Box::new(Frames::new(counted(input.reader))),
        None => return read_text(input),
    };
    let limited = Limited { flow: Some(flow), ..Limited::new(wrapped, input.options.max_bytes) };
    let inner = Input { reader: Box::new(limited), ..input };
    read_nested(inner, depth + 1)
}

fn read_text(mut input: Input<'_>) -> Result<Vec<LinkTrace>, TraceError> {
    let mut wanted = HEAD;
    let mut start = peek(&mut input, wanted)?;
    loop {
        let (comments, lines) = comments(&start);
        if comments == start.len() && lines > MAX_COMMENT_LINES {
            return Err(TraceError::Empty {
                path: input.path.display().to_string(),
                found: "its first million lines are blank or comments",
            });
        }
        if start.len() < wanted || comments + HEAD <= wanted || wanted >= MAX_COMMENTS {
            break;
        }
        wanted = if comments == start.len() { wanted * 8 } else { comments + HEAD };
        start = peek(&mut input, wanted)?;
    }
    let head = Head::new(input.path, &start, start.len() < wanted)?;
    head.check_directives()?;
    layouts::read(&head, input)
}

/// Bytes and lines of `start` before the first line that holds more than blanks and a comment.
fn comments(start: &[u8]) -> (usize, usize) {
    let mut at = if start.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let mut lines = 0;
    for line in start[at..].split_inclusive(|b| *b == b'\n') {
        if !matches!(line.trim_ascii_start(), [] | [b'#', ..]) {
            return (at, lines);
        }
        at += line.len();
        lines += 1;
    }
    (start.len(), lines)
}

/// Members of an archive, one after the other. Extended headers are not interpreted: they could
/// ask for any amount of memory, and names of up to 255 bytes do without them.
fn read_tar(input: Input<'_>, depth: u32) -> Result<Vec<LinkTrace>, TraceError> {
    let broken = |e: io::Error| from_io(input.path, 0, e);
    let mut archive = tar::Archive::new(input.reader);
    let mut links = Vec::new();
    let mut members = 0u64;
    let mut skipped = 0u64;
    for entry in archive.entries().map_err(broken)?.raw(true) {
        let entry = entry.map_err(broken)?;
        members += 1;
        if members > input.options.max_links {
            let (limit, what) = (input.options.max_links, "members");
            return Err(TraceError::TooLarge {
                path: input.path.display().to_string(),
                limit,
                what,
            });
        }
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        if super::many::is_documentation(Path::new(&name)) {
            skipped += 1;
            continue;
        }
        let path = input.path.join(&name);
        let member = Input {
            path: &path,
            reader: Box::new(entry),
            options: input.options,
            budget: input.budget,
        };
        links.extend(read_nested(member, depth + 1)?);
    }
    if links.is_empty() {
        let found = if members == skipped {
            "the archive holds no files but documentation"
        } else {
            "the archive holds no traces"
        };
        return Err(TraceError::Empty { path: input.path.display().to_string(), found });
    }
    Ok(links)
}

/// What a file's first bytes say it is wrapped in.
enum Wrapping {
    Gzip,
    Xz,
    Zstd,
    Tar,
}

impl Wrapping {
    fn of(start: &[u8]) -> Option<Self> {
        match start {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Self::Xz),
            _ if zstd::begins(start) => Some(Self::Zstd),
            _ if start.get(257..262) == Some(b"ustar") => Some(Self::Tar),
            _ => None,
        }
    }
}

/// Up to `n` bytes from the front, left in place.
fn peek(input: &mut Input<'_>, n: usize) -> Result<Vec<u8>, TraceError> {
    let mut start = Vec::new();
    let path = input.path;
    input
        .reader
        .by_ref()
        .take(n as u64)
        .read_to_end(&mut start)
        .map_err(|e| from_io(path, start.len() as u64, e))?;
    let rest = std::mem::replace(&mut input.reader, Box::new(io::empty()));
    input.reader = Box::new(Cursor::new(start.clone()).chain(rest));
    Ok(start)
}

/// Stops a stream at a limit: a small file can hold terabytes, and a pipe has no end.
struct Limited<'a> {
    inner: Box<dyn Read + 'a>,
    left: u64,
    limit: u64,
    /// Where the bytes come from, if they are decompressed.
    flow: Option<Rc<Flow>>,
}

impl<'a> Limited<'a> {
    fn new(inner: Box<dyn Read + 'a>, limit: u64) -> Self {
        Self { inner, left: limit, limit, flow: None }
    }
}

/// Carried through `io::Error` when [`Limited`] stops.
#[derive(Debug, thiserror::Error)]
#[error("more than {0} bytes")]
struct OverLimit(u64);

impl Read for Limited<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        match self.left.checked_sub(n as u64) {
            Some(left) => self.left = left,
            None => return Err(io::Error::other(OverLimit(self.limit))),
        }
        if let Some(flow) = &self.flow {
            let (taken, given) = (flow.taken.get(), flow.given.get() + n as u64);
            flow.given.set(given);
            let free = self.limit / FREE;
            if given > free && given / MAX_EXPANSION > taken {
                return Err(io::Error::other(Dense(free)));
            }
        }
        Ok(n)
    }
}

/// What a decompressor has taken and given, in bytes.
#[derive(Default)]
struct Flow {
    taken: Cell<u64>,
    given: Cell<u64>,
}

/// Counts what a decompressor takes, and stops one that takes and gives nothing.
struct Counted<'a> {
    inner: Box<dyn Read + 'a>,
    flow: Rc<Flow>,
}

/// Carried through `io::Error` when bytes are decompressed from next to nothing.
#[derive(Debug, thiserror::Error)]
#[error("more than {0} bytes from data compressed more than 1000 times")]
struct Dense(u64);

/// Carried through `io::Error` when compressed data end after so many decompressed bytes, and the file
/// does not.
#[derive(Debug, thiserror::Error)]
#[error("other bytes after {0} bytes")]
pub(super) struct Trailing(pub(super) u64);

/// What our own reader of frames found wrong.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Wrong(pub(super) &'static str);

/// Carried through `io::Error` when [`Counted`] stops.
#[derive(Debug, thiserror::Error)]
#[error("empty members without end")]
struct Hollow;

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        let taken = self.flow.taken.get() + n as u64;
        self.flow.taken.set(taken);
        if taken > HOLLOW + self.flow.given.get().saturating_mul(MAX_OVERHEAD) {
            return Err(io::Error::other(Hollow));
        }
        Ok(n)
    }
}

/// An I/O error in words: what a decompressor complains about is the file's fault.
pub(super) fn from_io(path: &Path, offset: u64, error: io::Error) -> TraceError {
    if let Some(OverLimit(limit)) = error.get_ref().and_then(|e| e.downcast_ref()) {
        let what = "bytes, decompressed";
        return TraceError::TooLarge { path: path.display().to_string(), limit: *limit, what };
    }
    if let Some(Dense(limit)) = error.get_ref().and_then(|e| e.downcast_ref()) {
        let what = "bytes from data compressed more than 1000 times";
        return TraceError::TooLarge { path: path.display().to_string(), limit: *limit, what };
    }
    if error.get_ref().and_then(|e| e.downcast_ref::<Hollow>()).is_some() {
        let found = "its first MiB of compressed data holds next to nothing";
        return TraceError::Empty { path: path.display().to_string(), found };
    }
    if let Some(Trailing(offset)) = error.get_ref().and_then(|e| e.downcast_ref()) {
        return TraceError::Trailing { path: path.display().to_string(), offset: *offset };
    }
    // Errors of the operating system carry a number; a decoder's do not.
    if error.raw_os_error().is_some() {
        return TraceError::Io { path: path.display().to_string(), source: error };
    }
    damage(path, offset, &error)
}

fn damage(path: &Path, offset: u64, reason: &io::Error) -> TraceError {
    TraceError::Damaged { path: path.display().to_string(), offset, reason: in_words(reason) }
}

/// What a decoder found wrong, without the decoder's own terms.
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

//! Opens a file as text: decompression and archives.

use std::io::{self, Cursor, Read};
use std::path::Path;
use std::rc::Rc;

use super::bounded::{ByteCounts, Counted, Limited};
use super::documentation::is_documentation;
use super::gzip::Members;
use super::head::{HEAD, Head};
use super::input::{Budget, Input};
use super::layouts;
use super::link_trace::LinkTrace;
use super::options::ReadOptions;
use super::stream_error::from_io;
use super::zstd::{self, Frames};
use crate::error::TraceError;

/// Most bytes of comments at the start of a file.
const MAX_COMMENTS: usize = 64 << 20;
/// Most blank lines and comments at the start of a file.
const MAX_COMMENT_LINES: usize = 1_000_000;
/// Most nested layers of compression.
pub(super) const MAX_NESTING: u32 = 3;
/// Most memory for an xz dictionary, KiB. `xz -9` needs 65 MiB.
pub(super) const XZ_MEMORY_KIB: u32 = 128 * 1024;
/// Bytes needed to recognise a tar header.
const MAGIC: usize = 512;

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
    let counts = Rc::new(ByteCounts::default());
    let counted =
        |inner| -> Box<dyn Read + '_> { Box::new(Counted { inner, counts: Rc::clone(&counts) }) };
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
    let limited = Limited::decompressed(wrapped, input.options.max_bytes, counts);
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

/// Members of an archive, one after the other. Extended headers are not interpreted, because they
/// could require any amount of memory. Names of up to 255 bytes do not need them.
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
        if is_documentation(Path::new(&name)) {
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

/// The compression or archive of a file, by its first bytes.
pub(super) enum Wrapping {
    Gzip,
    Xz,
    Zstd,
    Tar,
}

impl Wrapping {
    pub(super) fn of(start: &[u8]) -> Option<Self> {
        match start {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Self::Xz),
            _ if zstd::begins(start) => Some(Self::Zstd),
            _ if start.get(257..262) == Some(b"ustar") => Some(Self::Tar),
            _ => None,
        }
    }
}

/// The first `n` bytes or fewer, without consuming them.
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

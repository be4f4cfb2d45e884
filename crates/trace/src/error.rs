//! Errors of trace files. Every message names the file, the place in it, what was found there and
//! what is accepted.

use std::io;
use std::path::PathBuf;

/// Why a trace could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The operating system refused.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// Its reason.
        source: io::Error,
    },
    /// A line that does not fit the layout of its file.
    #[error("{path}, line {line}: found {found}; expected {expected}")]
    Malformed {
        /// The file.
        path: String,
        /// The line, from 1.
        line: u64,
        /// What was found.
        found: String,
        /// What is accepted.
        expected: String,
    },
    /// An entry of a document without lines, such as JSON, that does not fit.
    #[error("{path}, {place}: found {found}; expected {expected}")]
    Entry {
        /// The file.
        path: String,
        /// The entry.
        place: String,
        /// What was found.
        found: String,
        /// What is accepted.
        expected: String,
    },
    /// A compressed file that ends too early or whose checksum is wrong.
    #[error(
        "{path}: the compressed data is cut short or damaged after {offset} decompressed bytes \
         ({reason}); expected a whole .gz, .xz, .zst or .tar file"
    )]
    Damaged {
        /// The file.
        path: String,
        /// Decompressed bytes before the error.
        offset: u64,
        /// What the decompressor found wrong.
        reason: &'static str,
    },
    /// A compressed file with other bytes after its end.
    #[error(
        "{path}: the compressed data ends after {offset} decompressed bytes, and other bytes follow; expected \
         nothing, or more data compressed in the same way: remove what follows"
    )]
    Trailing {
        /// The file.
        path: String,
        /// Decompressed bytes before the error.
        offset: u64,
    },
    /// Not text.
    #[error(
        "{path}, byte {offset}: found binary data ({found}); expected a text file, plain or \
         compressed (.gz, .xz, .zst, .tar.*)"
    )]
    Binary {
        /// The file.
        path: String,
        /// Where the first such byte is, in the decompressed data.
        offset: u64,
        /// The byte.
        found: String,
    },
    /// Text, but not UTF-8.
    #[error("{path}, byte {offset}: found text that is not UTF-8; save the file as UTF-8 or ASCII")]
    NotUtf8 {
        /// The file.
        path: String,
        /// Where, in the decompressed data.
        offset: u64,
    },
    /// Nothing to read.
    #[error("{path}: {found}; expected at least one packet's outcome")]
    Empty {
        /// The file.
        path: String,
        /// Empty, or comments only.
        found: &'static str,
    },
    /// More than the reader may take.
    #[error(
        "{path}: more than {limit} {what}; if it is meant to be that big, set the environment variable \
         AIRTCP_INPUT_LIMIT (\"1 GB\" by default) higher"
    )]
    TooLarge {
        /// The file.
        path: String,
        /// The limit that was hit.
        limit: u64,
        /// What the limit counts.
        what: &'static str,
    },
    /// Within the limit alone, but over it with the files read before.
    #[error(
        "{path}: with the files before it there are more than {packets} packets or {links} links; if they \
         are meant to be that many, set the environment variable AIRTCP_INPUT_LIMIT (\"1 GB\" by default) \
         higher"
    )]
    TooLargeTogether {
        /// The file.
        path: String,
        /// Packets that all files together may hold.
        packets: u64,
        /// Links that all files together may hold.
        links: u64,
    },
    /// Recognised, but not as a trace.
    #[error("{path}: this is {what}, not a delivery trace. {hint}")]
    NotATrace {
        /// The file.
        path: String,
        /// What it is.
        what: String,
        /// What to do.
        hint: String,
    },
    /// No layout fits.
    #[error("{path}, line {line}: no known layout begins with {found}. Accepted are {accepted}")]
    Unrecognised {
        /// The file.
        path: String,
        /// First line with content.
        line: u64,
        /// That line, shortened.
        found: String,
        /// The layouts.
        accepted: String,
    },
    /// A column that does not exist, or a table whose columns are not clear.
    #[error("{path}: {problem}. Its columns, with the options that read them: {columns}")]
    Column {
        /// The file.
        path: String,
        /// What is wrong with the choice, or what is not clear.
        problem: String,
        /// Names, or numbers where there is no header, and the options that would read them.
        columns: String,
        /// What the table may be, with the options that read it so.
        guess: Option<Guess>,
    },
    /// An option that is not understood.
    #[error("{option} = \"{found}\": expected {expected}")]
    Option {
        /// Its name.
        option: &'static str,
        /// Its value.
        found: String,
        /// What is accepted.
        expected: String,
    },
    /// Files were found, none of them a trace.
    #[error("{pattern}: none of its {files} files is a delivery trace; the first: {first}")]
    NoTraces {
        /// As given.
        pattern: PathBuf,
        /// How many were tried.
        files: usize,
        /// What the first one gave.
        first: Box<TraceError>,
    },
    /// A file whose every link was read from another file already.
    #[error("{path}: the same links, with the same outcomes, are in {of}")]
    Duplicate {
        /// The file.
        path: String,
        /// The file read before.
        of: String,
    },
    /// A pattern or folder that leads to no file.
    #[error("{pattern}: {found}; expected a file, a folder or a pattern such as 'traces/*.gz'")]
    NoFiles {
        /// As given.
        pattern: PathBuf,
        /// Why.
        found: String,
    },
}

/// `text` for a one-line message: shortened, with control characters escaped.
pub(crate) fn excerpt(text: &str) -> String {
    const MOST: usize = 60;
    let mut out: String = text.chars().take(MOST).flat_map(char::escape_debug).collect();
    if text.chars().nth(MOST).is_some() {
        out.push_str("...");
    }
    format!("\"{out}\"")
}

/// What a table may be whose columns are not clear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guess {
    /// What it holds then, in words.
    pub holds: &'static str,
    /// The options that read it so, as a shell takes them.
    pub options: &'static str,
}

impl Guess {
    /// A log of throughput.
    pub(crate) const RATES: Self = Self { holds: "rates in Mb/s", options: "--rate-unit \"Mb/s\"" };
}

impl TraceError {
    /// What the file may be, if the error is about a table whose columns are not clear.
    pub const fn guess(&self) -> Option<Guess> {
        match self {
            Self::Column { guess, .. } => *guess,
            _ => None,
        }
    }
}

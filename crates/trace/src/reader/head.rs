//! The beginning of a file, by which its layout is recognised.

use std::path::Path;

use airtcp_units::Span;

use super::kinds::binary_kind;
use super::lines::check_text;
use crate::error::{TraceError, excerpt};

/// Bytes of text that recognise the layout, from the first line that is no comment.
pub(super) const HEAD: usize = 64 * 1024;

/// The first 64 KiB of a file from its first line that is no comment, and the comments before;
/// known to be text.
pub(super) struct Head<'a> {
    pub(super) path: &'a Path,
    /// File name without folders and without endings of compression, in lower case.
    pub(super) name: String,
    text: &'a str,
    /// True if this is the whole file.
    whole: bool,
}

impl<'a> Head<'a> {
    pub(super) fn new(path: &'a Path, bytes: &'a [u8], whole: bool) -> Result<Self, TraceError> {
        let shown = || path.display().to_string();
        if let Some((what, hint)) = binary_kind(bytes) {
            let (what, hint) = (what.to_owned(), hint.to_owned());
            return Err(TraceError::NotATrace { path: shown(), what, hint });
        }
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        check_text(path, 0, bytes)?;
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            // The end of the head may cut a character, the end of the file may not.
            Err(e) if !whole && e.error_len().is_none() => {
                std::str::from_utf8(&bytes[..e.valid_up_to()]).unwrap_or_default()
            }
            Err(e) => {
                return Err(TraceError::NotUtf8 { path: shown(), offset: e.valid_up_to() as u64 });
            }
        };
        Ok(Self { path, name: base_name(path), text, whole })
    }

    /// True if the first line that is no comment is longer than the head.
    fn is_cut(&self) -> bool {
        let whole = &self.text[..self.text.rfind('\n').unwrap_or(0)];
        !self.whole && whole.lines().all(|line| without_comment(line).is_empty())
    }

    /// Refuses a first line that is longer than the head, which cannot name the columns of a table.
    pub(super) fn check_first(&self) -> Result<(), TraceError> {
        if !self.is_cut() {
            return Ok(());
        }
        let what = "text whose first line has more than 65,536 characters".to_owned();
        let hint = "Leave out columns, or shorten their names.";
        let path = self.path.display().to_string();
        Err(TraceError::NotATrace { path, what, hint: hint.to_owned() })
    }

    /// Whole lines of the head, the unfinished last one left out unless it is the first that is no
    /// comment.
    pub(super) fn lines(&self) -> impl Iterator<Item = &'a str> {
        let text = self.text;
        let end = text.rfind('\n').filter(|_| !self.whole && !self.is_cut());
        text[..end.unwrap_or(text.len())].lines()
    }

    /// Lines with content and their numbers from 1, without comments (`#`).
    pub(super) fn content(&self) -> impl Iterator<Item = (u64, &'a str)> {
        (1..)
            .zip(self.lines())
            .map(|(number, line)| (number, without_comment(line)))
            .filter(|(_, line)| !line.is_empty())
    }

    /// First line with content.
    pub(super) fn first(&self) -> &'a str {
        self.content().next().map_or("", |(_, line)| line)
    }

    /// The value of `key` in a comment `# airtcp: key=value ...` of our own writers.
    pub(super) fn directive(&self, key: &str) -> Option<&'a str> {
        self.lines()
            .filter_map(|line| line.strip_prefix("# airtcp:"))
            .flat_map(str::split_whitespace)
            .find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    }

    /// Refuses a comment `# airtcp: key=value` with an impossible value, which would otherwise be
    /// ignored silently.
    pub(super) fn check_directives(&self) -> Result<(), TraceError> {
        for (line, text) in (1..).zip(self.lines()) {
            let Some(words) = text.strip_prefix("# airtcp:") else { continue };
            for (key, value) in words.split_whitespace().filter_map(|word| word.split_once('=')) {
                let (fits, what) = match key {
                    "packets" | "lead" => (value.parse::<u64>().is_ok(), "a whole number from 0"),
                    "interval" => (
                        value.parse::<Span>().is_ok_and(|span| span > Span::ZERO),
                        "a duration above 0 without a blank, such as 10ms",
                    ),
                    _ => continue,
                };
                if !fits {
                    return Err(TraceError::Malformed {
                        path: self.path.display().to_string(),
                        line,
                        found: excerpt(&format!("{key}={value}")),
                        expected: format!("{what} behind {key}="),
                    });
                }
            }
        }
        Ok(())
    }

    /// The interval that our own writers put into a comment.
    pub(super) fn interval(&self) -> Option<Span> {
        self.directive("interval")?.parse().ok()
    }

    /// True if the file is longer than the head.
    pub(super) const fn more(&self) -> bool {
        !self.whole
    }

    /// The error for a file that no layout claims.
    pub(super) fn unrecognised(&self, accepted: String) -> TraceError {
        let path = self.path.display().to_string();
        match self.content().next() {
            Some((line, text)) => {
                TraceError::Unrecognised { path, line, found: excerpt(text), accepted }
            }
            None if self.text.trim().is_empty() => {
                TraceError::Empty { path, found: "the file is empty" }
            }
            None if self.more() => {
                TraceError::Empty { path, found: "its first 64 MiB hold comments only" }
            }
            None => TraceError::Empty { path, found: "the file holds comments only" },
        }
    }
}

/// A line up to its `#`, trimmed.
pub(super) fn without_comment(line: &str) -> &str {
    line.split('#').next().unwrap_or_default().trim()
}

/// File name without endings of compression, in lower case.
fn base_name(path: &Path) -> String {
    let name = path.file_name().map(|n| n.to_string_lossy().to_lowercase()).unwrap_or_default();
    without_endings(&name, &[".gz", ".xz", ".zst", ".zstd"]).to_owned()
}

/// File name without endings of compression and of text formats, for the name of a link.
pub(super) fn stem(path: &Path) -> String {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let name = without_endings(&name, &[".gz", ".xz", ".zst", ".zstd", ".tar"]);
    let short = without_endings(
        name,
        &[".csv", ".tsv", ".txt", ".k7", ".log", ".dat", ".trace", ".bits", ".json"],
    );
    if short.is_empty() { name.to_owned() } else { short.to_owned() }
}

fn without_endings<'a>(mut name: &'a str, endings: &[&str]) -> &'a str {
    for ending in endings {
        name = name.strip_suffix(ending).unwrap_or(name);
    }
    name
}

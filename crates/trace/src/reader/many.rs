//! Reads many files: folders and patterns.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::documentation::is_documentation;
use super::file::read_links;
use super::link_trace::LinkTrace;
use super::options::ReadOptions;
use crate::error::TraceError;

/// Deepest nesting of folders.
const MAX_DEPTH: u32 = 32;

/// A file to read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Expanded {
    /// The file.
    pub path: PathBuf,
    /// True if the user named it; false if it was found in a folder or by a pattern, where other
    /// files than traces are skipped.
    pub named: bool,
}

/// A skipped file, and why.
#[derive(Debug)]
pub struct Skipped {
    /// The file.
    pub path: PathBuf,
    /// The error of reading it.
    pub reason: TraceError,
}

/// The files of `paths`: files as they are, folders with all files at any depth, and patterns (`*`,
/// `?`, `[...]`, `**`). They are sorted within each folder and pattern, without duplicates.
/// READMEs, licences, Markdown and hidden files in folders are left out.
pub fn expand(paths: &[PathBuf]) -> Result<Vec<Expanded>, TraceError> {
    let mut out = Vec::new();
    let mut seen = BTreeSet::new();
    let mut add = |path: PathBuf, named| {
        if seen.insert(path.clone()) {
            out.push(Expanded { path, named });
        }
    };
    for path in paths {
        match fs::metadata(path) {
            Ok(meta) if meta.is_dir() => {
                let mut files = Vec::new();
                walk(path, 0, &mut files)?;
                if files.is_empty() {
                    let found = "the folder holds no files".to_owned();
                    return Err(TraceError::NoFiles { pattern: path.clone(), found });
                }
                for file in files {
                    add(file, false);
                }
            }
            Ok(_) => add(path.clone(), true),
            Err(error) => {
                let matches = matching(path, &error)?;
                for file in matches {
                    add(file, false);
                }
            }
        }
    }
    Ok(out)
}

/// Files that match a pattern; `error` is the error of opening the pattern as a file.
fn matching(path: &Path, error: &std::io::Error) -> Result<Vec<PathBuf>, TraceError> {
    let none = |found: String| TraceError::NoFiles { pattern: path.to_owned(), found };
    let given = path.to_string_lossy();
    let pattern = given.split('/').map(closed).collect::<Vec<_>>().join("/");
    let classes = given.contains("[[]") || pattern.replace("[[]", "").contains('[');
    if !classes && !given.contains(['*', '?']) {
        return Err(none(error.to_string()));
    }
    let found = glob::glob(&pattern)
        .map_err(|e| none(format!("this pattern cannot be read: {}", e.msg)))?;
    let mut files = Vec::new();
    for path in found.filter_map(Result::ok) {
        if path.is_dir() {
            walk(&path, 0, &mut files)?;
        } else if !is_documentation(&path) {
            files.push(path);
        }
    }
    if files.is_empty() {
        let bracket =
            if given.contains('[') { " ([...] is one of its characters, [[] is [)" } else { "" };
        return Err(none(format!("no file fits the pattern{bracket}")));
    }
    Ok(files)
}

/// Escapes each `[` without a `]` in a part of a pattern, as a shell reads it.
fn closed(part: &str) -> String {
    let mut made = String::new();
    let mut rest = part;
    while let Some((before, after)) = rest.split_once('[') {
        made.push_str(before);
        // The first character of a class may be "]".
        let inside = after.strip_prefix('!').unwrap_or(after);
        let end = inside.char_indices().skip(1).find(|(_, c)| *c == ']').map(|(at, _)| at);
        let Some(end) = end else {
            made.push_str("[[]");
            rest = after;
            continue;
        };
        let length = after.len() - inside.len() + end + 1;
        made.push('[');
        made.push_str(&after[..length]);
        rest = &after[length..];
    }
    made + rest
}

/// All files under `folder`, sorted. Links to folders are not followed, because they may form a
/// loop.
fn walk(folder: &Path, depth: u32, files: &mut Vec<PathBuf>) -> Result<(), TraceError> {
    let io = |source| TraceError::Io { path: folder.display().to_string(), source };
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(io)? {
        let entry = entry.map_err(io)?;
        entries.push((entry.path(), entry.file_type().map_err(io)?));
    }
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    for (path, kind) in entries {
        let hidden = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'));
        if hidden {
            continue;
        }
        if kind.is_dir() {
            if depth < MAX_DEPTH {
                let before = files.len();
                if walk(&path, depth + 1, files).is_err() {
                    // A folder that cannot be read does not stop the others. Reading it as a file
                    // fails for the same reason, which is reported with the rest.
                    files.truncate(before);
                    files.push(path);
                }
            }
        } else if path.is_file() && !is_documentation(&path) {
            files.push(path);
        }
    }
    Ok(())
}

/// Reads every link of all files of `paths`, one after the other, by the rules of [`Collector`].
/// `progress` is called before each file with the number done, the number of all, and the next
/// file.
pub fn read_many(
    paths: &[PathBuf],
    options: &ReadOptions,
    mut progress: impl FnMut(usize, usize, &Path),
) -> Result<(Vec<LinkTrace>, Vec<Skipped>), TraceError> {
    let files = expand(paths)?;
    let mut collector = Collector::default();
    let mut left = options.clone();
    for (done, file) in files.iter().enumerate() {
        progress(done, files.len(), &file.path);
        let found = within(&file.path, &mut left, options)?;
        collector.add(file, found)?;
    }
    collector.finish(paths)
}

/// Reads one of several files: `left` is the remaining budget of all files together. The outer
/// error means that all files together exceed it; the inner error is the file's own.
fn within(
    path: &Path,
    left: &mut ReadOptions,
    options: &ReadOptions,
) -> Result<Result<Vec<LinkTrace>, TraceError>, TraceError> {
    let found = read_links(path, left);
    let over = |e: &TraceError| matches!(e, TraceError::TooLarge { .. });
    match found {
        Ok(links) => {
            let packets: u64 = links.iter().map(|link| link.outcomes.len() as u64).sum();
            left.max_packets = left.max_packets.saturating_sub(packets);
            left.max_links = left.max_links.saturating_sub(links.len() as u64);
            Ok(Ok(links))
        }
        // Is the file too large by itself, or only together with the others?
        Err(e) if over(&e) && left != options => match read_links(path, options) {
            Err(own) => Ok(Err(own)),
            Ok(_) => Err(TraceError::TooLargeTogether {
                path: path.display().to_string(),
                packets: options.max_packets,
                links: options.max_links,
            }),
        },
        Err(e) => Ok(Err(e)),
    }
}

/// Labels that identify a link across files of the same measurement.
const IDENTITY: &[&str] = &["tx", "rx", "src", "dst", "channel", "noise_dbm"];

/// Collects the links of many files. A caller may read files in parallel and add the results in
/// order.
///
/// A file that the user named must be readable. A file found in a folder or by a pattern is skipped
/// if it is no trace, or if all its links are in a file read before: data sets often hold original
/// and derived files, and no link should count twice. Names are made unique.
#[derive(Debug, Default)]
pub struct Collector {
    links: Vec<LinkTrace>,
    skipped: Vec<Skipped>,
    /// Index in `links` by identity.
    known: BTreeMap<Vec<String>, usize>,
}

impl Collector {
    /// Adds the result of reading `file`.
    pub fn add(
        &mut self,
        file: &Expanded,
        result: Result<Vec<LinkTrace>, TraceError>,
    ) -> Result<(), TraceError> {
        let reason = match result {
            Err(error) if file.named => return Err(error),
            Err(reason) => reason,
            Ok(found) => match self.twin(&found) {
                Some(of) if !file.named => {
                    TraceError::Duplicate { path: file.path.display().to_string(), of }
                }
                _ => {
                    for link in found {
                        if let Some(identity) = identity(&link) {
                            self.known.entry(identity).or_insert(self.links.len());
                        }
                        self.links.push(link);
                    }
                    return Ok(());
                }
            },
        };
        self.skipped.push(Skipped { path: file.path.clone(), reason });
        Ok(())
    }

    /// The links and the skipped files; `paths` are the user's, for the error if there is no link.
    pub fn finish(
        mut self,
        paths: &[PathBuf],
    ) -> Result<(Vec<LinkTrace>, Vec<Skipped>), TraceError> {
        if self.links.is_empty() && !self.skipped.is_empty() {
            return Err(TraceError::NoTraces {
                pattern: paths.first().cloned().unwrap_or_default(),
                files: self.skipped.len(),
                first: Box::new(self.skipped.swap_remove(0).reason),
            });
        }
        unique_names(&mut self.links);
        Ok((self.links, self.skipped))
    }

    /// The file that already contained all of `found`, if there is one.
    fn twin(&self, found: &[LinkTrace]) -> Option<String> {
        let same = |link: &LinkTrace| {
            let before = &self.links[*self.known.get(&identity(link)?)?];
            (before.outcomes == link.outcomes).then_some(before)
        };
        let first = same(found.first()?)?;
        let all = found.iter().all(|link| same(link).is_some());
        all.then(|| first.source.path.display().to_string())
    }
}

/// The labels that identify a link; `None` without such labels.
fn identity(link: &LinkTrace) -> Option<Vec<String>> {
    let labelled = IDENTITY.iter().any(|key| link.labels.contains_key(*key));
    let value = |key: &&str| link.labels.get(*key).cloned().unwrap_or_default();
    labelled.then(|| IDENTITY.iter().map(value).collect())
}

/// Puts the folder before names that occur more than once, and a number after names that still do.
fn unique_names(links: &mut [LinkTrace]) {
    let counted = |links: &[LinkTrace]| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for link in links {
            *counts.entry(link.name.clone()).or_default() += 1;
        }
        counts
    };
    let counts = counted(links);
    for link in links.iter_mut().filter(|link| counts[&link.name] > 1) {
        if let Some(folder) = link.source.path.parent().and_then(|p| p.file_name()) {
            link.name = format!("{}/{}", folder.to_string_lossy(), link.name);
        }
    }
    let counts = counted(links);
    let mut used: BTreeMap<String, usize> = BTreeMap::new();
    for link in links.iter_mut().filter(|link| counts[&link.name] > 1) {
        let n = used.entry(link.name.clone()).or_default();
        *n += 1;
        link.name = format!("{}#{n}", link.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bracket_that_nothing_closes_is_itself() {
        for (given, read) in [
            ("a[1", "a[[]1"),
            ("[", "[[]"),
            ("[]", "[[]]"),
            ("[!]", "[[]!]"),
            ("a[1-3].[xy", "a[1-3].[[]xy"),
            ("[]x]", "[]x]"),
            ("[!]]", "[!]]"),
            ("[[]*", "[[]*"),
            ("é[ü]", "é[ü]"),
        ] {
            assert_eq!(closed(given), read);
            assert!(glob::Pattern::new(&closed(given)).is_ok(), "{given}");
        }
    }

    #[test]
    fn names_and_patterns_with_brackets() {
        let folder = std::env::temp_dir().join(format!("airtcp-brackets-{}", std::process::id()));
        for name in ["x[1.txt", "y[2].txt", "y2.txt", "d[/z.txt"] {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "01").unwrap();
        }
        let names = |pattern: &str| -> Result<Vec<String>, String> {
            let found = expand(&[folder.join(pattern)]).map_err(|e| e.to_string())?;
            let name = |e: &Expanded| e.path.file_name().unwrap().to_string_lossy().into_owned();
            Ok(found.iter().map(name).collect())
        };
        for (pattern, found) in [
            ("x[1.txt", "x[1.txt"),
            ("x[*.txt", "x[1.txt"),
            ("y[2].txt", "y[2].txt"),
            ("y[2].t*", "y2.txt"),
            ("y[[]2].t*", "y[2].txt"),
            ("d[/*.txt", "z.txt"),
        ] {
            assert_eq!(names(pattern), Ok(vec![found.to_owned()]), "{pattern}");
        }
        let refused = names("q[1.txt").unwrap_err();
        assert!(refused.contains("q[1.txt: No such file or directory"), "{refused}");
        let refused = names("q[1]*").unwrap_err();
        assert!(refused.contains("no file fits the pattern ([...] is one of"), "{refused}");
        let refused = names("a**b").unwrap_err();
        assert!(!refused.contains("syntax error near"), "{refused}");
        fs::remove_dir_all(folder).unwrap();
    }
}

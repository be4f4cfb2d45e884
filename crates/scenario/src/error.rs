//! Errors of a scenario: one sentence that says where, what was found and what is accepted.

use std::fmt;

/// A scenario that cannot be run, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScenarioError {
    /// The file, or what stands in its place.
    pub file: String,
    /// Line in the file, from 1, where it is known.
    pub line: Option<usize>,
    /// Path to the value, such as `links[0].loss.p`; empty for the whole file.
    pub path: String,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl ScenarioError {
    /// An error at `path`, not yet [`located`](Self::located) in a file.
    pub fn at(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { file: String::new(), line: None, path: path.into(), message: message.into() }
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.is_empty() {
            f.write_str(&self.file)?;
            if let Some(line) = self.line {
                write!(f, ":{line}")?;
            }
            f.write_str(": ")?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for ScenarioError {}

/// The candidate closest to `word` by edit distance, if any is close enough to be a slip.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|c| (distance(word, c), c))
        .filter(|(d, c)| *d <= 1 + c.len().max(word.len()) / 3)
        .min()
        .map(|(_, c)| c)
}

/// Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_slip() {
        let names = ["rate", "delay", "queue", "loss"];
        assert_eq!(nearest("rat", names), Some("rate"));
        assert_eq!(nearest("dealy", names), Some("delay"));
        assert_eq!(nearest("bandwidth", names), None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}

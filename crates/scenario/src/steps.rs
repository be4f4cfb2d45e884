//! Paths to values of a scenario, such as `links[0].loss.p`.

/// One step of a path: a key, or a position in an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// Into a table.
    Key(&'a str),
    /// Into an array, from 0.
    Index(usize),
}

/// The steps of a path, from the root.
pub fn steps(path: &str) -> Vec<Step<'_>> {
    path.split(['.', '['])
        .filter(|s| !s.is_empty())
        .map(|s| match s.strip_suffix(']').and_then(|n| n.parse().ok()) {
            Some(n) => Step::Index(n),
            None => Step::Key(s),
        })
        .collect()
}

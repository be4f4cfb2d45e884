//! Suggestions for an unknown name.
//!
//! A candidate is close to a name if their edit distance (Levenshtein) is at most one plus a third of the
//! longer name. A candidate of several words (`beta_cubic`) is also suggested, after all close ones, if
//! the name is one of the words.

/// The closest suggestion for `word`, if there is one.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    near(word, candidates).first().copied()
}

/// All suggestions for `word`: close candidates, the closest first, then those with `word` as a part.
pub fn near<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let slip = |d: usize, c: &str| d <= 1 + c.len().max(word.len()) / 3;
    let part = |c: &str| !word.is_empty() && c.split(['_', '-']).any(|part| part == word);
    let mut close: Vec<(bool, usize, &str)> = candidates
        .into_iter()
        .map(|c| (distance(word, c), c))
        .filter(|(d, c)| slip(*d, c) || part(c))
        .map(|(d, c)| (!slip(d, c), d, c))
        .collect();
    close.sort_unstable();
    close.dedup();
    close.into_iter().map(|(_, _, c)| c).collect()
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
    fn finds_a_typing_error() {
        let names = ["rate", "delay", "queue", "loss"];
        assert_eq!(nearest("rat", names), Some("rate"));
        assert_eq!(nearest("dealy", names), Some("delay"));
        assert_eq!(nearest("bandwidth", names), None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn the_closest_comes_first() {
        assert_eq!(near("ren", ["newreno", "reno", "cubic", "reno"]), ["reno"]);
        assert_eq!(near("westwod", ["westwood+", "westwood"]), ["westwood", "westwood+"]);
        assert!(near("", ["cubic"]).is_empty());
    }

    #[test]
    fn a_word_of_a_name_is_suggested() {
        assert_eq!(nearest("beta", ["beta_cubic", "fast_convergence"]), Some("beta_cubic"));
        assert_eq!(near("max", ["cwnd-max", "mac", "maximum"]), ["mac", "cwnd-max"]);
        assert!(near("bet", ["beta_cubic"]).is_empty());
        assert!(near("", ["_a"]).is_empty());
    }
}

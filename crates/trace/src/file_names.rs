//! Names of files made of the names of links.

use std::collections::BTreeSet;
use std::path::PathBuf;

/// Longest file name made of a link's name, in characters of at most four bytes.
const MAX_NAME: usize = 56;

/// File names in one folder made of links' names. They contain no path to another folder, and no
/// two are equal, even without regard to case.
pub fn file_names<'a>(names: impl Iterator<Item = &'a str>, ending: &str) -> Vec<PathBuf> {
    let mut taken = BTreeSet::new();
    let file = |name: &str| {
        let clean = |c: char| if c.is_alphanumeric() || "._-#".contains(c) { c } else { '_' };
        let clean: String = name.chars().map(clean).take(MAX_NAME).collect();
        let stem = match clean.trim_start_matches('.') {
            "" => "link",
            stem => stem,
        };
        let numbered = |n: u64| if n == 1 { stem.to_owned() } else { format!("{stem}-{n}") };
        let free = (1..=u64::MAX).map(numbered).find(|name| taken.insert(name.to_lowercase()));
        PathBuf::from(format!("{}.{ending}", free.unwrap_or_default()))
    };
    names.map(file).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn every_link_gets_a_file_of_its_own() {
        let long = "x".repeat(500);
        let names =
            ["a b", "a_b", "a/b", "A_B", "a_b-2", "..", "../../etc", &long, &long, "", "\u{1b}[2J"];
        let files = file_names(names.into_iter(), "txt");
        let shown: BTreeSet<String> =
            files.iter().map(|f| f.display().to_string().to_lowercase()).collect();
        assert_eq!(shown.len(), names.len(), "{files:?}");
        assert_eq!(files[0], Path::new("a_b.txt"));
        assert_eq!(files[1], Path::new("a_b-2.txt"));
        for file in &files {
            assert!(file.components().count() == 1 && file.as_os_str().len() < 250, "{file:?}");
            assert!(!file.display().to_string().starts_with('.'), "{file:?}");
        }
    }
}

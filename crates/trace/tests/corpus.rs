//! Committed files: the good ones are read, the bad ones refused with a short message that names
//! the file. A file that made the reader fail belongs here.

use std::fs;
use std::path::{Path, PathBuf};

use airtcp_trace::{ReadOptions, TraceError, read_links, read_many};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(name)
}

fn files(name: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder(name)).expect("the corpus is part of the crate");
    let mut files: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    assert!(files.len() > 5);
    files
}

#[test]
fn good_files_are_read() {
    for file in files("good") {
        let links = read_links(&file, &ReadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        let held =
            |link: &airtcp_trace::LinkTrace| !link.outcomes.is_empty() || link.capacity.is_some();
        assert!(links.iter().all(held), "{}", file.display());
    }
}

#[test]
fn bad_files_are_refused_in_words() {
    for file in files("bad") {
        let error = read_links(&file, &ReadOptions::default()).unwrap_err().to_string();
        let name = file.file_name().unwrap().to_string_lossy();
        assert!(error.contains(&*name) && error.len() < 600, "{error}");
    }
}

#[test]
fn a_folder_passes_over_what_is_no_trace() {
    let root = folder("").components().collect::<PathBuf>();
    let (links, skipped) = read_many(&[root], &ReadOptions::default(), |_, _, _| {}).unwrap();
    assert_eq!(links.len(), files("good").len());
    assert_eq!(skipped.len(), files("bad").len());
    let names: std::collections::BTreeSet<_> = links.iter().map(|link| &link.name).collect();
    assert_eq!(names.len(), links.len());
}

#[test]
fn patterns_and_named_files() {
    let run = |paths: &[PathBuf]| {
        read_many(paths, &ReadOptions::default(), |_, _, _| {}).map(|(links, _)| links.len())
    };
    assert_eq!(run(&[folder("good/bits*")]).unwrap(), 4);
    assert!(matches!(run(&[folder("good/none*")]), Err(TraceError::NoFiles { .. })));
    assert!(matches!(run(&[folder("good/none")]), Err(TraceError::NoFiles { .. })));
    assert!(matches!(run(&[folder("bad")]), Err(TraceError::NoTraces { files: 12, .. })));
    // A file named by the user must be readable.
    let named = [folder("good/bits.txt"), folder("bad/empty.txt")];
    assert!(matches!(run(&named), Err(TraceError::Empty { .. })));
}

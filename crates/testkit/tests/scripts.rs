//! Runs every packet script in `tests/scripts` at the root of the repository.

use std::fs;
use std::path::{Path, PathBuf};

use airtcp_testkit::script::{parse, run};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/scripts")
}

/// The scripts with their names below the root, in order.
fn scripts() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("tests/scripts can be listed") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "tcp") {
                let name = path.strip_prefix(root()).expect("below the root");
                let name = format!("tests/scripts/{}", name.display());
                found.push((name, fs::read_to_string(&path).expect("a script is text")));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn every_script_passes() {
    let scripts = scripts();
    assert!(scripts.len() >= 60, "only {} scripts were found", scripts.len());
    let faults: Vec<String> = scripts
        .iter()
        .filter_map(|(name, text)| parse(name, text).and_then(|s| run(&s)).err())
        .map(|e| e.to_string())
        .collect();
    assert!(
        faults.is_empty(),
        "{} of {} scripts fail:\n\n{}\n",
        faults.len(),
        scripts.len(),
        faults.join("\n\n")
    );
}

/// The first line names the document and section that the script tests.
#[test]
fn every_script_names_its_source() {
    for (name, text) in scripts() {
        let first = text.lines().next().unwrap_or_default();
        assert!(
            first.starts_with("# RFC ")
                || first.starts_with("# Study S")
                || first.starts_with("# Jacobson 1988")
                || first.starts_with("# ns-2.35"),
            "{name}: the first line is \"{first}\", not a comment with its source"
        );
    }
}

/// Scripts can fail: every script that expects an acknowledgement fails if its number is raised by one.
#[test]
fn a_wrong_number_is_found_in_every_script() {
    let mut changed = 0;
    for (name, text) in scripts() {
        let wrong: Vec<String> = text.lines().map(str::to_owned).collect();
        let position = wrong.iter().position(|l| l.contains("> ") && l.contains(" ack "));
        let Some(at) =
            position.filter(|at| wrong[*at].split('#').next().unwrap_or_default().contains("> "))
        else {
            continue;
        };
        let mut wrong = wrong;
        let (before, after) = wrong[at].split_once(" ack ").expect("it has one");
        let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        let Ok(number) = after[..end].parse::<u64>() else { continue };
        wrong[at] = format!("{before} ack {}{}", number + 1, &after[end..]);
        let result = parse(&name, &wrong.join("\n")).and_then(|s| run(&s));
        let line = result.expect_err("a wrong script passed").line;
        assert_eq!(line, at + 1, "{name}");
        changed += 1;
    }
    assert!(changed > 40, "only {changed} scripts have an expected acknowledgement");
}

/// The worked example of the manual passes, and the manual's change makes it fail with the manual's error.
#[test]
fn the_manual_is_right() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/dev/packet-scripts.md");
    let manual = fs::read_to_string(path).expect("the manual");
    let block = |fence: &str| {
        let (_, rest) = manual.split_once(fence).expect("a block");
        rest.split_once("```").expect("its end").0.to_owned()
    };
    let example = block("```tcp\n");
    parse("example.tcp", &example).and_then(|s| run(&s)).expect("the example passes");
    let mut lines: Vec<&str> = example.lines().collect();
    assert_eq!(lines[17].trim(), "> . 1:1001");
    lines[17] = "      > . 1001:2001";
    let result = parse("example.tcp", &lines.join("\n")).and_then(|s| run(&s));
    assert_eq!(result.expect_err("it is wrong").to_string(), block("```text\n").trim_end());
}

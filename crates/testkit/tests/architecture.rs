//! Checks the dependencies between crates, from `cargo metadata`.
//!
//! `units <- {random, packet} <- wire <- probe <- {congestion, fec} <- {transport, sliding, queueing, link,
//! wifi} <- scenario <- sim <- study <- py`; `trace` is beside the models and needs no more than `probe`; `capture` is
//! above `trace` and `wire`; `live` is above `study` and `os`; `explorer` is above `sim`, and writes the document of a
//! run that `study` has.
//! Crates of one layer never import one another; models share only the packet. Development dependencies are
//! not restricted.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// A crate, the workspace crates it may use, and the external crates it may use.
type Rule = (&'static str, &'static [&'static str], &'static [&'static str]);

/// Crates for serialisation and schemas, which every configuration needs.
const SCHEMA: [&str; 3] = ["schemars", "serde", "serde_json"];

/// Crates below `scenario` open no files, read no clock and start no threads, so their lists are short. A
/// new crate fails the test until it has a rule.
const RULES: &[Rule] = &[
    ("units", &[], &["libm"]),
    ("random", &["units"], &["rand_core", "rand_xoshiro", "siphasher"]),
    ("packet", &["units"], &["arrayvec"]),
    ("wire", &["units", "packet"], &["arrayvec"]),
    ("probe", &["units", "random", "packet", "wire"], &[]),
    ("fec", &["units", "probe"], &["raptorq", "reed-solomon-simd"]),
    ("congestion", &["units", "probe"], &[]),
    ("laws", &["units", "congestion"], &["libc"]),
    ("transport", &["units", "random", "packet", "fec", "probe", "congestion"], &["arrayvec"]),
    ("sliding", &["units", "packet", "fec", "probe"], &[]),
    ("queueing", &["units", "random", "packet", "probe"], &[]),
    ("link", &["units", "random", "packet", "probe"], &[]),
    ("wifi", &["units", "random", "packet", "probe"], &[]),
    (
        "trace",
        &["units", "random", "packet", "probe"],
        &["flate2", "glob", "lzma-rust2", "ruzstd", "statrs", "tar", "thiserror"],
    ),
    ("capture", &["units", "wire", "trace"], &["arrayvec", "thiserror"]),
    (
        "scenario",
        &[
            "units",
            "random",
            "packet",
            "probe",
            "congestion",
            "transport",
            "sliding",
            "queueing",
            "link",
            "wifi",
        ],
        &["serde_path_to_error", "thiserror", "toml"],
    ),
    (
        "sim",
        &[
            "units",
            "random",
            "packet",
            "probe",
            "congestion",
            "transport",
            "sliding",
            "queueing",
            "link",
            "wifi",
            "scenario",
        ],
        &["statrs", "thiserror"],
    ),
    ("os", &[], &["libc", "rustix", "thiserror"]),
    (
        "study",
        &[
            "units",
            "random",
            "packet",
            "probe",
            "congestion",
            "transport",
            "sliding",
            "queueing",
            "link",
            "wifi",
            "scenario",
            "sim",
            "trace",
        ],
        &["statrs", "thiserror"],
    ),
    (
        "tunnel",
        &["units", "packet", "probe", "sliding"],
        &["bytes", "quinn-proto", "ring", "rustls", "thiserror"],
    ),
    (
        "live",
        &["units", "packet", "wire", "probe", "scenario", "sim", "study", "tunnel", "os"],
        &["clap", "hmac", "num-traits", "sha2", "thiserror", "toml_edit"],
    ),
    (
        "py",
        &[
            "units",
            "random",
            "packet",
            "fec",
            "probe",
            "congestion",
            "laws",
            "transport",
            "sliding",
            "queueing",
            "link",
            "wifi",
            "scenario",
            "sim",
            "study",
            "trace",
            "capture",
        ],
        &["arrow-array", "arrow-schema", "pyo3", "serde_path_to_error", "thiserror", "toml"],
    ),
    (
        "explorer",
        &[
            "units",
            "packet",
            "probe",
            "congestion",
            "transport",
            "queueing",
            "wifi",
            "scenario",
            "sim",
            "study",
        ],
        &["toml_edit"],
    ),
    (
        "testkit",
        &["units", "random", "packet", "probe", "transport"],
        &["proptest", "thiserror", "toml"],
    ),
];

/// Model crates, which may not use [`OUTSIDE_WORLD`] even if a rule above allows it by mistake.
const MODELS: [&str; 10] = [
    "units",
    "random",
    "packet",
    "wire",
    "probe",
    "congestion",
    "transport",
    "sliding",
    "queueing",
    "link",
];
const OUTSIDE_WORLD: [&str; 9] =
    ["tokio", "rayon", "rand", "chrono", "time", "libc", "socket2", "pyo3", "arrow-array"];

/// Dependencies of each package of the workspace by name, without development dependencies.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = json["packages"].as_array().expect("packages");
    let name = |value: &serde_json::Value| {
        let text = value["name"].as_str().expect("a name");
        text.strip_prefix("airtcp-").unwrap_or(text).to_owned()
    };
    let used = |package: &serde_json::Value| {
        let list = package["dependencies"].as_array().expect("dependencies");
        list.iter().filter(|d| d["kind"].as_str() != Some("dev")).map(name).collect()
    };
    packages.iter().map(|package| (name(package), used(package))).collect()
}

/// Dependencies that break the rules.
fn faults(rules: &[Rule], crates: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let ours: BTreeSet<&str> = rules.iter().map(|(name, ..)| *name).collect();
    let mut faults = Vec::new();
    for (name, used) in crates {
        let Some((_, inside, outside)) = rules.iter().find(|(n, ..)| n == name) else {
            faults.push(format!("{name}: no rule says what it may depend on"));
            continue;
        };
        for dependency in used.iter().map(String::as_str) {
            let is_ours = ours.contains(dependency) || crates.contains_key(dependency);
            if is_ours && !inside.contains(&dependency) {
                faults.push(format!(
                    "{name} depends on {dependency}: of this project it may use {}",
                    if inside.is_empty() { "nothing".to_owned() } else { inside.join(", ") }
                ));
            }
            let allowed = outside.contains(&dependency) || SCHEMA.contains(&dependency);
            let banned = MODELS.contains(&name.as_str()) && OUTSIDE_WORLD.contains(&dependency);
            if !is_ours && (!allowed || banned) {
                faults.push(format!(
                    "{name} depends on {dependency}: from outside it may use {}, {}",
                    SCHEMA.join(", "),
                    outside.join(", ")
                ));
            }
        }
    }
    faults
}

#[test]
fn dependencies_follow_the_rules() {
    let crates = dependencies();
    assert!(crates.len() >= 16, "only {} crates were found", crates.len());
    let faults = faults(RULES, &crates);
    assert!(faults.is_empty(), "crate directions are broken:\n  {}", faults.join("\n  "));
}

/// The rules have no cycle, and crates of one layer do not use each other.
#[test]
fn the_rules_are_layers() {
    for (n, (name, inside, _)) in RULES.iter().enumerate() {
        for dependency in *inside {
            let below = RULES[..n].iter().any(|(other, ..)| other == dependency);
            assert!(below, "{name} may use {dependency}, which is not below it");
        }
    }
    let may =
        |a: &str, b: &str| RULES.iter().any(|(name, inside, _)| *name == a && inside.contains(&b));
    let apart = ["transport", "sliding", "queueing", "link", "trace"];
    for a in apart {
        for b in apart {
            assert!(!may(a, b), "{a} and {b} never import one another");
        }
    }
}

/// A wrong dependency is found.
#[test]
fn faults_are_named() {
    let wrong = |name: &str, dependency: &str| {
        let used = [dependency.to_owned()].into();
        faults(RULES, &[(name.to_owned(), used)].into())
    };
    assert!(wrong("link", "transport")[0].contains("link depends on transport"));
    assert!(wrong("units", "random")[0].contains("may use nothing"));
    assert!(wrong("congestion", "transport")[0].contains("congestion depends on transport"));
    assert!(wrong("transport", "tokio")[0].contains("transport depends on tokio"));
    assert!(wrong("scenario", "sim")[0].contains("scenario depends on sim"));
    assert!(wrong("new", "units")[0].contains("no rule"));
    assert!(wrong("sim", "link").is_empty() && wrong("trace", "glob").is_empty());
}

//! Fingerprints and numbers of events of many runs are those that `recorded.csv` holds: work that only makes the
//! simulator faster changes none of them.
//!
//! The runs are the first seconds of every scenario that ships, and the loads of `benches/peers`. A change of a model
//! changes some. Then write the file anew, and state the reason in CHANGELOG.md:
//!
//! ```text
//! AIRTCP_WRITE=1 cargo test --profile checked -p airtcp-sim --test engine recorded
//! ```
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use airtcp_scenario::read;
use airtcp_sim::run;

use crate::common::no_traces;

const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// One wired flow, or many: the load of `benches/wired.tcl`.
fn wired(flows: u32, tcp: &str, seconds: u32) -> String {
    let (rate, packets) = (10 * flows, 100 * flows);
    format!(
        "duration = \"{seconds} s\"\n[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"{rate} Mb/s\"\ndelay = \"10 ms\"\n\
         queue = {{ kind = \"drop-tail\", packets = {packets} }}\n\
         reverse = {{ queue = {{ kind = \"drop-tail\", packets = {packets} }} }}\n\
         [[flows]]\ncount = {flows}\nfrom = \"a\"\nto = \"b\"\ntcp = {tcp}\n"
    )
}

/// An upload over 802.11b and a wire: the load of `benches/wifi-upload.tcl`.
const UPLOAD: &str = r#"
duration = "40 s"
[[cells]]
standard = "802.11b"
layout = { kind = "star", stations = 1, radius_m = 5 }
timing.ack_rate.fixed = "11 Mb/s"
queue = { kind = "drop-tail", packets = 100 }
[[links]]
from = "ap"
to = "server"
rate = "100 Mb/s"
delay = "5 ms"
queue = { kind = "drop-tail", packets = 1000 }
[[flows]]
from = "sta0"
to = "server"
tcp = { profile = "s0", recovery = "sack-ns2", max_window = 100 }
"#;

/// Uploads of stations of 802.11ac with aggregates.
fn aggregates(stations: u32, flow: &str) -> String {
    format!(
        "duration = \"1.5 s\"\nwarmup = \"0.1 s\"\n[[cells]]\nstandard = \"802.11ac\"\n\
         layout = {{ kind = \"star\", stations = {stations}, radius_m = 5 }}\n\
         propagation.path_loss = {{ model = \"log-distance\", exponent = 3.5, reference_loss_db = 46.67 }}\n\
         queue = {{ kind = \"drop-tail\", packets = 500 }}\nmac.access = \"edca\"\nmac.txop_limits = \"2012\"\n\
         mac.edca_access_point_table = \"stations\"\nmac.attempts = 255\n\
         mac.aggregation = {{ max_bytes = \"65535 B\", max_mpdus = 64, after_missed_block_ack = \"bar\" }}\n\
         [[flows]]\ncount = {stations}\nfrom = \"sta*\"\nto = \"ap\"\n{flow}\n"
    )
}

/// Uploads of stations of 802.11a under DCF.
fn star(stations: u32) -> String {
    format!(
        "duration = \"4 s\"\n[[cells]]\nrate = \"54 Mb/s\"\n\
         layout = {{ kind = \"star\", stations = {stations} }}\nnoise.floor_dbm = -99\n\
         propagation.path_loss = {{ model = \"log-distance\", exponent = 3.5, reference_loss_db = 46.67 }}\n\
         timing.ack_rate.fixed = \"6 Mb/s\"\n[[flows]]\ncount = {stations}\nfrom = \"sta*\"\nto = \"ap\"\n\
         tcp = {{ profile = \"s0\", mss = 536 }}\n"
    )
}

/// Name, text, and the changes that shorten the run.
type Subject = (String, String, Vec<(String, String)>);

fn loads() -> Vec<Subject> {
    let ns2 = "{ profile = \"s0\", recovery = \"sack-ns2\" }";
    let udp = "transport = \"udp\"\napp = { kind = \"constant-rate\", rate = \"340 Mb/s\", message = \"1472 B\" }";
    let texts = [
        ("wired 1", wired(1, ns2, 100)),
        ("wired 1 linux", wired(1, "\"linux\"", 100)),
        ("wired 1 newreno", wired(1, "{ recovery = \"newreno\" }", 50)),
        ("wired 3 bbr", wired(3, "{ profile = \"linux\", congestion = { law = \"bbr\" } }", 20)),
        ("wired 100", wired(100, ns2, 4)),
        ("upload", UPLOAD.to_owned()),
        ("aggregates tcp 1", aggregates(1, "tcp = \"linux\"")),
        ("aggregates tcp 10", aggregates(10, "tcp = \"linux\"")),
        ("aggregates udp 1", aggregates(1, udp)),
        ("star 2", star(2)),
        ("star 6", star(6)),
        ("star 20", star(20)),
    ];
    texts.into_iter().map(|(name, text)| (name.to_owned(), text, Vec::new())).collect()
}

fn scenarios() -> Vec<Subject> {
    let folder = Path::new(HERE).join("../../scenarios");
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|e| e == "toml")).collect();
    files.sort();
    let changes = [("duration", "4 s"), ("warmup", "1 s"), ("replications", "1")];
    let changes: Vec<_> = changes.map(|(k, v)| (k.to_owned(), v.to_owned())).into();
    let subject = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let (text, mut changes) = (std::fs::read_to_string(&path).unwrap(), changes.clone());
        if text.contains("model = \"trace\"") {
            changes.push(("links[0].loss".to_owned(), LOSS.to_owned()));
        }
        (name, text, changes)
    };
    files.into_iter().map(subject).collect()
}

/// Losses in place of a trace from a file.
const LOSS: &str =
    "{ model = \"gilbert-elliott\", mean_loss = 0.3, mean_burst = 4, slot = \"10 ms\" }";

/// Fingerprint and number of events of the first replication.
fn outcome((name, text, changes): &Subject) -> String {
    let mut scenario = read(text, name, changes).unwrap_or_else(|e| panic!("{name}: {e}"));
    scenario.read_files(&Path::new(HERE).join("../../scenarios")).unwrap();
    let plan = scenario.resolve().unwrap_or_else(|e| panic!("{name}: {e}"));
    let result = run(&plan, &no_traces, Some(1), |_, _| true).unwrap();
    let first = &result.replications[0];
    format!("{},{}", first.fingerprint, first.events)
}

#[test]
fn runs_are_those_recorded() {
    let path = Path::new(HERE).join("tests/engine/recorded.csv");
    let found: BTreeMap<String, String> =
        loads().into_iter().chain(scenarios()).map(|s| (s.0.clone(), outcome(&s))).collect();
    if std::env::var_os("AIRTCP_WRITE").is_some() {
        let mut text = String::from("run,fingerprint,events\n");
        for (name, outcome) in &found {
            writeln!(text, "{name},{outcome}").unwrap();
        }
        std::fs::write(&path, text).unwrap();
        return;
    }
    let text = std::fs::read_to_string(&path).unwrap();
    let recorded: BTreeMap<String, String> = text
        .lines()
        .skip(1)
        .map(|line| line.split_once(',').unwrap())
        .map(|(name, outcome)| (name.to_owned(), outcome.to_owned()))
        .collect();
    assert_eq!(found, recorded);
}

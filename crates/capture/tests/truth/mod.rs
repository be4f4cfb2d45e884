//! The labelled transfers of a real kernel, and what happened in them (`data/README.md`).

#![allow(dead_code, reason = "each test reads a part of the truth")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The labelled transfers.
pub(crate) const TRANSFERS: [&str; 9] = [
    "loss",
    "bursts",
    "freeze",
    "reorder",
    "duplicates",
    "no-sack",
    "no-timestamps",
    "ipv6",
    "bbr",
];

/// A segment that was sent again.
pub(crate) struct Sent {
    pub(crate) port: String,
    pub(crate) sequence: u32,
    pub(crate) delivered: bool,
    pub(crate) spurious: bool,
    pub(crate) cause: String,
}

/// What happened in a transfer.
pub(crate) struct Truth {
    pub(crate) sent: Vec<Sent>,
    /// Mean of the kernel's smoothed round-trip times, by port, in s.
    pub(crate) srtt_s: BTreeMap<String, f64>,
    pub(crate) duplicated: u64,
    pub(crate) reordered: u64,
}

/// The folder of a transfer.
pub(crate) fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// What happened in a transfer.
pub(crate) fn truth(name: &str) -> Truth {
    let text = fs::read_to_string(folder(name).join("truth.csv")).unwrap();
    let mut truth =
        Truth { sent: Vec::new(), srtt_s: BTreeMap::new(), duplicated: 0, reordered: 0 };
    for line in text.lines() {
        let fields: Vec<&str> = line.trim_start_matches("# ").split(',').collect();
        match fields[..] {
            ["srtt_us", port, us] => {
                truth.srtt_s.insert(port.to_owned(), us.parse::<f64>().unwrap() / 1e6);
            }
            ["duplicated", n] => truth.duplicated = n.parse().unwrap(),
            ["reordered", n] => truth.reordered = n.parse().unwrap(),
            ["port", ..] => {}
            [port, sequence, _, delivered, spurious, cause] => truth.sent.push(Sent {
                port: port.to_owned(),
                sequence: sequence.parse().unwrap(),
                delivered: delivered == "1",
                spurious: spurious == "1",
                cause: cause.to_owned(),
            }),
            _ => panic!("{name}: {line}"),
        }
    }
    truth
}

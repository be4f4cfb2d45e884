//! Runs the fuzz targets without libFuzzer: each over its corpus and over inputs mutated from it, the same
//! ones every time. `AIRTCP_FUZZ_RUNS` sets their number (`make fuzz` uses many more than a test).
//!
//! libFuzzer runs the same functions, from `fuzz/bodies`, with coverage guidance and sanitizers.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

#[path = "../../../fuzz/bodies/mod.rs"]
mod bodies;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use airtcp_random::{Seed, Stream};
use airtcp_units::Narrow;

/// Default number of mutated inputs per target: seconds of work.
const RUNS: u64 = 3000;
/// Maximum length of a mutated input.
const LONGEST: usize = 1 << 14;

/// Words with which an input passes the first checks.
const WORDS: &[&[u8]] = &[
    b"\n",
    b",",
    b"0",
    b"1",
    b"-1",
    b"1e9",
    b"18446744073709551615",
    b"nan",
    b"\"",
    b"[[",
    b"]]",
    b"=",
    b"[[links]]\n",
    b"[[flows]]\n",
    b"[[cells]]\n",
    b"from = \"a\"\n",
    b"rate = { trace = \"x\" }\n",
    b"queue = { kind = \"red\" }\n",
    b"hops = 100000\n",
    b"[without]\nflows = [\"flow0\"]\n",
    b"without.distance = [\"sta0\"]\n",
    b"without.overlap = [\"cell0\"]\n",
    b"mac.ablation.speed = 10.0\n",
    b"scale = 1e3",
    b"count = 4000000000\n",
    b"1 Gb/s",
    b"1 ns",
    b"received",
    b"seq",
    b"time_s",
    b"rate_mbps",
    b"# airtcp: packets=4294967296\n",
    b"\x1f\x8b\x08",
    b"\xfd7zXZ\0",
    b"\x28\xb5\x2f\xfd",
    b"\xef\xbb\xbf",
    b"\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\xff\xff\0\0\x01\0\0\0",
    b"\x0a\x0d\x0d\x0a\x1c\0\0\0\x4d\x3c\x2b\x1a",
    b"\x06\0\0\0\x20\0\0\0",
    b"\x01\x01\x08\x0a",
    b"\0",
    b"\xff\xff\xff\xff",
];

fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// The files of some folders, in the order of their names.
fn corpus(folders: &[&str]) -> Vec<Vec<u8>> {
    let mut files: Vec<PathBuf> = folders
        .iter()
        .flat_map(|name| fs::read_dir(folder(name)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    assert!(files.len() > 2, "the corpus is part of the project");
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

/// An input made from one or two inputs of the corpus.
fn mutated(corpus: &[Vec<u8>], draws: &mut Stream) -> Vec<u8> {
    let pick = |draws: &mut Stream| &corpus[usize::narrow(draws.below(corpus.len() as u64))];
    let mut input = pick(draws).clone();
    for _ in 0..=draws.below(8) {
        let place = |draws: &mut Stream, most: usize| usize::narrow(draws.below(most as u64 + 1));
        let at = place(draws, input.len());
        let end = (at + place(draws, 64)).min(input.len());
        match draws.below(7) {
            0 if at < input.len() => input[at] ^= 1 << draws.below(8),
            1 if at < input.len() => input[at] = u8::narrow(draws.below(256)),
            2 => drop(input.drain(at..end)),
            3 => {
                let again = input[at..end].to_vec();
                for _ in 0..=draws.below(20) {
                    input.splice(at..at, again.iter().copied());
                }
            }
            4 => {
                let other = pick(draws);
                let from = place(draws, other.len());
                input.truncate(at);
                input.extend_from_slice(&other[from..]);
            }
            5 => input.truncate(at),
            _ => {
                let word = WORDS[usize::narrow(draws.below(WORDS.len() as u64))];
                input.splice(at..at, word.iter().copied());
            }
        }
        input.truncate(LONGEST);
    }
    input
}

fn fuzz(name: &str, body: fn(&[u8]), folders: &[&str]) {
    fuzz_with(RUNS, name, body, folders);
}

/// Fuzzes a body of which each run takes longer.
fn fuzz_with(runs: u64, name: &str, body: fn(&[u8]), folders: &[&str]) {
    let runs = std::env::var("AIRTCP_FUZZ_RUNS")
        .map_or(runs, |n| n.parse::<u64>().expect("a number").div_ceil(RUNS / runs));
    let corpus = corpus(folders);
    let mut draws = Seed::new(36).stream(name);
    let made = (0..runs).map(|_| mutated(&corpus, &mut draws));
    for (number, input) in corpus.iter().cloned().chain(made).enumerate() {
        if catch_unwind(AssertUnwindSafe(|| body(&input))).is_err() {
            let kept = std::env::temp_dir().join(format!("airtcp-fuzz-{name}-{number}"));
            fs::write(&kept, &input).unwrap();
            panic!("input {number} of {name} fails; it is kept in {}", kept.display());
        }
    }
}

#[test]
fn scenarios() {
    fuzz("scenario", bodies::scenario::scenario, &["fuzz/corpus/scenario", "scenarios"]);
}

#[test]
fn answers_of_captures() {
    let known = ["fuzz/corpus/pcap", "fuzz/corpus/pcapng", "fuzz/corpus/answers"];
    fuzz("answers", bodies::answers::answers, &known);
}

#[test]
fn schemes() {
    fuzz_with(RUNS / 5, "schemes", bodies::schemes::schemes, &["fuzz/corpus/schemes"]);
}

/// What bytes choose is most often a cell that can be compared.
#[test]
fn cells_that_bytes_choose_run() {
    let mut draws = Seed::new(36).stream("chosen");
    let drawn = |draws: &mut Stream| (0..48).map(|_| u8::narrow(draws.below(256))).collect();
    let inputs: Vec<Vec<u8>> = (0..60).map(|_| drawn(&mut draws)).collect();
    let compared = inputs.iter().filter(|input| bodies::schemes::compared(input)).count();
    assert!(compared >= 15, "{compared} of 60");
}

#[test]
fn traces() {
    let known =
        ["fuzz/corpus/trace", "crates/trace/tests/corpus/good", "crates/trace/tests/corpus/bad"];
    fuzz("trace", bodies::trace, &known);
}

#[test]
fn tcp() {
    fuzz("tcp", bodies::tcp::tcp, &["fuzz/corpus/tcp"]);
}

#[test]
fn sliding() {
    fuzz("sliding", bodies::sliding::sliding, &["fuzz/corpus/sliding"]);
}

#[test]
fn channels_of_a_tunnel() {
    fuzz("tunnel", airtcp_tunnel::fuzz, &["fuzz/corpus/tunnel"]);
}

#[test]
fn pcap() {
    fuzz("pcap", bodies::capture::pcap, &["fuzz/corpus/pcap"]);
}

#[test]
fn pcapng() {
    fuzz("pcapng", bodies::capture::pcapng, &["fuzz/corpus/pcapng"]);
}

#[test]
fn radiotap() {
    fuzz("radiotap", bodies::air::radiotap, &["fuzz/corpus/radiotap"]);
}

#[test]
fn frames_of_802_11() {
    fuzz("air", bodies::air::frames, &["fuzz/corpus/air"]);
}

#[test]
fn options_of_tcp() {
    fuzz("options", bodies::segments::options, &["fuzz/corpus/options"]);
}

#[test]
fn headers() {
    fuzz("wire", bodies::wire::headers, &["fuzz/corpus/wire"]);
}

#[test]
fn connection_tracker() {
    fuzz("tracker", bodies::segments::tracker, &["fuzz/corpus/tracker"]);
}

#[cfg(target_os = "linux")]
#[test]
fn listings_of_iw_and_nft() {
    fuzz("listings", bodies::live::listings, &["fuzz/corpus/listings"]);
}

#[cfg(target_os = "linux")]
#[test]
fn recorded_arrivals() {
    fuzz("arrivals", bodies::live::arrivals, &["fuzz/corpus/arrivals"]);
}

/// The harness finds a body that fails on one byte.
#[test]
#[should_panic(expected = "fails; it is kept in")]
fn the_harness_finds_a_failing_body() {
    fuzz("fault", |bytes| assert!(!bytes.contains(&b'\0')), &["fuzz/corpus/trace"]);
}

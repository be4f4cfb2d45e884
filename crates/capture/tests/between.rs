//! Captures of both ends of a transfer, against the truth of a real kernel's labelled transfers.

#![allow(clippy::unwrap_used, reason = "a test reports by panicking")]

mod files;
mod truth;

use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;

use airtcp_capture::tcp::TrackerLimits;
use airtcp_capture::{CaptureReport, analyse};
use files::{Raw, packets, pcap};
use truth::{TRANSFERS, folder, truth};

fn both(name: &str, ends: [&str; 2]) -> CaptureReport {
    let paths = ends.map(|end| folder(name).join(format!("{end}.pcap.gz")));
    analyse(&paths, TrackerLimits::default(), |_, _| ControlFlow::Continue(())).unwrap()
}

/// What happened to the data of the senders.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    retransmissions: u64,
    spurious: u64,
    duplicated: u64,
}

fn expected(name: &str) -> Counts {
    let truth = truth(name);
    Counts {
        retransmissions: truth.sent.len() as u64,
        spurious: truth.sent.iter().filter(|sent| sent.spurious).count() as u64,
        duplicated: truth.duplicated,
    }
}

fn found(report: &CaptureReport) -> Counts {
    let mut counts = Counts::default();
    for pair in &report.between {
        let sent = &pair.directions[0];
        counts.retransmissions += sent.retransmissions;
        let spurious = sent.spurious.unwrap();
        counts.spurious += spurious;
        counts.duplicated += sent.duplicated;
        assert_eq!(sent.not_seen_sent, 0);
        assert!(sent.lost >= sent.retransmissions - spurious, "{sent:?}");
    }
    counts
}

/// Whatever the order of the files, both ends show which retransmissions were needed, and which
/// segments the network duplicated.
#[test]
fn both_ends() {
    for name in TRANSFERS {
        for (ends, points) in [(["sender", "receiver"], [0, 1]), (["receiver", "sender"], [1, 0])] {
            let report = both(name, ends);
            assert_eq!(report.points.len(), 2, "{name}");
            assert_eq!(found(&report), expected(name), "{name}");
            // The point that begins first is the first one, whatever the order of the files.
            let near: Vec<[u32; 2]> = report.between.iter().map(|pair| pair.points).collect();
            assert!(!near.is_empty() && near.iter().all(|p| *p == near[0]), "{name}: {near:?}");
            let files = &report.points[near[0][0] as usize].files;
            assert!(files[0].ends_with("sender.pcap.gz"), "{name}: {files:?} of {points:?}");
            // Each point stands alone as well.
            for (file, end) in report.files.iter().zip(ends) {
                assert!(file.warnings.is_empty(), "{name} {end}: {:?}", file.warnings);
            }
            for connection in &report.tcp.connections {
                let place = &report.points[connection.point.unwrap() as usize].files[0];
                let expected = if place.contains("sender") { "client" } else { "server" };
                assert_eq!(connection.vantage, expected, "{name}");
            }
        }
    }
}

/// Both captures have one clock here. Its offset is within the stated uncertainty, and half the round
/// trip is the uncertainty if the way there takes as long as the way back.
#[test]
fn clocks_and_delays() {
    for name in TRANSFERS {
        for pair in both(name, ["sender", "receiver"]).between {
            let uncertainty = pair.clock.uncertainty_s.unwrap();
            assert!(pair.clock.offset_s.abs() <= uncertainty, "{name}: {:?}", pair.clock);
            let delay = &pair.directions[0].delay_s;
            // One way takes 15 ms (`no-timestamps` and `bursts` too), 20 ms with BBR, 10 ms in `reorder`.
            let least = if name == "reorder" { 0.009 } else { 0.014 };
            assert!(delay.p50.unwrap() > least, "{name}: {delay:?}");
        }
    }
}

/// The evidence of the sender's capture beside the truth of both: DSACK and timestamps prove what they
/// say, except where the network duplicates.
#[test]
fn evidence_and_truth() {
    let mut proved = 0;
    for name in TRANSFERS {
        for pair in both(name, ["sender", "receiver"]).between {
            for (evidence, counts) in &pair.directions[0].by_evidence {
                if evidence == "none" {
                    assert_eq!(counts.arrived, 0, "{name}: no evidence of a spurious one");
                } else if truth(name).duplicated == 0 {
                    assert_eq!(counts.lost, 0, "{name}: {evidence}");
                    proved += counts.arrived;
                }
            }
        }
    }
    assert!(proved >= 7, "{proved}");
}

/// The report of captures with these packets of the labelled transfer `loss`.
fn report(name: &str, captures: &[Vec<Raw>], workers: usize) -> CaptureReport {
    let folder = std::env::temp_dir().join(format!("airtcp-between-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let paths: Vec<PathBuf> =
        (0..captures.len()).map(|n| folder.join(format!("{n}.pcap"))).collect();
    for (path, packets) in paths.iter().zip(captures) {
        fs::write(path, pcap(101, &[], packets)).unwrap();
    }
    let limits = TrackerLimits { workers, ..TrackerLimits::default() };
    let report = analyse(&paths, limits, |_, _| ControlFlow::Continue(())).unwrap();
    fs::remove_dir_all(folder).unwrap();
    report
}

fn shifted(packets: &[Raw], us: u64) -> Vec<Raw> {
    packets.iter().map(|(time, data)| (time + us, data.clone())).collect()
}

/// A clock that is ahead by an hour, so that one capture seems to follow the other, changes nothing but
/// the offset.
#[test]
fn clocks_far_apart() {
    let (sender, receiver) = (packets("sender"), packets("receiver"));
    let near = report("near", &[sender.clone(), receiver.clone()], 1);
    let far = report("far", &[sender, shifted(&receiver, 3_600_000_000)], 1);
    assert_eq!((found(&near), near.between.len()), (found(&far), 2));
    for (a, b) in near.between.iter().zip(&far.between) {
        assert!((b.clock.offset_s - a.clock.offset_s - 3600.0).abs() < 1e-4, "{:?}", b.clock);
        assert_eq!(a.directions[0].lost, b.directions[0].lost);
    }
}

/// A capture in several files is one capture, in whatever order the files are given.
#[test]
fn a_capture_in_parts_is_one() {
    let whole = packets("sender");
    let expected = report("whole", std::slice::from_ref(&whole), 1);
    let mut parts: Vec<Vec<Raw>> = whole.chunks(200).map(<[Raw]>::to_vec).collect();
    parts.swap(0, 2);
    let found = report("parts", &parts, 1);
    assert_eq!(found.tcp, expected.tcp);
    assert!(found.points.is_empty() && found.between.is_empty());
    // Beside the other end as well.
    parts.push(packets("receiver"));
    let found = report("both", &parts, 1);
    let files: Vec<usize> = found.points.iter().map(|point| point.files.len()).collect();
    assert_eq!(files, [3, 1]);
    assert_eq!(found.between[1].directions[0].lost, 19);
}

/// Of three points in a row, the neighbours are compared.
#[test]
fn three_points() {
    let (sender, receiver) = (packets("sender"), packets("receiver"));
    // Behind the sender: 1 ms later one way, 1 ms earlier the other way, and each 50th packet is missing.
    let client = sender[0].1[12..16].to_vec();
    let behind = |(us, data): &Raw| {
        (if data[12..16] == client[..] { us + 1000 } else { us - 1000 }, data.clone())
    };
    let mut middle: Vec<Raw> = sender.iter().map(behind).collect();
    middle.sort_by_key(|(us, _)| *us);
    let found = report("three", &[receiver, middle, sender], 1);
    let name = |point: u32| found.points[point as usize].files[0].clone();
    let mut pairs: Vec<[bool; 2]> = Vec::new();
    for pair in &found.between {
        let [a, b] = pair.points.map(name);
        pairs.push([a.ends_with("2.pcap"), b.ends_with("0.pcap")]);
        let lost = pair.directions[0].lost;
        assert!(lost == 0 || a.ends_with("1.pcap"), "nothing is lost before the middle: {pair:?}");
        // Only a capture at the receiver shows which retransmissions were needed.
        assert_eq!(pair.directions[0].spurious.is_some(), b.ends_with("0.pcap"), "{pair:?}");
    }
    pairs.sort_unstable();
    assert_eq!(pairs, [[false, true], [false, true], [true, false], [true, false]]);
}

/// The number of workers changes nothing.
#[test]
fn workers_change_nothing() {
    let captures = [packets("sender"), packets("receiver")];
    let expected = report("workers", &captures, 1);
    assert!(expected.tcp.connections.len() > 2);
    for workers in [2, 3, 64] {
        assert!(report("workers", &captures, workers) == expected, "{workers}");
    }
}

/// A file that was given twice is named, and nothing is said of the path between its copies.
#[test]
fn a_file_given_twice() {
    let sender = packets("sender");
    let found = report("twice", &[sender.clone(), sender], 1);
    assert!(found.between.is_empty());
    let named = |file: &airtcp_capture::FileReport| {
        file.warnings.iter().any(|warning| warning.contains("was given twice"))
    };
    assert_eq!(found.files.iter().map(named).collect::<Vec<_>>(), [false, true]);
}

/// An empty file beside another one, as `tcpdump -C` leaves it, is named.
#[test]
fn an_empty_file_beside_another() {
    let folder = std::env::temp_dir().join(format!("airtcp-empty-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let paths = [folder.join("a.pcap"), folder.join("b.pcap")];
    fs::write(&paths[0], pcap(101, &[], &packets("sender"))).unwrap();
    fs::write(&paths[1], b"").unwrap();
    let limits = TrackerLimits::default();
    let report = analyse(&paths, limits, |_, _| ControlFlow::Continue(())).unwrap();
    assert!(report.files[1].warnings[0].contains("no packets"), "{:?}", report.files);
    assert_eq!(report.tcp.connections.len(), 2);
    assert!(analyse(&paths[1..], limits, |_, _| ControlFlow::Continue(())).is_err());
    fs::remove_dir_all(folder).unwrap();
}

//! Files as they come: unsorted, with copies, damaged, of other link types. Each is made from a labelled
//! capture (`data/README.md`), and the analysis must find what it finds in that one.

#![allow(clippy::unwrap_used, reason = "a test reports by panicking")]
#![allow(clippy::print_stdout, reason = "a skipped test has to say so")]

mod files;

use std::ops::ControlFlow;
use std::path::Path;

use airtcp_capture::tcp::TrackerLimits;
use airtcp_capture::tcp::report::DirectionReport;
use airtcp_capture::{CaptureReport, analyse};
use files::{Raw, packets, pcap, report_of};

/// The report of raw IP packets.
fn report(name: &str, packets: &[Raw]) -> CaptureReport {
    report_of(name, &pcap(101, &[], packets))
}

/// The direction with the most data.
fn upload(report: &CaptureReport) -> &DirectionReport {
    let directions = report.tcp.connections.iter().flat_map(|c| &c.directions);
    directions.max_by_key(|direction| direction.unique_bytes).unwrap()
}

fn has_warning(report: &CaptureReport, what: &str) -> bool {
    report.files[0].warnings.iter().any(|warning| warning.contains(what))
}

#[test]
fn an_unsorted_file_is_sorted() {
    let clean = packets("sender");
    let expected = report("sorted", &clean);
    assert!(upload(&expected).retransmitted_segments > 10);
    // Each 20 packets are in reverse order.
    let mut mixed = clean.clone();
    mixed.chunks_mut(20).for_each(<[Raw]>::reverse);
    // Packets of one time have no order of their own.
    mixed.sort_by_key(|(us, _)| us / 200);
    let mut ordered = mixed.clone();
    ordered.sort_by_key(|(us, _)| *us);
    let (found, expected) = (report("mixed", &mixed), report("ordered", &ordered));
    assert_eq!(found.tcp, expected.tcp);
    assert!(has_warning(&found, "the packets were sorted by time"), "{:?}", found.files);
    assert!(!has_warning(&expected, "earlier than"), "{:?}", expected.files);
}

#[test]
fn a_mirror_port_that_doubles_packets_makes_no_retransmissions() {
    let clean = packets("sender");
    let expected = report("once", &clean);
    for gap_us in [0, 3, 150] {
        let mut doubled: Vec<Raw> = clean
            .iter()
            .flat_map(|(us, data)| [(*us, data.clone()), (us + gap_us, data.clone())])
            .collect();
        doubled.sort_by_key(|(us, _)| *us);
        let found = report("twice", &doubled);
        let (one, two) = (upload(&expected), upload(&found));
        assert_eq!(two.retransmitted_segments, one.retransmitted_segments, "{gap_us}");
        assert_eq!(two.retransmissions, one.retransmissions, "{gap_us}");
        assert_eq!(two.unique_bytes, one.unique_bytes);
        assert_eq!(two.duplicate_acks, one.duplicate_acks);
        assert_eq!(two.data_segments, one.data_segments);
        assert_eq!(two.copied_segments, one.data_segments);
        assert_eq!((two.network_duplicates, two.syn_retransmissions), (0, 0));
        assert_eq!(two.fin_retransmissions, one.fin_retransmissions);
        assert_eq!(two.handshake_rtt_s, one.handshake_rtt_s);
        assert!(has_warning(&found, "mirror port"), "{:?}", found.files);
        assert!(!has_warning(&expected, "twice"), "{:?}", expected.files);
    }
}

/// Both ends of a transfer in one file: the losses between them are needed retransmissions, although the
/// file has a copy of each lost segment.
#[test]
fn both_ends_in_one_file_make_nothing_spurious() {
    let mut both = [packets("sender"), packets("receiver")].concat();
    both.sort_by_key(|(us, _)| *us);
    let (found, expected) = (report("ends", &both), report("sender", &packets("sender")));
    let (merged, sender) = (upload(&found), upload(&expected));
    assert_eq!(merged.retransmitted_segments, sender.retransmitted_segments);
    assert_eq!(merged.spurious_retransmissions, 0);
    assert_eq!(merged.spurious_by.seen_twice, 0);
    assert_eq!(merged.unique_bytes, sender.unique_bytes);
    assert_eq!(merged.data_segments, sender.data_segments);
    assert!(found.tcp.connections.iter().all(|connection| connection.vantage == "unknown"));
    assert!(has_warning(&found, "several points"), "{:?}", found.files);
}

#[test]
fn two_points_of_the_path_in_one_file_are_named() {
    let clean = packets("sender");
    let mut both: Vec<Raw> = clean
        .iter()
        .flat_map(|(us, data)| {
            let mut behind = data.clone();
            behind[8] -= 3;
            [(*us, data.clone()), (us + 2000, behind)]
        })
        .collect();
    both.sort_by_key(|(us, _)| *us);
    let (found, expected) = (report("both", &both), report("first", &clean));
    assert_eq!(upload(&found).retransmitted_segments, upload(&expected).retransmitted_segments);
    assert_eq!(upload(&found).unique_bytes, upload(&expected).unique_bytes);
    assert!(has_warning(&found, "several points of the path"), "{:?}", found.files);
    assert!(!has_warning(&found, "mirror port"), "{:?}", found.files);
}

#[test]
fn reading_goes_on_after_damage() {
    let clean = packets("sender");
    let file = pcap(101, &[], &clean);
    let whole = report_of("whole", &file);
    let total = whole.files[0].packets;
    assert_eq!(whole.files[0].damaged_at_bytes, None);
    let middle = file.len() / 2;
    // Bytes are missing, are zero, or are of something else.
    let mut missing = file.clone();
    missing.drain(middle..middle + 777);
    let mut zeros = file.clone();
    zeros[middle..middle + 4096].fill(0);
    let mut noise = file.clone();
    for (at, byte) in noise[middle..middle + 2000].iter_mut().enumerate() {
        *byte = u8::try_from(at * 151 % 255).unwrap() | 1;
    }
    let longest = clean.iter().map(|(_, data)| data.len() as u64 + 16).max().unwrap();
    for (name, file, lost) in
        [("missing", missing, 777), ("zeros", zeros, 4096), ("noise", noise, 2000)]
    {
        let found = report_of(name, &file);
        let read = found.files[0].packets;
        // What is lost, the packet before it, and the rest of the one behind it.
        let least = clean.iter().map(|(_, data)| data.len() as u64 + 16).min().unwrap();
        assert!(read + lost / least + 2 >= total && read < total, "{name}: {read} of {total}");
        assert!(found.files[0].damaged_at_bytes.is_some(), "{name}");
        assert!(found.files[0].skipped_bytes <= lost + 2 * longest, "{name}: {:?}", found.files);
        assert!(has_warning(&found, "bytes were skipped"), "{name}: {:?}", found.files);
    }
    // The end of the last packet is missing.
    let found = report_of("cut", &file[..file.len() - 5]);
    assert_eq!(found.files[0].packets, total - 1);
    assert!(has_warning(&found, "the file ends within a packet"), "{:?}", found.files);
}

#[test]
fn serial_lines_hold_the_same_packets() {
    let clean = packets("sender");
    let expected = report("raw", &clean);
    for (link_type, before) in [
        (9, &[0xff, 3, 0, 0x21][..]),
        (50, &[0x0f, 0, 8, 0]),
        (51, &[0x11, 0, 0, 1, 0, 90, 0, 0x21]),
        (104, &[0x8f, 0, 8, 0]),
    ] {
        let found = report_of("serial", &pcap(link_type, before, &clean));
        assert_eq!(found.tcp, expected.tcp, "link type {link_type}");
    }
}

/// SYNs without answers: the memory is bounded, and the report counts what it left out.
#[test]
fn a_flood_of_syns() {
    let flood: Vec<Raw> = (0..40_000u32)
        .map(|n| {
            let mut data = vec![0x45, 0, 0, 40, 0, 7, 0, 0, 64, 6, 0, 0];
            data.extend(n.wrapping_mul(2_654_435_761).to_be_bytes());
            data.extend([10, 0, 0, 1, 0xc0, 1, 0, 80]);
            data.extend([0; 8]);
            data.extend([0x50, 2, 2, 0, 0, 0, 0, 0]);
            (u64::from(n), data)
        })
        .collect();
    let found = report("flood", &flood).tcp;
    assert_eq!((found.without_data, found.without_data_by.unanswered), (40_000, 40_000));
    assert!(found.connections.is_empty());
    assert!(found.evicted >= 40_000 - 16_384, "{}", found.evicted);
}

/// A public capture of a network that the packets of one host cross twice, before and after a router.
#[test]
fn two_points_of_a_public_capture() {
    let Some(root) = std::env::var_os("AIRTCP_DATA") else {
        println!("skipped: AIRTCP_DATA is not set, the public captures are not read");
        return;
    };
    let path = Path::new(&root).join("tcptrace-tcp/discard.solaris.dmp.gz");
    let limits = TrackerLimits::default();
    let found = analyse(&[path], limits, |_, _| ControlFlow::Continue(())).unwrap();
    // tshark 4.0.17 lists 42 pairs of segments with data that differ in nothing but the time to live.
    let directions = found.tcp.connections.iter().flat_map(|c| &c.directions);
    assert_eq!(directions.map(|d| d.copied_segments).sum::<u64>(), 42);
    assert!(has_warning(&found, "several points of the path"), "{:?}", found.files);
}

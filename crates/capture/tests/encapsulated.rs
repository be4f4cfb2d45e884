//! Packets behind other headers: the analysis must find what it finds without them.

#![allow(clippy::unwrap_used, reason = "a test reports by panicking")]

mod files;

use airtcp_capture::CaptureReport;
use airtcp_capture::dissect::{Fragments, dissect, dissect_ip};
use airtcp_capture::read::Packet;
use files::{Raw, packets, pcap, report_of};
use proptest::prelude::*;

fn plain(name: &str) -> CaptureReport {
    report_of(name, &pcap(101, &[], &packets("sender")))
}

#[test]
fn link_types_hold_the_same_packets() {
    let clean = packets("sender");
    let expected = plain("raw");
    let snap = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0];
    let ethernet = [&[2; 12][..], &[8, 0]].concat();
    let tap = {
        let mut header = [108u32, 1, 12].map(u32::to_le_bytes).concat();
        header.resize(108, 0);
        header
    };
    let cases: Vec<(u32, Vec<u8>)> = vec![
        (1, [&[2; 12][..], &[0x88, 0x47, 0, 0, 0x10, 9, 0, 0, 0x11, 9]].concat()),
        (1, [&[2; 12][..], &[0x81, 0, 0, 5, 0x88, 0x64, 0x11, 0, 0, 1, 0, 90, 0, 0x21]].concat()),
        // Behind a provider's backbone tag and an E-TAG.
        (1, [&[2; 12][..], &[0x88, 0xe7, 0, 0, 0, 9], &ethernet].concat()),
        (1, [&[2; 12][..], &[0x89, 0x3f, 0, 0, 0, 0, 0, 0, 8, 0]].concat()),
        (6, [&[0x10, 0x40][..], &[0; 12], &snap].concat()),
        (10, [&[0x51][..], &[0; 12], &snap].concat()),
        (100, snap.to_vec()),
        (107, vec![0x18, 0x41, 3, 0xcc]),
        (109, vec![2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        (149, tap.clone()),
        (226, [&[1, 2][..], &[0; 22]].concat()),
        (240, [&[0; 4][..], &ethernet].concat()),
        (258, tap),
        (282, [&[0; 4][..], &ethernet].concat()),
    ];
    for (link_type, before) in cases {
        let found = report_of("link", &pcap(link_type, &before, &clean));
        assert_eq!(found.tcp, expected.tcp, "link type {link_type}, {before:x?}");
        assert!(found.files[0].warnings.is_empty(), "{:?}", found.files);
    }
}

/// A copy in a tunnel beside the plain packet is a copy, and nothing was sent again for it.
#[test]
fn a_copy_in_a_tunnel_is_a_copy() {
    let clean = packets("sender");
    let expected = plain("single");
    let mut both: Vec<Raw> = Vec::new();
    for (us, packet) in clean {
        let length = u16::try_from(20 + 4 + packet.len()).unwrap().to_be_bytes();
        let outer = [&[0x45, 0][..], &length, &[0, 1, 0, 0, 64, 47, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]];
        let copy = [&outer.concat()[..], &[0, 0, 8, 0], &packet].concat();
        both.push((us, packet));
        both.push((us, copy));
    }
    let found = report_of("both", &pcap(101, &[], &both));
    let counted = |report: &CaptureReport| {
        let directions = report.tcp.connections.iter().flat_map(|c| c.directions.clone());
        directions
            .map(|d| (d.unique_bytes, d.retransmitted_segments, d.timeouts))
            .collect::<Vec<_>>()
    };
    assert_eq!(counted(&found), counted(&expected));
}

/// What is not read stands beside the rest by its name, and only then is TCP missing.
#[test]
fn what_is_not_read_is_named() {
    let clean = packets("sender");
    let esp: Vec<Raw> = (0..34)
        .map(|us| {
            let head = [0x45, 0, 0, 120, 0, 1, 0, 0, 64, 50, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2];
            (us, [&head[..], &[9; 100]].concat())
        })
        .collect();
    let both = [&esp[..], &clean].concat();
    let found = report_of("esp", &pcap(101, &[], &both));
    let line = format!("34 of {} packets are in IPsec ESP, which airtcp does not read", both.len());
    assert!(found.files[0].warnings.contains(&line), "{:?}", found.files);
    let found = report_of("esp-only", &pcap(101, &[], &esp));
    assert!(!found.files[0].warnings.iter().any(|line| line.contains("no packet holds TCP")));

    let found = report_of("usb", &pcap(189, &[], &clean));
    let warnings = &found.files[0].warnings;
    assert!(warnings[0].contains("have link type 189 (usb-linux)"), "{warnings:?}");
    assert!(warnings[0].contains("editcap -T"), "{warnings:?}");
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    // Ordinary packets without TCP.
    let udp: Vec<Raw> =
        esp.iter().map(|(us, data)| (*us, [&data[..9], &[17], &data[10..]].concat())).collect();
    let found = report_of("udp", &pcap(101, &[], &udp));
    assert_eq!(found.files[0].warnings, ["no packet holds TCP or 802.11: nothing was analysed"]);
}

/// Before version 2.3, the length on the wire stood before the captured one.
#[test]
fn old_versions_of_pcap() {
    let clean = packets("sender");
    let expected = plain("new");
    let file = pcap(101, &[], &clean);
    let old = |version: [u16; 2], link_type: u8, order: bool, scale: u32| {
        let mut bytes = file.clone();
        bytes[4..6].copy_from_slice(&version[0].to_le_bytes());
        bytes[6..8].copy_from_slice(&version[1].to_le_bytes());
        bytes[20] = link_type;
        let mut at = 24;
        while at < bytes.len() {
            let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
            let (fraction, captured, wire) = (word(at + 4), word(at + 8), word(at + 12));
            bytes[at + 4..at + 8].copy_from_slice(&(fraction * scale).to_le_bytes());
            if order {
                bytes[at + 8..at + 12].copy_from_slice(&wire.to_le_bytes());
                bytes[at + 12..at + 16].copy_from_slice(&captured.to_le_bytes());
            }
            at += 16 + captured as usize;
        }
        bytes
    };
    for (name, bytes) in [
        ("2.2", old([2, 2], 101, true, 1)),
        ("2.3", old([2, 3], 101, false, 1)),
        ("2.3 in the old order", old([2, 3], 101, true, 1)),
        ("543.0", old([543, 0], 101, true, 1)),
    ] {
        let found = report_of("old", &bytes);
        assert_eq!(found.tcp, expected.tcp, "{name}");
        assert!(found.files[0].warnings.is_empty(), "{name}: {:?}", found.files);
    }
    // AIX: interface types, and nanoseconds.
    let ethernet = [&[2; 12][..], &[8, 0]].concat();
    let mut aix = pcap(6, &ethernet, &clean);
    aix[6] = 2;
    let mut at = 24;
    while at < aix.len() {
        let word = |at: usize| u32::from_le_bytes(aix[at..at + 4].try_into().unwrap());
        let (fraction, captured, wire) = (word(at + 4), word(at + 8), word(at + 12));
        aix[at + 4..at + 8].copy_from_slice(&(fraction * 1000).to_le_bytes());
        aix[at + 8..at + 12].copy_from_slice(&wire.to_le_bytes());
        aix[at + 12..at + 16].copy_from_slice(&captured.to_le_bytes());
        at += 16 + captured as usize;
    }
    let found = report_of("aix", &aix);
    assert_eq!(found.files[0].link_type, "ethernet");
    assert_eq!(found.tcp, expected.tcp);
}

/// Simple packet blocks have no times: what is counted stands, and nothing is measured in time.
#[test]
fn packets_without_times() {
    let block = |kind: u32, body: &[u8]| {
        let padded = body.len().next_multiple_of(4);
        let length = u32::try_from(12 + padded).unwrap().to_le_bytes();
        [&kind.to_le_bytes()[..], &length, body, &vec![0; padded - body.len()], &length].concat()
    };
    let mut bytes = block(
        0x0a0d_0d0a,
        &[&0x1a2b_3c4du32.to_le_bytes()[..], &[1, 0, 0, 0], &[0xff; 8]].concat(),
    );
    bytes.extend(block(1, &[101, 0, 0, 0, 0, 0, 0, 0]));
    for (_, data) in packets("sender") {
        // The capture that these packets are of has 96 bytes of each.
        let wire = u32::from(u16::from_be_bytes([data[2], data[3]]));
        bytes.extend(block(3, &[&wire.to_le_bytes()[..], &data].concat()));
    }
    let found = report_of("simple.pcapng", &bytes);
    let expected = plain("timed");
    let upload = |report: &CaptureReport| {
        let all = report.tcp.connections.iter().flat_map(|c| c.directions.clone());
        all.max_by_key(|direction| direction.unique_bytes).unwrap()
    };
    let (found_up, expected_up) = (upload(&found), upload(&expected));
    assert_eq!(found_up.unique_bytes, expected_up.unique_bytes);
    assert_eq!(found_up.data_segments, expected_up.data_segments);
    assert_eq!(found_up.retransmitted_segments, expected_up.retransmitted_segments);
    assert_eq!((found_up.rtt_s.samples, found_up.rtt_s.min), (0, None));
    assert_eq!((found_up.srtt_s, found_up.handshake_rtt_s), (None, None));
    assert_eq!((found_up.goodput_bps, found_up.transfer_s), (None, None));
    let warnings = &found.files[0].warnings;
    assert!(warnings[0].contains("simple packet blocks have no times"), "{warnings:?}");
}

proptest! {
    /// Any bytes of any link type, with any length on the wire.
    #[test]
    fn any_bytes(
        link_type in 0u16..300,
        data in prop::collection::vec(any::<u8>(), 0..200),
        wire_len in any::<u32>(),
    ) {
        let packet =
            Packet { time_ns: 0, is_timed: true, link_type, interface: 0, wire_len, data: &data };
        let _ = dissect(&packet, &mut Fragments::default());
    }

    /// Any bytes behind an EtherType.
    #[test]
    fn any_bytes_behind_a_type(
        kind in prop::sample::select(vec![
            0x8847u16, 0x8848, 0x8864, 0x880b, 0x6558, 0x8870, 0x6559, 0x88e7, 0x8903, 0x22f3, 0x894f,
            0x883e, 0x88be, 0x22eb, 0x88e5, 0x8100, 0x893f, 0x0064, 0x86dd,
        ]),
        data in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let frame = [&[2; 12][..], &kind.to_be_bytes(), &data].concat();
        let wire_len = u32::try_from(frame.len()).unwrap();
        let packet =
            Packet { time_ns: 0, is_timed: true, link_type: 1, interface: 0, wire_len, data: &frame };
        let _ = dissect(&packet, &mut Fragments::default());
    }

    /// Any bytes in any protocol of IP, and behind any port of a tunnel.
    #[test]
    fn any_bytes_in_ip(
        protocol in any::<u8>(),
        fragment in prop::sample::select(vec![0u16, 0x2000, 0x0010]),
        port in prop::sample::select(vec![
            1194u16, 1701, 2152, 3386, 3544, 4341, 4500, 4754, 4789, 4790, 5247, 6080, 6081, 6635, 8472,
            37008, 51820,
        ]),
        length in any::<u16>(),
        data in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let mut packet = vec![0x45, 0];
        packet.extend(length.to_be_bytes());
        packet.extend([0, 1]);
        packet.extend(fragment.to_be_bytes());
        packet.extend([64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
        let mut fragments = Fragments::default();
        let whole = [&packet[..], &data].concat();
        let _ = dissect_ip(0, &whole, whole.len(), &mut fragments);
        packet[9] = 17;
        packet.extend([0, 9]);
        packet.extend(port.to_be_bytes());
        packet.extend(length.to_be_bytes());
        packet.extend([0, 0]);
        packet.extend(&data);
        let _ = dissect_ip(0, &packet, packet.len(), &mut fragments);
    }
}

use airtcp_packet::{Flags, Kind, Seq};
use airtcp_wire::checksum::{Addresses, Payload};
use airtcp_wire::tcp::Options;

use super::*;

/// A frame of TCP with timestamps; `six` for IPv6.
fn tcp_frame(six: bool, len: usize, ecn: Ecn) -> Vec<u8> {
    let header = tcp::Repr {
        source_port: 5201,
        destination_port: 40_000,
        seq: Seq(7),
        ack: Seq(9),
        flags: Flags::ACK,
        window: 500,
        options: Options { timestamps: Some((1, 2)), ..Options::default() },
        ..tcp::Repr::default()
    };
    let mut frame = vec![2; 12];
    frame.extend(if six { [0x86, 0xdd] } else { [8, 0] });
    let upper = header.buffer_len() + len;
    let between = if six {
        let (source, destination) = (std::net::Ipv6Addr::LOCALHOST, std::net::Ipv6Addr::LOCALHOST);
        frame.extend([0x60, ecn.bits() << 4, 0, 0]);
        frame.extend(u16::try_from(upper).unwrap().to_be_bytes());
        frame.extend([tcp::PROTOCOL, 64]);
        frame.extend(source.octets());
        frame.extend(destination.octets());
        Addresses::V6(source, destination)
    } else {
        let (source, destination) = ([10, 0, 0, 1].into(), [10, 0, 0, 2].into());
        let ip = ipv4::Repr {
            source,
            destination,
            protocol: tcp::PROTOCOL,
            hop_limit: 64,
            dscp: 3,
            ecn,
            ident: 77,
            dont_fragment: true,
            more_fragments: false,
            frag_offset: 0,
            payload_len: upper,
        };
        ip.emit(&mut frame);
        Addresses::V4(source, destination)
    };
    header.emit(&mut frame, &between, Payload::zeros(len));
    frame.resize(frame.len() + len, 0);
    frame
}

fn packet(frame: &[u8]) -> Packet {
    match parse(frame, frame.len(), true) {
        Parsed::Packet(packet) => packet,
        Parsed::Beside => panic!("beside the model"),
    }
}

/// Both versions of IP give the record of the segment, with the length of the packet.
#[test]
fn segments_have_their_exact_length() {
    for (six, header) in [(false, 20), (true, 40)] {
        for len in [0, 1, 1_000] {
            let frame = tcp_frame(six, len, Ecn::Ect0);
            let found = packet(&frame);
            let segment = found.segment;
            assert_eq!(segment.wire_len() as usize, header + 32 + len);
            assert_eq!(
                (segment.kind, segment.len as usize, segment.ecn),
                (Kind::Tcp, len, Ecn::Ect0)
            );
            assert_eq!(
                (segment.seq, segment.flags, segment.timestamps),
                (Seq(7), Flags::ACK, (1, 2))
            );
            assert_eq!(found.tuple.unwrap().ends.map(|(_, port)| port), [5201, 40_000]);
            assert_eq!(found.ip_id, if six { 0 } else { 77 });
            // The head and the length give the record again.
            let mut again = frame[..found.head].to_vec();
            again.resize(frame.len(), 0);
            assert_eq!(packet(&again), found);
            // Padding of short frames is not of the packet.
            let mut padded = frame.clone();
            padded.resize(frame.len() + 6, 0);
            assert_eq!(packet(&padded), found);
        }
    }
}

/// The class of service is that of the DSCP, also of fragments and of what is neither TCP nor UDP.
#[test]
fn services() {
    for (dscp, service) in [
        (46, Service::Voice),
        (34, Service::Video),
        (8, Service::Background),
        (0, Service::BestEffort),
    ] {
        let mut four = tcp_frame(false, 9, Ecn::Ect0);
        four[ETHERNET + 1] = dscp << 2 | 2;
        let mut six = tcp_frame(true, 9, Ecn::Ect0);
        (six[ETHERNET], six[ETHERNET + 1]) = (0x60 | dscp >> 2, dscp << 6 | 0x20);
        let mut fragment = four.clone();
        fragment[ETHERNET + 6] = 0x20;
        let mut icmp = four.clone();
        icmp[ETHERNET + 9] = 1;
        for frame in [&four, &six, &fragment, &icmp] {
            let segment = packet(frame).segment;
            assert_eq!((segment.service(), segment.ecn), (service, Ecn::Ect0));
        }
    }
}

/// What is no whole segment keeps its length and its ECN field.
#[test]
fn others_are_raw() {
    let mut fragment = tcp_frame(false, 100, Ecn::Ect0);
    fragment[ETHERNET + 6] = 0x20;
    let mut icmp = tcp_frame(false, 100, Ecn::Ect0);
    icmp[ETHERNET + 9] = 1;
    for frame in [&fragment, &icmp] {
        let found = packet(frame);
        assert_eq!((found.segment, found.tuple), (Segment::raw(152, Ecn::Ect0), None));
    }
    let mut lldp = vec![0; 60];
    lldp[12..14].copy_from_slice(&[0x88, 0xcc]);
    assert_eq!(packet(&lldp).segment, Segment::raw(46, Ecn::NotEct));
    let mut arp = lldp;
    arp[12..14].copy_from_slice(&[8, 6]);
    assert_eq!(parse(&arp, 60, true), Parsed::Beside);
    assert!(
        matches!(parse(&arp, 60, false), Parsed::Packet(raw) if raw.segment == Segment::raw(46, Ecn::NotEct))
    );
    let mut solicitation = tcp_frame(true, 0, Ecn::NotEct);
    (solicitation[ETHERNET + 6], solicitation[ETHERNET + 40]) = (ICMPV6, 135);
    assert_eq!(parse(&solicitation, solicitation.len(), true), Parsed::Beside);
    solicitation[ETHERNET + 40] = 128;
    assert_eq!(packet(&solicitation).segment.kind, Kind::Raw, "an echo request crosses the model");
}

/// Bytes of any kind, cut anywhere, are a packet of no more than their length.
#[test]
fn hostile_frames() {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize
    };
    for turn in 0..20_000 {
        let mut frame = tcp_frame(turn % 2 == 0, next() % 40, Ecn::Ect1);
        for _ in 0..next() % 4 {
            let at = next() % frame.len();
            frame[at] = u8::try_from(next() % 256).unwrap();
        }
        frame.truncate(next() % (frame.len() + 1));
        if let Parsed::Packet(found) = parse(&frame, frame.len(), true) {
            assert!(found.segment.wire_len() as usize <= frame.len().max(1));
            assert!(found.segment.len > 0 || found.segment.kind != Kind::Raw);
        }
        mark(&mut frame);
    }
}

/// The checksum stays right, and only the mark changes.
#[test]
fn marks() {
    for ecn in [Ecn::Ect0, Ecn::Ect1, Ecn::Ce] {
        let before = tcp_frame(false, 10, ecn);
        let mut after = before.clone();
        mark(&mut after);
        let ip = ipv4::Packet::new_checked(&after[ETHERNET..]).unwrap();
        assert!(ip.verify_checksum() && ip.ecn() == 3 && ip.dscp() == 3);
        assert_eq!(before[ETHERNET + 12..], after[ETHERNET + 12..]);
        let mut six = tcp_frame(true, 10, ecn);
        mark(&mut six);
        assert_eq!(ipv6::Packet::new_checked(&six[ETHERNET..]).unwrap().ecn(), 3);
    }
}

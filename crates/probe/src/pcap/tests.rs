//! The file format, and an independent reader: tshark.

use std::process::Command;

use airtcp_packet::{Ecn, Flags, NO_WINDOW_SCALE, SackBlock, Seq};
use airtcp_units::Narrow;

use super::*;

/// Types of blocks.
const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const PACKET: u32 = 6;

const CLIENT: EndpointId = EndpointId::new(0, Side::Client);

fn segment(flags: Flags, seq: u32, ack: u32, len: u16) -> Segment {
    let mut s = Segment::default();
    (s.flags, s.seq, s.ack, s.len, s.window) = (flags, Seq(seq), Seq(ack), len, 4000);
    s
}

/// A small conversation as its client sees it: handshake with every option and ECN negotiation, data with
/// a hole that SACK reports, the retransmission, a mark, the close. Then events of other machines.
fn conversation() -> Vec<(u64, EventSource, Event)> {
    const MSS: u32 = 1448;
    let (client, server) = (1_000_000, 5_000_000);
    let mut out = Vec::new();
    let mut at = |us: u64, sent: bool, mut s: Segment, retransmission: bool| {
        if !s.flags.has(Flags::SYN) {
            s.window_scale = NO_WINDOW_SCALE;
        }
        let ms = u32::narrow(us / 1000);
        s.set_timestamps(100 + ms, ms);
        let event = if sent {
            Event::SegmentSent { segment: s, retransmission }
        } else {
            Event::SegmentReceived { segment: s }
        };
        out.push((us * 1000, EventSource::Endpoint(CLIENT), event));
    };
    let options = |mut s: Segment| {
        (s.mss, s.window_scale) = (1460, 7);
        s.set_sack_permitted();
        s
    };
    let syn = options(segment(Flags::SYN | Flags::ECE | Flags::CWR, client, 0, 0));
    at(0, true, syn, false);
    let answer = Flags::SYN | Flags::ACK | Flags::ECE;
    at(40_000, false, options(segment(answer, server, client + 1, 0)), false);
    at(40_001, true, segment(Flags::ACK, client + 1, server + 1, 0), false);
    let data = |n: u32, ecn| {
        let mut s =
            segment(Flags::ACK | Flags::PSH, client + 1 + n * MSS, server + 1, u16::narrow(MSS));
        s.ecn = ecn;
        s
    };
    for n in 0..6 {
        at(41_000 + u64::from(n) * 100, true, data(n, Ecn::Ect0), false);
    }
    at(80_000, false, segment(Flags::ACK, server + 1, client + 1 + 2 * MSS, 0), false);
    // Number 2 is missing; 3, 4 and 5 are reported.
    for n in 4..7 {
        let mut s = segment(Flags::ACK | Flags::ECE, server + 1, client + 1 + 2 * MSS, 0);
        let (start, end) = (Seq(client + 1 + 3 * MSS), Seq(client + 1 + n * MSS));
        s.push_sack(SackBlock { start, end });
        at(80_000 + u64::from(n) * 100, false, s, false);
    }
    let mut again = data(2, Ecn::NotEct);
    again.flags |= Flags::CWR;
    at(81_000, true, again, true);
    at(122_000, false, segment(Flags::ACK, server + 1, client + 1 + 6 * MSS, 0), false);
    let mut request = segment(Flags::ACK | Flags::PSH, server + 1, client + 1 + 6 * MSS, 333);
    request.ecn = Ecn::Ce;
    at(123_000, false, request, false);
    let fin = Flags::FIN | Flags::ACK;
    at(124_000, true, segment(fin, client + 1 + 6 * MSS, server + 334, 0), false);
    at(164_000, false, segment(fin, server + 334, client + 2 + 6 * MSS, 0), false);
    at(164_001, true, segment(Flags::ACK, client + 2 + 6 * MSS, server + 335, 0), false);
    out.extend(datagrams());
    out
}

/// Two datagrams of another flow, and events that a probe at the clients must not write.
fn datagrams() -> Vec<(u64, EventSource, Event)> {
    let mut out = Vec::new();
    let udp = EndpointId::new(1, Side::Client);
    for (n, len) in [(0, 1000), (1, 33)] {
        let segment = Segment::datagram(n, len);
        let event = Event::SegmentSent { segment, retransmission: false };
        out.push((200_000_000 + u64::from(n), EventSource::Endpoint(udp), event));
    }
    // An event at the other side, and an event of another kind.
    let elsewhere = Event::SegmentReceived { segment: Segment::datagram(0, 1000) };
    out.push((201_000_000, EventSource::Endpoint(udp.peer()), elsewhere));
    out.push((202_000_000, EventSource::Endpoint(udp), Event::FastRetransmit));
    out
}

fn capture(vantage: Vantage, snap: Option<u32>) -> (Vec<u8>, u64) {
    let mut probe = PcapProbe::new(Vec::new(), vantage, snap).unwrap();
    for (now, source, event) in conversation() {
        probe.record(Nanos(now), source, &event);
    }
    let packets = probe.packets();
    (probe.finish().unwrap(), packets)
}

/// Walks the blocks of a file: type and body of each.
fn blocks(mut file: &[u8]) -> Vec<(u32, Vec<u8>)> {
    let word = |b: &[u8], at: usize| u32::from_le_bytes(b[at..at + 4].try_into().unwrap());
    let mut out = Vec::new();
    while !file.is_empty() {
        let total = word(file, 4) as usize;
        assert_eq!(total % 4, 0);
        assert_eq!(word(file, total - 4) as usize, total, "the length stands at both ends");
        out.push((word(file, 0), file[8..total - 4].to_vec()));
        file = &file[total..];
    }
    out
}

#[test]
fn blocks_have_their_length_at_both_ends() {
    let (file, packets) = capture(Vantage::Side(Side::Client), None);
    let blocks = blocks(&file);
    let kinds: Vec<u32> = blocks.iter().map(|b| b.0).collect();
    assert_eq!(kinds[..2], [SECTION_HEADER, INTERFACE]);
    assert!(kinds[2..].iter().all(|k| *k == PACKET));
    assert_eq!((packets, kinds.len()), (21, 23));
    // The first packet: interface 0, time 0, 60 bytes kept of 60.
    assert_eq!(blocks[2].1[..20], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 60, 0, 0, 0, 60, 0, 0, 0]);
}

#[test]
fn a_vantage_point_records_its_own_segments() {
    let count = |vantage| capture(vantage, Some(40)).1;
    assert_eq!(count(Vantage::Endpoint(CLIENT)), 19);
    assert_eq!(count(Vantage::Endpoint(CLIENT.peer())), 0);
    assert_eq!(count(Vantage::Side(Side::Server)), 1);
}

#[test]
fn finish_returns_a_write_error() {
    struct Full(usize);
    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut probe = PcapProbe::new(Full(500), Vantage::Side(Side::Client), None).unwrap();
    for (now, source, event) in conversation() {
        probe.record(Nanos(now), source, &event);
    }
    assert!(probe.packets() < 20);
    assert_eq!(probe.finish().err().map(|e| e.kind()), Some(io::ErrorKind::StorageFull));
}

/// Fields of every packet as tshark reads them; `None` if it is not installed.
#[allow(clippy::print_stderr, reason = "a skipped test says so")]
fn tshark(file: &[u8], name: &str, fields: &[&str]) -> Option<Vec<Vec<String>>> {
    let path = std::env::temp_dir().join(format!("airtcp-{}-{name}.pcapng", std::process::id()));
    std::fs::write(&path, file).unwrap();
    let mut command = Command::new("tshark");
    command.arg("-r").arg(&path).args(["-T", "fields", "-E", "separator=|"]);
    command.args(["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]);
    command.args(["-o", "udp.check_checksum:TRUE", "-o", "tcp.analyze_sequence_numbers:TRUE"]);
    for field in fields {
        command.args(["-e", field]);
    }
    let output = command.output();
    let _ = std::fs::remove_file(&path);
    let Ok(output) = output else {
        eprintln!("skipped: tshark is not installed (apt-get install tshark)");
        return None;
    };
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(text.lines().map(|l| l.split('|').map(str::to_owned).collect()).collect())
}

#[test]
fn tshark_finds_no_errors() {
    let (file, packets) = capture(Vantage::Side(Side::Client), None);
    let fields = [
        "ip.checksum.status",
        "tcp.checksum.status",
        "udp.checksum.status",
        "_ws.expert.message",
        "_ws.malformed",
        "ip.dsfield.ecn",
        "tcp.analysis.retransmission",
        "frame.time_epoch",
    ];
    let Some(rows) = tshark(&file, "whole", &fields) else { return };
    assert_eq!(rows.len() as u64, packets);
    let mut retransmissions = 0;
    for (n, row) in rows.iter().enumerate() {
        assert_eq!(row[0], "1", "IP checksum of packet {}: {row:?}", n + 1);
        let transport = if n < 19 { &row[1] } else { &row[2] };
        assert_eq!(transport, "1", "transport checksum of packet {}: {row:?}", n + 1);
        assert_eq!(row[4], "", "packet {} is malformed", n + 1);
        // Notes on the course of a TCP connection are expected; anything else is an error.
        for note in row[3].split(',').filter(|note| !note.is_empty()) {
            let expected = [
                "Connection establish",
                "Connection finish",
                "This frame is a (suspected)",
                "Duplicate ACK",
                "This frame initiates",
                "This frame undergoes",
                "This session reuses",
            ];
            assert!(
                expected.iter().any(|e| note.trim().starts_with(e)),
                "packet {}: {note}",
                n + 1
            );
        }
        retransmissions += usize::from(!row[6].is_empty());
    }
    assert_eq!(retransmissions, 1);
    let ecn: Vec<&str> = rows.iter().map(|r| r[5].as_str()).collect();
    assert_eq!(ecn[3], "2", "ECT(0)");
    assert_eq!(ecn[15], "3", "the marked packet: {ecn:?}");
    assert_eq!(rows[19][7], "0.200000000");
    assert_eq!(rows[20][7], "0.200000001", "nanoseconds");
}

#[test]
fn tshark_reads_the_fields_back() {
    let (file, _) = capture(Vantage::Endpoint(CLIENT), Some(96));
    let fields = [
        "ip.src",
        "tcp.srcport",
        "ip.dst",
        "tcp.seq_raw",
        "tcp.len",
        "tcp.options.mss_val",
        "tcp.options.sack_le",
        "tcp.options.timestamp.tsval",
        "tcp.window_size",
        "frame.len",
        "frame.cap_len",
        "ip.id",
        "tcp.analysis.duplicate_ack_num",
    ];
    let Some(rows) = tshark(&file, "fields", &fields) else { return };
    let syn = ["10.0.0.1", "49152", "10.1.0.1", "1000000", "0", "1460", "", "100", "4000", "60"];
    assert_eq!(rows[0][..10], syn);
    assert_eq!(rows[1][0], "10.1.0.1");
    let scaled = (4000 << 7).to_string();
    let data = ["1000001", "1448", "", "", "141", scaled.as_str(), "1500", "96"];
    assert_eq!(rows[3][3..11], data);
    assert_eq!(rows[3][11], "0x0002", "third packet of the client");
    // The first SACK block begins after the hole; relative numbers count from the SYN.
    assert_eq!(rows[10][6], (1 + 3 * 1448).to_string());
    assert_eq!(rows[12][12], "3", "third duplicate acknowledgement");
}

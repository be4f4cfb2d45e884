//! What is written, as an independent reader reads it: tshark.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::net::{Ipv4Addr, Ipv6Addr};
use std::process::Command;

use airtcp_packet::{Ecn, Seq};
use airtcp_units::{Nanos, Narrow};
use airtcp_wire::checksum::{Addresses, Payload};
use airtcp_wire::ieee80211::{Kind, Mac, Qos, Repr, fcs, snap};
use airtcp_wire::pcapng::Pcapng;
use airtcp_wire::radiotap::{self, Channel, FCS_AT_END, Format, Modulation};
use airtcp_wire::tcp::{Flags, Options};
use airtcp_wire::{ipv4, ipv6, link_type, tcp, udp};

const PAYLOAD: [u8; 5] = *b"hello";

/// Fields of every packet as tshark reads them; `None` if it is not installed.
#[allow(clippy::print_stderr, reason = "a skipped test says so")]
fn tshark(link: u16, packets: &[Vec<u8>], fields: &[&str]) -> Option<Vec<Vec<String>>> {
    let mut file = Pcapng::new(Vec::new(), "a test").unwrap();
    let interface = file.interface_with_link_type(link, "test", 0).unwrap();
    for packet in packets {
        file.packet(interface, Nanos(1), packet, u32::narrow(packet.len())).unwrap();
    }
    let name = format!("airtcp-wire-{}-{link}.pcapng", std::process::id());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, file.finish().unwrap()).unwrap();
    let mut command = Command::new("tshark");
    command.arg("-r").arg(&path).args(["-T", "fields", "-E", "separator=|"]);
    for protocol in ["tcp", "udp", "ip", "wlan"] {
        command.args(["-o", &format!("{protocol}.check_checksum:TRUE")]);
    }
    for field in fields {
        command.args(["-e", field]);
    }
    let output = command.output();
    let _ = std::fs::remove_file(&path);
    let Ok(output) = output else {
        eprintln!("skipped: tshark is not installed (apt-get install tshark)");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.lines().map(|line| line.split('|').map(str::to_owned).collect()).collect())
}

/// TCP and UDP, each with the payload, over IPv4 and IPv6.
fn packets() -> Vec<Vec<u8>> {
    let ends = [Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 1, 0, 1)];
    let v4 = Addresses::V4(ends[0], ends[1]);
    let long = [Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1), Ipv6Addr::LOCALHOST];
    let v6 = Addresses::V6(long[0], long[1]);
    let tcp = tcp::Repr {
        source_port: 49_152,
        destination_port: 443,
        seq: Seq(7),
        ack: Seq(9),
        flags: Flags::ACK | Flags::PSH,
        window: 4000,
        options: Options {
            timestamps: Some((11, 12)),
            sack: [(20, 30)].into_iter().collect(),
            ..Options::default()
        },
        ..tcp::Repr::default()
    };
    let udp = udp::Repr { source_port: 5000, destination_port: 6000, payload_len: PAYLOAD.len() };
    let mut found = Vec::new();
    for (between, protocol) in [(v4, 6), (v4, 17), (v6, 6), (v6, 17)] {
        let header = if protocol == 6 { tcp.buffer_len() } else { udp.buffer_len() };
        let payload_len = header + PAYLOAD.len();
        let mut out = Vec::new();
        match between {
            Addresses::V4(source, destination) => ipv4::Repr {
                source,
                destination,
                protocol,
                hop_limit: 64,
                dscp: 46,
                ecn: Ecn::Ect0,
                ident: 77,
                dont_fragment: true,
                more_fragments: false,
                frag_offset: 0,
                payload_len,
            }
            .emit(&mut out),
            Addresses::V6(source, destination) => ipv6::Repr {
                source,
                destination,
                next_header: protocol,
                hop_limit: 64,
                dscp: 46,
                ecn: Ecn::Ect0,
                flow_label: 0x1_2345,
                payload_len,
            }
            .emit(&mut out),
        }
        match protocol {
            6 => tcp.emit(&mut out, &between, Payload::of(&PAYLOAD)),
            _ => udp.emit(&mut out, &between, Payload::of(&PAYLOAD)),
        }
        out.extend(PAYLOAD);
        found.push(out);
    }
    found
}

#[test]
fn checksums_over_both_versions_of_ip() {
    let fields = [
        "ip.checksum.status",
        "tcp.checksum.status",
        "udp.checksum.status",
        "tcp.len",
        "udp.length",
        "ip.dsfield.dscp",
        "ipv6.tclass.dscp",
        "ipv6.tclass.ecn",
        "ipv6.flow",
        "tcp.options.sack_re",
        "tcp.options.timestamp.tsecr",
        "_ws.malformed",
    ];
    let Some(rows) = tshark(link_type::RAW, &packets(), &fields) else { return };
    let rows: Vec<Vec<&str>> =
        rows.iter().map(|r| r.iter().map(String::as_str).collect()).collect();
    assert_eq!(rows[0][..6], ["1", "1", "", "5", "", "46"]);
    assert_eq!(rows[1][..6], ["1", "", "1", "", "13", "46"]);
    assert_eq!(rows[2][..9], ["", "1", "", "5", "", "", "46", "2", "0x012345"]);
    assert_eq!(rows[3][..9], ["", "", "1", "", "13", "", "46", "2", "0x012345"]);
    // Relative to the first sequence number of the direction, or as it is.
    assert_eq!(rows[0][10], "12");
    assert!(rows.iter().all(|row| row[11].is_empty()), "{rows:?}");
}

/// A data frame of each generation, sent to an access point, with its frame check sequence.
fn frames() -> [Vec<u8>; 4] {
    let modulation = |format, index, streams| Modulation {
        format,
        index,
        streams,
        width_mhz: 20,
        guard_ns: 800,
        ldpc: true,
        ru_tones: None,
    };
    let kinds = [
        None,
        Some(modulation(Format::Ht, 3, 2)),
        Some(modulation(Format::Vht, 5, 1)),
        Some(modulation(Format::He, 7, 1)),
    ];
    let station = |n| Mac([2, 0, 0, 0, 0, n]);
    let mut frame = Vec::new();
    Repr {
        to_ds: true,
        retry: true,
        duration: 44,
        transmitter: Some(station(1)),
        third: Some(station(2)),
        sequence: Some(0x123),
        fragment: 0,
        qos: Some(Qos { tid: 5, ack_policy: 0, is_amsdu: false }),
        ..Repr::new(Kind::Data, station(0))
    }
    .emit(&mut frame);
    frame.extend(snap(0x0800));
    frame.extend(&packets()[0]);
    frame.extend(fcs(&frame).to_le_bytes());
    kinds.map(|kind| {
        let mut header = radiotap::Repr {
            tsft_us: Some(1020),
            flags: Some(FCS_AT_END),
            channel: Some(Channel { frequency_mhz: 5180, flags: Channel::OFDM | Channel::GHZ_5 }),
            signal_dbm: Some(-60),
            antenna: Some(1),
            ..radiotap::Repr::default()
        };
        match kind {
            Some(modulation) => header.set_modulation(&modulation),
            None => header.rate = Some(108),
        }
        let mut out = Vec::new();
        header.emit(&mut out);
        out.extend(&frame);
        out
    })
}

#[test]
fn frames_behind_radiotap_headers() {
    let fields = [
        "wlan.fcs.status",
        "wlan.ta",
        "wlan.seq",
        "wlan.qos.tid",
        "wlan.fc.retry",
        "radiotap.dbm_antsignal",
        "radiotap.channel.freq",
        "tcp.checksum.status",
        "wlan_radio.phy",
        "wlan_radio.data_rate",
        "_ws.malformed",
    ];
    let Some(rows) = tshark(link_type::RADIOTAP, &frames(), &fields) else { return };
    // Numbers of tshark for 802.11a, n, ac and ax.
    let expected = [("5", "54"), ("7", "52"), ("8", "52"), ("11", "86")];
    for (row, (phy, rate)) in rows.iter().zip(expected) {
        let common = ["1", "02:00:00:00:00:01", "291", "5"];
        assert_eq!(row[..4], common, "{row:?}");
        assert!(["1", "True"].contains(&row[4].as_str()), "{row:?}");
        assert_eq!(row[5..9], ["-60", "5180", "1", phy], "{row:?}");
        assert!(row[9].starts_with(rate), "{row:?}");
        assert_eq!(row[10], "", "{row:?}");
    }
    assert_eq!(rows.len(), 4);
}

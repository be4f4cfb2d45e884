//! The analysis of 802.11 against captures whose truth is known (`data/README.md`), against tshark's
//! counts of public captures, and on damaged input.

#![allow(clippy::unwrap_used, reason = "a test reports by panicking")]
#![allow(clippy::print_stdout, reason = "a skipped test has to say so")]

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use airtcp_capture::air::Sniffer;
use airtcp_capture::air::report::LinkReport;
use airtcp_capture::read::{Input, Packet, Packets};
use airtcp_capture::tcp::TrackerLimits;
use airtcp_capture::{CaptureReport, analyse};
use airtcp_wire::link_type;
use proptest::collection::vec;
use proptest::prelude::*;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn report(path: &Path) -> CaptureReport {
    let limits = TrackerLimits::default();
    analyse(&[path.to_owned()], limits, |_, _| ControlFlow::Continue(())).unwrap()
}

/// What happened on a link.
struct Truth {
    transmitter: String,
    receiver: String,
    attempts: f64,
    captured: u64,
    damaged: u64,
    acknowledged: f64,
    packets: f64,
    given_up: f64,
}

fn truths(name: &str) -> Vec<Truth> {
    let text = fs::read_to_string(folder(name).join("truth.csv")).unwrap();
    let truth = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |at: usize| fields[at].parse::<f64>().unwrap();
        Truth {
            transmitter: fields[0].to_owned(),
            receiver: fields[1].to_owned(),
            attempts: number(2),
            captured: fields[3].parse().unwrap(),
            damaged: fields[4].parse().unwrap(),
            acknowledged: number(5),
            packets: number(6),
            given_up: number(7),
        }
    };
    text.lines().skip(1).map(truth).collect()
}

fn near(what: &str, found: Option<f64>, truth: f64, tolerance: f64) {
    let found = found.unwrap_or(f64::NAN);
    assert!((found - truth).abs() <= tolerance, "{what}: {found} instead of {truth}");
}

#[test]
fn losses_of_labelled_captures() {
    for name in ["air-single", "air-aggregated", "air-given-up"] {
        let report = report(&folder(name).join("monitor.pcap.gz"));
        let truths = truths(name);
        assert_eq!(report.links.len(), truths.len(), "{name}");
        for truth in truths {
            let is_it = |link: &&LinkReport| {
                link.transmitter == truth.transmitter && link.receiver == truth.receiver
            };
            let link = report.links.iter().find(is_it).unwrap();
            let what = |figure: &str| format!("{name}, {} {figure}", link.transmitter);
            assert_eq!(link.attempts, truth.captured, "{}", what("attempts"));
            assert_eq!(link.sniffer.damaged, truth.damaged, "{}", what("damaged"));
            assert_eq!(link.frequency_mhz, Some(5180), "{}", what("frequency"));
            let raw = 1.0 - truth.acknowledged / truth.attempts;
            near(&what("raw loss"), link.raw_loss, raw, 0.01);
            let residual = truth.given_up / truth.packets;
            near(&what("residual loss"), link.residual_loss, residual, 0.01);
            let mean = truth.attempts / truth.packets;
            near(&what("mean attempts"), link.mean_attempts, mean, 0.02 * mean);
            let missed = truth.attempts - truth.captured as f64;
            near(&what("misses"), Some(link.sniffer_misses as f64), missed, 2.0);
            let shares: f64 = link.rates.iter().map(|rate| rate.share).sum();
            near(&what("shares"), Some(shares), 1.0, 1e-9);
        }
    }
}

#[test]
fn each_packet_of_the_air_is_one_segment() {
    let report = report(&folder("air-single").join("monitor.pcap.gz"));
    // The transfer and the connection that controls it.
    assert_eq!(report.tcp.connections.len(), 2);
    let packets: u64 = report.links.iter().map(|link| link.packets).sum();
    let segments = report.files[0].tcp_segments;
    // Damaged attempts and a few other packets have no segment; retries have none of their own.
    assert!(segments <= packets && segments * 10 >= packets * 9, "{segments} of {packets}");
    let air = report.air.unwrap();
    assert_eq!(air.frames.data, report.links.iter().map(|link| link.attempts).sum::<u64>());
    assert_eq!(air.frames.unreadable, 0);
    let share: f64 = air.stations.iter().filter_map(|station| station.airtime_share).sum();
    assert!(share > 0.0 && share < 1.0, "{share}");
}

/// Data, data without body, acknowledgements, block acknowledgements, beacons, other management, as
/// tshark 4.0.17 counts them (`wlan.fc.type_subtype`).
const PUBLIC: [(&str, [u64; 6]); 35] = [
    ("aircrack-80211/80211ad_beacon.pcap.gz", [0, 0, 0, 0, 0, 0]),
    ("aircrack-80211/capture_wds-01.cap.gz", [50, 1, 75, 0, 1, 10]),
    ("aircrack-80211/n-02.cap.gz", [85, 16, 49, 3, 1, 52]),
    ("aircrack-80211/pmkid-not-recognized.cap.gz", [2575, 325, 6858, 613, 1, 7889]),
    ("aircrack-80211/test1.pcap.gz", [45, 0, 0, 0, 1, 146]),
    ("aircrack-80211/wep.shared.key.authentication.cap.gz", [0, 0, 6, 0, 1, 6]),
    ("aircrack-80211/wep_64_ptw_01.cap.gz", [2551, 0, 2549, 0, 0, 0]),
    ("aircrack-80211/wpa-psk-linksys.cap.gz", [63, 202, 205, 0, 98, 19]),
    ("aircrack-80211/wpa.cap.gz", [6, 0, 6, 0, 1, 0]),
    ("aircrack-80211/wpa3-psk.pcap.gz", [4, 0, 11, 0, 1, 8]),
    ("monitor-80211-air/80211-icmp.part1.pcap.gz", [657, 63, 205, 181, 284, 79]),
    ("monitor-80211-air/80211-sample.pcap.gz", [18, 15, 14, 29, 57, 0]),
    ("monitor-80211-air/80211-sample2.pcap.gz", [2, 9, 20, 1169, 50, 17]),
    ("monitor-80211-air/sample.pcap.gz", [0, 0, 0, 0, 20, 0]),
    ("tcpdump-80211/ieee802.11_exthdr.pcap", [0, 2, 8, 0, 0, 16]),
    ("tcpdump-80211/ieee802.11_htc.pcap", [1, 0, 0, 0, 0, 0]),
    ("tcpdump-80211/ieee802.11_meshhdr-oobr.pcap", [0, 0, 0, 0, 0, 0]),
    ("tcpdump-80211/ieee802.11_meshid.pcap", [0, 0, 0, 0, 1, 2]),
    ("tcpdump-80211/ieee802.11_rates_oobr.pcap", [0, 0, 0, 0, 0, 0]),
    ("tcpdump-80211/ieee802.11_rx-stbc.pcap", [3, 0, 0, 0, 0, 0]),
    ("tcpdump-80211/radiotap-heapoverflow.pcap", [0, 0, 0, 0, 0, 0]),
    ("wireshark-80211/owe.pcapng.gz", [14, 0, 0, 0, 77, 16]),
    ("wireshark-80211/wep.pcapng.gz", [10, 0, 0, 0, 3, 6]),
    ("wireshark-80211/wpa-Induction.pcap.gz", [285, 0, 191, 0, 398, 44]),
    ("wireshark-80211/wpa-eap-tls.pcap.gz", [86, 0, 0, 0, 0, 0]),
    ("wireshark-80211/wpa-gcmp.pcapng.gz", [19, 0, 0, 0, 14, 9]),
    ("wireshark-80211/wpa-test-decode-tdls.pcap.gz", [16, 0, 0, 0, 0, 8]),
    ("wireshark-80211/wpa-test-decode.pcap.gz", [938, 150, 0, 0, 3106, 80]),
    ("wireshark-80211/wpa2-ft-psk.pcapng.gz", [21, 0, 0, 0, 4, 8]),
    ("wireshark-80211/wpa3-suiteb-192.pcapng.gz", [27, 0, 46, 0, 2, 22]),
    ("iot-wlan-80211/iot-wlan.frames1-6500.pcap.gz", [2483, 808, 2211, 0, 883, 83]),
    ("ppa-captures/3e80211_wepauth.pcapng", [0, 1, 0, 0, 1, 6]),
    ("ppa-captures/3e80211_wpaauth.pcapng", [5, 0, 0, 0, 1, 6]),
    ("ppa-captures/80211beacon.pcapng", [0, 0, 0, 0, 1, 0]),
    ("ppa-captures/SuccessfulWEPAuth.pcap", [2, 1, 7, 0, 1, 6]),
];

#[test]
fn counts_of_public_captures() {
    let Some(root) = std::env::var_os("AIRTCP_DATA") else {
        println!("skipped: AIRTCP_DATA is not set, the public captures are not read");
        return;
    };
    for (file, expected) in PUBLIC {
        let report = report(&Path::new(&root).join(file));
        let frames = report.air.unwrap_or_default().frames;
        let found = [
            frames.data,
            frames.null_data,
            frames.ack,
            frames.block_ack,
            frames.beacon,
            frames.other_management,
        ];
        assert_eq!(found, expected, "{file}");
        let warned = report.files[0].warnings.iter().any(|w| w.contains("cut off or malformed"));
        assert!(warned || frames.unreadable == 0, "{file}");
        for link in &report.links {
            for loss in [link.raw_loss, link.residual_loss].into_iter().flatten() {
                assert!((0.0..=1.0).contains(&loss), "{file}: {link:?}");
            }
        }
    }
}

/// Attempts and packets of links in public captures, as a script counts them from tshark's fields: a
/// packet goes on if a frame has the retry bit, and the same sequence number, traffic identifier and
/// fragment number as a frame at most a second before.
const LINKS_OF_PUBLIC: [(&str, &str, &str, [u64; 2]); 4] = [
    (
        "iot-wlan-80211/iot-wlan.frames1-6500.pcap.gz",
        "40:f0:2f:a2:05:b2",
        "24:f5:a2:72:d2:e4",
        [656, 397],
    ),
    (
        "iot-wlan-80211/iot-wlan.frames1-6500.pcap.gz",
        "24:f5:a2:72:d2:e4",
        "40:f0:2f:a2:05:b2",
        [797, 777],
    ),
    (
        "monitor-80211-air/80211-icmp.part1.pcap.gz",
        "28:27:bf:ef:3f:6c",
        "90:9f:33:9a:47:36",
        [210, 206],
    ),
    ("wireshark-80211/wpa-Induction.pcap.gz", "00:0c:41:82:b2:55", "00:0d:93:82:36:3a", [81, 72]),
];

#[test]
fn attempts_of_public_captures() {
    let Some(root) = std::env::var_os("AIRTCP_DATA") else {
        println!("skipped: AIRTCP_DATA is not set, the public captures are not read");
        return;
    };
    for (file, transmitter, receiver, expected) in LINKS_OF_PUBLIC {
        let report = report(&Path::new(&root).join(file));
        let is_it =
            |link: &&LinkReport| link.transmitter == transmitter && link.receiver == receiver;
        let link = report.links.iter().find(is_it).unwrap();
        assert_eq!([link.attempts, link.packets], expected, "{file}, {transmitter}");
    }
}

/// The packets of a capture.
fn packets(path: &Path) -> Vec<(u64, Vec<u8>)> {
    let mut found = Vec::new();
    let mut packets = Packets::new(Input::open(path).unwrap()).unwrap();
    packets.read(|packet| {
        found.push((packet.time_ns, packet.data.to_vec()));
        ControlFlow::Continue(())
    });
    found
}

const LINKS: [u16; 5] =
    [link_type::IEEE802_11, link_type::RADIOTAP, link_type::PRISM, link_type::AVS, link_type::PPI];

fn feed(sniffer: &mut Sniffer, link_type: u16, time_ns: u64, wire_len: u32, data: &[u8]) {
    let interface = u32::from(data.len().is_multiple_of(3));
    sniffer.on_packet(
        &Packet { time_ns, is_timed: true, link_type, interface, wire_len, data },
        |_, _| {},
    );
}

proptest! {
    /// Bytes of any kind, also behind a valid radiotap header, end in a report.
    #[test]
    fn bytes_of_any_kind(
        frames in vec((0..5usize, any::<u64>(), any::<u32>(), vec(any::<u8>(), 0..200)), 0..40),
    ) {
        let mut sniffer = Sniffer::default();
        for (link, time_ns, wire_len, data) in frames {
            feed(&mut sniffer, LINKS[link], time_ns, wire_len, &data);
            let mut behind = vec![0, 0, 8, 0, 0, 0, 0, 0];
            behind.extend(&data);
            feed(&mut sniffer, link_type::RADIOTAP, time_ns, wire_len, &behind);
        }
        let (_, links) = sniffer.finish();
        for loss in links.iter().filter_map(|link| link.raw_loss) {
            prop_assert!((0.0..=1.0).contains(&loss));
        }
    }

    /// Frames of a real exchange with bytes changed and ends cut off, in any order.
    #[test]
    fn damaged_frames(changes in vec((0..400usize, 0..180usize, any::<u8>(), 0..200usize), 1..300)) {
        let frames = packets(&folder("air-aggregated").join("monitor.pcap.gz"));
        let mut sniffer = Sniffer::default();
        for (number, place, value, cut) in changes {
            let (time_ns, mut data) = frames[number % frames.len()].clone();
            let place = place % data.len();
            data[place] = value;
            data.truncate(cut.max(place));
            feed(&mut sniffer, link_type::RADIOTAP, time_ns, 1500, &data);
        }
        let (air, links) = sniffer.finish();
        prop_assert!(air.is_some());
        for link in links {
            for loss in [link.raw_loss, link.residual_loss].into_iter().flatten() {
                prop_assert!((0.0..=1.0).contains(&loss), "{link:?}");
            }
        }
    }
}

/// Data from ever new transmitters: the memory is bounded, and the report says what was left out.
#[test]
fn a_flood_of_transmitters() {
    let mut sniffer = Sniffer::default();
    for number in 0..10_000u32 {
        let mut frame = vec![0x88, 1, 0, 0, 2, 0, 0, 0, 0, 1, 2, 9];
        frame.extend(number.to_be_bytes());
        frame.extend([2, 0, 0, 0, 0, 3, 0x10, 0, 0, 0, 1, 2, 3]);
        let time_ns = u64::from(number) * 1_000_000;
        feed(&mut sniffer, link_type::IEEE802_11, time_ns, 29, &frame);
    }
    let (air, links) = sniffer.finish();
    let air = air.unwrap();
    assert_eq!(links.len(), 10_000);
    assert!(air.evicted_links >= 10_000 - 4096, "{}", air.evicted_links);
    assert_eq!(air.omitted_links, 0);
}

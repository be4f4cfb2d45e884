//! Captures of the air joined with captures of hosts, and delivery traces, on simulated cells whose
//! counters are known (`data/README.md`).

#![allow(clippy::unwrap_used, reason = "a test reports by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use airtcp_capture::air::report::Pattern;
use airtcp_capture::delivery::{DeliveryTrace, Unit, write};
use airtcp_capture::join::report::{Fate, JoinedReport, PacketReport, TimeoutCause};
use airtcp_capture::read::{Input, Packets};
use airtcp_capture::tcp::TrackerLimits;
use airtcp_capture::{Examination, Points, Wanted, examine, points};
use airtcp_trace::reader::{ReadOptions, read_links};

fn file(name: &str, end: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    folder.join(format!("joined-{name}")).join(end)
}

/// A file of this test, which another test does not use.
fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("airtcp-joined-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

/// A copy of a capture whose clock has an offset in ns and a drift in 10^-6.
fn shifted(path: &Path, name: &str, offset_ns: i64, ppm: f64) -> PathBuf {
    let mut bytes = Vec::new();
    for word in [0xa1b2_3c4du32, 0x0004_0002, 0, 0, 65_535] {
        bytes.extend(word.to_le_bytes());
    }
    let (mut link, mut first, mut records) = (0u16, None, Vec::new());
    let mut packets = Packets::new(Input::open(path).unwrap()).unwrap();
    packets.read(|packet| {
        link = packet.link_type;
        let begin = *first.get_or_insert(packet.time_ns);
        let since = (packet.time_ns - begin) as f64;
        #[allow(clippy::cast_possible_truncation, reason = "times of a few seconds")]
        let drift = (since * ppm / 1e6).round() as i64;
        let ns = 1_000_000_000_000u64 + packet.time_ns;
        let ns = ns.checked_add_signed(offset_ns + drift).unwrap();
        let captured = u32::try_from(packet.data.len()).unwrap();
        let second = u32::try_from(ns / 1_000_000_000).unwrap();
        let rest = u32::try_from(ns % 1_000_000_000).unwrap();
        for word in [second, rest, captured, packet.wire_len] {
            records.extend(word.to_le_bytes());
        }
        records.extend(packet.data);
        ControlFlow::Continue(())
    });
    bytes.extend(u32::from(link).to_le_bytes());
    bytes.extend(records);
    let place = scratch(name);
    fs::write(&place, bytes).unwrap();
    place
}

fn found(air: &Path, host: &Path) -> Examination {
    // The link types show which is which.
    let taken = points(&[host.to_owned(), air.to_owned()]).unwrap();
    assert!(taken.is_joined());
    let wanted = Wanted { packets: true, traces: true };
    examine(&taken, wanted, TrackerLimits::default(), |_, _| ControlFlow::Continue(())).unwrap()
}

fn joined(air: &Path, host: &Path) -> JoinedReport {
    found(air, host).report.joined.unwrap()
}

/// The counters of the run, and the timeouts with what had happened on the air before.
struct Truth {
    numbers: BTreeMap<String, f64>,
    timeouts: Vec<(u32, bool)>,
    /// Sequence numbers of segments that were sent once, and their waits for the first attempt in s.
    waits: Vec<(u32, f64)>,
}

fn truth(name: &str) -> Truth {
    let text = fs::read_to_string(file(name, "truth.csv")).unwrap();
    let mut truth = Truth { numbers: BTreeMap::new(), timeouts: Vec::new(), waits: Vec::new() };
    for line in text.lines().skip(1) {
        let (what, value) = line.split_once(',').unwrap();
        let sequence = || what.split(' ').nth(2).unwrap().parse().unwrap();
        if what.starts_with("timeout ") {
            truth.timeouts.push((sequence(), value == "delivered"));
        } else if what.starts_with("wait ") {
            truth.waits.push((sequence(), value.parse().unwrap()));
        } else {
            truth.numbers.insert(what.to_owned(), value.parse().unwrap());
        }
    }
    truth
}

fn near(what: &str, found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{what}: {found} instead of {expected}");
}

#[test]
fn queueing_attempts_and_drops_are_those_of_the_run() {
    for (name, offset_ms, ppm) in [("clean", -7_250, 40.0), ("lossy", 90, -60.0), ("stall", 0, 0.0)]
    {
        let truth = truth(name);
        let number = |key: &str| truth.numbers[key];
        let air = shifted(&file(name, "air.pcap.gz"), &format!("{name}-air"), 0, 0.0);
        let place = format!("{name}-host");
        let host = shifted(&file(name, "host.pcap.gz"), &place, offset_ms * 1_000_000, ppm);
        let report = joined(&air, &host);
        let host = &report.hosts[0];
        let clock = host.clock.as_ref().unwrap();
        let uncertainty = clock.uncertainty_s.unwrap();
        assert!(uncertainty < 0.001, "{name}: {clock:?}");
        near(name, clock.offset_s, -(offset_ms as f64) / 1e3, uncertainty);
        assert!(clock.contradiction_s < 1e-5, "{name}: {clock:?}");
        // The station sends to its access point.
        let link = host.links.iter().find(|link| link.is_sent).unwrap();
        near(name, host.sent_not_on_air as f64, number("queue_drops"), 0.0);
        let attempts: f64 = link
            .packets_by_attempts
            .iter()
            .zip(1u32..)
            .map(|(n, k)| *n as f64 * f64::from(k))
            .sum();
        near(name, attempts, number("attempts"), 2.0);
        near(name, link.lost_on_link as f64, number("given_up"), 0.0);
        // The run counts the attempts of delivered packets; the others had the most attempts.
        let most = link.packets_by_attempts.len() as f64;
        let lost = link.lost_on_link as f64;
        let mean = (attempts - most * lost) / (link.packets as f64 - lost);
        if lost > 0.0 {
            near(name, mean, number("attempts_mean"), 0.002);
        }
        for (sequence, wait) in &truth.waits {
            let is_it = |packet: &&PacketReport| packet.sequence == *sequence && packet.length > 0;
            let packet = report.packets.iter().find(is_it).unwrap();
            near(
                &format!("{name} {sequence}"),
                packet.queueing_s.unwrap(),
                *wait,
                uncertainty + 2e-6,
            );
        }
        assert!(truth.waits.len() > 50, "{name}");
        let waits: f64 = link.queueing_s.samples as f64;
        assert!(waits >= 0.99 * link.packets as f64, "{name}");
    }
}

#[test]
fn each_packet_keeps_its_frames_whatever_the_clocks() {
    let air = shifted(&file("clean", "air.pcap.gz"), "same-air", 0, 0.0);
    let plain = shifted(&file("clean", "host.pcap.gz"), "same-host", 0, 0.0);
    let moved = shifted(&file("clean", "host.pcap.gz"), "moved-host", 3_600_000_000_000, 80.0);
    let (plain, moved) = (joined(&air, &plain), joined(&air, &moved));
    let (a, b) = (&plain.packets, &moved.packets);
    assert_eq!(a.len(), b.len());
    let clocks = [&plain, &moved].map(|report| report.hosts[0].clock.clone().unwrap());
    let allowed = clocks.iter().map(|clock| clock.uncertainty_s.unwrap()).sum::<f64>() + 1e-6;
    for (a, b) in a.iter().zip(b) {
        assert_eq!((a.sequence, a.attempts, a.fate), (b.sequence, b.attempts, b.fate));
        if let (Some(a), Some(b)) = (a.queueing_s, b.queueing_s) {
            near("queueing", b, a, allowed);
        }
    }
    near("drift", clocks[1].drift_ppm, -80.0, clocks[1].drift_uncertainty_ppm);
    near("offset", clocks[1].offset_s, -3600.0, clocks[1].uncertainty_s.unwrap());
}

#[test]
fn causes_of_timeouts_are_those_of_the_run() {
    for name in ["lossy", "stall"] {
        let truth = truth(name);
        let report = joined(&file(name, "air.pcap.gz"), &file(name, "host.pcap.gz"));
        near(name, report.timeouts.len() as f64, truth.numbers["timeouts"], 0.0);
        for timeout in &report.timeouts {
            // A timeout is of a segment that was delivered before it, or of one that was not.
            let place = report.timeouts.iter().filter(|t| t.sequence == timeout.sequence);
            let earlier = place.filter(|t| t.time_s < timeout.time_s).count();
            let mut same = truth.timeouts.iter().filter(|(s, _)| *s == timeout.sequence);
            let (_, delivered) = same.nth(earlier).unwrap();
            let is_spurious = matches!(
                timeout.cause,
                TimeoutCause::SlowPacket
                    | TimeoutCause::StuckBehindOthers
                    | TimeoutCause::Acknowledgement
            );
            assert_eq!(is_spurious, *delivered, "{name}: {timeout:?}");
            let lost = timeout.cause == TimeoutCause::LostOnLink;
            assert_eq!(lost, !delivered, "{name}: {timeout:?}");
            let given_up = timeout.copies.iter().any(|copy| copy.fate == Some(Fate::LostOnLink));
            assert!(given_up || !lost, "{name}: {timeout:?}");
        }
        let causes = report.timeout_causes;
        assert_eq!(causes.unknown + causes.not_on_air, 0, "{name}: {causes:?}");
    }
}

fn attempts_of(traces: &[DeliveryTrace], from: &str) -> DeliveryTrace {
    let is_it = |trace: &&DeliveryTrace| trace.unit == Unit::Attempt && trace.from == from;
    traces.iter().find(is_it).unwrap().clone()
}

#[test]
fn delivery_traces_are_read_back_with_the_loss_of_the_run() {
    for name in ["clean", "lossy"] {
        let truth = truth(name);
        let found = found(&file(name, "air.pcap.gz"), &file(name, "host.pcap.gz"));
        let trace = attempts_of(&found.traces, "02:00:00:00:00:01");
        near(name, trace.outcomes.len() as f64, truth.numbers["attempts"], 2.0);
        // One table with all links, and a folder with a file for each.
        let table = scratch(&format!("{name}.csv"));
        write(&found.traces, &table, true).unwrap();
        assert!(write(&found.traces, &table, false).is_err());
        let links = read_links(&table, &ReadOptions::default()).unwrap();
        assert_eq!(links.len(), found.traces.len(), "{name}");
        let folder = scratch(&format!("{name}-links"));
        fs::create_dir_all(&folder).unwrap();
        let files = write(&found.traces, &folder, true).unwrap();
        for (trace, file) in found.traces.iter().zip(files) {
            let read = read_links(&file, &ReadOptions::default()).unwrap();
            let outcomes: Vec<bool> = trace.outcomes.iter().map(|(_, arrived)| *arrived).collect();
            assert_eq!(read[0].outcomes.iter().collect::<Vec<bool>>(), outcomes, "{name}");
            assert!(read[0].interval.is_some());
        }
        let arrived = trace.outcomes.iter().filter(|(_, arrived)| *arrived).count() as f64;
        let link = found.report.links.iter().find(|l| l.transmitter == trace.from).unwrap();
        let loss = 1.0 - arrived / trace.outcomes.len() as f64;
        near(name, loss, link.raw_loss.unwrap(), 0.01);
    }
}

/// The first copies that a host's capture shows as lost are those that the link gave up, or that the
/// queue dropped.
#[test]
fn the_trace_of_segments_agrees_with_the_air() {
    let name = "clean";
    let found = found(&file(name, "air.pcap.gz"), &file(name, "host.pcap.gz"));
    let trace = found.traces.iter().find(|trace| trace.unit == Unit::Segment).unwrap();
    let lost = trace.outcomes.iter().filter(|(_, arrived)| !*arrived).count() as f64;
    let truth = truth(name);
    // Of the packets that were given up, some are retransmissions and one or two have no payload.
    let most = truth.numbers["given_up"] + truth.numbers["queue_drops"];
    assert!(lost <= most && lost >= 0.9 * most, "{lost} of {most}");
}

#[test]
fn the_period_of_an_oven_is_found() {
    let taken = |name: &str| {
        let air = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
        let points = Points { air: vec![air], ..Points::default() };
        let wanted = Wanted::default();
        examine(&points, wanted, TrackerLimits::default(), |_, _| ControlFlow::Continue(()))
            .unwrap()
            .report
            .links
    };
    // The oven reaches the access point for half of each period of 60 Hz, not the station.
    let links = taken("air-oven/monitor.pcap.gz");
    let up = links.iter().find(|link| link.transmitter == "02:00:00:00:00:01").unwrap();
    assert_eq!(up.loss_periods.len(), 1, "{:?}", up.loss_periods);
    assert_eq!(up.loss_periods[0].pattern, Pattern::Mains60Hz);
    let [worse, better] = up.loss_periods[0].loss_by_half;
    assert!(worse > 0.9 && better < 0.3, "{:?}", up.loss_periods);
    // Cells without interferers have none.
    for name in
        ["joined-clean/air.pcap.gz", "joined-lossy/air.pcap.gz", "air-single/monitor.pcap.gz"]
    {
        for link in taken(name) {
            assert!(link.loss_periods.is_empty(), "{name}: {:?}", link.loss_periods);
        }
    }
}

#[test]
fn captures_that_do_not_belong_together() {
    let report = joined(&file("clean", "air.pcap.gz"), &file("lossy", "host.pcap.gz"));
    assert_eq!(report.hosts[0].clock, None);
    assert!(report.hosts[0].links.is_empty() && report.packets.is_empty());
    // Without a capture of the air there is nothing to join.
    let points = Points { hosts: vec![file("lossy", "host.pcap.gz")], ..Points::default() };
    let wanted = Wanted::default();
    let found =
        examine(&points, wanted, TrackerLimits::default(), |_, _| ControlFlow::Continue(()));
    assert_eq!(found.unwrap().report.joined, None);
}

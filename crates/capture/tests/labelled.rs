//! The analysis against captures of a real kernel whose truth is known (`data/README.md`).

#![allow(clippy::unwrap_used, reason = "a test reports by panicking")]

mod truth;

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;

use airtcp_capture::tcp::report::{ConnectionReport, DirectionReport};
use airtcp_capture::tcp::{Cause, TrackerLimits};
use airtcp_capture::{CaptureReport, analyse};
use truth::{TRANSFERS, folder, truth};

fn report(name: &str, end: &str) -> CaptureReport {
    let path = folder(name).join(format!("{end}.pcap.gz"));
    let limits = TrackerLimits::default();
    analyse(&[path], limits, |_, _| ControlFlow::Continue(())).unwrap()
}

fn port(connection: &ConnectionReport) -> &str {
    connection.client.rsplit(':').next().unwrap()
}

/// The client's directions, by the client's port.
fn uploads(report: &CaptureReport) -> BTreeMap<&str, &DirectionReport> {
    report.tcp.connections.iter().map(|c| (port(c), &c.directions[0])).collect()
}

fn class(cause: Cause) -> &'static str {
    match cause {
        Cause::Fast => "fast",
        Cause::Timeout | Cause::AfterTimeout => "loss",
        Cause::TailLossProbe => "probe",
        Cause::Unknown => "unknown",
    }
}

/// At the sender the number of retransmissions is exact, nothing is out of order, at least 95 % of the
/// causes and every spurious retransmission are right.
#[test]
fn at_the_sender() {
    let (mut all, mut right) = (0, 0);
    for name in TRANSFERS {
        let truth = truth(name);
        let report = report(name, "sender");
        let uploads = uploads(&report);
        for (port, direction) in &uploads {
            let of_port = || truth.sent.iter().filter(|sent| sent.port == **port);
            assert_eq!(direction.retransmitted_segments, of_port().count() as u64, "{name} {port}");
            assert_eq!(direction.out_of_order, 0, "{name}");
            assert_eq!(direction.network_duplicates, 0, "{name}");
            assert_eq!(direction.capture_losses, 0, "{name}");
            let mut found: BTreeMap<u32, Vec<_>> = BTreeMap::new();
            for event in direction.events.iter().rev() {
                found.entry(event.sequence).or_default().push(event);
            }
            for sent in of_port() {
                let event = found.get_mut(&sent.sequence).and_then(Vec::pop);
                let event = event.unwrap_or_else(|| panic!("{name}: {} is missing", sent.sequence));
                // If the link duplicates a segment that was sent again, the receiver reports it as received
                // twice, as if the original had arrived.
                let duplicated = truth.duplicated > 0 && event.evidence.dsack;
                assert!(event.spurious == sent.spurious || duplicated, "{name}: {event:?}");
                all += 1;
                right += u32::from(class(event.cause) == sent.cause);
            }
        }
        let places: Vec<&str> = report.tcp.connections.iter().map(|c| c.vantage.as_str()).collect();
        assert!(places.iter().all(|place| *place == "client"), "{name}: {places:?}");
    }
    assert!(all >= 60 && right * 100 >= all * 95, "{right} of {all} causes");
}

/// The kernel reports its smoothed round-trip time at each ACK. The mean of the reconstructed one over
/// the ACKs is the same within 1.5 %. The mean of the samples weighs otherwise: it differs by up to 6 % in
/// transfers of 300 samples.
#[test]
fn round_trip_times() {
    let mut transfers = 0;
    for name in TRANSFERS {
        let truth = truth(name);
        let report = report(name, "sender");
        for (port, srtt) in &truth.srtt_s {
            let upload = uploads(&report)[port.as_str()];
            let error = |ours: Option<f64>| (ours.unwrap() / srtt - 1.0).abs();
            let smoothed = error(upload.srtt_mean_s);
            assert!(smoothed < 0.015, "{name}: {:?} for {srtt}", upload.srtt_mean_s);
            assert!(error(upload.rtt_s.mean) < 0.06, "{name}: {:?} for {srtt}", upload.rtt_s);
            transfers += 1;
        }
    }
    assert!(transfers >= 7, "{transfers}");
}

/// The handshake has a round-trip time of the whole path at both ends: near the least one, also at the
/// receiver, whose own samples lack the path. What is in flight without SACK blocks is at most what is in
/// flight. Each retransmission has the time since the original, which is at least the least round trip if
/// duplicate ACKs were its reason.
#[test]
fn what_a_diagnosis_needs() {
    let (mut events, mut handshakes) = (0, 0);
    for name in TRANSFERS {
        let (sender, receiver) = (report(name, "sender"), report(name, "receiver"));
        let (sender, receiver) = (uploads(&sender), uploads(&receiver));
        for (port, upload) in sender {
            let Some(other) = receiver.get(port) else { continue };
            let least = upload.rtt_s.min.unwrap();
            for handshake in [upload, other].iter().filter_map(|d| d.handshake_rtt_s) {
                let near = handshake / least;
                assert!((0.9..1.6).contains(&near), "{name} {port}: {handshake} {least}");
                handshakes += 1;
            }
            assert!(upload.largest_outstanding_bytes <= upload.largest_flight_bytes);
            let received = &upload.receive_window;
            let (median, max) = (received.p50_bytes.unwrap(), received.max_bytes.unwrap());
            assert!(median > 0.0 && median <= max as f64, "{name}: {received:?}");
            for event in upload.events.iter().filter(|event| event.cause == Cause::Fast) {
                let since = event.since_original_s.unwrap();
                assert!(since > 0.8 * upload.rtt_s.min.unwrap(), "{name}: {event:?}");
                assert!(event.srtt_s.unwrap() > 0.0);
                events += 1;
            }
        }
    }
    assert!(events > 40 && handshakes > 30, "{events} {handshakes}");
}

/// Seen from the receiver, whose part of the round trip takes microseconds, a fast retransmission is no
/// timeout: a sender's timer waits for the whole round trip.
#[test]
fn no_timeouts_at_the_receiver_that_the_sender_did_not_have() {
    for name in ["reorder", "no-timestamps", "loss", "bursts"] {
        for (port, direction) in uploads(&report(name, "receiver")) {
            assert_eq!(direction.timeouts, 0, "{name} {port}");
        }
        assert!(truth(name).sent.iter().all(|sent| sent.cause != "loss"), "{name}");
    }
}

/// At the receiver late originals and retransmitted copies are told apart, and duplicates are a class of
/// their own. A retransmission is missed only if nothing of its neighbourhood had arrived.
#[test]
fn at_the_receiver() {
    let (mut copies, mut found) = (0, 0);
    for name in TRANSFERS {
        let truth = truth(name);
        let report = report(name, "receiver");
        let sum = |of: fn(&DirectionReport) -> u64| -> u64 {
            report.tcp.connections.iter().map(|c| of(&c.directions[0])).sum()
        };
        let delivered = truth.sent.iter().filter(|sent| sent.delivered).count() as u64;
        let retransmitted = sum(|d| d.retransmitted_segments);
        assert!(retransmitted <= delivered, "{name}: {retransmitted} of {delivered}");
        assert!(sum(|d| d.out_of_order) <= truth.reordered, "{name}");
        assert_eq!(sum(|d| d.network_duplicates), truth.duplicated, "{name}");
        copies += delivered;
        found += retransmitted;
        let places: Vec<&str> = report.tcp.connections.iter().map(|c| c.vantage.as_str()).collect();
        assert!(places.iter().all(|place| *place == "server"), "{name}: {places:?}");
    }
    assert!(found * 100 >= copies * 95, "{found} of {copies}");
}

/// A file that is cut anywhere is analysed up to the cut, and never panics.
#[test]
fn cut_files() {
    let bytes = fs::read(folder("loss").join("sender.pcap.gz")).unwrap();
    let place = std::env::temp_dir().join(format!("airtcp-capture-{}", std::process::id()));
    for length in [0, 10, 30, 60, 500, 5000, bytes.len() - 9] {
        fs::write(&place, &bytes[..length]).unwrap();
        let limits = TrackerLimits::default();
        let result =
            analyse(std::slice::from_ref(&place), limits, |_, _| ControlFlow::Continue(()));
        if let Ok(report) = result {
            let file = &report.files[0];
            assert!(file.damaged_at_bytes.is_some(), "{length}: {:?}", file.warnings);
        }
    }
    fs::remove_file(&place).unwrap();
}

/// The congestion window that the flight shows is the kernel's: within 2 segments in all round trips that
/// show it, within 1 in 95 % of them. The kernel reports its window before each ACK changes it.
#[test]
fn the_congestion_window_of_a_kernel() {
    let text = fs::read_to_string(folder("cwnd").join("truth.csv")).unwrap();
    let own: Vec<(u64, u64)> = text
        .lines()
        .skip(1)
        .map(|line| line.split_once(',').unwrap())
        .map(|(us, segments)| (us.parse::<u64>().unwrap() * 1000, segments.parse().unwrap()))
        .collect();
    let limits = TrackerLimits { series: Some(1 << 20), ..TrackerLimits::default() };
    let paths = [folder("cwnd").join("capture.pcap.gz")];
    let report = analyse(&paths, limits, |_, _| ControlFlow::Continue(())).unwrap();
    let uploads = report.tcp.connections.iter().map(|c| &c.directions[0]);
    let upload = uploads.max_by_key(|d| d.unique_bytes).unwrap();
    let rounds = upload.series.as_ref().unwrap().rounds.points();
    let mut errors = Vec::new();
    for round in rounds {
        let Some(cwnd) = round.cwnd else { continue };
        let before = own.partition_point(|(ns, _)| *ns <= round.time_ns);
        let Some((_, segments)) = before.checked_sub(1).map(|i| own[i]) else { continue };
        errors.push(cwnd.abs_diff(segments * u64::from(upload.largest_segment_bytes)));
    }
    let segment = u64::from(upload.largest_segment_bytes);
    let near = errors.iter().filter(|error| **error <= segment).count();
    // The first may end before the kernel's first report.
    let shown = upload.cwnd_bytes.as_ref().unwrap().round_trips;
    assert!(errors.len() as u64 + 1 >= shown, "{} of {shown}", errors.len());
    assert!(errors.len() > 25, "{}", errors.len());
    assert!(errors.iter().all(|error| *error <= 2 * segment), "{errors:?}");
    assert!(near * 100 >= errors.len() * 95, "{near} of {}", errors.len());
}

/// The series of all connections together stay within their limit of points, and say how they were
/// thinned; the counters do not depend on them.
#[test]
fn series_are_bounded() {
    let paths = [folder("cwnd").join("capture.pcap.gz")];
    let report = |series| {
        let limits = TrackerLimits { series, ..TrackerLimits::default() };
        analyse(&paths, limits, |_, _| ControlFlow::Continue(())).unwrap()
    };
    let mut thinned = report(Some(500));
    let (mut points, mut one_of) = (0, 0);
    for direction in thinned.tcp.connections.iter_mut().flat_map(|c| &mut c.directions) {
        let series = direction.series.take().unwrap();
        points += series.first.points().len() + series.acks.points().len();
        points += series.rtts.points().len() + series.rounds.points().len();
        points += series.other.points().len() + series.sacks.points().len();
        one_of = one_of.max(series.first.one_of());
    }
    assert!(points <= 500 && one_of >= 4, "{points} points, one of {one_of}");
    assert_eq!(thinned, report(None));
}

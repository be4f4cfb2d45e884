//! Files of several interfaces: which are points of their own, and what is said of them.

#![allow(clippy::unwrap_used, reason = "a test reports by panicking")]

mod files;

use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;

use airtcp_capture::tcp::TrackerLimits;
use airtcp_capture::{Asked, CaptureError, CaptureReport, Points, Wanted, analyse, examine};
use airtcp_units::Nanos;
use airtcp_wire::link_type;
use airtcp_wire::pcapng::Pcapng;
use files::{Raw, labelled, packets};

/// A file with these packets at each interface, in the order of their times.
fn pcapng(name: &str, interfaces: &[(&str, Vec<Raw>)]) -> PathBuf {
    let mut file = Pcapng::new(Vec::new(), "a test").unwrap();
    let mut all = Vec::new();
    for (name, packets) in interfaces {
        let number = file.interface_with_link_type(link_type::IPV4, name, 0).unwrap();
        all.extend(packets.iter().map(|(us, data)| (*us, number, data)));
    }
    all.sort_by_key(|(us, ..)| *us);
    for (us, number, data) in all {
        let length = u32::from(data[2]) << 8 | u32::from(data[3]);
        file.packet(number, Nanos(us * 1000), data, length).unwrap();
    }
    let folder = std::env::temp_dir().join(format!("airtcp-interfaces-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, file.finish().unwrap()).unwrap();
    path
}

fn asked(paths: &[PathBuf], interface: Option<&str>) -> Result<CaptureReport, CaptureError> {
    let limits = TrackerLimits::default();
    analyse(paths, Asked { limits, interface }, |_, _| ControlFlow::Continue(()))
}

fn report(path: PathBuf) -> CaptureReport {
    asked(&[path], None).unwrap()
}

/// Both ends of a transfer as two interfaces of one file are two points, as two files are.
#[test]
fn interfaces_with_the_same_packets_are_points() {
    let path = pcapng("ends.pcapng", &[("near", packets("sender")), ("far", packets("receiver"))]);
    let one = report(path.clone());
    let two = asked(&["sender", "receiver"].map(labelled), None).unwrap();
    let names: Vec<_> = one.points.iter().map(|point| point.interfaces.clone()).collect();
    assert_eq!(names, [["near"], ["far"]]);
    assert!(one.points.iter().all(|point| point.files == [path.display().to_string()]));
    assert_eq!(one.files[0].warnings.len(), 1, "{:?}", one.files[0].warnings);
    assert!(one.files[0].warnings[0].contains("near, far have the same packets"));
    assert_eq!(one.between.len(), two.between.len());
    for (one, two) in one.between.iter().zip(&two.between) {
        assert_eq!(one.points, [0, 1]);
        for (one, two) in one.directions.iter().zip(&two.directions) {
            assert_eq!((one.sent, one.lost, one.lost_bytes), (two.sent, two.lost, two.lost_bytes));
            assert_eq!((one.duplicated, one.spurious), (two.duplicated, two.spurious));
        }
        // They have one clock.
        assert_eq!((one.clock.offset_s, one.clock.uncertainty_s), (0.0, Some(0.0)));
    }
    // With delivery traces, too.
    let points = Points { air: Vec::new(), hosts: vec![path] };
    let wanted = Wanted { traces: true, ..Wanted::default() };
    let limits = TrackerLimits::default();
    let found = examine(&points, wanted, limits, |_, _| ControlFlow::Continue(())).unwrap();
    assert_eq!(found.report.between, one.between);
}

/// The order of the interfaces does not tell which is nearer to the client.
#[test]
fn the_nearer_interface_is_found() {
    let path =
        pcapng("reversed.pcapng", &[("far", packets("receiver")), ("near", packets("sender"))]);
    let found = report(path);
    assert!(!found.between.is_empty());
    for pair in &found.between {
        let names = pair.points.map(|point| &found.points[point as usize].interfaces);
        assert_eq!(names, [&["near"], &["far"]]);
    }
}

/// Two ports of a bridge see a packet at nearly the same time.
#[test]
fn ports_of_a_bridge_are_points() {
    let near = packets("sender");
    let far = near.iter().map(|(us, data)| (us + 1, data.clone())).collect();
    let found = report(pcapng("bridge.pcapng", &[("veth0", near), ("veth1", far)]));
    assert_eq!(found.points.len(), 2);
    assert!(!found.between.is_empty());
    for pair in &found.between {
        assert!(pair.directions.iter().all(|direction| direction.lost == 0));
    }
}

/// Interfaces without common packets are one point: taps of one direction each, members of a bond.
#[test]
fn interfaces_with_different_packets_are_one_point() {
    let all = packets("sender");
    let source = all[0].1[12..16].to_vec();
    let (out, back): (Vec<Raw>, Vec<Raw>) =
        all.iter().cloned().partition(|(_, data)| data[12..16] == source);
    let (even, odd): (Vec<(usize, Raw)>, Vec<(usize, Raw)>) =
        all.iter().cloned().enumerate().partition(|(n, _)| n.is_multiple_of(2));
    let plain = |list: Vec<(usize, Raw)>| list.into_iter().map(|(_, raw)| raw).collect();
    let whole = report(pcapng("whole.pcapng", &[("eth0", all)]));
    for (name, ends) in [
        ("taps.pcapng", [("out", out), ("back", back)]),
        ("bond.pcapng", [("eth0", plain(even)), ("eth1", plain(odd))]),
    ] {
        let found = report(pcapng(name, &ends));
        assert!(found.points.is_empty() && found.files[0].warnings.is_empty(), "{name}");
        assert_eq!(found.tcp, whole.tcp, "{name}");
    }
}

/// A capture of a bridge beside a network that it does not join: the latter stays with the first point.
#[test]
fn a_third_interface_joins_a_point() {
    let moved = |packets: Vec<Raw>| -> Vec<Raw> {
        let other = |(us, mut data): Raw| {
            data[15] ^= 0x40;
            data[19] ^= 0x40;
            (us, data)
        };
        packets.into_iter().map(other).collect()
    };
    let ends = [
        ("near", packets("sender")),
        ("far", packets("receiver")),
        ("lo", moved(packets("sender"))),
    ];
    let found = report(pcapng("third.pcapng", &ends));
    let names: Vec<_> = found.points.iter().map(|point| point.interfaces.clone()).collect();
    assert_eq!(names, [vec!["near", "lo"], vec!["far"]]);
    let alone = asked(&[labelled("sender")], None).unwrap().tcp.connections.len();
    assert_eq!(found.tcp.connections.len(), 3 * alone);
    assert_eq!(found.between.len(), alone);
}

#[test]
fn one_interface_is_read_alone() {
    let ends = [("near", packets("sender")), ("far", packets("receiver"))];
    let path = [pcapng("choice.pcapng", &ends)];
    for (name, end) in [("near", "sender"), ("far", "receiver")] {
        let found = asked(&path, Some(name)).unwrap();
        let alone = asked(&[labelled(end)], None).unwrap();
        assert!(found.points.is_empty() && found.files[0].warnings.is_empty());
        assert_eq!(found.files[0].packets, alone.files[0].packets);
        assert_eq!(found.tcp.connections.len(), alone.tcp.connections.len());
    }
    let error = asked(&path, Some("eth0")).unwrap_err().to_string();
    assert!(error.ends_with("has no interface 'eth0'; it has near, far"), "{error}");
    let error = asked(&[labelled("sender")], Some("eth0")).unwrap_err().to_string();
    assert!(error.contains("format pcap names none"), "{error}");
}

/// What can be read only once is one point, and the file says so.
#[cfg(target_os = "linux")]
#[test]
fn a_pipe_is_one_point() {
    use std::os::fd::AsRawFd as _;

    let ends = [("near", packets("sender")), ("far", packets("receiver"))];
    let bytes = fs::read(pcapng("pipe.pcapng", &ends)).unwrap();
    let (reader, mut writer) = std::io::pipe().unwrap();
    let write = std::thread::spawn(move || std::io::Write::write_all(&mut writer, &bytes));
    let found = report(PathBuf::from(format!("/proc/self/fd/{}", reader.as_raw_fd())));
    write.join().unwrap().unwrap();
    assert!(found.points.is_empty());
    assert!(found.files[0].warnings[0].contains("read only once"), "{:?}", found.files[0].warnings);
}

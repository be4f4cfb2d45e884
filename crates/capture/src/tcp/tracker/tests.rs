use proptest::prelude::*;

use super::*;
use crate::dissect::{Address, Endpoint, Flags, Options};
use crate::tcp::report::{ConnectionReport, DirectionReport};

/// A segment between two of a few ends.
fn segment(at: u64, ends: (u8, u8), flags: u8, sequence: u32, payload: u32) -> Segment {
    let end = |n: u8| Endpoint { address: Address::v4([10, 0, 0, n]), port: 1000 + u16::from(n) };
    Segment {
        time_ns: 1_000_000 * at,
        from: end(ends.0),
        to: end(ends.1),
        sequence,
        acknowledgement: 7,
        flags: Flags(flags),
        ae: false,
        window: 1000,
        payload,
        options: Options::default(),
        ip_id: Some(u16::try_from(at % 5).unwrap()),
        ttl: 64,
        ecn: 0,
        checksum: 1,
        of_air: false,
    }
}

fn report(limits: TrackerLimits, segments: &[Segment]) -> Report {
    let mut tracker = Tracker::new(limits);
    for segment in segments {
        tracker.on_segment(segment);
    }
    let mut report = tracker.finish();
    for direction in report.connections.iter_mut().flat_map(|c| &mut c.directions) {
        direction.log = None;
    }
    report
}

proptest! {
    /// A connection that is only its first segment is counted as one that is followed from its start, which those
    /// with logs are.
    #[test]
    fn a_first_segment_counts_as_a_connection(
        drawn in prop::collection::vec((0..4u8, 0..4u8, 0..32u8, 0..3u32, 0..3u32), 1..80),
        open in 1..6usize,
    ) {
        let segments: Vec<Segment> = (1..)
            .zip(drawn)
            .filter(|(_, (from, to, ..))| from != to)
            .map(|(at, (from, to, flags, sequence, payload))| {
                segment(at, (from, to), flags, sequence, if payload == 0 { 100 } else { 0 })
            })
            .collect();
        let plain = TrackerLimits { open, ..TrackerLimits::default() };
        let logged = TrackerLimits { log: Some(1 << 20), ..plain };
        prop_assert_eq!(report(plain, &segments), report(logged, &segments));
    }
}

#[test]
fn the_connections_with_the_most_bytes_are_reported() {
    let segments: Vec<Segment> = (0..200u8)
        .map(|n| segment(u64::from(n), (n, 255), Flags::ACK.0, 5, 10 + u32::from(n) * 37 % 200))
        .collect();
    let limits = TrackerLimits { reported: 10, open: 50, ..TrackerLimits::default() };
    let mut found = report(limits, &segments);
    found.largest_first();
    let bytes: Vec<u64> = found.connections.iter().map(ConnectionReport::bytes).collect();
    assert_eq!(bytes, (200..210).rev().collect::<Vec<u64>>());
    assert_eq!(found.omitted, 190);
}

/// 100,000 reports are in memory at a time.
#[test]
fn a_report_is_small() {
    let (connection, direction) = (size_of::<ConnectionReport>(), size_of::<DirectionReport>());
    assert!(connection + 2 * direction <= 1920, "{connection} + 2 x {direction} bytes");
}

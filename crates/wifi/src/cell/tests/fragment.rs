//! Fragments: their times to the ns, their reservations, and lost fragments.

use super::*;

const US: u64 = 1_000;
const MS: u64 = 1_000_000;

/// 1524 bytes of frame in three fragments of 600, 600 and 380 bytes: 112, 112 and 80 us at 54 Mb/s,
/// with ACKs of 28 us.
fn bench(n: usize, change: impl FnOnce(&mut CellPlan)) -> Bench {
    let mac = MacConfig {
        fragmentation_threshold: Some(airtcp_units::Bytes(600)),
        ..MacConfig::default()
    };
    let mut plan = plan(n, Standard::A, mac, TimingConfig::default());
    change(&mut plan);
    Bench::new(plan, 1)
}

fn of(b: &Bench, kind: Kind) -> Vec<(u64, Frame)> {
    b.log.iter().filter(|(_, f)| f.kind == kind).map(|(at, f)| (at.0 - MS, *f)).collect()
}

#[test]
fn fragments_follow_one_another_and_reserve_for_the_next() {
    let mut b = bench(2, |_| {});
    b.run(Nanos(MS));
    b.offer(NodeId(1), NodeId(0));
    b.run(Nanos(2 * MS));
    let (data, acks) = (of(&b, Kind::Data), of(&b, Kind::Ack));
    let times = |all: &[(u64, Frame)]| all.iter().map(|(at, _)| at / US).collect::<Vec<_>>();
    assert_eq!(times(&data), [0, 172, 344]);
    assert_eq!(times(&acks), [128, 300, 440]);
    let shape: Vec<_> = data.iter().map(|(_, f)| (f.bytes, f.fragment, f.more_fragments)).collect();
    assert_eq!(shape, [(600, 0, true), (600, 1, true), (380, 2, false)]);
    assert!(data.iter().all(|(_, f)| f.sequence == data[0].1.sequence && !f.retry));
    // The Duration fields of fragment and ACK end with the ACK of the next fragment.
    let timing = b.cell.cells.first().rules.timing;
    let until = |all: &[(u64, Frame)]| {
        let end =
            |(at, f): &(u64, Frame)| (at + (timing.frame(f.mode, f.bytes) + f.duration).0) / US;
        all.iter().map(end).collect::<Vec<_>>()
    };
    assert_eq!(until(&data), [328, 468, 468]);
    assert_eq!(until(&acks), [328, 468, 468]);
    let stats = b.cell.stats(NodeId(1));
    assert_eq!((b.delivered[0], stats.acknowledged, stats.attempts), (1, 1, 3));
    assert_eq!(stats.service_ns, 468 * US);
}

/// A frame of exactly the threshold is not fragmented; one byte more makes two fragments.
#[test]
fn the_threshold_is_the_longest_frame() {
    for (payload, fragments) in [(600 - 28 - 8 - 28, 1), (600 - 28 - 8 - 28 + 1, 2)] {
        let mut b = bench(2, |_| {});
        b.payload = payload;
        b.run(Nanos(MS));
        b.offer(NodeId(1), NodeId(0));
        b.run(Nanos(3 * MS));
        assert_eq!(of(&b, Kind::Data).len(), fragments);
        assert_eq!(b.delivered[0], 1);
    }
}

/// A station that receives only the ACKs defers until the last one.
#[test]
fn the_reservation_goes_from_fragment_to_ack() {
    let mut b = bench(3, |p| {
        p.power_mw[1][2] = 0.0;
        p.power_mw[2][1] = 0.0;
    });
    b.run(Nanos(MS));
    b.offer(NodeId(1), NodeId(0));
    b.run(Nanos(MS + 200 * US));
    b.offer(NodeId(2), NodeId(0));
    b.run(Nanos(20 * MS));
    let other = of(&b, Kind::Data).into_iter().find(|(_, f)| f.from == NodeId(2)).unwrap();
    assert!(other.0 >= (468 + 34) * US && (other.0 - (468 + 34) * US).is_multiple_of(9 * US));
    assert_eq!(b.delivered[0], 2);
    let lost = b.cell.stats(NodeId(1)).class(Class::Data);
    assert_eq!(lost.sent, lost.decoded);
}

/// RTS and CTS precede the first fragment only.
#[test]
fn rts_precedes_only_the_first() {
    let mut b = bench(2, |p| p.mac.rts_threshold = Some(airtcp_units::Bytes(500)));
    b.run(Nanos(MS));
    b.offer(NodeId(1), NodeId(0));
    b.run(Nanos(3 * MS));
    let rts = of(&b, Kind::Rts);
    assert_eq!(rts.len(), 1);
    // RTS and CTS of 28 us each: the RTS reserves up to the ACK of the first fragment.
    let end = 28 + 16 + 28 + 16 + 112 + 16 + 28;
    assert_eq!((28 * US + rts[0].1.duration.0) / US, end);
    assert_eq!(of(&b, Kind::Data)[0].0, (28 + 16 + 28 + 16) * US);
    assert_eq!(b.delivered[0], 1);
}

/// Without ACKs only the first fragment is sent, and the packet is dropped at its retry limit.
#[test]
fn attempts_are_those_of_a_fragment() {
    let mut b = bench(2, |p| p.power_mw[0][1] = 1e-9);
    b.run(Nanos(MS));
    b.offer(NodeId(1), NodeId(0));
    b.run(Nanos(300 * MS));
    let data = of(&b, Kind::Data);
    assert_eq!(data.len(), 7);
    assert!(data.iter().all(|(_, f)| f.fragment == 0) && data[1..].iter().all(|(_, f)| f.retry));
    let stats = b.cell.stats(NodeId(1));
    assert_eq!((stats.given_up, stats.dropped, b.delivered[0]), (1, 1, 0));
    assert_eq!(b.pool.in_flight(), 0);
}

/// With 40 % of the frames lost: fragments are sent in order, a lost fragment is retransmitted before
/// the next, and a packet is delivered exactly once if all its fragments arrive.
#[test]
fn lost_fragments_are_retransmitted_in_order() {
    let mut b = bench(2, |p| p.residual_error = 0.4);
    b.run(Nanos(MS));
    b.saturated.push((NodeId(1), NodeId(0)));
    b.run(Nanos(4_000 * MS));
    let data = of(&b, Kind::Data);
    assert!(data.iter().any(|(_, f)| f.fragment == 2 && f.retry));
    let mut finished = 0;
    for pair in data.windows(2) {
        let ((_, a), (_, b)) = (pair[0], pair[1]);
        if a.sequence == b.sequence {
            let again = b.fragment == a.fragment && b.retry;
            let next = b.fragment == a.fragment + 1 && a.more_fragments && !b.retry;
            assert!(again || next, "{a:?} {b:?}");
        } else {
            assert_eq!((b.sequence, b.fragment), ((a.sequence + 1) % 4096, 0));
            finished += 1;
        }
    }
    let stats = b.cell.stats(NodeId(1));
    assert_eq!(stats.acknowledged + stats.given_up, finished);
    // Three fragments of seven attempts: 1 - (1 - 0.4^7)^3 = 0.49 % are given up.
    let share = stats.given_up as f64 / finished as f64;
    assert!(finished > 2000 && share < 0.012, "{share} of {finished}");
    assert_eq!(b.delivered[0], stats.acknowledged + stats.given_up - stats.dropped);
    let mean = stats.attempts as f64 / stats.acknowledged as f64;
    assert!((mean / (3.0 / 0.6) - 1.0).abs() < 0.03, "{mean}");
}

use airtcp_units::Bytes;

use super::*;

const MSS: u64 = 1448;

fn asked(rate: u64) -> Request {
    Request {
        bytes: 1 << 20,
        mss: MSS,
        in_flight: 1 << 20,
        rate: BitRate::new(rate),
        quantum: None,
        min_rtt: Some(Span::from_millis(20)),
        is_paced: false,
        retransmission: false,
    }
}

/// Segments that the sender has below it when it is held.
fn fill(queue: &mut SmallQueue, now: Nanos, asked: &Request) -> u64 {
    let mut segments = 0;
    while queue.admits(now, asked) {
        queue.on_sent(now, MSS, asked.retransmission);
        segments += 1;
        assert!(segments < 10_000);
    }
    segments
}

fn by_rule(shift: u32) -> SmallQueue {
    SmallQueue::new(Tsq::Rule(true), shift).unwrap()
}

/// What Linux 6.18 has below TCP behind a token bucket of 10, 20 and 50 Mb/s that takes single segments
/// (docs/models/kernel.md): pacing rates of 17.56, 37.42 and (BBR) 59.97 Mb/s, and at most 5, 7 and 12 packets. Over another
/// device 134.9 Mb/s and 25 packets.
#[test]
fn as_many_packets_as_the_kernel_has() {
    for (rate, packets) in [(17_560_000, 5), (37_420_000, 7), (59_970_000, 12), (134_900_000, 25)] {
        let mut queue = by_rule(10);
        let first = fill(&mut queue, Nanos(1), &asked(rate));
        let mut most = first;
        // The device completes packets, and the sender fills the queue again.
        let mut there = first;
        for k in 2..200 {
            there -= 1;
            assert!(queue.on_completed(MSS));
            there += fill(&mut queue, Nanos(k), &asked(rate));
            most = most.max(there);
        }
        assert_eq!(most, packets, "{rate} b/s");
    }
}

/// limit = max(2 memory(unit), rate / 2^shift), and a unit leaves while the memory below is at most that.
#[test]
fn the_limit_in_closed_form() {
    for shift in [6, 7, 8, 10] {
        for mbps in [1, 10, 50, 200, 1000] {
            let share = (mbps * 1_000_000 / 8) >> shift;
            let segments = (share.min(65_215) / MSS).max(2);
            let limit = share.max(2 * (segments * MSS + 832));
            let units = limit / (segments * (MSS + 832)) + 1;
            let filled = fill(&mut by_rule(shift), Nanos(1), &asked(mbps * 1_000_000));
            assert_eq!(filled, units * segments, "{mbps} Mb/s, shift {shift}");
        }
    }
}

#[test]
fn a_short_path_has_longer_units() {
    let near = Request { min_rtt: Some(Span::from_micros(1100)), ..asked(10_000_000) };
    // 65215 / 4 + 10 Mb/s / 1024: 12 segments.
    assert_eq!(by_rule(10).unit_and_limit(&near).0, 12 * MSS);
    let far = Request { min_rtt: None, ..near };
    assert_eq!(by_rule(10).unit_and_limit(&far).0, 2 * MSS);
    // What the window permits bounds a unit, and with it the limit.
    let small = Request { bytes: MSS, ..near };
    assert_eq!(by_rule(10).unit_and_limit(&small), (MSS, 2 * (MSS + 832)));
}

#[test]
fn retransmissions_have_twice_the_limit_of_a_segment() {
    let again = Request { retransmission: true, ..asked(1_000_000) };
    // 4 (1448 + 832) is the limit: 5 segments are more than that.
    assert_eq!(fill(&mut by_rule(10), Nanos(1), &again), 5);
    let mut queue = by_rule(10);
    // A unit that may leave is not one of retransmissions.
    assert!(queue.admits(Nanos(1), &asked(1_000_000)));
    assert_eq!(fill(&mut queue, Nanos(1), &again), 5);
}

#[test]
fn without_a_round_trip_time_or_pacing_the_limit_is_that_of_the_kernel() {
    let unknown = Request { rate: None, ..asked(1) };
    assert_eq!(by_rule(10).unit_and_limit(&unknown), (45 * MSS, 4 << 20));
    let paced = Request { is_paced: true, ..asked(1 << 40) };
    assert_eq!(by_rule(7).unit_and_limit(&paced).1, 1 << 30);
}

#[test]
fn a_sender_with_one_unit_outstanding_sends() {
    let mut queue = by_rule(10);
    fill(&mut queue, Nanos(1), &asked(1_000_000));
    let alone = Request { in_flight: 2 * MSS, ..asked(1_000_000) };
    assert!(queue.admits(Nanos(2), &alone));
}

#[test]
fn a_fixed_limit_and_none() {
    let mut queue = SmallQueue::new(Tsq::Fixed(Bytes(131_072)), 10).unwrap();
    // 131072 / 2280 = 57.5, and a unit of two from 56 on.
    assert_eq!(fill(&mut queue, Nanos(1), &asked(1_000_000)), 58);
    assert!(SmallQueue::new(Tsq::Rule(false), 10).is_none());
    // A law with a quantum of one segment has units of one.
    let one = Request { quantum: Some(MSS), ..asked(1_000_000) };
    assert_eq!(by_rule(10).unit_and_limit(&one).0, MSS);
}

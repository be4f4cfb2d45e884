//! Carrier sense of frames below the energy detection threshold.

use std::collections::BTreeSet;

use super::*;

/// -70 dBm: above the carrier sense threshold, below the energy detection threshold.
const WEAK: f64 = 1e-7;
const STRONG: f64 = 1e-6;
const SLOT: u64 = 9_000;

/// Two saturated stations that receive each other with `power`: the delays between the starts of
/// overlapping data frames, and the number of overlaps.
fn overlaps(power: f64, detection_us: u64) -> (BTreeSet<u64>, usize) {
    let mut plan = plan(3, Standard::A, MacConfig::default(), TimingConfig::default());
    plan.sensing.detection_time = Span::from_micros(detection_us);
    plan.power_mw[1][2] = power;
    plan.power_mw[2][1] = power;
    let mut b = Bench::new(plan, 1);
    b.saturated = vec![(NodeId(1), NodeId(0)), (NodeId(2), NodeId(0))];
    b.run(Nanos(2_000_000_000));
    let data: Vec<_> = b.log.iter().filter(|(_, f)| f.kind == Kind::Data).collect();
    let timing = b.cell.cells.first().rules.timing;
    let mut found = BTreeSet::new();
    let mut count = 0;
    for pair in data.windows(2) {
        let [(first, frame), (second, _)] = pair else { continue };
        if *second < *first + timing.frame(frame.mode, frame.bytes) {
            found.insert(second.since(*first).0);
            count += 1;
        }
    }
    (found, count)
}

#[test]
fn a_frame_is_sensed_at_its_start() {
    for (power, detection_us) in [(WEAK, 0), (STRONG, 0)] {
        assert_eq!(overlaps(power, detection_us).0, BTreeSet::from([0]), "{power}");
    }
}

/// The other station may start to transmit within the detection time, and not later.
#[test]
fn a_weak_frame_is_sensed_after_the_detection_time() {
    let (_, at_once) = overlaps(WEAK, 0);
    let expected = [(8, BTreeSet::from([0])), (16, BTreeSet::from([0, SLOT]))];
    for (detection_us, gaps) in expected {
        let (found, count) = overlaps(WEAK, detection_us);
        assert_eq!(found, gaps, "{detection_us}");
        // Each further undetected slot adds about as many overlaps in either order.
        let expected = at_once * (2 * gaps.len() - 1);
        assert!(count * 10 > expected * 7 && count * 10 < expected * 12, "{count} {expected}");
    }
    // A frame above the energy detection threshold is sensed at once.
    assert_eq!(overlaps(STRONG, 16), overlaps(STRONG, 0));
}

/// Frames of two hidden stations begin at the same instant, in two steps: the stronger one is received
/// in either order, and of equal ones none.
#[test]
fn two_frames_of_one_instant_in_two_steps() {
    let lost = |order: [u32; 2], powers: [f64; 2], capture: Capture| {
        let mut plan = plan(3, Standard::A, MacConfig::default(), TimingConfig::default());
        plan.capture = capture;
        plan.power_mw[1] = vec![powers[0], 0.0, 0.0];
        plan.power_mw[2] = vec![powers[1], 0.0, 0.0];
        let mut b = Bench::new(plan, 1);
        for round in 1..=50 {
            b.run(Nanos(round * 20_000_000));
            for station in order {
                b.offer(NodeId(station), NodeId(0));
                b.run(b.now);
            }
            assert_eq!(b.log[b.log.len() - 2].0, b.now, "both begin now");
            b.run(b.now + Span::from_micros(300));
        }
        let data = |i| b.cell.stats(NodeId(i)).class(crate::mac::Class::Data);
        let [one, two] = [data(1), data(2)];
        (one.sent - one.decoded, two.sent - two.decoded)
    };
    let message = Capture::MessageInMessage { margin_db: 8.0, late_db: 15.0 };
    for capture in [Capture::Sinr { late_db: 15.0 }, Capture::default(), message] {
        for order in [[1, 2], [2, 1]] {
            assert_eq!(lost(order, [STRONG, STRONG / 100.0], capture), (0, 50), "{capture:?}");
            let (one, two) = lost(order, [STRONG, STRONG], capture);
            assert!(one >= 50 && two >= 50, "{capture:?} {one} {two}");
        }
    }
}

/// Two stations that do not hear each other collide. The start of the frame that a third station
/// then sends, when it hears the second `ratio` times as strongly as the first.
fn start_after_collision(ratio: f64, preamble_sinr_db: Option<f64>) -> Nanos {
    start_with(ratio, Sensing { preamble_sinr_db, ..Sensing::default() })
}

fn start_with(ratio: f64, sensing: Sensing) -> Nanos {
    let mac = MacConfig { attempts: 1, ..MacConfig::default() };
    let mut plan = plan(4, Standard::A, mac, TimingConfig::default());
    plan.sensing = sensing;
    plan.capture = Capture::Sinr { late_db: 15.0 };
    plan.error = ErrorModel::new(&ErrorModelConfig::default()).unwrap();
    plan.power_mw[1] = vec![STRONG, 0.0, 0.0, STRONG];
    plan.power_mw[2] = vec![STRONG, 0.0, 0.0, STRONG * ratio];
    let mut b = Bench::new(plan, 1);
    b.run(Nanos(1_000_000));
    for station in [1, 2] {
        b.offer(NodeId(station), NodeId(0));
        b.run(b.now);
    }
    b.run(b.now + Span::from_micros(50));
    b.offer(NodeId(3), NodeId(0));
    b.run(b.now + Span::from_micros(5_000));
    let third = b.log.iter().find(|(_, f)| f.from == NodeId(3) && f.kind == Kind::Data);
    third.expect("the third station sends").0
}

/// EIFS - DIFS of 802.11a: SIFS and an ACK at 6 Mb/s.
#[test]
fn a_collision_whose_preambles_drown_each_other_is_not_followed_by_eifs() {
    let always = start_after_collision(1.0, None);
    assert_eq!(always.since(start_after_collision(1.0, Some(4.0))), Span::from_micros(60));
    // A ratio of 2 is 3 dB. At one of 4, 6 dB, the third station notices the stronger frame, which it
    // then loses.
    assert_eq!(start_after_collision(2.0, Some(4.0)), start_after_collision(1.0, Some(4.0)));
    assert_eq!(start_after_collision(4.0, Some(4.0)), start_after_collision(4.0, None));
    assert_eq!(start_after_collision(4.0, None), always);
    // A radio that does not lock on senses the collision, and does not notice the frames.
    for ratio in [1.0, 2.0, 4.0] {
        let detection = Sensing { preamble_detection_sinr_db: Some(4.0), ..Sensing::default() };
        assert_eq!(start_with(ratio, detection), start_after_collision(ratio, Some(4.0)));
    }
}

/// Station 2 sends to station 0. During its frame, station 1 begins a long one, which arrives at station 2 with
/// `power`. Start of the next frame of station 2, and the end of the long one.
fn exposed(power: f64, unreceived_frames: UnreceivedFrames) -> (Nanos, Nanos) {
    let mac = MacConfig { attempts: 1, ..MacConfig::default() };
    let mut plan = plan(4, Standard::A, mac, TimingConfig::default());
    plan.sensing.unreceived_frames = unreceived_frames;
    plan.power_mw = vec![vec![0.0; 4]; 4];
    (plan.power_mw[1][2], plan.power_mw[1][3]) = (power, STRONG);
    (plan.power_mw[2][0], plan.power_mw[0][2]) = (STRONG, STRONG);
    plan.stations[1].rate = RatePlan::fixed(crate::phy::Mode::OFDM[0]);
    let mut b = Bench::new(plan, 1);
    b.run(Nanos(1_000_000));
    b.offer(NodeId(2), NodeId(0));
    b.run(b.now + Span::from_micros(20));
    b.offer(NodeId(1), NodeId(3));
    b.run(b.now + Span::from_micros(400));
    b.offer(NodeId(2), NodeId(0));
    b.run(b.now + Span::from_micros(5_000));
    let data = |from: u32| {
        let of = b.log.iter().filter(move |(_, f)| f.from == NodeId(from) && f.kind == Kind::Data);
        of.copied().collect::<Vec<_>>()
    };
    let (start, long) = data(1)[0];
    assert!(start < data(2)[0].0 + Span::from_micros(30), "it begins during the first frame");
    let ends = start + b.cell.cells.first().rules.timing.frame(long.mode, long.bytes);
    (data(2)[1].0, ends)
}

#[test]
fn a_frame_whose_start_was_missed_is_sensed_by_the_rule() {
    use UnreceivedFrames::{CarrierSense, Energy};
    let (start, ends) = exposed(WEAK, CarrierSense);
    assert!(start >= ends + Span::from_micros(34), "it waits for the end and DIFS");
    let (start, ends) = exposed(WEAK, Energy);
    assert!(
        start < ends - Span::from_micros(1_000),
        "the frame is 8 dB below the energy threshold"
    );
    // -60 dBm is above the threshold.
    assert_eq!(exposed(STRONG, Energy), exposed(STRONG, CarrierSense));
}

/// Station 2 is idle when the long frame begins, and receives it, unless the stronger frame of station 0 takes the
/// reception over. Start of the frame of station 2, and the end of the long one.
fn received(unreceived_frames: UnreceivedFrames, is_taken_over: bool) -> (Nanos, Nanos) {
    let mac = MacConfig { attempts: 1, ..MacConfig::default() };
    let mut plan = plan(4, Standard::A, mac, TimingConfig::default());
    plan.sensing.unreceived_frames = unreceived_frames;
    plan.capture = Capture::MessageInMessage { margin_db: 8.0, late_db: 15.0 };
    plan.power_mw = vec![vec![0.0; 4]; 4];
    plan.power_mw[1][2] = WEAK;
    plan.power_mw[0][2] = 10.0 * STRONG;
    plan.stations[1].rate = RatePlan::fixed(crate::phy::Mode::OFDM[0]);
    let mut b = Bench::new(plan, 1);
    b.run(Nanos(1_000_000));
    b.offer(NodeId(1), NodeId(3));
    b.run(b.now + Span::from_micros(100));
    if is_taken_over {
        b.offer(NodeId(0), NodeId(2));
    }
    b.run(b.now + Span::from_micros(400));
    b.offer(NodeId(2), NodeId(0));
    b.run(b.now + Span::from_micros(5_000));
    let (start, long) = b.log[0];
    let ends = start + b.cell.cells.first().rules.timing.frame(long.mode, long.bytes);
    assert_eq!(b.delivered[2], u64::from(is_taken_over));
    let own = b.log.iter().find(|(_, f)| f.from == NodeId(2) && f.kind == Kind::Data);
    (own.expect("station 2 sends").0, ends)
}

/// The PHY header of a frame gives its length, for which the medium is busy (802.11-2020 17.3.12).
#[test]
fn a_frame_that_the_radio_began_to_receive_is_sensed_to_its_end() {
    for is_taken_over in [false, true] {
        let (start, ends) = received(UnreceivedFrames::Energy, is_taken_over);
        assert!(start >= ends, "{is_taken_over}");
        assert_eq!((start, ends), received(UnreceivedFrames::CarrierSense, is_taken_over));
    }
}

/// Two equal frames begin at the same instant, and a preamble of 4 dB is needed: the radio detects neither, and
/// does not sense them below the energy threshold, in whatever order they begin.
#[test]
fn of_one_instant_the_order_does_not_matter() {
    let start = |order: [&[u32]; 2]| {
        let mac = MacConfig { attempts: 1, ..MacConfig::default() };
        let mut plan = plan(4, Standard::A, mac, TimingConfig::default());
        plan.sensing = Sensing {
            unreceived_frames: UnreceivedFrames::Energy,
            preamble_detection_sinr_db: Some(4.0),
            ..Sensing::default()
        };
        plan.power_mw = vec![vec![0.0; 4]; 4];
        (plan.power_mw[1][3], plan.power_mw[2][3]) = (WEAK, WEAK);
        let mut b = Bench::new(plan, 1);
        b.run(Nanos(1_000_000));
        for step in order {
            for station in step {
                b.offer(NodeId(*station), NodeId(0));
            }
            b.run(b.now);
        }
        b.run(b.now + Span::from_micros(50));
        b.offer(NodeId(3), NodeId(0));
        b.run(b.now + Span::from_micros(5_000));
        let own = b.log.iter().find(|(_, f)| f.from == NodeId(3) && f.kind == Kind::Data);
        own.expect("station 3 sends").0
    };
    let together = start([&[1, 2], &[]]);
    assert_eq!(together, Nanos(1_050_000), "the medium is idle");
    assert_eq!(start([&[1], &[2]]), together);
    assert_eq!(start([&[2], &[1]]), together);
}

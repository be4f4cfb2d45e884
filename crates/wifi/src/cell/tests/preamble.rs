//! Preamble detection: a radio does not lock on to a frame whose SINR at its start is too low.

use airtcp_units::Db;

use super::*;

/// Power of the weaker frame, in mW.
const WEAK: f64 = 1e-6;

/// Station 0 receives stations 1 to 3, which do not receive one another.
fn cell(detection_db: Option<f64>, powers: [f64; 3]) -> Bench {
    let mac = MacConfig { attempts: 1, ..MacConfig::default() };
    let mut plan = plan(4, Standard::A, mac, TimingConfig::default());
    plan.capture = Capture::Sinr { late_db: 15.0 };
    plan.sensing.preamble_detection_sinr_db = detection_db;
    plan.power_mw = vec![vec![0.0; 4]; 4];
    for (sender, power) in (1..).zip(powers) {
        plan.power_mw[sender][0] = power;
    }
    let mut b = Bench::new(plan, 1);
    b.run(Nanos(1_000_000));
    b
}

/// Frames of stations that station 0 decodes.
fn decoded(b: &Bench) -> [u64; 3] {
    [1, 2, 3].map(|i| b.cell.stats(NodeId(i)).class(Class::Data).decoded)
}

/// Frames of stations 1 and 2 that station 0 decodes. The frames begin at the same instant, the first
/// one `ratio_db` above the second: both together, or one after the other.
fn both(detection_db: Option<f64>, ratio_db: f64, order: &[&[u32]]) -> [u64; 2] {
    let mut b = cell(detection_db, [WEAK * Db(ratio_db).linear(), WEAK, 0.0]);
    for step in order {
        for station in *step {
            b.offer(NodeId(*station), NodeId(0));
        }
        b.run(b.now);
    }
    assert_eq!(b.log.iter().filter(|(at, _)| *at == b.now).count(), 2, "both begin now");
    b.run(b.now + Span::from_micros(1_000));
    let [first, second, _] = decoded(&b);
    [first, second]
}

const ORDERS: [&[&[u32]]; 3] = [&[&[1, 2]], &[&[1], &[2]], &[&[2], &[1]]];

/// The error model decodes every frame that is stronger than noise and interference.
#[test]
fn of_two_frames_3_db_apart_none_is_detected_at_4_db() {
    for order in ORDERS {
        assert_eq!(both(None, 3.0, order), [1, 0], "{order:?}");
        assert_eq!(both(Some(4.0), 3.0, order), [0, 0], "{order:?}");
        assert_eq!(both(Some(4.0), 5.0, order), [1, 0], "{order:?}");
        assert_eq!(both(Some(2.0), 3.0, order), [1, 0], "{order:?}");
    }
}

#[test]
fn noise_counts_as_interference() {
    for (detection_db, snr_db, expected) in
        [(None, 3.0, 1), (Some(4.0), 3.0, 0), (Some(4.0), 5.0, 1)]
    {
        let mut b = cell(detection_db, [1e-10 * Db(snr_db).linear(), 0.0, 0.0]);
        for bss in b.cell.cells.iter_mut() {
            bss.levels.sensitivity = 0.0;
        }
        b.offer(NodeId(1), NodeId(0));
        b.run(b.now + Span::from_micros(1_000));
        assert_eq!(decoded(&b), [expected, 0, 0], "{detection_db:?} {snr_db}");
    }
}

/// Two equal frames begin together, and during them a frame 20 dB stronger.
#[test]
fn a_radio_that_has_not_locked_on_receives_a_later_frame() {
    for (detection_db, expected) in [(None, 0), (Some(4.0), 1)] {
        let mut b = cell(detection_db, [WEAK, WEAK, 100.0 * WEAK]);
        b.offer(NodeId(1), NodeId(0));
        b.offer(NodeId(2), NodeId(0));
        b.run(b.now + Span::from_micros(50));
        b.offer(NodeId(3), NodeId(0));
        b.run(b.now + Span::from_micros(1_000));
        assert_eq!(decoded(&b), [0, 0, expected], "{detection_db:?}");
    }
}

/// Stations 1 and 2 collide at station 4 with 6 dB between them, if `before`. Then stations 1 and 3
/// collide there with equal powers. Time from the end of this collision until station 4 sends.
fn access_after_collision(before: bool, detection_db: Option<f64>) -> Span {
    let mac = MacConfig { attempts: 1, ..MacConfig::default() };
    let mut plan = plan(5, Standard::A, mac, TimingConfig::default());
    plan.error = ErrorModel::new(&ErrorModelConfig::default()).unwrap();
    plan.capture = Capture::Sinr { late_db: 15.0 };
    plan.sensing.preamble_detection_sinr_db = detection_db;
    plan.power_mw = vec![vec![0.0; 5]; 5];
    for (sender, power) in [(1, WEAK), (2, WEAK / 4.0), (3, WEAK)] {
        plan.power_mw[sender][4] = power;
    }
    let mut b = Bench::new(plan, 1);
    b.run(Nanos(1_000_000));
    let collide = |b: &mut Bench, pair: [u32; 2]| {
        for station in pair {
            b.offer(NodeId(station), NodeId(0));
        }
        b.run(b.now);
        b.log.len()
    };
    if before {
        assert_eq!(collide(&mut b, [1, 2]), 2);
        // Until the back-off of station 1 has ended.
        b.run(b.now + Span::from_micros(1_000));
    }
    let sent = collide(&mut b, [1, 3]);
    let (start, frame) = b.log[sent - 1];
    assert_eq!((start, b.log[sent - 2].0), (b.now, b.now));
    b.run(b.now + Span::from_micros(50));
    b.offer(NodeId(4), NodeId(0));
    b.run(b.now + Span::from_micros(5_000));
    let timing = b.cell.cells.first().rules.timing;
    b.log[sent].0.since(start + timing.frame(frame.mode, frame.bytes))
}

/// EIFS - DIFS of 802.11a is 60 us.
#[test]
fn no_eifs_follows_a_collision_that_is_not_detected() {
    let plain = access_after_collision(false, Some(4.0));
    assert_eq!(access_after_collision(false, None), plain + Span::from_micros(60));
    // Nor does the EIFS that a frame before left behind.
    assert_eq!(access_after_collision(true, Some(4.0)), plain);
}

#[test]
fn impossible_thresholds_are_refused() {
    let sensing = Sensing { preamble_detection_sinr_db: Some(f64::NAN), ..Sensing::default() };
    let error = sensing.validate().unwrap_err().to_string();
    assert!(error.contains("preamble_detection_sinr_db"), "{error}");
}

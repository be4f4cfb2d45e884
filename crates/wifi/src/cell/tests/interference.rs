//! Interferers on a cell.

use super::*;
use crate::interference::bluetooth::formula::{
    IN_BAND, Voice, packet_collision_rate, scheduled_collision_rate,
};
use crate::interference::tests::Line;

const MS: u64 = 1_000_000;

fn bench(
    standard: Standard,
    n: usize,
    texts: &[&str],
    change: impl FnOnce(&mut CellPlan),
) -> Bench {
    let mut plan = plan(n, standard, MacConfig::default(), TimingConfig::default());
    let line = Line::new(n - 1);
    plan.interference = texts.iter().map(|text| line.build(text, 1).unwrap()).collect();
    change(&mut plan);
    Bench::new(plan, 1)
}

/// Station 1 is saturated with packets to station 0, the access point.
fn upload(standard: Standard, texts: &[&str], seconds: u64) -> Bench {
    let mut b = bench(standard, 2, texts, |_| {});
    b.saturated = vec![(NodeId(1), NodeId(0))];
    b.run(Nanos(seconds * 1000 * MS));
    b
}

fn data(b: &Bench, station: u32) -> ClassCounts {
    *b.cell.stats(NodeId(station)).class(Class::Data)
}

/// An interferer that is never on or reaches no station changes no frame.
#[test]
fn an_interferer_without_effect_changes_nothing() {
    let quiet = upload(Standard::A, &[], 2);
    for text in [
        "kind = \"periodic\"\non = \"0 s\"",
        "kind = \"periodic\"\non = \"0 s\"\nheard_by = [\"ap\", \"sta0\"]",
        "kind = \"periodic\"\non = \"0 s\"\nreach.received_dbm = -30",
        "kind = \"periodic\"\nreach.received_dbm = -150",
        "kind = \"microwave-oven\"\nreach = { position = [900, 0], range_m = 1 }",
        "kind = \"bluetooth\"\nin_band = 0",
        "kind = \"bluetooth\"\nslots = \"independent\"\nduty = 0",
        "kind = \"bluetooth\"\nreach = { position = [900, 0], range_m = 1 }",
    ] {
        let with = upload(Standard::A, &[text, text], 2);
        assert_eq!(with.log, quiet.log, "{text}");
        assert_eq!(with.delivered, quiet.delivered, "{text}");
        assert_eq!(data(&with, 1), data(&quiet, 1), "{text}");
    }
}

/// S0's capture: exactly the frames that overlap a window at the access point are lost. ACKs of the
/// access point are not, and the sender does not sense the interferer and keeps trying.
#[test]
fn a_capture_loses_exactly_the_frames_in_its_windows() {
    let capture = "kind = \"periodic\"\nphase = \"500 ms\"\nreach.stations = [\"ap\"]";
    let b = upload(Standard::A, &[capture], 7);
    let timing = Timing::new(Standard::A, &TimingConfig::default()).unwrap();
    let in_window = |(at, frame): &(Nanos, Frame)| {
        let end = *at + timing.frame(frame.mode, frame.bytes);
        (0..4).any(|k| {
            let begin = (500 + 2000 * k) * MS;
            end.0 > begin && at.0 < begin + 250 * MS
        })
    };
    let sent: Vec<_> = b.log.iter().filter(|(_, f)| f.kind == Kind::Data).copied().collect();
    let inside = sent.iter().filter(|entry| in_window(entry)).count() as u64;
    let counts = data(&b, 1);
    assert!(inside > 100, "{inside}");
    // One frame may be on the air at the end.
    assert_eq!(counts.interferer, inside);
    assert!(counts.sent - counts.decoded - inside <= 1, "{counts:?}");
    assert_eq!(counts.noise + counts.captured + counts.transmitter_side, 0);
    // One received ACK per frame outside the windows, and no others.
    let acks = b.cell.stats(NodeId(0)).class(Class::Ack);
    assert!(acks.decoded == acks.sent || acks.decoded + 1 == acks.sent);
    assert!(counts.decoded - acks.sent <= 1);
    // Seven attempts per packet: the windows determine the number of packets at the retry limit.
    let given_up = b.cell.stats(NodeId(1)).given_up;
    assert!(given_up >= inside / 7 - 4 && given_up <= inside / 7, "{given_up} {inside}");
}

/// Stations that sense an interferer defer; others do not.
#[test]
fn stations_defer_to_an_interferer_that_they_sense() {
    let text = "kind = \"periodic\"\nperiod = \"100 ms\"\non = \"40 ms\"\nphase = \"0 s\"\n\
                reach.stations = [\"sta1\"]\nheard_by = [\"sta0\"]";
    let mut b = bench(Standard::A, 3, &[text], |plan| plan.residual_error = 0.0);
    b.saturated = vec![(NodeId(1), NodeId(0))];
    b.run(Nanos(1000 * MS));
    let on = |at: Nanos| at.0 % (100 * MS) < 40 * MS;
    let data_starts = |b: &Bench| -> Vec<Nanos> {
        b.log.iter().filter(|(_, f)| f.from == NodeId(1)).map(|(at, _)| *at).collect()
    };
    let starts = data_starts(&b);
    assert!(starts.iter().all(|at| !on(*at)), "started while it was on");
    // 600 ms of the second remain, at 247 + 16 + 28 + 34 us and 7.5 slots each.
    assert!((starts.len() as f64 / (600.0 / 0.3935) - 1.0).abs() < 0.05, "{}", starts.len());
    // The back-off begins DIFS after the on-interval: all starts are a whole number of slots later.
    for k in 0..10 {
        let end = (100 * k + 40) * MS;
        let first = starts.iter().find(|at| at.0 >= end).unwrap();
        let wait = first.0 - end - 34_000;
        assert!(wait.is_multiple_of(9_000) && wait <= 15 * 9_000, "{k}: {wait}");
    }
    // Now the receiver senses it and the sender does not.
    let text = text.replace("heard_by = [\"sta0\"]", "heard_by = [\"ap\"]");
    let mut b = bench(Standard::A, 3, &[&text], |_| {});
    b.saturated = vec![(NodeId(1), NodeId(0))];
    b.run(Nanos(1000 * MS));
    let while_on = data_starts(&b).iter().filter(|at| on(**at)).count();
    assert!(while_on > 900, "{while_on}");
}

/// An interferer destroys frames if its power brings the SINR below the threshold, and only while it
/// is on.
#[test]
fn powers_add_to_the_noise() {
    // Frames arrive at -60 dBm, and the ideal receiver needs 0 dB.
    let run = |dbm: f64| {
        let text = format!(
            "kind = \"periodic\"\nperiod = \"10 ms\"\non = \"5 ms\"\nphase = \"0 s\"\n\
             reach = {{ stations = [\"ap\"], received_dbm = {dbm} }}\nheard_by = []"
        );
        upload(Standard::A, &[&text], 2)
    };
    assert_eq!(data(&run(-60.2), 1).interferer, 0);
    let counts = data(&run(-59.8), 1);
    assert!(counts.sent - counts.decoded - counts.interferer <= 1, "{counts:?}");
    assert!(counts.interferer > 500);
    // If its power makes the medium busy, stations defer. Only frames on the air at its start are lost.
    let text = "kind = \"periodic\"\nperiod = \"10 ms\"\non = \"5 ms\"\nphase = \"0 s\"\n\
                reach.received_dbm = -59.8";
    let counts = data(&upload(Standard::A, &[text], 2), 1);
    assert!((50..=200).contains(&counts.interferer), "{counts:?}");
}

/// Noise that changes over time: between two steps the noise is above the frames, and all frames are
/// lost to noise.
#[test]
fn steps_of_noise() {
    let mut b = bench(Standard::A, 2, &[], |plan| {
        plan.noise_steps = vec![(Nanos(500 * MS), 1e-5), (Nanos(1500 * MS), 1e-10)];
    });
    b.saturated = vec![(NodeId(1), NodeId(0))];
    let mut before = 0;
    let mut phase = |until: u64| {
        b.run(Nanos(until * MS));
        let done = b.delivered[0] - before;
        before = b.delivered[0];
        (done, data(&b, 1))
    };
    let (first, counts) = phase(500);
    assert!(first > 1200 && counts.noise == 0);
    let (second, counts) = phase(1500);
    assert!(second == 0 && counts.noise > 500, "{second} {counts:?}");
    let (third, after) = phase(2000);
    assert!(third > 1200 && after.noise <= counts.noise + 1);
    assert_eq!(after.interferer, 0);
}

/// 802.11b at 11 Mb/s with Bluetooth voice at the receiver: frame losses agree with the closed forms, by
/// S0's count and by the real overlap. The receiver's own ACKs are not lost.
#[test]
fn bluetooth_at_the_receiver() {
    let near = "kind = \"bluetooth\"\nreach.stations = [\"ap\"]";
    let timing = Timing::new(Standard::B, &TimingConfig::default()).unwrap();
    let mode = Standard::B.modes().last().unwrap();
    // Packets of 1500 bytes: the payload the formula counts.
    let time = timing.frame(mode, data_bytes(1500, false));
    for (voice, name) in [(Voice::Hv1, "HV1"), (Voice::Hv3, "HV3")] {
        let lambda = voice.s0_duty();
        let seed = format!(
            "{near}\nvoice = \"{name}\"\nslots = \"independent\"\nduty = {lambda}\n\
             in_band = 0.27\noverlap = \"payload-slots\""
        );
        let real = format!("{near}\nvoice = \"{name}\"");
        for (text, expected) in [
            (seed, packet_collision_rate(0.27 * lambda, 1)),
            (real, scheduled_collision_rate(voice, IN_BAND, time)),
        ] {
            let mut b = bench(Standard::B, 2, &[&text], |_| {});
            b.payload = 1500 - 28;
            b.saturated = vec![(NodeId(1), NodeId(0))];
            b.run(Nanos(20_000 * MS));
            let counts = data(&b, 1);
            assert!(counts.sent - counts.decoded - counts.interferer <= 1, "{counts:?}");
            let got = counts.interferer as f64 / counts.sent as f64;
            let deviation = (expected * (1.0 - expected) / counts.sent as f64).sqrt();
            assert!((got - expected).abs() < 4.0 * deviation, "{text}: {got} {expected}");
            assert_eq!(b.cell.stats(NodeId(0)).class(Class::Ack).interferer, 0);
        }
    }
    // At the sender it hits the ACKs: data frames arrive and are retransmitted.
    let at_sender = "kind = \"bluetooth\"\nvoice = \"HV1\"\nreach.stations = [\"sta0\"]";
    let b = upload(Standard::B, &[at_sender], 20);
    let acks = b.cell.stats(NodeId(0)).class(Class::Ack);
    let got = acks.interferer as f64 / acks.sent as f64;
    let expected = scheduled_collision_rate(Voice::Hv1, IN_BAND, timing.ack(mode));
    let deviation = (expected * (1.0 - expected) / acks.sent as f64).sqrt();
    assert!((got - expected).abs() < 4.0 * deviation, "{got} {expected}");
    assert_eq!(data(&b, 1).interferer, 0);
    assert!(b.delivered[0] < data(&b, 1).decoded);
}

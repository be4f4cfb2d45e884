//! S0's formula, its refinement and the event model against each other.

use airtcp_random::Seed;
use airtcp_units::{BitRate, Nanos, Span};

use super::formula::*;
use crate::interference::tests::Line;
use crate::interference::{Exposure, Interferer, Source};

const VOICES: [(Voice, &str); 3] = [(Voice::Hv1, "HV1"), (Voice::Hv2, "HV2"), (Voice::Hv3, "HV3")];

fn rate(kbps: u64) -> BitRate {
    BitRate::new(kbps * 1_000).unwrap()
}

/// S0's formula for 1500 bytes: slots, PCR, PER of 3 and of 7 attempts.
#[test]
fn the_formula_of_s0() {
    for (kbps, slots) in [(11_000, 1), (5_500, 3), (2_000, 9), (1_000, 19)] {
        assert_eq!(whole_slots(payload_time(1500, rate(kbps))), slots);
    }
    for (voice, slots, pcr, per3, per7) in [
        (Voice::Hv1, 1, 0.270, 1.97e-2, 1.0e-4),
        (Voice::Hv3, 1, 0.081, 5.3e-4, 2e-8),
        (Voice::Hv1, 3, 0.611, 0.228, 0.0318),
        (Voice::Hv1, 19, 0.9975, 0.992, 0.982),
        (Voice::Hv3, 19, 0.799, 0.510, 0.208),
    ] {
        let got = packet_collision_rate(S0_IN_BAND * voice.s0_duty(), slots);
        assert!((got / pcr - 1.0).abs() < 0.002, "{voice:?} {slots}: {got} {pcr}");
        for (attempts, per) in [(3, per3), (7, per7)] {
            let got = packet_error_rate(got, attempts);
            // The expected values have one to three digits.
            assert!((got / per - 1.0).abs() < 0.15, "{voice:?} {slots} {attempts}: {got} {per}");
        }
    }
    // Powers written out.
    let one = packet_collision_rate(0.27, 1);
    assert!((one - 0.27).abs() < 1e-15);
    assert!((packet_collision_rate(0.27, 3) - (1.0 - 0.73 * 0.73 * 0.73)).abs() < 1e-15);
    assert!((packet_error_rate(one, 3) - 0.019_683).abs() < 1e-15);
    assert_eq!(packet_collision_rate(0.27, 0).to_bits(), 0);
    assert!((packet_collision_rate(1.0, 2) - 1.0).abs() < 1e-15);
    // With preamble and MAC header it is two slots at 11 Mb/s.
    assert_eq!(whole_slots(payload_time(1536, rate(11_000)) + Span::from_micros(192)), 2);
}

/// If every slot carries a packet in band, a very short frame is hit with probability 366/625, and a
/// frame of 259 us or more always.
#[test]
fn the_refinement_at_its_limits() {
    assert!((overlap_collision_rate(1.0, Span(1)) - 366.0 / 625.0).abs() < 1e-5);
    assert!((overlap_collision_rate(1.0, Span::from_micros(259)) - 1.0).abs() < 1e-12);
    // 884 us is 259 + 625: two packets for certain.
    let two = overlap_collision_rate(0.1, Span::from_micros(884));
    assert!((two - 0.19).abs() < 1e-12, "{two}");
    // With every slot in use, a schedule is no different.
    for us in [1, 100, 304, 1091, 1303, 2500] {
        let time = Span::from_micros(us);
        let (a, b) =
            (overlap_collision_rate(0.2, time), scheduled_collision_rate(Voice::Hv1, 0.2, time));
        assert!((a - b).abs() < 1e-5, "{us}: {a} {b}");
    }
    // A schedule of two of six: 10 us overlap one of the two packets for 2 * 376 of 3750 us.
    let short = scheduled_collision_rate(Voice::Hv3, 1.0, Span::from_micros(10));
    assert!((short - 752.0 / 3750.0).abs() < 1e-5, "{short}");
}

/// Share of frames at random times that are hit.
fn hits(source: &Source, time: Span, payload: Span) -> f64 {
    let mut random = Seed::new(9).stream("frames");
    let hit = |_: &u64| {
        let from = Nanos(random.below(1 << 50));
        source.hits(&Exposure { station: 0, from, to: from + time, payload })
    };
    (0..FRAMES).filter(hit).count() as f64 / FRAMES as f64
}

const FRAMES: u64 = 100_000;

fn agree(got: f64, expected: f64, what: &str) {
    let deviation = (expected * (1.0 - expected) / FRAMES as f64).sqrt();
    assert!((got - expected).abs() < 4.0 * deviation + 2e-5, "{what}: {got} {expected}");
}

/// With S0's count of whole slots the event model agrees with S0's formula. With the real overlap it
/// agrees with the refinement, for independent and for scheduled slots.
#[test]
fn the_event_model_agrees_where_it_should() {
    let line = Line::new(1);
    for (voice, name) in VOICES {
        let link = |text: &str| {
            line.build(&format!("kind = \"bluetooth\"\nvoice = \"{name}\"\n{text}"), 3).unwrap()
        };
        let duty = voice.s0_duty();
        let seed = format!("slots = \"independent\"\nduty = {duty}\nin_band = 0.27");
        let as_s0 = link(&format!("{seed}\noverlap = \"payload-slots\""));
        let by_frame = link(&format!("{seed}\noverlap = \"frame-slots\""));
        let (drawn, scheduled) = (link("slots = \"independent\""), link(""));
        for kbps in [1_000, 2_000, 5_500, 11_000] {
            let payload = payload_time(1500, rate(kbps));
            let time = payload_time(1536, rate(kbps)) + Span::from_micros(192);
            let what = format!("{name} at {kbps} kb/s");
            let p = 0.27 * duty;
            agree(
                hits(&as_s0, time, payload),
                packet_collision_rate(p, whole_slots(payload)),
                &what,
            );
            agree(
                hits(&by_frame, time, payload),
                packet_collision_rate(p, whole_slots(time)),
                &what,
            );
            let p = IN_BAND * voice.duty();
            agree(hits(&drawn, time, payload), overlap_collision_rate(p, time), &what);
            agree(
                hits(&scheduled, time, payload),
                scheduled_collision_rate(voice, IN_BAND, time),
                &what,
            );
        }
        // A MAC acknowledgement of 304 us: never by S0's count.
        let ack = Span::from_micros(304);
        agree(hits(&as_s0, ack, Span::ZERO), 0.0, name);
        agree(
            hits(&scheduled, ack, Span::ZERO),
            scheduled_collision_rate(voice, IN_BAND, ack),
            name,
        );
    }
}

/// The on-time agrees with the schedule. A frame is hit exactly if the link is on during part of it.
#[test]
fn its_state_is_what_hits() {
    let line = Line::new(1);
    let source = line.build("kind = \"bluetooth\"\nvoice = \"HV2\"", 4).unwrap();
    let (mut at, mut on_time, mut changes) = (Nanos::ZERO, 0u64, 0);
    let end = Nanos(200_000_000_000);
    while at < end {
        let (on, until) = source.state(at);
        assert!(until > at);
        let frame = Exposure { station: 0, from: at, to: until, payload: Span::ZERO };
        assert_eq!(source.hits(&frame), on, "{at:?}");
        if on {
            on_time += until.since(at).0;
            changes += 1;
        }
        at = until;
    }
    let share = on_time as f64 / at.0 as f64;
    let expected = 366.0 / 625.0 * 0.5 * IN_BAND;
    // 160000 slots in use.
    assert!(
        (share / expected - 1.0).abs() < 4.0 * (0.722 / 0.278 / 160_000.0_f64).sqrt(),
        "{share}"
    );
    assert!(changes > 40_000);
}

/// Hop channels are the same for the same seed, and independent for another one.
#[test]
fn hops_depend_on_the_seed() {
    let line = Line::new(1);
    let pattern = |seed| -> Vec<bool> {
        let source =
            line.build("kind = \"bluetooth\"\nvoice = \"HV1\"\nphase = \"0 s\"", seed).unwrap();
        (0..2000).map(|slot| source.state(Nanos(slot * SLOT.0)).0).collect()
    };
    assert_eq!(pattern(1), pattern(1));
    let same = pattern(1).iter().zip(pattern(2)).filter(|(a, b)| **a == *b).count();
    // Independent: 1 - 2 q (1 - q) = 0.598 of 2000, standard deviation 22.
    assert!((same as f64 - 1196.0).abs() < 110.0, "{same}");
}

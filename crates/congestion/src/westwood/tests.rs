//! Westwood's filter against its closed forms, and Westwood's reactions. Segments of 1000 bytes.

use super::*;
use crate::LawState;
use airtcp_units::Narrow;

const MSS: u64 = 1000;

fn filter() -> Tustin {
    Tustin::new(&WestwoodConfig::default(), Nanos::ZERO)
}

fn at_ms(ms: u64) -> Nanos {
    Nanos::ZERO + Span::from_millis(ms)
}

/// A law that received an ACK of one segment every `gap_ms`, with a round-trip time of 100 ms.
fn fed(gap_ms: u64, acks: u64) -> Westwood {
    let params = LawParams {
        mss: u32::narrow(MSS),
        initial_window: 40 * MSS,
        initial_ssthresh: 2 * MSS,
        ..LawParams::default()
    };
    let mut law = Westwood::new(&WestwoodConfig::default());
    law.start(Nanos::ZERO, &params);
    for k in 1..=acks {
        let rtt = Some(Span::from_millis(100));
        let sample = AckSample { acked: MSS, rtt, min_rtt: rtt, ..AckSample::default() };
        law.on_ack(at_ms(k * gap_ms), &sample);
    }
    law
}

#[test]
fn two_samples_agree_with_values_computed_by_hand() {
    // tau 500 ms, dt 100 ms: a = 900/1100. First sample 10 segments in 100 ms = 100 kB/s.
    let mut f = filter();
    f.on_ack(at_ms(100), 10 * MSS);
    let first = (2.0 / 11.0) * (100_000.0 + 0.0) / 2.0;
    assert!((f.estimate - first).abs() < 1e-6, "{} {first}", f.estimate);
    // Second: one segment in 200 ms = 5 kB/s, a = 800/1200.
    f.on_ack(at_ms(300), MSS);
    let second = (2.0 / 3.0) * first + (1.0 / 3.0) * (5_000.0 + 100_000.0) / 2.0;
    assert!((f.estimate - second).abs() < 1e-6, "{} {second}", f.estimate);
}

/// At a constant rate `b` from zero, `1 - BWE/b` shrinks by `a` with every sample after the first,
/// whose trapezoid begins at zero.
#[test]
fn a_constant_rate_is_approached_exponentially() {
    let mut f = filter();
    for k in 1..=100 {
        f.on_ack(at_ms(10 * k), MSS);
    }
    let a: f64 = (1000.0 - 10.0) / (1000.0 + 10.0);
    let expected = 100_000.0 * (1.0 - (1.0 - (1.0 - a) / 2.0) * detmath::pow(a, 99.0));
    assert!((f.estimate / expected - 1.0).abs() < 1e-9, "{} {expected}", f.estimate);
    // That is 1 - e^-2 after two time constants, at any ACK spacing.
    let smooth = 100_000.0 * (1.0 - detmath::exp(-2.0));
    assert!((f.estimate / smooth - 1.0).abs() < 0.01);
}

#[test]
fn silence_decays_by_virtual_samples() {
    let mut f = filter();
    for k in 1..=1000 {
        f.on_ack(at_ms(10 * k), MSS);
    }
    let (full, end) = (f.estimate, 10_000);
    // No sample is due before a whole tau/m = 250 ms has passed.
    f.decay(at_ms(end + 250));
    assert_eq!(f.estimate.to_bits(), full.to_bits());
    // Each virtual sample keeps (2m - 1)/(2m + 1) = 3/5 of the estimate. The first averages zero with
    // the last real sample.
    f.decay(at_ms(end + 251));
    let first = 0.6 * full + 0.4 * 100_000.0 / 2.0;
    assert!((f.estimate - first).abs() < 1e-6);
    f.decay(at_ms(end + 1001));
    let fourth = first * 0.6 * 0.6 * 0.6;
    assert!((f.estimate - fourth).abs() < 1e-6, "{} {fourth}", f.estimate);
    // The result does not depend on how often the filter is called.
    let mut once = filter();
    for k in 1..=1000 {
        once.on_ack(at_ms(10 * k), MSS);
    }
    once.decay(at_ms(end + 1001));
    assert!((f.estimate - once.estimate).abs() < 1e-9);
    // Hours later the estimate is zero, without overflow.
    f.decay(at_ms(end + 36_000_000));
    assert!(f.estimate >= 0.0 && f.estimate < 1e-9);
}

/// An ACK every 300 ms, later than tau/m: a virtual sample after 250 ms, and a real one of 1/0.3
/// segments per second 50 ms later. In the steady state
/// `e = a (3/5 e + 2/5 b/2) + (1 - a) b/2` with `a = 950/1050`, which is half the rate.
#[test]
fn acks_more_than_tau_over_m_apart_count_half() {
    let mut f = filter();
    for k in 1..=100 {
        f.on_ack(at_ms(300 * k), MSS);
    }
    assert!((f.estimate - 1000.0 / 0.3 / 2.0).abs() < 1.0, "{}", f.estimate);
}

#[test]
fn acks_of_one_instant_are_one_sample() {
    let (mut one, mut many) = (filter(), filter());
    for k in 1..=50 {
        one.on_ack(at_ms(10 * k), 3 * MSS);
        for _ in 0..3 {
            many.on_ack(at_ms(10 * k), MSS);
        }
    }
    // The first of the ACKs of an instant completes a sample, and the others join the next sample. At
    // the end, `many` lacks only the last two ACKs.
    assert!(many.estimate.is_finite() && many.pending == 2 * MSS);
    assert!((many.estimate / one.estimate - 1.0).abs() < 0.05, "{}", many.estimate);
}

#[test]
fn reactions_set_the_window_to_the_estimate() {
    let loss = |kind| Congestion { kind, flight: 40 * MSS, restart: false };
    // 100 segments a second at 100 ms: 10 segments.
    let mut law = fed(10, 1000);
    law.on_congestion(at_ms(10_000), &loss(CongestionKind::FastRetransmit));
    assert!(law.cwnd().abs_diff(10 * MSS) < MSS / 100, "{}", law.cwnd());
    assert_eq!(law.ssthresh(), law.cwnd());
    law.on_spurious(at_ms(10_001));
    assert_eq!((law.cwnd(), law.ssthresh()), (40 * MSS, 2 * MSS));
    law.on_congestion(at_ms(10_002), &loss(CongestionKind::EcnCe));
    assert!(law.cwnd().abs_diff(10 * MSS) < MSS / 100, "{}", law.cwnd());
    // A window below the estimate stays, and slow start continues up to the estimate.
    law.limit_cwnd(4 * MSS);
    law.on_congestion(at_ms(10_003), &loss(CongestionKind::FastRetransmit));
    assert_eq!((law.cwnd(), law.state()), (4 * MSS, LawState::SlowStart));
    // A timeout after two seconds of silence uses the decayed estimate, at least two segments.
    law.on_congestion(at_ms(12_000), &loss(CongestionKind::Rto));
    assert_eq!((law.cwnd(), law.ssthresh()), (MSS, 2 * MSS));
    law.on_congestion(at_ms(14_000), &loss(CongestionKind::Persistent));
    assert_eq!((law.cwnd(), law.ssthresh()), (MSS, 2 * MSS));
}

#[test]
fn without_an_estimate_two_segments() {
    let mut law = fed(10, 0);
    law.on_congestion(
        at_ms(1),
        &Congestion { kind: CongestionKind::FastRetransmit, flight: 40 * MSS, restart: false },
    );
    assert_eq!((law.cwnd(), law.bandwidth()), (2 * MSS, None));
}

#[test]
fn keys_out_of_range_are_refused() {
    let read = |text: &str| serde_json::from_str::<WestwoodConfig>(text).unwrap();
    assert_eq!(read("{}"), WestwoodConfig::default());
    for (text, part) in
        [(r#"{"m": 1}"#, "m: 1 is out of range"), (r#"{"tau": "0 s"}"#, "tau: 0 s is out of range")]
    {
        let message = read(text).validate().unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
}

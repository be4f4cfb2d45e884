//! Linux's CUBIC against Linux's arithmetic, computed by hand.

use super::*;
use crate::fluid::{Fluid, MSS};
use crate::{
    CongestionControl, Cubic, LawParams, LawRules, LawState, Reno, RenoConfig, SlowStartKind,
};
use airtcp_units::Narrow;

fn config() -> CubicConfig {
    CubicConfig { rules: Some(LawRules::Linux), ..CubicConfig::default() }
}

fn path(config: CubicConfig, segments: u64, rtt_ms: u64) -> Fluid<Cubic> {
    Fluid::new(Cubic::new(&config), segments, Span::from_millis(rtt_ms))
}

/// Where `W_tcp` governs, growth is 8/15 of a segment per round trip, also above the window before
/// the loss, where RFC 9438 grows by a whole segment.
#[test]
fn in_the_friendly_region_growth_stays_below_a_segment() {
    let mut linux = path(config(), 50, 10);
    linux.congestion(CongestionKind::FastRetransmit);
    // 50 * 717 / 1024, rounded down.
    assert_eq!(linux.law.cwnd(), 35 * MSS);
    linux.run_to(0.5);
    let (w, expected) = (linux.window(), 35.0 + 50.0 * 8.0 / 15.0);
    assert!((w - expected).abs() <= 2.0, "{w} for {expected}");
    let mut rfc = path(CubicConfig::default(), 50, 10);
    rfc.congestion(CongestionKind::FastRetransmit);
    rfc.run_to(0.5);
    assert!(rfc.window() > 68.0, "35 + 15 + 1 per round trip: {}", rfc.window());
}

/// `beta_scale` is 15 for 717/1024. At a window of 10 the 19th segment of an epoch is the first
/// that raises `W_tcp` (18 = 10 * 15 / 8 is not above 18). A window below `W_tcp` grows at once.
#[test]
fn the_friendly_window_by_hand() {
    let config = config();
    // The curve's plateau is at the window.
    let mut linux = Linux { w_max: 10, d_min: Some(Span::ZERO), ..Linux::default() };
    let at = |n: u64| Nanos(n * 40_000_000);
    let mut w_tcp = Vec::new();
    for n in 0..40 {
        linux.count(at(n), 1, 10, &CubicConfig { c: 1e-6, ..config });
        w_tcp.push(linux.epoch.unwrap().w_tcp);
    }
    let first = |w| w_tcp.iter().position(|v| *v == w).unwrap() + 1;
    assert_eq!((first(11), first(12)), (19, 37));
    // `W_tcp` one above the window: one segment per 10 acknowledged; two above: one per 5.
    assert_eq!(linux.epoch.unwrap().count, 5);
}

/// A loss at 500: K is cbrt(150 / 0.4) = 7.211 s, the plateau 500.
#[test]
fn the_window_follows_the_curve() {
    let mut p = path(config(), 500, 100);
    p.congestion(CongestionKind::FastRetransmit);
    assert_eq!(p.law.cwnd(), 350 * MSS);
    for (t, w) in [(3.6, 481.2), (7.2, 500.0), (10.8, 518.7)] {
        p.run_to(t);
        assert!((p.window() / w - 1.0).abs() < 0.01, "{t} s: {} for {w}", p.window());
    }
}

/// Without a W_max, before a loss and after a timeout, the window grows by a twentieth per round
/// trip.
#[test]
fn before_a_loss_the_window_grows_by_a_twentieth() {
    for timeout in [false, true] {
        let mut p = path(config(), 100, 100);
        if timeout {
            p.congestion(CongestionKind::Rto);
            assert_eq!((p.law.cwnd(), p.law.ssthresh()), (MSS, 70 * MSS));
            while p.law.state() == LawState::SlowStart {
                p.ack(1);
            }
        }
        let (start, begin) = (p.window(), p.time);
        p.run_to(begin + 1.0);
        let factor = p.window() / start;
        // Ten round trips, compounded as the window grows within them: e^0.5.
        assert!((factor - 1.6487).abs() < 0.06, "{factor}");
    }
}

#[test]
fn fast_convergence_and_undo() {
    let mut p = path(config(), 1000, 100);
    p.congestion(CongestionKind::FastRetransmit);
    assert_eq!((p.law.cwnd(), p.law.linux.unwrap().w_max), (700 * MSS, 1000));
    p.congestion(CongestionKind::FastRetransmit);
    // 700 * (1024 + 717) / 2048.
    assert_eq!((p.law.cwnd(), p.law.linux.unwrap().w_max), (490 * MSS, 595));
    p.law.on_spurious(p.now());
    assert_eq!((p.law.cwnd(), p.law.linux.unwrap().w_max), (700 * MSS, 595), "W_max is not undone");
}

/// Marks and losses leave at least two segments.
#[test]
fn never_below_two_segments() {
    for kind in [CongestionKind::EcnCe, CongestionKind::FastRetransmit] {
        let mut p = path(config(), 2, 100);
        p.congestion(kind);
        assert_eq!(p.law.cwnd(), 2 * MSS);
    }
}

/// A pause moves the epoch forward; ACKs of a window that is not the limit do not.
#[test]
fn silence_moves_the_epoch() {
    let paused = |idle: bool| {
        let mut p = path(config(), 500, 100);
        p.congestion(CongestionKind::FastRetransmit);
        p.run_to(2.0);
        p.time += 4.0;
        if idle {
            let rto = Span::from_secs(10);
            let idle = Idle { idle: Span::from_secs(4), rto, restart: true, app_limited: true };
            p.law.on_idle(p.now(), &idle);
        }
        p.run_to(7.0);
        p.window()
    };
    // Three and seven seconds after the curve began.
    assert!((paused(true) - 470.0).abs() < 5.0, "{}", paused(true));
    assert!((paused(false) - 499.0).abs() < 5.0, "{}", paused(false));
}

/// Slow start on a path with a round-trip time that rises from the second round on, and on a path
/// that delivers ACKs in one train.
#[test]
fn hystart_leaves_slow_start() {
    let left_at = |rise_ms: u64, gap: Span, hystart: bool| {
        let params = LawParams {
            mss: u32::narrow(MSS),
            initial_window: 16 * MSS,
            slow_start: SlowStartKind::Standard,
            ..LawParams::default()
        };
        let mut law = Cubic::new(&CubicConfig { hystart, ..config() });
        law.start(Nanos(0), &params);
        let (mut now, mut acked) = (Nanos(0), 0);
        for round in 0..4_u64 {
            now = Nanos::from_secs_f64(0.1 * (round + 1) as f64);
            let window = law.cwnd() / MSS;
            for _ in 0..window {
                acked += 1;
                let rtt = Span::from_millis(100 + rise_ms * round);
                let sample = AckSample {
                    acked: MSS,
                    delivered: MSS,
                    acked_up_to: acked * MSS,
                    sent_up_to: acked * MSS + law.cwnd(),
                    rtt: Some(rtt),
                    srtt: Some(rtt),
                    min_rtt: Some(Span::from_millis(100)),
                    cwnd_limited: true,
                    ..AckSample::default()
                };
                law.on_ack(now, &sample);
                now += gap;
                if law.state() != LawState::SlowStart {
                    return Some((round, law.cwnd() / MSS));
                }
            }
        }
        let _ = now;
        None
    };
    let burst = Span::from_micros(10);
    assert_eq!(left_at(0, burst, true), None);
    // An eighth of 100 ms is 12.5 ms: a rise of 12 ms is not enough; one of 13 ms is, at the ninth
    // sample.
    assert_eq!(left_at(12, burst, true).map(|(round, _)| round), Some(2));
    assert_eq!(left_at(13, burst, true).map(|(round, _)| round), Some(1));
    // ACKs 1.8 ms apart: from the round of 32 on they span more than 50.5 ms.
    assert_eq!(left_at(0, Span::from_micros(1800), true).map(|(round, _)| round), Some(1));
    // ACKs more than 2 ms apart form no train.
    assert_eq!(left_at(0, Span::from_micros(2100), true), None);
    for (rise, gap) in [(13, burst), (0, Span::from_micros(1800))] {
        assert_eq!(left_at(rise, gap, false), None);
    }
}

/// The key of the law takes precedence over the connection's.
#[test]
fn the_laws_rules_take_precedence() {
    let linux = |own: Option<LawRules>, rules| {
        let mut law = Cubic::new(&CubicConfig { rules: own, ..CubicConfig::default() });
        law.start(Nanos(0), &LawParams { rules, ..LawParams::default() });
        law.linux.is_some()
    };
    assert!(!linux(None, LawRules::Documents) && linux(None, LawRules::Linux));
    assert!(linux(Some(LawRules::Linux), LawRules::Documents));
    assert!(!linux(Some(LawRules::Documents), LawRules::Linux));
}

/// CUBIC and Reno lose together, at windows below the region of the curve. CUBIC keeps 0.7 and
/// grows by 8/15 per round trip, which would give Reno's average (Floyd, Handley, Padhye 2000).
/// Whole segments, granted only when `W_tcp` is one ahead, cost a segment or two.
#[test]
fn averages_a_little_below_reno_where_friendliness_rules() {
    let mut linux = path(config(), 40, 10);
    let mut reno = Fluid::new(Reno::new(&RenoConfig::default()), 40, Span::from_millis(10));
    let mean = |v: Vec<f64>| v[10..].iter().sum::<f64>() / (v.len() - 10) as f64;
    let (a, b) = (mean(linux.periodic_losses(500, 40)), mean(reno.periodic_losses(500, 40)));
    assert!(a < b && b - a < 4.0, "{a} and {b}");
}

//! The window against the closed form and against the tables of RFC 9438.

use super::*;
use crate::LawState;
use crate::control::LawTable;
use crate::fluid::{self, Fluid, MSS};
use crate::{Reno, RenoConfig};
use airtcp_units::{Narrow, Saturate};

fn path(config: CubicConfig, segments: u64, rtt_ms: u64) -> Fluid<Cubic> {
    Fluid::new(Cubic::new(&config), segments, Span::from_millis(rtt_ms))
}

/// `C (t - K)^3 + W_max`, written independently of the law.
fn w_cubic(t: f64, w_max: f64, start: f64) -> f64 {
    let k = airtcp_units::detmath::cbrt((w_max - start) / 0.4);
    0.4 * (t - k) * (t - k) * (t - k) + w_max
}

fn off(measured: f64, expected: f64) -> f64 {
    (measured / expected - 1.0).abs()
}

/// A loss at 500 segments: 350 are kept, K is cbrt(150 / 0.4) = 7.211 s.
#[test]
fn the_window_follows_the_curve() {
    let mut p = path(CubicConfig::default(), 500, 100);
    p.congestion(CongestionKind::FastRetransmit);
    assert_eq!(p.law.cwnd(), 350 * MSS);
    let mut worst: f64 = 0.0;
    for tenths in 1..=150 {
        let t = f64::from(tenths) / 10.0;
        p.run_to(t);
        worst = worst.max(off(p.window(), w_cubic(p.time, 500.0, 350.0)));
    }
    assert!(worst < 0.005, "off by {worst:.4}");
    // At half the time the window has covered seven eighths; K is the plateau; the mirror image
    // follows.
    let mut p = path(CubicConfig::default(), 500, 100);
    p.congestion(CongestionKind::FastRetransmit);
    for (t, w) in [(3.6056, 481.25), (7.2112, 500.0), (10.8168, 518.75)] {
        p.run_to(t);
        assert!(off(p.window(), w) < 0.003, "{t} s: {} instead of {w}", p.window());
    }
}

/// The window at a time after the loss does not depend on the round-trip time.
#[test]
fn the_curve_is_the_same_for_every_round_trip_time() {
    for rtt_ms in [60, 100, 200, 400] {
        let mut p = path(CubicConfig::default(), 1000, rtt_ms);
        p.congestion(CongestionKind::FastRetransmit);
        p.run_to(5.0);
        let expected = w_cubic(5.0, 1000.0, 700.0);
        assert!(off(p.window(), expected) < 0.01, "{rtt_ms} ms: {} of {expected}", p.window());
    }
}

/// RTT 10 ms, loss at 50: 35 and 0.529 per round trip up to 50, then 1 per round trip.
#[test]
fn in_the_reno_friendly_region_the_window_grows_like_renos() {
    let mut p = path(CubicConfig::default(), 50, 10);
    p.congestion(CongestionKind::FastRetransmit);
    let alpha = 9.0 / 17.0;
    p.run_to(0.2);
    assert!(off(p.window(), 35.0 + alpha * 20.0) < 0.01, "{}", p.window());
    // The window reaches 50 after 15 / 0.529 round trips.
    let reached = 0.01 * 15.0 / alpha;
    p.run_to(reached + 0.2);
    assert!(off(p.window(), 50.0 + 20.0) < 0.01, "{}", p.window());
    // Without the Reno-friendly region only the curve is left.
    let mut p = path(CubicConfig { reno_friendly: false, ..CubicConfig::default() }, 50, 10);
    p.congestion(CongestionKind::FastRetransmit);
    p.run_to(1.0);
    assert!(off(p.window(), w_cubic(1.0, 50.0, 35.0)) < 0.01);
}

#[test]
fn the_target_is_at_most_half_a_window_more() {
    // The curve is far above the window: 1e6 * 0.1^3 = 1000 segments in the first round trip.
    let mut p = path(CubicConfig { c: 1e6, ..CubicConfig::default() }, 100, 100);
    p.run_to(0.1);
    let one = p.window();
    p.run_to(0.2);
    // 1.5 times the present window per round trip, compounded as the window grows: e^0.5.
    let most = airtcp_units::detmath::exp(0.5);
    assert!(off(p.window() / one, most) < 0.02, "{}", p.window() / one);
}

#[test]
fn fast_convergence_lowers_w_max() {
    let mut p = path(CubicConfig::default(), 1000, 100);
    p.congestion(CongestionKind::FastRetransmit);
    // A second loss at once, at 700: 0.85 * 700.
    p.congestion(CongestionKind::FastRetransmit);
    assert_eq!(p.law.growth.w_max, Some(595.0));
    assert_eq!(p.law.growth.cwnd_prior, Some(700.0));
    assert_eq!(p.law.cwnd(), 490 * MSS);
    p.run_to(4.0);
    assert!(off(p.window(), w_cubic(4.0, 595.0, 490.0)) < 0.01);
    let mut p = path(CubicConfig { fast_convergence: false, ..CubicConfig::default() }, 1000, 100);
    p.congestion(CongestionKind::FastRetransmit);
    p.congestion(CongestionKind::FastRetransmit);
    assert_eq!(p.law.growth.w_max, Some(700.0));
}

/// RFC 9438 section 4.8: after a timeout the curve begins on its plateau.
#[test]
fn after_a_timeout_the_plateau_is_at_the_threshold() {
    let mut p = path(CubicConfig::default(), 1000, 100);
    p.congestion(CongestionKind::Rto);
    assert_eq!((p.law.cwnd(), p.law.ssthresh()), (MSS, 700 * MSS));
    while p.law.state() == LawState::SlowStart {
        p.ack(1);
    }
    let (begin, start) = (p.time, p.window());
    p.run_to(begin + 10.0);
    let expected = start + 0.4 * 1000.0;
    assert!(off(p.window(), expected) < 0.02, "{} instead of {expected}", p.window());
}

/// After a start without a loss cwnd_prior is the window, so Reno-friendly growth equals Reno's.
#[test]
fn without_a_loss_the_plateau_is_where_avoidance_begins() {
    let mut p = path(CubicConfig::default(), 100, 100);
    p.run_to(2.0);
    assert!(off(p.window(), 120.0) < 0.01, "{}", p.window());
    assert_eq!(p.law.growth.cwnd_prior, Some(100.0));
}

#[test]
fn a_loss_keeps_flight_and_a_mark_goes_down_to_one() {
    let mut cubic = Cubic::new(&CubicConfig::default());
    let params = LawParams { mss: 1000, initial_window: 100_000, ..LawParams::default() };
    cubic.start(Nanos(0), &params);
    let mut react = |kind, flight| {
        cubic.on_congestion(Nanos(0), &Congestion { kind, flight, restart: false });
        (cubic.cwnd(), cubic.ssthresh())
    };
    assert_eq!(react(CongestionKind::FastRetransmit, 50_000), (35_000, 35_000));
    assert_eq!(react(CongestionKind::EcnCe, 35_000), (24_500, 24_500));
    assert_eq!(react(CongestionKind::FastRetransmit, 2500), (2000, 2000));
    assert_eq!(react(CongestionKind::EcnCe, 2000), (1400, 2000));
    assert_eq!(react(CongestionKind::EcnCe, 1000), (1000, 2000));
}

/// Time in which the application is the limit does not count: two seconds, a pause and two seconds
/// are four seconds.
#[test]
fn time_without_a_full_window_does_not_count() {
    let mut plain = path(CubicConfig::default(), 1000, 100);
    plain.congestion(CongestionKind::FastRetransmit);
    plain.run_to(4.0);
    let mut paused = path(CubicConfig::default(), 1000, 100);
    paused.congestion(CongestionKind::FastRetransmit);
    paused.run_to(2.0);
    let before = paused.law.cwnd();
    paused.limited = false;
    paused.run_to(7.0);
    assert_eq!(paused.law.cwnd(), before);
    paused.limited = true;
    paused.run_to(9.0);
    assert!(off(paused.window(), plain.window()) < 0.001);
    // The same with silence instead of ACKs.
    let mut silent = path(CubicConfig::default(), 1000, 100);
    silent.congestion(CongestionKind::FastRetransmit);
    silent.run_to(2.0);
    silent.time += 5.0;
    let idle = Idle {
        idle: Span::from_secs(5),
        rto: Span::from_secs(10),
        restart: true,
        app_limited: true,
    };
    silent.law.on_idle(silent.now(), &idle);
    silent.run_to(9.0);
    assert!(off(silent.window(), plain.window()) < 0.001);
}

#[test]
fn undone_at_once_leaves_no_trace() {
    fluid::undone_at_once_leaves_no_trace(|| Cubic::new(&CubicConfig::default()));
}

/// RFC 9438 section 4.9.2: an undo does not lower a window that has grown beyond the earlier one.
#[test]
fn a_late_undo_changes_nothing() {
    let mut p = path(CubicConfig::default(), 100, 50);
    p.congestion(CongestionKind::FastRetransmit);
    while p.window() <= 101.0 {
        p.ack(1);
    }
    let (before, ssthresh) = (p.law.cwnd(), p.law.ssthresh());
    p.law.on_spurious(p.now());
    assert_eq!((p.law.cwnd(), p.law.ssthresh()), (before, ssthresh));
}

/// Equation 5 of RFC 9438: the average window if every loss comes on the plateau.
fn equation_5(c: f64, rtt: f64, p: f64) -> f64 {
    let base = c * 3.7 / 1.2 * rtt * rtt * rtt / (p * p * p);
    base.sqrt().sqrt()
}

/// Equation 3 with 1 and 0.5: Reno's average window. RFC 9438 uses RFC 3649's 1.2, which is about
/// the root of 1.5.
fn reno(p: f64) -> f64 {
    (1.5 / p).sqrt()
}

/// RFC 9438 tables 1 and 2 for a loss every 1/p segments, once losses come on the plateau. Where
/// neither region dominates, the window is above both formulas: the curve leads Reno at first, and
/// Reno overtakes the plateau.
#[test]
fn average_windows_of_the_rfcs_tables() {
    for (rtt_ms, c, every, table) in [
        (100, 0.4, 100, 12.0),
        (100, 0.4, 1000, 38.0),
        (100, 0.4, 10_000, 187.0),
        (100, 0.4, 100_000, 1054.0),
        (100, 0.4, 1_000_000, 5926.0),
        (100, 0.4, 10_000_000, 33325.0),
        (100, 0.04, 10_000, 120.0),
        (100, 0.04, 100_000, 593.0),
        (100, 0.04, 1_000_000, 3332.0),
        (100, 4.0, 1000, 59.0),
        (100, 4.0, 10_000, 333.0),
        (100, 4.0, 100_000, 1874.0),
        (10, 0.4, 1000, 38.0),
        (10, 0.4, 10_000, 120.0),
        (10, 0.4, 100_000, 379.0),
        (10, 0.4, 1_000_000, 1200.0),
        (10, 4.0, 1_000_000, 1874.0),
    ] {
        let (p, rtt) = (1.0 / f64::from(every), rtt_ms as f64 / 1e3);
        let (curve, reno) = (equation_5(c, rtt, p), reno(p));
        // These two formulas give the table.
        assert!(off(curve.max(reno), table) < 0.035, "{table}: {curve:.1}, {reno:.1}");
        let config = CubicConfig { c, fast_convergence: false, ..CubicConfig::default() };
        // On the plateau the window is 4 / (3 + beta) of the average; Reno's peak 1 / 0.85.
        let peak = (curve * 4.0 / 3.7).max(reno / 0.85);
        let mut path = path(config, u64::saturate(peak), rtt_ms);
        let averages = path.periodic_losses(u64::narrow(every), 8);
        let average = averages[4..].iter().sum::<f64>() / 4.0;
        let ratio = average / curve.max(reno);
        let near = (curve / reno).max(reno / curve) < 1.3;
        let band = if near { 0.98..1.06 } else { 0.98..1.02 };
        assert!(band.contains(&ratio), "RTT {rtt_ms} ms, C {c}, 1/p {every}: {ratio:.3}");
    }
}

/// If losses come before or after the plateau, the window approaches it slowly, since the curve is
/// flat.
#[test]
fn the_plateau_attracts() {
    let expected = equation_5(0.4, 0.1, 1e-4);
    for share in [0.7, 1.3] {
        let config = CubicConfig { fast_convergence: false, ..CubicConfig::default() };
        let mut p = path(config, u64::saturate(expected * share * 4.0 / 3.7), 100);
        let averages = p.periodic_losses(10_000, 300);
        let (first, last) = (averages[0] / expected, averages[299] / expected);
        assert!((last - 1.0).abs() < 0.5 * (first - 1.0).abs(), "{first:.3} to {last:.3}");
    }
}

/// Section 3.3: if both flows lose together, Reno's shares are as the square of the round-trip
/// times and CUBIC's as the round-trip times, since CUBIC's windows are equal.
#[test]
fn shares_of_flows_that_lose_together() {
    let rtts = [Span::from_millis(50), Span::from_millis(200)];
    let reno = || Reno::new(&RenoConfig::default());
    let ratio = fluid::synchronised(reno, rtts, 2000.0, 2000.0);
    assert!(off(ratio, 16.0) < 0.05, "Reno: {ratio}");
    let cubic = || Cubic::new(&CubicConfig::default());
    let ratio = fluid::synchronised(cubic, rtts, 20_000.0, 2000.0);
    assert!(off(ratio, 4.0) < 0.1, "CUBIC: {ratio}");
}

#[test]
fn refusals_name_the_key() {
    let e = CubicConfig { beta_cubic: 1.0, ..CubicConfig::default() }.validate().unwrap_err();
    assert_eq!(e.key, "beta_cubic");
    let e = CubicConfig { c: f64::INFINITY, ..CubicConfig::default() }.validate().unwrap_err();
    assert_eq!(e.key, "c");
}

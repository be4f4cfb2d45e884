//! The window against the closed forms of the paper.

use super::*;
use crate::LawState;
use crate::fluid::{self, Fluid, MSS};
use airtcp_units::{Narrow, Saturate};

fn path(config: Cubic2008Config, segments: u64, rtt_ms: u64) -> Fluid<Cubic2008> {
    Fluid::new(Cubic2008::new(&config), segments, Span::from_millis(rtt_ms))
}

/// Equations 1 and 2 of the paper: K is cbrt(W_max beta / C).
fn paper(t: f64, w_max: f64) -> f64 {
    let k = airtcp_units::detmath::cbrt(w_max * 0.2 / 0.4);
    0.4 * (t - k) * (t - k) * (t - k) + w_max
}

fn off(measured: f64, expected: f64) -> f64 {
    (measured / expected - 1.0).abs()
}

/// A loss at 500 segments: 400 are kept, K is cbrt(500 * 0.2 / 0.4) = 6.300 s.
#[test]
fn the_window_follows_the_curve() {
    let mut p = path(Cubic2008Config::default(), 500, 100);
    p.congestion(CongestionKind::FastRetransmit);
    assert_eq!(p.law.cwnd(), 400 * MSS);
    let mut worst: f64 = 0.0;
    for tenths in 1..=150 {
        p.run_to(f64::from(tenths) / 10.0);
        worst = worst.max(off(p.window(), paper(p.time, 500.0)));
    }
    assert!(worst < 0.005, "off by {worst:.4}");
    let mut p = path(Cubic2008Config::default(), 500, 100);
    p.congestion(CongestionKind::FastRetransmit);
    for (t, w) in [(3.15, 487.5), (6.3, 500.0), (9.45, 512.5)] {
        p.run_to(t);
        assert!(off(p.window(), w) < 0.003, "{t} s: {} instead of {w}", p.window());
    }
}

/// Equation 4 of the paper: `W_max (1 - beta) + 3 beta / (2 - beta) t / RTT`, a third of a
/// segment per round trip.
#[test]
fn where_reno_is_faster_the_window_follows_reno() {
    let mut p = path(Cubic2008Config::default(), 100, 10);
    p.congestion(CongestionKind::FastRetransmit);
    p.run_to(2.0);
    let w_tcp = 80.0 + 2.0 / 0.01 / 3.0;
    assert!(off(p.window(), w_tcp) < 0.02, "{} of {w_tcp}", p.window());
    let mut p = path(Cubic2008Config { tcp_friendliness: false, ..Default::default() }, 100, 10);
    p.congestion(CongestionKind::FastRetransmit);
    p.run_to(2.0);
    assert!(off(p.window(), paper(2.0, 100.0)) < 0.01);
}

#[test]
fn fast_convergence_lowers_w_max() {
    let mut p = path(Cubic2008Config::default(), 1000, 100);
    p.congestion(CongestionKind::FastRetransmit);
    p.congestion(CongestionKind::FastRetransmit);
    assert!((p.law.cubic.w_max - 720.0).abs() < 1e-9, "{}", p.law.cubic.w_max);
    assert_eq!(p.law.cwnd(), 640 * MSS);
    // K is cbrt((720 - 640) / 0.4) = 5.848 s.
    p.run_to(5.848);
    assert!(off(p.window(), 720.0) < 0.003, "{}", p.window());
}

#[test]
fn a_timeout_resets() {
    let mut p = path(Cubic2008Config::default(), 1000, 100);
    p.congestion(CongestionKind::Rto);
    assert_eq!((p.law.cwnd(), p.law.ssthresh()), (MSS, 800 * MSS));
    assert!(p.law.d_min.is_none() && p.law.cubic.w_max == 0.0);
    while p.law.state() == LawState::SlowStart {
        p.ack(1);
    }
    let (begin, start) = (p.time, p.window());
    p.run_to(begin + 10.0);
    let expected = start + 0.4 * 1000.0;
    assert!(off(p.window(), expected) < 0.02, "{} instead of {expected}", p.window());
}

/// On the plateau the window grows by a hundredth of a segment per round trip.
#[test]
fn growth_never_stops() {
    let config = Cubic2008Config { tcp_friendliness: false, c: 1e-6, ..Default::default() };
    let mut p = path(config, 100, 100);
    p.run_to(10.0);
    assert!((p.window() - 101.0).abs() < 0.05, "{}", p.window());
}

/// The average window if every loss comes on the plateau, derived from equations 1 and 2 as in RFC
/// 9438: `(C (4 - beta) / (4 beta))^(1/4) (RTT / p)^(3/4)`.
#[test]
fn average_windows_under_periodic_losses() {
    for (rtt_ms, every) in [(100, 10_000), (100, 1_000_000), (50, 100_000)] {
        let per_loss = f64::from(every) * rtt_ms as f64 / 1e3;
        let base = 0.4 * 3.8 / 0.8 * per_loss * per_loss * per_loss;
        let expected = base.sqrt().sqrt();
        let config = Cubic2008Config { fast_convergence: false, ..Default::default() };
        let mut p = path(config, u64::saturate(expected * 4.0 / 3.8), rtt_ms);
        let averages = p.periodic_losses(u64::narrow(every), 8);
        let average = averages[4..].iter().sum::<f64>() / 4.0;
        assert!(off(average, expected) < 0.02, "{average} of {expected}");
    }
}

#[test]
fn undone_at_once_leaves_no_trace() {
    fluid::undone_at_once_leaves_no_trace(|| Cubic2008::new(&Cubic2008Config::default()));
}

#[test]
fn refusals_name_the_key() {
    let e = Cubic2008Config { beta: 1.0, ..Default::default() }.validate().unwrap_err();
    assert_eq!(e.key, "beta");
    let e = Cubic2008Config { c: 0.0, ..Default::default() }.validate().unwrap_err();
    assert_eq!(e.key, "c");
}

//! The search step by step, computed by hand from the table at the head of the law.

use super::*;
use airtcp_units::{Narrow, Saturate};

const MSS: u64 = 1000;

fn law(config: BicConfig) -> Bic {
    let params = LawParams {
        mss: u32::narrow(MSS),
        initial_window: 10 * MSS,
        initial_ssthresh: 10 * MSS,
        ..LawParams::default()
    };
    let mut bic = Bic::new(&config);
    bic.start(Nanos(0), &params);
    bic
}

/// Everything outstanding is acknowledged at once.
fn window_of_acks(bic: &mut Bic) {
    let sample = AckSample { acked: bic.cwnd(), cwnd_limited: true, ..AckSample::default() };
    bic.on_ack(Nanos(0), &sample);
}

fn loss(bic: &mut Bic, kind: CongestionKind) {
    bic.on_congestion(Nanos(0), &Congestion { kind, flight: bic.cwnd(), restart: false });
}

/// Loses a segment at a window of `segments` and returns the reduced window.
fn loses_at(bic: &mut Bic, segments: u64) -> u64 {
    bic.window.set_cwnd(segments * MSS);
    loss(bic, CongestionKind::FastRetransmit);
    bic.cwnd()
}

#[test]
fn the_search_approaches_the_last_maximum() {
    let mut bic = law(BicConfig::default());
    assert_eq!(loses_at(&mut bic, 1000), 800 * MSS);
    // Window, and growth per round trip for W = 1000.
    for (w, increment) in [
        (800, 16.0),
        // (1000 - 932) / 4 = 17.
        (932, 16.0),
        (935, 16.0),
        // (1000 - 940) / 4 = 15.
        (940, 15.0),
        (990, 2.0),
        // Seven segments below: 7 / 4 rounds to 1, where `smooth_part` applies.
        (993, 0.2),
        (999, 0.2),
        (1000, 0.2),
        (1003, 0.2),
        // Above the target: (w - W) / 3.
        (1004, 4.0 / 3.0),
        (1030, 10.0),
        (1047, 47.0 / 3.0),
        (1048, 16.0),
        (5000, 16.0),
    ] {
        bic.window.set_cwnd(w * MSS);
        assert!((bic.increment() - increment).abs() < 1e-12, "{w}: {}", bic.increment());
    }
    // Linux's factor when every segment is acknowledged; Reno below `low_window`.
    let mut bic = law(BicConfig { ack_ratio: 1.9375, ..BicConfig::default() });
    loses_at(&mut bic, 1000);
    for (w, increment) in [(14, 1.0), (800, 31.0), (940, 15.0 * 1.9375)] {
        bic.window.set_cwnd(w * MSS);
        assert!((bic.increment() - increment).abs() < 1e-12, "{w}: {}", bic.increment());
    }
    // ns-3's smooth part.
    let mut bic = law(BicConfig { smooth_part: 5, ..BicConfig::default() });
    loses_at(&mut bic, 1000);
    bic.window.set_cwnd(999 * MSS);
    assert!((bic.increment() - 0.8).abs() < 1e-12);
}

/// From 120 after a loss at 150: 127, 132, 136, 139, 141, 143, then 0.2 per round trip.
#[test]
fn round_trips_add_up() {
    let mut bic = law(BicConfig::default());
    assert_eq!(loses_at(&mut bic, 150), 120 * MSS);
    for expected in [127, 132, 136, 139, 141, 143] {
        // One window of ACKs, at the increment with which the window began.
        let (start, increment) = (bic.segments(), bic.increment());
        assert_eq!(start + u64::saturate(increment), expected);
        window_of_acks(&mut bic);
        assert_eq!(bic.segments(), expected);
    }
    for _ in 0..5 {
        window_of_acks(&mut bic);
    }
    assert_eq!(bic.segments(), 144, "a segment in five round trips");
}

#[test]
fn at_the_low_window_it_is_reno() {
    let mut bic = law(BicConfig::default());
    assert_eq!(loses_at(&mut bic, 14), 7 * MSS);
    for w in 7..14 {
        assert_eq!(bic.segments(), w);
        window_of_acks(&mut bic);
    }
    assert_eq!(loses_at(&mut bic, 15), 12 * MSS);
    assert_eq!(loses_at(&mut bic, 3), 2 * MSS, "two segments at least");
}

#[test]
fn an_early_loss_lowers_the_target() {
    for (how, target) in
        [(BicConvergence::Middle, 810), (BicConvergence::Kept, 720), (BicConvergence::Off, 900)]
    {
        let mut bic = law(BicConfig { fast_convergence: how, ..BicConfig::default() });
        loses_at(&mut bic, 1000);
        loses_at(&mut bic, 900);
        assert_eq!(bic.w_max, target, "{how:?}");
        loses_at(&mut bic, 950);
        assert_eq!(bic.w_max, 950, "{how:?}: not early");
    }
}

#[test]
fn after_a_timeout_the_window_grows_without_a_target() {
    let mut bic = law(BicConfig::default());
    loses_at(&mut bic, 1000);
    loss(&mut bic, CongestionKind::Rto);
    assert_eq!((bic.cwnd(), bic.ssthresh(), bic.w_max), (MSS, 640 * MSS, 0));
    // Without a target: a third of the window up to 47, then Smax, then a twentieth.
    for (w, increment) in [(30, 10.0), (100, 16.0), (640, 32.0)] {
        bic.window.set_cwnd(w * MSS);
        assert!((bic.increment() - increment).abs() < 1e-12, "{w}: {}", bic.increment());
    }
    let mut bic = law(BicConfig { timeout_forgets: false, ..BicConfig::default() });
    bic.window.set_cwnd(1000 * MSS);
    loss(&mut bic, CongestionKind::Rto);
    loss(&mut bic, CongestionKind::Persistent);
    assert_eq!(bic.w_max, 1000);
}

#[test]
fn an_undo_restores_the_target() {
    let mut bic = law(BicConfig::default());
    loses_at(&mut bic, 1000);
    bic.window.set_cwnd(900 * MSS);
    loss(&mut bic, CongestionKind::Rto);
    bic.on_spurious(Nanos(0));
    assert_eq!((bic.cwnd(), bic.ssthresh(), bic.w_max), (900 * MSS, 800 * MSS, 1000));
}

#[test]
fn undone_at_once_leaves_no_trace() {
    crate::fluid::undone_at_once_leaves_no_trace(|| Bic::new(&BicConfig::default()));
}

#[test]
fn refusals_name_the_key() {
    for (config, key) in [
        (BicConfig { beta: 1.0, ..BicConfig::default() }, "beta"),
        (BicConfig { beta: f64::NAN, ..BicConfig::default() }, "beta"),
        (BicConfig { binary_search: 1, ..BicConfig::default() }, "binary_search"),
        (BicConfig { smooth_part: 0, ..BicConfig::default() }, "smooth_part"),
    ] {
        assert_eq!(config.validate().unwrap_err().key, key);
    }
}

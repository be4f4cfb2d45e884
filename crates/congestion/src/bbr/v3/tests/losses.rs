//! Losses, marks and undo.

use super::*;
use airtcp_units::Saturate;

/// [A.6, A.21] The third loss in a flight of 100 segments is too much; in a flight of 150 it is the
/// fourth.
#[test]
fn losses_while_probing_set_the_long_term_bound() {
    for (tx, least) in [(100, 3), (150, 4)] {
        let mut f = up();
        for n in 1..=least {
            assert_eq!(f.state(), "probe-bw-up");
            f.lose(n * 10 * MSS, n, tx * MSS);
        }
        assert_eq!(f.state(), "probe-bw-down");
        // lost_prefix = (0.02 (tx - 1) - (n - 1)) / 0.98 of a segment, below zero here.
        let exact =
            (tx - 1) as f64 + ((0.02 * (tx - 1) as f64 - (least - 1) as f64) / 0.98).max(0.0);
        assert_eq!(f.law.inflight_longterm(), Some(u64::saturate(exact * MSS as f64)));
        assert!(f.law.prev_probe_too_high && !f.law.is_bw_probe_sample);
        // Only once per probe.
        let bound = f.law.inflight_longterm();
        f.lose(900 * MSS, least + 1, 10 * MSS);
        assert_eq!(f.law.inflight_longterm(), bound);
    }
    // The bound is at least 0.7 of the target, and application-limited samples do not set it.
    let mut f = up();
    f.lose(0, 1, 20 * MSS);
    assert_eq!(f.law.inflight_longterm(), Some(70 * MSS));
    let mut f = up();
    let lost =
        Lost { app_limited: true, bytes: MSS, lost: 9 * MSS, tx_in_flight: BDP, ..Lost::default() };
    f.law.on_lost(f.now, &lost);
    assert_eq!((f.state(), f.law.inflight_longterm()), ("probe-bw-down", None));
}

/// The point in a large packet at which losses passed the threshold: `lost / inflight = 0.02`
/// there.
#[test]
fn inflight_at_loss_solves_its_equation() {
    let f = up();
    let lost = Lost { bytes: 10_000, tx_in_flight: 110_000, lost: 11_000, ..Lost::default() };
    let at: f64 = f.law.inflight_at_loss(&lost) as f64;
    assert!((100_000.0..110_000.0).contains(&at), "{at}");
    let lost_then: f64 = 1000.0 + (at - 100_000.0);
    assert!((lost_then / at - 0.02).abs() < 1e-5, "{lost_then} of {at}");
}

/// After a probe with losses, the next probe only touches the bound. If that is safe, another probe
/// follows at once and stays.
#[test]
fn the_probe_after_a_loss_is_a_precaution() {
    let mut f = bounded_up();
    f.law.prev_probe_too_high = true;
    f.within(Span(1), |s| s.pipe = 150 * MSS - 1);
    assert_eq!(f.state(), "probe-bw-up");
    f.within(Span(1), |s| s.pipe = 150 * MSS);
    assert_eq!(f.state(), "probe-bw-down");
    assert!(f.law.prev_probe_precautionary && !f.law.prev_probe_too_high);
    let mut lossy = Feed { law: f.law.clone(), ..f };
    f = Feed { law: lossy.law.clone(), ..lossy };
    f.round_with(RATE, |s| s.pipe = 120 * MSS);
    assert_eq!(f.state(), "probe-bw-refill", "safe: no cruise in between");
    assert!(!f.law.prev_probe_precautionary);
    // Losses of data sent in that probe make it unsafe.
    for n in 1..=4 {
        lossy.lose(n * 10 * MSS, n, 150 * MSS);
    }
    lossy.round_with(RATE, |s| s.pipe = 120 * MSS);
    assert_eq!(lossy.state(), "probe-bw-down");
}

/// Outside probing, a round with losses leaves the larger of the delivered bytes and 0.7 of the
/// bound.
#[test]
fn losses_in_cruise_set_the_short_term_bounds() {
    let mut f = cruise();
    let cwnd = f.law.cwnd();
    f.lose(0, 1, BDP);
    f.round_with(RATE * 6 / 10, |s| {
        (s.in_recovery, s.in_fast_recovery) = (true, true);
        s.rate.as_mut().unwrap().delivered = 60 * MSS;
    });
    // The round before the loss also counts, since it is the latest.
    assert_eq!(f.law.bw_shortterm, RATE);
    f.lose(20 * MSS, 1, BDP);
    f.round_with(RATE * 6 / 10, |s| s.rate.as_mut().unwrap().delivered = 60 * MSS);
    assert_eq!(f.law.bw(), RATE * 7 / 10);
    assert!(near(f.pacing(), 0.7 * 0.99));
    assert!(f.law.inflight_shortterm < cwnd);
    f.lose(40 * MSS, 1, BDP);
    f.round_with(RATE * 6 / 10, |s| s.rate.as_mut().unwrap().delivered = 60 * MSS);
    assert_eq!(f.law.bw(), RATE * 6 / 10, "not below what is delivered");
    assert_eq!(f.law.bandwidth().unwrap().bps(), RATE, "the long-term model is as it was");
    // A round without loss leaves the bounds unchanged.
    f.round_with(RATE * 5 / 10, |_| ());
    assert_eq!(f.law.bw(), RATE * 6 / 10);
    let mut f = up();
    f.lose(0, 1, BDP);
    f.round(RATE);
    assert_eq!(f.law.bw_shortterm, INFINITY, "not while probing");
}

#[test]
fn recovery_restores_what_the_model_allows() {
    let mut f = cruise();
    let before = f.law.cwnd();
    f.episode(CongestionKind::FastRetransmit);
    assert_eq!(f.law.cwnd(), before, "the model answers, not the episode");
    f.law.limit_cwnd(60 * MSS);
    f.within(Span(1), |s| (s.in_recovery, s.in_fast_recovery) = (true, true));
    assert_eq!(f.law.cwnd(), 62 * MSS);
    f.within(Span(1), |s| s.in_fast_recovery = true);
    assert!((before..=f.law.max_inflight()).contains(&f.law.cwnd()));
    let before = f.law.cwnd();
    f.episode(CongestionKind::Rto);
    f.episode(CongestionKind::Persistent);
    assert_eq!((f.law.cwnd(), f.law.ssthresh()), (MSS, before));
    f.within(Span(1), |s| (s.in_recovery, s.pipe) = (true, 0));
    assert_eq!(f.law.cwnd(), 4 * MSS);
    f.within(Span(1), |_| ());
    assert!((before..=f.law.max_inflight()).contains(&f.law.cwnd()));
}

/// [A.18, A.19] An undo restores bounds, window and state.
#[test]
fn an_undo_gives_back_bounds_window_and_state() {
    for timeout in [false, true] {
        let mut f = up();
        let before = f.law.cwnd();
        // A timeout is reported before the losses it causes, a fast retransmit after them.
        if timeout {
            f.episode(CongestionKind::Rto);
        }
        for n in 1..=4 {
            f.lose(n * 10 * MSS, n, BDP);
        }
        if !timeout {
            f.episode(CongestionKind::FastRetransmit);
        }
        assert_eq!(f.state(), "probe-bw-down");
        assert!(f.law.inflight_longterm().is_some());
        f.law.on_spurious(f.now);
        assert_eq!((f.state(), f.law.inflight_longterm()), ("probe-bw-refill", None));
        assert_eq!(f.law.cwnd(), before);
    }
    // The loss ends Startup; the undo returns to it.
    let mut f = startup();
    f.round(RATE);
    f.law.bw = RATE;
    f.law.leave_startup_full();
    f.law.state = State::Drain;
    f.law.on_spurious(f.now);
    assert!(f.state() == "startup" && !f.law.full_bw_reached);
    // The undo removes the short-term bounds of a spurious loss.
    let mut f = cruise();
    f.lose(0, 1, BDP);
    f.episode(CongestionKind::FastRetransmit);
    f.round_with(RATE / 2, |s| (s.in_recovery, s.in_fast_recovery) = (true, true));
    assert_ne!(f.law.inflight_shortterm, INFINITY);
    f.law.on_spurious(f.now);
    assert_eq!((f.law.bw_shortterm, f.law.inflight_shortterm), (INFINITY, INFINITY));
}

/// Without SACK, an episode counts as a loss.
#[test]
fn without_sack_an_episode_is_enough() {
    let plain = LawParams { selective_acks: false, ..params() };
    let mut f = Feed::new(new(), &plain);
    f.round(RATE);
    f.episode(CongestionKind::FastRetransmit);
    f.within(Span(1), |s| (s.in_recovery, s.in_fast_recovery, s.pipe) = (true, true, 2 * BDP));
    assert_eq!(f.state(), "drain");
    let mut f = up();
    f.law.params.selective_acks = false;
    f.episode(CongestionKind::FastRetransmit);
    assert_eq!((f.state(), f.law.inflight_longterm()), ("probe-bw-down", Some(BDP)));
}

/// The draft demands that a mark be treated as congestion.
#[test]
fn marks_are_congestion() {
    let mut f = startup();
    f.round(RATE);
    f.episode(CongestionKind::EcnCe);
    f.within(Span(1), |s| s.pipe = 2 * BDP);
    assert_eq!(f.state(), "drain");
    let mut f = up();
    f.episode(CongestionKind::EcnCe);
    assert_eq!((f.state(), f.law.inflight_longterm()), ("probe-bw-down", Some(BDP)));
    let mut f = cruise();
    f.episode(CongestionKind::EcnCe);
    f.round_with(RATE / 2, |_| ());
    assert_ne!(f.law.inflight_shortterm, INFINITY);
}

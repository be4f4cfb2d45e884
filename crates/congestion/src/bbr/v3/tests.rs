//! Gains, bounds and transitions of version 3, with hand-made acknowledgements. Numbers in brackets
//! are those of the draft's appendix A.

mod losses;
mod probing;

use super::super::feed::{BDP, Feed, MSS, RATE, RTT, near, params};
use super::*;
use crate::LawTable;
use airtcp_units::Saturate;

fn new() -> Bbr {
    Bbr::new(&BbrConfig::default())
}

fn startup() -> Feed<Bbr> {
    Feed::new(new(), &params())
}

/// Runs Startup and Drain at `RATE`.
fn cruise() -> Feed<Bbr> {
    let mut f = startup();
    for _ in 0..4 {
        f.round(RATE);
    }
    assert_eq!(f.state(), "probe-bw-cruise");
    // The window reaches the model's two BDPs.
    f.round(RATE);
    f.round(RATE);
    f
}

fn refill() -> Feed<Bbr> {
    let mut f = cruise();
    f.now = f.law.cycle_stamp + f.law.bw_probe_wait;
    f.within(Span(1), |_| ());
    assert_eq!(f.state(), "probe-bw-refill");
    f
}

fn up() -> Feed<Bbr> {
    let mut f = refill();
    f.round(RATE);
    assert_eq!(f.state(), "probe-bw-up");
    f
}

/// Up, with a long-term bound of 150 segments from an earlier probe.
fn bounded_up() -> Feed<Bbr> {
    let mut f = up();
    f.law.inflight_longterm = 150 * MSS;
    f
}

#[test]
fn the_first_rate_is_the_initial_window_per_round_trip() {
    let f = startup();
    assert!(near(f.pacing(), 2.77 * 0.1), "{}", f.pacing());
    let mut f = Feed::new(new(), &LawParams { srtt: None, ..params() });
    assert!(near(f.pacing(), 2.77 * 10.0));
    f.round(80_000);
    assert!(near(f.pacing(), 2.77 * 0.1), "{}", f.pacing());
}

/// [A.1, A.3]
#[test]
fn startup_ends_on_a_plateau_and_drain_when_the_queue_is_gone() {
    let mut f = startup();
    let mut rate = 800_000;
    for (factor, state) in [
        (2.0, "startup"),
        (2.0, "startup"),
        (1.25, "startup"),
        (1.24, "startup"),
        (1.0, "startup"),
        (1.0, "drain"),
    ] {
        rate = u32::saturate(f64::from(rate) * factor);
        f.round_with(u64::from(rate), |s| s.pipe = 2 * BDP);
        assert_eq!(f.state(), state, "after a factor of {factor}");
        let gain = if state == "drain" { 0.5 } else { 2.77 };
        let expected = gain * 0.99 * f64::from(rate) / RATE as f64;
        assert!(near(f.pacing(), expected), "{}", f.pacing());
    }
    assert!(f.law.full_bw_now && f.law.full_bw_reached);
    // The budget of three quanta is below a BDP and adds nothing.
    let bdp = volume(1.0, u64::from(rate), RTT);
    f.within(Span(1), |s| s.pipe = bdp + 1);
    assert_eq!(f.state(), "drain");
    f.within(Span(1), |s| s.pipe = bdp);
    assert_eq!(f.state(), "probe-bw-cruise");
}

/// [A.4]
#[test]
fn drain_ends_after_three_rounds_at_the_latest() {
    let mut f = startup();
    for _ in 0..4 {
        f.round_with(RATE, |s| s.pipe = 2 * BDP);
    }
    for _ in 0..3 {
        f.round_with(RATE, |s| s.pipe = 2 * BDP);
        assert_eq!(f.state(), "drain");
    }
    f.round_with(RATE, |s| s.pipe = 2 * BDP);
    assert_eq!(f.state(), "probe-bw-down");
}

/// [A.2] Losses end Startup after a full round in fast recovery with more than 2 % lost in at least
/// six ranges. Each condition is needed.
#[test]
fn startup_ends_on_losses_even_if_limited_by_the_application() {
    for (ranges, lost, fast, ends) in
        [(6, 3, true, true), (5, 3, true, false), (6, 2, true, false), (6, 3, false, false)]
    {
        let mut f = startup();
        f.round(RATE);
        for n in 0..6 {
            // A run of two lost segments is one range.
            let start = if n < ranges { 10 * n } else { 10 * (ranges - 1) + n - ranges + 1 };
            f.lose(start * MSS, n + 1, BDP);
        }
        if fast {
            f.episode(CongestionKind::FastRetransmit);
        }
        let repairing = |s: &mut AckSample| {
            (s.in_fast_recovery, s.in_recovery, s.pipe) = (fast, fast, 2 * BDP);
            let rate = s.rate.as_mut().unwrap();
            (rate.app_limited, rate.lost, rate.tx_in_flight) = (true, lost * MSS, BDP);
            rate.delivered = 120 * MSS;
        };
        f.within(Span(1), repairing);
        assert_eq!(f.state(), "startup", "the round is not over");
        f.round_with(RATE, repairing);
        assert_eq!(f.state() == "drain", ends, "{ranges} ranges, {lost} lost, {fast}");
        if ends {
            // The larger of the BDP and what a round trip delivered.
            assert_eq!(f.law.inflight_longterm(), Some(120 * MSS));
        }
    }
}

/// [A.7]
#[test]
fn samples_limited_by_the_application_end_no_probe_and_lower_no_estimate() {
    for mut f in [startup(), up()] {
        f.round(RATE);
        let state = f.state();
        for _ in 0..20 {
            f.now = f.law.probe_rtt_min_stamp;
            f.round_with(RATE / 10, |s| s.rate.as_mut().unwrap().app_limited = true);
            assert_eq!(f.state(), state);
        }
        assert_eq!(f.law.bandwidth().unwrap().bps(), RATE);
        f.round_with(2 * RATE, |s| s.rate.as_mut().unwrap().app_limited = true);
        assert_eq!(f.law.bandwidth().unwrap().bps(), 2 * RATE);
    }
}

/// [A.10, A.20]
#[test]
fn probe_rtt_halves_what_is_in_flight() {
    for filled in [true, false] {
        let mut f = if filled { cruise() } else { startup() };
        f.round(RATE);
        let (before, state) = (f.law.cwnd(), f.state());
        let late = |s: &mut AckSample| s.rtt = Some(RTT + Span::from_millis(20));
        f.now = f.law.probe_rtt_min_stamp + Span::from_secs(5);
        f.law.cycle_stamp = f.now;
        f.within(Span::ZERO, late);
        assert_eq!(f.state(), state);
        f.within(Span(1), late);
        assert_eq!((f.state(), f.law.cwnd()), ("probe-rtt", BDP / 2));
        assert_eq!(f.law.min_rtt(), Some(RTT), "ten seconds, not five");
        assert_eq!(f.law.ssthresh(), before.max(f.law.prior_cwnd));
        let few = |s: &mut AckSample| s.pipe = BDP / 2;
        f.within(Span::from_millis(50), |s| s.pipe = BDP / 2 + 1);
        f.within(Span::from_millis(50), few);
        f.within(Span::from_millis(200), few);
        f.within(Span(1), few);
        assert_eq!(f.state(), "probe-rtt", "no round is over yet");
        f.law.bw_shortterm = RATE / 2;
        f.round_with(RATE / 2, few);
        assert_eq!(f.state(), if filled { "probe-bw-cruise" } else { "startup" });
        assert!(f.law.cwnd() >= before, "{} of {before}", f.law.cwnd());
        assert_eq!(
            f.law.bandwidth().unwrap().bps(),
            RATE,
            "samples that BBR itself limits do not count"
        );
        assert_eq!(f.law.bw_shortterm, INFINITY);
    }
}

/// The minimum of ten seconds, refreshed by ProbeRTT every five seconds.
#[test]
fn min_rtt_is_the_minimum_of_ten_seconds() {
    let mut f = cruise();
    let longer = Span::from_millis(130);
    let at = |f: &mut Feed<Bbr>, s: f64| {
        f.now = Nanos::from_secs_f64(s);
        f.within(Span::ZERO, |s| s.rtt = Some(longer));
    };
    let first = f.law.min_rtt_stamp.as_secs_f64();
    at(&mut f, first + 5.1);
    assert_eq!(f.law.min_rtt(), Some(RTT));
    at(&mut f, first + 9.9);
    assert_eq!(f.law.min_rtt(), Some(RTT));
    at(&mut f, first + 10.1);
    assert_eq!(f.law.min_rtt(), Some(longer));
}

/// [A.11]
#[test]
fn after_a_pause_no_probe_rtt() {
    let mut f = up();
    f.now += Span::from_secs(20);
    let idle = |app_limited| Idle {
        idle: Span::from_secs(20),
        rto: Span::from_secs(1),
        restart: true,
        app_limited,
    };
    let cwnd = f.law.cwnd();
    f.law.on_idle(f.now, &idle(false));
    assert!(near(f.pacing(), 1.25 * 0.99), "the peer's window was closed");
    f.law.on_idle(f.now, &idle(true));
    assert!(near(f.pacing(), 0.99) && f.law.idle_restart);
    f.within(RTT, |s| s.rtt = Some(RTT * 2));
    assert_ne!(f.state(), "probe-rtt");
    assert!(!f.law.idle_restart && f.law.cwnd() >= cwnd);
}

/// [A.12, A.13] The excess of aggregated ACKs over the bandwidth enlarges the window for ten
/// rounds.
#[test]
fn aggregated_acks_widen_the_window() {
    let mut f = cruise();
    f.law.extra_acked.reset();
    f.law.extra_acked_delivered = 0;
    // A BDP in one ACK each round trip, ten times, then evenly spaced ACKs.
    for _ in 0..3 {
        f.now += RTT;
        let sample = f.sample(100, f.delivered, RATE);
        f.ack(&sample);
    }
    assert_eq!(f.law.extra_acked.get(), 100 * MSS);
    assert_eq!(f.law.max_inflight(), 2 * BDP + 100 * MSS);
    // A pause ends the epoch. Otherwise the excess would persist at exactly the bandwidth.
    f.now += RTT * 4;
    for n in 0..13 {
        for _ in 0..100 {
            f.now += RTT / 100;
            let prior = if f.delivered.is_multiple_of(100 * MSS) { f.delivered } else { 0 };
            let mut sample = f.sample(1, prior, RATE);
            sample.pipe = BDP;
            f.ack(&sample);
        }
        let extra = f.law.extra_acked.get();
        match n {
            0..10 => assert_eq!(extra, 100 * MSS, "round {n}"),
            12.. => assert!(extra <= 2 * MSS, "round {n}: {extra}"),
            _ => {}
        }
    }
}

#[test]
fn refuses_what_cannot_work() {
    let d = BbrConfig::default();
    for (config, key) in [
        (BbrConfig { startup_pacing_gain: 0.5, ..d }, "startup_pacing_gain"),
        (BbrConfig { drain_pacing_gain: 0.0, ..d }, "drain_pacing_gain"),
        (BbrConfig { beta: 1.1, ..d }, "beta"),
        (BbrConfig { loss_thresh: f64::NAN, ..d }, "loss_thresh"),
        (BbrConfig { headroom: 1.0, ..d }, "headroom"),
        (BbrConfig { extra_acked_filter_len: 0, ..d }, "extra_acked_filter_len"),
        (BbrConfig { min_rtt_filter_len: Span::from_secs(4), ..d }, "min_rtt_filter_len"),
    ] {
        assert!(config.validate().unwrap_err().to_string().contains(key));
    }
    d.validate().unwrap();
}

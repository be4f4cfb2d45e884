//! The cycle of ProbeBW.

use super::*;

#[test]
fn cruising_paces_one_percent_below_the_estimate_with_two_products_of_window() {
    let f = cruise();
    assert!(near(f.pacing(), 0.99));
    assert_eq!(f.law.extra_acked.get(), 50 * MSS, "half a BDP at once");
    assert_eq!(f.law.cwnd(), 2 * BDP + 50 * MSS);
}

/// [A.14] Below four segments the minimum window replaces the BDP.
#[test]
fn the_minimum_window_is_four_segments() {
    let mut f = startup();
    for _ in 0..10 {
        f.now += RTT;
        let mut sample = f.sample(1, f.delivered, 80_000);
        sample.pipe = 4 * MSS;
        f.ack(&sample);
    }
    // 80 kb/s is one segment in 100 ms. The budget is three quanta of two segments, two more in UP.
    assert!((6 * MSS..=8 * MSS).contains(&f.law.cwnd()), "{}", f.law.cwnd());
    assert!(near(f.pacing(), f.law.pacing_gain() * 0.01 * 0.99));
    f.law.inflight_shortterm = 1;
    f.within(Span(1), |_| ());
    assert_eq!(f.law.cwnd(), 4 * MSS);
}

/// Two to three seconds, or as many round trips as Reno would take, drawn from the seed.
#[test]
fn probes_come_after_a_random_wait() {
    let mut waits = Vec::new();
    for seed in 0..200 {
        let mut f = Feed::new(new(), &LawParams { seed, ..params() });
        for _ in 0..4 {
            f.round(RATE);
        }
        let wait = f.law.bw_probe_wait;
        assert!((Span::from_secs(2)..Span::from_secs(3)).contains(&wait));
        waits.push((wait.as_secs_f64(), f.law.rounds_since_probe_up));
        f.now = f.law.cycle_stamp + wait;
        f.within(Span::ZERO, |_| ());
        assert_eq!(f.state(), "probe-bw-cruise");
        f.within(Span(1), |_| ());
        assert_eq!(f.state(), "probe-bw-refill");
    }
    let mean = waits.iter().map(|w| w.0).sum::<f64>() / 200.0;
    // Five standard errors of 200 uniform draws.
    assert!((mean - 2.5).abs() < 5.0 * 0.289 / 14.1, "{mean}");
    let ones = waits.iter().filter(|w| w.1 == 1).count();
    assert!(ones.abs_diff(100) < 36, "{ones}");
    // At a round trip of 1 ms, 62 or 63 rounds take less than two seconds.
    let mut f = cruise();
    let first = f.law.rounds.count - f.law.rounds_since_probe_up;
    while f.state() == "probe-bw-cruise" {
        f.now += Span::from_millis(1);
        let mut sample = f.sample(50, f.delivered, RATE);
        sample.pipe = BDP;
        f.ack(&sample);
    }
    assert_eq!(f.law.rounds.count - first, 63);
}

#[test]
fn a_round_of_refilling_then_up() {
    let mut f = cruise();
    (f.law.bw_shortterm, f.law.inflight_shortterm) = (RATE / 2, BDP);
    f.law.prev_probe_precautionary = true;
    f.now = f.law.cycle_stamp + f.law.bw_probe_wait;
    f.within(Span(1), |_| ());
    assert_eq!(f.state(), "probe-bw-refill");
    assert_eq!((f.law.bw_shortterm, f.law.inflight_shortterm), (INFINITY, INFINITY));
    assert!(near(f.pacing(), 0.99) && !f.law.is_bw_probe_sample);
    f.within(Span(1), |_| ());
    assert_eq!(f.state(), "probe-bw-refill");
    f.round(RATE);
    assert_eq!(f.state(), "probe-bw-up");
    assert!(near(f.pacing(), 1.25 * 0.99) && f.law.is_bw_probe_sample);
    // 2.25 BDP, the ACK aggregation, and two segments.
    f.round(RATE);
    f.round(RATE);
    assert_eq!(f.law.max_inflight(), 225 * MSS + f.law.extra_acked.get() + 2 * MSS);
}

/// [A.5, A.8]
#[test]
fn up_ends_on_a_plateau_and_down_when_drained() {
    let mut f = up();
    for _ in 0..2 {
        f.round_with(RATE, |s| s.pipe = 150 * MSS);
        assert_eq!(f.state(), "probe-bw-up");
    }
    f.round_with(RATE, |s| s.pipe = 150 * MSS);
    assert_eq!(f.state(), "probe-bw-down");
    assert!(near(f.pacing(), 0.9 * 0.99));
    f.within(Span(1), |s| s.pipe = BDP + 1);
    assert_eq!(f.state(), "probe-bw-down");
    // With a long-term bound, there must also be 15 % of headroom below it.
    f.law.inflight_longterm = 110 * MSS;
    f.within(Span(1), |s| s.pipe = BDP);
    assert_eq!(f.state(), "probe-bw-down");
    f.within(Span(1), |s| s.pipe = 93_500);
    assert_eq!(f.state(), "probe-bw-cruise");
    assert_eq!(f.law.cwnd(), 93_500);
}

/// One round trip after UP, the bandwidth of the cycle before the last expires.
#[test]
fn the_bandwidth_is_that_of_two_cycles() {
    let mut f = cruise();
    let mut seen = Vec::new();
    for _ in 0..3 {
        f.now = f.law.cycle_stamp + f.law.bw_probe_wait;
        (f.law.probe_rtt_min_stamp, f.law.min_rtt_stamp) = (f.now, f.now);
        while f.state() != "probe-bw-down" {
            f.round(RATE / 2);
        }
        f.round_with(RATE / 2, |s| s.pipe = 10 * MSS);
        assert_eq!(f.state(), "probe-bw-cruise");
        seen.push(f.law.bandwidth().unwrap().bps());
    }
    assert_eq!(seen, [RATE, RATE / 2, RATE / 2], "{:?}", f.law.max_bw);
    let mut f = cruise();
    f.law.max_bw = [2 * RATE, RATE];
    f.law.advance_max_bw_filter();
    assert_eq!(f.law.max_bw(), RATE);
    f.law.advance_max_bw_filter();
    assert_eq!(f.law.max_bw(), RATE, "a cycle without a sample does not count");
}

/// [A.9]
#[test]
fn down_ends_in_a_probe_when_it_is_time() {
    let mut f = up();
    for _ in 0..3 {
        f.round_with(RATE, |s| s.pipe = 150 * MSS);
    }
    assert_eq!(f.state(), "probe-bw-down");
    f.now = f.law.cycle_stamp + f.law.bw_probe_wait;
    f.law.probe_rtt_min_stamp = f.now;
    f.within(Span(1), |s| s.pipe = 150 * MSS);
    assert_eq!(f.state(), "probe-bw-refill");
}

/// While the bound limits, it rises by one segment in the first round, two in the second, and so
/// on.
#[test]
fn the_bound_rises_exponentially() {
    let mut f = bounded_up();
    (f.law.cwnd, f.law.probe_up_acked_per_inc) = (150 * MSS, 150 * MSS);
    let mut grown = Vec::new();
    for _ in 0..5 {
        let before = f.law.inflight_longterm;
        // A window is acknowledged in 150 steps of one segment; the last step ends the round.
        for n in 0..150 {
            let ends = n == 149;
            f.now += RTT / 150;
            let prior = if ends { f.delivered } else { 0 };
            let mut s = f.sample(1, prior, RATE * 2);
            s.pipe = f.law.inflight_longterm;
            (s.rate.as_mut().unwrap().tx_in_flight, f.law.bw) = (1, RATE * 2);
            f.ack(&s);
        }
        assert_eq!(f.state(), "probe-bw-up");
        grown.push((f.law.inflight_longterm - before) / MSS);
    }
    let mut total = 0;
    for (round, grown) in grown.iter().enumerate() {
        total += grown;
        // A step can fall into the next round.
        assert!(total.abs_diff((2 << round) - 1) <= 1, "round {round}: {total}");
    }
    // The bound stays if the window does not limit sending.
    let bound = f.law.inflight_longterm;
    f.round_with(RATE * 2, |s| s.cwnd_limited = false);
    assert_eq!(f.law.inflight_longterm, bound);
    // A flight without loss shows that its size is safe.
    f.round_with(RATE * 2, |s| {
        s.cwnd_limited = false;
        s.rate.as_mut().unwrap().tx_in_flight = bound + 7;
    });
    assert_eq!(f.law.inflight_longterm, bound + 7);
}

/// [A.22]
#[test]
fn a_refill_without_data_teaches_nothing() {
    let mut f = refill();
    f.round_with(RATE / 20, |s| s.rate.as_mut().unwrap().app_limited = true);
    assert_eq!((f.state(), f.law.bandwidth().unwrap().bps()), ("probe-bw-up", RATE));
}

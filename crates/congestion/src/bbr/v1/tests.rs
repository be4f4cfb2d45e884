//! Gains and transitions of version 1, with hand-made acknowledgements.

use super::super::feed::{BDP, Feed, MSS, RATE, RTT, near, params};
use super::*;
use crate::LawTable;
use airtcp_units::Saturate;

fn startup() -> Feed<Bbr1> {
    Feed::new(Bbr1::new(&Bbr1Config::default()), &params())
}

/// Runs Startup and Drain at `RATE`.
fn probe_bw() -> Feed<Bbr1> {
    let mut f = startup();
    for _ in 0..4 {
        f.round(RATE);
    }
    assert_eq!(f.state(), "probe-bw");
    f
}

/// Runs until the phase with this gain begins.
fn until_gain(f: &mut Feed<Bbr1>, gain: f64) {
    for _ in 0..20 {
        f.now += RTT + Span(1);
        let mut sample = f.sample(50, f.delivered, RATE);
        sample.prior_pipe = 2 * BDP;
        f.ack(&sample);
        if near(f.law.pacing_gain, gain) {
            return;
        }
    }
    panic!("never came to {gain}");
}

#[test]
fn the_first_rate_is_the_initial_window_per_round_trip() {
    let f = startup();
    // 10 kB in 100 ms is 0.8 Mb/s.
    assert!(near(f.pacing(), 2.885 * 0.1), "{}", f.pacing());
    assert_eq!(f.law.cwnd(), 10 * MSS);
    // Without a sample, the law assumes a round-trip time of 1 ms until the first sample.
    let mut f = Feed::new(Bbr1::new(&Bbr1Config::default()), &LawParams { srtt: None, ..params() });
    assert!(near(f.pacing(), 2.885 * 10.0));
    f.round(80_000);
    assert!(near(f.pacing(), 2.885 * 0.1), "{}", f.pacing());
}

#[test]
fn startup_lasts_until_three_rounds_bring_less_than_a_quarter() {
    let mut f = startup();
    let mut rate = 400_000;
    for _ in 0..4 {
        rate *= 2;
        f.round(rate);
        assert!(near(f.pacing(), 2.885 * rate as f64 / RATE as f64));
    }
    // Growth by a half or a quarter counts as growth. Three rounds of less growth end Startup.
    for (factor, state) in [(1.25, "startup"), (1.24, "startup"), (1.0, "startup"), (0.5, "drain")]
    {
        rate = u64::saturate(rate as f64 * factor);
        f.round_with(rate, |s| s.pipe = 3 * BDP);
        assert_eq!(f.state(), state, "after a factor of {factor}");
    }
    assert!(f.law.filled_pipe);
    let bw = f.law.bandwidth().unwrap().bps() as f64;
    assert!(near(f.pacing(), bw / 2.885 / RATE as f64));
}

#[test]
fn limited_samples_neither_end_startup_nor_lower_the_estimate() {
    let mut f = startup();
    f.round(RATE);
    for _ in 0..30 {
        f.round_with(RATE / 10, |s| s.rate.as_mut().unwrap().app_limited = true);
    }
    assert_eq!((f.state(), f.law.bandwidth().unwrap().bps()), ("startup", RATE));
    // A sample above the estimate counts even if it is limited.
    f.round_with(2 * RATE, |s| s.rate.as_mut().unwrap().app_limited = true);
    assert_eq!(f.law.bandwidth().unwrap().bps(), 2 * RATE);
}

/// Ten rounds after the last high sample, the estimate is the maximum of the later samples.
#[test]
fn the_bandwidth_is_forgotten_after_ten_rounds() {
    let mut f = probe_bw();
    for n in 1..=11 {
        f.round(RATE / 2);
        assert_eq!(f.law.bandwidth().unwrap().bps(), if n <= 10 { RATE } else { RATE / 2 });
    }
}

#[test]
fn drain_ends_when_one_product_is_in_flight() {
    let mut f = startup();
    for _ in 0..4 {
        f.round_with(RATE, |s| s.pipe = 3 * BDP);
    }
    assert_eq!(f.state(), "drain");
    // The budget is three quanta of two segments.
    f.within(Span(1000), |s| s.pipe = BDP + 6 * MSS + 1);
    assert_eq!(f.state(), "drain");
    f.within(Span(1000), |s| s.pipe = BDP + 6 * MSS);
    assert_eq!(f.state(), "probe-bw");
    assert_eq!(f.law.inflight(2.0), 2 * BDP + 6 * MSS);
}

/// A phase lasts RTprop. The phase of 5/4 also waits until its gain's worth is in flight or a
/// segment is lost. The phase of 3/4 ends early if the bytes in flight are down to the BDP.
#[test]
fn the_gain_cycle() {
    let mut f = probe_bw();
    until_gain(&mut f, 1.25);
    assert!(near(f.pacing(), 1.25));
    let reached = f.law.inflight(1.25);
    f.within(RTT, |s| s.prior_pipe = reached);
    assert!(near(f.law.pacing_gain, 1.25), "not longer than RTprop yet");
    f.within(Span(1), |s| s.prior_pipe = reached - 1);
    assert!(near(f.law.pacing_gain, 1.25), "not enough in flight");
    f.within(Span(1), |s| s.prior_pipe = reached);
    assert!(near(f.law.pacing_gain, 0.75));
    let drained = f.law.inflight(1.0);
    f.within(Span(1), |s| s.prior_pipe = drained + 1);
    assert!(near(f.law.pacing_gain, 0.75));
    f.within(Span(1), |s| s.prior_pipe = drained);
    // Six phases of one RTprop each.
    for phase in 2..8 {
        assert!(near(f.law.pacing_gain, 1.0));
        assert_eq!(f.law.cycle_index, phase);
        f.within(RTT, |_| ());
        assert_eq!(f.law.cycle_index, phase);
        f.within(Span(1), |_| ());
    }
    assert!(near(f.law.pacing_gain, 1.25));
    // A loss ends the phase after RTprop.
    f.within(RTT + Span(1), |s| (s.prior_pipe, s.lost) = (BDP, MSS));
    assert!(near(f.law.pacing_gain, 0.75));
}

#[test]
fn any_phase_but_that_of_three_quarters_comes_first() {
    let mut seen = [0; 8];
    for seed in 0..700 {
        let mut f = Feed::new(Bbr1::new(&Bbr1Config::default()), &LawParams { seed, ..params() });
        for _ in 0..4 {
            f.round(RATE);
        }
        seen[f.law.cycle_index] += 1;
    }
    assert_eq!(seen[1], 0);
    let others: Vec<_> = [0, 2, 3, 4, 5, 6, 7].iter().map(|i| seen[*i]).collect();
    // Five standard deviations of a binomial around 100.
    assert!(others.iter().all(|n: &i32| n.abs_diff(100) < 47), "{seen:?}");
}

#[test]
fn probe_rtt_holds_four_segments_for_200_ms_and_a_round() {
    for filled in [true, false] {
        let mut f = if filled { probe_bw() } else { startup() };
        f.round(RATE);
        let (before, state) = (f.law.cwnd(), f.state());
        assert!(before > 50 * MSS);
        // Ten seconds with a longer round trip, then one more ACK.
        let late = |s: &mut AckSample| s.rtt = Some(RTT + Span::from_millis(20));
        f.now = f.law.rtprop_stamp + Span::from_secs(10);
        f.within(Span::ZERO, late);
        assert_eq!(f.state(), state);
        f.within(Span(1), late);
        assert_eq!((f.state(), f.law.cwnd()), ("probe-rtt", 4 * MSS));
        assert_eq!(
            f.law.min_rtt(),
            Some(RTT + Span::from_millis(20)),
            "the old minimum has expired"
        );
        assert_eq!(f.law.ssthresh(), before.max(f.law.prior_cwnd));
        // The 200 ms begin when four segments are in flight. A shorter round-trip time replaces
        // RTprop.
        f.within(Span::from_millis(50), |s| s.pipe = 5 * MSS);
        f.within(Span::from_millis(50), |s| (s.pipe, s.rtt) = (4 * MSS, Some(RTT)));
        assert_eq!(f.law.min_rtt(), Some(RTT));
        f.within(Span::from_millis(200), |s| s.pipe = 4 * MSS);
        assert_eq!(f.state(), "probe-rtt");
        f.within(Span(1), |s| s.pipe = 4 * MSS);
        assert_eq!(f.state(), "probe-rtt", "no round is over yet");
        // BBR itself limits the samples from here on.
        f.round_with(RATE / 20, |s| s.pipe = 4 * MSS);
        assert_eq!(f.state(), if filled { "probe-bw" } else { "startup" });
        assert!(f.law.cwnd() >= before, "{} of {before}", f.law.cwnd());
        assert_eq!(f.law.bandwidth().unwrap().bps(), RATE);
    }
}

/// Recovery's first round sends one packet per delivered packet, later rounds two; then the window
/// is restored.
#[test]
fn recovery_conserves_packets_and_restores() {
    let mut f = probe_bw();
    f.round(RATE);
    f.round(RATE);
    let before = f.law.cwnd();
    assert_eq!(before, 2 * BDP + 6 * MSS);
    let repairing = |s: &mut AckSample| (s.in_fast_recovery, s.in_recovery) = (true, true);
    f.episode(CongestionKind::FastRetransmit);
    f.within(Span(1), |s| {
        repairing(s);
        (s.pipe, s.lost) = (80 * MSS, 3 * MSS);
    });
    assert_eq!(f.law.cwnd(), 82 * MSS, "bytes in flight plus bytes delivered");
    f.within(Span(1), |s| {
        repairing(s);
        (s.pipe, s.lost) = (70 * MSS, 10 * MSS);
    });
    assert_eq!(f.law.cwnd(), 72 * MSS);
    f.within(Span(1), |s| {
        repairing(s);
        s.pipe = 70 * MSS;
    });
    assert_eq!(f.law.cwnd(), 72 * MSS, "no growth in the first round");
    f.round_with(RATE, |s| {
        repairing(s);
        s.pipe = 20 * MSS;
    });
    assert_eq!(f.law.cwnd(), (72 + 50) * MSS, "as much more as was delivered");
    // A lost retransmission begins another episode, but no second first round.
    f.episode(CongestionKind::FastRetransmit);
    assert!(!f.law.packet_conservation && f.law.recovery == RecoveryKind::Running);
    f.within(Span(1), |s| {
        repairing(s);
        s.lost = MSS;
    });
    assert_eq!(f.law.cwnd(), (122 - 1 + 2) * MSS);
    assert_eq!(f.law.ssthresh(), before);
    // The ACK that ends the recovery.
    f.within(Span(1), |s| s.in_fast_recovery = true);
    assert_eq!(f.law.cwnd(), before);
}

#[test]
fn a_timeout_leaves_one_segment_and_the_end_of_recovery_or_an_undo_restores() {
    for undone in [false, true] {
        let mut f = probe_bw();
        f.round(RATE);
        f.round(RATE);
        let before = f.law.cwnd();
        f.episode(CongestionKind::Rto);
        assert_eq!(f.law.cwnd(), MSS);
        f.episode(CongestionKind::Persistent);
        assert_eq!((f.law.cwnd(), f.law.ssthresh()), (MSS, before));
        if undone {
            f.law.on_spurious(f.now);
            assert_eq!(f.law.cwnd(), before);
            // Nothing is left to restore.
            f.law.limit_cwnd(10 * MSS);
            f.law.on_spurious(f.now);
            assert_eq!(f.law.cwnd(), 10 * MSS);
            continue;
        }
        f.within(Span(1), |s| (s.in_recovery, s.pipe) = (true, 0));
        assert_eq!(f.law.cwnd(), 4 * MSS, "the minimum window");
        f.within(Span(1), |s| (s.in_recovery, s.pipe) = (true, 0));
        assert_eq!(f.law.cwnd(), 6 * MSS);
        f.within(Span(1), |_| ());
        assert_eq!(f.law.cwnd(), before);
    }
}

#[test]
fn after_a_pause_bbr_paces_at_the_estimate_without_probe_rtt() {
    let mut f = probe_bw();
    until_gain(&mut f, 1.25);
    let cwnd = f.law.cwnd();
    f.now += Span::from_secs(20);
    let idle = |app_limited| Idle {
        idle: Span::from_secs(20),
        rto: Span::from_secs(1),
        restart: true,
        app_limited,
    };
    f.law.on_idle(f.now, &idle(false));
    assert!(near(f.pacing(), 1.25), "the peer's window was closed");
    f.law.on_idle(f.now, &idle(true));
    assert!(near(f.pacing(), 1.0));
    f.within(RTT, |s| s.rtt = Some(RTT * 2));
    assert_eq!(f.state(), "probe-bw");
    assert!(f.law.cwnd() >= cwnd, "the window is as it was");
    assert_eq!(f.law.min_rtt(), Some(RTT * 2), "expired and measured again");
}

#[test]
fn marks_are_not_answered() {
    let mut f = probe_bw();
    let before = f.law.cwnd();
    f.episode(CongestionKind::EcnCe);
    assert_eq!(f.law.cwnd(), before);
}

#[test]
fn refuses_what_cannot_work() {
    for (config, key) in [
        (Bbr1Config { high_gain: 0.5, ..Bbr1Config::default() }, "high_gain"),
        (Bbr1Config { cwnd_gain: f64::NAN, ..Bbr1Config::default() }, "cwnd_gain"),
        (Bbr1Config { btlbw_filter_len: 0, ..Bbr1Config::default() }, "btlbw_filter_len"),
        (Bbr1Config { min_pipe_cwnd: 0, ..Bbr1Config::default() }, "min_pipe_cwnd"),
        (Bbr1Config { pacing_margin: Some(0.6), ..Bbr1Config::default() }, "pacing_margin"),
    ] {
        assert!(config.validate().unwrap_err().to_string().contains(key));
    }
    Bbr1Config::default().validate().unwrap();
}

/// A fifth and more is lost at a steady 4 Mb/s, while the maximum sample is 8 Mb/s. By Linux's
/// rules the path is policed at 4 Mb/s, and the law does not probe.
#[test]
fn linuxs_rules_detect_a_policer() {
    for rules in [LawRules::Documents, LawRules::Linux] {
        let config = Bbr1Config { rules: Some(rules), ..Bbr1Config::default() };
        let mut f = Feed::new(Bbr1::new(&config), &params());
        for _ in 0..4 {
            f.round(RATE);
        }
        for _ in 0..12 {
            f.lost += 12 * MSS;
            f.round_with(RATE, |s| s.lost = 12 * MSS);
        }
        let linux = rules == LawRules::Linux;
        let bw = f.law.bandwidth().unwrap().bps();
        assert_eq!(bw, if linux { RATE / 2 } else { RATE });
        assert_eq!(near(f.pacing(), 0.99 * 0.5), linux, "{}", f.pacing());
        // An undo reports that nothing was lost.
        f.law.on_spurious(f.now);
        assert_eq!(f.law.bandwidth().unwrap().bps(), RATE);
    }
}

/// By Linux's rules windows are even, two segments larger while probing, and include the ACK
/// aggregation.
#[test]
fn windows_by_linuxs_rules() {
    let window = |rules| {
        let config = Bbr1Config {
            rules: Some(rules),
            ack_aggregation: Some(false),
            ..Bbr1Config::default()
        };
        let mut f = Feed::new(Bbr1::new(&config), &params());
        for _ in 0..8 {
            f.round(RATE - 40_000);
        }
        f.law.cycle_index = 3;
        let plain = f.law.inflight(2.0);
        f.law.cycle_index = 0;
        (plain, f.law.inflight(2.0))
    };
    // 199 segments in flight and three quanta of two.
    assert_eq!(window(LawRules::Documents), (205_000, 205_000));
    assert_eq!(window(LawRules::Linux), (206_000, 208_000));
}

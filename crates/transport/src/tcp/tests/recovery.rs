//! Textbook examples of the four recoveries, with exact windows. Segments of 1000 bytes, 100 ms
//! round trip, an ACK for every segment, no queue.

use airtcp_packet::Side;
use airtcp_probe::Event;
use airtcp_units::{Bytes, Nanos};

use super::pair::{Fate, Pair, at, ms};
use crate::tcp::{PartialAckTimer, Recovery, RecoveryExit, RttSampling, TcpConfig};

const MSS: u64 = 1000;

fn config(recovery: Recovery) -> TcpConfig {
    TcpConfig {
        mss: MSS as u16,
        recovery,
        initial_window: Some(1),
        ack_every: 1,
        rto_min: ms(400),
        limited_transmit: false,
        ..TcpConfig::default()
    }
}

/// Runs an endless transfer in which the listed data segments (counted from 0, by first
/// transmission) are lost once per occurrence in the list.
fn run(config: &TcpConfig, lost: &[u64], until: Nanos) -> Pair {
    let mut left = lost.to_vec();
    let iss = u32::MAX - 3000;
    let mut pair = Pair::new(config, ms(50)).script(move |side, _, s| {
        if side == Side::Server || s.len == 0 {
            return Fate::Deliver;
        }
        let number = u64::from(s.seq.0.wrapping_sub(iss).wrapping_sub(1)) / MSS;
        match left.iter().position(|&n| n == number) {
            Some(i) => {
                left.remove(i);
                Fate::Drop
            }
            None => Fate::Deliver,
        }
    });
    pair.act(Side::Client, |c, now| {
        c.open(now);
        c.write(now, u64::MAX);
    });
    pair.run(until);
    pair
}

/// The law's windows in segments at each change, with the time in ms.
fn windows(pair: &Pair) -> Vec<(u64, f64)> {
    let mut all: Vec<(u64, f64)> = Vec::new();
    for (now, _, event) in pair.client_events() {
        if let Event::Window { cwnd, .. } = event {
            all.push((now.0 / 1_000_000, *cwnd as f64 / MSS as f64));
        }
    }
    all.dedup_by_key(|w| w.1.to_bits());
    all
}

/// Numbers of the data segments sent in `from..to` ms.
fn numbers(pair: &Pair, from: u64, to: u64) -> Vec<u64> {
    pair.sent
        .iter()
        .filter(|s| s.segment.len > 0 && (at(from)..at(to)).contains(&s.at))
        .map(|s| u64::from(s.segment.seq.0.wrapping_sub(u32::MAX - 3000).wrapping_sub(1)) / MSS)
        .collect()
}

fn has_event(pair: &Pair, wanted: impl Fn(&Event) -> bool) -> Vec<u64> {
    pair.client_events().filter(|e| wanted(&e.2)).map(|e| e.0.0 / 1_000_000).collect()
}

#[test]
fn slow_start_doubles_and_avoidance_adds_one_per_round_trip() {
    let config = TcpConfig { initial_ssthresh: Some(Bytes(8000)), ..config(Recovery::Sack) };
    let pair = run(&config, &[], at(1000));
    // The handshake ends at 100 ms; a window leaves every 100 ms from then on.
    let sizes: Vec<usize> = (1..9).map(|r| numbers(&pair, 100 * r, 100 * r + 100).len()).collect();
    // The same in real numbers: each ACK adds 1 below 8, 1/cwnd above.
    let (mut cwnd, mut expected) = (1f64, Vec::new());
    for _ in 1..9 {
        let window = cwnd as usize;
        expected.push(window);
        for _ in 0..window {
            cwnd += if cwnd < 8.0 { 1.0 } else { 1.0 / cwnd };
        }
    }
    assert_eq!(expected[..5], [1, 2, 4, 8, 8]);
    assert_eq!(sizes, expected);
}

#[test]
fn delayed_acks_slow_growth_unless_bytes_are_counted() {
    let growth = |text: &str| {
        let law = serde_json::from_str(text).unwrap();
        let config = TcpConfig {
            ack_every: 2,
            initial_window: Some(10),
            initial_ssthresh: Some(Bytes(10_000)),
            congestion: law,
            ..config(Recovery::Sack)
        };
        run(&config, &[], at(2150)).client.cwnd()
    };
    // Twenty round trips: half a segment each, or one.
    let (per_ack, bytes) = (growth("\"reno\""), growth(r#"{"law":"reno","growth":"bytes"}"#));
    assert!((19_000..=20_500).contains(&per_ack), "{per_ack}");
    assert!((29_000..=30_500).contains(&bytes), "{bytes}");
}

/// Segment 15 follows segment 14 of the window 7..=14 (sent at 400 ms) one round trip later.
/// One loss, at segment 7: three duplicates at 500 ms, when eight are outstanding.
#[test]
fn reno_halves_and_inflates() {
    let config = TcpConfig { initial_ssthresh: Some(Bytes(8000)), ..config(Recovery::Reno) };
    let pair = run(&config, &[7], at(800));
    assert_eq!(has_event(&pair, |e| *e == Event::FastRetransmit), [500]);
    // At 500 ms: the third duplicate retransmits 7. FlightSize is 8, ssthresh 4; the window is 4 +
    // 3, and 4 further duplicates make it 11: new data when it passes 8.
    assert_eq!(numbers(&pair, 500, 600), [7, 15, 16, 17]);
    // The full ACK at 600 ms deflates to 4, of which three are outstanding.
    assert_eq!(pair.client.ssthresh(), 4000);
    assert_eq!(numbers(&pair, 600, 700), [18, 19, 20, 21]);
    let w: Vec<f64> = windows(&pair).into_iter().filter(|w| w.0 >= 500).map(|w| w.1).collect();
    // One segment per window from 4 on, in quarters: MSS*MSS/cwnd.
    assert_eq!(w[0].to_bits(), 4f64.to_bits());
    assert!((w[1] - 4.25).abs() < 1e-3 && (w[2] - 4.4853).abs() < 1e-3, "{w:?}");
    assert_eq!(pair.client.stats().timeouts, 0);
}

#[test]
fn tahoe_starts_again_from_one() {
    let config = TcpConfig { initial_ssthresh: Some(Bytes(8000)), ..config(Recovery::Tahoe) };
    let pair = run(&config, &[7], at(1000));
    assert_eq!(has_event(&pair, |e| *e == Event::FastRetransmit), [500]);
    assert_eq!(numbers(&pair, 500, 600), [7]);
    // The cumulative ACK skips 8 to 14, which the receiver has buffered; slow start to 4.
    assert_eq!(numbers(&pair, 600, 700), [15, 16]);
    assert_eq!(numbers(&pair, 700, 800), [17, 18, 19, 20]);
    assert_eq!(numbers(&pair, 800, 900).len(), 4, "4 + 1/4 + 1/4.25 + ... is not 5");
    assert_eq!(pair.client.ssthresh(), 4000);
    let w: Vec<f64> = windows(&pair).into_iter().filter(|w| w.0 >= 500).map(|w| w.1).collect();
    assert_eq!(&w[..4], &[1.0, 2.0, 3.0, 4.0]);
    assert_eq!(pair.client.stats().timeouts, 0);
}

/// Two losses in a window: Reno reacts twice, NewReno and SACK once.
#[test]
fn one_reaction_per_episode() {
    for (recovery, reactions, ssthresh) in
        [(Recovery::Reno, 2, 4), (Recovery::NewReno, 1, 8), (Recovery::Sack, 1, 8)]
    {
        let mut config = config(recovery);
        config.initial_ssthresh = Some(Bytes(16_000));
        config.half_of_cwnd = true;
        // Segments 15..=30 are outstanding at 600 ms.
        let pair = run(&config, &[15, 17], at(1100));
        let stats = pair.client.stats();
        assert_eq!(stats.fast_retransmits, reactions, "{recovery:?}");
        assert_eq!(stats.segments_retransmitted, 2, "{recovery:?}");
        assert_eq!(stats.timeouts, 0, "{recovery:?}");
        assert_eq!(pair.client.ssthresh() / MSS, ssthresh, "{recovery:?}");
    }
}

/// NewReno repairs one hole per round trip; the window deflates with each partial ACK.
#[test]
fn newreno_partial_acks() {
    let mut config = config(Recovery::NewReno);
    config.initial_ssthresh = Some(Bytes(16_000));
    let pair = run(&config, &[15, 17, 20], at(1500));
    assert_eq!(has_event(&pair, |e| *e == Event::FastRetransmit), [600]);
    let again: Vec<_> = pair
        .sent
        .iter()
        .filter(|s| s.segment.len > 0)
        .scan(0, |high, s| {
            let n = u64::from(s.segment.seq.0.wrapping_sub(u32::MAX - 3000).wrapping_sub(1)) / MSS;
            let old = n < *high;
            *high = (*high).max(n + 1);
            Some((old, s.at.0 / 1_000_000, n))
        })
        .filter(|s| s.0)
        .map(|s| (s.1, s.2))
        .collect();
    assert_eq!(again, [(600, 15), (700, 17), (800, 20)]);
    // 13 duplicates at 600 ms: 8 + 3 + 10 = 21 against 16 outstanding.
    assert_eq!(numbers(&pair, 600, 700), [15, 31, 32, 33, 34, 35]);
    // The first partial ACK covers two: 21 - 2 + 1 = 20 against 19; then five duplicates.
    assert_eq!(numbers(&pair, 700, 800), [17, 36, 37, 38, 39, 40, 41]);
    // The second covers three: 25 - 3 + 1 = 23 against 22; then six duplicates.
    assert_eq!(numbers(&pair, 800, 900), [20, 42, 43, 44, 45, 46, 47, 48]);
    // The full ACK ends it at 900 ms with cwnd = ssthresh = half of 16.
    assert_eq!(has_event(&pair, |e| *e == Event::Recovered), [900]);
    assert_eq!(pair.client.ssthresh(), 8000);
}

/// SACK repairs all holes in the first round trip.
#[test]
fn sack_repairs_many_holes_at_once() {
    let mut config = config(Recovery::Sack);
    config.initial_ssthresh = Some(Bytes(16_000));
    let pair = run(&config, &[15, 17, 20], at(900));
    assert_eq!(has_event(&pair, |e| *e == Event::FastRetransmit), [600]);
    assert_eq!(has_event(&pair, |e| *e == Event::Recovered), [700]);
    // cwnd 8. 13 of 16 arrived: pipe falls to 8. The sender then sends in order: 15, then 17 and 20
    // as pipe allows, then new data.
    let sent = numbers(&pair, 600, 700);
    assert_eq!(&sent[..3], &[15, 17, 20]);
    assert!(sent[3..].iter().zip(31..).all(|(a, b)| *a == b), "{sent:?}");
    assert_eq!(pair.client.stats().timeouts, 0);
}

/// A whole tail is lost except one segment: RFC 6675 needs the rescue retransmission (rule 4).
#[test]
fn sack_rescues_the_tail() {
    let mut config = config(Recovery::Sack);
    config.initial_window = Some(10);
    let iss = u32::MAX - 3000;
    let mut lost = vec![0, 8, 9];
    let mut pair = Pair::new(&config, ms(50)).script(move |side, _, s| {
        let n = u64::from(s.seq.0.wrapping_sub(iss).wrapping_sub(1)) / MSS;
        let hit = side == Side::Client && s.len > 0 && lost.contains(&n);
        if hit {
            lost.retain(|&l| l != n);
        }
        if hit { Fate::Drop } else { Fate::Deliver }
    });
    pair.start(10 * MSS);
    pair.finish(at(5000));
    assert_eq!(pair.server.delivered(), 10 * MSS);
    // 0 by fast retransmit at 200 ms; its ACK releases the last segment as a rescue (rule 4), whose
    // SACK block releases 8 (rule 3: one segment above it does not make it lost).
    assert_eq!(numbers(&pair, 200, 300), [0]);
    assert_eq!(numbers(&pair, 300, 400), [9]);
    assert_eq!(numbers(&pair, 400, 500), [8]);
    assert_eq!((pair.client.stats().fast_retransmits, pair.client.stats().timeouts), (1, 0));
}

#[test]
fn limited_transmit_keeps_a_small_window_alive() {
    for recovery in [Recovery::NewReno, Recovery::Sack] {
        // A window of three: two duplicates only, and a timeout, without limited transmit.
        for (limited_transmit, timeouts) in [(false, 1), (true, 0)] {
            let config =
                TcpConfig { limited_transmit, initial_window: Some(3), ..config(recovery) };
            let pair = run(&config, &[0], at(1500));
            assert_eq!(pair.client.stats().timeouts, timeouts, "{recovery:?} {limited_transmit}");
            assert_eq!(pair.client.stats().fast_retransmits, 1 - timeouts);
            if limited_transmit {
                let sent = numbers(&pair, 200, 300);
                assert_eq!(sent, [3, 4], "{recovery:?}: two segments beyond it");
                assert_eq!(pair.client.ssthresh(), 2000, "FlightSize without those two");
            }
        }
    }
}

/// RFC 6298 5: the timer runs from the last ACK of new data, doubles, and slow start follows.
#[test]
fn timeout_goes_back_and_backs_off() {
    let config = config(Recovery::NewReno);
    // Window 4 (3..=6) sent at 300 ms: completely lost, and the retransmission of 3 twice more.
    let pair = run(&config, &[3, 4, 5, 6, 3, 3], at(4000));
    // The last ACK of new data came at 300 ms; RTT 100, 100, 100: RTO 400 (the minimum).
    assert_eq!(has_event(&pair, |e| matches!(e, Event::Timeout { .. })), [700, 1500, 3100]);
    let backoffs: Vec<u32> = pair
        .client_events()
        .filter_map(|e| if let Event::Timeout { backoff } = e.2 { Some(backoff) } else { None })
        .collect();
    assert_eq!(backoffs, [1, 2, 3]);
    assert_eq!(numbers(&pair, 700, 3200), [3, 3, 3]);
    // ACK of 3 at 3200: two leave.
    assert_eq!(numbers(&pair, 3200, 3300), [4, 5]);
    assert_eq!(numbers(&pair, 3300, 3400), [6, 7], "at the threshold of 2: 2 + 1/2 + 1/2.5");
    // The first timeout halves FlightSize 4 to 2; the repeated ones keep it (RFC 5681).
    assert_eq!(pair.client.ssthresh(), 2000);
    // Karn: no sample from 3, 4, 5, 6, so the timeout stays backed off until 7 is acknowledged.
    let rtts = has_event(&pair, |e| matches!(e, Event::Rtt { .. }));
    assert!(rtts.iter().all(|t| *t <= 300 || *t >= 3400), "{rtts:?}");
}

/// Without SACK information, duplicates caused by unnecessary retransmissions of the timeout do not
/// begin a recovery (RFC 6582 section 3.2 step 2).
#[test]
fn careful_about_duplicates_after_a_timeout() {
    // A window of 16 is delayed past the timeout at 500 ms: 0, then 1 and 2, then 3 to 6 are
    // retransmitted. The originals arrive at 730 ms: 0 to 2 cause three duplicate ACKs, the copies
    // of 3 to 6 four more, all for data sent before the timeout.
    for recovery in [Recovery::NewReno, Recovery::Reno, Recovery::Tahoe] {
        for careful in [true, false] {
            let config = TcpConfig { initial_window: Some(16), careful, ..config(recovery) };
            let mut pair = Pair::new(&config, ms(50)).script(|side, i, _| {
                let late = side == Side::Client && (1..=16).contains(&i);
                if late { Fate::Late(ms(580)) } else { Fate::Deliver }
            });
            pair.act(Side::Client, |c, now| {
                c.open(now);
                c.write(now, u64::MAX);
            });
            pair.run(at(830));
            let stats = pair.client.stats();
            assert_eq!((stats.timeouts, stats.dup_acks), (1, 7), "{recovery:?}");
            assert_eq!(numbers(&pair, 500, 760), [0, 1, 2, 3, 4, 5, 6]);
            assert_eq!(stats.fast_retransmits == 0, careful, "{recovery:?} {careful}");
        }
    }
}

/// Many losses in a window: impatient NewReno times out; slow-but-steady repairs them one by one.
#[test]
fn impatient_and_slow_but_steady() {
    let lost: Vec<u64> = (15..31).filter(|n| n % 2 == 1).collect();
    for (timer, timeouts) in [(PartialAckTimer::Impatient, 1), (PartialAckTimer::SlowButSteady, 0)]
    {
        let mut config = config(Recovery::NewReno);
        config.initial_ssthresh = Some(Bytes(16_000));
        config.partial_ack_timer = timer;
        let pair = run(&config, &lost, at(4000));
        assert_eq!(pair.client.stats().timeouts, timeouts, "{timer:?}");
    }
}

#[test]
fn leaving_recovery_with_little_outstanding() {
    for (exit, burst) in [(RecoveryExit::Ssthresh, 8), (RecoveryExit::Flight, 2)] {
        let mut config = config(Recovery::NewReno);
        config.initial_window = Some(16);
        config.recovery_exit = exit;
        let mut first = true;
        let mut pair = Pair::new(&config, ms(50)).script(move |side, _, s| {
            let hit = side == Side::Client && s.len > 0 && std::mem::take(&mut first);
            if hit { Fate::Drop } else { Fate::Deliver }
        });
        // Exactly sixteen segments: nothing is left to send during recovery.
        pair.act(Side::Client, |c, now| {
            c.open(now);
            c.write(now, 16 * MSS);
        });
        pair.run(at(301));
        assert_eq!(pair.client.unacked(), 0);
        assert_eq!(pair.client.cwnd(), burst * MSS, "{exit:?}");
    }
}

/// RFC 5681 equation 4: half of FlightSize, or with the switch half of the window.
#[test]
fn half_of_what() {
    for (half_of_cwnd, ssthresh) in [(false, 3), (true, 8)] {
        let config =
            TcpConfig { half_of_cwnd, initial_window: Some(16), ..config(Recovery::NewReno) };
        let mut first = true;
        let mut pair = Pair::new(&config, ms(50)).script(move |side, _, s| {
            let hit = side == Side::Client && s.len > 0 && std::mem::take(&mut first);
            if hit { Fate::Drop } else { Fate::Deliver }
        });
        pair.start(6 * MSS - 1);
        pair.finish(at(3000));
        assert_eq!(pair.client.stats().fast_retransmits, 1);
        assert_eq!(pair.client.ssthresh(), ssthresh * MSS);
    }
}

/// A second timeout, for another segment, halves the data sent since the first one, not the earlier
/// flight.
#[test]
fn a_timeout_in_the_slow_start_after_one() {
    for recovery in [Recovery::NewReno, Recovery::Sack] {
        let config = TcpConfig { initial_window: Some(16), ..config(recovery) };
        let lost: Vec<u64> = (0..16).chain([3, 4, 5, 6]).collect();
        let pair = run(&config, &lost, at(1550));
        assert_eq!(numbers(&pair, 500, 800), [0, 1, 2, 3, 4, 5, 6]);
        // The ACK of 2 came at 700 ms with 400 ms of timeout, doubled once.
        let timeouts = has_event(&pair, |e| matches!(e, Event::Timeout { .. }));
        assert_eq!(timeouts, [500, 1500], "{recovery:?}");
        assert_eq!(pair.client.ssthresh(), 2000, "{recovery:?}: half of four");
    }
}

/// Karn's rule holds for everything that a cumulative ACK covers together with a retransmission.
#[test]
fn segments_behind_a_repaired_hole_are_not_timed() {
    for recovery in [Recovery::Tahoe, Recovery::Reno, Recovery::NewReno, Recovery::Sack] {
        let config = TcpConfig {
            rtt_sampling: RttSampling::EveryAck,
            initial_ssthresh: Some(Bytes(8000)),
            ..config(recovery)
        };
        let pair = run(&config, &[7], at(1500));
        assert_eq!(pair.client.stats().fast_retransmits, 1);
        assert_eq!(pair.client.stats().rtt.max, ms(100), "{recovery:?}");
    }
}

/// Linux's samples: a SACK of a segment that was sent once counts from the segment's departure.
#[test]
fn sacks_are_round_trip_samples_if_so_configured() {
    let samples = |rtt_sampling| {
        let config = TcpConfig {
            rtt_sampling,
            initial_ssthresh: Some(Bytes(8000)),
            ..config(Recovery::Sack)
        };
        let pair = run(&config, &[7], at(1500));
        assert_eq!(pair.client.stats().fast_retransmits, 1);
        assert_eq!(pair.client.stats().rtt.max, ms(100));
        let sacks =
            pair.sent.iter().filter(|s| s.from == Side::Server && !s.segment.sacks().is_empty());
        (pair.client.stats().rtt.samples, sacks.count() as u64)
    };
    let (few, sacks) = samples(RttSampling::EveryAck);
    assert!(sacks > 3);
    assert_eq!(samples(RttSampling::EveryReport).0, few + sacks);
}

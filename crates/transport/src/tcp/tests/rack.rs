//! RACK and TLP in a whole connection. Segments of 1000 bytes, 100 ms round trip, an ACK for
//! every segment.

use airtcp_packet::Side;
use airtcp_probe::Event;
use airtcp_units::{Bytes, Nanos, Span};
use proptest::prelude::*;

use super::pair::{Fate, Pair, at, ms};
use crate::tcp::{RateReduction, RttSampling, TcpConfig, TcpStats};

const MSS: u64 = 1000;

fn config(window: u32) -> TcpConfig {
    TcpConfig {
        mss: MSS as u16,
        rack: true,
        initial_window: Some(window),
        initial_ssthresh: Some(Bytes(u64::from(window.max(2)) * MSS)),
        ack_every: 1,
        rto_min: ms(400),
        ..TcpConfig::default()
    }
}

fn number(seq: u32) -> u64 {
    u64::from(seq.wrapping_sub(u32::MAX - 3000).wrapping_sub(1)) / MSS
}

/// Fates of data segments by number and copy (from 0).
type Fates = Box<dyn FnMut(u64, usize) -> Fate>;

/// Writes `bytes` after the handshake and runs.
fn run(config: &TcpConfig, bytes: u64, mut fates: Fates, until: u64) -> Pair {
    let mut copies = std::collections::BTreeMap::new();
    let mut pair = Pair::new(config, ms(50)).script(move |side, _, s| {
        if side == Side::Server || s.len == 0 {
            return Fate::Deliver;
        }
        let n = number(s.seq.0);
        let copy = copies.entry(n).and_modify(|c| *c += 1).or_insert(0);
        fates(n, *copy)
    });
    pair.connect();
    pair.run(at(200));
    pair.act(Side::Client, |c, now| c.write(now, bytes));
    pair.run(at(until));
    pair
}

fn lost(list: &'static [u64]) -> Fates {
    Box::new(move |n, copy| if list.contains(&n) && copy == 0 { Fate::Drop } else { Fate::Deliver })
}

fn stats(pair: &Pair) -> TcpStats {
    *pair.client.stats()
}

fn sent(pair: &Pair, from: u64, to: u64) -> Vec<u64> {
    pair.sent
        .iter()
        .filter(|s| s.segment.len > 0 && (at(from)..at(to)).contains(&s.at))
        .map(|s| number(s.segment.seq.0))
        .collect()
}

/// One ACK is enough: RACK waits min_RTT/4 for segments sent before the delivered one.
#[test]
fn a_loss_is_found_by_time() {
    // Two segments, the first lost: DupThresh is not reached.
    let pair = run(&config(2), 2 * MSS, lost(&[0]), 1000);
    assert_eq!((stats(&pair).fast_retransmits, stats(&pair).timeouts), (1, 0));
    // Delivered at 300 ms; 200 + 100 + 25 ms.
    assert_eq!(sent(&pair, 300, 1000), [0]);
    assert_eq!(sent(&pair, 325, 326), [0]);
    let pair = run(&TcpConfig { rack: false, ..config(2) }, 2 * MSS, lost(&[0]), 1000);
    assert_eq!((stats(&pair).fast_retransmits, stats(&pair).timeouts), (0, 1));
}

/// Before any reordering, DupThresh SACKed segments end the wait.
#[test]
fn dup_thresh_counts_before_any_reordering() {
    let pair = run(&config(4), 4 * MSS, lost(&[0]), 1000);
    assert_eq!(sent(&pair, 300, 301), [0], "with the third report");
    // Segment 1 is 20 ms late: from then on the window counts.
    let late = Box::new(|n, copy| match (n, copy) {
        (1, 0) => Fate::Late(ms(20)),
        (10, 0) => Fate::Drop,
        _ => Fate::Deliver,
    });
    let pair = run(&config(4), u64::MAX, late, 2000);
    assert_eq!(stats(&pair).timeouts, 0);
    assert_eq!(stats(&pair).fast_retransmits, 1, "10, not 1");
    let first = pair.sent.iter().find(|s| s.segment.len > 0 && number(s.segment.seq.0) == 10);
    let sent_at = first.map(|s| s.at).unwrap();
    let repaired = pair
        .client_events()
        .find_map(|(now, _, e)| (*e == Event::FastRetransmit).then_some(*now))
        .unwrap();
    assert_eq!(repaired.since(sent_at), ms(125), "rtt + min_RTT/4");
}

/// Reordering by less than the window causes neither retransmission nor reduction.
#[test]
fn reordering_within_the_window_is_no_loss() {
    let late = |by: u64| -> Fates {
        Box::new(move |n, _| {
            // The first late segment is followed by one segment only: before any reordering,
            // DupThresh later ones would count as a loss.
            let hit = n == 6 || (n > 8 && n % 7 == 3);
            if hit { Fate::Late(ms(by)) } else { Fate::Deliver }
        })
    };
    let pair = run(&config(8), 400 * MSS, late(24), 8000);
    assert_eq!(pair.server.delivered(), 400 * MSS);
    assert_eq!((stats(&pair).segments_retransmitted, stats(&pair).fast_retransmits), (0, 0));
    // Counting duplicates retransmits many of them.
    let pair = run(&TcpConfig { rack: false, ..config(8) }, 400 * MSS, late(24), 8000);
    assert!(stats(&pair).segments_retransmitted > 10, "{}", stats(&pair).segments_retransmitted);
}

/// Reordering beyond the window causes retransmissions; their DSACKs widen the window until it is
/// enough.
#[test]
fn dsacks_widen_the_window() {
    let late: Fates =
        Box::new(
            |n, copy| if n % 7 == 3 && copy == 0 { Fate::Late(ms(60)) } else { Fate::Deliver },
        );
    let pair = run(&config(8), 2000 * MSS, late, 60_000);
    assert_eq!(pair.server.delivered(), 2000 * MSS);
    // 25, 50 and 75 ms: two widenings, and a few retransmissions before the DSACKs arrive.
    let first_half: u64 =
        pair.sent.iter().filter(|s| s.segment.len > 0 && number(s.segment.seq.0) < 1000).count()
            as u64;
    let total = stats(&pair).segments_retransmitted;
    assert!(total > 0 && total < 20, "{total}");
    assert_eq!(first_half - 1000, total, "all of them in the first half");
    assert!(stats(&pair).dsacks > 0);
    // Without DSACKs it stays at a quarter.
    let deaf = TcpConfig { dsack: false, ..config(8) };
    let late: Fates =
        Box::new(
            |n, copy| if n % 7 == 3 && copy == 0 { Fate::Late(ms(60)) } else { Fate::Deliver },
        );
    let pair = run(&deaf, 2000 * MSS, late, 60_000);
    assert!(stats(&pair).segments_retransmitted > 5 * total);
}

/// A retransmission that is lost, even repeatedly, is retransmitted without a timeout.
#[test]
fn lost_retransmissions_are_found() {
    // The timer runs from the last ACK of new data: a long timeout keeps it out of this test.
    let patient = TcpConfig { rto_min: ms(2000), ..config(16) };
    for times in 1..6 {
        let fates: Fates =
            Box::new(
                move |n, copy| if n == 3 && copy <= times { Fate::Drop } else { Fate::Deliver },
            );
        let pair = run(&patient, u64::MAX, fates, 3000);
        assert_eq!(stats(&pair).timeouts, 0, "{times}");
        assert_eq!(stats(&pair).lost_retransmissions, times as u64);
        assert!(pair.server.delivered() > 20 * MSS);
        let fates: Fates =
            Box::new(
                move |n, copy| if n == 3 && copy <= times { Fate::Drop } else { Fate::Deliver },
            );
        let counting = TcpConfig { rack: false, ..patient.clone() };
        let pair = run(&counting, u64::MAX, fates, 3000);
        assert!(stats(&pair).timeouts > 0);
    }
}

/// RFC 8985 section 9.3: without PRR each lost retransmission causes another reaction, with PRR
/// none.
#[test]
fn lost_retransmissions_reduce_once_more() {
    for (rate_reduction, ssthresh) in [(RateReduction::None, 2), (RateReduction::Prr, 8)] {
        let fates: Fates =
            Box::new(|n, copy| if n == 3 && copy <= 2 { Fate::Drop } else { Fate::Deliver });
        let config = TcpConfig { rate_reduction, half_of_cwnd: true, ..config(16) };
        let pair = run(&config, u64::MAX, fates, 1000);
        assert_eq!((stats(&pair).timeouts, stats(&pair).lost_retransmissions), (0, 2));
        assert_eq!(pair.client.ssthresh() / MSS, ssthresh, "{rate_reduction:?}");
    }
}

/// A timeout marks the first segment and overdue ones lost; segments sent within the last round
/// trip stay in flight.
#[test]
fn a_timeout_leaves_recent_segments_in_flight() {
    for (rack, in_flight) in [(true, 2), (false, 1)] {
        let config = TcpConfig { rack, ..config(4) };
        let mut pair = run(&config, MSS, lost(&[0]), 560);
        pair.act(Side::Client, |c, now| c.write(now, MSS));
        pair.run(at(601));
        assert_eq!(stats(&pair).timeouts, 1);
        assert_eq!(pair.client.pipe(), in_flight * MSS, "the repair, and the segment of 560 ms");
        pair.run(at(2000));
        assert_eq!((pair.client.unacked(), stats(&pair).segments_retransmitted), (0, 1));
    }
}

fn tlp(window: u32) -> TcpConfig {
    TcpConfig { tlp: true, ..config(window) }
}

/// RFC 8985 section 7: a lost tail of one or more segments is repaired after a probe, without a
/// timeout.
#[test]
fn a_lost_tail_needs_no_timeout() {
    for tail in 1..9u64 {
        let fates: Fates =
            Box::new(
                move |n, copy| {
                    if n >= 10 - tail && copy == 0 { Fate::Drop } else { Fate::Deliver }
                },
            );
        let pair = run(&tlp(10), 10 * MSS, fates, 3000);
        assert_eq!(pair.server.delivered(), 10 * MSS, "{tail}");
        assert_eq!((stats(&pair).timeouts, stats(&pair).loss_probes), (0, 1), "{tail}");
        // The last ACK came at 300 ms, the probe leaves 200 ms later: two smoothed round trips. For
        // a single segment the delayed ACK adds 200 ms, which is when the timer expires.
        let at = if tail == 1 { 700 } else { 500 };
        assert_eq!(sent(&pair, at, at + 1), [9], "{tail}");
        assert_eq!(stats(&pair).fast_retransmits, u64::from(tail > 1), "{tail}");
        // The probe has repaired its own loss.
        assert_eq!(stats(&pair).loss_probe_repairs, 0, "nothing is acknowledged beyond it");
    }
}

/// The probe repaired the only loss: an ACK beyond it causes a report to the law (section 7.4.2).
#[test]
fn a_probe_that_repairs_reduces() {
    let fates = lost(&[9]);
    let mut pair = run(&tlp(10), 10 * MSS, fates, 900);
    assert_eq!((stats(&pair).loss_probes, stats(&pair).loss_probe_repairs), (1, 0));
    let before = pair.client.cwnd();
    pair.act(Side::Client, |c, now| c.write(now, MSS));
    pair.run(at(1100));
    assert_eq!(stats(&pair).loss_probe_repairs, 1);
    assert!(pair.client.cwnd() < before && pair.client.ssthresh() == 2 * MSS);
    // If only the ACK had been lost, a DSACK would show it.
    let mut n = 0;
    let mut pair = Pair::new(&tlp(10), ms(50)).script(move |side, _, s| {
        if side == Side::Server && s.len == 0 {
            n += 1;
        }
        // The ACK of the last segment.
        if side == Side::Server && n == 11 { Fate::Drop } else { Fate::Deliver }
    });
    pair.connect();
    pair.run(at(200));
    pair.act(Side::Client, |c, now| c.write(now, 10 * MSS));
    pair.run(at(900));
    assert_eq!((stats(&pair).loss_probes, stats(&pair).dsacks), (1, 1));
    pair.act(Side::Client, |c, now| c.write(now, MSS));
    pair.run(at(1100));
    assert_eq!((stats(&pair).loss_probe_repairs, pair.client.unacked()), (0, 0));
}

/// Both copies of the last segment arrive: the second ACK shows it, with or without a DSACK,
/// although nothing is outstanding any more.
#[test]
fn an_unnecessary_probe_causes_no_reduction() {
    for dsack in [true, false] {
        // The original takes 250 ms longer than the rest; the probe leaves in between.
        let late: Fates =
            Box::new(
                |n, copy| if n == 9 && copy == 0 { Fate::Late(ms(390)) } else { Fate::Deliver },
            );
        let config = TcpConfig { dsack, rto_min: ms(600), tlp_max_ack_delay: ms(0), ..tlp(10) };
        let mut pair = run(&config, 10 * MSS, late, 1200);
        assert_eq!((stats(&pair).loss_probes, pair.client.unacked()), (1, 0));
        assert_eq!(stats(&pair).dsacks, 0, "not looked at for its own sake");
        pair.act(Side::Client, |c, now| c.write(now, MSS));
        pair.run(at(1500));
        assert_eq!((stats(&pair).loss_probe_repairs, pair.client.unacked()), (0, 0), "{dsack}");
    }
}

/// A probe is new data if there is any, even beyond the window.
#[test]
fn a_probe_is_new_data_if_there_is_any() {
    // A window of four, the last of them lost; more data is written.
    let pair = run(&tlp(4), 100 * MSS, lost(&[1, 2, 3]), 500);
    assert_eq!(stats(&pair).loss_probes, 0, "0 was acknowledged, so that 4 and 5 have gone");
    let pair = run(&tlp(4), 100 * MSS, lost(&[0, 1, 2, 3]), 401);
    // No ACK arrived: 200 ms + 2 SRTT.
    assert_eq!((stats(&pair).loss_probes, sent(&pair, 201, 401)), (1, vec![4]));
}

/// With one segment in flight the probe waits for the peer's delayed ACK, but never longer than the
/// timeout.
#[test]
fn the_probe_waits_for_a_delayed_ack() {
    for (delay, rto_min, probe) in
        [(0, 400, 200), (150, 400, 350), (200, 1000, 400), (800, 400, 400)]
    {
        let config = TcpConfig { tlp_max_ack_delay: ms(delay), rto_min: ms(rto_min), ..tlp(1) };
        let pair = run(&config, MSS, lost(&[0]), 2000);
        assert_eq!(sent(&pair, 200 + probe, 201 + probe), [0], "{delay} {rto_min}");
        assert_eq!((stats(&pair).loss_probes, stats(&pair).timeouts), (1, 0));
    }
}

/// Only one probe at a time; after it only the timer is left.
#[test]
fn a_lost_probe_is_followed_by_the_timeout() {
    let fates: Fates =
        Box::new(|n, copy| if n == 9 && copy < 2 { Fate::Drop } else { Fate::Deliver });
    let pair = run(&tlp(10), 10 * MSS, fates, 3000);
    assert_eq!((stats(&pair).loss_probes, stats(&pair).timeouts), (1, 1));
    // The probe left at 700 ms and the timeout is 400 ms.
    assert_eq!(sent(&pair, 1100, 1101), [9]);
    assert_eq!(pair.client.unacked(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Unless everything in flight is lost at once, neither a loss nor the loss of its
    /// retransmission causes a timeout: some segment or probe always arrives.
    #[test]
    fn no_timeouts_while_acks_come(
        gaps in prop::collection::vec(14u64..26, 0..8),
        again in prop::collection::vec(any::<bool>(), 8),
        prr in any::<bool>(),
    ) {
        let rate_reduction = if prr { RateReduction::Prr } else { RateReduction::None };
        let config = TcpConfig {
            rate_reduction,
            rtt_sampling: RttSampling::EveryAck,
            rto_min: ms(3000),
            ..tlp(10)
        };
        let lost: Vec<u64> = gaps.iter().scan(0, |n, gap| { *n += gap; Some(*n) }).collect();
        let last = lost.last().copied().unwrap_or(0);
        let fates: Fates = Box::new(move |n, copy| {
            let hit = lost.iter().position(|l| *l == n);
            // Nothing may follow the retransmission of the last segment.
            let twice = hit.is_some_and(|i| copy == 1 && again[i] && n != last);
            if hit.is_some() && copy == 0 || twice { Fate::Drop } else { Fate::Deliver }
        });
        let pair = run(&config, 200 * MSS, fates, 60_000);
        prop_assert_eq!(pair.server.delivered(), 200 * MSS);
        prop_assert_eq!(stats(&pair).timeouts, 0);
    }

    /// Delays below the reordering window cause no retransmission.
    #[test]
    fn small_delays_cause_no_retransmission(
        late in prop::collection::vec(0u64..25, 200),
        window in 2u32..20,
    ) {
        let fates: Fates = Box::new(move |n, _| Fate::Late(ms(late[n as usize % 200])));
        // DupThresh ends the wait before any reordering: this test excludes it.
        let config = TcpConfig { dup_thresh: 1000, limited_transmit: false, ..tlp(window) };
        let pair = run(&config, 200 * MSS, fates, 60_000);
        prop_assert_eq!(pair.server.delivered(), 200 * MSS);
        let (stats, longest) = (stats(&pair), Span::from_millis(124));
        prop_assert!(stats.rtt.max <= longest, "{}", stats.rtt.max);
        prop_assert_eq!(stats.fast_retransmits, 0);
        prop_assert_eq!(stats.segments_retransmitted, stats.loss_probes);
    }
}

/// The timers exclude one another and never leave the connection without one.
#[test]
fn some_timer_runs_while_data_is_outstanding() {
    for lost in 0..40 {
        let fates: Fates =
            Box::new(
                move |n, copy| {
                    if n % 40 == lost && copy < 2 { Fate::Drop } else { Fate::Deliver }
                },
            );
        let mut pair = run(&tlp(6), 80 * MSS, fates, 201);
        while pair.step(Nanos(20_000_000_000)) {
            let idle = pair.client.unacked() == 0;
            assert!(idle || airtcp_probe::Machine::next_timer(&pair.client) != Nanos::NEVER);
        }
        assert_eq!(pair.server.delivered(), 80 * MSS, "{lost}");
    }
}

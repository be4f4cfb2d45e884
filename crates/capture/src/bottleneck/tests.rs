//! The estimators on transmissions made by hand, whose right values follow from arithmetic.

use super::levels::Levels;
use super::transmissions::Fate::{Delivered, Lost, Needless};
use super::transmissions::Pause;
use super::*;
use crate::tcp::log::Log;

const BYTES: f64 = 1500.0;
const R0: f64 = 0.0512;

pub(super) fn packet(sent_s: f64, acked_s: f64) -> Transmission {
    Transmission {
        sent_s,
        connection: 0,
        segment: 0,
        bytes: BYTES,
        payload: 1448.0,
        fate: Fate::Delivered,
        acked_s: Some(acked_s),
        is_trigger: true,
        is_immediate: true,
        is_late: false,
    }
}

fn lost(sent_s: f64) -> Transmission {
    let fate = Fate::Lost;
    Transmission { fate, acked_s: None, is_trigger: false, ..packet(sent_s, 0.0) }
}

fn sent(list: Vec<Transmission>, least_rtt_s: f64) -> Transmissions {
    Transmissions { list, least_rtt_s, ..Transmissions::default() }
}

/// A drop-tail queue of `limit` packets before a link of `rate_bps`: sends `window` packets each `every_s`, and loses
/// those whose number `is_lost` names.
fn queue(
    (rate_bps, limit, window, every_s): (f64, u64, usize, f64),
    rounds: usize,
    mut is_lost: impl FnMut(usize) -> bool,
) -> Transmissions {
    let service = 8.0 * BYTES / rate_bps;
    let (mut free_s, mut list) = (0.0f64, Vec::new());
    for round in 0..rounds {
        let now = round as f64 * every_s;
        for _ in 0..window {
            let waiting = ((free_s - now).max(0.0) / service - 1e-9).ceil();
            if waiting > limit as f64 || is_lost(list.len()) {
                list.push(lost(now));
                continue;
            }
            free_s = free_s.max(now) + service;
            list.push(packet(now, free_s - service + R0));
        }
    }
    sent(list, R0)
}

/// A generator of Lehmer (Park and Miller 1988), from 0 to 1.
fn draws(mut state: u64) -> impl FnMut() -> f64 {
    move || {
        state = state * 48_271 % 2_147_483_647;
        state as f64 / 2_147_483_647.0
    }
}

fn never(_: usize) -> bool {
    false
}

/// Unit test 1 of the design: 10 packets at once over 10 Mb/s.
#[test]
fn a_burst_shows_backlog_and_rate() {
    let mut found = queue((1e7, 100, 10, 1.0), 1, never);
    let backlog = Backlog::new(&found);
    // The packet in transmission is none that waits.
    assert_eq!(backlog.late, [0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
    let rate = Rate::new(&found, &backlog.early, BYTES);
    assert!((rate.value_bps / 1e7 - 1.0).abs() < 1e-6, "{rate:?}");
    assert!(matches!(rate.kind, RateKind::Steady | RateKind::Weak));
    // An ACK for every second packet shows the same rate.
    found = queue((1e7, 100, 30, 1.0), 1, never);
    for pair in 0..found.list.len() / 2 {
        found.list[2 * pair].acked_s = found.list[2 * pair + 1].acked_s;
        found.list[2 * pair].is_trigger = false;
    }
    let rate = Rate::new(&found, &Backlog::new(&found).early, BYTES);
    assert!((rate.value_bps / 1e7 - 1.0).abs() < 1e-6, "{rate:?}");
}

/// Unit test 11 of the design: one ACK for packets that never waited makes no backlog.
#[test]
fn the_early_bound_calls_an_idle_link_idle() {
    let mut list: Vec<Transmission> = (0..6).map(|n| packet(f64::from(n) / 100.0, 0.1)).collect();
    for packet in &mut list[..5] {
        packet.is_trigger = false;
    }
    let found = sent(list, 0.05);
    let backlog = Backlog::new(&found);
    assert_eq!(backlog.late, [0, 1, 2, 3, 4, 0]);
    assert_eq!(backlog.early, [0; 6]);
    let rate = Rate::new(&found, &backlog.early, BYTES);
    assert_eq!(rate.kind, RateKind::None);
}

fn levels_of(found: &Transmissions) -> Levels {
    let backlog = Backlog::new(found);
    let in_stall = vec![false; found.list.len()];
    let seen =
        Seen { sent: found, backlog: &backlog.late, in_stall: &in_stall, unsure_packets: 0.0 };
    levels(&seen)
}

/// Unit test 3 of the design, by hand: a queue of 40 packets is found within a packet; random losses make no level.
#[test]
fn drops_have_one_backlog_and_random_losses_have_any() {
    let mut draw = draws(11);
    let full = queue((1e7, 40, 48, 0.06), 60, |_| draw() < 0.002);
    let found = levels_of(&full);
    assert_eq!(found.found.len(), 1, "{found:?}");
    assert!((found.found[0].packets - 40.0).abs() <= 1.0, "{found:?}");
    let mut wrong = 0;
    for seed in 1..=200 {
        let mut draw = draws(7919 * seed);
        let random = queue((1e7, 1000, 30, 0.05), 80, |_| draw() < 0.01);
        wrong += usize::from(!levels_of(&random).found.is_empty());
    }
    assert!(wrong <= 4, "{wrong} of 200");
}

/// Unit test 15 of the design: 20 losses at many backlogs are no limit.
#[test]
fn many_levels_are_tried_and_none_is_found() {
    let mut wrong = 0;
    for seed in 1..=300 {
        let mut draw = draws(104_729 * seed);
        let found = queue((1e7, 1000, 42, 0.06), 50, |_| draw() < 0.01);
        wrong += usize::from(!levels_of(&found).found.is_empty());
    }
    assert!(wrong <= 3, "{wrong} of 300");
}

/// A policer of 8 Mb/s drops what finds a full bucket; bursts of 12,000 bytes come every 10 ms on average.
fn policed(is_lost: impl FnMut(usize) -> bool, limit: f64) -> Transmissions {
    policed_for(300, is_lost, limit)
}

fn policed_for(rounds: u32, is_lost: impl FnMut(usize) -> bool, limit: f64) -> Transmissions {
    let (mut bucket, mut now, mut list, mut is_lost) = (0.0f64, 0.0, Vec::new(), is_lost);
    let mut draw = draws(17);
    for _ in 0..rounds {
        for _ in 0..8 {
            if bucket + BYTES > limit || is_lost(list.len()) {
                list.push(lost(now));
            } else {
                bucket += BYTES;
                list.push(packet(now, now + R0));
            }
        }
        let gap_s = 0.005 + 0.01 * draw();
        now += gap_s;
        bucket = (bucket - 1e6 * gap_s).max(0.0);
    }
    sent(list, R0)
}

/// 90,000 bytes remember an error of the rate of 1 % for 9 s, so steps of 2 % do not find the rate.
#[test]
fn a_policer_with_a_long_burst_has_its_rate_and_burst() {
    let found = policed_for(3000, never, 90_000.0);
    let rate = Rate::new(&found, &Backlog::new(&found).early, BYTES);
    let policer = policer::policer(&found, &rate).unwrap();
    assert!(policer.found, "{policer:?}");
    assert!((policer.rate_bps / 8e6 - 1.0).abs() < 0.005, "{policer:?}");
    assert!((policer.burst_bytes - 90_000.0).abs() <= 4500.0, "{policer:?}");
}

/// A link of 12 Mb/s serves 16 packets at once, or one after the other.
#[test]
fn packets_that_are_served_at_once_are_a_batch() {
    for at_once in [1, 16] {
        let packet_s = 8.0 * BYTES / 12e6;
        let served = |i: usize| packet_s * ((i / at_once + 1) * at_once) as f64;
        let list = (0..160).map(|i| packet(i as f64 * 1e-6, served(i) + R0)).collect();
        let found = sent(list, R0);
        let early = Backlog::new(&found).early;
        let rate = Rate::new(&found, &early, BYTES);
        assert_eq!(batches::median(&found, &early, &rate, BYTES), at_once as u64);
    }
}

/// A queue that drops early dropped what found a queue; only packets that found none show the loss of the link.
#[test]
fn the_link_lost_what_an_early_dropping_queue_did_not() {
    let found = queue((10e6, 1000, 8, 0.0128), 100, |number| number % 37 < 2);
    let early = Backlog::new(&found).early;
    let none = vec![false; early.len()];
    let seen = Seen { sent: &found, backlog: &early, in_stall: &none, unsure_packets: 0.0 };
    let levels = Levels::default();
    let losses = origins::Losses::new(&seen, &early, &levels, true);
    let idle = |place: &usize| early[*place] == 0;
    let lost = losses.lost.iter().copied().filter(idle).count();
    assert!(lost > 0 && lost < losses.lost.len());
    assert_eq!(losses.of_link().len(), lost);
    assert_eq!(losses.exposed(), (0..early.len()).filter(idle).count() as u64);
    let by = losses.origins(false);
    let of_link = by.iter().filter(|lost| lost.origin == LossOrigin::Link).count();
    assert_eq!(of_link, lost);
}

/// Unit test 13 of the design.
#[test]
fn a_policer_has_its_rate_and_burst() {
    let found = policed(never, 15_000.0);
    let rate = Rate::new(&found, &Backlog::new(&found).early, BYTES);
    let policer = policer::policer(&found, &rate).unwrap();
    assert!(policer.found, "{policer:?}");
    assert!((policer.rate_bps / 8e6 - 1.0).abs() < 0.02, "{policer:?}");
    assert!((policer.burst_bytes - 15_000.0).abs() <= 1500.0, "{policer:?}");
    let mut wrong = 0;
    for seed in 1..=100 {
        let mut draw = draws(15_485_863 * seed);
        let random = policed(|_| draw() < 0.01, f64::INFINITY);
        let rate = Rate::new(&random, &Backlog::new(&random).early, BYTES);
        wrong += usize::from(policer::policer(&random, &rate).is_some_and(|found| found.found));
    }
    assert!(wrong <= 1, "{wrong} of 100");
}

/// Unit test 16 of the design: stalls of 0.2 s each 2 s; delayed ACKs are none.
#[test]
fn stand_stills_are_counted_and_delayed_acks_are_not() {
    let service = 1.2e-3;
    let mut list = Vec::new();
    for n in 0..8000 {
        let arrival = |n: i32| {
            let at = f64::from(n) * service;
            at + 0.2 * (at / 2.0).floor()
        };
        // The sender keeps ten packets in the queue.
        list.push(packet(if n < 10 { 0.0 } else { arrival(n - 10) }, arrival(n) + R0));
    }
    let found = sent(list, R0);
    let stood = stalls::stood_still(&found, &stalls::stalls(&found, 1e7, BYTES));
    let summary = stalls::summary(&found, &stood);
    assert_eq!(summary.count, 4);
    assert!((summary.total_s - 0.8).abs() < 0.08 && summary.found, "{summary:?}");
    // Lone segments whose ACKs a receiver delays by 40 ms.
    let delayed = |n: u32| Transmission {
        is_immediate: false,
        ..packet(f64::from(n), f64::from(n) + R0 + 0.04)
    };
    let idle = sent((0..100).map(delayed).collect(), R0);
    assert!(stalls::stalls(&idle, 1e7, BYTES).is_empty());
}

/// An application that writes 15 Mb/s in blocks.
#[test]
fn the_slope_between_pauses_is_the_rate_of_the_application() {
    let pause = |n: u32| Pause {
        since_start_s: 131_072.0 * 8.0 / 15e6 * f64::from(n) + 1e-3 * f64::from(n % 3),
        bytes: 131_072.0 * f64::from(n),
    };
    let mut found = sent(vec![packet(0.0, R0)], R0);
    found.pauses = (1..60).map(pause).collect();
    let rate = application::application(&found).unwrap();
    assert!((rate.rate_bps / 15e6 - 1.0).abs() < 0.01 && rate.is_steady, "{rate:?}");
    assert!((rate.message_bytes - 131_072.0).abs() < 1.0);
    found.pauses.truncate(2);
    assert!(application::application(&found).is_none());
}

/// Which copy an ACK credits: the last one, unless it is younger than the least round trip.
#[test]
fn copies_are_lost_needless_or_delivered() {
    let mut log = Log::default();
    let ms = 1_000_000;
    log.push_sent(0, 1000, 100);
    log.push_sent(ms, 1100, 100);
    log.push_sent(2 * ms, 1200, 100);
    // The second segment is lost, and sent again; the third is sent again needlessly.
    log.push_ack(51 * ms, 1100, &[], false);
    log.push_ack(53 * ms, 1100, &[(1200, 1300)], false);
    log.push_sent(54 * ms, 1100, 100);
    log.push_sent(55 * ms, 1200, 100);
    log.push_ack(104 * ms, 1300, &[], false);
    let source = [Source { log: &log, header_bytes: 52.0, mss: 1448, handshake_s: None }];
    let found = Transmissions::new(&source, Some(0.05));
    let fates: Vec<Fate> = found.list.iter().map(|sent| sent.fate).collect();
    assert_eq!(fates, [Delivered, Lost, Delivered, Delivered, Needless]);
    let triggers: Vec<bool> = found.list.iter().map(|sent| sent.is_trigger).collect();
    assert_eq!(triggers, [true, false, true, true, false]);
    // A DSACK shows that the copy which counts as lost had arrived.
    log.push_ack(105 * ms, 1300, &[(1100, 1200)], true);
    let source = [Source { log: &log, header_bytes: 52.0, mss: 1448, handshake_s: None }];
    let found = Transmissions::new(&source, Some(0.05));
    assert_eq!(found.list[1].fate, Needless);
    assert_eq!(found.shown_by_dsack, 1);
}

/// Unit test 19 of the design: segments that the host joined are measured like the packets they are.
#[test]
fn joined_segments_are_cut_into_packets() {
    let (mut plain, mut joined) = (Log::default(), Log::default());
    for block in 0..40u64 {
        let (at, start) = (block * 20_000_000, block * 14_480);
        joined.push_sent(at, start, 14_480);
        for n in 0..10 {
            plain.push_sent(at, start + n * 1448, 1448);
        }
        for n in 1..=10 {
            let acked = at + 40_000_000 + n * 1_200_000;
            for log in [&mut plain, &mut joined] {
                log.push_ack(acked, start + n * 1448, &[], false);
            }
        }
    }
    let of = |log: &Log| {
        Transmissions::new(
            &[Source { log, header_bytes: 52.0, mss: 1448, handshake_s: None }],
            None,
        )
    };
    assert_eq!(of(&plain).list, of(&joined).list);
}

/// Ten packets, then one for each ACK: the queue is empty for the first one only, as the handshake confirms.
#[test]
fn a_queue_that_never_empties_hides_no_delay() {
    let mut log = Log::default();
    for n in 0..10 {
        log.push_sent(0, n * 1448, 1448);
    }
    for n in 0..90u64 {
        let acked_ns = 40_000_000 + n * 5_000_000;
        log.push_ack(acked_ns, (n + 1) * 1448, &[], false);
        log.push_sent(acked_ns, (n + 10) * 1448, 1448);
    }
    let least = |handshake_s| {
        let source = [Source { log: &log, header_bytes: 52.0, mss: 1448, handshake_s }];
        Transmissions::new(&source, None).least_rtt_s
    };
    assert!((least(Some(0.039)) - 0.040).abs() < 1e-9);
    // A handshake that took longer, or that was not captured, confirms nothing.
    for handshake_s in [None, Some(0.041)] {
        assert!((least(handshake_s) - 0.050).abs() < 1e-9);
    }
}

/// Unit test 7 of the design, small: as many packets in the backlog as were sent, in order n log n.
#[test]
fn a_long_capture_is_measured() {
    let found = queue((1e9, 1 << 20, 1000, 0.012), 200, never);
    let backlog = Backlog::new(&found);
    // 999 wait, of which the link serves 8 in the slack of 0.1 ms.
    assert!(backlog.late.iter().max().is_some_and(|most| (985..1000).contains(most)));
    let rate = Rate::new(&found, &backlog.early, BYTES);
    assert!((rate.value_bps / 1e9 - 1.0).abs() < 1e-3, "{rate:?}");
}

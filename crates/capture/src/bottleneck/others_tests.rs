//! Other traffic in the queue, and the rule of `CoDel`, on transmissions made by hand.

use super::alone::alone;
use super::codel::codel;
use super::*;

const BYTES: f64 = 1500.0;
const R0: f64 = 0.04;
/// Service time at 10 Mb/s.
const SERVICE_S: f64 = 1.2e-3;

fn packet(sent_s: f64, wait_s: f64) -> Transmission {
    tests::packet(sent_s, sent_s + R0 + wait_s)
}

fn lost(sent_s: f64) -> Transmission {
    Transmission { fate: Fate::Lost, acked_s: None, is_trigger: false, ..packet(sent_s, 0.0) }
}

fn others(list: Vec<Transmission>) -> Alone {
    let sent = Transmissions { list, least_rtt_s: R0, ..Transmissions::default() };
    let Backlog { late, early } = Backlog::new(&sent);
    let mut rate = Rate::new(&sent, &early, BYTES);
    rate.tell(8.0 * BYTES / SERVICE_S);
    let in_stall = vec![false; late.len()];
    let seen = Seen { sent: &sent, backlog: &late, in_stall: &in_stall, unsure_packets: 0.0 };
    alone(&seen, &rate, BYTES, 2)
}

/// Two packets each 0.1 s; the first one waits `wait_s`, and the second one behind it.
fn pairs(number: u32, wait_s: f64) -> Vec<Transmission> {
    let pair = |n: u32| {
        let at = 0.1 * f64::from(n);
        [packet(at, wait_s), packet(at + 1e-4, wait_s + SERVICE_S - 1e-4)]
    };
    (0..number).flat_map(pair).collect()
}

#[test]
fn a_packet_that_waits_without_its_own_waits_for_others() {
    let found = others(pairs(20, 0.012));
    assert_eq!((found.packets, found.waited, found.found), (20, 20, true));
    // Without others, it waits for nothing, and the second one for the packet in transmission.
    let found = others(pairs(20, 0.0));
    assert_eq!((found.packets, found.waited, found.found), (40, 0, false));
    // Three of them are the fewest.
    assert!(!others(pairs(2, 0.012)).found && others(pairs(3, 0.012)).found);
    // A tenth is the least part.
    assert!(!others([pairs(40, 0.0), moved(pairs(4, 0.012), 4.0)].concat()).found);
}

fn moved(list: Vec<Transmission>, by_s: f64) -> Vec<Transmission> {
    let moved = |each: Transmission| Transmission {
        sent_s: each.sent_s + by_s,
        acked_s: each.acked_s.map(|acked| acked + by_s),
        ..each
    };
    list.into_iter().map(moved).collect()
}

/// A receiver delays the ACK of a lone packet by up to 40 ms: nothing waits for others.
#[test]
fn a_delayed_ack_is_no_wait() {
    let lone = |n: u32| Transmission { is_immediate: false, ..packet(0.1 * f64::from(n), 0.04) };
    let found = others((0..20).map(lone).collect());
    assert_eq!((found.packets, found.found), (0, false));
}

/// The link loses eight packets of ten after the queue. The next one waits for them, and not for others.
#[test]
fn packets_that_the_link_lost_waited_before() {
    let burst = |n: u32| {
        let at = 0.2 * f64::from(n);
        let before = (0..8).map(move |k| lost(at + 1e-5 * f64::from(k)));
        before.chain([packet(at + 8e-5, 8.0 * SERVICE_S), packet(at + 9e-5, 9.0 * SERVICE_S)])
    };
    let found = others((0..20).flat_map(burst).collect());
    assert_eq!((found.packets, found.waited), (20, 0));
}

/// A packet each 2 ms for 4 s waits as `wait` says at a time; those of `dropped` are lost.
fn waits(wait: impl Fn(f64) -> f64, dropped: &[f64]) -> Codel {
    let times = (0..2000).map(|n| 2e-3 * f64::from(n));
    let list = times
        .map(|at| {
            let out = at + wait(at);
            if dropped.iter().any(|drop| (out - drop).abs() < 1.001e-3) {
                lost(at)
            } else {
                packet(at, wait(at))
            }
        })
        .collect();
    codel(&Transmissions { list, least_rtt_s: R0, ..Transmissions::default() }, SERVICE_S)
}

/// RFC 8289: the first drop an interval after the target, then each interval/sqrt(n) while packets wait longer.
#[test]
fn drops_at_the_times_of_codel_are_due() {
    // Above 5 ms in the first half of each second.
    let wait = |at: f64| if at.fract() < 0.5 { 0.012 } else { 0.002 };
    let (mut drops, mut cycle) = (Vec::new(), 0.0);
    while cycle < 4.0 {
        let (mut at, mut n) = (cycle + 0.012 + 0.1, 1.0f64);
        while at < cycle + 0.5 {
            drops.push(at);
            at += 0.1 / n.sqrt();
            n += 1.0;
        }
        cycle += 1.0;
    }
    let found = waits(wait, &drops);
    assert!(found.found && found.not_due == 0, "{found:?}");
    assert!(found.due >= 20 && found.overdue_s < 0.05 * found.above_s, "{found:?}");
    // The same waits with a drop at their beginning are no CoDel: a queue that overflows, or PIE.
    let early: Vec<f64> = (0..4).map(|n| f64::from(n) + 0.05).collect();
    assert!(!waits(wait, &early).found);
    // One drop in each half second leaves 0.25 s in which CoDel had dropped.
    let few: Vec<f64> = (0..4).map(|n| f64::from(n) + 0.112).collect();
    let found = waits(wait, &few);
    assert!(found.due == 4 && !found.found, "{found:?}");
}

/// Bursts in a long queue: the first loss of each may be due, the others are not.
#[test]
fn bursts_are_no_codel() {
    let burst = |n: u32| (0..4).map(move |k| 0.4 * f64::from(n) + 0.2 + 2e-3 * f64::from(k));
    let drops: Vec<f64> = (0..9).flat_map(burst).collect();
    let found = waits(|_| 0.02, &drops);
    assert!(!found.found && found.not_due > 2 * found.due, "{found:?}");
}

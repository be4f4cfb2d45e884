//! The receiving half and its signals to the sender: delayed ACKs, windows, probes, SACK.

use airtcp_packet::{Segment, Side};
use airtcp_probe::Machine;
use airtcp_units::{Bytes, Nanos, Span};

use super::pair::{Fate, Pair, at, ms};
use crate::tcp::{Connection, Recovery, TcpConfig};

pub(super) const CLIENT: Side = Side::Client;
pub(super) const SERVER: Side = Side::Server;

pub(super) fn config() -> TcpConfig {
    TcpConfig { mss: 1000, initial_window: Some(10), ..TcpConfig::default() }
}

pub(super) fn connected(config: &TcpConfig) -> Pair {
    let mut pair = Pair::new(config, ms(10));
    pair.connect();
    pair.run(pair.now);
    pair.sent.clear();
    pair
}

pub(super) fn write(pair: &mut Pair, bytes: u64) {
    pair.act(CLIENT, |c, now| assert_eq!(c.write(now, bytes), bytes));
}

/// Time in ms after `from` and acknowledged bytes of each segment the server sent.
pub(super) fn acks(pair: &Pair, from: Nanos) -> Vec<(u64, u32)> {
    pair.sent
        .iter()
        .filter(|s| s.from == SERVER)
        .map(|s| {
            (s.at.since(from).0 / 1_000_000, s.segment.ack.0.wrapping_sub(u32::MAX - 3000) - 1)
        })
        .collect()
}

#[test]
fn one_ack_for_two_segments_or_after_the_delay() {
    let mut pair = connected(&config());
    let start = pair.now;
    write(&mut pair, 5000);
    pair.run(start + ms(1000));
    assert_eq!(acks(&pair, start), [(10, 2000), (10, 4000), (210, 5000)]);

    let mut pair = connected(&TcpConfig { ack_every: 1, ..config() });
    let start = pair.now;
    write(&mut pair, 3000);
    pair.run(start + ms(1000));
    assert_eq!(acks(&pair, start), [(10, 1000), (10, 2000), (10, 3000)]);

    let mut pair = connected(&TcpConfig { ack_every: 3, ack_delay: ms(60), ..config() });
    let start = pair.now;
    write(&mut pair, 4000);
    pair.run(start + ms(1000));
    assert_eq!(acks(&pair, start), [(10, 3000), (70, 4000)]);

    // Quick ACKs first, delayed ones after.
    let mut pair = connected(&TcpConfig { quick_acks: 2, ack_delay: ms(40), ..config() });
    let start = pair.now;
    write(&mut pair, 3000);
    pair.run(start + ms(1000));
    assert_eq!(acks(&pair, start), [(10, 1000), (10, 2000), (50, 3000)]);
}

#[test]
fn data_carries_the_ack() {
    let mut pair = connected(&config());
    let start = pair.now;
    write(&mut pair, 1000);
    pair.run(start + ms(100));
    pair.act(SERVER, |s, now| s.write(now, 10));
    pair.run(start + ms(105));
    assert_eq!(acks(&pair, start), [(100, 1000)]);
    assert_eq!(pair.server.stats().acks_sent, 0);
}

/// RFC 5681 section 4.2: out of order and gap-filling segments are acknowledged at once.
#[test]
fn gaps_are_acknowledged_at_once_with_sack_blocks() {
    let mut pair = connected(&config()).script(|_, _, _| Fate::Deliver);
    // The third and the sixth are 50 and 60 ms late.
    let mut n = 0;
    pair.script = Box::new(move |side, _, s| {
        if side == CLIENT && s.len > 0 {
            n += 1;
            return match n {
                3 => Fate::Late(ms(2)),
                6 => Fate::Late(ms(4)),
                _ => Fate::Deliver,
            };
        }
        Fate::Deliver
    });
    let start = pair.now;
    write(&mut pair, 8000);
    pair.run(start + ms(18));
    let blocks = |s: &Segment| -> Vec<(u32, u32)> {
        let base = u32::MAX - 3000 + 1;
        s.sacks()
            .iter()
            .map(|b| (b.start.0.wrapping_sub(base), b.end.0.wrapping_sub(base)))
            .collect()
    };
    let seen: Vec<_> = pair
        .sent
        .iter()
        .filter(|s| s.from == SERVER)
        .zip(acks(&pair, start))
        .map(|(s, a)| (a.0, a.1, blocks(&s.segment)))
        .collect();
    let expected = [
        (10, 2000, vec![]),
        (10, 2000, vec![(3000, 4000)]),
        (10, 2000, vec![(3000, 5000)]),
        (10, 2000, vec![(6000, 7000), (3000, 5000)]),
        (10, 2000, vec![(6000, 8000), (3000, 5000)]),
        (12, 5000, vec![(6000, 8000)]),
        (14, 8000, vec![]),
    ];
    assert_eq!(seen, expected);
}

/// RFC 2883 section 4: a duplicate is reported first, and the sender counts it.
#[test]
fn duplicates_are_reported() {
    for dsack in [true, false] {
        let mut pair = connected(&TcpConfig { dsack, ..config() });
        pair.script =
            Box::new(
                |side, _, s| {
                    if side == CLIENT && s.len > 0 { Fate::Twice(ms(30)) } else { Fate::Deliver }
                },
            );
        let start = pair.now;
        write(&mut pair, 1000);
        pair.run(start + ms(500));
        let last = pair.sent.iter().rfind(|s| s.from == SERVER).unwrap().segment;
        let base = u32::MAX - 3000 + 1;
        if dsack {
            let b = last.sacks()[0];
            assert_eq!((b.start.0.wrapping_sub(base), b.end.0.wrapping_sub(base)), (0, 1000));
        } else {
            assert!(last.sacks().is_empty());
        }
        assert_eq!(pair.client.stats().dsacks, u64::from(dsack));
        // Reported once: the next ACK does not repeat it.
        pair.script = Box::new(|_, _, _| Fate::Deliver);
        pair.act(CLIENT, |c, now| c.write(now, 2000));
        pair.run(pair.now + ms(500));
        let last = pair.sent.iter().rfind(|s| s.from == SERVER).unwrap().segment;
        assert!(last.sacks().is_empty());
        assert_eq!(pair.server.stats().bytes_duplicate, 1000);
        assert_eq!(pair.server.delivered(), 3000);
        // Everything is acknowledged: no timer runs at either end.
        assert_eq!(pair.client.next_timer(), Nanos::NEVER);
        assert_eq!(pair.server.next_timer(), Nanos::NEVER);
    }
}

#[test]
fn the_window_closes_probes_go_out_and_reading_opens_it() {
    let small = TcpConfig { receive_buffer: Bytes(4000), window_scaling: false, ..config() };
    let mut pair = connected(&small);
    pair.server.set_auto_read(false);
    let start = pair.now;
    write(&mut pair, 10_000);
    pair.run(start + ms(15_900));
    assert_eq!((pair.server.readable(), pair.client.peer_window()), (4000, 0));
    assert_eq!(pair.client.stats().timeouts, 0, "a closed window is no congestion");
    // The window closes at 20 ms (the last ACK); probes after 1, 2, 4, 8 s.
    let probes: Vec<u64> = pair
        .sent
        .iter()
        .filter(|s| s.from == CLIENT && s.segment.len == 1)
        .map(|s| s.at.since(start).0 / 1_000_000)
        .collect();
    assert_eq!(probes, [1020, 3020, 7020, 15_020]);
    assert_eq!(pair.client.stats().zero_window_probes, 4);
    // Reading less than a segment sends no update; reading a segment does.
    let before = pair.sent.len();
    pair.act(SERVER, |s, now| assert_eq!(s.read(now, 900), 900));
    assert_eq!(pair.sent.len(), before);
    pair.act(SERVER, |s, now| s.read(now, 1100));
    let update = pair.sent.last().unwrap();
    assert_eq!((update.from, update.segment.window), (SERVER, 2000));
    pair.run(pair.now + ms(500));
    assert_eq!(pair.server.readable(), 4000);
    // This repeats until the end, with everything in order.
    let mut read = 2000;
    for _ in 0..200 {
        read += pair.act(SERVER, |s, now| s.read(now, 700));
        pair.run(pair.now + ms(300));
    }
    assert_eq!((read, pair.server.delivered()), (10_000, 10_000));
    assert_eq!(pair.client.unacked(), 0);
    assert_eq!(pair.client.stats().timeouts, 0);
}

/// RFC 9293 section 3.8.6.2: neither side causes small segments in a large transfer.
#[test]
fn no_silly_windows() {
    let small = TcpConfig { receive_buffer: Bytes(8000), window_scaling: false, ..config() };
    let mut pair = connected(&small);
    pair.server.set_auto_read(false);
    write(&mut pair, 200_000);
    let mut read = 0;
    for _ in 0..3000 {
        read += pair.act(SERVER, |s, now| s.read(now, 97));
        pair.run(pair.now + ms(3));
    }
    assert_eq!(read, 200_000);
    let tiny = pair.sent.iter().filter(|s| s.from == CLIENT && (2..1000).contains(&s.segment.len));
    assert_eq!(tiny.count(), 0);
    let updates = pair.server.stats().acks_sent;
    assert!(updates < 350, "{updates} ACKs for 200 segments and {read} small reads");
}

/// A probe replaces a lost window update.
#[test]
fn a_lost_window_update_does_not_stall() {
    let small = TcpConfig { receive_buffer: Bytes(4000), window_scaling: false, ..config() };
    let mut pair = connected(&small);
    pair.server.set_auto_read(false);
    write(&mut pair, 6000);
    pair.act(CLIENT, Connection::close);
    pair.run(pair.now + ms(500));
    pair.script = Box::new(|_, _, _| Fate::Drop);
    pair.act(SERVER, |s, now| s.read(now, 4000));
    pair.script = Box::new(|_, _, _| Fate::Deliver);
    pair.run(pair.now + ms(5000));
    assert!(pair.server.peer_closed());
    pair.act(SERVER, |s, now| s.read(now, 4000));
    assert_eq!(pair.server.delivered(), 6000);
    assert_eq!(pair.client.stats().zero_window_probes, 1);
}

/// A FIN behind a closed window is sent as a probe.
#[test]
fn a_fin_waits_for_the_window() {
    let small = TcpConfig { receive_buffer: Bytes(4000), window_scaling: false, ..config() };
    let mut pair = connected(&small);
    pair.server.set_auto_read(false);
    write(&mut pair, 4000);
    pair.act(CLIENT, Connection::close);
    pair.run(pair.now + ms(5000));
    assert!(!pair.server.peer_closed());
    pair.act(SERVER, |s, now| s.read(now, 4000));
    pair.run(pair.now + ms(10_000));
    assert!(pair.server.is_closed() && pair.server.delivered() == 4000);
}

#[test]
fn a_go_back_n_receiver_keeps_nothing() {
    let config = TcpConfig {
        reassembly: crate::tcp::Reassembly::GoBackN,
        recovery: Recovery::Tahoe,
        ..config()
    };
    let mut first = true;
    let mut pair = connected(&config);
    pair.script = Box::new(move |side, _, s| {
        let hit = side == CLIENT && s.len > 0 && std::mem::take(&mut first);
        if hit { Fate::Drop } else { Fate::Deliver }
    });
    write(&mut pair, 10_000);
    pair.run(pair.now + ms(2000));
    assert_eq!(pair.server.delivered(), 10_000);
    // All ten are retransmitted: the nine after the loss were dropped.
    assert_eq!(pair.client.stats().segments_retransmitted, 10);
}

#[test]
fn nagle_waits_for_the_ack() {
    for (nagle, segments) in [(true, 2), (false, 5)] {
        let mut pair = connected(&TcpConfig { nagle, ack_every: 1, ..config() });
        for _ in 0..5 {
            write(&mut pair, 10);
        }
        pair.run(pair.now + ms(500));
        assert_eq!(pair.server.delivered(), 50);
        assert_eq!(pair.client.stats().data_segments_sent, segments);
    }
}

/// RFC 6298 section 3, Karn: a retransmitted segment gives no sample, except with timestamps.
#[test]
fn karn_and_timestamps() {
    for timestamps in [false, true] {
        let mut pair = connected(&TcpConfig { timestamps, ack_every: 1, ..config() });
        let mut first = true;
        pair.script = Box::new(move |side, _, s| {
            let hit = side == CLIENT && s.len > 0 && std::mem::take(&mut first);
            if hit { Fate::Drop } else { Fate::Deliver }
        });
        let samples = pair.client.stats().rtt.samples;
        write(&mut pair, 500);
        pair.run(pair.now + ms(1500));
        assert_eq!(pair.client.unacked(), 0);
        assert_eq!(pair.client.stats().timeouts, 1);
        assert_eq!(pair.client.stats().rtt.samples - samples, u64::from(timestamps));
        // 1 s doubled, unless the sample ended the back-off.
        let rto = if timestamps { Span::from_secs(1) } else { Span::from_secs(2) };
        assert_eq!(pair.client.rto(), rto);
        assert_eq!(pair.client.stats().rtt.max, ms(20));
    }
}

/// RFC 5681 section 4.1, and no growth while the application is the limit.
#[test]
fn pauses_and_application_limits() {
    for (idle_restart, window) in [(true, 10), (false, 40)] {
        let mut pair = connected(&TcpConfig { idle_restart, ack_every: 1, ..config() });
        write(&mut pair, 30_000);
        pair.run(pair.now + ms(200));
        // Ten and twenty segments were sent. The second window was not filled, so 20 ACKs of the
        // first two windows count and the others do not.
        let grown = pair.client.cwnd();
        assert!((20_000..=40_000).contains(&grown), "{grown}");
        for _ in 0..50 {
            write(&mut pair, 1000);
            pair.run(pair.now + ms(50));
        }
        assert_eq!(pair.client.cwnd(), grown, "one segment at a time fills no window");
        pair.run(pair.now + ms(5000));
        pair.sent.clear();
        write(&mut pair, 100_000);
        let burst = pair.sent.len() as u64;
        assert_eq!(burst, if idle_restart { window } else { grown / 1000 });
        assert_eq!(at(0), Nanos::ZERO);
    }
}

//! Single exchanges: start times to the ns, deferral, and counters.

use super::*;

const MS: u64 = 1_000_000;

fn us(n: u64) -> Span {
    Span::from_micros(n)
}

fn bench(n: usize, change: impl FnOnce(&mut CellPlan)) -> Bench {
    let mut plan = plan(n, Standard::A, MacConfig::default(), TimingConfig::default());
    change(&mut plan);
    Bench::new(plan, 1)
}

impl Bench {
    fn until(&mut self, ns: u64) {
        self.run(Nanos(ns));
    }

    fn starts(&self, kind: Kind) -> Vec<u64> {
        self.log.iter().filter(|(_, f)| f.kind == kind).map(|(at, _)| at.0).collect()
    }
}

/// 1488 bytes of packet, 1524 of frame: 20 + 4 ceil((22 + 8 * 1524) / 216) = 248 us at 54 Mb/s.
const DATA: u64 = 248_000;
/// 20 + 4 ceil(134 / 96) = 28 us at 24 Mb/s.
const ACK: u64 = 28_000;
const SIFS: u64 = 16_000;
const DIFS: u64 = 34_000;
const SLOT: u64 = 9_000;

#[test]
fn a_packet_on_an_idle_medium_is_sent_at_once_and_acknowledged() {
    let mut b = bench(2, |_| {});
    b.until(MS);
    b.offer(NodeId(1), NodeId(0));
    b.until(2 * MS);
    assert_eq!(b.starts(Kind::Data), [MS]);
    assert_eq!(b.starts(Kind::Ack), [MS + DATA + SIFS]);
    assert_eq!(b.delivered, [1, 0]);
    assert_eq!(b.cell.stats(NodeId(1)).acknowledged, 1);
    assert_eq!(b.cell.stats(NodeId(1)).service_ns, DATA + SIFS + ACK);
    assert_eq!(b.cell.busy_ns(0, b.now), DATA + ACK);
}

#[test]
fn a_second_packet_waits_for_the_back_off_after_the_first() {
    let mut b = bench(2, |_| {});
    b.until(MS);
    b.saturated.push((NodeId(1), NodeId(0)));
    b.until(20 * MS);
    let starts = b.starts(Kind::Data);
    let mut seen = [0u32; 16];
    for pair in starts.windows(2) {
        let wait = pair[1] - pair[0] - DATA - SIFS - ACK - DIFS;
        assert_eq!(wait % SLOT, 0);
        seen[(wait / SLOT) as usize] += 1;
    }
    assert!(seen.iter().filter(|n| **n > 0).count() > 8, "{seen:?}");
}

/// Clause 9.3.4.2: two stations that decide at the same instant both transmit, and both frames are
/// lost.
#[test]
fn decisions_of_one_instant_collide() {
    let mut b = bench(3, |_| {});
    b.until(MS);
    b.offer(NodeId(1), NodeId(0));
    b.offer(NodeId(2), NodeId(0));
    b.until(MS + DATA);
    assert_eq!(b.starts(Kind::Data), [MS, MS]);
    let first = b.cell.stats(NodeId(1)).class(Class::Data);
    assert_eq!((first.sent, first.decoded, first.collided[Class::Data as usize]), (1, 0, 1));
    b.until(100 * MS);
    assert_eq!(b.delivered[0], 2);
}

/// A frame that begins when another ends does not overlap it.
#[test]
fn end_and_start_of_one_instant_do_not_overlap() {
    // The stations are hidden from each other; the second packet arrives just before the first ACK
    // ends.
    let mut b = bench(3, |p| {
        p.power_mw[1][2] = 0.0;
        p.power_mw[2][1] = 0.0;
    });
    b.until(MS);
    b.offer(NodeId(1), NodeId(0));
    b.until(MS + DATA + SIFS + ACK - 1);
    let data = b.cell.stats(NodeId(1)).class(Class::Data);
    assert_eq!(data.decoded, 1);
    // Station 2 senses the ACK and waits DIFS and a back-off after it.
    b.offer(NodeId(2), NodeId(0));
    b.until(4 * MS);
    let second = b.starts(Kind::Data)[1];
    assert!(second >= MS + DATA + SIFS + ACK + DIFS);
    assert_eq!((second - MS - DATA - SIFS - ACK - DIFS) % SLOT, 0);
    assert_eq!(b.delivered[0], 2);
}

/// Clause 9.3.4.3: a frozen back-off continues after the busy period.
#[test]
fn a_frozen_back_off_continues() {
    let mut b = bench(3, |_| {});
    let lead = [2 * DIFS, 2 * DIFS + SLOT / 3, 2 * DIFS + 2 * SLOT];
    for (round, offset) in lead.into_iter().enumerate() {
        let start = (round as u64 + 1) * 50 * MS;
        b.until(start);
        b.log.clear();
        // Station 2's packet arrives while station 1 transmits, and draws a back-off.
        b.offer(NodeId(1), NodeId(0));
        b.until(start + DATA / 2);
        b.offer(NodeId(2), NodeId(0));
        let idle = start + DATA + SIFS + ACK;
        // The access point's packet arrives after some slots and is sent at once.
        b.until(idle + DIFS - 1);
        let slots = b.cell.stations[2].slots(0);
        b.until(idle + offset);
        b.offer(NodeId(0), NodeId(1));
        let passed = (offset - DIFS) / SLOT;
        b.until(start + 40 * MS);
        let of = |from: u32| {
            let found = b.log.iter().find(|(_, f)| f.kind == Kind::Data && f.from == NodeId(from));
            found.unwrap().0.0
        };
        if u64::from(slots) > passed {
            assert_eq!(of(0), idle + offset);
            let resumed = of(0) + DATA + SIFS + ACK + DIFS;
            assert_eq!(of(2), resumed + (u64::from(slots) - passed) * SLOT, "{slots} {passed}");
        } else {
            assert_eq!(of(2), idle + DIFS + u64::from(slots) * SLOT);
        }
    }
}

/// Clause 9.3.2.3.7: stations wait EIFS after a frame that they cannot decode.
#[test]
fn a_bad_frame_makes_its_hearers_wait_eifs() {
    // Station 3 senses the collision of stations 1 and 2.
    let mut b = bench(4, |_| {});
    b.until(MS);
    b.offer(NodeId(1), NodeId(0));
    b.offer(NodeId(2), NodeId(0));
    b.until(MS + 1);
    b.offer(NodeId(3), NodeId(0));
    let slots = u64::from(b.cell.stations[3].slots(0));
    let eifs = 94_000;
    let due = b.cell.stations[3].next_timer(&b.cell.cells.first().rules);
    assert_eq!(due, Nanos::NEVER);
    b.until(MS + DATA);
    let due = b.cell.stations[3].next_timer(&b.cell.cells.first().rules);
    assert_eq!(due, Nanos(MS + DATA + eifs + slots * SLOT));
}

/// Clause 9.3.2.10: if only the ACK is lost, the frame is retransmitted, and delivered once.
#[test]
fn a_retransmitted_frame_is_delivered_once() {
    let mut b = bench(2, |p| p.power_mw[0][1] = 1e-9);
    b.until(MS);
    b.offer(NodeId(1), NodeId(0));
    b.until(200 * MS);
    let stats = b.cell.stats(NodeId(1));
    assert_eq!((stats.class(Class::Data).sent, stats.class(Class::Data).decoded), (7, 7));
    assert_eq!(b.cell.stats(NodeId(0)).class(Class::Ack).sent, 7);
    assert_eq!(b.delivered[0], 1);
    // The sender reaches the retry limit, but no packet is lost.
    assert_eq!((stats.given_up, stats.dropped), (1, 0));
    assert_eq!(b.pool.in_flight(), 0);
}

/// The window doubles with each attempt, and the packet is dropped at the retry limit.
#[test]
fn an_unanswered_frame_reaches_the_retry_limit() {
    let mut b = bench(2, |p| p.power_mw[1][0] = 1e-9);
    b.until(MS);
    b.offer(NodeId(1), NodeId(0));
    b.until(500 * MS);
    let starts = b.starts(Kind::Data);
    assert_eq!(starts.len(), 7);
    // Slots begin at the timeout (SIFS + slot + PHY-RX-START delay): the medium was idle for DIFS.
    for (i, pair) in starts.windows(2).enumerate() {
        let wait = pair[1] - pair[0] - DATA - 50_000;
        assert_eq!(wait % SLOT, 0);
        assert!(wait / SLOT < 16 << (i + 1));
    }
    let stats = b.cell.stats(NodeId(1));
    assert_eq!((stats.given_up, stats.dropped, stats.class(Class::Data).noise), (1, 1, 7));
    assert_eq!(b.pool.in_flight(), 0);
}

fn with_rts(p: &mut CellPlan) {
    p.mac.rts_threshold = Some(airtcp_units::Bytes(500));
}

/// RTS 20 bytes at 24 Mb/s: 28 us; CTS 28 us.
const RTS: u64 = 28_000;
const CTS: u64 = 28_000;

#[test]
fn rts_and_cts_precede_data() {
    let mut b = bench(2, with_rts);
    b.until(MS);
    b.offer(NodeId(1), NodeId(0));
    b.until(2 * MS);
    assert_eq!(b.starts(Kind::Rts), [MS]);
    assert_eq!(b.starts(Kind::Cts), [MS + RTS + SIFS]);
    assert_eq!(b.starts(Kind::Data), [MS + RTS + SIFS + CTS + SIFS]);
    let end = MS + RTS + CTS + DATA + ACK + 3 * SIFS;
    assert_eq!(b.starts(Kind::Ack), [end - ACK]);
    // Every Duration field ends with the exchange.
    let timing = b.cell.cells.first().rules.timing;
    for (at, frame) in &b.log {
        let over = *at + timing.frame(frame.mode, frame.bytes) + frame.duration;
        assert_eq!(over, Nanos(end), "{frame:?}");
    }
}

/// Clause 9.3.2.4: a station that receives only the CTS defers until the end of the exchange.
#[test]
fn a_hidden_station_defers_after_the_cts() {
    let mut b = bench(3, |p| {
        with_rts(p);
        p.power_mw[1][2] = 0.0;
        p.power_mw[2][1] = 0.0;
    });
    b.until(MS);
    b.offer(NodeId(1), NodeId(0));
    b.until(MS + RTS + SIFS + CTS + SIFS + DATA / 2);
    b.offer(NodeId(2), NodeId(0));
    b.until(20 * MS);
    let end = MS + RTS + CTS + DATA + ACK + 3 * SIFS;
    let second = b.starts(Kind::Rts)[1];
    assert!(second >= end + DIFS && (second - end - DIFS).is_multiple_of(SLOT));
    assert_eq!(b.delivered[0], 2);
    let lost = |i| b.cell.stats(NodeId(i)).class(Class::Data).collided;
    assert_eq!((lost(1), lost(2)), ([0; Class::ALL.len()], [0; Class::ALL.len()]));
}

/// Without RTS the same two stations collide.
#[test]
fn hidden_stations_collide_without_rts() {
    let mut b = bench(3, |p| {
        p.power_mw[1][2] = 0.0;
        p.power_mw[2][1] = 0.0;
    });
    b.until(MS);
    b.offer(NodeId(1), NodeId(0));
    b.until(MS + DATA / 2);
    b.offer(NodeId(2), NodeId(0));
    b.until(MS + 2 * DATA);
    assert_eq!(b.starts(Kind::Data)[..2], [MS, MS + DATA / 2]);
    assert_eq!(b.cell.stats(NodeId(1)).class(Class::Data).collided[Class::Data as usize], 1);
}

/// Clause 9.3.2.4: if no frame follows an RTS, its NAV ends after 2 SIFS + CTS + PHY-RX-START delay
/// + 2 slots.
#[test]
fn an_unused_reservation_ends() {
    // Station 2 receives station 1's RTS, which does not reach the access point.
    let mut b = bench(3, |p| {
        with_rts(p);
        p.power_mw[1][0] = 0.0;
    });
    b.until(MS);
    b.offer(NodeId(1), NodeId(0));
    b.until(MS + RTS + 1);
    assert_eq!(b.cell.stations[2].next_timer(&b.cell.cells.first().rules).0, {
        MS + RTS + 2 * SIFS + CTS + 25_000 + 2 * SLOT
    });
    b.offer(NodeId(2), NodeId(0));
    let slots = u64::from(b.cell.stations[2].slots(0));
    b.until(MS + RTS + 2 * SIFS + CTS + 25_000 + 2 * SLOT);
    let reset = MS + RTS + 2 * SIFS + CTS + 25_000 + 2 * SLOT;
    let due = b.cell.stations[2].next_timer(&b.cell.cells.first().rules).0;
    assert_eq!(due, reset + DIFS + slots * SLOT);
}

/// A transmitting receiver loses the frame by its own transmission.
#[test]
fn a_transmitting_receiver_receives_nothing() {
    let mut b = bench(3, |p| {
        p.power_mw[0][1] = 0.0;
        p.power_mw[0][2] = 1e-6;
    });
    b.until(MS);
    b.offer(NodeId(0), NodeId(2));
    b.until(MS + us(10).0);
    // Station 1 does not sense the access point.
    b.offer(NodeId(1), NodeId(0));
    b.until(MS + us(11).0);
    b.until(2 * MS);
    let lost = b.cell.stats(NodeId(1)).class(Class::Data);
    assert!(lost.transmitter_side >= 1, "{lost:?}");
}

/// `cwmin-only` (S2's driver): failures do not change the window.
#[test]
fn cwmin_only_keeps_the_window() {
    let mut b = bench(2, |p| {
        p.power_mw[1][0] = 1e-9;
        p.mac.backoff = crate::mac::Backoff::CwminOnly;
        p.mac.attempts = 255;
    });
    b.until(MS);
    b.offer(NodeId(1), NodeId(0));
    b.until(500 * MS);
    let starts = b.starts(Kind::Data);
    assert_eq!(starts.len(), 255);
    let slots = |pair: &[u64]| (pair[1] - pair[0] - DATA - 50_000) / SLOT;
    let drawn: Vec<u64> = starts.windows(2).map(slots).collect();
    assert!(drawn.iter().all(|slots| *slots < 16) && drawn.contains(&0) && drawn.contains(&15));
}

/// The receiver gets a packet only by a retransmission whose sequence number equals that of the last
/// packet it received, 4096 packets ago. It acknowledges the packet as a duplicate; the packet counts
/// as lost.
#[test]
fn a_packet_mistaken_for_a_duplicate_is_lost_and_counted() {
    let mut b = Bench::new(plan(2, Standard::A, MacConfig::default(), TimingConfig::default()), 1);
    b.offer(NodeId(1), NodeId(0));
    b.run(Nanos(MS));
    assert_eq!(b.delivered[0], 1);
    b.cell.stations[1].set_next_sequence(0);
    b.by_themselves();
    let heard = std::mem::take(&mut b.cell.reach.hearers_mut()[1]);
    b.offer(NodeId(1), NodeId(0));
    b.run(Nanos(MS + 100_000));
    b.cell.reach.hearers_mut()[1] = heard;
    b.run(Nanos(20 * MS));
    let stats = b.cell.stats(NodeId(1));
    assert_eq!((stats.acknowledged, stats.given_up, stats.dropped), (2, 0, 1));
    assert_eq!((b.delivered[0], b.pool.in_flight()), (1, 0));
}

//! The oracle of explicit transport error notification: segments of 1000 bytes, 100 ms round trip.
//! The pair acts as the link: it reports its losses at the time at which the receiver would have
//! received the packet.

use airtcp_packet::{Seq, Side};
use airtcp_units::{Bytes, Nanos, Span};

use super::pair::{Fate, Pair, Sent, at, ms};
use crate::tcp::{Corrupted, LossNotification, Recovery, TcpConfig};

const MSS: u64 = 1000;
const WINDOW: u64 = 20;

fn config(recovery: Recovery) -> TcpConfig {
    TcpConfig {
        mss: MSS as u16,
        recovery,
        sack: recovery == Recovery::Sack,
        initial_window: Some(WINDOW as u32),
        initial_ssthresh: Some(Bytes(WINDOW * MSS)),
        loss_notification: LossNotification::Oracle,
        ack_every: 1,
        rto_min: ms(400),
        ..TcpConfig::default()
    }
}

/// Loses the client's packets with these ordinals. The packets in `named` are reported, `late`
/// after their arrival time.
fn run(config: &TcpConfig, lost: &[usize], named: &[usize], late: Span, until: Nanos) -> Pair {
    let gone = lost.to_vec();
    let mut pair = Pair::new(config, ms(50)).script(move |side, n, _| {
        if side == Side::Client && gone.contains(&n) { Fate::Drop } else { Fate::Deliver }
    });
    pair.start(200 * MSS);
    let mut told = 0;
    loop {
        let sent: Vec<_> = pair.sent.iter().filter(|s| s.from == Side::Client).copied().collect();
        let next = named.iter().filter_map(|&n| sent.get(n)).nth(told).copied();
        let due = next.map_or(Nanos::NEVER, |s| s.at + ms(50) + late);
        if !pair.step(due.min(until)) {
            let Some(s) = next.filter(|_| due <= until) else { break };
            pair.now = due;
            let notice = Corrupted { segment: s.segment, started: s.at };
            pair.act(Side::Client, |c, now| c.on_corrupted(now, &notice));
            told += 1;
        }
    }
    pair
}

/// Every recovery, and SACK with RACK and TLP.
fn configs() -> Vec<TcpConfig> {
    let recoveries = [Recovery::Tahoe, Recovery::Reno, Recovery::NewReno, Recovery::Sack];
    let mut list: Vec<TcpConfig> = recoveries.map(config).into();
    list.push(TcpConfig { rack: true, ..config(Recovery::Sack) });
    list.push(TcpConfig { rack: true, tlp: true, ..config(Recovery::Sack) });
    list
}

#[test]
fn reported_segments_are_repaired_without_a_reduction() {
    for config in configs() {
        let recovery = (config.recovery, config.rack, config.tlp);
        // Ordinals 1 to 20 are the first window.
        let lost = [4, 5, 9, 15];
        let pair = run(&config, &lost, &lost, Span::ZERO, at(5000));
        let stats = pair.client.stats();
        assert_eq!(pair.server.delivered(), 200 * MSS, "{recovery:?}");
        assert_eq!(stats.corruption_notices, 4, "{recovery:?}");
        assert_eq!((stats.segments_retransmitted, stats.fast_retransmits), (4, 0), "{recovery:?}");
        assert_eq!(stats.timeouts, 0, "{recovery:?}");
        assert_eq!(pair.client.ssthresh(), WINDOW * MSS, "{recovery:?}");
        assert!(pair.client.cwnd() >= WINDOW * MSS, "{recovery:?}");
        // In total four round trips for 200 segments, less the effect of the window's growth, and
        // none more than without loss.
        let clean = run(&config, &[], &[], Span::ZERO, at(5000));
        let done = |pair: &Pair| {
            let data = |s: &&Sent| s.from == Side::Client && s.segment.len > 0;
            pair.sent.iter().rfind(data).map(|s| s.at).unwrap()
        };
        assert!(done(&pair) <= done(&clean) + ms(100), "{recovery:?}");
    }
}

/// A corrupted retransmission is reported again.
#[test]
fn a_retransmission_can_be_reported_too() {
    for config in configs() {
        let recovery = (config.recovery, config.rack, config.tlp);
        // The repair is what leaves first after the window.
        let lost = [4, 21];
        let pair = run(&config, &lost, &lost, Span::ZERO, at(5000));
        assert_eq!(
            pair.sent.iter().filter(|s| s.from == Side::Client).nth(21).unwrap().at,
            at(150)
        );
        let stats = pair.client.stats();
        assert_eq!(pair.server.delivered(), 200 * MSS);
        assert_eq!((stats.corruption_notices, stats.segments_retransmitted), (2, 2));
        assert_eq!((stats.fast_retransmits, stats.timeouts), (0, 0), "{recovery:?}");
    }
}

/// A queue's drop in the same window still counts as congestion.
#[test]
fn an_unreported_loss_is_congestion() {
    for config in configs() {
        let recovery = (config.recovery, config.rack, config.tlp);
        for unnamed in [5, 12] {
            let pair = run(&config, &[4, unnamed], &[4], Span::ZERO, at(5000));
            let stats = pair.client.stats();
            assert_eq!(pair.server.delivered(), 200 * MSS, "{recovery:?}");
            assert_eq!(stats.fast_retransmits + stats.timeouts, 1, "{recovery:?}");
            assert!(pair.client.ssthresh() < WINDOW * MSS, "{recovery:?}");
        }
    }
}

/// A report after the third duplicate comes too late: the segment was retransmitted already, and is
/// not retransmitted again.
#[test]
fn a_late_report_has_no_effect() {
    for recovery in [Recovery::NewReno, Recovery::Sack] {
        let pair = run(&config(recovery), &[4], &[4], ms(60), at(5000));
        let stats = pair.client.stats();
        assert_eq!(stats.fast_retransmits, 1, "{recovery:?}");
        assert_eq!(
            (stats.segments_retransmitted, stats.corruption_notices),
            (1, 0),
            "{recovery:?}"
        );
    }
}

/// Each duplicate for a corrupted segment releases one new segment.
#[test]
fn the_ack_clock_continues() {
    for (recovery, limited_transmit) in
        [(Recovery::NewReno, true), (Recovery::NewReno, false), (Recovery::Sack, false)]
    {
        let config = TcpConfig { limited_transmit, ..config(recovery) };
        let pair = run(&config, &[4], &[4], Span::ZERO, at(5000));
        let second = pair.sent.iter().filter(|s| {
            s.from == Side::Client && s.segment.len > 0 && (at(190)..at(240)).contains(&s.at)
        });
        // Three ACKs and sixteen duplicates; the three grow a window of 20 by less than a segment.
        assert_eq!(second.count(), 19, "{recovery:?} {limited_transmit}");
    }
}

#[test]
fn meaningless_reports_are_ignored() {
    let off = TcpConfig { loss_notification: LossNotification::None, ..config(Recovery::Sack) };
    let pair = run(&off, &[4], &[4], Span::ZERO, at(5000));
    assert_eq!(pair.client.stats().corruption_notices, 0);
    assert_eq!(pair.client.stats().fast_retransmits, 1);

    let mut pair = run(&config(Recovery::Sack), &[], &[], Span::ZERO, at(120));
    let first = pair.sent.iter().find(|s| s.from == Side::Client && s.segment.len > 0).copied();
    let segment = first.unwrap().segment;
    for (seq, started, len) in [
        // Never sent; retransmitted since; a bare ACK.
        (Seq(segment.seq.0.wrapping_add(1 << 30)), at(110), 1000),
        (segment.seq, at(90), 1000),
        (segment.seq, at(110), 0),
    ] {
        let mut segment = segment;
        (segment.seq, segment.len) = (seq, len);
        pair.act(Side::Client, |c, now| c.on_corrupted(now, &Corrupted { segment, started }));
        assert_eq!(pair.client.stats().segments_retransmitted, 0);
    }
    // Acknowledged meanwhile.
    pair.run(at(205));
    pair.act(Side::Client, |c, now| c.on_corrupted(now, &Corrupted { segment, started: at(200) }));
    assert_eq!(pair.client.stats().segments_retransmitted, 0);
}

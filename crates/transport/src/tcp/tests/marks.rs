//! Explicit congestion notification, RFC 3168 section 6.1.

use airtcp_packet::Flags;

use super::pair::{Fate, Pair, ms};
use super::receiving::{CLIENT, SERVER, config, connected, write};
use crate::tcp::TcpConfig;

fn ecn() -> TcpConfig {
    TcpConfig { ecn: true, ack_every: 1, ..config() }
}

/// RFC 3168 section 6.1: echo until CWR, one reaction per window.
#[test]
fn a_mark_is_echoed_until_answered_and_answered_once() {
    let mut pair = connected(&ecn());
    let mut n = 0;
    pair.script = Box::new(move |side, _, s| {
        if side == CLIENT && s.len > 0 {
            n += 1;
            // Three marks within one window.
            return if (11..=13).contains(&n) { Fate::Mark } else { Fate::Deliver };
        }
        Fate::Deliver
    });
    let start = pair.now;
    write(&mut pair, u64::MAX >> 2);
    // Windows of 10 and 20 leave at 0 and 20 ms; the marks are in the second.
    pair.run(start + ms(45));
    let stats = *pair.client.stats();
    assert_eq!((stats.ecn_reactions, pair.server.stats().ecn_marks), (1, 3));
    assert_eq!(stats.segments_retransmitted, 0);
    // The first echo finds 20 segments outstanding.
    assert_eq!(pair.client.ssthresh(), 10_000);
    let cwr = pair.sent.iter().filter(|s| s.segment.flags.has(Flags::CWR)).count();
    assert_eq!(cwr, 1);
    pair.run(start + ms(75));
    let echoes: Vec<u64> = pair
        .sent
        .iter()
        .filter(|s| s.from == SERVER && s.segment.flags.has(Flags::ECE))
        .map(|s| s.at.since(start).0 / 1_000_000)
        .collect();
    // From the mark's arrival at 30 ms until CWR arrives with the next new data.
    assert_eq!(echoes.first(), Some(&30));
    assert!(echoes.last().is_some_and(|t| *t <= 50), "{echoes:?}");
    assert_eq!(pair.client.stats().ecn_reactions, 1);
    assert!(pair.sent.iter().all(|s| s.segment.len > 0 || !s.segment.ecn.is_capable()));
}

/// RFC 3168 section 6.1.2: with every packet marked the window stays at one segment, and one
/// segment leaves per timeout instead of per round trip.
#[test]
fn marks_on_everything_slow_to_one_segment_per_timeout() {
    let mut pair = connected(&ecn());
    pair.script =
        Box::new(
            |side, _, s| {
                if side == CLIENT && s.ecn.is_capable() { Fate::Mark } else { Fate::Deliver }
            },
        );
    let start = pair.now;
    write(&mut pair, u64::MAX >> 2);
    pair.run(start + ms(2000));
    assert_eq!(pair.client.cwnd(), 1000);
    let sent = |pair: &Pair| pair.client.stats().data_segments_sent;
    let before = sent(&pair);
    pair.run(start + ms(12_000));
    let rate = sent(&pair) - before;
    assert!((9..=11).contains(&rate), "{rate} segments in ten seconds at an RTO of one");
    assert_eq!(pair.client.stats().timeouts, 0);
}

/// A loss in a window that already answered a mark belongs to the same episode.
#[test]
fn mark_and_loss_in_one_window_are_one_reaction() {
    let mut pair = connected(&ecn());
    let mut n = 0;
    pair.script = Box::new(move |side, _, s| {
        if side == CLIENT && s.len > 0 {
            n += 1;
            return match n {
                11 => Fate::Mark,
                14 => Fate::Drop,
                _ => Fate::Deliver,
            };
        }
        Fate::Deliver
    });
    let start = pair.now;
    write(&mut pair, u64::MAX >> 2);
    pair.run(start + ms(59));
    let stats = pair.client.stats();
    assert_eq!((stats.ecn_reactions, stats.fast_retransmits), (1, 1));
    assert_eq!(pair.client.ssthresh(), 10_000, "reduced once, by half of 20");
    let again = pair
        .sent
        .iter()
        .filter(|s| s.from == CLIENT && s.segment.len > 0)
        .filter(|s| !s.segment.ecn.is_capable());
    assert_eq!(again.count(), 1, "a retransmission is not ECT");
}

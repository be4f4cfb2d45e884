//! ns-2's rules for selective acknowledgements, one by one. Segments of 1000 bytes, 100 ms round
//! trip; the packet-by-packet comparison with ns-2 itself is in `docs/models/validation-ns2.md`.

use airtcp_packet::Side;
use airtcp_units::Bytes;

use super::pair::{Fate, Pair, at, ms};
use crate::tcp::{Recovery, TcpConfig};

const MSS: u64 = 1000;

fn config(window: u32) -> TcpConfig {
    TcpConfig {
        mss: MSS as u16,
        recovery: Recovery::SackNs2,
        initial_window: Some(window),
        initial_ssthresh: Some(Bytes(u64::from(window) * MSS)),
        half_of_cwnd: true,
        ack_every: 1,
        dsack: false,
        rto_min: ms(400),
        ..TcpConfig::default()
    }
}

/// An endless transfer in which the given segments are lost once per occurrence in the list.
fn run(config: &TcpConfig, lost: &[u64], until: u64) -> Pair {
    let mut left = lost.to_vec();
    let iss = u32::MAX - 3000;
    let mut pair = Pair::new(config, ms(50)).script(move |side, _, s| {
        let n = u64::from(s.seq.0.wrapping_sub(iss).wrapping_sub(1)) / MSS;
        if side == Side::Server || s.len == 0 {
            return Fate::Deliver;
        }
        left.iter().position(|&l| l == n).map_or(Fate::Deliver, |i| {
            left.remove(i);
            Fate::Drop
        })
    });
    pair.act(Side::Client, |c, now| {
        c.open(now);
        c.write(now, u64::MAX);
    });
    pair.run(at(until));
    pair
}

fn numbers(pair: &Pair, from: u64, to: u64) -> Vec<u64> {
    pair.sent
        .iter()
        .filter(|s| s.segment.len > 0 && (at(from)..at(to)).contains(&s.at))
        .map(|s| u64::from(s.segment.seq.0.wrapping_sub(u32::MAX - 3000).wrapping_sub(1)) / MSS)
        .collect()
}

/// Twelve in flight, 0 and 2 lost. Duplicates 1 and 2 send 12 and 13 (limited transmit). At the
/// third: 14 outstanding, `pipe` 11, window 6. Seven more duplicates reduce `pipe` to 4. At the
/// sixth it is 5, and the other hole leaves; at the seventh it is 5 again, and new data leaves.
#[test]
fn holes_wait_until_the_pipe_has_drained() {
    let pair = run(&config(12), &[0, 2], 250);
    assert_eq!(numbers(&pair, 200, 250), [12, 13, 0, 2, 14]);
    assert_eq!(pair.client.stats().fast_retransmits, 1);
    assert_eq!(pair.client.cwnd(), 6 * MSS);
    // RFC 6675 marks 2 lost as soon as three segments above it are SACKed.
    let pair = run(&TcpConfig { recovery: Recovery::Sack, ..config(12) }, &[0, 2], 250);
    let sent = numbers(&pair, 200, 250);
    assert_eq!(&sent[..3], [12, 13, 0]);
    assert!(sent.len() > 5, "{sent:?}");
}

/// A partial ACK reduces `pipe` by two, so two packets follow it.
#[test]
fn a_partial_ack_counts_twice() {
    let pair = run(&config(12), &[0, 2], 301);
    // At 300 ms: ACKs of 12 and 13 (limited transmit) release one each, that of 0 (partial, up to
    // 2) two, that of 2 ends the recovery, that of 14 is new.
    let sent = numbers(&pair, 300, 301);
    assert_eq!(sent, [15, 16, 17, 18, 19, 20]);
    assert_eq!(pair.client.stats().recoveries, 1);
    assert_eq!((pair.client.cwnd(), pair.client.stats().timeouts), (6 * MSS + 166, 0));
}

/// A hole whose retransmission is lost waits for the timer, although everything above it arrived.
#[test]
fn a_lost_repair_waits_for_the_timer() {
    let pair = run(&config(12), &[0, 2, 2], 1500);
    let repairs = numbers(&pair, 0, 1500).iter().filter(|n| **n == 2).count();
    assert_eq!((repairs, pair.client.stats().timeouts), (3, 1));
}

/// After a timeout everything outstanding is retransmitted in order, SACKed or not, and no
/// duplicates begin a recovery before newer data is acknowledged.
#[test]
fn a_timeout_retransmits_sacked_segments_too() {
    // 0 and its retransmission are lost: the timer expires with 1 to 13 SACKed.
    let pair = run(&config(12), &[0, 0], 1500);
    assert_eq!(pair.client.stats().timeouts, 1);
    let sent = numbers(&pair, 0, 1500);
    let last = sent.iter().rposition(|n| *n == 0).unwrap();
    // The ACK covers everything SACKed, so nothing is retransmitted here...
    assert_eq!(sent[last + 1], sent[..last].iter().max().unwrap() + 1);
    assert_eq!(pair.client.stats().fast_retransmits, 1);
    // ...but with a second hole, the data above it is.
    let pair = run(&config(12), &[0, 0, 5, 5], 1500);
    let sent = numbers(&pair, 0, 1500);
    let last = sent.iter().rposition(|n| *n == 0).unwrap();
    assert_eq!(sent[last + 1..last + 3], [5, 6], "6 had been SACKed");
}

/// The halved window has no minimum of two segments; the threshold has.
#[test]
fn a_small_window_is_also_halved() {
    let pair = run(&config(3), &[0], 330);
    assert_eq!(pair.client.stats().fast_retransmits, 1);
    assert_eq!((pair.client.cwnd(), pair.client.ssthresh()), (1500, 2000));
}

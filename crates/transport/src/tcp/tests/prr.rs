//! Proportional rate reduction in a whole connection: the final window, and the segments sent
//! during the reduction. Segments of 1000 bytes, 100 ms round trip.

use airtcp_packet::Side;
use airtcp_probe::Event;
use airtcp_units::Bytes;
use proptest::prelude::*;

use super::pair::{Fate, Pair, at, ms};
use crate::tcp::{PrrBound, RateReduction, Recovery, TcpConfig};
use airtcp_congestion::{JerseyConfig, LawConfig};

const MSS: u64 = 1000;

fn config(recovery: Recovery, rate_reduction: RateReduction) -> TcpConfig {
    TcpConfig {
        mss: MSS as u16,
        recovery,
        rate_reduction,
        initial_window: Some(20),
        initial_ssthresh: Some(Bytes(20 * MSS)),
        ack_every: 1,
        rto_min: ms(400),
        ..TcpConfig::default()
    }
}

/// An endless transfer in which the first copies of these segments are lost.
fn run(config: &TcpConfig, lost: &[u64], until: u64) -> Pair {
    let mut left = lost.to_vec();
    let iss = u32::MAX - 3000;
    let mut pair = Pair::new(config, ms(50)).script(move |side, _, s| {
        let n = u64::from(s.seq.0.wrapping_sub(iss).wrapping_sub(1)) / MSS;
        let hit = side == Side::Client && s.len > 0 && left.contains(&n);
        if hit {
            left.retain(|&l| l != n);
        }
        if hit { Fate::Drop } else { Fate::Deliver }
    });
    pair.act(Side::Client, |c, now| {
        c.open(now);
        c.write(now, u64::MAX);
    });
    pair.run(at(until));
    pair
}

/// Beginnings and ends of the client's recoveries in ms.
fn episodes(pair: &Pair) -> (Vec<u64>, Vec<u64>) {
    let times = |wanted: Event| {
        pair.client_events().filter(|e| e.2 == wanted).map(|e| e.0.0 / 1_000_000).collect()
    };
    (times(Event::FastRetransmit), times(Event::Recovered))
}

#[test]
fn the_window_ends_at_the_threshold() {
    for reduction in [RateReduction::Prr, RateReduction::PrrRfc6937] {
        for recovery in [Recovery::Sack, Recovery::NewReno, Recovery::Reno] {
            let mut pair = run(&config(recovery, reduction), &[0], 299);
            while pair.client.stats().recoveries == 0 {
                assert!(pair.step(at(301)));
            }
            let (begun, ended) = episodes(&pair);
            assert_eq!((begun, ended), (vec![200], vec![300]), "{recovery:?} {reduction:?}");
            assert_eq!(pair.client.ssthresh(), 10 * MSS);
            assert_eq!(pair.client.cwnd(), 10 * MSS);
            assert_eq!((pair.client.pipe(), pair.client.stats().timeouts), (10 * MSS, 0));
        }
    }
}

/// Jersey keeps its window, which is above its threshold, after a loss without a mark.
#[test]
fn a_law_that_keeps_its_window_keeps_it() {
    for reduction in [RateReduction::None, RateReduction::Prr, RateReduction::PrrRfc6937] {
        for recovery in [Recovery::Sack, Recovery::NewReno, Recovery::Reno] {
            let congestion = LawConfig::Jersey(JerseyConfig::default());
            let initial_ssthresh = Some(Bytes(10 * MSS));
            let base = config(recovery, reduction);
            let pair = run(&TcpConfig { congestion, initial_ssthresh, ..base }, &[0], 350);
            assert_eq!(pair.client.stats().recoveries, 1, "{recovery:?} {reduction:?}");
            assert_eq!(pair.client.ssthresh(), 10 * MSS);
            assert!(pair.client.cwnd() >= 20 * MSS, "{recovery:?} {reduction:?}");
        }
    }
}

/// Without PRR half a window of ACKs releases nothing; with it every second ACK releases a segment.
#[test]
fn the_reduction_is_spread_over_the_round_trip() {
    // ACKs 1 ms apart: the link sends a segment a millisecond.
    let longest_silence = |reduction| {
        let config = config(Recovery::Sack, reduction);
        let mut n = 0;
        let mut pair = Pair::new(&config, ms(50)).script(move |side, _, s| {
            if side == Side::Server || s.len == 0 {
                return Fate::Deliver;
            }
            n += 1;
            match n {
                1 => Fate::Drop,
                2..=22 => Fate::Late(ms(n)),
                _ => Fate::Late(ms(22)),
            }
        });
        pair.act(Side::Client, |c, now| {
            c.open(now);
            c.write(now, u64::MAX);
        });
        pair.run(at(225));
        let sent: Vec<u64> = pair
            .sent
            .iter()
            .filter(|s| s.from == Side::Client && s.segment.len > 0 && s.at > at(200))
            .map(|s| s.at.0 / 1_000_000)
            .collect();
        assert!(sent.len() > 8, "{sent:?}");
        sent.windows(2).map(|w| w[1] - w[0]).max().unwrap()
    };
    // The ACKs from the fourth to the twelfth.
    assert_eq!(longest_silence(RateReduction::None), 10);
    assert_eq!(longest_silence(RateReduction::Prr), 2);
}

/// After 15 losses of 20 the conservative bound sends one segment per ACK, the slow-start bound
/// two.
#[test]
fn a_burst_of_losses_is_no_burst_of_repairs() {
    let lost: Vec<u64> = (0..15).collect();
    let repaired = |reduction, prr_bound| {
        let config = TcpConfig { prr_bound, ..config(Recovery::Sack, reduction) };
        let pair = run(&config, &lost, 290);
        pair.client.stats().segments_retransmitted
    };
    assert_eq!(repaired(RateReduction::None, None), 8, "up to the window at once");
    assert_eq!(repaired(RateReduction::Prr, None), 3);
    assert_eq!(repaired(RateReduction::PrrRfc6937, None), 6);
    assert_eq!(repaired(RateReduction::PrrRfc6937, Some(PrrBound::Crb)), 3);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// After any losses in a window, the window at the end of recovery is the threshold, and at
    /// most the threshold or the earlier flight is outstanding.
    #[test]
    fn a_recovery_ends_at_the_threshold(
        lost in prop::collection::btree_set(0u64..20, 1..12),
        old in any::<bool>(),
        recovery in prop::sample::select(vec![Recovery::Sack, Recovery::NewReno]),
        bound in prop::sample::select(vec![
            None, Some(PrrBound::Ssrb), Some(PrrBound::Crb), Some(PrrBound::SafeAck),
        ]),
    ) {
        let reduction = if old { RateReduction::PrrRfc6937 } else { RateReduction::Prr };
        let config = TcpConfig { prr_bound: bound, ..config(recovery, reduction) };
        let selective = recovery == Recovery::Sack;
        let lost: Vec<u64> = lost.into_iter().collect();
        let mut pair = run(&config, &lost, 199);
        let before = pair.client.pipe();
        loop {
            prop_assert!(pair.step(at(5000)));
            let (stats, pipe) = (*pair.client.stats(), pair.client.pipe());
            if stats.timeouts > 0 {
                return Ok(());
            }
            if stats.recoveries > 0 {
                prop_assert_eq!(pair.client.cwnd(), pair.client.ssthresh());
                prop_assert!(pipe <= pair.client.cwnd() || !selective, "{}", pipe);
                break;
            }
            // Limited transmit may have added two.
            prop_assert!(pipe <= before + 2 * MSS || !selective, "{}", pipe);
        }
    }
}

//! The response to a loss: the law's reaction, or repair alone.

use airtcp_packet::Side;
use airtcp_probe::{Event, LossCause};

use super::pair::{Fate, Pair, at, ms};
use crate::tcp::{LossResponse, RateReduction, Recovery, RecoveryExit, TcpConfig};

const MSS: u64 = 1000;
const WINDOW: u64 = 10;

/// Ten segments in flight, of which the second and the fifth are lost once, and then twenty more. A
/// threshold at the window excludes slow start.
fn two_losses(
    recovery: Recovery,
    rate_reduction: RateReduction,
    loss_response: LossResponse,
) -> Pair {
    let config = TcpConfig {
        mss: MSS as u16,
        recovery,
        rate_reduction,
        loss_response,
        initial_window: Some(WINDOW as u32),
        initial_ssthresh: Some(airtcp_units::Bytes(WINDOW * MSS)),
        recovery_exit: RecoveryExit::Flight,
        ack_every: 1,
        rto_min: ms(400),
        ..TcpConfig::default()
    };
    let mut n = 0;
    let mut pair = Pair::new(&config, ms(50)).script(move |side, _, s| {
        if side == Side::Client && s.len > 0 {
            n += 1;
            if n == 2 || n == 5 {
                return Fate::Drop;
            }
        }
        Fate::Deliver
    });
    pair.start(30 * MSS);
    pair.finish(at(20_000));
    assert_eq!(pair.server.delivered(), 30 * MSS);
    pair
}

#[test]
fn losses_alone_leave_the_window() {
    for recovery in [Recovery::Tahoe, Recovery::Reno, Recovery::NewReno, Recovery::Sack] {
        for rate in [RateReduction::None, RateReduction::Prr] {
            let pair = two_losses(recovery, rate, LossResponse::EcnOnly);
            let stats = pair.client.stats();
            assert!(stats.fast_retransmits > 0, "{recovery:?}");
            assert_eq!(stats.timeouts, 0, "{recovery:?} {rate:?}");
            assert_eq!(pair.client.ssthresh(), WINDOW * MSS, "{recovery:?} {rate:?}");
            assert!(pair.client.cwnd() >= WINDOW * MSS, "{recovery:?} {rate:?}");
            let pair = two_losses(recovery, rate, LossResponse::Always);
            assert!(pair.client.ssthresh() < WINDOW * MSS, "{recovery:?} {rate:?}");
        }
    }
}

/// Without acknowledgements the window restarts under any response to losses.
#[test]
fn a_timeout_is_always_reported() {
    for loss_response in [LossResponse::EcnOnly, LossResponse::TpLda] {
        let config = TcpConfig {
            mss: MSS as u16,
            loss_response,
            timestamps: loss_response == LossResponse::TpLda,
            initial_window: Some(WINDOW as u32),
            rto_min: ms(400),
            ..TcpConfig::default()
        };
        let mut pair = Pair::new(&config, ms(50)).script(move |side, i, s| {
            let first = side == Side::Client && s.len > 0 && i < 12;
            if first { Fate::Drop } else { Fate::Deliver }
        });
        pair.start(WINDOW * MSS);
        pair.run(at(600));
        assert_eq!(pair.client.stats().timeouts, 1);
        let mss = u64::from(pair.client.segment_size());
        assert_eq!((pair.client.cwnd(), pair.client.ssthresh()), (mss, WINDOW * mss / 2));
    }
}

/// Thirty segments that leave at once meet a queue that takes 5 ms per packet, under `tp-lda`: the
/// first trips are the shortest. `lost` are lost once. Also returns the classifications.
fn queued(recovery: Recovery, lost: &'static [u32]) -> (Pair, Vec<(u64, LossCause)>) {
    let config = TcpConfig {
        mss: MSS as u16,
        recovery,
        loss_response: LossResponse::TpLda,
        timestamps: true,
        initial_window: Some(30),
        max_window: Some(30),
        ack_every: 1,
        ..TcpConfig::default()
    };
    let (mut n, mut out) = (0, at(150));
    let mut pair = Pair::new(&config, ms(50)).script(move |side, _, s| {
        if side == Side::Server || s.len == 0 {
            return Fate::Deliver;
        }
        n += 1;
        if lost.contains(&n) {
            return Fate::Drop;
        }
        out += ms(5);
        Fate::Held(out)
    });
    pair.start(60 * MSS);
    pair.finish(at(60_000));
    assert_eq!(pair.server.delivered(), 60 * MSS);
    let judged = pair.log.0.iter().filter_map(|(_, _, event)| match event {
        Event::LossJudged { number, cause, .. } => Some((*number, *cause)),
        _ => None,
    });
    let judged = judged.collect();
    (pair, judged)
}

#[test]
fn short_trips_leave_the_window_and_long_ones_do_not() {
    let (pair, judged) = queued(Recovery::Sack, &[3]);
    let mss = u64::from(pair.client.segment_size());
    assert_eq!(judged, [(2 * mss, LossCause::Corruption)]);
    assert_eq!((pair.client.cwnd(), pair.client.ssthresh()), (30 * mss, u64::MAX));
    let stats = pair.client.stats();
    assert_eq!((stats.fast_retransmits, stats.timeouts), (1, 0));
    assert_eq!((stats.losses_judged, stats.judged_corruption), (1, 1));
    for recovery in [Recovery::Tahoe, Recovery::Reno, Recovery::NewReno, Recovery::Sack] {
        let (pair, judged) = queued(recovery, &[29]);
        assert_eq!(judged, [(28 * mss, LossCause::Overflow)], "{recovery:?}");
        assert!(pair.client.ssthresh() <= 15 * mss, "{recovery:?} {}", pair.client.ssthresh());
    }
}

/// A recovery that began with a corrupted segment is reported once a congestion loss is found in
/// it.
#[test]
fn congestion_during_a_recovery() {
    let (pair, judged) = queued(Recovery::Sack, &[3, 28, 29]);
    let mss = u64::from(pair.client.segment_size());
    let causes = [
        (2 * mss, LossCause::Corruption),
        (27 * mss, LossCause::Overflow),
        (28 * mss, LossCause::Overflow),
    ];
    assert_eq!(judged, causes);
    assert_eq!(pair.client.stats().fast_retransmits, 1);
    // Once, from a window of 30.
    assert_eq!(pair.client.ssthresh(), 15 * mss);
}

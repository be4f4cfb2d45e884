//! What a loss is answered with: the law's reaction, or repair alone.

use airtcp_packet::Side;

use super::pair::{Fate, Pair, at, ms};
use crate::tcp::{LossResponse, RateReduction, Recovery, RecoveryExit, TcpConfig};

const MSS: u64 = 1000;
const WINDOW: u64 = 10;

/// Ten segments in flight, of which the second and the fifth are lost once; then the rest of
/// thirty. A threshold at the window keeps slow start out of it.
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

/// Without acknowledgements the window restarts whatever the response to losses is.
#[test]
fn a_timeout_is_told_all_the_same() {
    let config = TcpConfig {
        mss: MSS as u16,
        loss_response: LossResponse::EcnOnly,
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
    assert_eq!((pair.client.cwnd(), pair.client.ssthresh()), (MSS, WINDOW * MSS / 2));
}

//! The counts against the tables of RFC 6937 section 3.1 and RFC 9937 section 8, and bounds.

use proptest::prelude::*;

use super::*;

const MSS: u64 = 1000;

fn prr(reduction: RateReduction, bound: Option<PrrBound>, recover_fs: u64) -> Prr {
    let config = TcpConfig { rate_reduction: reduction, prr_bound: bound, ..TcpConfig::default() };
    let mut prr = Prr::begin(&config, MSS).unwrap();
    prr.recover_fs = Some(recover_fs);
    prr
}

/// ACKs of one delivered segment each, from the third duplicate to the 21st, with `inflight`
/// segments in flight after the third. Returns the number of segments sent at each.
fn played(prr: &mut Prr, mut inflight: u64, acks: u64) -> Vec<u64> {
    (0..acks)
        .map(|i| {
            if i > 0 {
                inflight -= 1;
            }
            let d =
                Delivery { bytes: MSS, inflight: inflight * MSS, ssthresh: 10 * MSS, safe: false };
            prr.on_ack(d);
            let sent = (prr.window() - inflight * MSS) / MSS;
            prr.on_sent(sent * MSS);
            inflight += sent;
            sent
        })
        .collect()
}

/// RFC 9937 section 8, first example: 20 segments, the first lost, two sent by limited transmit.
/// ACKs 3 to 21. At ACK 19 inflight = ssthresh: the table sends there, but the pseudocode's
/// `inflight > ssthresh` is false, and the segment leaves with ACK 20.
#[test]
fn a_single_loss_as_in_rfc_9937() {
    let mut p = prr(RateReduction::Prr, None, 20 * MSS);
    let sent = played(&mut p, 18, 19);
    let at: Vec<usize> = (3..).zip(&sent).filter(|s| *s.1 > 0).map(|s| s.0).collect();
    assert_eq!(at, [3, 5, 7, 9, 11, 13, 15, 17, 20, 21]);
    assert!(sent.iter().all(|n| *n <= 1), "no bursts: {sent:?}");
    // As in the table: 10 segments with ACKs 3 to 21, 9 in flight before ACK 22.
    assert_eq!(sent.iter().sum::<u64>(), 10);
}

/// The same with the RecoverFS of RFC 6937, which counts all 22 outstanding segments. (Its table
/// fits neither its own formula nor a RecoverFS of 20 throughout.)
#[test]
fn a_single_loss_with_the_formula_of_rfc_6937() {
    for bound in [None, Some(PrrBound::Crb)] {
        let mut p = prr(RateReduction::PrrRfc6937, bound, 22 * MSS);
        let sent = played(&mut p, 18, 19);
        let at: Vec<usize> = (3..).zip(&sent).filter(|s| *s.1 > 0).map(|s| s.0).collect();
        // ceil(n 10 / 22) rises at n = 1, 3, 5, 7, 9, 12, 14; then ssthresh - pipe.
        assert_eq!(at, [3, 5, 7, 9, 11, 14, 16, 19, 20, 21], "{bound:?}");
    }
}

/// 15 of 20 lost: RFC 6937 section 3.1 and RFC 9937 section 8, second example. At the third ACK
/// four segments are in flight: 18 and 19 of the window, and two of limited transmit.
#[test]
fn a_burst_of_fifteen_losses() {
    let run = |reduction, bound, fs| played(&mut prr(reduction, bound, fs), 4, 3);
    assert_eq!(run(RateReduction::PrrRfc6937, Some(PrrBound::Crb), 22 * MSS), [1, 1, 1]);
    assert_eq!(run(RateReduction::PrrRfc6937, None, 22 * MSS), [2, 2, 2]);
    assert_eq!(run(RateReduction::Prr, None, 20 * MSS), [1, 1, 1]);
    assert_eq!(run(RateReduction::Prr, Some(PrrBound::Ssrb), 20 * MSS), [2, 2, 2]);
    assert_eq!(run(RateReduction::Prr, Some(PrrBound::Crb), 20 * MSS), [1, 1, 1]);
}

/// RFC 9937 section 6.2: one more segment on an ACK that advances SND.UNA and shows no new loss.
#[test]
fn a_safe_ack_grows_by_a_segment() {
    for (safe, count) in [(true, 2), (false, 1)] {
        let mut p = prr(RateReduction::Prr, None, 20 * MSS);
        p.on_ack(Delivery { bytes: MSS, inflight: 4 * MSS, ssthresh: 10 * MSS, safe });
        assert_eq!(p.window(), (4 + count) * MSS);
    }
    // Never beyond the target.
    let mut p = prr(RateReduction::Prr, None, 20 * MSS);
    p.on_ack(Delivery { bytes: 9 * MSS, inflight: 9 * MSS, ssthresh: 10 * MSS, safe: true });
    assert_eq!(p.window(), 10 * MSS);
}

#[test]
fn the_first_segment_is_never_delayed_and_acks_without_delivery_change_nothing() {
    // At the target only the first segment may leave.
    let at_target = Delivery { bytes: MSS, inflight: 10 * MSS, ssthresh: 10 * MSS, safe: false };
    let mut p = prr(RateReduction::Prr, None, 20 * MSS);
    p.on_ack(at_target);
    assert_eq!(p.window(), 11 * MSS);
    p.on_sent(MSS);
    p.on_ack(Delivery { bytes: 0, inflight: 3 * MSS, ..at_target });
    assert_eq!(p.window(), 11 * MSS);
    p.on_ack(at_target);
    assert_eq!(p.window(), 10 * MSS);
    // RFC 6937 has neither rule.
    let mut p = prr(RateReduction::PrrRfc6937, None, 20 * MSS);
    p.on_ack(at_target);
    assert_eq!(p.window(), 10 * MSS);
}

/// The reordering timer begins an episode of eight segments with a target of three: the first
/// segment leaves. By Linux's rules the timer counts as a delivery, so that the next one leaves an
/// ACK earlier.
#[test]
fn by_linuxs_rules_a_timer_counts_as_a_delivery() {
    for (law_rules, counts) in [(LawRules::Documents, [0, 0, 1]), (LawRules::Linux, [0, 1, 0])] {
        let rate_reduction = RateReduction::Prr;
        let config = TcpConfig { law_rules, rate_reduction, ..TcpConfig::default() };
        let mut p = Prr::begin(&config, MSS).unwrap();
        p.recover_fs = Some(8 * MSS);
        let d = Delivery { bytes: 0, inflight: 7 * MSS, ssthresh: 3 * MSS, safe: false };
        p.on_ack(d);
        assert_eq!(p.window(), 8 * MSS);
        p.on_sent(MSS);
        let mut inflight = 8;
        let sent = [(); 3].map(|()| {
            inflight -= 1;
            p.on_ack(Delivery { bytes: MSS, inflight: inflight * MSS, ..d });
            let n = p.window() / MSS - inflight;
            p.on_sent(n * MSS);
            inflight += n;
            n
        });
        assert_eq!(sent, counts, "{law_rules:?}");
    }
}

/// Without SACK: each duplicate counts as a segment, cumulative progress counts for the rest, and
/// the total is at most what was outstanding.
#[test]
fn estimates_without_sack() {
    let mut p = prr(RateReduction::Prr, None, 6 * MSS);
    let mut total = 0;
    for _ in 0..3 {
        let bytes = p.estimate(0, true);
        assert_eq!(bytes, MSS);
        p.delivered += bytes;
        total += bytes;
    }
    assert_eq!(p.estimate(0, false), 0, "neither progress nor duplicate");
    // Two segments of progress, both counted by duplicates.
    assert_eq!(p.estimate(2 * MSS, false), 0);
    // Two more, one of them counted by a duplicate.
    assert_eq!(p.estimate(2 * MSS, false), MSS);
    p.delivered += MSS;
    for _ in 0..5 {
        let bytes = p.estimate(0, true);
        p.delivered += bytes;
        total += bytes;
    }
    assert_eq!((p.delivered, total), (6 * MSS, 5 * MSS));
}

proptest! {
    /// CRB: sent data exceeds delivered data only by the first segment and by rounding to whole
    /// segments; SSRB adds at most one segment per ACK.
    #[test]
    fn packets_are_conserved(
        old in any::<bool>(),
        ssrb in any::<bool>(),
        flight in 2u64..60,
        shape in prop::collection::vec((0u64..4, any::<bool>(), any::<bool>()), 1..80),
        share in 1u64..10,
    ) {
        let reduction = if old { RateReduction::PrrRfc6937 } else { RateReduction::Prr };
        let bound = if ssrb { PrrBound::Ssrb } else { PrrBound::Crb };
        let mut p = prr(reduction, Some(bound), flight * MSS);
        let ssthresh = (flight * MSS * share / 10).max(MSS);
        let (mut inflight, mut acks) = (flight * MSS, 0);
        for (delivered, lost, idle) in shape {
            let bytes = (delivered * MSS).min(inflight);
            inflight -= bytes;
            if lost {
                inflight = inflight.saturating_sub(3 * MSS);
            }
            if bytes == 0 && !old {
                // Such an ACK changes nothing; a loss that it shows counts at the next ACK.
                continue;
            }
            acks += 1;
            p.on_ack(Delivery { bytes, inflight, ssthresh, safe: false });
            let count = p.window().saturating_sub(inflight) / MSS * MSS;
            prop_assert!(inflight > ssthresh || inflight + count <= ssthresh.max(inflight + MSS));
            if !idle {
                p.on_sent(count);
                inflight += count;
            }
            let extra = if ssrb { acks * MSS } else { 0 };
            prop_assert!(p.out <= p.delivered + MSS + extra, "{} {}", p.out, p.delivered);
        }
    }
}

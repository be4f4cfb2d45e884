//! Strategies of property tests: patterns of loss, reordering and duplication, and TCP configurations.
//!
//! Patterns shrink towards fewer faults, configurations towards the defaults.

use airtcp_transport::tcp::{
    CarefulHeuristic, EarlyRetransmit, Frto, LossNotification, LossResponse, Pacing,
    PartialAckTimer, PrrBound, RateReduction, Reassembly, Recovery, RttSampling, SpuriousResponse,
    TcpConfig,
};
use airtcp_units::{Bytes, Span};
use proptest::prelude::*;
use proptest::{bits, prop_oneof};

use crate::Pipe;

/// A mask over the first 64 packets: none, a few, a burst, or any.
pub fn mask() -> impl Strategy<Value = u64> {
    prop_oneof![
        3 => Just(0),
        3 => prop::collection::vec(0u32..64, 1..6)
            .prop_map(|bits| bits.into_iter().fold(0, |mask, bit| mask | 1 << bit)),
        2 => (0u32..64, 1u32..24).prop_map(|(at, n)| ((1u64 << n) - 1) << at),
        1 => bits::u64::ANY,
    ]
}

/// A pipe with any faults and a delay from one millisecond to a third of a second.
pub fn pipe() -> impl Strategy<Value = Pipe> {
    (1u64..330, mask(), mask(), mask(), 1u64..400).prop_map(
        |(delay, lost, duplicated, late, late_by)| Pipe {
            delay: Span::from_millis(delay),
            lost,
            duplicated,
            late,
            late_by: Span::from_millis(late_by),
        },
    )
}

/// A loss recovery and its options.
fn recovering() -> impl Strategy<Value = TcpConfig> {
    let recovery = proptest::sample::select(Recovery::ALL);
    let timer = prop_oneof![Just(PartialAckTimer::Impatient), Just(PartialAckTimer::SlowButSteady)];
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    // Timeouts shorter than the path's round trip are spurious and must be harmless too.
    let numbers = (10u64..1500, 1u32..12, prop_oneof![4 => Just(3), 1 => 1u32..6]);
    let detection = prop_oneof![Just((false, false)), Just((true, false)), Just((true, true))];
    let choices = (recovery, timer, reduction(), detection);
    (choices, flags, numbers).prop_map(
        |((recovery, timer, reduction, detection), (a, b, c, d), n)| {
            TcpConfig {
                recovery,
                rack: detection.0,
                tlp: detection.1,
                rate_reduction: reduction.0,
                prr_bound: reduction.1,
                partial_ack_timer: timer,
                rto_min: Span::from_millis(n.0),
                rto_initial: Span::from_millis(n.0),
                initial_window: Some(n.1),
                dup_thresh: n.2,
                limited_transmit: a,
                careful: b,
                keep_sack_after_rto: c,
                // Derived from another draw, on which pacing does not depend.
                pacing: if n.0 % 3 == 0 { Pacing::Cwnd } else { Pacing::Law },
                rto_restart_on_retransmission: d,
                ..TcpConfig::default()
            }
        },
    )
}

/// Window reduction in fast recovery.
fn reduction() -> impl Strategy<Value = (RateReduction, Option<PrrBound>)> {
    let how = prop_oneof![
        Just(RateReduction::None),
        Just(RateReduction::Prr),
        Just(RateReduction::PrrRfc6937),
    ];
    let bound = prop_oneof![
        Just(None),
        Just(Some(PrrBound::SafeAck)),
        Just(Some(PrrBound::Ssrb)),
        Just(Some(PrrBound::Crb)),
    ];
    (how, bound)
}

/// Responses to losses and to spurious recoveries.
fn answering() -> impl Strategy<Value = TcpConfig> {
    let frto = prop_oneof![2 => Just(Frto::Off), 1 => Just(Frto::Rfc5682), 1 => Just(Frto::Linux)];
    let response = prop_oneof![
        Just(SpuriousResponse::Undo),
        Just(SpuriousResponse::Eifel),
        Just(SpuriousResponse::Keep),
    ];
    let flags =
        (any::<bool>(), any::<bool>(), prop::bool::weighted(0.2), prop::bool::weighted(0.9));
    let early = prop_oneof![
        2 => Just(EarlyRetransmit::Off),
        1 => Just(EarlyRetransmit::Segments),
        1 => Just(EarlyRetransmit::Bytes),
    ];
    let heuristic = prop_oneof![
        Just(CarefulHeuristic::None),
        Just(CarefulHeuristic::Ack),
        Just(CarefulHeuristic::Timestamp),
    ];
    let told = prop_oneof![3 => Just(LossNotification::None), 1 => Just(LossNotification::Oracle)];
    let sooner = (early, heuristic, told);
    (frto, response, flags, sooner).prop_map(|(frto, spurious_response, (a, b, c, d), e)| {
        TcpConfig {
            frto,
            early_retransmit: e.0,
            careful_heuristic: e.1,
            spurious_response,
            eifel_detection: a,
            dsack_undo: b,
            loss_response: if c { LossResponse::EcnOnly } else { LossResponse::Always },
            rto_backoff: d,
            loss_notification: e.2,
            ..TcpConfig::default()
        }
    })
}

/// A configuration with which any transfer completes: every recovery, with and without SACK, timestamps,
/// ECN, window scaling, delayed acknowledgements and Nagle's algorithm.
pub fn config() -> impl Strategy<Value = TcpConfig> {
    let sizes = (prop_oneof![Just(1460u16), 48u16..3000], 1u64..100_000, 1u32..4);
    let options = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    let habits = (any::<bool>(), prop::bool::weighted(0.2), any::<bool>());
    let base = (recovering(), answering());
    (base, sizes, options, habits).prop_map(|((base, answers), sizes, options, habits)| {
        let ((mss, buffer, ack_every), (sack, timestamps, ecn, window_scaling)) = (sizes, options);
        let (nagle, go_back_n, every_ack) = habits;
        let most = if window_scaling { 1 << 30 } else { 65_535 };
        TcpConfig {
            mss,
            sack: sack || matches!(base.recovery, Recovery::Sack | Recovery::SackNs2),
            timestamps,
            ecn,
            window_scaling,
            ack_every,
            nagle,
            receive_buffer: Bytes(buffer.clamp(u64::from(mss), most)),
            reassembly: if go_back_n { Reassembly::GoBackN } else { Reassembly::Buffering },
            rtt_sampling: if every_ack {
                RttSampling::EveryAck
            } else {
                RttSampling::OnePerRoundTrip
            },
            frto: answers.frto,
            spurious_response: answers.spurious_response,
            eifel_detection: answers.eifel_detection,
            dsack_undo: answers.dsack_undo,
            loss_response: if timestamps && answers.loss_response == LossResponse::EcnOnly && nagle
            {
                LossResponse::TpLda
            } else {
                answers.loss_response
            },
            rto_backoff: answers.rto_backoff,
            loss_notification: answers.loss_notification,
            early_retransmit: answers.early_retransmit,
            careful_heuristic: answers.careful_heuristic,
            ..base
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest! {
        #[test]
        fn every_drawn_configuration_is_valid(config in config()) {
            prop_assert_eq!(config.validate(), Ok(()));
        }
    }
}

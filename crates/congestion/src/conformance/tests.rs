//! The properties of every registered law, for any behaviour of the network.

use airtcp_units::Span;
use proptest::prelude::*;

use super::driver::{Ack, Call, Driver};
use crate::*;

/// From a nanosecond to ten hours.
fn rtt() -> impl Strategy<Value = Span> {
    prop_oneof![
        1 => Just(Span::ZERO),
        1 => (1u64..1000).prop_map(Span),
        6 => (1u64..3_000_000).prop_map(Span::from_micros),
        1 => (1u64..36_000).prop_map(Span::from_secs),
    ]
}

fn ack() -> impl Strategy<Value = Call> {
    let segments = prop_oneof![8 => 0u64..20, 1 => 0u64..1 << 30];
    let boost = prop_oneof![8 => Just(1u64), 1 => 0u64..1 << 30];
    (segments, any::<[bool; 3]>(), rtt(), boost).prop_map(|(segments, f, rtt, boost)| {
        let (fast, ece) = (f[1] && f[2], f[0] && f[2]);
        Call::Ack(Ack { segments, limited: f[0] || f[1], fast, ece, rtt, boost })
    })
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let kind = || {
        prop::sample::select(vec![
            CongestionKind::FastRetransmit,
            CongestionKind::Rto,
            CongestionKind::EcnCe,
            CongestionKind::Persistent,
        ])
    };
    let loss = prop::sample::select(vec![CongestionKind::FastRetransmit, CongestionKind::Rto]);
    let call = prop_oneof![
        12 => ack(),
        2 => (kind(), any::<bool>(), 1u64..8).prop_map(|(k, r, n)| Call::Congestion(k, r && k == CongestionKind::FastRetransmit, n)),
        1 => (loss, any::<bool>()).prop_map(|(k, r)| Call::Undone(k, r && k == CongestionKind::Rto)),
        1 => Just(Call::Spurious),
        1 => (0u64..10_000_000, any::<bool>()).prop_map(|(t, r)| Call::Idle(t, r)),
        1 => (0u64..1_000_000).prop_map(Call::Limit),
        2 => rtt().prop_map(Call::Wait),
    ];
    prop::collection::vec(call, 1..200)
}

fn params() -> impl Strategy<Value = LawParams> {
    (
        48u32..9000,
        1u64..20,
        prop::option::of(2u64..100),
        prop::option::of(1u64..200),
        1u32..4,
        any::<[bool; 2]>(),
    )
        .prop_map(|(mss, iw, ssthresh, max, abc_limit, f)| LawParams {
            mss,
            initial_window: iw * u64::from(mss),
            initial_ssthresh: ssthresh.map_or(u64::MAX, |n| n * u64::from(mss)),
            max_cwnd: max.map_or(u64::MAX, |n| n * u64::from(mss)),
            abc_limit,
            half_of_cwnd: f[0],
            ssthresh_in_segments: iw % 5 == 0,
            selective_acks: mss % 2 == 0,
            srtt: (iw % 2 == 0).then(|| Span::from_millis(iw)),
            seed: u64::from(mss) * iw,
            paced: iw % 3 == 0,
            rules: if mss % 3 == 0 { LawRules::Linux } else { LawRules::Documents },
            slow_start: if f[1] { SlowStartKind::HyStartPlusPlus } else { SlowStartKind::Standard },
        })
}

/// One law under a sequence of calls; returns its window after each.
fn drive(
    config: &LawConfig,
    params: &LawParams,
    calls: &[Call],
) -> Result<Vec<(u64, u64)>, TestCaseError> {
    let mut driver = Driver::new(config.build(), params);
    let mut windows = Vec::with_capacity(calls.len());
    for call in calls {
        driver.call(*call).map_err(|e| {
            TestCaseError::fail(format!("{}, {call:?} after {windows:?}: {e}", config.name()))
        })?;
        windows.push((driver.law.cwnd(), driver.law.ssthresh()));
    }
    Ok(windows)
}

proptest! {
    #[test]
    fn every_law_keeps_its_promises(params in params(), calls in calls()) {
        for config in LawConfig::all() {
            let windows = drive(&config, &params, &calls)?;
            prop_assert_eq!(windows, drive(&config, &params, &calls)?, "not deterministic");
        }
    }

    /// On a path without loss every law grows, here with ten ACKs per round trip.
    #[test]
    fn every_law_grows_without_loss(params in params()) {
        let rtt = Span::from_millis(10);
        // The sample of an ACK covers its own segment in a round trip; ten ACKs arrive in that
        // time.
        let ack = Ack { segments: 1, limited: true, fast: false, ece: false, rtt, boost: 10 };
        let calls = [Call::Wait(Span::from_millis(1)), Call::Ack(ack)].repeat(3000);
        for config in LawConfig::all() {
            let windows = drive(&config, &params, &calls)?;
            let last = windows.last().map_or(0, |c| c.0);
            let first = params.initial_window.min(params.max_cwnd);
            prop_assert!(last > first || last == params.max_cwnd, "{} never grew", config.name());
        }
    }
}

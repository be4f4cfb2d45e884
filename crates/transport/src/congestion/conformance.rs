//! What every registered law must hold, whatever the network does to it.
//!
//! Calls come as a sender would make them: time moves forward, what is acknowledged was
//! outstanding, an episode is told once.

use airtcp_units::{BitRate, Nanos, Span};
use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone)]
enum Call {
    Ack { segments: u64, limited: bool, fast: bool, ece: bool, rtt_us: u64 },
    Congestion(CongestionKind, bool),
    Spurious,
    Idle(u64, bool),
    Hint(u8),
    Limit(u64),
    Wait(u64),
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let kind = prop::sample::select(vec![
        CongestionKind::FastRetransmit,
        CongestionKind::Rto,
        CongestionKind::EcnCe,
        CongestionKind::Persistent,
    ]);
    let ack = (0u64..20, any::<[bool; 3]>(), 0u64..3_000_000).prop_map(|(segments, f, rtt_us)| {
        Call::Ack { segments, limited: f[0] || f[1], fast: f[1] && f[2], ece: f[0] && f[2], rtt_us }
    });
    let call = prop_oneof![
        12 => ack,
        2 => (kind, any::<bool>()).prop_map(|(k, r)| Call::Congestion(k, r && k == CongestionKind::FastRetransmit)),
        1 => Just(Call::Spurious),
        1 => (0u64..10_000_000, any::<bool>()).prop_map(|(t, r)| Call::Idle(t, r)),
        1 => any::<u8>().prop_map(Call::Hint),
        1 => (0u64..1_000_000).prop_map(Call::Limit),
        2 => (0u64..1_000_000).prop_map(Call::Wait),
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
        any::<bool>(),
    )
        .prop_map(|(mss, iw, ssthresh, max, abc_limit, half_of_cwnd)| LawParams {
            mss,
            initial_window: iw * u64::from(mss),
            initial_ssthresh: ssthresh.map_or(u64::MAX, |n| n * u64::from(mss)),
            max_cwnd: max.map_or(u64::MAX, |n| n * u64::from(mss)),
            abc_limit,
            half_of_cwnd,
            selective_acks: mss % 2 == 0,
            srtt: (iw % 2 == 0).then(|| Span::from_millis(iw)),
            seed: u64::from(mss) * iw,
        })
}

/// One law under a sequence of calls; returns its window after each.
fn drive(
    config: &LawConfig,
    params: &LawParams,
    calls: &[Call],
) -> Result<Vec<u64>, TestCaseError> {
    let mut law = config.build();
    let (mss, mut now, mut delivered) = (u64::from(params.mss), Nanos(1), 0u64);
    law.start(now, params);
    let mut windows = Vec::new();
    for call in calls {
        now += Span(1000);
        let before = (law.cwnd(), law.ssthresh());
        let flight = before.0.min(1 << 40);
        match *call {
            Call::Ack { segments, limited, fast, ece, rtt_us } => {
                law.on_sent(now, &Sent { bytes: mss, pipe: flight, retransmission: false });
                let acked = (segments * mss).min(flight);
                delivered += acked;
                let rtt = (rtt_us > 0).then(|| Span::from_micros(rtt_us));
                let rate = rtt.map(|interval| RateSample {
                    delivered: acked,
                    interval,
                    prior_delivered: delivered - acked,
                    app_limited: !limited,
                    tx_in_flight: flight,
                    lost: 0,
                });
                law.on_ack(
                    now,
                    &AckSample {
                        acked,
                        delivered: acked,
                        pipe: flight - acked,
                        prior_pipe: flight,
                        total_delivered: delivered,
                        acked_up_to: delivered,
                        sent_up_to: delivered + flight,
                        rtt,
                        srtt: rtt,
                        min_rtt: rtt,
                        rate,
                        cwnd_limited: limited,
                        in_fast_recovery: fast,
                        ece,
                        ..AckSample::default()
                    },
                );
                if !limited {
                    prop_assert!(law.cwnd() <= before.0, "grew although not limited by the window");
                }
            }
            Call::Congestion(kind, restart) => {
                law.on_congestion(now, &Congestion { kind, flight, restart });
                // Only a threshold of two segments can lie above a window of one.
                prop_assert!(law.cwnd() <= before.0.max(2 * mss), "grew on congestion");
                if kind == CongestionKind::Persistent {
                    prop_assert_eq!(law.ssthresh(), before.1, "held while the timer repeats");
                }
                if restart || matches!(kind, CongestionKind::Rto | CongestionKind::Persistent) {
                    prop_assert_eq!(law.cwnd(), mss, "restart");
                }
            }
            Call::Spurious => law.on_spurious(now),
            Call::Idle(us, restart) => {
                let idle = Span::from_micros(us);
                law.on_idle(
                    now,
                    &Idle { idle, rto: Span::from_secs(1), restart, app_limited: restart },
                );
                prop_assert!(law.cwnd() <= before.0);
            }
            Call::Hint(n) => {
                let hint = match n % 4 {
                    0 => LinkHint::Down,
                    1 => LinkHint::Up,
                    2 => LinkHint::Rate(BitRate::from_mbps(1 + u64::from(n))),
                    _ => LinkHint::Corruption(f64::from(n) / 256.0),
                };
                law.on_link_hint(now, &hint);
            }
            Call::Limit(bytes) => {
                law.limit_cwnd(bytes);
                prop_assert!(law.cwnd() <= bytes.max(mss));
            }
            Call::Wait(us) => now += Span::from_micros(us),
        }
        prop_assert!(law.cwnd() >= mss, "below one segment after {:?}", call);
        prop_assert!(law.cwnd() <= params.max_cwnd.max(mss), "above the bound after {:?}", call);
        prop_assert!(law.ssthresh() >= mss);
        if let Some(rate) = law.pacing_rate() {
            prop_assert!(rate.bps() >= 1);
        }
        windows.push(law.cwnd());
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

    /// Acknowledged windows make room: no law stands still on a path without loss.
    #[test]
    fn every_law_grows_without_loss(params in params()) {
        let ack = Call::Ack { segments: 1, limited: true, fast: false, ece: false, rtt_us: 10_000 };
        let calls = vec![ack; 3000];
        for config in LawConfig::all() {
            let windows = drive(&config, &params, &calls)?;
            let last = windows.last().copied().unwrap_or(0);
            let first = params.initial_window.min(params.max_cwnd);
            prop_assert!(last > first || last == params.max_cwnd, "{} never grew", config.name());
        }
    }
}

//! Bulk transfer: every byte arrives once, in order, under any network behaviour.

use airtcp_packet::Side;
use airtcp_units::Nanos;
use proptest::prelude::*;

use super::pair::{Fate, Pair, at, ms};
use crate::tcp::{
    BackoffReset, PartialAckTimer, Profile, PrrBound, RateReduction, Reassembly, Recovery,
    RttSampling, State, TcpConfig,
};

#[test]
fn every_profile_delivers_without_loss() {
    for profile in Profile::ALL {
        let config = TcpConfig::profile(profile);
        let mut pair = Pair::new(&config, ms(40));
        pair.start(1_000_000);
        pair.finish(at(60_000));
        assert_eq!(pair.server.delivered(), 1_000_000, "{profile:?}");
        let stats = pair.client.stats();
        assert_eq!(stats.segments_retransmitted, 0, "{profile:?}");
        assert_eq!(stats.timeouts + stats.fast_retransmits, 0, "{profile:?}");
        assert_eq!(stats.bytes_acked, 1_000_000);
        assert_eq!(stats.bytes_sent, 1_000_000);
        assert_eq!(pair.server.stats().bytes_duplicate, 0);
        // No network adds delay: every round trip is 80 ms, or up to the ACK delay longer.
        let longest = ms(80) + if config.ack_every > 1 { config.ack_delay } else { ms(0) };
        assert!(stats.rtt.min >= ms(80) && stats.rtt.max <= longest, "{profile:?} {stats:?}");
    }
}

#[test]
fn every_single_loss_is_survived() {
    for recovery in
        [Recovery::Tahoe, Recovery::Reno, Recovery::NewReno, Recovery::Sack, Recovery::SackNs2]
    {
        let config = TcpConfig { recovery, ..TcpConfig::default() };
        for lost in 0..120 {
            for side in [Side::Client, Side::Server] {
                let mut pair = Pair::new(&config, ms(10)).script(move |s, i, _| {
                    if s == side && i == lost { Fate::Drop } else { Fate::Deliver }
                });
                pair.start(100_000);
                pair.finish(at(600_000));
                assert_eq!(pair.server.delivered(), 100_000);
                assert_eq!(pair.client.state(), State::TimeWait);
                assert_eq!(pair.server.state(), State::Closed);
            }
        }
    }
}

fn config() -> impl Strategy<Value = TcpConfig> {
    let recovery = prop::sample::select(vec![
        Recovery::Tahoe,
        Recovery::Reno,
        Recovery::NewReno,
        Recovery::Sack,
        Recovery::SackNs2,
    ]);
    let flags = prop::collection::vec(any::<bool>(), 14);
    let initial = prop::sample::select(vec![1u32, 2, 10]);
    (recovery, flags, 1u32..4, initial, reduction(), detection()).prop_map(
        |(recovery, f, ack_every, initial, (rate_reduction, prr_bound), (rack, tlp))| TcpConfig {
            rack,
            tlp,
            rate_reduction,
            prr_bound,
            mss: 1000,
            recovery,
            initial_window: Some(initial),
            limited_transmit: f[0],
            careful: f[1],
            keep_sack_after_rto: f[2],
            timestamps: f[3],
            ecn: f[4],
            nagle: f[5],
            dsack: f[6],
            partial_ack_timer: if f[7] {
                PartialAckTimer::Impatient
            } else {
                PartialAckTimer::SlowButSteady
            },
            rtt_sampling: if f[8] { RttSampling::EveryAck } else { RttSampling::OnePerRoundTrip },
            rto_backoff_reset: if f[9] { BackoffReset::NewAck } else { BackoffReset::Sample },
            reassembly: if f[10] { Reassembly::Buffering } else { Reassembly::GoBackN },
            rto_restart_on_retransmission: f[11],
            half_of_cwnd: f[12],
            window_scaling: f[13],
            ack_every,
            receive_buffer: airtcp_units::Bytes(if f[13] { 1 << 18 } else { 10_000 }),
            // Long enough for the last ACK to arrive: after TIME-WAIT a retransmitted FIN causes a
            // reset.
            time_wait: airtcp_units::Span::from_secs(100_000),
            ..TcpConfig::default()
        },
    )
}

/// RACK and TLP.
fn detection() -> impl Strategy<Value = (bool, bool)> {
    prop::sample::select(vec![(false, false), (true, false), (true, true)])
}

fn reduction() -> impl Strategy<Value = (RateReduction, Option<PrrBound>)> {
    let bounds = vec![None, Some(PrrBound::SafeAck), Some(PrrBound::Ssrb), Some(PrrBound::Crb)];
    prop_oneof![
        2 => Just((RateReduction::None, None)),
        1 => (Just(RateReduction::PrrRfc6937), prop::sample::select(bounds.clone())),
        1 => (Just(RateReduction::Prr), prop::sample::select(bounds)),
    ]
}

fn fates() -> impl Strategy<Value = Vec<Fate>> {
    let fate = prop_oneof![
        6 => Just(Fate::Deliver),
        3 => Just(Fate::Drop),
        2 => (1u64..300).prop_map(|n| Fate::Late(ms(n))),
        1 => (0u64..300).prop_map(|n| Fate::Twice(ms(n))),
    ];
    prop::collection::vec(fate, 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    /// Any finite pattern of loss, reordering and duplication in both directions, any recovery,
    /// any options, data both ways: every byte is delivered once, and both ends finish.
    #[test]
    fn everything_arrives_once(
        client in config(),
        server in config(),
        forth in fates(),
        back in fates(),
        up in 1u64..40_000,
        down in 0u64..20_000,
    ) {
        let mut pair = Pair::with(&client, &server, ms(15)).script(move |side, i, _| {
            let list = if side == Side::Client { &forth } else { &back };
            list.get(i).copied().unwrap_or(Fate::Deliver)
        });
        pair.act(Side::Server, |s, now| s.write(now, down));
        pair.start(up);
        pair.finish(Nanos(3_600_000_000_000 * 24));
        prop_assert_eq!(pair.server.delivered(), up);
        prop_assert_eq!(pair.client.delivered(), down);
        prop_assert_eq!(pair.client.stats().bytes_acked, up);
        prop_assert_eq!(pair.server.stats().bytes_acked, down);
    }
}

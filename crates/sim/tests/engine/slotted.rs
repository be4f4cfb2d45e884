//! The slotted driver, compared with the general simulator and with cases worked by hand.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::sync::Arc;

use crate::common::plan;
use airtcp_probe::NoProbe;
use airtcp_random::Seed;
use airtcp_sim::parallel::Stop;
use airtcp_sim::run_one;
use airtcp_sim::slotted::{self, SlottedConfig};
use airtcp_transport::tcp::{LossNotification, Profile, TcpConfig};
use airtcp_units::{Outcomes, Saturate, Span};
use proptest::prelude::*;

const SLOT: Span = Span::from_millis(10);

fn config(profile: Profile) -> SlottedConfig {
    SlottedConfig { tcp: TcpConfig::profile(profile), slot: SLOT, attempts: 1 }
}

/// Corruption notices at instants without other events.
const NAMED: &str = ", loss_notification = \"oracle\", loss_notification_delay = \"3 ms\"";

/// A link with alternating good and bad periods.
fn bursty(seed: u64, slots: usize, g: f64, b: f64) -> Outcomes {
    let mut stream = Seed::new(seed).stream("test");
    let mut good = true;
    (0..slots)
        .map(|_| {
            good = if good { !stream.chance(b) } else { stream.chance(g) };
            good
        })
        .collect()
}

/// The same experiment in the general simulator: an unlimited queue, a link of one packet per slot with the
/// trace as its loss model, and a lossless reverse path with a delay of one slot.
fn general(trace: &Arc<Outcomes>, profile: Profile, oracle: bool) -> (u64, u64, u64, u64) {
    let text = format!(
        "duration = \"{} ms\"\n[[links]]\nfrom = \"a\"\nto = \"b\"\nslot = \"10 ms\"\n\
         queue = {{ kind = \"drop-tail\", packets = 1000000 }}\n\
         loss = {{ model = \"trace\", path = \"x\" }}\nreverse = {{ delay = \"10 ms\" }}\n\
         [[flows]]\nfrom = \"a\"\nto = \"b\"\ntcp = {{ profile = \"{}\"{} }}\n",
        10 * trace.len(),
        profile.name(),
        if oracle { NAMED } else { "" },
    );
    let mut plan = plan(&text);
    plan.links[1].direction.slot = None;
    let load = |_: &str| Ok(Arc::clone(trace));
    let (r, _) = run_one(&plan, 0, &load, NoProbe, &Stop::new()).unwrap().unwrap();
    assert!(r.conservation.ok);
    let f = &r.flows[0];
    (f.delivered_bytes, f.segments_sent, f.timeouts, f.fast_retransmits)
}

fn short(trace: &Outcomes, profile: Profile, oracle: bool) -> (u64, u64, u64, u64) {
    let mut config = config(profile);
    if oracle {
        config.tcp.loss_notification = LossNotification::Oracle;
        config.tcp.loss_notification_delay = Span::from_millis(3);
    }
    let r = slotted::run(trace, None, &config, &mut NoProbe);
    let s = r.sender;
    let delivered = u64::saturate(r.delivered_packets * f64::from(config.tcp.mss) + 0.5);
    (delivered, s.data_segments_sent, s.timeouts, s.fast_retransmits)
}

#[test]
fn a_perfect_link_carries_a_packet_in_nearly_every_slot() {
    let trace: Outcomes = std::iter::repeat_n(true, 10_000).collect();
    let r = slotted::run(&trace, None, &config(Profile::S1Mirage), &mut NoProbe);
    // 100 slots per second; the handshake and the first round trips leave some idle.
    assert!(r.packets_per_second() > 99.0, "{}", r.packets_per_second());
    assert_eq!((r.sender.timeouts, r.sender.segments_retransmitted), (0, 0));
}

#[test]
fn a_send_buffer_is_filled_again() {
    let trace: Outcomes = std::iter::repeat_n(true, 5000).collect();
    let mut config = config(Profile::Rfc);
    config.tcp.send_buffer = Some(airtcp_units::Bytes(20 * u64::from(config.tcp.mss)));
    let result = airtcp_sim::slotted::run(&trace, None, &config, &mut NoProbe);
    assert!(result.delivered_packets > 4900.0, "{}", result.delivered_packets);
}

#[test]
fn a_dead_link_carries_nothing() {
    let trace: Outcomes = std::iter::repeat_n(false, 10_000).collect();
    let r = slotted::run(&trace, None, &config(Profile::S1Mirage), &mut NoProbe);
    assert!(r.packets_per_second().abs() < 1e-12);
    // SYNs at 0, 3, 9, 21, 45 and 93 s: the timeout doubles from 3 s.
    assert_eq!(r.slots_used, 6);
}

#[test]
fn an_empty_trace_is_over_at_once() {
    let r = slotted::run(&Outcomes::new(), None, &config(Profile::S1Mirage), &mut NoProbe);
    assert_eq!(r.slots_used, 0);
    assert!(r.packets_per_second().abs() < 1e-12);
}

#[test]
fn acknowledgements_can_be_lost_too() {
    let trace: Outcomes = std::iter::repeat_n(true, 10_000).collect();
    let reverse = bursty(3, 10_000, 0.5, 0.1);
    let c = config(Profile::S1Mirage);
    let clean = slotted::run(&trace, None, &c, &mut NoProbe).packets_per_second();
    let lossy = slotted::run(&trace, Some(&reverse), &c, &mut NoProbe).packets_per_second();
    assert!(lossy < clean, "{lossy} {clean}");
}

/// S1's central claim, in its range: of two links with the same reception ratio, TCP gets more from the
/// bursty one.
#[test]
fn bursty_links_beat_independent_ones() {
    for prr in [0.25, 0.35, 0.45, 0.55] {
        let mean = |mu: f64| {
            let (b, g) = ((1.0 - prr) * (1.0 - mu), prr * (1.0 - mu));
            (0..8)
                .map(|seed| {
                    let trace = bursty(seed, 20_000, g, b);
                    slotted::run(&trace, None, &config(Profile::S1Mirage), &mut NoProbe)
                        .packets_per_second()
                })
                .sum::<f64>()
                / 8.0
        };
        let (independent, bursty) = (mean(0.0), mean(0.8));
        assert!(bursty > 1.5 * independent, "PRR {prr}: {bursty} against {independent}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn same_as_the_general_simulator(seed: u64, prr in 0.1f64..1.0, mu in 0.0f64..0.9, which in 0usize..4, oracle: bool) {
        let profile = [Profile::S1Mirage, Profile::S1Roofnet, Profile::Linux, Profile::S0][which];
        let trace = Arc::new(bursty(seed, 3_000, prr * (1.0 - mu), (1.0 - prr) * (1.0 - mu)));
        prop_assert_eq!(short(&trace, profile, oracle), general(&trace, profile, oracle));
    }
}

/// A link that retransmits in the next slots: TCP gets nearly the share of slots that deliver, and loses
/// nothing while no loss run is longer than the attempts.
#[test]
fn a_link_that_retransmits() {
    // Two of three slots deliver; no loss run is longer than 1. The SYN meets a slot that delivers, because
    // every timeout is a multiple of three slots.
    let trace: Outcomes = (0..30_000).map(|i| i % 3 != 1).collect();
    let run = |attempts| {
        let config = SlottedConfig { attempts, ..config(Profile::S1Mirage) };
        slotted::run(&trace, None, &config, &mut NoProbe)
    };
    let (once, twice) = (run(1), run(2));
    assert!(once.sender.segments_retransmitted > 0 && twice.sender.segments_retransmitted == 0);
    let share = twice.delivered_packets / 20_000.0;
    assert!((0.95..=1.0).contains(&share), "{share} of the slots that deliver");
    assert!(once.delivered_packets < 0.5 * twice.delivered_packets);
    let often = run(15).delivered_packets;
    assert!((twice.delivered_packets - often).abs() < 1e-9, "a second attempt always does");
}

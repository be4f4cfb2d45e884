//! TCP small queues over links: what a sender has in the queue of its own device.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use airtcp_probe::{Event, EventSource, Probe};
use airtcp_sim::results::Replication;
use airtcp_units::Nanos;
use proptest::prelude::*;

use crate::common::{run_both, run_first};

/// A flow of 12 s over a link with a round-trip time of 20 ms.
fn scenario(forward: &str, tcp: &str) -> String {
    format!(
        r#"
        duration = "12 s"
        warmup = "4 s"
        [[links]]
        from = "a"
        to = "b"
        forward = {{ delay = "10 ms", queue = {{ kind = "drop-tail", packets = 5000 }}, {forward} }}
        reverse = {{ rate = "1 Gb/s", delay = "10 ms", sender_device = false }}
        [[flows]]
        from = "a"
        to = "b"
        tcp = {{ profile = "linux", {tcp} }}
        "#
    )
}

fn run_link(forward: &str, tcp: &str) -> Replication {
    run_first(&scenario(forward, tcp))
}

const DEVICE: &str = "rate = \"10 Mb/s\", sender_device = true";

/// Linux 6.18 behind a token bucket of 10 Mb/s: 5 packets, a mean of 6824 B (docs/models/kernel.md).
#[test]
fn a_sender_keeps_five_packets_in_its_device_at_10_mbps() {
    let run = run_link(DEVICE, "congestion = \"cubic\"");
    let (link, flow) = (&run.links[0], &run.flows[0]);
    // One of them is in transmission.
    assert!((3.0..=5.0).contains(&link.mean_queue_packets), "{}", link.mean_queue_packets);
    assert!(link.drops.values().all(|dropped| *dropped == 0), "{:?}", link.drops);
    assert!(flow.goodput_bps > 9.4e6, "{}", flow.goodput_bps);
    assert_eq!(flow.waits.waits_most_for.as_deref(), Some("device_queue"), "{:?}", flow.waits);
    // Without the limit the window fills the queue.
    let free = run_link(DEVICE, "congestion = \"cubic\", tsq = false");
    assert!(free.links[0].mean_queue_packets > 20.0, "{}", free.links[0].mean_queue_packets);
    assert_eq!(free.flows[0].waits.waits_device_queue, Some(0.0));
}

/// A fixed limit of 22.8 kB: 10 packets of 2280 B of memory are not more than it, and then a unit of 2 leaves. One is in
/// transmission. The rate of the pacing shift has no part in it, but the unit has.
#[test]
fn a_fixed_limit_in_closed_form() {
    let tcp = "tsq = \"22800 B\", pacing_shift = 20, congestion = \"cubic\"";
    let run = run_link(DEVICE, tcp);
    let mean = run.links[0].mean_queue_packets;
    assert!((9.5..=11.0).contains(&mean), "{mean}");
}

/// Where the queue is that of a router, `tsq` changes no bit.
#[test]
fn a_queue_behind_the_sender_has_no_limit() {
    for tcp in ["congestion = \"cubic\"", "congestion = \"bbr1\""] {
        let with = run_link("rate = \"10 Mb/s\"", tcp);
        let without = run_link("rate = \"10 Mb/s\"", &format!("{tcp}, tsq = false"));
        assert_eq!(with.fingerprint, without.fingerprint);
        assert_eq!(with, without);
    }
}

#[derive(Default)]
struct Sees(u64);

impl Probe for Sees {
    const ON: bool = true;
    fn record(&mut self, _: Nanos, _: EventSource, _: &Event) {
        self.0 += 1;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Transfers end, whatever the device loses or its queue drops, with the same bits with and without a probe.
    #[test]
    fn transfers_end(
        link in prop::sample::select(vec![
            "rate = \"10 Mb/s\"",
            "slot = \"1 ms\"",
            "rate = \"300 kb/s\"",
            "rate = \"20 Mb/s\", queue = { kind = \"drop-tail\", packets = 2 }",
            "rate = \"20 Mb/s\", queue = { kind = \"fq-codel\" }",
            "rate = \"20 Mb/s\", loss = { model = \"bernoulli\", probability = 0.1 }",
            "rate = \"20 Mb/s\", protocol = { kind = \"ll-arq\" }, loss = { model = \"bernoulli\", probability = 0.1 }",
            "rate = \"20 Mb/s\", mtu = \"1400 B\"",
            "delay = \"3 ms\"",
        ]),
        tsq in prop::sample::select(vec!["true", "\"1 B\"", "\"4 kB\""]),
        shift in 6_u32..24,
        law in prop::sample::select(vec!["reno", "cubic", "bbr1"]),
        seed in 0_u64..1000,
    ) {
        let mss = if link.contains("mtu") { 1300 } else { 1460 };
        let text = format!(
            r#"
            duration = "300 s"
            seed = {seed}
            [[links]]
            from = "a"
            to = "b"
            forward = {{ sender_device = true, {link} }}
            reverse = {{ rate = "20 Mb/s", delay = "5 ms", queue = {{ kind = "drop-tail", packets = 100 }} }}
            [[flows]]
            count = 2
            from = "a"
            to = "b"
            tcp = {{ profile = "linux", mss = {mss}, tsq = {tsq}, pacing_shift = {shift}, congestion = "{law}" }}
            app = {{ kind = "bulk", size = "300 kB" }}
            "#
        );
        let (result, _) = run_both(&text, Sees::default());
        for flow in &result.replications[0].flows {
            prop_assert!(flow.completion_s.is_some(), "{text}");
        }
    }
}

//! Departures in closed form are those of the plain path: a run without a probe equals a run with one, which takes
//! the plain path, on random networks.

use airtcp_probe::{Event, EventSource, Probe};
use airtcp_units::Nanos;
use proptest::prelude::*;

use crate::common::run_both;

/// Counts the packets that wait for a transmitter.
#[derive(Default)]
struct Waits(u64);

impl Probe for Waits {
    const ON: bool = true;
    fn record(&mut self, _: Nanos, _: EventSource, event: &Event) {
        self.0 += u64::from(matches!(event, Event::Enqueued { packets: 2.., .. }));
    }
}

/// Compares both paths. Returns how many packets met another one in a queue.
fn compare(text: &str) -> u64 {
    run_both(text, Waits::default()).1.0
}

fn losses() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "",
        "loss = { model = \"bernoulli\", probability = 0.02 }",
        "loss = { model = \"bernoulli\", probability = 0.5 }",
        "loss = { model = \"gilbert-elliott\", mean_loss = 0.05, mean_burst = 8, slot = \"1 ms\" }",
    ])
}

fn queues() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "",
        "queue = { kind = \"drop-tail\", packets = 1 }",
        "queue = { kind = \"drop-tail\", packets = 5 }",
        "queue = { kind = \"drop-tail\", bytes = \"6 kB\" }",
        "queue = { kind = \"drop-tail\", packets = 9, bytes = \"9 kB\" }",
        "queue = { kind = \"red\", limit = 20, min = 3.0, max = 9.0 }",
    ])
}

/// Rates and delays at which packets often leave, arrive and meet at one instant, and others.
fn wires() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "rate = \"12 Mb/s\", delay = \"1 ms\"",
        "rate = \"12 Mb/s\", delay = \"0 s\"",
        "rate = \"6 Mb/s\", delay = \"2 ms\"",
        "rate = \"7.3 Mb/s\", delay = \"3 ms\"",
        "slot = \"1 ms\", delay = \"5 ms\"",
        "rate = \"12 Mb/s\", delay = \"2 ms\", jitter = { mean = \"1 ms\" }",
        "rate = \"12 Mb/s\", delay = \"2 ms\", protocol = { kind = \"ll-arq\" }",
        "rate = \"900 Gb/s\", delay = \"1 ms\"",
        "delay = \"1 ms\"",
    ])
}

fn flows() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "",
        "tcp = \"linux\"",
        "tcp = \"s0\"",
        "tcp = { recovery = \"newreno\" }",
        "app = { kind = \"request-response\", request = \"300 B\", response = \"30 kB\", think = \"3 ms\" }",
        "transport = \"udp\"\napp = { kind = \"constant-rate\", rate = \"8 Mb/s\", message = \"972 B\" }",
        "transport = \"udp\"\napp = { kind = \"constant-rate\", rate = \"12 Mb/s\", message = \"1472 B\", start = \"1 ms\" }",
    ])
}

prop_compose! {
    fn networks()(
        (hops, seed, warmup) in (1u32..4, 0u32..1000, prop::sample::select(vec!["0 s", "90 ms", "100 ms"])),
        link in (wires(), queues(), losses()),
        flows in prop::collection::vec((flows(), any::<bool>()), 1..4),
    ) -> String {
        let (wire, queue, loss) = link;
        let keys: Vec<&str> = [wire, queue, loss].into_iter().filter(|k| !k.is_empty()).collect();
        let flows: Vec<String> = flows.into_iter().map(|(keys, back)| {
            let last = format!("n{hops}");
            let (from, to) = if back { (last.as_str(), "n0") } else { ("n0", last.as_str()) };
            format!("[[flows]]\nfrom = \"{from}\"\nto = \"{to}\"\n{keys}\n")
        }).collect();
        format!(
            "duration = \"700 ms\"\nwarmup = \"{warmup}\"\nseed = {seed}\n\
             [topology]\nkind = \"chain\"\nhops = {hops}\nlink = {{ {} }}\n{}",
            keys.join(", "), flows.concat()
        )
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn departures_in_closed_form_change_nothing(network in networks()) {
        compare(&network);
    }
}

/// Packets of 1500 bytes at 12 Mb/s take 1 ms, as long as a hop: they leave a queue at the instants at which others
/// arrive at it, and the queue is full.
#[test]
fn departures_and_arrivals_at_one_instant() {
    let mut waits = 0;
    for seed in 0..20 {
        waits += compare(&format!(
            "duration = \"300 ms\"\nseed = {seed}\n\
             [[links]]\nfrom = \"a\"\nto = \"m\"\nrate = \"12 Mb/s\"\ndelay = \"1 ms\"\n\
             [[links]]\nfrom = \"b\"\nto = \"m\"\nrate = \"12 Mb/s\"\ndelay = \"1 ms\"\n\
             [[links]]\nfrom = \"m\"\nto = \"z\"\nrate = \"12 Mb/s\"\ndelay = \"1 ms\"\n\
             queue = {{ kind = \"drop-tail\", packets = 3 }}\n\
             loss = {{ model = \"bernoulli\", probability = 0.2 }}\n\
             [[flows]]\nfrom = \"a\"\nto = \"z\"\ntransport = \"udp\"\n\
             app = {{ kind = \"constant-rate\", rate = \"12 Mb/s\", message = \"1472 B\" }}\n\
             [[flows]]\nfrom = \"b\"\nto = \"z\"\ntransport = \"udp\"\n\
             app = {{ kind = \"constant-rate\", rate = \"12 Mb/s\", message = \"1472 B\" }}\n"
        ));
    }
    assert!(waits > 1000, "{waits} packets waited behind another");
}

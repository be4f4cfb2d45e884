//! Metamorphic properties: relations between the results of related scenarios.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::common::{run_first, run_with};

fn scenario(duration: &str, rate: &str, delay: &str, tcp: &str, more: &str) -> String {
    format!(
        "duration = \"{duration}\"\n[[links]]\nname = \"air\"\nfrom = \"a\"\nto = \"b\"\nrate = \"{rate}\"\n\
         delay = \"{delay}\"\n{more}\n[[flows]]\nfrom = \"a\"\nto = \"b\"\ntcp = {{ {tcp} }}\n"
    )
}

#[test]
fn without_loss_and_overflow_nothing_is_sent_twice() {
    for recovery in ["tahoe", "reno", "newreno", "sack"] {
        let tcp = format!("recovery = \"{recovery}\"");
        let more = "queue = { kind = \"drop-tail\", packets = 100000 }";
        let r = run_first(&scenario("20 s", "10 Mb/s", "20 ms", &tcp, more));
        let f = &r.flows[0];
        assert_eq!((f.retransmissions, f.timeouts, f.fast_retransmits), (0, 0, 0), "{recovery}");
        // Headers are 40 of 1500 bytes; slow start costs a few round trips.
        assert!(f.goodput_bps > 0.95 * 10e6 * 1460.0 / 1500.0, "{recovery}: {}", f.goodput_bps);
        assert!(r.links[0].utilisation > 0.95);
    }
}

/// If everything is ten times faster, the same packets take a tenth of the time.
#[test]
fn time_scales() {
    let slow = "rto_min = \"1 s\", rto_max = \"60 s\", rto_initial = \"1 s\", rto_granularity = \"10 ms\", \
                ack_delay = \"200 ms\", rto_after_syn_loss = \"3 s\", time_wait = \"10 s\", timestamp_tick = \"10 ms\"";
    let fast = "rto_min = \"100 ms\", rto_max = \"6 s\", rto_initial = \"100 ms\", rto_granularity = \"1 ms\", \
                ack_delay = \"20 ms\", rto_after_syn_loss = \"300 ms\", time_wait = \"1 s\", timestamp_tick = \"1 ms\"";
    let more = "loss = { model = \"bernoulli\", probability = 0.02 }";
    let a = run_first(&scenario("100 s", "1 Mb/s", "80 ms", slow, more));
    let b = run_first(&scenario("10 s", "10 Mb/s", "8 ms", fast, more));
    assert_eq!(a.flows[0].delivered_bytes, b.flows[0].delivered_bytes);
    assert_eq!(a.flows[0].retransmissions, b.flows[0].retransmissions);
    assert_eq!(a.flows[0].timeouts, b.flows[0].timeouts);
    assert!((10.0 * a.flows[0].goodput_bps / b.flows[0].goodput_bps - 1.0).abs() < 1e-9);
}

/// A later start shifts all times and changes nothing else.
#[test]
fn time_shifts() {
    let at =
        |start: &str, duration: &str| {
            let text = scenario(duration, "10 Mb/s", "20 ms", "profile = \"rfc\"", "");
            run_first(&text.replace(
                "tcp =",
                &format!("app = {{ kind = \"bulk\", start = \"{start}\" }}\ntcp ="),
            ))
        };
    let (now, later) = (at("0 s", "20 s"), at("7 s", "27 s"));
    assert_eq!(now.flows[0].delivered_bytes, later.flows[0].delivered_bytes);
    assert_eq!(now.flows[0].retransmissions, later.flows[0].retransmissions);
    assert!((now.flows[0].goodput_bps - later.flows[0].goodput_bps).abs() < 1.0);
}

#[test]
fn equal_flows_share_equally() {
    let text = r#"
duration = "200 s"
warmup = "20 s"
replications = 6
[topology]
kind = "dumbbell"
pairs = 4
bottleneck = { rate = "10 Mb/s", delay = "20 ms", queue = { kind = "red" } }
[[flows]]
from = "s*"
to = "r*"
count = 4
start_spread = "1 s"
"#;
    let result = run_with(text, 2);
    let jain = result.summary.jain_index.mean.unwrap();
    assert!(jain > 0.95, "Jain's index {jain}");
    let total = result.summary.total_goodput_bps.mean.unwrap();
    assert!(total > 0.9 * 10e6 * 1460.0 / 1500.0, "{total}");
    // The number of a flow gives no advantage.
    let shares: Vec<f64> =
        result.summary.flows.iter().map(|f| f.quantities["goodput_bps"].mean.unwrap()).collect();
    let mean = shares.iter().sum::<f64>() / 4.0;
    assert!(shares.iter().all(|s| (s / mean - 1.0).abs() < 0.25), "{shares:?}");
}

#[test]
fn goodput_falls_with_loss() {
    let mut last = f64::INFINITY;
    for p in ["0", "0.005", "0.02", "0.08", "0.3"] {
        let more = format!("loss = {{ model = \"bernoulli\", probability = {p} }}");
        let g = run_first(&scenario("200 s", "10 Mb/s", "40 ms", "recovery = \"sack\"", &more))
            .flows[0]
            .goodput_bps;
        assert!(g < last, "at p = {p}: {g} is not below {last}");
        last = g;
    }
}

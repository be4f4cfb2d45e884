//! Flows over the sliding transport in whole scenarios.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::common::{plan, run_first};

fn link(loss: f64, keys: &str) -> String {
    format!(
        "duration = \"30 s\"\nwarmup = \"5 s\"\n[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mb/s\"\ndelay = \"40 ms\"\n\
         queue = {{ kind = \"drop-tail\", packets = 100 }}\nloss = {{ model = \"bernoulli\", probability = {loss} }}\n\
         [[flows]]\nfrom = \"a\"\nto = \"b\"\ntransport = \"sliding\"\n{keys}\n"
    )
}

#[test]
fn bulk_over_a_lossy_link() {
    for p in [0.0, 0.3] {
        let r = run_first(&link(p, ""));
        let f = &r.flows[0];
        assert_eq!(f.transport, "sliding");
        assert!(f.goodput_bps > 0.9 * (1.0 - p) * 10e6, "{p}: {}", f.goodput_bps);
        assert!(r.links[0].mean_queue_packets * 1.2 < 10.0);
        // The measured time includes arrivals of packets in flight at its start, at most a window of 200 packets.
        let under_way = 200.0 * 1436.0 * 8.0 / 25.0;
        assert!(f.throughput_bps + under_way >= f.goodput_bps, "{p}: {}", f.throughput_bps);
        assert_eq!(f.retransmissions > 0, p > 0.0);
        assert!(f.rtt_mean_s.unwrap() < 0.1);
    }
}

/// The sender responds to marks, alone and beside TCP.
#[test]
fn marks_are_answered() {
    let red = "queue = { kind = \"red\", limit = 100, min = 10.0, max = 30.0, ecn = true }";
    let text = link(0.0, "[[flows]]\nfrom = \"a\"\nto = \"b\"\ntcp = { ecn = true }")
        .replace("queue = { kind = \"drop-tail\", packets = 100 }", red);
    let r = run_first(&text);
    assert!(r.conservation.ok);
    let [ours, tcp] = [&r.flows[0], &r.flows[1]];
    assert!(ours.ecn_reactions > 3 && tcp.ecn_reactions > 3, "{}", ours.ecn_reactions);
    assert!(ours.goodput_bps > 2e6 && tcp.goodput_bps > 2e6, "{}", ours.goodput_bps);
    let off = run_first(&text.replace("\"sliding\"", "\"sliding\"\nsliding = { ecn = false }"));
    assert_eq!(off.flows[0].ecn_reactions, 0);
}

/// Many flows over a short queue: few transmissions are wasted, and the flows share.
#[test]
fn many_flows_over_short_queues() {
    // Flows, queue limit in packets, loss, minimum Jain's index.
    for (flows, queue, loss, fair) in [(5, 10, 0.0, 0.9), (10, 20, 0.1, 0.75), (50, 100, 0.0, 0.8)]
    {
        let text = link(loss, &format!("count = {flows}\nstart_spread = \"5 s\""))
            .replace("packets = 100", &format!("packets = {queue}"))
            .replace("\"30 s\"", "\"40 s\"")
            .replace("\"5 s\"\n[[links", "\"20 s\"\n[[links");
        let r = run_first(&text);
        let got: f64 = r.flows.iter().map(|f| f.goodput_bps).sum();
        let sent: f64 = r.flows.iter().map(|f| f.throughput_bps).sum();
        let case = format!("{flows} flows, {queue} packets, loss {loss}");
        assert!(sent < 12.5e6, "{case}: {sent} sent");
        assert!(got > 0.85 * (1.0 - loss) * 10e6, "{case}: {got} got");
        assert!(r.jain_index.unwrap() > fair, "{case}: {:?}", r.jain_index);
    }
}

#[test]
fn every_application() {
    for loss in [0.0, 0.2] {
        let f = |app: &str| run_first(&link(loss, app)).flows.remove(0);
        let sized = f("app = { kind = \"bulk\", size = \"100 kB\", start = \"6 s\" }");
        assert_eq!(sized.delivered_bytes, 100_000);
        assert!((0.2..1.5).contains(&sized.completion_s.unwrap()));
        let stopped = f("app = { kind = \"bulk\", stop = \"10 s\" }");
        let ideal = 5.0 * 10e6 / 8.0 * (1.0 - loss);
        assert!((0.85..1.05).contains(&(stopped.delivered_bytes as f64 / ideal)));
        let paced =
            f("app = { kind = \"constant-rate\", rate = \"800 kb/s\", message = \"1000 B\" }");
        // Data that waited while the loss rate was estimated arrive later.
        let late = if loss > 0.0 { 100e3 } else { 16e3 };
        assert!((paced.goodput_bps - 800e3).abs() < late, "{}", paced.goodput_bps);
        let asked =
            f("app = { kind = \"request-response\", request = \"200 B\", response = \"5 kB\" }");
        assert!(asked.exchanges > 60, "{}", asked.exchanges);
    }
}

/// Short transfers with bursts of losses, also of feedback: all complete, and no timer is in the past (an
/// assertion of the simulator).
#[test]
fn transfers_through_bursts() {
    let bursts = "loss = { model = \"gilbert-elliott\", mean_loss = 0.3, mean_bad = \"50 ms\" }";
    let text = link(0.0, "app = { kind = \"bulk\", size = \"100 kB\", start = \"6 s\" }").replace(
        "loss = { model = \"bernoulli\", probability = 0 }",
        &format!("{bursts}\nreverse = {{ {bursts} }}"),
    );
    assert!(text.contains("gilbert"));
    for seed in 0..40 {
        let flow = run_first(&format!("seed = {seed}\n{text}")).flows.remove(0);
        assert_eq!(flow.delivered_bytes, 100_000);
        assert!(flow.completion_s.unwrap() < 5.0);
    }
}

#[test]
fn refusals_name_the_key() {
    let refused = |keys: &str, change: (&str, &str)| {
        let text = link(0.0, keys).replace(change.0, change.1);
        match airtcp_scenario::read(&text, "test", &[]).and_then(|s| s.resolve()) {
            Err(e) => e.to_string(),
            Ok(plan) => airtcp_sim::run(&plan, &crate::common::no_traces, Some(1), |_, _| true)
                .unwrap_err()
                .to_string(),
        }
    };
    let e = refused("sliding = { segment = 0 }", ("", ""));
    assert!(e.contains("flows[0].sliding") && e.contains("1 to 16000"), "{e}");
    let e = refused("sliding = { segment = 2000 }", ("delay", "mtu = \"1500 B\"\ndelay"));
    assert!(e.contains("mtu") && e.contains("1436 B"), "{e}");
    assert!(plan(&link(0.0, "sliding = { coding = \"off\" }")).flows.len() == 1);
}

#[test]
fn time_never_goes_back() {
    // Feedback that shortens the response time leaves the sender with a deadline in the past. A path of two
    // packets shows this within seconds; the world checks it in debug builds.
    for seed in 1..=12 {
        let text = format!(
            "seed = {seed}\nduration = \"60 s\"\n\
             [[links]]\nfrom = \"a\"\nto = \"b\"\n\
             forward = {{ rate = \"1.2 Mb/s\", loss = {{ model = \"bernoulli\", probability = 0.3 }} }}\n\
             reverse = {{ rate = \"1.2 Gb/s\", delay = \"10 ms\" }}\n\
             [[flows]]\nfrom = \"a\"\nto = \"b\"\ntransport = \"sliding\"\n"
        );
        let run =
            airtcp_sim::run(&plan(&text), &|_| Err(String::new()), None, |_, _| true).unwrap();
        let flow = &run.replications[0].flows[0];
        assert!(flow.goodput_bps > 0.6e6, "{}", flow.goodput_bps);
    }
}

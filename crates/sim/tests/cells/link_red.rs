//! Link RED at a lone sender: its probability, its marks and its pacing against closed forms.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may fail, and shows what it measured"
)]

use crate::common::run_first;
use airtcp_sim::results::{Replication, StationResult};

/// One station that sends to the access point, with schemes, further keys of the cell, and the flow's keys.
fn lone(seconds: u32, scheme: &str, cell: &str, flow: &str) -> Replication {
    run_first(&format!(
        r#"
        duration = "{seconds} s"
        [[cells]]
        layout = {{ kind = "star", stations = 1, radius_m = 5 }}
        schemes = [{scheme}]
        {cell}
        [[flows]]
        from = "sta0"
        to = "ap"
        {flow}
    "#
    ))
}

const SATURATED: &str = "transport = \"udp\"\n\
    app = { kind = \"constant-rate\", rate = \"60 Mb/s\", message = \"1472 B\" }";

fn sender(run: &Replication) -> &StationResult {
    &run.cells[0].stations[1]
}

/// With a loss rate of 1/2, a packet has 1 retry in the mean (up to 254 count). Between thresholds of 0 and 2
/// the probability is half of its maximum.
#[test]
fn drops_follow_the_average_number_of_retries() {
    let keys = "scheme = \"link-red\", weight = 0.01, min_th = 0.0, max_th = 2.0, max_p = 0.2";
    let cell = "residual_error = \"50 %\"\nmac.attempts = 255";
    let run = lone(60, &format!("{{ {keys} }}"), cell, SATURATED);
    let dropped = sender(&run).early_drops.unwrap() as f64;
    let delivered = run.flows[0].delivered_bytes as f64 / 1472.0;
    let share = dropped / (dropped + delivered);
    println!("{dropped} of {delivered}: {share:.4}");
    assert!(delivered > 20_000.0);
    assert!((share - 0.1).abs() < 0.006, "{share}");
    assert_eq!(sender(&run).early_marks, Some(0));
    let reason = run.drops.iter().find(|row| row.reason == "queue_early").unwrap();
    assert_eq!(Some(reason.packets), sender(&run).early_drops, "the drops of the run");
}

/// ECN-capable packets are marked, and the sender reduces its window without a loss.
#[test]
fn capable_packets_are_marked() {
    let keys = "{ scheme = \"link-red\", min_th = 0.0, max_th = 1.0, max_p = 0.2 }";
    let cell = "residual_error = \"20 %\"";
    let run = lone(10, keys, cell, "tcp = { ecn = true }");
    let (marks, drops) = (sender(&run).early_marks.unwrap(), sender(&run).early_drops.unwrap());
    println!("{marks} marks, {drops} drops, {} retransmissions", run.flows[0].retransmissions);
    // Only SYN and the last ACK of the handshake are not capable.
    assert!(marks > 10 && drops <= 2);
    assert_eq!(lone(2, "", cell, "tcp = { ecn = true }").cells[0].stations[1].early_marks, None);
}

/// With a lower threshold of 0 every success is followed by a longer back-off: DATA 248 us, SIFS 16 us and
/// ACK 28 us are 32.4 slots of 9 us, and take 33.
#[test]
fn pacing_adds_the_exchange_to_the_back_off() {
    let keys = "{ scheme = \"link-red\", min_th = 0.0, max_p = 0.0, pacing = true }";
    let interval = |run: &Replication| 10.0 / (run.flows[0].delivered_bytes as f64 / 1472.0);
    let (base, paced) = (lone(10, "", "", SATURATED), lone(10, keys, "", SATURATED));
    let added = interval(&paced) - interval(&base);
    println!("{:.6} -> {:.6} s, {added:.3e}", interval(&base), interval(&paced));
    assert!((added - 33.0 * 9e-6).abs() < 1e-6, "{added}");
}

#[test]
fn keys_have_ranges() {
    for (keys, wanted) in [
        ("weight = 0.0", "schemes[0].weight: is 0: expected numbers above 0"),
        ("min_th = 300.0", "schemes[0].min_th"),
        ("max_th = 0.5", "expected numbers above min_th (1)"),
        ("max_p = 1.5", "is 1.5: expected 0 to 1"),
    ] {
        let text = format!(
            "[[cells]]\nlayout = {{ kind = \"star\", stations = 1 }}\n\
             schemes = [{{ scheme = \"link-red\", {keys} }}]\n[[flows]]\nfrom = \"sta0\"\nto = \"ap\"\n"
        );
        let scenario = airtcp_scenario::read(&text, "test", &[]);
        let error = scenario.and_then(|s| s.resolve()).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    }
}

//! The ACK filter before a narrow reverse link: goodput, and the byte stream.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may fail, and shows what it measured"
)]

use crate::common::{run_first, run_with};

/// Downloads over 20 Mb/s, with ACKs over a link of `reverse` behind a queue of `kind`.
fn asymmetric(reverse: &str, kind: &str, tcp: &str, flows: u32) -> String {
    format!(
        r#"
        duration = "33 s"
        warmup = "3 s"
        [[links]]
        from = "a"
        to = "b"
        rate = "20 Mb/s"
        delay = "10 ms"
        queue = {{ kind = "drop-tail", packets = 200 }}
        reverse = {{ rate = "{reverse}", queue = {{ {kind}, packets = 100 }} }}
        [[flows]]
        count = {flows}
        from = "a"
        to = "b"
        tcp = {tcp}
        start_spread = "1 s"
    "#
    )
}

const LINUX: &str = "{ profile = \"linux\", ack_every = 1 }";

/// A window of 64 segments with 100 kb/s for ACKs of 52 bytes: 240 a second pass, none is dropped, and
/// each lets one segment follow. With the filter an ACK stands for all that has arrived, and the
/// link of 20 Mb/s is full.
#[test]
fn goodput_rises_where_acks_are_the_bottleneck() {
    let tcp = "{ profile = \"linux\", ack_every = 1, max_window = 64 }";
    let run = |kind: &str| run_first(&asymmetric("100 kb/s", kind, tcp, 1));
    let plain = run("kind = \"drop-tail\"");
    let clocked = 100e3 / (8.0 * 52.0) * 8.0 * 1448.0;
    println!("{:.3} Mb/s of {:.3}", plain.total_goodput_bps / 1e6, clocked / 1e6);
    assert!((plain.total_goodput_bps / clocked - 1.0).abs() < 0.01);
    assert!(!plain.links[1].drops.contains_key("ack_filtered"));
    for mode in ["conservative", "aggressive"] {
        let filtered = run(&format!("kind = \"ack-filter\", mode = \"{mode}\""));
        let full = 20e6 * 1448.0 / 1500.0;
        println!("{mode}: {:.3} Mb/s of {:.3}", filtered.total_goodput_bps / 1e6, full / 1e6);
        assert!((filtered.total_goodput_bps / full - 1.0).abs() < 0.02);
        let dropped = filtered.links[1].drops["ack_filtered"];
        // Of 1667 ACKs a second 240 pass.
        assert!((dropped as f64 / 30.0 / (1667.0 - 240.0) - 1.0).abs() < 0.02, "{dropped}");
        let filtered: Vec<_> =
            filtered.drops.iter().filter(|d| d.reason == "ack_filtered").collect();
        assert_eq!(filtered.iter().map(|d| d.packets).sum::<u64>(), dropped);
        assert!(filtered.iter().all(|d| d.ack && d.place == "a-b (reverse)"));
    }
}

/// Without a limit of the window the queue of ACKs overflows without the filter, and its drops thin
/// ACKs, too. The filter still gains with one flow; several flows stay within a tenth.
#[test]
fn goodput_stays_where_a_full_queue_thins_acks() {
    let kinds = ["\"drop-tail\"", "\"ack-filter\"", "\"ack-filter\", mode = \"aggressive\""];
    for flows in [1, 4] {
        let means = kinds.map(|kind| {
            let text = asymmetric("100 kb/s", &format!("kind = {kind}"), LINUX, flows);
            let runs = run_with(&format!("replications = 8\n{text}"), 2).replications;
            runs.iter().map(|run| run.total_goodput_bps / 1e6).sum::<f64>() / 8.0
        });
        println!("{flows}: {means:.2?} Mb/s");
        let least = if flows == 1 { 1.2 } else { 0.9 };
        assert!(means[1] > least * means[0] && means[2] > means[0], "{means:?}");
    }
}

/// A wide reverse link has no queue of ACKs, and the filter changes nothing.
#[test]
fn an_empty_queue_filters_nothing() {
    let run = |kind: &str| run_first(&asymmetric("20 Mb/s", kind, LINUX, 1));
    let (plain, filtered) = (run("kind = \"drop-tail\""), run("kind = \"ack-filter\""));
    assert_eq!(format!("{:?}", plain.flows), format!("{:?}", filtered.flows));
}

/// A transfer over a link that loses packets completes, with and without SACK, and a loss is still
/// repaired by fast retransmit.
#[test]
fn the_stream_stays_whole_under_losses() {
    for profile in ["linux", "s0"] {
        for mode in ["conservative", "aggressive"] {
            let text = format!(
                r#"
                duration = "200 s"
                [[links]]
                from = "a"
                to = "b"
                rate = "20 Mb/s"
                delay = "10 ms"
                queue = {{ kind = "drop-tail", packets = 200 }}
                loss = {{ model = "bernoulli", probability = 0.003 }}
                reverse = {{ rate = "200 kb/s", queue = {{ kind = "ack-filter", mode = "{mode}" }} }}
                [[flows]]
                from = "a"
                to = "b"
                tcp = {{ profile = "{profile}", ack_every = 1 }}
                app = {{ kind = "bulk", size = "20 MB" }}
            "#
            );
            let run = run_first(&text);
            let flow = &run.flows[0];
            println!(
                "{profile} {mode}: {:.2} Mb/s, {} timeouts",
                flow.goodput_bps / 1e6,
                flow.timeouts
            );
            assert_eq!(flow.delivered_bytes, 20_000_000, "{profile} {mode}");
        }
    }
}

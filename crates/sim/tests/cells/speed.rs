//! `mac.ablation.speed` in whole runs: everything else twice as slow is the air twice as fast.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::common::run_first;

/// A TCP upload over a wire and the air, with the times of wire, TCP and run multiplied by `slow`.
fn upload(standard: &str, slow: u64, speed: &str, mac: &str) -> String {
    let ms = |time: u64| format!("\"{} ms\"", slow * time);
    let tcp = format!(
        "{{ profile = \"rfc\", rto_min = {}, rto_max = {}, rto_initial = {}, ack_delay = {}, rto_granularity = {}, \
         timestamp_tick = {}, time_wait = {}, rto_after_syn_loss = {} }}",
        ms(200),
        ms(60_000),
        ms(1_000),
        ms(40),
        ms(1),
        ms(1),
        ms(10_000),
        ms(3_000)
    );
    format!(
        "duration = {}\nwarmup = {}\n\
         [[cells]]\nstandard = \"{standard}\"\nlayout = {{ kind = \"star\", stations = 2 }}\n{speed}\n{mac}\n\
         [[links]]\nfrom = \"ap\"\nto = \"server\"\nrate = \"{} kb/s\"\ndelay = {}\n\
         loss = {{ model = \"bernoulli\", probability = 0.001 }}\n\
         [[flows]]\nfrom = \"sta*\"\nto = \"server\"\ncount = 2\ntcp = {tcp}\n",
        ms(4_000),
        ms(500),
        1_000_000 / slow,
        ms(20)
    )
}

/// The same packets meet the same fates, in twice the time.
#[test]
fn everything_else_slower_is_the_air_faster() {
    for (standard, mac) in [("802.11b", ""), ("802.11g", "mac.access = \"edca\""), ("802.11n", "")]
    {
        let fast = run_first(&upload(standard, 1, "mac.ablation.speed = 2", mac));
        let slow = run_first(&upload(standard, 2, "", mac));
        for (fast, slow) in fast.flows.iter().zip(&slow.flows) {
            assert_eq!(fast.delivered_bytes, slow.delivered_bytes, "{standard}");
            assert_eq!(fast.segments_sent, slow.segments_sent, "{standard}");
        }
        let ratio = fast.total_goodput_bps / slow.total_goodput_bps / 2.0;
        assert!((ratio - 1.0).abs() < 0.02, "{standard}: {ratio}");
        let busy = fast.cells[0].busy_share / slow.cells[0].busy_share;
        assert!((busy - 1.0).abs() < 0.02, "{standard}: {busy}");
        assert!(fast.total_goodput_bps > 1e6);
    }
}

/// Saturated stations carry `s` times as much, in shares of the airtime that are the same.
#[test]
fn saturation_throughput_is_proportional_to_the_speed() {
    for (standard, mac) in [("802.11g", ""), ("802.11n", ""), ("802.11ax", "mac.access = \"edca\"")]
    {
        let run = |speed: &str| {
            run_first(&format!(
                "duration = \"1500 ms\"\nwarmup = \"300 ms\"\n[[cells]]\nstandard = \"{standard}\"\n{mac}\n\
                 layout = {{ kind = \"star\", stations = 3 }}\n{speed}\n[[flows]]\nfrom = \"sta*\"\nto = \"ap\"\n\
                 count = 3\ntransport = \"udp\"\n\
                 app = {{ kind = \"constant-rate\", rate = \"600 Mb/s\", message = \"1472 B\" }}\n"
            ))
        };
        let one = run("");
        assert_eq!(one.fingerprint, run("mac.ablation.speed = 1").fingerprint);
        for speed in [0.5, 1.7, 3.0] {
            let other = run(&format!("mac.ablation.speed = {speed}"));
            let ratio = other.total_goodput_bps / one.total_goodput_bps / speed;
            assert!((ratio - 1.0).abs() < 0.03, "{standard} at {speed}: {ratio}");
            let busy = other.cells[0].busy_share / one.cells[0].busy_share;
            assert!((busy - 1.0).abs() < 0.01, "{standard} at {speed}: {busy}");
        }
    }
}

#[test]
fn cells_on_one_medium_have_one_speed() {
    let cell = |name: &str, more: &str| {
        format!(
            "[[cells]]\nname = \"{name}\"\naccess_point = \"{name}-ap\"\nprefix = \"{name}\"\nchannel = 36\n\
             layout = {{ kind = \"star\", stations = 1 }}\n{more}\n"
        )
    };
    let flow = "[[flows]]\nfrom = \"a0\"\nto = \"a-ap\"\n";
    let both = |a: &str, b: &str| {
        let text = cell("a", a) + &cell("b", b) + flow;
        airtcp_scenario::read(&text, "", &[]).unwrap().resolve().map(drop)
    };
    let error = both("", "mac.ablation.speed = 2").unwrap_err().to_string();
    let said = "cells[1].mac.ablation.speed: differs from cells[0].mac.ablation.speed, but the cells share a \
                medium (channels 36 and 36)";
    assert!(error.starts_with(said), "{error}");
    assert!(both("mac.ablation.speed = 2", "mac.ablation.speed = 2").is_ok());
    assert!(both("mac.ablation = {}", "mac.ablation.speed = 1").is_ok());
}

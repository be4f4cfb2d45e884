//! Policers and shapers on links and stations, and losses of super-segments, in whole runs.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use airtcp_probe::Counters;

use crate::common::{no_traces, run_both, run_first, run_with};

/// Flows from `a` to `b` over 100 Mb/s with keys of the link.
fn over(link: &str, flow: &str) -> String {
    format!(
        r#"
        duration = "31 s"
        warmup = "1 s"
        [[links]]
        from = "a"
        to = "b"
        rate = "100 Mb/s"
        delay = "10 ms"
        {link}
        [[flows]]
        from = "a"
        to = "b"
        {flow}
    "#
    )
}

const POLICER: &str = "policer = { rate = \"8 Mb/s\", burst = \"15000 B\" }";
const SHAPER: &str =
    "queue = { kind = \"tbf\", rate = \"8 Mb/s\", burst = \"15000 B\", latency = \"50 ms\" }";
/// 9.6 Mb/s of IP packets of 1500 B.
const UDP: &str = "transport = \"udp\"\napp = { kind = \"constant-rate\", rate = \"9420800 b/s\", message = \"1472 B\" }";

/// What 8 Mb/s carry in 30 s.
const BITS: f64 = 8e6 * 30.0;

#[test]
fn a_policer_passes_its_rate_and_delays_nothing() {
    let (run, counters) = run_both(&over(POLICER, UDP), Counters::default());
    let link = &run.replications[0].links[0];
    // Within the burst.
    assert!((link.delivered_bps * 30.0 - BITS).abs() <= 15_000.0 * 8.0, "{}", link.delivered_bps);
    assert_eq!(link.max_queue_packets, 1);
    let policed = link.drops["policed"];
    assert!((policed as f64 / (30.0 * 800.0) - 1.6 / 9.6).abs() < 0.001, "{policed}");
    assert_eq!(link.drops.values().sum::<u64>(), policed);
    assert!(counters.dropped_for(airtcp_probe::DropReason::Policed) >= policed);
    let of_flow = run.replications[0].drops.iter().filter(|d| d.reason == "policed");
    assert_eq!(of_flow.map(|d| d.packets).sum::<u64>(), policed);
    // The other direction has no policer.
    assert!(!run.replications[0].links[1].drops.contains_key("policed"));
}

#[test]
fn a_shaper_carries_its_rate_and_queues_the_rest() {
    let (run, _) = run_both(&over(SHAPER, UDP), Counters::default());
    let link = &run.replications[0].links[0];
    assert!((link.delivered_bps * 30.0 - BITS).abs() <= 1500.0 * 8.0, "{}", link.delivered_bps);
    // The limit, 65,000 B, takes 65 ms at 8 Mb/s: 43 packets of 1.5 ms, less the tokens of the burst.
    assert_eq!(link.max_queue_packets, 43);
    let longest = link.queue_delay_max_s.unwrap();
    assert!((0.060..=0.066).contains(&longest), "{longest}");
    assert!(link.drops["queue_full"] > 0);
}

#[test]
fn tcp_uses_a_shaper_as_a_link_and_loses_to_a_policer() {
    let shaped = run_both(&over(SHAPER, "tcp = \"linux\""), Counters::default()).0;
    let policed = run_both(&over(POLICER, "tcp = \"linux\""), Counters::default()).0;
    let full = 8e6 * 1448.0 / 1500.0;
    let [shaped, policed] =
        [shaped, policed].map(|run| run.replications[0].total_goodput_bps / full);
    assert!(shaped > 0.97 && shaped < 1.001, "{shaped}");
    // A burst below the bandwidth-delay product of 20 kB, without a queue: losses at every window.
    assert!(policed > 0.3 && policed < shaped, "{policed}");
}

/// The shaper of a station: the air carries more.
#[test]
fn a_station_has_a_shaper() {
    let text = format!(
        r#"
        duration = "11 s"
        warmup = "1 s"
        [[cells]]
        rate = "54 Mb/s"
        layout = {{ kind = "star", stations = 1, radius_m = 5 }}
        propagation.path_loss = {{ model = "log-distance", exponent = 3.5, reference_loss_db = 46.67 }}
        {SHAPER}
        [[flows]]
        from = "sta0"
        to = "ap"
        {UDP}
    "#
    );
    let run = run_first(&text);
    let expected = 8e6 * 1472.0 / 1500.0;
    assert!((run.total_goodput_bps / expected - 1.0).abs() < 0.002, "{}", run.total_goodput_bps);
}

#[test]
fn a_bucket_smaller_than_a_packet_is_refused() {
    for (link, key) in [
        ("policer = { rate = \"8 Mb/s\", burst = \"1499 B\" }", "policer.burst"),
        ("queue = { kind = \"tbf\", rate = \"8 Mb/s\", burst = \"1499 B\" }", "queue.burst"),
        ("reverse.policer = { rate = \"8 Mb/s\", burst = \"79 B\" }", "reverse.policer.burst"),
    ] {
        let plan = crate::common::plan(&over(link, "tcp = \"linux\""));
        let error =
            airtcp_sim::run(&plan, &no_traces, Some(1), |_, _| true).unwrap_err().to_string();
        assert!(error.contains(key) && error.contains("never pass"), "{error}");
    }
}

/// The first window of ten segments leaves at one instant: the loss of its super-segment takes all of them. The SYN is
/// the first packet.
#[test]
fn a_loss_takes_the_first_window() {
    let script = "loss = { model = \"script\", drop = [1], only = \"data\" }";
    let lost = |unit: &str| {
        let text = over(&format!("{script}\nloss_unit = \"{unit}\""), "tcp = \"linux\"");
        let text = text.replace("warmup = \"1 s\"", "");
        run_with(&text, 1).replications[0].links[0].drops["loss"]
    };
    assert_eq!([lost("packet"), lost("super-segment")], [1, 10]);
}

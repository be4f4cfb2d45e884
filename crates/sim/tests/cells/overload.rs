//! Short cuts change nothing: for offered load that a cell cannot carry, and for the packets of an aggregate, which is
//! filled and taken in one go. A run without a probe equals one with a probe, which takes none of them.

use airtcp_probe::{EventSource, Probe};
use airtcp_units::Nanos;
use proptest::prelude::*;

use crate::common::run_both;

/// Turns the plain paths on.
struct Watch;

impl Probe for Watch {
    const ON: bool = true;
    fn record(&mut self, _: Nanos, _: EventSource, _: &airtcp_probe::Event) {}
}

/// Compares both paths. Returns how many packets the queues dropped.
fn compare(text: &str) -> u64 {
    let (result, Watch) = run_both(text, Watch);
    let cells = result.replications.iter().flat_map(|r| &r.cells);
    cells.flat_map(|cell| &cell.stations).map(|station| station.queue_drops).sum()
}

fn cells() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "standard = \"802.11b\"",
        "standard = \"802.11g\"\nmac.lifetime = \"20 ms\"",
        "standard = \"802.11a\"\nresidual_error = 0.1",
        "standard = \"802.11a\"\nmac.access = \"edca\"",
        "standard = \"802.11n\"\nmac.hardware_queue = 30",
        "standard = \"802.11ac\"\nresidual_error = 0.2",
        "standard = \"802.11ac\"\nmac.lifetime = \"5 ms\"\nmac.aggregation.density = \"8 us\"",
        "standard = \"802.11ac\"\nmac.access = \"edca\"\nmac.aggregation.max_amsdu_bytes = \"4000 B\"",
        "standard = \"802.11n\"\nmac.rts_threshold = \"500 B\"\nmac.aggregation.after_missed_block_ack = \"bar\"",
        "standard = \"802.11ac\"\nmac.ablation.speed = 2.0",
        "standard = \"802.11ax\"\naccess_point_queue.kind = \"airtime-fair\"",
        "standard = \"802.11ax\"\nmac.ofdma = {}\naccess_point_queue.kind = \"airtime-fair\"",
    ])
}

fn queues() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "queue = { kind = \"drop-tail\", packets = 3 }",
        "queue = { kind = \"drop-tail\", packets = 50 }",
        "queue = { kind = \"drop-tail\", bytes = \"700 B\" }",
        "queue = { kind = \"red\", limit = 20, min = 3.0, max = 9.0 }",
        "queue = { kind = \"fq-codel\", limit = 40 }",
        "queue = { kind = \"codel\", limit = 40 }",
    ])
}

fn flows() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "transport = \"udp\"\napp = { kind = \"constant-rate\", rate = \"300 Mb/s\", message = \"1472 B\" }",
        "transport = \"udp\"\napp = { kind = \"constant-rate\", rate = \"9 Mb/s\", message = \"200 B\", arrivals = \"poisson\" }",
        "transport = \"udp\"\napp = { kind = \"on-off\", rate = \"200 Mb/s\", message = \"1000 B\", on = \"3 ms\", off = \"4 ms\" }",
        "tcp = \"linux\"",
        "app = { kind = \"request-response\", request = \"300 B\", response = \"30 kB\", think = \"0 s\" }",
    ])
}

prop_compose! {
    fn networks()(
        (seed, stations, cell, queue) in (0u32..1000, 1u32..4, cells(), queues()),
        flows in prop::collection::vec((flows(), 0u32..3, any::<bool>()), 1..5),
    ) -> String {
        let flows: Vec<String> = flows.into_iter().map(|(keys, station, down)| {
            let station = format!("sta{}", station % stations);
            let (from, to) = if down { ("ap", station.as_str()) } else { (station.as_str(), "ap") };
            format!("[[flows]]\nfrom = \"{from}\"\nto = \"{to}\"\n{keys}\n")
        }).collect();
        format!(
            "duration = \"60 ms\"\nwarmup = \"10 ms\"\nseed = {seed}\n\
             [[cells]]\n{cell}\n{queue}\n\
             layout = {{ kind = \"star\", stations = {stations}, radius_m = 5 }}\n{}",
            flows.concat()
        )
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn short_cuts_change_nothing(network in networks()) {
        compare(&network);
    }
}

/// Aggregates are long, with and without MPDUs that are lost and held back.
#[test]
fn long_aggregates_are_filled_in_one_go() {
    for keys in ["", "residual_error = 0.1"] {
        for (from, to) in [("sta*", "ap"), ("ap", "sta*")] {
            let text = format!(
                "duration = \"100 ms\"\n[[cells]]\nstandard = \"802.11ac\"\n{keys}\n\
                 layout = {{ kind = \"star\", stations = 2, radius_m = 5 }}\n\
                 [[flows]]\ncount = 2\nfrom = \"{from}\"\nto = \"{to}\"\ntransport = \"udp\"\n\
                 app = {{ kind = \"constant-rate\", rate = \"400 Mb/s\", message = \"1472 B\" }}\n"
            );
            let (result, Watch) = run_both(&text, Watch);
            let stations = result.replications[0].cells[0].stations.iter();
            let longest = stations.filter_map(|s| s.aggregate_mean_mpdus).fold(0.0, f64::max);
            assert!(longest > 20.0, "{longest} MPDUs");
        }
    }
}

/// Most packets are dropped.
#[test]
fn a_full_queue_drops_most_packets() {
    let dropped = compare(
        "duration = \"100 ms\"\n\
         [[cells]]\nstandard = \"802.11ac\"\nlayout = { kind = \"star\", stations = 2, radius_m = 5 }\n\
         queue = { kind = \"drop-tail\", packets = 50 }\n\
         [[flows]]\ncount = 2\nfrom = \"sta*\"\nto = \"ap\"\ntransport = \"udp\"\n\
         app = { kind = \"constant-rate\", rate = \"1 Gb/s\", message = \"1472 B\" }\n",
    );
    assert!(dropped > 5_000, "{dropped} packets dropped");
}

//! Chains of 802.11 hops: packets pass every node, packets are conserved, and what needs one hop to the
//! access point is refused.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may fail, and shows what it measured"
)]

use crate::common::{plan, run_first};
use airtcp_sim::results::Replication;

/// A chain without capture, as a scenario.
fn chain(stations: u32, seconds: u32, cell: &str, flow: &str) -> String {
    let top = format!("duration = \"{seconds} s\"\nwarmup = \"2 s\"");
    let cell = format!("capture = {{ model = \"none\" }}\n{cell}");
    crate::common::chain(stations, &top, "", &cell, flow)
}

fn data_sent(run: &Replication) -> Vec<u64> {
    let sent = |s: &airtcp_sim::results::StationResult| s.frames.get("data").map_or(0, |f| f.sent);
    run.cells[0].stations.iter().map(sent).collect()
}

const UDP: &str = "transport = \"udp\"\n\
                   app = { kind = \"constant-rate\", rate = \"100 kb/s\", message = \"1000 B\" }";

#[test]
fn every_node_forwards_every_packet() {
    let run = run_first(&chain(4, 12, "", UDP));
    let sent = data_sent(&run);
    println!("data frames {sent:?}, goodput {}", run.flows[0].goodput_bps);
    // 12.5 packets/s in ten seconds, over four hops.
    assert!((run.flows[0].goodput_bps - 100e3).abs() < 2e3);
    assert!(sent[..4].iter().all(|n| *n >= 124), "{sent:?}");
    assert_eq!(sent[4], 0);
    let stations = &run.cells[0].stations;
    assert_eq!(stations[4].distance_m, Some(200.0), "to its neighbour");
}

/// A flow between two inner nodes leaves the others alone, and a flow against the order also passes.
#[test]
fn a_flow_passes_the_nodes_between_its_ends() {
    let text = chain(5, 6, "", UDP).replace("from = \"ap\"", "from = \"sta3\"");
    let run = run_first(&text.replace("to = \"sta4\"", "to = \"sta1\""));
    let sent = data_sent(&run);
    assert!((run.flows[0].goodput_bps - 100e3).abs() < 3e3);
    let senders: Vec<usize> = (0..6).filter(|i| sent[*i] > 0).collect();
    assert_eq!(senders, [3, 4], "sta3 and sta2");
}

#[test]
fn with_one_station_a_chain_is_a_cell() {
    let text = chain(1, 6, "", "");
    let star = text.replace("hops = \"chain\"", "");
    let (chain, star) = (run_first(&text), run_first(&star));
    assert_eq!(chain.fingerprint, star.fingerprint);
}

/// Packets are conserved with TCP both ways over losses, queue drops and retry limits.
#[test]
fn packets_are_conserved() {
    for (h, cell) in [
        (3, ""),
        (8, "mac.rts_threshold = \"0 B\""),
        (
            5,
            "mac = { access = \"edca\", txop_limits = \"zero\" }\nschemes = [{ scheme = \"ftca\" }]",
        ),
        (5, "mac.fragmentation_threshold = \"500 B\""),
        (5, "schemes = [{ scheme = \"dcf+\" }]"),
        (4, "rate_control = { control = \"arf\" }"),
        (4, "mac.lifetime = \"50 ms\"\nresidual_error = \"5 %\""),
    ] {
        let text = chain(h, 10, cell, "tcp = { mss = 1000 }");
        let text = if cell.contains("arf") { text.replace("rate = \"2 Mb/s\"", "") } else { text };
        let more = format!("{text}\n[[flows]]\nfrom = \"sta*\"\nto = \"ap\"\ncount = {h}\n");
        // `run_first` checks the conservation.
        let run = run_first(&more);
        println!("{h} hops, {cell}: {:.3} Mb/s", run.total_goodput_bps / 1e6);
        assert!(run.total_goodput_bps > 50e3, "{cell}: {}", run.total_goodput_bps);
    }
}

/// A flow of a wired link enters the chain at the access point.
#[test]
fn a_link_ends_at_a_chain() {
    let text = chain(3, 6, "", UDP).replace("from = \"ap\"", "from = \"server\"");
    let link = "[[links]]\nfrom = \"server\"\nto = \"ap\"\nrate = \"10 Mb/s\"\ndelay = \"5 ms\"\n";
    let run = run_first(&format!("{text}\n{link}"));
    assert!((run.flows[0].goodput_bps - 100e3).abs() < 3e3);
}

#[test]
fn what_needs_the_access_point_is_refused() {
    for (cell, wanted) in [
        ("mac = { beacons = {}, association = {} }", "mac.association"),
        ("mac.access = \"edca\"\nschemes = [{ scheme = \"tap\" }]", "schemes[0] (\"tap\")"),
        (
            "mac.access = \"edca\"\nschemes = [{ scheme = \"leith-clifford\" }]",
            "\"leith-clifford\"",
        ),
        ("schemes = [{ scheme = \"ack-agent\" }]", "\"ack-agent\""),
        ("schemes = [{ scheme = \"eln\" }]", "\"eln\""),
        ("schemes = [{ scheme = \"per-station\", controller = {} }]", "\"per-station\""),
        ("stations = [{ name = \"sta0\", rate = \"1 Mb/s\" }]", "stations[0].rate"),
    ] {
        let text = chain(3, 6, cell, "");
        let error = airtcp_scenario::read(&text, "test", &[])
            .and_then(|scenario| scenario.resolve())
            .unwrap_err()
            .to_string();
        assert!(error.contains("cells[0].hops"), "{error}");
        assert!(error.contains(wanted) && error.contains("leave out"), "{error}");
    }
}

#[test]
fn a_gap_in_the_chain_is_a_warning() {
    assert!(airtcp_sim::warnings(&plan(&chain(3, 6, "", ""))).is_empty());
    let wide = chain(3, 6, "", "").replace("spacing_m = 200", "spacing_m = 300");
    let found = airtcp_sim::warnings(&plan(&wide));
    assert!(found[0].contains("out of the range of the previous node"), "{found:?}");
    assert!(found[0].contains("300.0 m away"), "{found:?}");
}

/// The example and the changes that its comment names.
#[test]
fn the_example_runs() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/wifi-chain.toml");
    let text = std::fs::read_to_string(folder).unwrap();
    assert!(text.lines().count() <= 25);
    let sets = text.lines().filter_map(|line| line.split("--set '").nth(1));
    let sets: Vec<(String, String)> = sets
        .map(|set| set.trim_end_matches('\'').split_once('=').unwrap())
        .map(|(path, value)| (path.to_owned(), value.to_owned()))
        .collect();
    assert_eq!(sets.len(), 3);
    let short = [("duration", "20 s"), ("replications", "1")];
    let short = short.map(|(path, value)| (path.to_owned(), value.to_owned()));
    for set in [None].into_iter().chain(sets.into_iter().map(Some)) {
        let settings: Vec<_> = short.iter().cloned().chain(set).collect();
        let scenario = airtcp_scenario::read(&text, "wifi-chain.toml", &settings).unwrap();
        let plan = scenario.resolve().unwrap();
        assert!(airtcp_sim::warnings(&plan).is_empty());
        let run = airtcp_sim::run(&plan, &crate::common::no_traces, Some(1), |_, _| true).unwrap();
        let goodput = run.replications[0].total_goodput_bps;
        println!("{:?}: {:.0} kb/s", settings.get(2), goodput / 1e3);
        assert!(run.replications[0].conservation.ok && goodput > 100e3);
    }
}

//! TCP small queues at Wi-Fi stations: a station completes a packet when its frame is acknowledged or given up.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use airtcp_probe::{Event, EventSource, Probe};
use airtcp_sim::results::Replication;
use airtcp_units::Nanos;

use crate::common::{run_both, run_first};

/// An upload of one station.
fn upload(cell: &str, tcp: &str) -> Replication {
    run_first(&format!(
        r#"
        duration = "8 s"
        warmup = "3 s"
        [[cells]]
        layout = {{ kind = "star", stations = 1, radius_m = 2 }}
        queue = {{ kind = "drop-tail", packets = 1000 }}
        {cell}
        [[links]]
        from = "ap"
        to = "server"
        rate = "1 Gb/s"
        delay = "10 ms"
        [[flows]]
        from = "sta0"
        to = "server"
        tcp = {{ {tcp} }}
        "#
    ))
}

const N20: &str = "standard = \"802.11n\"\nmcs = 7\nwidth = \"20 MHz\"";

const N: &str = "standard = \"802.11n\"\nmcs = 7\nstreams = 2\nwidth = \"40 MHz\"";

/// With a millisecond of the pacing rate BBR has short aggregates and less goodput, with 8 ms (mac80211) nearly what it has
/// without a limit, at a third of the queue.
#[test]
fn the_pacing_shift_decides_the_length_of_aggregates() {
    let of = |tcp: &str| {
        let run = upload(N20, &format!("profile = \"linux\", congestion = \"bbr1\", {tcp}"));
        let sta = run.cells[0].stations.iter().find(|s| s.name == "sta0").unwrap();
        (sta.aggregate_mean_mpdus.unwrap(), run.flows[0].goodput_bps, sta.mean_queue_packets)
    };
    let [wire, wifi, default, off] =
        ["pacing_shift = 10", "pacing_shift = 7", "", "tsq = false"].map(of);
    assert_eq!(wifi, default);
    assert!(wire.0 < wifi.0 / 2.0 && wire.1 < wifi.1, "{wire:?} {wifi:?}");
    assert!(wifi.0 < off.0 && wifi.1 > 0.95 * off.1 && wifi.2 < off.2 / 3.0, "{wifi:?} {off:?}");
}

/// After each BlockAck the station has room for what the limit allows, and all of it is in the next aggregate: with a
/// fixed limit of 22.8 kB 10 packets of 2280 B, and then a unit of 2.
#[test]
fn an_aggregate_has_what_a_fixed_limit_allows() {
    let tcp = "profile = \"linux\", congestion = \"cubic\", tsq = \"22800 B\", pacing_shift = 30";
    let run = upload(N20, tcp);
    let mean = run.cells[0].stations[1].aggregate_mean_mpdus.unwrap();
    assert!((11.5..=12.0).contains(&mean), "{mean}");
}

/// A flow that only crosses the access point has no device there, and a profile without the rule none at all.
#[test]
fn only_the_first_hop_limits() {
    let down = |tcp: &str| {
        run_first(&format!(
            r#"
            duration = "3 s"
            [[cells]]
            layout = {{ kind = "star", stations = 1, radius_m = 2 }}
            {N}
            [[links]]
            from = "ap"
            to = "server"
            rate = "1 Gb/s"
            delay = "10 ms"
            [[flows]]
            from = "server"
            to = "sta0"
            tcp = {{ profile = "linux", {tcp} }}
            "#
        ))
    };
    assert_eq!(down("").fingerprint, down("tsq = false").fingerprint);
    let rfc = upload(N, "profile = \"rfc\"").fingerprint;
    assert_eq!(rfc, upload(N, "profile = \"rfc\", tsq = false").fingerprint);
}

#[derive(Default)]
struct Sees(u64);

impl Probe for Sees {
    const ON: bool = true;
    fn record(&mut self, _: Nanos, _: EventSource, _: &Event) {
        self.0 += 1;
    }
}

/// Transfers end, however stations lose their packets, with the same bits with and without a probe.
#[test]
fn transfers_end() {
    let n = "standard = \"802.11n\"\nmcs = 4";
    let cells = [
        "standard = \"802.11b\"".to_owned(),
        "standard = \"802.11g\"\nmac = { access = \"edca\" }".to_owned(),
        n.to_owned(),
        // Drops of the queue.
        format!("{n}\nqueue = {{ kind = \"drop-tail\", packets = 3 }}"),
        format!("{n}\nqueue = {{ kind = \"fq-codel\" }}"),
        // Packets between queue and station.
        format!("{n}\nmac.hardware_queue = 2"),
        // Packets that are given up, or expire.
        format!("{n}\nresidual_error = 0.3\nmac.attempts = 2"),
        // Several packets in an MPDU.
        format!("{n}\nmac.aggregation.max_amsdu_bytes = \"4000 B\""),
        "standard = \"802.11ax\"\nmcs = 5\nmac.ofdma = { uplink = true }".to_owned(),
    ];
    for cell in cells {
        let text = format!(
            r#"
            duration = "60 s"
            [[cells]]
            layout = {{ kind = "star", stations = 3, radius_m = 2 }}
            {cell}
            [[flows]]
            count = 3
            from = "sta*"
            to = "ap"
            tcp = {{ profile = "linux", pacing_shift = 10 }}
            app = {{ kind = "bulk", size = "400 kB" }}
            [[flows]]
            from = "ap"
            to = "sta1"
            tcp = "linux"
            app = {{ kind = "bulk", size = "400 kB" }}
            "#
        );
        let (result, _) = run_both(&text, Sees::default());
        for flow in &result.replications[0].flows {
            assert!(flow.completion_s.is_some(), "{cell}");
        }
    }
}

/// A proxy that splits the connection has sockets of its own; the station's limit ends at its access point.
#[test]
fn schemes_at_the_access_point_go_on() {
    for scheme in ["split-tcp", "snoop", "eln"] {
        let run =
            upload(&format!("{N}\nschemes = [{{ scheme = \"{scheme}\" }}]"), "profile = \"linux\"");
        assert!(run.flows[0].goodput_bps > 10e6, "{scheme}: {}", run.flows[0].goodput_bps);
    }
}

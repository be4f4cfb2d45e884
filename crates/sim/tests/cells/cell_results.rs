//! Results of cells: positions, estimates, and warnings about stations out of range.
#![allow(clippy::unwrap_used, clippy::float_cmp, reason = "a test may fail; sums are exact")]

use crate::common::{run_first, run_with};

const STAR: &str = r#"
duration = "2 s"
warmup = "500 ms"
replications = 3
[[cells]]
layout = { kind = "star", stations = 3, radius_m = 5 }
propagation.path_loss = { model = "log-distance", exponent = 3.5, reference_loss_db = 46.67 }
noise.floor_dbm = -99
residual_error = "1 %"
[[flows]]
count = 3
from = "sta*"
to = "ap"
tcp = { profile = "s0", mss = 536 }
"#;

#[test]
fn stations_have_places_goodput_and_airtime() {
    let result = run_with(STAR, 1);
    assert!(result.warnings.is_empty(), "{:?}", result.warnings);
    for run in &result.replications {
        let [ap, stations @ ..] = run.cells[0].stations.as_slice() else { panic!() };
        assert_eq!((ap.distance_m, ap.snr_db), (None, None));
        assert!((ap.goodput_to_bps - run.total_goodput_bps).abs() < 1e-6);
        for (station, flow) in stations.iter().zip(&run.flows) {
            assert!((station.distance_m.unwrap() - 5.0).abs() < 1e-9);
            // 46.67 + 35 log10 5 = 71.134 dB of loss.
            let snr = 18.0 - 71.134 + 99.0;
            assert!((station.snr_db.unwrap() - snr).abs() < 1e-3, "{:?}", station.snr_db);
            assert_eq!(station.hidden_stations, 0);
            assert!((station.goodput_from_bps - flow.goodput_bps).abs() < 1e-6);
            let shares: f64 = station.frames.values().map(|f| f.airtime_share).sum();
            assert!((station.airtime_share - shares).abs() < 1e-12);
        }
        let most = run.flows.iter().map(|f| f.goodput_bps).fold(0.0, f64::max);
        let least = run.flows.iter().map(|f| f.goodput_bps).fold(f64::MAX, f64::min);
        assert_eq!(run.max_difference_bps, Some(most - least));
    }
}

#[test]
fn throughput_of_a_flow_at_each_layer() {
    let wire = r#"
        [[links]]
        from = "ap"
        to = "server"
        rate = "100 Mb/s"
        delay = "5 ms"
        [[flows]]
        from = "ap"
        to = "server"
        tcp = { profile = "s0", mss = 536 }
        [[flows]]
        from = "server"
        to = "sta2"
        tcp = { profile = "s0", mss = 536 }
    "#;
    let result = run_with(&format!("{STAR}{wire}"), 1);
    for run in &result.replications {
        for (i, flow) in run.flows.iter().enumerate() {
            let ip = flow.ip_delivered_bps;
            // Every segment is full: 536 B of payload in packets of 576 B, duplicates included.
            let payload = ip * 536.0 / 576.0;
            assert!(payload > 0.9 * flow.goodput_bps, "{payload} {flow:?}");
            if let Some(mac) = flow.mac_delivered_bps {
                // Frames of 612 B, one hop on the air whatever the rest of the path.
                assert!((mac / ip - 612.0 / 576.0).abs() < 2e-3, "{mac} {ip}");
            } else {
                assert_eq!(i, 3, "only the wired flow has none");
                assert!((payload / flow.goodput_bps - 1.0).abs() < 1e-3, "{payload} {flow:?}");
            }
        }
    }
}

#[test]
fn estimates_are_of_the_replications() {
    let result = run_with(STAR, 1);
    let cell = &result.summary.cells[0];
    let n = result.replications.len() as f64;
    let mean = |of: &dyn Fn(usize) -> f64| (0..3).map(of).sum::<f64>() / n;
    let near = |e: &airtcp_sim::Estimate, expected: f64| {
        let mean = e.mean.unwrap();
        assert!((mean - expected).abs() <= 1e-9 * expected.abs(), "{mean} {expected}");
        assert!(e.ci_low.unwrap() <= mean && mean <= e.ci_high.unwrap());
    };
    let run = |r: usize| &result.replications[r].cells[0];
    near(&cell.quantities["busy_share"], mean(&|r| run(r).busy_share));
    let station = &cell.stations[2];
    assert_eq!(station.name, "sta1");
    let frames = |r: usize, class: &str| run(r).stations[2].frames[class].clone();
    // A share is one of all frames of the replications together.
    let total = |of: &dyn Fn(usize) -> u64| (0..3).map(of).sum::<u64>() as f64;
    let lost = total(&|r| frames(r, "data").lost.values().sum());
    near(&station.quantities["data_error_rate"], lost / total(&|r| frames(r, "data").sent));
    near(
        &station.quantities["attempts_mean"],
        mean(&|r| run(r).stations[2].attempts_mean.unwrap()),
    );
    assert!(!station.quantities.contains_key("x_m"));
    // The error rate of a cell is over all frames together, and the causes add up to it.
    let all = |of: &dyn Fn(&airtcp_sim::results::FrameResult) -> u64| {
        let stations = result.replications.iter().flat_map(|run| &run.cells[0].stations);
        stations.filter_map(|s| s.frames.get("data")).map(of).sum::<u64>() as f64
    };
    let lost = all(&|frames| frames.lost.values().sum());
    near(&cell.quantities["data_error_rate"], lost / all(&|frames| frames.sent));
    let causes: f64 = cell.lost["data"].values().filter_map(|e| e.mean).sum();
    let whole = cell.quantities["data_error_rate"].mean.unwrap();
    // A cause that a replication lacks counts as 0 there, unless no frame was sent.
    assert!((causes - whole).abs() < 1e-9, "{causes} {whole}");
    assert!(cell.quantities["tcp_ack_sent"].mean.unwrap() > 0.0);
}

/// Two stations at 20 m from the access point on opposite sides: over 40 m, -84.7 dBm arrive, below the
/// threshold of -82 dBm.
#[test]
fn hidden_stations_are_counted() {
    let line = "{ kind = \"positions\", stations = [[-20, 0], [20, 0], [20, 5]] }";
    let text = STAR.replace(r#"{ kind = "star", stations = 3, radius_m = 5 }"#, line);
    let run =
        &run_with(&text.replace("[[flows]]", "rate = \"6 Mb/s\"\n[[flows]]"), 1).replications[0];
    let hidden: Vec<u32> = run.cells[0].stations.iter().map(|s| s.hidden_stations).collect();
    assert_eq!(hidden, [0, 2, 1, 1]);
}

#[test]
fn stations_out_of_range_give_warnings() {
    let with = |layout: &str| {
        let star = r#"{ kind = "star", stations = 3, radius_m = 5 }"#;
        assert!(STAR.contains(star));
        run_with(&STAR.replace(star, layout), 1).warnings
    };
    // 18 - 46.67 - 35 log10 500 = -123.13 dBm, below the sensitivity of -82 dBm.
    let far = with(r#"{ kind = "star", stations = 3, radius_m = 500 }"#);
    assert_eq!(far.len(), 1);
    for part in ["cells[0]", "\"ap\" is out of everyone's range", "-123.1 dBm (margin -41.1 dB)"] {
        assert!(far[0].contains(part), "{part}: {}", far[0]);
    }
    // At 29 m, -79.8 dBm: above the sensitivity, but not enough for 54 Mb/s over noise of -99 dBm.
    let some = with(r#"{ kind = "positions", stations = [[5, 0], [29, 0], [0, 5]] }"#);
    for part in ["1 of 3 stations are too weak for 54 Mb/s", "\"sta1\" is 29.0 m away"] {
        assert!(some[0].contains(part), "{part}: {}", some[0]);
    }
    // With the path loss "ranges", the warning names no powers.
    let ranges = STAR.replace("radius_m = 5", "radius_m = 300").replace(
        r#"{ model = "log-distance", exponent = 3.5, reference_loss_db = 46.67 }"#,
        r#"{ model = "ranges" }"#,
    );
    let warning = run_with(&ranges, 1).warnings.remove(0);
    assert!(warning.contains("up to 250 m") && !warning.contains("dBm"), "{warning}");
}

/// The airtime of data frames is that of their senders, and that of their receivers.
#[test]
fn airtime_is_counted_at_both_ends() {
    for (mac, standard) in [("", "802.11g"), ("", "802.11n"), ("mac.ablation.speed = 2", "802.11n")]
    {
        let run = run_first(&format!(
            "duration = \"2 s\"\nwarmup = \"500 ms\"\n[[cells]]\nstandard = \"{standard}\"\n{mac}\n\
             layout = {{ kind = \"disc\", stations = 3, radius_m = 20 }}\n\
             [[flows]]\nfrom = \"sta0\"\nto = \"ap\"\n[[flows]]\nfrom = \"ap\"\nto = \"sta1\"\n\
             [[flows]]\nfrom = \"ap\"\nto = \"sta2\"\n"
        ));
        let [ap, stations @ ..] = run.cells[0].stations.as_slice() else { panic!("no stations") };
        let sent = |station: &airtcp_sim::results::StationResult| -> f64 {
            let classes = ["data", "tcp_ack"].iter().filter_map(|class| station.frames.get(*class));
            classes.map(|frames| frames.airtime_share).sum()
        };
        let up: f64 = stations.iter().map(sent).sum();
        let down: f64 = stations.iter().map(|s| s.airtime_received_share).sum();
        assert!((ap.airtime_received_share - up).abs() < 1e-6, "{standard} {mac}: {up}");
        assert!((sent(ap) - down).abs() < 1e-6, "{standard} {mac}: {down}");
        assert!(stations[1].airtime_received_share > 0.05 && up > 0.01);
    }
}

//! The table `without`: parts that a run leaves out change nothing else.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use airtcp_sim::results::Replication;

use crate::common::run_with;

const HOME: &str = "[[cells]]\nname = \"home\"\nstandard = \"802.11n\"\nchannel = 36\nwidth = \"20 MHz\"\n\
    layout = { kind = \"disc\", stations = 4, radius_m = 8 }\n\
    propagation = { path_loss = { model = \"log-distance\", exponent = 3.5 }, shadowing_db = 4 }\n";
const OTHER: &str = "[[cells]]\nname = \"other\"\naccess_point = \"bp\"\nprefix = \"b\"\ncenter = [5, 5]\n\
    standard = \"802.11n\"\nchannel = 36\nwidth = \"20 MHz\"\nmac.beacons = {}\n\
    layout = { kind = \"star\", stations = 1 }\n\
    propagation = { path_loss = { model = \"log-distance\", exponent = 3.5 }, shadowing_db = 4 }\n";
const UP: &str = "[[flows]]\nname = \"up\"\nfrom = \"sta*\"\nto = \"ap\"\ncount = 4\nstart_spread = \"200 ms\"\n";
const NEXT: &str = "[[flows]]\nname = \"next\"\nfrom = \"b0\"\nto = \"bp\"\n";

fn call(kind: &str) -> String {
    format!("[[flows]]\nname = \"call\"\nfrom = \"ap\"\nto = \"sta0\"\n{kind}\n")
}

fn runs(top: &str, parts: &[&str]) -> Vec<Replication> {
    let top = format!("duration = \"1500 ms\"\nwarmup = \"300 ms\"\nreplications = 2\n{top}\n");
    run_with(&(top + &parts.concat()), 2).replications
}

/// A flow that never starts is as one that is not in the file, whatever its application, but keeps its place.
#[test]
fn a_flow_taken_out_is_as_one_that_is_not_there() {
    let udp = "transport = \"udp\"\napp = { kind = \"constant-rate\", rate = \"3 Mb/s\", message = \"800 B\", \
               stop = \"1 s\" }";
    let asks = "app = { kind = \"request-response\", request = \"200 B\", response = \"20 kB\" }";
    let expected = runs("", &[HOME, UP]);
    for kind in
        ["", udp, asks, "transport = \"sliding\"", "transport = \"tfrc\"", "transport = \"lt-tcp\""]
    {
        let call = call(kind);
        let with = runs("", &[HOME, UP, &call]);
        let out = runs("without.flows = [\"call\"]", &[HOME, UP, &call]);
        for ((run, expected), with) in out.iter().zip(&expected).zip(&with) {
            assert_eq!(run.fingerprint, expected.fingerprint, "{kind}");
            assert_eq!(run.events, expected.events, "{kind}");
            assert_eq!(run.flows[..4], expected.flows[..]);
            assert_eq!((run.flows[4].name.as_str(), run.flows[4].delivered_bytes), ("call", 0));
            assert!(run.flows[4].goodput_bps.abs() < 1e-9 && with.flows[4].delivered_bytes > 0);
        }
    }
    // Also a flow in the middle of the file, and one of a count.
    let out = runs("without.flows = [\"up1\"]", &[HOME, UP]);
    for (run, before) in out.iter().zip(&expected) {
        assert_eq!(run.flows[1].segments_sent, 0);
        let others = |run: &Replication| -> u64 {
            [0, 2, 3].iter().map(|i| run.flows[*i].delivered_bytes).sum()
        };
        assert!(others(run) > others(before));
    }
}

/// A cell taken out is as one that is not in the file, whether it comes first or last.
#[test]
fn a_cell_taken_out_is_as_one_that_is_not_there() {
    let expected = runs("", &[HOME, UP]);
    for (cells, own) in [([HOME, OTHER], 0), ([OTHER, HOME], 1)] {
        let parts = [cells[0], cells[1], UP, NEXT];
        let with = runs("", &parts);
        let out = runs("without.cells = [\"other\"]", &parts);
        for ((run, expected), with) in out.iter().zip(&expected).zip(&with) {
            assert_eq!(run.flows[..4], expected.flows[..]);
            assert_eq!(run.cells[own].stations, expected.cells[0].stations);
            assert_eq!(run.flows[4].delivered_bytes, 0);
            // It sends no beacons.
            assert!(run.cells[1 - own].busy_share.abs() < 1e-12);
            assert!(with.cells[1 - own].busy_share > 0.1);
        }
    }
}

/// A station without its distance is 1 m from the access point in each replication, where the others stay.
#[test]
fn a_station_without_its_distance_is_near_and_the_others_stay() {
    let slow = HOME.replace("[[cells]]", "[[cells]]\nstations = [{ name = \"sta2\", mcs = 0 }]");
    let before = runs("", &[&slow, UP]);
    let after = runs("without.distance = [\"sta2\"]", &[&slow, UP]);
    let at = |run: &Replication| -> Vec<(f64, f64)> {
        run.cells[0].stations.iter().map(|s| (s.x_m, s.y_m)).collect()
    };
    assert_ne!(at(&before[0]), at(&before[1]));
    for (before, after) in before.iter().zip(&after) {
        let (mut then, mut now) = (at(before), at(after));
        assert!((now[3].0.hypot(now[3].1) - 1.0).abs() < 1e-9, "{now:?}");
        then.remove(3);
        now.remove(3);
        assert_eq!(then, now);
        let rates = |run: &Replication| -> Vec<Option<u8>> {
            run.cells[0].stations[3].rates.iter().map(|rate| rate.mcs).collect()
        };
        // Its own rate stays.
        assert_eq!((rates(before), rates(after)), (vec![Some(0)], vec![Some(0)]));
    }
}

/// A scenario in the results has the table, and runs again bit for bit.
#[test]
fn results_keep_the_table() {
    let text = format!("duration = \"1 s\"\nwithout.flows = [\"up0\"]\n{HOME}{UP}");
    let first = run_with(&text, 1);
    assert_eq!(first.scenario["without"], serde_json::json!({ "flows": ["up0"] }));
}

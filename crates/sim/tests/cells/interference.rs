//! Interferers in scenarios, from the text to the results.

#![allow(clippy::unwrap_used, reason = "tests panic on failure")]

use airtcp_scenario::read;
use airtcp_sim::results::Replication;
use airtcp_sim::run;

fn runs(text: &str) -> Result<Vec<Replication>, String> {
    let plan = read(text, "test", &[]).map_err(|e| e.to_string())?;
    let plan = plan.resolve().map_err(|e| e.to_string())?;
    let load = |_: &str| Err("no traces here".to_owned());
    let done = run(&plan, &load, Some(1), |_, _| true).map_err(|e| e.to_string())?;
    Ok(done.replications)
}

fn one(text: &str) -> Replication {
    runs(text).unwrap().remove(0)
}

/// S0's cell: a base station and one node, 802.11b at 11 Mb/s.
fn s0(interference: &str) -> String {
    format!(
        "duration = \"21 s\"\nwarmup = \"1 s\"\n[[cells]]\nstandard = \"802.11b\"\n\
         layout = {{ kind = \"star\", stations = 1, radius_m = 5 }}\nmac.attempts = 3\n{interference}\n\
         [[flows]]\nfrom = \"sta0\"\nto = \"ap\"\ntcp = {{ profile = \"s0\" }}\n"
    )
}

fn lost(run: &Replication, station: usize, class: &str, cause: &str) -> u64 {
    let frames = run.cells[0].stations[station].frames.get(class);
    frames.and_then(|f| f.lost.get(cause)).copied().unwrap_or(0)
}

/// An interferer that is never on changes no result, and neither does the order of interferers.
#[test]
fn an_interferer_never_on_changes_nothing() {
    let result = |interference: &str| serde_json::to_string(&one(&s0(interference))).unwrap();
    let quiet = result("");
    for never in [
        "interference = []",
        "interference = [{ kind = \"periodic\", on = \"0 s\", heard_by = [\"ap\"] }]",
        "interference = [{ kind = \"bluetooth\", in_band = 0 }]",
        "noise.steps = [{ at = \"3 s\" }, { at = \"5 s\" }]",
    ] {
        assert_eq!(result(never), quiet, "{never}");
    }
    let capture = "{ kind = \"periodic\", reach.stations = [\"ap\"] }";
    let never = "{ kind = \"bluetooth\", in_band = 0 }";
    let alone = result(&format!("interference = [{capture}]"));
    assert_eq!(result(&format!("interference = [{capture}, {never}]")), alone);
    assert_ne!(alone, quiet);
}

/// S0's capture takes an eighth of the time, and TCP's goodput falls by more than that.
#[test]
fn a_capture_is_counted_by_cause() {
    let quiet = one(&s0(""));
    let run = one(&s0("interference = [{ kind = \"periodic\", reach.stations = [\"ap\"] }]"));
    assert!(run.conservation.ok, "{:?}", run.conservation);
    assert!(lost(&run, 1, "data", "interferer") > 0 && lost(&run, 0, "mac_ack", "interferer") == 0);
    assert_eq!(lost(&quiet, 1, "data", "interferer"), 0);
    assert!(run.total_goodput_bps < 0.9 * quiet.total_goodput_bps);
    assert!(run.flows[0].timeouts > quiet.flows[0].timeouts);
}

/// Bluetooth voice at the base station by S0's formula: a share PCR^K of the packets is lost after K
/// attempts.
#[test]
fn bluetooth_by_the_seeds_formula() {
    // UDP below the cell's capacity, so that the attempts of packets do not overlap.
    let text = |voice: &str, lambda: f64| {
        s0(&format!(
            "interference = [{{ kind = \"bluetooth\", voice = \"{voice}\", slots = \"independent\", \
             duty = {lambda}, in_band = 0.27, overlap = \"payload-slots\", reach.stations = [\"ap\"] }}]"
        ))
        .replace("tcp = { profile = \"s0\" }", "transport = \"udp\"\napp = { kind = \"constant-rate\", rate = \"3 Mb/s\", message = \"1472 B\" }")
    };
    for (voice, lambda, per) in [("HV1", 1.0, 0.019_683), ("HV3", 0.3, 0.000_531)] {
        let run = one(&text(voice, lambda));
        let station = &run.cells[0].stations[1];
        let data = &station.frames["data"];
        let hit = data.lost["interferer"] as f64 / data.sent as f64;
        let p = 0.27 * lambda;
        let deviation = (p * (1.0 - p) / data.sent as f64).sqrt();
        assert!((hit - p).abs() < 4.0 * deviation, "{voice} {hit}");
        let packets = 20.0 * 3e6 / 8.0 / 1472.0;
        let expected = packets * per;
        let drops = station.retry_drops as f64;
        assert!(
            (drops - expected).abs() < 4.0 * expected.sqrt() + 1.0,
            "{voice} {drops} {expected}"
        );
    }
}

#[test]
fn errors_name_the_place() {
    for (interference, start) in [
        (
            "interference = [{ kind = \"polling\" }, { kind = \"periodic\", reach.stations = [\"x\"] }]",
            "cells[0].interference[1].reach.stations: the cell has no node \"x\"",
        ),
        (
            "interference = [{ kind = \"radar\" }]",
            "test:7: cells[0].interference[0].kind: unknown value \"radar\"",
        ),
        (
            "interference = [{ kind = \"bluetooth\", voice = \"HV4\" }]",
            "test:7: cells[0].interference[0].voice: unknown value",
        ),
        (
            "noise.steps = [{ at = \"2 s\" }, { at = \"1 s\" }]",
            "cells[0].noise.steps: has times out of order",
        ),
    ] {
        let error = runs(&s0(interference)).unwrap_err();
        assert!(error.starts_with(start), "{error}");
    }
}

/// S4: below the cell's capacity, each interruption costs TCP one fast retransmit and no timeout. Above the
/// capacity, the queue of the access point overflows too.
#[test]
fn an_access_point_that_polls() {
    let text = include_str!("../../../../scenarios/polling-access-point.toml");
    let text = text.replace("replications = 5", "replications = 1");
    let drops = |run: &Replication| {
        let ap = &run.cells[0].stations[0];
        (ap.retry_drops, ap.queue_drops)
    };
    for rate in ["1 Mb/s", "3 Mb/s"] {
        let run = one(&text.replace("3 Mb/s", rate));
        let flow = &run.flows[0];
        // 58 s are measured.
        assert!((28..=30).contains(&flow.fast_retransmits), "{}", flow.fast_retransmits);
        assert_eq!(flow.timeouts, 0);
        let (retry, queue) = drops(&run);
        assert!(retry >= 28 && queue == 0, "{retry} {queue}");
        let quiet =
            one(&text.replace("3 Mb/s", rate).replace("polling\"", "polling\", on = \"0 s\""));
        assert_eq!((quiet.flows[0].retransmissions, drops(&quiet)), (0, (0, 0)));
    }
    let fast = drops(&one(&text.replace("3 Mb/s", "6 Mb/s")));
    assert!(fast.0 > 20 && fast.1 > 20, "{fast:?}");
}

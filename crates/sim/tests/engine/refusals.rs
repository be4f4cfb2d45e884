//! Scenarios that cannot run are refused before the run, with the path of the error.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::common::{no_traces, plan, run_first};
use airtcp_sim::run;
use airtcp_units::Outcomes;

fn refusal(text: &str) -> String {
    let refused = run(&plan(text), &no_traces, Some(1), |_, _| true).map(|_| ());
    refused.unwrap_err().located("test.toml", text).to_string()
}

fn over(link: &str, flow: &str) -> String {
    format!(
        "duration = \"2 s\"\n[[links]]\nfrom = \"a\"\nto = \"b\"\n{link}\n\
         [[flows]]\nfrom = \"a\"\nto = \"b\"\n{flow}\n"
    )
}

#[track_caller]
fn says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "\"{part}\" is not in: {message}");
    }
}

#[test]
fn a_flow_whose_path_takes_no_time() {
    let exchange = "app = { kind = \"request-response\", request = \"1 B\", response = \"1 B\" }";
    for flow in ["", "app = { kind = \"bulk\", size = \"1 MB\" }", exchange] {
        let message = refusal(&over("", flow));
        says(&message, &["test.toml", "links[0].delay", "\"flow0\"", "no time", "slot"]);
    }
    // One direction with a delay is enough, and a paced source needs none.
    let delay = "reverse = { delay = \"1 ms\" }";
    assert!(run_first(&over(delay, "")).flows[0].delivered_bytes > 0);
    let paced = "app = { kind = \"constant-rate\", rate = \"1 Mb/s\" }";
    assert!(run_first(&over("", paced)).flows[0].delivered_bytes > 0);
    // One link with a rate is enough too.
    let dumbbell = "duration = \"1 s\"\n[topology]\nkind = \"dumbbell\"\npairs = 1\naccess = {}\n\
                    bottleneck = { rate = \"1 Mb/s\" }\n[[flows]]\nfrom = \"s0\"\nto = \"r0\"\n";
    assert!(run_first(dumbbell).flows[0].delivered_bytes > 0);
}

#[test]
fn packets_that_do_not_fit_through() {
    let link = "delay = \"1 ms\"\nmtu = \"576 B\"\nreverse = { mtu = \"88 B\" }";
    let message = refusal(&over(link, ""));
    says(&message, &["test.toml:6", "links[0].mtu", "576 B", "mss = 1460", "at most 536"]);
    assert!(run_first(&over(link, "tcp = { mss = 536 }")).flows[0].delivered_bytes > 0);
    assert!(
        run_first(&over(link, "tcp = { mss = 536, timestamps = true }")).flows[0].delivered_bytes
            > 0
    );
    let small = "app = { kind = \"bulk\", size = \"100 B\" }";
    assert_eq!(run_first(&over(link, small)).flows[0].delivered_bytes, 100);
    let exchange = "tcp = { mss = 536 }\napp = { kind = \"request-response\", request = \"1 B\", response = \"1 kB\" }";
    says(&refusal(&over(link, exchange)), &["test.toml:7", "links[0].reverse.mtu", "at most 48"]);
    let udp = "transport = \"udp\"\napp = { kind = \"constant-rate\", rate = \"1 Mb/s\" }";
    says(&refusal(&over(link, udp)), &["links[0].mtu", "1028 B", "at most 548 B"]);
    says(&refusal(&over("delay = \"1 ms\"\nmtu = \"68 B\"", "")), &["at least 88 B"]);
}

#[test]
fn a_flow_without_a_path() {
    let more = "delay = \"1 ms\"\n[[links]]\nfrom = \"c\"\nto = \"d\"\ndelay = \"1 ms\"";
    let message = refusal(&over(more, "").replace("to = \"b\"\n\n", "to = \"d\"\n"));
    says(&message, &["flows", "\"a\"", "\"d\"", "\"flow0\""]);
}

#[test]
fn models_are_refused_at_their_keys() {
    let ge =
        |rest: &str| format!("loss = {{ model = \"gilbert-elliott\", slot = \"1 ms\", {rest} }}");
    let cases = [
        (ge("prr = 0.5, mu = -1.5"), "links[0].loss.mu", ["-1.5", "-1.000000", "1 (excluded)"]),
        (ge("prr = 0.5, mu = 1.0"), "links[0].loss.mu", ["1 is", "-1.000000", "1 (excluded)"]),
        (
            ge("mean_loss = 0.1, mean_burst = 0.5"),
            "links[0].loss.mean_burst",
            ["0.5", "burst", "1"],
        ),
        (ge("prr = 0.5"), "links[0].loss", ["prr and mu", "mean_good", "found prr"]),
        (
            "queue = { kind = \"drop-tail\", packets = 0 }".into(),
            "links[0].queue.packets",
            ["0", "0", "1"],
        ),
        (
            "queue = { kind = \"red\", min = 9.0, max = 3.0 }".into(),
            "links[0].queue.max",
            ["3", "9", "min"],
        ),
        (
            "reordering = { every = 0, extra = \"1 ms\" }".into(),
            "links[0].reordering.every",
            ["0", "1", "packet"],
        ),
    ];
    for (keys, path, parts) in cases {
        let message = refusal(&over(&format!("rate = \"1 Mb/s\"\n{keys}"), ""));
        says(&message, &["test.toml:6", path]);
        says(&message, &parts);
    }
    let chain = "[topology]\nkind = \"chain\"\nhops = 2\n[topology.link]\nrate = \"1 Mb/s\"\n\
                 queue = { kind = \"drop-tail\", packets = 0 }\n";
    says(&refusal(chain), &["test.toml:6", "topology.link.queue.packets"]);
}

#[test]
fn loss_differentiation_without_timestamps() {
    let link = "rate = \"1 Mb/s\"\ndelay = \"1 ms\"";
    let refused = |tcp: &str| {
        let text = over(link, &format!("tcp = {{ {tcp} }}"));
        let resolved = airtcp_scenario::read(&text, "test.toml", &[]).and_then(|s| s.resolve());
        resolved.map(|_| ()).unwrap_err().located("test.toml", &text).to_string()
    };
    let tcp = "loss_response = \"tp-lda\"";
    let message = refused(tcp);
    says(&message, &["test.toml:10", "loss_response", "`timestamps = true`", "\"ecn-only\""]);
    let accepted = over(link, &format!("tcp = {{ {tcp}, timestamps = true }}"));
    assert!(run_first(&accepted).flows[0].delivered_bytes > 0);
    let message = refused("loss_response = \"tplda\"");
    says(&message, &["test.toml", "loss_response", "\"tplda\"", "did you mean \"tp-lda\""]);
    let more = "timestamps = true, loss_differentiation = { threshold = 2 }";
    let message = refused(&format!("{tcp}, {more}"));
    says(&message, &["loss_differentiation", "threshold", "0 to below 1"]);
}

#[test]
fn a_later_replication_that_cannot_run() {
    let loss = "delay = \"1 ms\"\nslot = \"10 ms\"\nloss = { model = \"trace\", path = \"t\" }";
    let scenario = format!("replications = 3\n{}", over(loss, ""));
    // The file is read once for the check, then once per replication; the last read fails.
    let reads = AtomicU32::new(0);
    let load = |_: &str| {
        if reads.fetch_add(1, Ordering::Relaxed) < 3 {
            Ok(Arc::new(std::iter::repeat_n(true, 100).collect::<Outcomes>()))
        } else {
            Err("the file is gone".to_owned())
        }
    };
    let refused = run(&plan(&scenario), &load, Some(1), |_, _| true).map(|_| ());
    says(&refused.unwrap_err().to_string(), &["the file is gone"]);
}

/// Results of stations take memory for each replication.
#[test]
fn more_results_of_stations_than_memory_are_refused() {
    let text = "replications = 10000\n[[cells]]\nlayout = { kind = \"star\", stations = 500 }\n\
                [[flows]]\nfrom = \"sta0\"\nto = \"ap\"\n";
    let plan = crate::common::plan(text);
    let refused = airtcp_sim::prepare(&plan, &crate::common::no_traces).unwrap_err();
    assert_eq!(refused.path, "replications");
    for part in ["501 stations", "10000 replications", "GiB", "up to 4 GiB"] {
        assert!(refused.message.contains(part), "{}", refused.message);
    }
    let fewer = crate::common::plan(&text.replace("10000", "100"));
    assert!(airtcp_sim::prepare(&fewer, &crate::common::no_traces).is_ok());
}

/// Positions and names of stations come from a file beside the scenario.
#[test]
fn a_layout_is_read_from_its_file() {
    let folder = std::env::temp_dir().join(format!("airtcp-layout-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let text = "[[cells]]\nlayout = { kind = \"file\", path = \"places.csv\" }\n\
                [[flows]]\nfrom = \"desk\"\nto = \"ap\"\n";
    let read = |places: &str| {
        std::fs::write(folder.join("places.csv"), places).unwrap();
        let mut scenario = airtcp_scenario::read(text, "test", &[]).unwrap();
        scenario.read_files(&folder).map(|()| scenario)
    };
    let scenario = read("name,x_m,y_m\ndesk,3,4\nap,0,1\nshelf,-2,0\n").unwrap();
    assert_eq!(scenario.resolve().unwrap().nodes, ["ap", "desk", "shelf"]);
    let stored = serde_json::to_value(&scenario.cells[0].layout).unwrap();
    assert_eq!(stored["access_point"], serde_json::json!([0.0, 1.0]));
    let refused = read("desk,3,4\nshelf,five,0\n").unwrap_err();
    assert_eq!(refused.path, "cells[0].layout.path");
    assert!(refused.message.contains("\"places.csv\": line 2"), "{}", refused.message);
    std::fs::remove_file(folder.join("places.csv")).unwrap();
    let mut gone = airtcp_scenario::read(text, "test", &[]).unwrap();
    assert!(gone.read_files(&folder).unwrap_err().message.contains("places.csv"));
    // Resolving a scenario before reading its files is an error.
    assert!(gone.resolve().unwrap_err().message.contains("was not read"));
    std::fs::remove_dir_all(&folder).unwrap();
}

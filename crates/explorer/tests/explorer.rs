//! The explorer's answers equal those of the simulator, for the scenarios that ship.

use std::path::{Path, PathBuf};

use airtcp_explorer::answer;
use airtcp_study::{ExplainedRun, Explanation};
use serde_json::{Value, json};

/// Asks and reads the answer.
fn ask(request: &Value) -> Value {
    serde_json::from_str(&answer(&request.to_string())).expect("JSON")
}

/// The scenarios that ship, with names and texts.
fn shipped() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.is_file())
        .collect();
    paths.sort();
    let named = |path: &PathBuf| {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).expect("text"))
    };
    paths.iter().map(named).collect()
}

/// A text with a shorter run.
fn short(text: &str) -> String {
    let set = json!([["duration", "\"3 s\""], ["warmup", "\"500 ms\""], ["replications", "2"]]);
    let answer = ask(&json!({"do": "edit", "text": text, "set": set}));
    answer["text"].as_str().expect("a text").to_owned()
}

/// Runs a text in pieces of `events` events; returns its series and document.
fn in_pieces(text: &str, events: u64) -> Value {
    let begun = ask(&json!({"do": "begin", "text": text, "name": "a.toml"}));
    assert_eq!(begun, json!({}));
    let mut reached = 0.0;
    loop {
        let step = ask(&json!({"do": "step", "events": events}));
        let progress = step["progress"].as_f64().unwrap_or_else(|| panic!("{step}"));
        assert!((reached..=1.0).contains(&progress), "{progress} after {reached}");
        reached = progress;
        if step["done"] == true {
            break;
        }
        assert!(ask(&json!({"do": "series"}))["series"].is_object());
    }
    let series = ask(&json!({"do": "series"}));
    json!({"series": series["series"], "document": ask(&json!({"do": "document"}))})
}

/// The document of the simulator, whose replications run on two threads without a probe. Nobody asks it why.
fn whole(text: &str) -> Value {
    let plan =
        airtcp_scenario::read(text, "a.toml", &[]).expect("a scenario").resolve().expect("a plan");
    let none = |_: &str| Err(String::new());
    let run = airtcp_sim::run(&plan, &none, Some(2), |_, _| true).expect("a run");
    let explanation = Explanation::not_asked();
    serde_json::to_value(ExplainedRun { run, explanation }).expect("JSON")
}

#[test]
fn a_run_in_pieces_equals_the_whole_run() {
    for (name, text) in shipped() {
        if name == "single-hop-trace" {
            continue;
        }
        let text = short(&text);
        let finished = in_pieces(&text, 1777);
        assert_eq!(finished["document"], whole(&text), "{name}");
        assert_eq!(finished["document"]["interrupted"], false);
    }
}

/// The bytes of the intervals add up to the bytes that the result counts.
#[test]
fn goodput_over_time_adds_up() {
    for name in ["bursty-link", "dumbbell", "wifi-star", "four-hops", "udp-mix"] {
        let text = shipped().into_iter().find(|(other, _)| *other == name).unwrap().1;
        let text = short(&text).replace("warmup = \"500 ms\"", "warmup = \"0 s\"");
        let finished = in_pieces(&text, 20_000);
        let goodput = &finished["series"]["goodput"];
        let interval = goodput["interval_s"].as_f64().unwrap();
        let flows = finished["document"]["replications"][0]["flows"].as_array().unwrap();
        for (series, flow) in goodput["flows"].as_array().unwrap().iter().zip(flows) {
            let bps = series["bps"].as_array().unwrap().iter();
            let bytes: f64 = bps.map(|bps| bps.as_f64().unwrap() * interval / 8.0).sum();
            let counted = flow["delivered_bytes"].as_f64().unwrap();
            assert!((bytes - counted).abs() < 1.0, "{name} {flow}: {bytes}");
            assert_eq!(series["flow"], flow["name"]);
        }
    }
}

/// The scenario that a result stores opens as a shorter text that gives the same run.
#[test]
fn the_scenario_of_a_result_opens() {
    for (name, text) in shipped() {
        if name == "single-hop-trace" {
            continue;
        }
        let described = ask(&json!({"do": "describe", "text": text, "name": "a.toml"}));
        let stored = described["scenario"].to_string();
        for form in [stored, json!({"scenario": described["scenario"]}).to_string()] {
            let opened = ask(&json!({"do": "open", "text": form}));
            let opened = opened["text"].as_str().unwrap_or_else(|| panic!("{name}: {opened}"));
            let again = ask(&json!({"do": "describe", "text": opened, "name": "b.toml"}));
            assert_eq!(again["scenario"], described["scenario"], "{name}: {opened}");
            // A result stores each hop, and each link of a topology.
            let expanded = text.contains("hops") || text.contains("[topology]");
            assert!(expanded || opened.len() < 2 * text.len(), "{name} is long: {opened}");
        }
    }
}

#[test]
fn a_new_run_replaces_the_old_one() {
    let text = short(&shipped().into_iter().find(|(name, _)| name == "lossy-link").unwrap().1);
    ask(&json!({"do": "begin", "text": text, "name": "a.toml"}));
    ask(&json!({"do": "step", "events": 100}));
    assert_eq!(in_pieces(&text, 50_000)["document"], whole(&text));
    let refused = ask(&json!({"do": "begin", "text": "nonsense", "name": "a.toml"}));
    assert!(refused["error"].is_object());
}

/// A run that is stopped keeps the replications that are finished, which are those of a shorter run.
#[test]
fn a_stopped_run_keeps_what_is_finished() {
    let no_run = ask(&json!({"do": "document"}));
    assert!(no_run["error"]["message"].as_str().unwrap().contains("no run"));
    let text = short(&shipped().into_iter().find(|(name, _)| *name == "lossy-link").unwrap().1);
    let text = text.replace("replications = 2", "replications = 5");
    ask(&json!({"do": "begin", "text": text, "name": "a.toml"}));
    let nothing = ask(&json!({"do": "document"}));
    assert_eq!(
        (nothing["interrupted"].as_bool(), &nothing["replications"]),
        (Some(true), &json!([]))
    );
    while ask(&json!({"do": "step", "events": 500}))["finished"] != 2 {}
    ask(&json!({"do": "step", "events": 500}));
    let kept = ask(&json!({"do": "document"}));
    let shorter = whole(&text.replace("replications = 5", "replications = 2"));
    assert_eq!(kept["replications"], shorter["replications"]);
    assert_eq!(kept["summary"], shorter["summary"]);
    assert_eq!(kept["interrupted"], true);
    assert_eq!(kept["scenario"]["replications"], 5);
}

/// The series of a flow do not depend on the other flows that the page asks for.
#[test]
fn every_flow_has_its_series() {
    let text = "duration = \"2 s\"\nwarmup = \"0 s\"\n[topology]\nkind = \"dumbbell\"\npairs = 80\n\
                [topology.bottleneck]\nrate = \"20 Mb/s\"\ndelay = \"5 ms\"\n";
    let flow = |n: usize| {
        format!("[[flows]]\nname = \"flow {n}\"\nfrom = \"s{n}\"\nto = \"r{n}\"\ntcp = \"linux\"\n")
    };
    let text = (0..80).fold(text.to_owned(), |text, n| text + &flow(n));
    let all = in_pieces(&text, 50_000)["series"].clone();
    let of = |series: &Value, kind: &str, name: &str| {
        let list = if kind == "goodput" { &series[kind]["flows"] } else { &series[kind] };
        let found: Vec<Value> = (list.as_array().unwrap().iter())
            .filter(|entry| entry["flow"] == name && entry["side"] != "server")
            .cloned()
            .collect();
        assert_eq!(found.len(), 1, "{kind} of {name}");
        found[0].clone()
    };
    for n in 0..80 {
        let name = format!("flow {n}");
        let one = ask(&json!({"do": "series", "flows": [name]}))["series"].clone();
        assert_eq!(one["goodput"]["flows"].as_array().unwrap().len(), 1);
        for kind in ["goodput", "windows", "rtts"] {
            assert_eq!(of(&one, kind, &name), of(&all, kind, &name));
        }
        let marks = |series: &Value| {
            let all = series["fast_retransmits"].as_array().unwrap().clone();
            all.into_iter().filter(|mark| mark[0] == name.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(one["fast_retransmits"], json!(marks(&all)));
    }
    let none = ask(&json!({"do": "series", "flows": []}))["series"].clone();
    assert_eq!(none["windows"], json!([]));
    assert_eq!(none["queues"], all["queues"]);
    assert_eq!(all["queues"].as_array().unwrap().len(), 3);
    assert!(all["queues_in_all"].as_u64().unwrap() > 80);
}

/// The page's differences are those of `airtcp compare`.
#[test]
fn differences_are_paired() {
    // The worked example of `airtcp_study::intervals`: differences 1, 2, 4, 1 have a half width of 2.25033.
    let pairs = json!([
        {"ours": [11.0, 22.0, 34.0, 41.0], "theirs": [10.0, 20.0, 30.0, 40.0]},
        {"ours": [11.0, 22.0, 33.0], "theirs": [10.0, 20.5, 32.0]},
        {"ours": [3.0], "theirs": [2.0]},
        {"ours": [3.0, 5.0], "theirs": [3.0, 5.0]},
        {"ours": [], "theirs": []},
        {"ours": [1.0, 2.0], "theirs": [0.0, 1.0], "counts": true},
    ]);
    let answer = ask(&json!({"do": "differences", "pairs": pairs}));
    let found = answer["differences"].as_array().unwrap();
    let standings: Vec<&str> = found.iter().map(|d| d["standing"].as_str().unwrap()).collect();
    assert_eq!(standings, ["undecided", "more", "undecided", "equal", "undecided", "undecided"]);
    assert!((found[0]["absolute"]["ci_low"].as_f64().unwrap() + 0.25033).abs() < 1e-5);
    assert_eq!(found[2]["absolute"]["ci_low"], Value::Null);
}

#[test]
fn errors_are_those_of_the_command_line() {
    let set = |text: &str| ask(&json!({"do": "describe", "text": text, "name": "a.toml"}));
    let said = |text: &str| set(text)["error"]["message"].as_str().unwrap_or_default().to_owned();
    let link = "[[links]]\nfrom = \"a\"\nto = \"b\"\n";
    let wrong = format!("{link}rate = \"10 Mbit\"\n");
    let expected = airtcp_scenario::read(&wrong, "a.toml", &[]).unwrap_err().to_string();
    assert_eq!(said(&wrong), expected);
    assert_eq!(set(&wrong)["error"]["line"], 4);
    for (text, part) in [
        ("nonsense", "not valid TOML"),
        ("duration = \"1 s\"", "links: is empty"),
        (
            &format!("{link}loss = {{ model = \"trace\", path = \"x\" }}"),
            "the explorer reads no files",
        ),
        (&format!("{link}rate = {{ trace = \"x\" }}"), "links[0].rate.trace: names a file"),
        (&format!("{link}[[flows]]\nfrom = \"a\"\nto = \"c\""), "\"c\""),
    ] {
        assert!(said(text).contains(part), "{text}: {}", said(text));
    }
    for request in ["", "{}", "{\"do\": \"step\"}", "{\"do\": \"dance\"}", "[1]"] {
        let answer: Value = serde_json::from_str(&answer(request)).unwrap();
        assert!(answer["error"]["message"].as_str().unwrap().starts_with("request: "), "{answer}");
    }
    let no_scenario = ask(&json!({"do": "open", "text": "{\"a\": 1}"}));
    assert!(no_scenario["error"]["message"].as_str().unwrap().contains("expected a scenario"));
}

/// What the page offers exists.
#[test]
fn what_can_be_chosen() {
    let about = ask(&json!({"do": "about"}));
    let names: Vec<&str> =
        about["registry"].as_array().unwrap().iter().filter_map(|e| e["name"].as_str()).collect();
    for name in ["cubic", "linux", "fq-codel", "ftca", "minstrel"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
}

//! Scenario files: accepted texts, and errors of others.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use airtcp_scenario::{Application, Scenario, ScenarioError, Source, json_schema, read};
use airtcp_transport::tcp::{Profile, Recovery, TcpConfig};
use airtcp_units::{BitRate, Span};
use proptest::prelude::*;

const LINK: &str = "[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mb/s\"\ndelay = \"40 ms\"\n";

fn scenario(text: &str) -> Result<Scenario, ScenarioError> {
    read(text, "test.toml", &[])
}

fn refusal(text: &str) -> String {
    match scenario(text) {
        Err(e) => e.to_string(),
        Ok(s) => s.resolve().map(|_| ()).unwrap_err().to_string(),
    }
}

#[test]
fn the_smallest_scenario_is_one_link() {
    let plan = scenario(LINK).unwrap().resolve().unwrap();
    assert_eq!(plan.nodes, ["a", "b"]);
    assert_eq!(plan.links.len(), 2);
    assert_eq!(plan.links[1].direction.delay, Some(Span::from_millis(40).into()));
    assert_eq!(plan.flows.len(), 1);
    assert!(matches!(plan.flows[0].app, Application::Bulk { size: None, .. }));
}

#[test]
fn a_reverse_direction_copies_pace_and_delay_but_not_loss() {
    let text = format!(
        "{LINK}loss = {{ model = \"bernoulli\", probability = 0.01 }}\nreverse = {{ delay = \"5 ms\" }}\n"
    );
    let plan = scenario(&text).unwrap().resolve().unwrap();
    let (forward, reverse) = (&plan.links[0].direction, &plan.links[1].direction);
    assert_eq!(reverse.rate, Some(BitRate::from_mbps(10).into()));
    assert_eq!(reverse.delay, Some(Span::from_millis(5).into()));
    assert_ne!(forward.loss, reverse.loss);
}

#[test]
fn tcp_is_profile_then_common_then_own() {
    let text = format!(
        "tcp = {{ profile = \"s0\", ack_every = 2 }}\n{LINK}\n\
         [[flows]]\nfrom = \"a\"\nto = \"b\"\ntcp = {{ recovery = \"newreno\" }}\n\
         [[flows]]\nfrom = \"a\"\nto = \"b\"\ntcp = \"linux\"\n"
    );
    let s = scenario(&text).unwrap();
    let base = TcpConfig::profile(Profile::S0);
    let expected = TcpConfig { ack_every: 2, recovery: Recovery::NewReno, ..base };
    assert_eq!(s.flows[0].tcp, expected);
    assert_eq!(s.flows[1].tcp, TcpConfig { ack_every: 2, ..TcpConfig::profile(Profile::Linux) });
}

/// A flow that only names the profile's law keeps the profile's parameters.
#[test]
fn a_law_named_alone_keeps_the_profiles_parameters() {
    let tcp = |own: &str| {
        let flow = format!("{LINK}\n[[flows]]\nfrom = \"a\"\nto = \"b\"\ntcp = {own}\n");
        scenario(&flow).unwrap().flows[0].tcp.clone()
    };
    let linux = TcpConfig::profile(Profile::Linux);
    assert_eq!(tcp("{ profile = \"linux\", congestion = \"reno\" }"), linux);
    let table = tcp("{ profile = \"linux\", congestion = { law = \"reno\" } }");
    assert_ne!(table.congestion, linux.congestion, "a table says all");
    let other = tcp("{ profile = \"linux\", congestion = \"cubic\" }");
    assert_eq!(other.congestion.name(), "cubic");
}

#[test]
fn topologies() {
    let text = "[topology]\nkind = \"dumbbell\"\npairs = 3\nbottleneck = { rate = \"10 Mb/s\", delay = \"10 ms\" }\n\
                access_delays = [\"1 ms\", \"50 ms\"]\n\
                [[flows]]\nfrom = \"s*\"\nto = \"r*\"\ncount = 3\n";
    let plan = scenario(text).unwrap().resolve().unwrap();
    assert_eq!(plan.nodes.len(), 8);
    assert_eq!(plan.flows.len(), 3);
    assert_eq!(plan.nodes[plan.flows[2].to], "r2");
    let delay =
        |name: &str| plan.links.iter().find(|l| l.name == name).unwrap().direction.delay.clone();
    assert_eq!(delay("s0-left"), Some(Span::from_millis(1).into()));
    assert_eq!(delay("s2-left"), Some(Span::from_millis(50).into()), "the last delay repeats");
    let chain = "[topology]\nkind = \"chain\"\nhops = 4\nlink = { rate = \"10 Mb/s\" }\n";
    let plan = scenario(chain).unwrap().resolve().unwrap();
    assert_eq!((plan.nodes.len(), plan.links.len(), plan.flows.len()), (5, 8, 1));
}

#[test]
fn overrides_are_applied_before_checking() {
    let set = |path: &str, value: &str| vec![(path.to_owned(), value.to_owned())];
    let s = read(LINK, "t", &set("links[0].rate", "20 Mb/s")).unwrap();
    assert_eq!(s.links[0].forward.rate, Some(BitRate::from_mbps(20).into()));
    let s = read(LINK, "t", &set("links[0].loss", "{ model = \"bernoulli\", probability = 0.1 }"))
        .unwrap();
    assert!(s.links[0].forward.loss.is_some());
    assert_eq!(read(LINK, "t", &set("seed", "7")).unwrap().seed, 7);
    let e = read(LINK, "t", &set("links[3].rate", "1 Mb/s")).unwrap_err().to_string();
    assert!(e.contains("no element 3"), "{e}");
}

/// A wrong value from an override is blamed on the override, and one of the file on its line. The last override counts.
#[test]
fn a_wrong_override_is_named_in_place_of_the_file() {
    let cases: &[(&[(&str, &str)], &str)] = &[
        (&[("links[0].rate", "2")], "links[0].rate=2: "),
        (&[("links[0].rate", "1 Mb/s"), ("links[0].rate", "fast")], "links[0].rate=fast: "),
        (&[("links[0].loss", "2")], "links[0].loss=2: "),
        (
            &[("links[0].loss", "{ model = \"bernoulli\", probability = 7 }")],
            "links[0].loss={ model = \"bernoulli\", probability = 7 }: links[0].loss.probability: ",
        ),
        (&[("replications", "0")], "replications=0: "),
        (
            &[("links[3].rate", "1 Mb/s")],
            "links[3].rate=1 Mb/s: cannot be set: there is no element 3",
        ),
        (&[("links[0].rat", "1 Mb/s")], "links[0].rat=1 Mb/s: "),
    ];
    for (set, start) in cases {
        let set: Vec<_> = set.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        let refused = read(LINK, "t.toml", &set).and_then(|s| s.resolve().map(|_| ()));
        let error = refused.unwrap_err().given_by(&set).located("t.toml", LINK);
        let said = error.to_string();
        assert!(said.starts_with(start), "{said}");
        assert!(!said.contains("t.toml") && error.line.is_none(), "{said}");
    }
    // The same if the overrides are in the source for good.
    let pair = |path: &str, value: &str| [(path.to_owned(), value.to_owned())];
    let source = Source::new(LINK, "t.toml").unwrap().with(&pair("links[0].rate", "2")).unwrap();
    let refused = source.scenario(&[]).unwrap_err().to_string();
    assert!(refused.starts_with("links[0].rate=2: "), "{refused}");
    let other = source.with(&pair("links[0].rate", "3")).unwrap().scenario(&[]).unwrap_err();
    assert!(other.to_string().starts_with("links[0].rate=3: "), "{other}");
    let right = source.with(&pair("links[0].rate", "3 Mb/s")).unwrap();
    let scenario = right.with(&pair("replications", "0")).unwrap().scenario(&[]);
    let error = scenario.and_then(|s| s.resolve().map(|_| ())).unwrap_err();
    assert!(right.with(&pair("replications", "0")).unwrap().locate(error, &[]).given.is_some());
    let set = [("seed".to_owned(), "7".to_owned())];
    let text = LINK.replace("10 Mb/s", "10");
    let said = read(&text, "t.toml", &set).unwrap_err().to_string();
    assert!(said.starts_with("t.toml:4: links[0].rate: "), "{said}");
}

/// Every refusal names the file, the place, what was found and what is accepted.
#[test]
#[allow(clippy::too_many_lines, reason = "a table")]
fn refusals() {
    let cases: &[(&str, String, &[&str])] = &[
        ("syntax", "[[links]\n".into(), &["test.toml:1", "TOML"]),
        (
            "unknown key",
            LINK.replace("rate", "rat"),
            &["links[0]", "\"rat\"", "did you mean \"rate\""],
        ),
        ("no unit", LINK.replace("40 ms", "40"), &["test.toml:5", "links[0].delay", "unit", "ms"]),
        ("wrong unit", LINK.replace("40 ms", "40 kg"), &["delay", "\"kg\"", "ms"]),
        ("number for a quantity", LINK.replace("\"40 ms\"", "40"), &["links[0].delay", "string"]),
        (
            "negative rate",
            LINK.replace("10 Mb/s", "-3 Mb/s"),
            &["test.toml:4", "links[0].rate", "-3 Mb/s"],
        ),
        ("negative delay", LINK.replace("40 ms", "-1 ms"), &["delay", "-1 ms"]),
        (
            "loss above one",
            format!("{LINK}loss = {{ model = \"bernoulli\", probability = 1.5 }}"),
            &["loss", "1.5", "between 0 and 1"],
        ),
        (
            "unknown model",
            format!("{LINK}loss = {{ model = \"bernouli\", probability = 0.5 }}"),
            &["loss", "bernouli", "bernoulli"],
        ),
        (
            "zero window",
            format!(
                "tcp = {{ receive_buffer = \"0 B\" }}\n{LINK}[[flows]]\nfrom=\"a\"\nto=\"b\"\n"
            ),
            &["flows[0].tcp", "receive_buffer", "0"],
        ),
        (
            "unknown profile",
            format!("tcp = \"linus\"\n{LINK}[[flows]]\nfrom=\"a\"\nto=\"b\"\n"),
            &["linus", "did you mean \"linux\"", "s1-mirage"],
        ),
        (
            "unknown node",
            format!("{LINK}[[flows]]\nfrom=\"a\"\nto=\"c\"\n"),
            &["flows[0].to", "\"c\"", "a, b"],
        ),
        ("same node", LINK.replace("\"b\"", "\"a\""), &["links[0].to", "same node"]),
        ("no links", "seed = 1\n".into(), &["links", "empty"]),
        ("no duration", format!("duration = \"0 s\"\n{LINK}"), &["duration", "0 s"]),
        ("warmup too long", format!("warmup = \"60 s\"\n{LINK}"), &["warmup", "60 s"]),
        ("no replications", format!("replications = 0\n{LINK}"), &["replications", "0", "1 to"]),
        ("twice the same name", format!("{LINK}{LINK}"), &["links[1].name", "a-b"]),
        (
            "udp bulk",
            format!("{LINK}[[flows]]\nfrom=\"a\"\nto=\"b\"\ntransport=\"udp\"\n"),
            &["flows[0].app.kind", "constant-rate"],
        ),
        (
            "stop before start",
            format!(
                "{LINK}[[flows]]\nfrom=\"a\"\nto=\"b\"\napp={{kind=\"bulk\",start=\"5 s\",stop=\"2 s\"}}\n"
            ),
            &["app.stop", "2 s", "5 s"],
        ),
        (
            "huge topology",
            "[topology]\nkind=\"chain\"\nhops=4000000\nlink={rate=\"1 Mb/s\"}\n".into(),
            &["topology.hops", "10000"],
        ),
        (
            "a name of no characters",
            LINK.replace("\"b\"", "\"\""),
            &["links[0].to", "at least one character"],
        ),
        (
            "flows of the same name",
            format!(
                "{LINK}[[flows]]\nfrom=\"a\"\nto=\"b\"\nname=\"x\"\ncount=12\n[[flows]]\nfrom=\"a\"\nto=\"b\"\nname=\"x11\"\n"
            ),
            &["flows[1].name", "\"x11\"", "flows[0]"],
        ),
        (
            "more results than memory",
            format!("replications = 1000000\n{LINK}"),
            &["replications", "1000000", "3000000", "2000000"],
        ),
        (
            "a link beside a topology",
            format!(
                "[topology]\nkind=\"chain\"\nhops=3\nlink={{rate=\"1 Mb/s\"}}\n{LINK}mtu=\"10 B\"\n"
            ),
            &["links[0]", "mtu", "10 B"],
        ),
        (
            "a link of a topology",
            "[topology]\nkind=\"chain\"\nhops=3\nlink={rate=\"1 Mb/s\"}\nreverse={slot=\"0 s\"}\n"
                .into(),
            &["topology.reverse.slot", "0 s"],
        ),
        ("not a scenario", "\u{0}\u{1}\u{2}".into(), &["test.toml", "TOML"]),
    ];
    for (what, text, expected) in cases {
        let message = refusal(text);
        for part in *expected {
            assert!(message.contains(part), "{what}: \"{part}\" is not in: {message}");
        }
        assert!(message.lines().count() <= 3, "{what}: {message}");
    }
}

/// Errors in tables with a tag name the key too.
#[test]
fn errors_in_tables_with_a_tag_name_the_key() {
    let cases = [
        ("protocol = { kind = \"ll-harq\", units = \"x\" }", "links[0].protocol.units: "),
        (
            "protocol = { units = 20, attempts = -1, kind = \"ll-harq\" }",
            "links[0].protocol.attempts: ",
        ),
        ("protocol = { kind = \"ll-harq\", rounding = \"x\" }", "links[0].protocol.rounding: "),
        ("protocol = { kind = \"none-such\" }", "links[0].protocol.kind: "),
        ("loss = { model = \"bernoulli\", probability = 1.5 }", "links[0].loss.probability: "),
        (
            "reverse = { loss = { model = \"bernoulli\", probability = [] } }",
            "links[0].reverse.loss.probability: ",
        ),
        ("queue = { kind = \"drop-tail\", packets = 1.5 }", "links[0].queue.packets: "),
        (
            "protocol = { kind = \"ll-harq\", unitz = 1 }",
            "links[0].protocol: unknown key \"unitz\"",
        ),
        ("loss = { model = \"bernoulli\" }", "links[0].loss: "),
    ];
    for (line, place) in cases {
        let message = refusal(&format!("{LINK}{line}\n"));
        assert!(message.contains(&format!(" {place}")), "{line}: {message}");
    }
    let law = format!(
        "{LINK}[[flows]]\nfrom=\"a\"\nto=\"b\"\ntcp={{congestion={{law=\"cubic\",beta_cubic=\"x\"}}}}\n"
    );
    let message = refusal(&law);
    assert!(message.contains("flows[0].tcp.congestion.beta_cubic: "), "{message}");
}

#[test]
fn the_resolved_scenario_reads_back() {
    let text = format!(
        "{LINK}loss = {{ model = \"bernoulli\", probability = 0.01 }}\n[[flows]]\nfrom=\"a\"\nto=\"b\"\ntcp = \"s2\"\n"
    );
    let plan = scenario(&text).unwrap().resolve().unwrap();
    let json = serde_json::to_value(&plan.scenario).unwrap();
    let back: Scenario = serde_json::from_value(json).unwrap();
    assert_eq!(back, plan.scenario);
    assert_eq!(back.resolve().unwrap(), plan);
}

#[test]
fn the_schema_includes_the_shorthands() {
    let schema = json_schema();
    let defs = &schema["$defs"];
    assert!(defs["LinkSpec"]["properties"]["rate"].is_object());
    assert!(defs["TcpConfig"]["properties"]["profile"]["enum"].as_array().unwrap().len() >= 7);
    assert!(defs["FlowSpec"]["properties"]["tcp"]["anyOf"].is_array());
}

proptest! {
    #[test]
    fn no_text_panics(text in ".{0,200}") {
        if let Ok(s) = scenario(&text) {
            let _ = s.resolve();
        }
    }

    #[test]
    fn no_mutation_panics(cut in 0usize..200, byte in 0usize..200, with: char) {
        let full = format!("{LINK}loss = {{ model = \"bernoulli\", probability = 0.01 }}\n[[flows]]\nfrom=\"a\"\nto=\"b\"\ntcp = \"s2\"\n");
        let mut text: String = full.chars().take(full.len().saturating_sub(cut)).collect();
        if text.len() > byte {
            text.replace_range(byte..=byte, &with.to_string());
        }
        if let Ok(s) = scenario(&text) {
            let _ = s.resolve();
        }
    }
}

/// Files of a folder at the project's root.
fn files(folder: &str) -> Vec<std::path::PathBuf> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let mut files: Vec<_> =
        std::fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    files
}

#[test]
fn the_worked_examples_are_scenarios() {
    let examples = files("scenarios");
    assert!(examples.len() >= 5);
    for path in examples {
        let text = std::fs::read_to_string(&path).unwrap();
        let plan = read(&text, &path.display().to_string(), &[]).and_then(|s| s.resolve());
        assert!(plan.is_ok(), "{}", plan.unwrap_err());
    }
}

#[test]
fn the_fuzz_corpus_does_not_panic() {
    for path in files("fuzz/corpus/scenario") {
        if let Ok(s) = scenario(&String::from_utf8_lossy(&std::fs::read(path).unwrap())) {
            let _ = s.resolve();
        }
    }
}

#[test]
fn hops_are_links_in_a_row() {
    let air = "rate = \"10 Mb/s\"\nloss = { model = \"bernoulli\", probability = \"20 %\" }\n";
    let short =
        format!("[[links]]\nname = \"air\"\nfrom = \"a\"\nto = \"b\"\nhops = 3\n{air}{LINK}");
    let row = [("air 1", "a", "air-1"), ("air 2", "air-1", "air-2"), ("air 3", "air-2", "b")];
    let long: String = row
        .iter()
        .map(|(name, from, to)| {
            format!("[[links]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"\n{air}")
        })
        .chain([LINK.to_owned()])
        .collect();
    let flow = "[[flows]]\nfrom = \"a\"\nto = \"b\"\n";
    let one = scenario(&format!("{short}{flow}")).unwrap().resolve().unwrap();
    let other = scenario(&format!("{long}{flow}")).unwrap().resolve().unwrap();
    assert_eq!(one.nodes, other.nodes);
    assert_eq!(one.scenario, other.scenario);
    // By default the flow runs between the ends of the row.
    let alone = scenario(&short[..short.len() - LINK.len()]).unwrap().resolve().unwrap();
    assert_eq!((alone.nodes[alone.flows[0].from].as_str(), alone.flows[0].to), ("a", 3));
    // An error of any hop names the line of the link.
    let places: Vec<&str> = one.links.iter().step_by(2).map(|l| l.path.as_str()).collect();
    assert_eq!(places[..3], ["links[0].forward"; 3]);
    assert_eq!(places[3], "links[1].forward");
}

#[test]
fn impossible_hops_are_refused() {
    for hops in ["0", "10001", "-1", "\"4\""] {
        let said = refusal(&format!("{LINK}hops = {hops}\n"));
        assert!(said.contains("links[0].hops"), "{said}");
    }
    let many = format!("{LINK}hops = 10000\n");
    let said =
        refusal(&(0..11).map(|i| many.replace("\"a\"", &format!("\"a{i}\""))).collect::<String>());
    assert!(said.contains("links[10]") && said.contains("100000"), "{said}");
    let nested = format!("{LINK}queue = {{ kind = \"drop-tail\", hop = 3 }}\n");
    assert!(!refusal(&nested).contains("hops"), "{}", refusal(&nested));
    for ends in
        ["name = \"a\"\nfrom = \"a-1\"\nto = \"b\"", "name = \"b\"\nfrom = \"a\"\nto = \"b-2\""]
    {
        let said = refusal(&format!("[[links]]\n{ends}\nhops = 3\n"));
        assert!(said.contains("links[0].hops") && said.contains("end of the link"), "{said}");
    }
    let runs = (1..2000).map(|n| format!("[{n}, 1]")).collect::<Vec<_>>().join(", ");
    let heavy =
        format!("loss = {{ model = \"semi-markov\", successes = [{runs}], losses = [[1, 1]] }}\n");
    let said = refusal(&format!("{LINK}hops = 10000\n{heavy}"));
    assert!(said.contains("links[0].hops") && said.contains("64 MB"), "{said}");
    let chain = format!("[topology]\nkind = \"chain\"\nhops = 10000\n[topology.link]\n{heavy}");
    assert!(refusal(&chain).contains("64 MB"), "{}", refusal(&chain));
    let said = refusal(&format!("{LINK}hop = 3\n"));
    assert!(said.contains("did you mean \"hops\"?") && said.contains("reordering"), "{said}");
    // The second link has the name of the first one's second hop.
    let said = refusal(&format!("{LINK}name = \"x\"\nhops = 2\n{LINK}name = \"x 2\"\n"));
    assert!(said.contains("links[1].name") && said.contains("links[0]"), "{said}");
}

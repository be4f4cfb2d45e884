//! Errors of numbers that the key's type cannot hold: they name the number and what the key accepts.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use airtcp_scenario::{ScenarioError, read};

const LINK: &str = "[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mb/s\"\ndelay = \"40 ms\"\n";

fn refusal(text: &str, overrides: &[(&str, &str)]) -> ScenarioError {
    let set: Vec<_> = overrides.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    read(text, "test.toml", &set).unwrap_err()
}

fn of_flow(keys: &str) -> ScenarioError {
    refusal(&format!("{LINK}[[flows]]\nfrom = \"a\"\nto = \"b\"\n{keys}\n"), &[])
}

fn of_link(keys: &str) -> ScenarioError {
    refusal(&format!("{LINK}{keys}\n"), &[])
}

#[test]
fn a_number_beyond_its_type_gives_the_error_of_the_key() {
    let sliding = |keys: &str| of_flow(&format!("transport = \"sliding\"\nsliding = {{ {keys} }}"));
    let lt = |keys: &str| of_flow(&format!("transport = \"lt-tcp\"\nlt = {{ {keys} }}"));
    let arq = |keys: &str| of_link(&format!("protocol = {{ kind = \"ll-arq\", {keys} }}"));
    for (error, path, message) in [
        (
            sliding("initial_window = 70000"),
            "flows[0].sliding.initial_window",
            "70000 is out of range: accepted is 1 to 1000",
        ),
        (
            sliding("initial_window = -1"),
            "flows[0].sliding.initial_window",
            "-1 is out of range: accepted is 1 to 1000",
        ),
        (
            sliding("queue_packets = 99999"),
            "flows[0].sliding.queue_packets",
            "99999 is out of range: accepted is 1 to 100",
        ),
        (
            arq("attempts = 70000"),
            "links[0].protocol.attempts",
            "is 70000: expected 1 (no retransmission) to 1000",
        ),
        (
            arq("attempts = -3"),
            "links[0].protocol.attempts",
            "is -3: expected 1 (no retransmission) to 1000",
        ),
        (
            refusal(LINK, &[("replications", "5000000000")]),
            "replications",
            "is 5000000000: expected 1 to 1000000",
        ),
    ] {
        assert_eq!((error.path.as_str(), error.message.as_str()), (path, message));
    }
    for (error, written, accepted) in [
        (lt("block_limit = 70000"), "70000", "2 to 254"),
        (arq("units = 70000"), "70000", "1 to 255"),
        (of_flow("tcp = { mss = 70000 }"), "70000", "48 to 65495"),
        (arq("units = 1.5"), "1.5", "a whole number"),
    ] {
        let message = error.message;
        assert!(message.contains(written) && message.contains(accepted), "{message}");
        assert!(!message.contains("0 to 65535"), "{message}");
    }
}

#[test]
fn a_number_that_is_not_finite_is_named() {
    let bernoulli =
        |p: &str| of_link(&format!("loss = {{ model = \"bernoulli\", probability = {p} }}"));
    let probability = "expected a probability between 0 and 1, such as 0.01 or \"1 %\", not ";
    for (error, path, message) in [
        (bernoulli("nan"), "links[0].loss.probability", format!("{probability}nan")),
        (bernoulli("-inf"), "links[0].loss.probability", format!("{probability}-inf")),
        (of_link("duplication = nan"), "links[0].duplication", format!("{probability}nan")),
        (
            refusal(LINK, &[("links[0].duplication", "inf")]),
            "links[0].duplication",
            format!("{probability}inf"),
        ),
        (
            of_link("queue = { kind = \"red\", weight = nan }"),
            "links[0].queue.weight",
            "expected a number, not nan".to_owned(),
        ),
    ] {
        assert_eq!((error.path.as_str(), error.message), (path, message));
    }
    for error in [
        of_link("mtu = nan"),
        of_flow("count = nan"),
        of_flow("app = { kind = \"bulk\", size = inf }"),
        of_flow("tcp = { congestion = nan }"),
        refusal(LINK, &[("topology", "nan")]),
        refusal(LINK, &[("seed", "nan")]),
    ] {
        let said = error.to_string();
        assert!(said.contains("nan") || said.contains("inf"), "{said}");
        assert!(!said.contains("null") && !said.contains("sequence"), "{said}");
    }
    let line = bernoulli("nan").line;
    assert_eq!(line, Some(6), "the line of the table");
}

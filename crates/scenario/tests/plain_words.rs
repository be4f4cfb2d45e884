//! Errors of a scenario contain no words of the parser, of its types or of Rust.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use airtcp_scenario::read;

const LINK: &str = "[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mb/s\"\n";
const FLOW: &str = "[[flows]]\nfrom = \"a\"\nto = \"b\"\n";

fn refusal(text: &str) -> String {
    match read(text, "t.toml", &[]) {
        Err(e) => e.to_string(),
        Ok(s) => s.resolve().map(|_| ()).unwrap_err().to_string(),
    }
}

#[test]
fn messages_have_no_words_of_the_implementation() {
    let cases = [
        format!("{LINK}loss = 0.1\n"),
        format!("{LINK}loss = {{ probability = 0.1 }}\n"),
        format!("{LINK}loss = {{ model = \"bernoulli\" }}\n"),
        format!("{LINK}loss = {{ model = 3 }}\n"),
        format!("{LINK}queue = [1]\n"),
        format!("{LINK}protocol = true\n"),
        format!("{LINK}{FLOW}tcp = {{ congestion = 3 }}\n"),
        format!("{LINK}{FLOW}tcp = {{ congestion = {{}} }}\n"),
        format!("{LINK}{FLOW}app = \"bulk\"\n"),
        format!("{LINK}{FLOW}app = {{}}\n"),
        format!("{LINK}[[flows]]\nto = \"b\"\n"),
        "links = 3\n".to_owned(),
        "[[cells]]\n".to_owned(),
        "topology = 7\n".to_owned(),
        format!("seed = 18446744073709551616\n{LINK}"),
        format!("duration = 3\n{LINK}"),
    ];
    for text in cases {
        let said = refusal(&text);
        for word in [
            "field", "enum", "struct", "variant", "tagged", "serde", "JSON", "u64", "f64",
            "Config", "`",
        ] {
            assert!(!said.contains(word), "{text}\n{said}");
        }
        assert!(said.starts_with("t.toml:"), "{said}");
    }
}

#[test]
fn a_law_in_place_of_a_profile_suggests_congestion() {
    let said = refusal(&format!("{LINK}{FLOW}tcp = \"cubic\"\n"));
    assert!(said.contains("flows[0].tcp") && said.contains("{ congestion = \"cubic\" }"), "{said}");
    let said = refusal(&format!("tcp = \"reno\"\n{LINK}{FLOW}"));
    assert!(said.contains("{ congestion = \"reno\" }"), "{said}");
    // Neither a law nor a profile: an unknown profile.
    assert!(refusal(&format!("{LINK}{FLOW}tcp = \"linus\"\n")).contains("did you mean \"linux\""));
}

#[test]
fn a_number_beyond_all_types_gives_the_limit() {
    let said = refusal(&format!("seed = 18446744073709551616\n{LINK}"));
    assert!(said.contains("18446744073709551615"), "{said}");
}

#[test]
fn a_missing_tag_gives_an_example() {
    let said = refusal(&format!("{LINK}loss = {{ probability = 0.1 }}\n"));
    assert!(said.contains("\"model\" is missing") && said.contains("airtcp list loss"), "{said}");
    // The error names `airtcp list FAMILY` only if the family exists.
    let said = refusal("duration = \"1 s\"\n[topology]\npairs = 2\n");
    assert!(said.contains("\"kind\" is missing") && !said.contains("airtcp list"), "{said}");
    let cell = "duration = \"1 s\"\n[[cells]]\nstandard = \"802.11a\"\n";
    let said = refusal(&format!("{cell}rate = \"54 Mb/s\"\nerror = {{ x = 1 }}\n"));
    assert!(said.contains("airtcp list frame-error"), "{said}");
}

const CELL: &str = "[[cells]]\nrate = \"6 Mb/s\"\n";

/// Errors of an 802.11 cell with these keys.
fn of_cell(keys: &str) -> String {
    let layout = "layout = { kind = \"star\", stations = 2, radius_m = 5 }";
    refusal(&format!("[[cells]]\n{layout}\n{keys}\n"))
}

#[test]
fn a_name_in_place_of_a_table_of_a_list() {
    let wanted = "as in schemes = [{ scheme = \"ftca\" }], not \"tap\"";
    let said = of_cell("schemes = [\"tap\"]");
    assert!(said.contains(&format!("cells[0].schemes[0]: expected a table {wanted}")), "{said}");
    let said = of_cell("schemes = \"tap\"");
    assert!(said.contains(&format!("cells[0].schemes: expected a list {wanted}")), "{said}");
    let said = of_cell("schemes = [{ at = \"both\" }]");
    assert!(
        said.contains("\"scheme\" is missing") && said.contains("airtcp list scheme"),
        "{said}"
    );
    let said = of_cell("interference = [\"bluetooth\"]");
    assert!(
        said.contains("a table as in interference = [{ kind = \"microwave-oven\" }]"),
        "{said}"
    );
}

#[test]
fn a_value_in_place_of_a_name_gives_the_names() {
    for (keys, says) in [
        ("hops = 4", "hops: expected a name (accepted: access-point, chain), not 4"),
        (
            "schemes = [{ scheme = \"ftca\", at = [\"sta0\"] }]",
            "schemes[0].at: expected a name (accepted: both, access-point, stations), not a list",
        ),
        ("schemes = [{ scheme = 7 }]", "schemes[0].scheme: expected a name (accepted: ftca, "),
        ("timing = { ack_rate = 6 }", "{ fixed = ... }), not 6"),
    ] {
        let said = of_cell(keys);
        assert!(said.contains(says), "{said}\n{says}");
    }
    let said = refusal(&format!("{LINK}{FLOW}tcp = {{ loss_notification = true }}\n"));
    let wanted = "loss_notification: expected a name (accepted: none, oracle), not true";
    assert!(said.contains(wanted), "{said}");
}

/// Every tag of a table: the error names the wrong key, not the tag.
#[test]
fn a_number_that_is_not_finite_is_that_of_its_key() {
    for (text, key) in [
        (format!("{CELL}schemes = [{{ scheme = \"link-red\", weight = nan }}]\n"), "weight"),
        (format!("{CELL}rate_control = {{ control = \"minstrel\", ewma = nan }}\n"), "ewma"),
        (format!("{LINK}queue = {{ kind = \"red\", min = nan }}\n"), "queue.min"),
        (format!("{LINK}loss = {{ model = \"bernoulli\", probability = nan }}\n"), "probability"),
        (
            format!("{LINK}{FLOW}tcp = {{ congestion = {{ law = \"cubic\", c = nan }} }}\n"),
            "congestion.c",
        ),
    ] {
        let said = refusal(&text);
        assert!(said.contains(&format!("{key}: ")) && said.contains(", not nan"), "{text}\n{said}");
    }
}

#[test]
fn wrong_types_give_the_expected_form() {
    let link = |rest: &str| format!("{LINK}{rest}\n{FLOW}");
    for (text, says) in [
        (
            link("queue = 20"),
            "queue: expected a table such as { kind = \"drop-tail\", packets = 20 }, not 20",
        ),
        (
            link("queue = [20]"),
            "queue: expected a table such as { kind = \"drop-tail\", packets = 20 }, not a list",
        ),
        (link("queue = [\"drop-tail\", 100]"), "queue: expected a table such as"),
        (
            link("queue = \"red\""),
            "queue: expected a table such as { kind = \"red\" }, not \"red\"",
        ),
        (link("loss = 0.1"), "loss: expected a table such as { model = \"bernoulli\""),
        (link("loss = [\"bernoulli\", 0.1]"), "loss: expected a table such as { model ="),
        ("links = [[\"a\", \"b\"]]".to_owned(), "links[0]: "),
        (
            link("delay = 2020-01-01"),
            "delay: expected a delay as a string such as \"40 ms\", or a table such as { steps =",
        ),
        (link("loss = 2020-01-01"), "loss: expected a table such as"),
        (
            format!("title = 12:30:00\n{LINK}"),
            "title: expected text in quotes, not the date 12:30:00",
        ),
        (
            link("delay = [[inf, 0]]"),
            "delay: expected a delay as a string such as \"40 ms\", or a table such as { steps =",
        ),
        (
            link("loss = { model = \"semi-markov\", losses = [[inf, 0]], successes = [[1, 2]] }"),
            "losses[0][0]: is inf: no key takes a number that is not finite",
        ),
        (
            link("loss = { model = \"semi-markov\", losses = [[1]], successes = [[1, 2]] }"),
            "losses: expected pairs of a length and how often it occurs",
        ),
        (
            format!(
                "{CELL}propagation = {{ path_loss = {{ model = \"matrix\", losses = [{{ between = [\"a\"], loss_db = 3 }}] }} }}\n"
            ),
            "",
        ),
        (
            format!("{CELL}layout = {{ kind = \"star\", stations = 3, radius_m = 1e308 }}\n"),
            "is 1e308: expected",
        ),
    ] {
        let said = refusal(&text);
        assert!(said.contains(says), "{text}\n{said}");
        for word in ["tuple", "array", "$", "0000000000", "length 1"] {
            assert!(!said.contains(word), "{text}\n{said}");
        }
    }
}

/// A key that no path can spell leads to the table that holds it. An empty one once led there again and again.
#[test]
fn a_key_without_a_name_is_refused_in_plain_words() {
    const CELL: &str = "[[cells]]\nlayout = { kind = \"star\", stations = 1 }\n";
    for (before, key) in [
        (format!("{LINK}{FLOW}"), "transport"),
        (format!("{LINK}{FLOW}tcp."), "recovery"),
        (CELL.to_owned(), "standard"),
        (CELL.to_owned(), "band"),
        (CELL.to_owned(), "width"),
        (CELL.to_owned(), "hops"),
        (CELL.to_owned(), "mac.access"),
        (CELL.to_owned(), "mac.protection"),
        (CELL.to_owned(), "ack_rate"),
        (format!("{CELL}[[cells.stations]]\nname = \"x\"\n"), "standard"),
    ] {
        for name in ["", "a.b", "a[0"] {
            let said = refusal(&format!("{before}{key} = {{ \"{name}\" = 1 }}\n"));
            assert!(said.starts_with("t.toml:") && !said.contains('`'), "{key}: {said}");
        }
    }
}

//! What a scenario is refused for is said in the words of its author: no word of the parser, of its
//! types or of this program's language.

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
fn no_word_of_the_implementation_comes_out() {
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
fn a_law_in_place_of_a_profile_is_told_where_it_belongs() {
    let said = refusal(&format!("{LINK}{FLOW}tcp = \"cubic\"\n"));
    assert!(said.contains("flows[0].tcp") && said.contains("{ congestion = \"cubic\" }"), "{said}");
    let said = refusal(&format!("tcp = \"reno\"\n{LINK}{FLOW}"));
    assert!(said.contains("{ congestion = \"reno\" }"), "{said}");
    // What is neither is a profile that there is not.
    assert!(refusal(&format!("{LINK}{FLOW}tcp = \"linus\"\n")).contains("did you mean \"linux\""));
}

#[test]
fn a_number_beyond_all_types_is_said_with_the_limit() {
    let said = refusal(&format!("seed = 18446744073709551616\n{LINK}"));
    assert!(said.contains("18446744073709551615"), "{said}");
}

#[test]
fn a_missing_choice_says_what_it_chooses() {
    let said = refusal(&format!("{LINK}loss = {{ probability = 0.1 }}\n"));
    assert!(said.contains("\"model\" is missing") && said.contains("airtcp list loss"), "{said}");
}

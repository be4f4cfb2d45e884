//! Cells that bytes choose, multi-user ones among them, and their comparisons under schemes.
//!
//! Mutated text is seldom a scenario: here each byte chooses a value that the key may have, and refusals are
//! those of combinations.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use airtcp_scenario::Scenario;
use airtcp_sim::parallel::Stop;
use airtcp_study::{Input, SchemesOptions, compare_schemes};
use airtcp_units::{Outcomes, Span};

use super::input::Bytes;

/// Simulated time.
const TIME: Span = Span::from_millis(20);
/// Events in this time of a cell that is compared: a variant may take more, but not without bound.
const EVENTS: u64 = 10_000;
const STANDARDS: &[&str] =
    &["802.11b", "802.11g", "802.11a", "802.11n", "802.11ac", "802.11ax", "802.11ax", "802.11ax"];
const QUEUES: &[&str] = &[
    "kind = \"drop-tail\", packets = 3",
    "kind = \"red\"",
    "kind = \"codel\"",
    "kind = \"fq-codel\"",
    "kind = \"pie\"",
    "kind = \"airtime-fair\"",
    "kind = \"per-station\"",
    "kind = \"ack-filter\"",
    "kind = \"jersey\"",
    "kind = \"tbf\", rate = \"5 Mb/s\", burst = \"3 kB\"",
];
const CONTROLS: &[&str] =
    &["fixed", "s0", "arf", "aarf", "amrr", "onoe", "minstrel", "ideal", "minstrel-ht"];
const MAC: &[&str] = &[
    "mac.aggregation = { max_mpdus = 1 }",
    "mac.aggregation = { max_mpdus = 4, max_amsdu_bytes = \"3839 B\" }",
    "mac.rts_threshold = \"100 B\"",
    "mac.access = \"edca\"",
    "mac.attempts = 1",
    "mac.lifetime = \"5 ms\"",
    "residual_error = 0.3",
    "fading = { model = \"rayleigh\", coherence_time = \"5 ms\" }",
];
const OFDMA: &[&str] = &[
    "{}",
    "{ uplink = false, max_stations = 2 }",
    "{ scheduler = \"proportional\", mu_edca = { aifsn = 2, timer = \"8192 us\" } }",
];
const SCHEMES: &[&str] = &[
    "base",
    "edca",
    "ftca",
    "same-category",
    "leith-clifford",
    "tap",
    "dcf+",
    "auto-zoom",
    "per-station",
    "power-classes",
    "link-red",
    "snoop",
    "split-tcp",
    "ack-agent",
    "eln",
    "rts",
    "ack-1",
    "codel",
    "fq-codel",
    "airtime-fair",
];
const FLOWS: &[&str] = &[
    "",
    "transport = \"udp\"\napp = { kind = \"constant-rate\", rate = \"3 Mb/s\", message = \"200 B\" }",
    "transport = \"lt-tcp\"",
    "transport = \"sliding\"",
    "tcp = { profile = \"linux\" }",
    "tcp = { congestion = \"bbr\" }",
    "app = { kind = \"request-response\", request = \"100 B\", response = \"9 kB\" }",
];

fn pick<'a>(input: &mut Bytes<'_>, list: &[&'a str]) -> &'a str {
    list[usize::from(input.u8()) % list.len()]
}

/// A scenario of one or two cells.
fn text(input: &mut Bytes<'_>) -> String {
    let mut text = String::from("[[cells]]\nname = \"cell\"\n");
    let stations = 1 + input.u8() % 4;
    let radius = 1 + u16::from(input.u8()) / 4;
    let standard = pick(input, STANDARDS);
    let _ = writeln!(text, "standard = \"{standard}\"");
    let _ = writeln!(
        text,
        "layout = {{ kind = \"star\", stations = {stations}, radius_m = {radius} }}"
    );
    let choices = input.u8();
    if standard == "802.11ax" && choices & 16 != 0 {
        let _ = writeln!(text, "mac.ofdma = {}", pick(input, OFDMA));
    } else if choices & 1 != 0 {
        let _ = writeln!(text, "access_point_queue = {{ {} }}", pick(input, QUEUES));
    }
    if choices & 2 != 0 {
        let _ = writeln!(text, "queue = {{ {} }}", pick(input, QUEUES));
    }
    if choices & 4 != 0 {
        let _ = writeln!(text, "rate_control.control = \"{}\"", pick(input, CONTROLS));
    }
    if choices & 64 != 0 {
        let _ = writeln!(text, "{}", pick(input, MAC));
    }
    if choices & 8 != 0 {
        text.push_str("[[cells]]\nname = \"other\"\naccess_point = \"ap2\"\nprefix = \"b\"\n");
        let _ = writeln!(text, "center = [{}, 0]", 1 + u16::from(input.u8()));
        text.push_str("layout = { kind = \"star\", stations = 1, radius_m = 5 }\n");
        text.push_str("[[flows]]\nfrom = \"b0\"\nto = \"ap2\"\n");
    }
    text.push_str("[[flows]]\nfrom = \"sta*\"\nto = \"ap\"\n");
    if choices & 32 != 0 {
        text.push_str(
            "[[links]]\nfrom = \"server\"\nto = \"ap\"\nrate = \"90 Mb/s\"\ndelay = \"1 ms\"\n",
        );
        text.push_str("[[flows]]\nfrom = \"server\"\nto = \"sta0\"\n");
    }
    for _ in 0..=input.u8() % 3 {
        let (from, to) = if input.u8().is_multiple_of(2) { ("ap", "sta0") } else { ("sta0", "ap") };
        let more = pick(input, FLOWS);
        let _ = write!(text, "[[flows]]\nfrom = \"{from}\"\nto = \"{to}\"\n{more}\n");
    }
    text
}

/// The scenario of a text, short, if it can run within the bound.
fn short(text: &str) -> Option<Scenario> {
    let mut scenario = airtcp_scenario::read(text, "fuzz", &[]).ok()?;
    scenario.duration = TIME;
    scenario.warmup = Span::ZERO;
    scenario.replications = 2;
    let plan = scenario.clone().resolve().ok()?;
    let load = |_: &str| -> Result<Arc<Outcomes>, String> { Err("no trace".to_owned()) };
    let run = airtcp_sim::run_bounded_replication(&plan, 0, EVENTS, &load, &Stop::new());
    run.is_ok_and(|done| done.is_some_and(|done| !done.reached_bound)).then_some(scenario)
}

/// A comparison: a refusal, or all variants in all replications. True if it ran.
pub(crate) fn compared(bytes: &[u8]) -> bool {
    let mut input = Bytes(bytes);
    let number = input.u8() % 4;
    let schemes = match number {
        0 => vec!["all".to_owned()],
        _ => (0..number)
            .map(|_| match input.u8() % 3 {
                0 => format!("{}+{}", pick(&mut input, SCHEMES), pick(&mut input, SCHEMES)),
                _ => pick(&mut input, SCHEMES).to_owned(),
            })
            .collect(),
    };
    let text = text(&mut input);
    let Some(scenario) = short(&text) else { return false };
    let (name, folder) = ("fuzz".to_owned(), PathBuf::new());
    let given =
        [Input::Scenario { name, text, set: Vec::new(), scenario: Box::new(scenario), folder }];
    let options = SchemesOptions { schemes, workers: Some(1), ..SchemesOptions::default() };
    match compare_schemes(&given, &options, |_, _| true) {
        Ok(result) => {
            let [subject] = result.subjects.as_slice() else { panic!("one cell, one subject") };
            assert!(!result.interrupted);
            assert_eq!(subject.runs.len(), 2 * subject.outcomes.len());
            assert!(subject.outcomes.iter().all(|outcome| !outcome.variant.is_empty()));
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

/// Any bytes as a cell and its comparison; never a panic.
pub(crate) fn schemes(bytes: &[u8]) {
    compared(bytes);
}

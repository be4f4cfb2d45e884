//! The rates and the rate control of a cell in a scenario.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use airtcp_scenario::read;
use airtcp_wifi::phy::Mode;
use airtcp_wifi::rate::RateConfig;

fn text(keys: &str) -> String {
    format!(
        "[[cells]]\nlayout = {{ kind = \"star\", stations = 1 }}\n{keys}\n\
         [[flows]]\nfrom = \"sta0\"\nto = \"ap\"\n"
    )
}

fn refusal(keys: &str) -> String {
    match read(&text(keys), "test.toml", &[]) {
        Err(e) => e.to_string(),
        Ok(s) => s.resolve().map(|_| ()).unwrap_err().to_string(),
    }
}

#[test]
fn one_rate_unless_a_control_is_named() {
    let cell = |keys: &str| {
        let plan = read(&text(keys), "test.toml", &[]).unwrap().resolve().unwrap();
        plan.cells[0].spec.rate_plan().unwrap()
    };
    let plain = cell("");
    assert_eq!((plain.control, plain.start, plain.modes.len()), (RateConfig::default(), None, 8));
    let plan = cell(
        "standard = \"802.11g\"\nrate = \"11 Mb/s\"\nrates = [\"54 Mb/s\", \"11 Mb/s\"]\n\
         rate_control = { control = \"arf\", successes = 5 }",
    );
    assert_eq!((plan.start.map(Mode::kbps), plan.modes.len()), (Some(11_000), 2));
    assert_eq!(plan.control.control(), "arf");
}

/// Controls that know of streams and widths choose among them, others among the schemes with all of both. With 1 and
/// 2 streams there are 20 schemes over 80 and 40 MHz, and 18 over 20 MHz.
#[test]
fn schemes_of_a_control() {
    for (control, schemes) in [("arf", 10), ("minstrel", 10), ("minstrel-ht", 58), ("ideal", 58)] {
        let keys = format!(
            "standard = \"802.11ac\"\nstreams = 2\nrate_control.control = \"{control}\"\n\
             stations = [{{ name = \"sta0\", standard = \"802.11a\" }}]"
        );
        let plan = read(&text(&keys), "test.toml", &[]).unwrap().resolve().unwrap();
        let spec = &plan.cells[0].spec;
        assert_eq!(spec.rate_plan().unwrap().modes.len(), schemes, "{control}");
        // An older station has the rates of its standard.
        assert_eq!(spec.station_keys().rate_plan(1).unwrap().modes.len(), 8, "{control}");
    }
}

#[test]
fn impossible_rates_are_refused() {
    for (keys, parts) in [
        ("rate = \"11 Mb/s\"", ["cells[0].rate:", "802.11a has 6 Mb/s"]),
        ("rates = [\"6 Mb/s\", \"11 Mb/s\"]", ["cells[0].rates:", "is 11 Mb/s: 802.11a has"]),
        (
            "rate = \"6 Mb/s\"\nrates = [\"54 Mb/s\"]",
            ["cells[0].rate: is 6 Mb/s", "expected 54 Mb/s"],
        ),
        (
            "rate = \"6 Mb/s\"\nrate_control = { control = \"chain\", stages = [{ rate = \"6 Mb/s\" }] }",
            ["cells[0].rate:", "whose stages set the rates"],
        ),
        (
            "rate_control = { control = \"arf\", successes = 0 }",
            ["cells[0].rate_control.successes:", "is 0"],
        ),
        (
            "rate_control.control = \"rbar\"",
            ["cells[0].rate_control.control:", "set mac.rts_threshold (0 for all frames)"],
        ),
        ("rate_control.control = \"minstrell\"", ["minstrell", "minstrel"]),
        (
            "standard = \"802.11g\"\nrate_control.control = \"minstrel-ht\"",
            ["cells[0].rate_control.control:", "onoe, minstrel, ideal, chain, rbar"],
        ),
        (
            "standard = \"802.11ax\"\nrate_control.control = \"chain\"\n\
             rate_control.stages = [{ rate = \"6 Mb/s\" }]",
            ["cells[0].rate_control.control:", "minstrel, minstrel-ht, ideal"],
        ),
        (
            "standard = \"802.11n\"\nrate_control = { control = \"minstrel-ht\", period = \"0 s\" }",
            ["cells[0].rate_control.period:", "is 0 s"],
        ),
    ] {
        let message = refusal(keys);
        assert!(parts.iter().all(|part| message.contains(part)), "{keys}: {message}");
    }
}

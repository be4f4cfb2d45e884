//! Keys that have no effect are refused, with the reason and what to do.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use airtcp_scenario::read;

const CELL: &str = "[[cells]]\nlayout = { kind = \"star\", stations = 2, radius_m = 5 }\n";
const LINK: &str = "[[links]]\nfrom = \"sta0\"\nto = \"ap\"\nrate = \"10 Mb/s\"\n";

/// The error of a scenario; empty if there is none.
fn refusal(text: &str) -> String {
    let resolved = read(text, "t.toml", &[]).and_then(|scenario| scenario.resolve());
    resolved.err().map_or_else(String::new, |error| error.to_string())
}

fn flow(keys: &str) -> String {
    format!("[[flows]]\nfrom = \"sta0\"\nto = \"ap\"\n{keys}\n")
}

#[test]
fn access_categories_without_edca() {
    let voice = flow("access_category = \"voice\"");
    let said = refusal(&format!("{CELL}{voice}"));
    assert_eq!(
        said,
        "flows[0].access_category: is \"voice\", which has an effect in cells with EDCA, but \
         mac.access of the cell is \"dcf\": set cells[0].mac.access = \"edca\", or omit the key"
    );
    let back = flow("reverse_access_category = \"best-effort\"");
    let said = refusal(&format!("{CELL}{}{back}", flow("")));
    assert!(said.contains("flows[1].reverse_access_category: is \"best-effort\""), "{said}");
    let said = refusal(&format!("{LINK}{voice}"));
    assert!(said.ends_with("but the scenario has no cell: omit the key"), "{said}");
    // One cell with access categories is enough: packets may pass several cells.
    let edca = format!("{CELL}mac.access = \"edca\"\n");
    let other = "[[cells]]\nname = \"b\"\naccess_point = \"b\"\nprefix = \"b\"\n\
                 layout = { kind = \"star\", stations = 1, radius_m = 5 }\n";
    for cells in [edca.clone(), format!("{edca}{other}")] {
        assert_eq!(refusal(&format!("{cells}{voice}")), "");
    }
    let said = refusal(&format!("{CELL}{other}{voice}"));
    assert!(said.contains("mac.access of all cells is \"dcf\": set mac.access"), "{said}");
    // The default is not told from its absence.
    assert_eq!(refusal(&format!("{CELL}{}", flow("access_category = \"best-effort\""))), "");
}

#[test]
fn dscps_without_access_categories() {
    let with = |keys: &str| refusal(&format!("{CELL}dscp = true\n{keys}\n{}", flow("")));
    let said = with("");
    assert!(
        said.starts_with("cells[0].dscp: needs access categories, and mac.access is"),
        "{said}"
    );
    let edca = "mac.access = \"edca\"";
    assert_eq!(with(edca), "");
    let said = with(&format!("{edca}\nschemes = [{{ scheme = \"same-category\" }}]"));
    assert!(
        said.contains("cells[0].dscp: gives each packet the category of its own DSCP"),
        "{said}"
    );
    assert_eq!(with(&format!("{edca}\nschemes = [{{ scheme = \"ftca\" }}]")), "");
}

#[test]
fn a_rate_of_rts_without_rts() {
    let with = |keys: &str| refusal(&format!("{CELL}{keys}\n{}", flow("")));
    let said = with("mac = { rts_rate = \"6 Mb/s\" }");
    assert!(said.contains("cells[0].mac.rts_rate: is 6 Mb/s, but without rts_threshold"), "{said}");
    assert_eq!(with("mac = { rts_rate = \"6 Mb/s\", rts_threshold = \"100 B\" }"), "");
    let rbar = "rate_control = { control = \"rbar\" }\nmac = { rts_threshold = \"0 B\"";
    assert_eq!(with(&format!("{rbar} }}")), "");
    let said = with(&format!("{rbar}, rts_rate = \"6 Mb/s\" }}"));
    assert!(said.contains("is \"rbar\", which chooses the rate of RTS"), "{said}");
}

#[test]
fn a_delay_of_notifications_without_notifications() {
    let with = |keys: &str| refusal(&format!("{LINK}{}", flow(&format!("tcp = {{ {keys} }}"))));
    let said = with("loss_notification_delay = \"3 ms\"");
    assert!(said.contains("loss_notification_delay: is 3 ms, but loss_notification is"), "{said}");
    assert_eq!(with("loss_notification = \"oracle\", loss_notification_delay = \"3 ms\""), "");
    assert_eq!(with("loss_notification_delay = \"0 s\""), "");
}

#[test]
fn a_station_without_a_parameter() {
    let with = |station: &str| {
        let scheme = format!("schemes = [{{ scheme = \"per-station\", stations = [{station}] }}]");
        refusal(&format!("{CELL}{scheme}\n{}", flow("")))
    };
    let good = "{ station = \"sta0\", aifsn = 3 }";
    assert_eq!(with(good), "");
    for (station, said) in [
        (
            "{ station = \"sta1\" }",
            ": names \"sta1\" without a parameter, so that nothing differs: give",
        ),
        // The path leads to the key as in other tables.
        ("{ station = \"stax\", aifsn = 3 }", ".station: the cell has no node \"stax\""),
        ("{ station = \"sta1\", attempts = 256 }", ".attempts: is 256: expected 1 to 255"),
        ("{ station = \"sta1\", aifsn = 16 }", ": AIFSN of sta1 is 16"),
    ] {
        let found = with(&format!("{good}, {station}"));
        let wanted = format!("cells[0].schemes[0].stations[1]{said}");
        assert!(found.contains(&wanted), "{found}\n{wanted}");
    }
    // Two entries for one station.
    let found = with(&format!("{good}, {good}"));
    assert!(found.contains("cells[0].schemes[0].scheme: "), "{found}");
}

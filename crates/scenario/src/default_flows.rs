//! Overrides such as `flows[0].tcp.receive_buffer=64 kB` of a scenario that writes no flows: its default flows become explicit
//! first, so that there is a `flows[0]`.

use serde_json::{Map, Value};

use crate::steps::{Step, steps};
use crate::{FlowSpec, Scenario};

/// True if the path is that of one flow.
pub(crate) fn is_of_flow(path: &str) -> bool {
    let steps = steps(path);
    matches!(steps.as_slice(), [Step::Key("flows"), Step::Index(_), ..])
}

/// True if the path is that of a flow, and the tree of a scenario has none.
pub(crate) fn are_meant(tree: &Value, path: &str) -> bool {
    let written = tree.get("flows").and_then(Value::as_array);
    written.is_none_or(Vec::is_empty) && is_of_flow(path)
}

/// The default flows of a tree whose shorthands are expanded; none if it is no scenario.
pub(crate) fn of(tree: Value) -> Vec<FlowSpec> {
    let Ok(mut scenario) = serde_json::from_value::<Scenario>(tree) else { return Vec::new() };
    match scenario.add_default_flow() {
        Ok(()) => scenario.flows,
        Err(_) => Vec::new(),
    }
}

/// Writes the flows into a tree, as their keys without a default.
pub(crate) fn write(tree: &mut Value, flows: Vec<FlowSpec>) {
    let Some(root) = tree.as_object_mut().filter(|_| !flows.is_empty()) else { return };
    let written = flows.into_iter().map(|FlowSpec { from, to, count, .. }| {
        let keys = [("from", from.into()), ("to", to.into()), ("count", Value::from(count))];
        Value::Object(
            keys.map(|(key, value): (&str, Value)| (key.to_owned(), value))
                .into_iter()
                .collect::<Map<_, _>>(),
        )
    });
    root.insert("flows".into(), Value::Array(written.collect()));
}

#[cfg(test)]
mod tests {
    use crate::read;

    const LINK: &str = "[[links]]\nfrom = \"a\"\nto = \"b\"\n";
    const CELL: &str = "[[cells]]\nlayout = { kind = \"star\", stations = 3 }\n";
    const CHAIN: &str = "[topology]\nkind = \"chain\"\nhops = 3\nlink = { delay = \"1 ms\" }\n";

    fn set(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn the_default_flows_can_be_overridden() {
        for text in [LINK, CELL, CHAIN, "flows = []\n[[links]]\nfrom = \"a\"\nto = \"b\"\n"] {
            let default = read(text, "", &[]).unwrap().resolve().unwrap();
            let same = set(&[("flows[0].start_spread", "0 s")]);
            let explicit = read(text, "", &same).unwrap().resolve().unwrap();
            assert_eq!(explicit.flows, default.flows, "{text}");
            let own = set(&[("flows[0].tcp.receive_buffer", "100 kB"), ("seed", "4")]);
            let changed = read(text, "", &own).unwrap().resolve().unwrap();
            for (flow, default) in changed.flows.iter().zip(&default.flows) {
                assert_eq!(flow.tcp.receive_buffer.0, 100_000);
                assert_eq!((&flow.name, flow.from), (&default.name, default.from));
            }
        }
    }

    /// The flows are those of the scenario after all overrides, in whatever order these come.
    #[test]
    fn other_overrides_count() {
        let more =
            set(&[("flows[0].tcp.receive_buffer", "64 kB"), ("cells[0].layout.stations", "7")]);
        assert_eq!(read(CELL, "", &more).unwrap().resolve().unwrap().flows.len(), 7);
        let common = set(&[("flows[0].start_spread", "1 s"), ("tcp.receive_buffer", "64 kB")]);
        let plan = read(LINK, "", &common).unwrap().resolve().unwrap();
        assert_eq!(plan.flows[0].tcp.receive_buffer.0, 64_000);
    }

    #[test]
    fn flows_that_do_not_exist_are_refused() {
        let said =
            |text: &str, path: &str| read(text, "t", &set(&[(path, "1")])).unwrap_err().to_string();
        assert!(said(LINK, "flows[1].count").contains("there is no element 1 (found 1)"));
        let two = format!("{LINK}[[links]]\nfrom = \"b\"\nto = \"c\"\n");
        assert!(said(&two, "flows[0].count").contains("there is no element 0 (found 0)"));
        assert!(said("[[links]]\nfrom = 3\n", "flows[0].count").contains("found 0"));
    }
}

//! The tables `[[outside]]`: nodes where real traffic enters and leaves.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ScenarioError;

/// Maximum number of nodes where real traffic enters and leaves.
pub const MAX_OUTSIDE: usize = 16;

/// A node where real traffic enters and leaves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutsideSpec {
    /// Name of the node.
    pub node: String,
}

/// Checks the names of the nodes outside.
pub(crate) fn check(outside: &[OutsideSpec], nodes: &[String]) -> Result<(), ScenarioError> {
    for (i, OutsideSpec { node }) in outside.iter().enumerate() {
        let at = |message: String| Err(ScenarioError::at(format!("outside[{i}].node"), message));
        if !nodes.contains(node) {
            return at(format!(
                "is \"{node}\", which is no node: expected one of {}",
                listed(nodes)
            ));
        }
        if outside[..i].iter().any(|other| other.node == *node) {
            return at(format!("is \"{node}\", as in an earlier table: give each node once"));
        }
    }
    if outside.len() == 1 || outside.len() > MAX_OUTSIDE {
        let n = outside.len();
        return Err(ScenarioError::at(
            "outside",
            format!("has length {n}: expected no table, or 2 to {MAX_OUTSIDE}"),
        ));
    }
    Ok(())
}

fn listed(nodes: &[String]) -> String {
    let more = if nodes.len() > 8 { ", ..." } else { "" };
    let shown: Vec<_> = nodes.iter().take(8).map(|node| format!("\"{node}\"")).collect();
    shown.join(", ") + more
}

#[cfg(test)]
mod tests {
    use crate::{Resolved, ScenarioError, read};

    fn resolve(outside: &str) -> Result<Resolved, ScenarioError> {
        let text = format!(
            "duration = \"1 s\"\nlinks = [{{ from = \"a\", to = \"b\", rate = \"1 Mb/s\" }},\n\
             {{ from = \"b\", to = \"c\", rate = \"1 Mb/s\" }}]\n\
             flows = [{{ from = \"a\", to = \"c\" }}]\n{outside}"
        );
        read(&text, "", &[])?.resolve()
    }

    #[test]
    fn nodes_by_name_or_the_ends_of_the_first_flow() {
        assert_eq!(resolve("").unwrap().outside_nodes(), [0, 2]);
        let two = "outside = [{ node = \"b\" }, { node = \"a\" }]";
        assert_eq!(resolve(two).unwrap().outside_nodes(), [1, 0]);
    }

    #[test]
    fn refused() {
        for (outside, path, part) in [
            ("[{ node = \"b\" }]", "outside", "2 to 16"),
            ("[{ node = \"b\" }, { node = \"x\" }]", "outside[1].node", "no node"),
            ("[{ node = \"b\" }, { node = \"b\" }]", "outside[1].node", "once"),
        ] {
            let error = resolve(&format!("outside = {outside}")).unwrap_err().to_string();
            assert!(error.contains(path) && error.contains(part), "{error}");
        }
    }
}

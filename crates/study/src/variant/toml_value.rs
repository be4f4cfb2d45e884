//! A value as it stands in a scenario's file.

use serde_json::Value;

/// A value in TOML, tables inline. A table's tag (`scheme`, `kind`) comes first.
pub(crate) fn inline(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(inline).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(table) => {
            let is_tag = |key: &str| matches!(key, "scheme" | "kind");
            let (tags, keys): (Vec<_>, Vec<_>) = table.iter().partition(|(key, _)| is_tag(key));
            let pairs = tags.into_iter().chain(keys);
            let pairs: Vec<String> =
                pairs.map(|(key, value)| format!("{key} = {}", inline(value))).collect();
            if pairs.is_empty() {
                return "{}".to_owned();
            }
            format!("{{ {} }}", pairs.join(", "))
        }
        // Text escapes as in JSON; numbers and flags are alike.
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_of_a_file() {
        let table = json!({ "at": "both", "scheme": "ftca", "exclusive": true, "n": { "m": 1.5 } });
        let text = "{ scheme = \"ftca\", at = \"both\", exclusive = true, n = { m = 1.5 } }";
        assert_eq!(inline(&table), text);
        assert_eq!(inline(&json!([table])), format!("[{text}]"));
        assert_eq!(inline(&json!([])), "[]");
        assert_eq!(inline(&json!({ "m": {} })), "{ m = {} }");
    }
}

//! The JSON Schema of a scenario file, for editors and for the Python models.

use airtcp_transport::tcp::Profile;
use serde_json::{Value, json};

use crate::Scenario;

/// The schema, with the shorthands of the reader: the keys of a link's forward direction may stand beside
/// the link's own, and `tcp` may be a profile's name or a table with a `profile`.
pub fn json_schema() -> Value {
    let mut schema = schemars::schema_for!(Scenario).to_value();
    let direction = schema["$defs"]["Direction"]["properties"].clone();
    if let (Some(link), Some(direction)) =
        (schema["$defs"]["LinkSpec"]["properties"].as_object_mut(), direction.as_object())
    {
        for (key, value) in direction {
            link.entry(key).or_insert_with(|| value.clone());
        }
    }
    let names = json!({
        "type": "string",
        "enum": Profile::ALL.map(Profile::name),
        "description": "Name of a parameter profile."
    });
    if let Some(tcp) = schema["$defs"]["TcpConfig"]["properties"].as_object_mut() {
        tcp.insert("profile".into(), names.clone());
    }
    let choice = json!({
        "description": "TCP parameters: a profile's name, or a table with `profile` and what differs from it.",
        "anyOf": [names, { "$ref": "#/$defs/TcpConfig" }]
    });
    if let Some(flow) = schema["$defs"]["FlowSpec"]["properties"].as_object_mut() {
        flow.insert("tcp".into(), choice.clone());
    }
    if let Some(root) = schema["properties"].as_object_mut() {
        root.insert("tcp".into(), choice);
    }
    schema["$id"] = json!("airtcp.scenario/1");
    schema["title"] = json!("airtcp scenario");
    schema
}

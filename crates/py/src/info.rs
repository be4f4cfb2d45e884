//! The registered models, and the schemas of the documents.

use pyo3::prelude::*;
use serde::Serialize;

use crate::capture::CaptureDocument;
use crate::error;
use crate::traces::TraceDocument;

/// The version of the program.
#[pyfunction]
pub(crate) const fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// What a text file is that begins with `start`, and whether a command for traces reads it; `None` if unknown.
#[pyfunction]
pub(crate) fn text_kind(name: &str, start: &[u8]) -> Option<(String, bool)> {
    airtcp_trace::reader::text_kind(std::path::Path::new(name), start)
}

/// An entry of `airtcp list`.
#[derive(Serialize)]
struct Listed {
    family: &'static str,
    name: &'static str,
    description: &'static str,
    source: &'static str,
}

/// Everything that can be chosen by name, or one family of it, as a JSON list.
#[pyfunction]
#[pyo3(signature = (family = None))]
pub(crate) fn registry(family: Option<&str>) -> PyResult<String> {
    let layouts = airtcp_trace::reader::layouts().map(|layout| Listed {
        family: "layout",
        name: layout.tag,
        description: layout.description,
        source: "docs/reference/trace-formats.md",
    });
    let (transport, laws) = (airtcp_transport::registry(), airtcp_congestion::registry());
    let models = transport.iter().chain(airtcp_sliding::registry()).chain(&laws);
    let models = models.chain(airtcp_queueing::registry()).chain(airtcp_link::registry());
    let models = models.chain(airtcp_link::protocol::registry());
    let wifi = airtcp_wifi::registries().into_iter().flatten().chain(airtcp_fec::registry());
    let mut all: Vec<Listed> = models
        .chain(wifi)
        .map(|e| Listed {
            family: e.family,
            name: e.name,
            description: e.description,
            source: e.source,
        })
        .chain(layouts)
        .collect();
    let mut families: Vec<&str> = all.iter().map(|e| e.family).collect();
    // Several crates register transports: a family has the place of its first entry.
    let order = families.clone();
    all.sort_by_key(|e| order.iter().position(|family| *family == e.family));
    families.sort_unstable();
    families.dedup();
    // "queues" means "queue".
    let singular = |name: &'_ str| families.iter().find(|f| name.strip_suffix('s') == Some(f));
    let wanted = match family {
        Some(name) if !families.contains(&name) => Some(*singular(name).ok_or_else(|| {
            let known = families.join(", ");
            error::refuse(format!("no family \"{name}\" (accepted: {known})"))
        })?),
        other => other,
    };
    let listed: Vec<&Listed> =
        all.iter().filter(|e| wanted.is_none_or(|wanted| e.family == wanted)).collect();
    serde_json::to_string(&listed).map_err(error::refuse)
}

/// The JSON Schema of a kind of document, as JSON.
#[pyfunction]
pub(crate) fn schema(kind: &str) -> PyResult<String> {
    let schema = match kind {
        "scenario" => airtcp_scenario::json_schema(),
        "study" => written::<airtcp_study::StudyResult>(),
        "run" => written::<airtcp_study::ExplainedRun>(),
        "compare" => written::<airtcp_study::CompareResult>(),
        "schemes" => written::<airtcp_study::SchemesResult>(),
        "trace" => written::<TraceDocument>(),
        "capture" => written::<CaptureDocument>(),
        _ => {
            return Err(error::refuse(format!(
                "no schema \"{kind}\" (accepted: scenario, study, run, trace, compare, schemes, capture)"
            )));
        }
    };
    serde_json::to_string(&schema).map_err(error::refuse)
}

/// The schema of a document as the program writes it: keys that are always present are required.
fn written<T: schemars::JsonSchema>() -> serde_json::Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

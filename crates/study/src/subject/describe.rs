//! The description of a subject in documents, without its results.

use std::collections::BTreeMap;

use airtcp_trace::LinkTrace;
use airtcp_transport::tcp::TcpConfig;

use crate::document::TraceSource;
use crate::document::compare::{Subject, SubjectKind, VariantTcp};
use crate::variant::tcp::VariantSpec;

/// A link with its own notes and these.
pub(crate) fn of_link(link: &LinkTrace, kind: SubjectKind, notes: &[&str]) -> Subject {
    Subject {
        name: link.name.clone(),
        kind,
        source: Some(TraceSource::of(link)),
        notes: link.notes.iter().cloned().chain(notes.iter().map(|n| (*n).to_owned())).collect(),
        ..Subject::default()
    }
}

pub(crate) fn parameters(variant: &VariantSpec, tcp: &TcpConfig) -> VariantTcp {
    let recovery = serde_json::to_value(tcp.recovery).unwrap_or_default();
    VariantTcp {
        variant: variant.label().to_owned(),
        transport: variant.no_tcp().unwrap_or("tcp").to_owned(),
        law: tcp.congestion.name().to_owned(),
        recovery: recovery.as_str().unwrap_or_default().to_owned(),
        parameters: serde_json::to_value(tcp).unwrap_or_default(),
    }
}

/// The note on TCPs that differ in congestion law and in loss recovery: the law alone then does not
/// explain a difference.
pub(crate) fn mixed_recoveries(tcp: &[VariantTcp]) -> Option<String> {
    let tcp: Vec<&VariantTcp> = tcp.iter().filter(|v| v.transport == "tcp").collect();
    let mixed = tcp.iter().any(|a| tcp.iter().any(|b| a.law != b.law && a.recovery != b.recovery));
    if !mixed {
        return None;
    }
    let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for variant in &tcp {
        groups.entry(&variant.recovery).or_default().push(&variant.variant);
    }
    let groups: Vec<String> = groups
        .iter()
        .map(|(recovery, names)| format!("{} with \"{recovery}\"", names.join(", ")))
        .collect();
    Some(format!(
        "These TCPs differ in loss recovery as well as in congestion control: {}. Differences between \
         the groups therefore do not show the laws alone. \"reno\" is Reno's law with SACK.",
        groups.join("; ")
    ))
}

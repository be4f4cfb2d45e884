//! Whether a path has what a transport needs (ECN, and queues that mark), and whether it loses packets.
//!
//! A transport declares what it needs ([`Needs`]). If the path does not meet a need, the transport
//! runs and its numbers are shown, but the verdict does not rank it: they do not show what its
//! source describes.

use std::borrow::Cow;

use airtcp_congestion::Needs;
use airtcp_link::LossConfig;
use airtcp_queueing::QueueConfig;
use airtcp_scenario::{Flow, OneWay, Resolved, TransportKind};
use airtcp_sim::links_on_way;
use airtcp_transport::tcp::TcpConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a variant needs and does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Lack {
    /// ECN: `tcp.ecn` is off.
    Ecn,
    /// A queue on the path that marks.
    Queue,
}

/// What a variant needs and the path does not have: at least one thing, and the kind of the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unmet {
    pub(crate) lacks: Vec<Lack>,
    pub(crate) queue: Option<String>,
}

/// True if a direction of a link has a loss model.
pub(crate) fn loses(link: &OneWay) -> bool {
    link.direction.loss.as_ref().is_some_and(|loss| !matches!(loss, LossConfig::None(_)))
}

/// The needs of the compared flows that a scenario's path does not meet.
pub(crate) fn unmet_on(plan: &Resolved, flows: &[usize]) -> Option<Unmet> {
    flows.iter().find_map(|&flow| {
        let spec = &plan.flows[flow];
        let (needs, ecn) = needs_of(spec);
        let links = links_on_way(plan, flow);
        let links = links.iter().filter_map(|link| plan.links[*link].direction.queue.as_ref());
        let cells = plan.cells.iter().flat_map(|cell| {
            let keys = cell.spec.station_keys();
            (0..cell.nodes.len()).map(move |station| keys.queue(station).0)
        });
        unmet(needs, ecn, links.map(Cow::Borrowed).chain(cells))
    })
}

/// The same for TCP over a trace, one packet a slot: its queue never overflows and marks nothing.
pub(crate) fn unmet_over_slots(tcp: &TcpConfig) -> Option<Unmet> {
    unmet(tcp.needs(), tcp.ecn, std::iter::empty())
}

/// What the transport of a flow needs, and whether it speaks ECN.
fn needs_of(flow: &Flow) -> (Needs, bool) {
    match flow.transport {
        TransportKind::Tcp => (flow.tcp.needs(), flow.tcp.ecn),
        TransportKind::LtTcp => (flow.lt.needs(&flow.tcp), flow.lt.ecn),
        _ => (Needs::Nothing, false),
    }
}

fn unmet<'a>(
    needs: Needs,
    ecn: bool,
    mut queues: impl Iterator<Item = Cow<'a, QueueConfig>>,
) -> Option<Unmet> {
    let (kind, has) = match needs {
        Needs::Nothing => return None,
        Needs::EcnMarks => (None, queues.any(|queue| marks(&queue))),
        Needs::MarkingQueue(kind) => {
            (Some(kind.to_owned()), queues.any(|queue| queue.kind() == kind))
        }
    };
    let mut lacks = Vec::new();
    lacks.extend((!ecn).then_some(Lack::Ecn));
    lacks.extend((!has).then_some(Lack::Queue));
    (!lacks.is_empty()).then(|| Unmet { lacks, queue: kind.filter(|_| !has) })
}

/// True if a queue marks ECN-capable packets: the queue of Jersey and `DualPI2` always, every other discipline
/// with its key `ecn`.
fn marks(queue: &QueueConfig) -> bool {
    let table = serde_json::to_value(queue).unwrap_or_default();
    matches!(queue.kind(), "jersey" | "dualpi2") || table.get("ecn") == Some(&Value::Bool(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(queue: &str, tcp: &str) -> Resolved {
        let text = format!(
            "duration = \"1 s\"\n\
             links = [{{ from = \"a\", to = \"b\", rate = \"1 Mb/s\", queue = {queue} }}]\n\
             flows = [{{ from = \"a\", to = \"b\", tcp = {tcp} }}]"
        );
        airtcp_scenario::read(&text, "", &[]).unwrap().resolve().unwrap()
    }

    #[test]
    fn a_path_has_it_or_not() {
        let jersey =
            |ecn| format!("{{ profile = \"linux\", congestion = \"jersey\", ecn = {ecn} }}");
        let only = "{ profile = \"linux\", ecn = true, loss_response = \"ecn-only\" }";
        let (tail, red) = ("{ kind = \"drop-tail\" }", "{ kind = \"red\", ecn = true }");
        let queue = &[Lack::Queue][..];
        for (on_path, tcp, expected) in [
            ("{ kind = \"jersey\" }", jersey(true), None),
            ("{ kind = \"jersey\" }", jersey(false), Some((&[Lack::Ecn][..], None))),
            (tail, jersey(true), Some((queue, Some("jersey")))),
            (red, jersey(true), Some((queue, Some("jersey")))),
            (tail, jersey(false), Some((&[Lack::Ecn, Lack::Queue][..], Some("jersey")))),
            (red, only.to_owned(), None),
            ("{ kind = \"jersey\" }", only.to_owned(), None),
            ("{ kind = \"dualpi2\" }", only.to_owned(), None),
            ("{ kind = \"red\" }", only.to_owned(), Some((queue, None))),
            (tail, only.to_owned(), Some((queue, None))),
            (tail, "\"linux\"".to_owned(), None),
        ] {
            let found = unmet_on(&plan(on_path, &tcp), &[0]);
            let expected = expected.map(|(lacks, queue)| Unmet {
                lacks: lacks.to_vec(),
                queue: queue.map(str::to_owned),
            });
            assert_eq!(found, expected, "{on_path} {tcp}");
        }
    }
}

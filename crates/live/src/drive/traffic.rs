//! What became of the packets, by kind and by flow.

use std::collections::BTreeMap;

use airtcp_units::Span;
use serde::Serialize;

use crate::emulate::{Ends, Fate};

/// Flows that are counted one by one, a direction each; the others are one row.
const MOST: usize = 10_000;
/// Flows in a document.
const SHOWN: usize = 1_000;

/// Counts of a direction of a flow.
#[derive(Debug, Clone, Default)]
struct Counts {
    packets: u64,
    bytes: u64,
    delivered: u64,
    delivered_bytes: u64,
    marked: u64,
    dropped: u64,
    delay_ns: u128,
    delay_max: Span,
    first: u64,
    last: u64,
}

/// What became of the packets of a run.
#[derive(Debug, Default)]
pub(super) struct Traffic {
    /// Packets by what became of them and where.
    pub fates: BTreeMap<(&'static str, String), u64>,
    /// By the port where they enter, and the ends; packets without a flow are one.
    flows: BTreeMap<(String, Option<Ends>), Counts>,
    /// Whether flows beyond [`MOST`] are counted as packets without a flow.
    pub overflow: bool,
}

/// A direction of a flow, as its document has it.
#[derive(Debug, Serialize)]
pub(super) struct FlowRow {
    /// The node where its packets enter.
    node: String,
    /// `tcp`, `udp`, or `other` for packets without a flow.
    protocol: &'static str,
    /// Address and port; none for packets without a flow.
    source: Option<String>,
    destination: Option<String>,
    packets: u64,
    bytes: u64,
    delivered: u64,
    delivered_bytes: u64,
    marked: u64,
    dropped: u64,
    /// Mean time in the model of the packets that were delivered.
    delay_mean_s: Option<f64>,
    delay_max_s: Option<f64>,
    /// From the first packet to the end of the last.
    duration_s: f64,
}

impl Traffic {
    /// Counts a packet.
    pub(super) fn add(&mut self, fate: Fate) {
        let Fate { port, ends, length, entered, left, fate, place, .. } = fate;
        let mut key = (port, ends);
        if self.flows.len() >= MOST && !self.flows.contains_key(&key) {
            self.overflow |= key.1.is_some();
            key.1 = None;
        }
        let new = Counts { first: entered.0, ..Counts::default() };
        let flow = self.flows.entry(key).or_insert(new);
        let bytes = u64::from(length);
        flow.packets += 1;
        flow.bytes += bytes;
        flow.first = flow.first.min(entered.0);
        flow.last = flow.last.max(left.0);
        if matches!(fate, "delivered" | "marked") {
            let delay = left.since(entered);
            flow.delivered += 1;
            flow.delivered_bytes += bytes;
            flow.marked += u64::from(fate == "marked");
            flow.delay_ns += u128::from(delay.0);
            flow.delay_max = flow.delay_max.max(delay);
        } else {
            flow.dropped += 1;
        }
        *self.fates.entry((fate, place)).or_default() += 1;
    }

    /// The flows with the most bytes, and how many others there are.
    pub(super) fn rows(&self) -> (Vec<FlowRow>, usize) {
        let mut all: Vec<_> = self.flows.iter().collect();
        all.sort_by_key(|(_, counts)| std::cmp::Reverse(counts.bytes));
        let rows = all.iter().take(SHOWN).map(|((port, ends), counts)| row(port, *ends, counts));
        (rows.collect(), all.len().saturating_sub(SHOWN))
    }
}

fn row(port: &str, ends: Option<Ends>, counts: &Counts) -> FlowRow {
    let delivered = (counts.delivered > 0).then_some(counts.delivered as f64);
    FlowRow {
        node: port.to_owned(),
        protocol: match ends.map(|ends| ends.protocol) {
            Some(6) => "tcp",
            Some(17) => "udp",
            _ => "other",
        },
        source: ends.map(|ends| ends.from.to_string()),
        destination: ends.map(|ends| ends.to.to_string()),
        packets: counts.packets,
        bytes: counts.bytes,
        delivered: counts.delivered,
        delivered_bytes: counts.delivered_bytes,
        marked: counts.marked,
        dropped: counts.dropped,
        delay_mean_s: delivered.map(|packets| counts.delay_ns as f64 * 1e-9 / packets),
        delay_max_s: delivered.map(|_| counts.delay_max.as_secs_f64()),
        duration_s: counts.last.saturating_sub(counts.first) as f64 * 1e-9,
    }
}

#[cfg(test)]
mod tests {
    use airtcp_units::Nanos;

    use super::*;

    fn fate(port: u16, length: u32, fate: &'static str) -> Fate {
        let end = |port| std::net::SocketAddr::from(([10, 0, 0, 1], port));
        let ends = (port > 0).then(|| Ends { protocol: 6, from: end(port), to: end(80) });
        let (entered, left) = (Nanos(1_000_000_000), Nanos(1_004_000_000));
        let (flow, ip_id, seq) = (1, 0, 0);
        let (port, place) = ("a".to_owned(), "b".to_owned());
        Fate { port, flow, ends, ip_id, seq, length, entered, left, fate, place }
    }

    #[test]
    fn each_direction_of_a_flow_is_a_row() {
        let mut traffic = Traffic::default();
        for (port, length, what) in
            [(1, 100, "delivered"), (1, 100, "loss"), (2, 900, "marked"), (0, 84, "delivered")]
        {
            traffic.add(fate(port, length, what));
        }
        let (rows, left_out) = traffic.rows();
        let short: Vec<_> =
            rows.iter().map(|row| (row.protocol, row.packets, row.dropped)).collect();
        assert_eq!((short, left_out), (vec![("tcp", 1, 0), ("tcp", 2, 1), ("other", 1, 0)], 0));
        assert_eq!(rows[0].source.as_deref(), Some("10.0.0.1:2"));
        assert_eq!((rows[0].marked, rows[0].delay_mean_s), (1, Some(0.004)));
        assert_eq!(traffic.fates.values().sum::<u64>(), 4);
    }

    #[test]
    fn any_number_of_flows_takes_bounded_memory() {
        let mut traffic = Traffic::default();
        for port in 1..12_000 {
            traffic.add(fate(port, 100, "delivered"));
        }
        assert_eq!(traffic.flows.len(), MOST + 1);
        assert!(traffic.overflow);
        let (rows, left_out) = traffic.rows();
        assert_eq!((rows.len(), left_out), (SHOWN, MOST + 1 - SHOWN));
        assert_eq!((rows[0].protocol, rows[0].packets), ("other", 11_999 - MOST as u64));
    }
}

//! Another queue discipline at every queue of a cell, each with the capacity that it had.
//!
//! Capacities stay, so that a comparison shows what the discipline does and not what a longer buffer does: of
//! their own, `drop-tail` holds 100 packets (1000 with 802.11n, ac and ax), `codel` 1000 and `fq-codel` 10240. A capacity in bytes has no
//! equivalent in disciplines that count packets. These then have the capacity of their defaults.

use airtcp_queueing::QueueConfig;
use airtcp_scenario::CellSpec;
use serde_json::{Map, Value, json};

use crate::base::keys;
use crate::variant::toml_value::inline;

/// The key of a capacity in packets, where a discipline has no capacity in bytes.
const LIMIT: &str = "limit";
/// The keys of the two capacities of other disciplines.
const PACKETS: &str = "packets";
const BYTES: &str = "bytes";
/// The key of the capacity of a shaper as a time.
const LATENCY: &str = "latency";

/// Puts the discipline of `table` at every station and at the access point of a cell, whose queues may be
/// described apart, and adds to `sets` what changes.
///
/// # Errors
/// If the discipline cannot have the capacity of a queue.
pub(super) fn put(
    cell: &mut CellSpec,
    table: &Value,
    at: &str,
    sets: &mut Vec<String>,
) -> Result<(), String> {
    let usual = cell.default_queue_packets();
    let apart = cell.stations.iter_mut().enumerate().filter_map(|(number, station)| {
        station.queue.as_mut().map(|own| (format!("stations[{number}].queue"), own))
    });
    let access_point = cell.access_point_queue.as_mut();
    // Without a key, the stations have drop-tail; the access point then follows `queue`.
    let of_all = cell.queue.get_or_insert_default();
    let all = std::iter::once(("queue".to_owned(), of_all))
        .chain(access_point.map(|own| ("access_point_queue".to_owned(), own)))
        .chain(apart);
    for (key, own) in all {
        let (queue, table) = with_capacity_of(own, table, usual)?;
        if *own != queue {
            *own = queue;
            sets.push(format!("{at}.{key} = {}", inline(&table)));
        }
    }
    Ok(())
}

/// The discipline of `table`, with the capacity of `had` if `table` states none; `usual` is that of a queue whose
/// table has no capacity, in packets.
fn with_capacity_of(
    had: &QueueConfig,
    table: &Value,
    usual: u32,
) -> Result<(QueueConfig, Value), String> {
    let mut keys = table.as_object().cloned().unwrap_or_default();
    let read = |keys: &Map<String, Value>| -> Result<QueueConfig, String> {
        keys::read("kind", &Value::Object(keys.clone()))
    };
    if ![LIMIT, PACKETS, BYTES, LATENCY].iter().any(|key| keys.contains_key(*key)) {
        let takes = all_keys(&read(&keys)?);
        let (packets, bytes) = capacity(had, usual);
        if takes.contains_key(LIMIT) {
            keys.extend(packets.map(|n| (LIMIT.to_owned(), n)));
        } else {
            keys.extend(packets.map(|n| (PACKETS.to_owned(), n)));
            keys.extend(bytes.map(|n| (BYTES.to_owned(), n)));
        }
    }
    Ok((read(&keys)?, Value::Object(keys)))
}

/// The capacity of a queue in packets and in bytes; at least one of them.
fn capacity(queue: &QueueConfig, usual: u32) -> (Option<Value>, Option<Value>) {
    let keys = all_keys(queue);
    let packets = keys.get(LIMIT).or_else(|| keys.get(PACKETS)).cloned();
    let bytes = keys.get(BYTES).cloned();
    match (&packets, &bytes) {
        (None, None) => (Some(json!(usual)), None),
        _ => (packets, bytes),
    }
}

/// Every key of a queue that has a value.
fn all_keys(queue: &QueueConfig) -> Map<String, Value> {
    match serde_json::to_value(queue) {
        Ok(Value::Object(keys)) => keys,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(table: Value) -> QueueConfig {
        serde_json::from_value(table).unwrap()
    }

    fn put_at(had: Value, table: &Value) -> Value {
        let (queue, table) = with_capacity_of(&queue(had), table, 100).unwrap();
        assert_eq!(queue, serde_json::from_value(table.clone()).unwrap());
        table
    }

    /// Also those that will be registered: a capacity under another name fails here.
    #[test]
    fn every_discipline_keeps_a_capacity_in_packets() {
        for entry in airtcp_queueing::registry() {
            let mut asked = json!({ "kind": entry.name });
            if entry.name == "tbf" {
                asked = json!({ "kind": "tbf", "rate": "1 Mb/s", "burst": "3 kB" });
            }
            let table = put_at(json!({ "kind": "drop-tail", "packets": 37 }), &asked);
            let key = table.get(LIMIT).or_else(|| table.get(PACKETS));
            assert_eq!(key, Some(&json!(37)), "{}", entry.name);
            let back = put_at(table, &json!({ "kind": "drop-tail" }));
            assert_eq!(back, json!({ "kind": "drop-tail", "packets": 37 }), "{}", entry.name);
        }
    }

    #[test]
    fn capacities_that_are_stated_open_or_in_bytes() {
        let codel = json!({ "kind": "codel" });
        assert_eq!(
            put_at(json!({ "kind": "drop-tail" }), &codel),
            json!({ "kind": "codel", "limit": 100 })
        );
        let stated = json!({ "kind": "codel", "limit": 9 });
        assert_eq!(put_at(json!({ "kind": "drop-tail", "packets": 20 }), &stated), stated);
        let bytes = json!({ "kind": "drop-tail", "bytes": "30 kB" });
        assert_eq!(put_at(bytes.clone(), &codel), codel);
        let filter = put_at(bytes, &json!({ "kind": "ack-filter" }));
        assert_eq!(queue(filter), queue(json!({ "kind": "ack-filter", "bytes": "30 kB" })));
    }
}

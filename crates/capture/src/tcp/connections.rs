//! The connections of a capture. The names here are the documented, versioned JSON format.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::connection::{Connection, SERVER};
use super::events::RetransmissionRow;
use super::report::ConnectionReport;

/// The connections of a capture.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// Connections, in the order of their first packets.
    pub connections: Vec<ConnectionReport>,
    /// Connections without any data, those that never opened included.
    pub without_data: u64,
    /// The same, by how far they came.
    #[serde(default)]
    pub without_data_by: WithoutData,
    /// Connections that were ended early to bound the memory.
    pub evicted: u64,
    /// Connections with data that were not reported, to bound the memory.
    pub omitted: u64,
}

/// Connections without data, by how far they came.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WithoutData {
    /// Both ends sent a SYN.
    pub opened: u64,
    /// A SYN was answered by a reset.
    pub refused: u64,
    /// A SYN was never answered.
    pub unanswered: u64,
    /// The capture lacks the SYN, or has another answer.
    pub other: u64,
}

impl WithoutData {
    /// Adds the counts of another capture.
    pub(crate) const fn add(&mut self, other: &Self) {
        self.opened += other.opened;
        self.refused += other.refused;
        self.unanswered += other.unanswered;
        self.other += other.other;
    }

    /// The count that a connection belongs to.
    pub(super) fn of(&mut self, connection: &Connection) -> &mut u64 {
        let [client, server] = &connection.ends;
        if client.syn_ns.is_none() {
            &mut self.other
        } else if server.syn_ns.is_some() {
            &mut self.opened
        } else if server.reset {
            &mut self.refused
        } else if connection.directions[SERVER].counters.packets == 0 {
            &mut self.unanswered
        } else {
            &mut self.other
        }
    }
}

impl Report {
    /// Adds the connections of another point.
    pub(crate) fn add(&mut self, other: Self) {
        self.connections.extend(other.connections);
        self.without_data += other.without_data;
        self.without_data_by.add(&other.without_data_by);
        self.evicted += other.evicted;
        self.omitted += other.omitted;
    }

    /// Names the point of all connections.
    pub(crate) fn set_point(&mut self, point: Option<u32>) {
        for connection in &mut self.connections {
            connection.point = point;
        }
    }

    /// Orders the connections by their first packets.
    pub(crate) fn sort(&mut self) {
        self.connections.sort_by(|a, b| {
            let by_ends = || a.client.cmp(&b.client).then_with(|| a.server.cmp(&b.server));
            a.start_s.total_cmp(&b.start_s).then_with(by_ends)
        });
    }

    /// The retransmissions of all connections, by connection, direction and time.
    pub fn retransmissions(&self) -> Vec<RetransmissionRow> {
        let mut rows = Vec::new();
        for (place, connection) in (0..).zip(&self.connections) {
            for direction in &connection.directions {
                let row = |event| RetransmissionRow::of(place, &direction.from, event);
                rows.extend(direction.events.iter().map(row));
            }
        }
        rows
    }
}

//! The connections of a capture. The names here are the documented, versioned JSON format.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::connection::Connection;
use super::events::RetransmissionRow;
use super::report::ConnectionReport;
use super::vantage::SERVER;

/// The connections of a capture.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// Connections, the one with the most bytes first.
    pub connections: Vec<ConnectionReport>,
    /// Connections without any data, those that never opened included.
    pub without_data: u64,
    /// The same, by how far they came.
    #[serde(default)]
    pub without_data_by: WithoutData,
    /// Connections that were ended early, before their FINs or a reset, to bound the memory.
    pub evicted: u64,
    /// Connections that were not reported, to bound the memory: those with the fewest bytes.
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
    /// Takes a connection that has ended. At most a quarter more than `most` are kept.
    pub(super) fn take(&mut self, connection: &Connection, most: usize) {
        if connection.directions.iter().all(|d| d.counters.data_segments == 0) {
            self.without_data += 1;
            *self.without_data_by.of(connection) += 1;
            // A flood of SYNs would fill the report.
            if !connection.ends.iter().all(|end| end.syn_ns.is_some()) {
                return;
            }
        }
        if self.connections.len() > most + most / 4 {
            self.bound(most);
        }
        self.connections.push(ConnectionReport::of(connection));
    }

    /// Takes a connection of which there is only a SYN without data.
    pub(super) const fn take_unanswered(&mut self) {
        self.without_data += 1;
        self.without_data_by.unanswered += 1;
    }

    /// Leaves out the connections with the fewest bytes if there are more than `most`.
    pub(crate) fn bound(&mut self, most: usize) {
        let all = self.connections.len();
        if all > most {
            self.connections.select_nth_unstable_by(most, ConnectionReport::larger_first);
            self.connections.truncate(most);
            self.omitted += (all - most) as u64;
        }
    }

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
        self.connections.sort_by(ConnectionReport::earlier_first);
    }

    /// Orders the connections by their bytes, as documents have them.
    pub(crate) fn largest_first(&mut self) {
        self.connections.sort_by(ConnectionReport::larger_first);
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

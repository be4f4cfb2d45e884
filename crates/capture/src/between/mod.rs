//! A connection that was captured at several points: which segments were lost between them, how long
//! the others took, and which retransmissions were needed.
//!
//! The packets pass the modules in this order: `read` (files of points that share connections), `pair` (the clocks of two points, and the counts),
//! `copies` (which copy of a segment arrived), `stretch` (bytes of a stream). `report` has the results.

mod copies;
mod pair;
pub(crate) mod read;
pub mod report;
mod stretch;

use std::collections::BTreeMap;

use crate::dissect::Endpoint;
use crate::join::hosts::{HostLog, HostPacket};
use crate::tcp::report::ConnectionReport;
use pair::{Seen, compare};
use report::BetweenReport;

/// The ends of a connection by their names: client, server.
pub(crate) type Ends = (String, String);

/// Connections by their ends, as each point has them.
type Shared<'a> = BTreeMap<Ends, BTreeMap<u32, Vec<&'a ConnectionReport>>>;

/// The capture of a point.
pub(crate) struct PointLog {
    point: u32,
    /// Number of the clock of its times.
    clock: u32,
    /// Packets of connections that other points have too, by their sender and receiver.
    packets: BTreeMap<Ends, Vec<HostPacket>>,
    /// When it began and ended, in ns since 1970-01-01.
    time_ns: [u64; 2],
    omitted: u64,
}

impl PointLog {
    /// From the segments of a point.
    pub(crate) fn new(point: u32, clock: u32, log: &HostLog, time_ns: [u64; 2]) -> Self {
        let mut by_pair: BTreeMap<u64, Vec<HostPacket>> = BTreeMap::new();
        for packet in &log.packets {
            by_pair.entry(packet.identity.pair).or_default().push(*packet);
        }
        for packets in by_pair.values_mut() {
            packets.sort_by_key(|packet| packet.time_ns);
        }
        let named = |(pair, (from, to)): (&u64, &(Endpoint, Endpoint))| {
            Some(((from.to_string(), to.to_string()), by_pair.remove(pair)?))
        };
        let packets = log.pairs.iter().filter_map(named).collect();
        Self { point, clock, packets, time_ns, omitted: log.omitted }
    }
}

/// The connections that several points have, each as often at every point.
pub(crate) fn shared(connections: &[ConnectionReport]) -> Shared<'_> {
    let mut found = Shared::new();
    for connection in connections {
        let (client, server) = (connection.client.clone(), connection.server.clone());
        // Without a handshake, a point can take either end for the client.
        let swapped = (server.clone(), client.clone());
        let ends = if found.contains_key(&swapped) { swapped } else { (client, server) };
        let points = found.entry(ends).or_default();
        points.entry(connection.point.unwrap_or(0)).or_default().push(connection);
    }
    let is_shared = |points: &BTreeMap<u32, Vec<&ConnectionReport>>| {
        let mut counts = points.values().map(Vec::len);
        let first = counts.next();
        points.len() > 1 && counts.all(|count| Some(count) == first)
    };
    found.retain(|_, points| is_shared(points));
    found
}

/// True if no point is known to be nearer to a sender than that of a connection.
pub(crate) fn is_nearest(
    between: &[BetweenReport],
    connection: &ConnectionReport,
    from: &str,
) -> bool {
    let Some(point) = connection.point else { return true };
    let ends = [&connection.client, &connection.server];
    let is_it =
        |pair: &&BetweenReport| ends.contains(&&pair.client) && ends.contains(&&pair.server);
    // The point of the end at which the data arrive.
    let far = |pair: &BetweenReport| pair.points[usize::from(from == pair.client)];
    !between.iter().filter(is_it).any(|pair| far(pair) == point)
}

/// Compares each shared connection between points that follow each other on its path.
pub(crate) fn between(shared: &Shared<'_>, logs: &[PointLog]) -> Vec<BetweenReport> {
    let mut reports = Vec::new();
    for (ends, points) in shared {
        let count = points.values().next().map_or(0, Vec::len);
        for number in 0..count {
            let seen: Vec<Seen<'_>> = points
                .iter()
                .filter_map(|(point, list)| {
                    let log = logs.iter().find(|log| log.point == *point)?;
                    Some(seen(log, ends, list[number]))
                })
                .collect();
            reports.extend(along(&seen));
        }
    }
    reports
}

/// Compares the points of a connection that follow each other.
fn along(seen: &[Seen<'_>]) -> Vec<BetweenReport> {
    let mut all = Vec::new();
    for (place, a) in seen.iter().enumerate() {
        all.extend(seen[place + 1..].iter().filter_map(|b| compare(a, b)));
    }
    // Two points follow each other if none lies between them.
    let are_compared = |a: u32, b: u32| all.iter().any(|pair| pair.points == [a, b]);
    let follow = |pair: &BetweenReport| {
        let [a, b] = pair.points;
        !all.iter().any(|other| other.points[0] == a && are_compared(other.points[1], b))
    };
    let kept: Vec<bool> = all.iter().map(follow).collect();
    let mut kept = kept.into_iter();
    all.retain(|_| kept.next().unwrap_or(false));
    all
}

/// A connection at a point, with its packets.
fn seen<'a>(log: &PointLog, ends: &'a Ends, report: &'a ConnectionReport) -> Seen<'a> {
    // The times of reports are rounded.
    let rounded = 1e-6;
    let (start, end) = (report.start_s - rounded, report.start_s + report.duration_s + rounded);
    let of = |from: &String, to: &String| -> Vec<HostPacket> {
        let all = log.packets.get(&(from.clone(), to.clone())).map_or(&[][..], |list| list);
        let seconds = |packet: &HostPacket| packet.time_ns as f64 / 1e9;
        let first = all.partition_point(|packet| seconds(packet) < start);
        let last = all.partition_point(|packet| seconds(packet) <= end);
        all.get(first..last).map_or_else(Vec::new, <[HostPacket]>::to_vec)
    };
    Seen {
        point: log.point,
        clock: log.clock,
        ends: [&ends.0, &ends.1],
        report,
        packets: [of(&ends.0, &ends.1), of(&ends.1, &ends.0)],
        time_ns: log.time_ns,
        omitted: log.omitted,
    }
}

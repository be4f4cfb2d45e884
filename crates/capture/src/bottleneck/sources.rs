//! The connections of a transfer: those between its two hosts that carry a part of its data.

use super::transmissions::Transmissions;
use super::walk::Source;
use crate::tcp::report::{ConnectionReport, DirectionReport};
use serde::Deserialize;

/// What the user tells.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Told {
    /// Least round-trip time.
    pub rtt_s: Option<f64>,
    /// Rate of the bottleneck.
    pub rate_bps: Option<f64>,
}

/// Part of the largest connection's data from which another one belongs to the transfer.
const BELONGS: f64 = 0.2;
/// Least segment size that packets of the sender's host are cut into.
const LEAST_MSS: u32 = 500;
const USUAL_MSS: u32 = 1460;
const TIMESTAMPS: u32 = 12;

/// The connections between the hosts of a transfer, each by its place and its sender, and their transmissions.
pub fn transmissions_of<'a>(
    connections: &'a [ConnectionReport],
    place: usize,
    sender: &str,
    told: Told,
) -> Option<(Vec<(usize, &'a str)>, Transmissions)> {
    let own = connections.get(place)?;
    let hosts = (host(sender), host(receiver(own, sender)));
    let mut found: Vec<(u64, (usize, &str), Source<'_>)> = Vec::new();
    for (other, connection) in connections.iter().enumerate() {
        if connection.point != own.point {
            continue;
        }
        for direction in &connection.directions {
            let ends = (host(&direction.from), host(receiver(connection, &direction.from)));
            if ends == hosts && direction.log.as_ref().is_some_and(|log| !log.sent.is_empty()) {
                found.extend(
                    source(connection, direction)
                        .map(|s| (direction.unique_bytes, (other, direction.from.as_str()), s)),
                );
            }
        }
    }
    let most = found.iter().map(|found| found.0).max()? as f64;
    found.retain(|(bytes, ..)| *bytes as f64 >= BELONGS * most);
    let places = found.iter().map(|found| found.1).collect();
    let sources: Vec<Source<'_>> = found.into_iter().map(|found| found.2).collect();
    let sent = Transmissions::new(&sources, told.rtt_s);
    Some((places, sent))
}

fn source<'a>(connection: &ConnectionReport, direction: &'a DirectionReport) -> Option<Source<'a>> {
    let log = direction.log.as_deref()?;
    let stamps = connection.handshake.iter().all(|end| end.timestamps);
    let options = if stamps { TIMESTAMPS } else { 0 };
    let announced = connection.handshake.iter().filter_map(|end| end.mss).map(u32::from).min();
    let mss = announced.unwrap_or(USUAL_MSS).saturating_sub(options).max(LEAST_MSS);
    let ip = if direction.from.starts_with('[') { 40 } else { 20 };
    let header_bytes = f64::from(ip + 20 + options);
    Some(Source { log, header_bytes, mss, handshake_s: direction.handshake_rtt_s })
}

fn receiver<'a>(connection: &'a ConnectionReport, sender: &str) -> &'a str {
    if connection.client == sender { &connection.server } else { &connection.client }
}

fn host(endpoint: &str) -> &str {
    endpoint.rsplit_once(':').map_or(endpoint, |(host, _)| host)
}

pub(super) fn offers_sack(connection: &ConnectionReport) -> bool {
    connection.handshake.iter().all(|end| end.sack_permitted)
}

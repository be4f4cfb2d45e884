//! The bottleneck of a transfer, measured from the packet timing of a capture at its sender.
//!
//! | module | measures |
//! |---|---|
//! | `sources`, `walk`, `transmissions` | when each copy was sent, and what became of it |
//! | `totals` | goodput, median round-trip time, flight, late data |
//! | `acks` | ACKs that were lost |
//! | `backlog` | packets that wait when a packet comes to the queue |
//! | `slopes`, `rate` | the rate |
//! | `batches` | packets that are served at once |
//! | `stalls` | stand-stills |
//! | `levels` | the length of a drop-tail queue |
//! | `origins` | what lost each packet |
//! | `policer`, `aqm`, `codel`, `shared`, `alone`, `application` | links and senders that one queue and one rate do not describe |
//! | `service` | the service over time, for a replay |
//!
//! Left out: paths whose least round-trip time changes, and queues that never drain (the backlog is then too small by
//! the packets that always wait).

mod acks;
mod alone;
mod application;
mod aqm;
mod backlog;
mod batches;
mod codel;
mod levels;
mod origins;
#[cfg(test)]
mod others_tests;
mod policer;
mod rate;
mod return_path;
mod service;
mod shared;
mod slopes;
mod sources;
mod stalls;
#[cfg(test)]
mod tests;
mod totals;
mod transmissions;
mod walk;

pub use acks::AckLoss;
pub use application::Application;
pub use aqm::Aqm;
pub use backlog::Backlog;
pub use codel::Codel;
pub use origins::{LossOrigin, LostPacket};
pub use policer::Policer;
pub use rate::{Rate, RateKind};
pub use return_path::ReturnPath;
pub use shared::Shared;
pub use sources::{Told, transmissions_of};
pub use stalls::StandStills;
pub use transmissions::{Fate, Stamped, Transmission, Transmissions};
pub use walk::Source;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tcp::report::ConnectionReport;
use alone::Alone;
use levels::{Level, Levels, Seen, levels};
use origins::{Losses, bursts};
use sources::offers_sack;
use totals::{flight_bytes, goodput_bps, late_data, rtt_p50_s};

/// Rate that stands for one that is not known.
const FAST_BPS: f64 = 1e9;

/// Time by which hosts take packets late [choice].
const CLOCK_S: f64 = 5e-4;

/// The length of a drop-tail queue.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QueueLevel {
    /// Backlog at its drops, that of the packet in transmission included.
    pub packets: f64,
    /// Largest backlog at drops, where there are several.
    pub most_packets: f64,
    /// Standard deviation of the backlog at the drops.
    pub sd_packets: f64,
    /// Drops at this backlog.
    pub drops: u64,
}

/// The bottleneck of a transfer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bottleneck {
    /// Connections between the two hosts that are measured together.
    pub connections: u64,
    /// Copies of data that were sent.
    pub transmissions: u64,
    /// Time from the first to the last of them, in s.
    pub duration_s: f64,
    /// Median bytes of an IP packet.
    pub packet_bytes: f64,
    /// Payload that arrived by the time, in bit/s.
    pub goodput_bps: f64,
    /// Least round-trip time, in s.
    pub least_rtt_s: f64,
    /// Median round-trip time, in s.
    pub rtt_p50_s: f64,
    /// Most bytes in flight.
    pub flight_bytes: f64,
    /// Rate.
    pub rate: Rate,
    /// Packets that the bottleneck serves at once, the median over packets.
    pub batch_packets: u64,
    /// Drop-tail queue; none if no loss shows its length.
    pub queue: Option<QueueLevel>,
    /// Most packets that waited and were not dropped.
    pub largest_backlog: u64,
    /// Copies that were lost.
    pub lost: u64,
    /// Losses that the queue did not cause.
    pub link_losses: u64,
    /// Runs of neighbouring transmissions among them.
    pub link_bursts: u64,
    /// Transmissions that the link could lose.
    pub link_exposed: u64,
    /// Groups of drops that are a round-trip time apart.
    pub drop_episodes: u64,
    /// Data that arrived late, and the median time that it came later.
    pub late: u64,
    /// Median extra delay of late data, in s.
    pub late_extra_s: f64,
    /// Lost ACKs and sent ACKs; none if the receiver does not count its packets.
    pub ack_loss: Option<[u64; 2]>,
    /// False if the receiver reports no SACK blocks.
    pub has_sack: bool,
    /// Stand-stills.
    pub stand_stills: StandStills,
    /// A policer.
    pub policer: Option<Policer>,
    /// An active queue management.
    pub aqm: Option<Aqm>,
    /// Other traffic in the queue.
    pub shared: Option<Shared>,
    /// The way of the ACKs.
    pub return_path: Option<ReturnPath>,
    /// The application's rate.
    pub application: Option<Application>,
    /// Each lost packet.
    pub lost_packets: Vec<LostPacket>,
    /// Rate of service in bins of 50 ms, in bit/s.
    pub service_bps: Vec<f64>,
    /// True if the capture was longer than what is kept.
    pub is_cut: bool,
}

/// The bottleneck of the transfer of a sender in a connection; none without a log of its packets.
pub fn measure(
    connections: &[ConnectionReport],
    place: usize,
    sender: &str,
    told: Told,
) -> Option<Bottleneck> {
    let (places, sent) = transmissions_of(connections, place, sender, told)?;
    let no_sack = !sent.has_sack && !offers_sack(connections.get(place)?);
    (sent.list.len() > 2).then(|| Bottleneck::of(&sent, places.len() as u64, no_sack, told))
}

/// Rate, backlog and stand-stills: what the other estimators rest on.
struct Timing {
    rate: Rate,
    /// The backlog by the times of ACKs, or that of a virtual queue.
    backlog: Vec<u64>,
    early: Vec<u64>,
    stood: Vec<stalls::Stall>,
    in_stall: Vec<bool>,
    unsure_packets: f64,
    /// True if cumulative ACKs hide deliveries.
    is_hidden: bool,
}

impl Timing {
    fn of(sent: &Transmissions, packet_bytes: f64, no_sack: bool, told: Told) -> Self {
        let Backlog { late, early } = Backlog::new(sent);
        let mut rate = Rate::new(sent, &early, packet_bytes);
        if let Some(rate_bps) = told.rate_bps {
            rate.tell(rate_bps);
        }
        let known = rate.kind != RateKind::None;
        let service_bps = if known { rate.service_bps() } else { FAST_BPS };
        let is_hidden = no_sack && sent.list.iter().any(|packet| packet.fate == Fate::Lost);
        let all =
            if is_hidden { Vec::new() } else { stalls::stalls(sent, service_bps, packet_bytes) };
        let backlog = if is_hidden && known {
            Backlog::virtual_queue(sent, service_bps, packet_bytes)
        } else {
            late
        };
        Self {
            backlog,
            early,
            stood: stalls::stood_still(sent, &all),
            in_stall: stalls::during(sent, &all),
            unsure_packets: if known { CLOCK_S * service_bps / 8.0 / packet_bytes } else { 0.0 },
            is_hidden,
            rate,
        }
    }
}

/// The levels of a queue, or a policer.
fn levels_or_policer(seen: &Seen<'_>, rate: &Rate) -> (Levels, Option<Policer>) {
    let found = levels(seen);
    let mut policer = policer::policer(seen.sent, rate);
    let Some(limits) = policer.as_mut().filter(|policer| policer.found) else {
        return (found, policer);
    };
    // A level that explains the drops as well is a queue; otherwise the bursts of a policer made the level.
    if found.found.first().is_some_and(|level| level.score * 1.1 >= limits.score) {
        limits.found = false;
        return (found, policer);
    }
    (Levels { has_accepted_above: found.has_accepted_above, ..Levels::default() }, policer)
}

impl Bottleneck {
    fn of(sent: &Transmissions, connections: u64, no_sack: bool, told: Told) -> Self {
        let packet_bytes = sent.usual_bytes();
        let timing = Timing::of(sent, packet_bytes, no_sack, told);
        let Timing { rate, backlog, early, stood, in_stall, unsure_packets, is_hidden } = timing;
        let seen = Seen { sent, backlog: &backlog, in_stall: &in_stall, unsure_packets };
        let (found, policer) = levels_or_policer(&seen, &rate);
        let is_policed = policer.is_some_and(|policer| policer.found);
        let varies = rate.kind == RateKind::Varying || rate.has_phases;
        let batch_packets = batches::median(sent, &early, &rate, packet_bytes);
        let alone = if is_hidden {
            Alone::default()
        } else {
            alone::alone(&seen, &rate, packet_bytes, batch_packets)
        };
        let shared = shared::shared(sent, &backlog, alone, varies && stood.is_empty());
        let service_s = 8.0 * packet_bytes / rate.value_bps.max(1.0);
        let mut aqm = aqm::aqm(&seen, &early, &found, service_s);
        if let Some(aqm) = &mut aqm {
            // The drops of a queue that others fill depend on the backlog, too.
            aqm.found &= !is_hidden && !is_policed && !shared.is_some_and(|shared| shared.found);
        }
        let is_aqm = aqm.is_some_and(|aqm| aqm.found);
        let losses = Losses::new(&seen, &early, &found, is_aqm);
        let own = losses.of_link();
        let (late, late_extra_s) = late_data(sent);
        Self {
            connections,
            transmissions: sent.list.len() as u64,
            duration_s: sent.duration_s(),
            packet_bytes,
            goodput_bps: goodput_bps(sent),
            least_rtt_s: sent.least_rtt_s,
            rtt_p50_s: rtt_p50_s(sent),
            flight_bytes: flight_bytes(sent),
            service_bps: service::service(sent, &early, &stood, &rate),
            batch_packets,
            rate,
            queue: queue_of(&found.found),
            largest_backlog: losses.largest(),
            lost: losses.lost.len() as u64,
            link_losses: own.len() as u64,
            link_bursts: bursts(&own),
            link_exposed: losses.exposed(),
            drop_episodes: losses.episodes(),
            late,
            late_extra_s,
            ack_loss: sent.ack_loss.map(|acks| [acks.lost, acks.sent]),
            has_sack: !no_sack,
            stand_stills: stalls::summary(sent, &stood),
            policer,
            aqm,
            shared,
            return_path: return_path::return_path(sent),
            application: application::application(sent),
            lost_packets: losses.origins(is_policed || shared.is_some_and(|shared| shared.found)),
            is_cut: sent.is_cut,
        }
    }
}

fn queue_of(levels: &[Level]) -> Option<QueueLevel> {
    let first = levels.first()?;
    let all = levels.iter().map(|level| level.packets);
    Some(QueueLevel {
        packets: all.clone().fold(f64::INFINITY, f64::min),
        most_packets: all.fold(0.0, f64::max),
        sd_packets: first.sd,
        drops: levels.iter().map(|level| level.drops).sum(),
    })
}

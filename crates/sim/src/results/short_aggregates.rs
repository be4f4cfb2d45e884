//! A warning about stations whose aggregates stay short although their queue is long.
//!
//! ```text
//! fits    = min(max_mpdus, max_bytes / MPDU, time of a PPDU or transmission opportunity x mean rate / MPDU)
//! MPDU    = 1500 B, or the packets of 1500 B that fit in an A-MSDU
//! warning   fits >= 4, the packets of 2 fits MPDUs or more wait, and the mean aggregate has less than fits / 4 MPDUs
//! ```
//! The capacity is lost to preambles, back-off and BlockAcks then, and nothing else in the results shows it. Cells with
//! OFDMA have none: their PPDUs carry the short aggregates of several stations at once.

use airtcp_scenario::{Cell, Resolved};
use airtcp_units::Span;
use airtcp_wifi::mac::{AggregateLimits, Category};
use airtcp_wifi::scheme::Seams;

use super::{Replication, StationResult};

/// Bits of a full packet.
const PACKET_BITS: f64 = 8.0 * 1_500.0;
/// Least number of MPDUs for which there is room.
const LEAST: f64 = 4.0;

/// The warnings of a run, one for each station.
pub(crate) fn warnings(plan: &Resolved, replications: &[Replication]) -> Vec<String> {
    let mut found = Vec::new();
    for (number, cell) in plan.cells.iter().enumerate() {
        let spec = &cell.spec;
        if cell.taken_out || !spec.standard.has_mcs() || spec.mac.ofdma.is_some() {
            continue;
        }
        let Ok(seams) = spec.seams() else { continue };
        for station in 0..cell.nodes.len() {
            let of = |run: &'_ Replication| run.cells.get(number)?.stations.get(station).cloned();
            let all: Vec<StationResult> = replications.iter().filter_map(of).collect();
            found.extend(warning(cell, &seams, station, &all));
        }
    }
    found
}

fn warning(cell: &Cell, seams: &Seams, station: usize, all: &[StationResult]) -> Option<String> {
    let name = &all.first()?.name;
    let count = all.len() as f64;
    let mean = |of: &dyn Fn(&StationResult) -> f64| all.iter().map(of).sum::<f64>() / count;
    let queued = mean(&|station| station.mean_queue_packets);
    let sent: f64 =
        all.iter().flat_map(|station| &station.rates).map(|rate| rate.sent as f64).sum();
    if sent == 0.0 {
        return None;
    }
    // Each MPDU counts as a frame of its rate. Their times add up.
    let times = all.iter().flat_map(|station| &station.rates);
    let times: f64 = times.map(|rate| rate.sent as f64 / rate.rate_bps as f64).sum();
    let limits = cell.spec.mac.aggregate_limits(cell.spec.station_keys().standard(station))?;
    // Full packets of an MPDU: more than one with A-MSDU.
    let packets = (8.0 * f64::from(limits.amsdu_bytes) / PACKET_BITS).floor().max(1.0);
    let bits = packets * PACKET_BITS;
    let in_time = longest(seams, station, &limits)?.as_secs_f64() * sent / times;
    let fits = f64::from(limits.mpdus).min((8.0 * f64::from(limits.bytes)).min(in_time) / bits);
    let mpdus = mean(&|station| station.aggregate_mean_mpdus.unwrap_or(1.0));
    if fits < LEAST || queued < 2.0 * fits * packets || mpdus >= fits / 4.0 {
        return None;
    }
    let (queue, key) = cell.spec.station_keys().queue(station);
    let others = cell.nodes.len() - 1;
    let why = if let Some(held) = cell.spec.mac.hardware_queue.filter(|held| *held > 0) {
        format!("the hardware queue holds {held} packets (mac.hardware_queue)")
    } else if station > 0 || others < 2 || queued / others as f64 >= fits * packets {
        "the window of the BlockAck session, losses or the rate control keep them short".to_owned()
    } else if queue.is_per_station() {
        format!("they are for up to {others} stations, each with few packets")
    } else {
        format!(
            "they are for up to {others} stations in one queue ({key}.kind = \"{}\"); \
             access_point_queue.kind = \"per-station\" has a queue for each",
            queue.kind()
        )
    };
    Some(format!(
        "{}: the aggregates of {name} have {mpdus:.1} MPDUs on average, where {:.0} fit, although {queued:.0} packets \
         wait in its queue: {why}",
        cell.path,
        fits.floor()
    ))
}

/// Longest time of a PPDU: of the limit of its aggregate, or of the transmission opportunities of best effort.
fn longest(seams: &Seams, station: usize, limits: &AggregateLimits) -> Option<Span> {
    let access = &seams.stations.get(station)?.access;
    let txop = access.get(Category::BestEffort as usize).or(access.first())?.txop;
    Some(if txop == Span::ZERO { limits.time } else { limits.time.min(txop) })
}

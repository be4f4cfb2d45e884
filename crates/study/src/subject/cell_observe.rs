//! What one replication of a variant gave: the numbers that are compared.
//!
//! ```text
//! error on the air   frames that the receiver did not decode / frames sent, over all stations
//! residual loss      packets lost for good / packets acknowledged, given up or too old
//! ```
//! Endless flows compete, or all flows if none is endless ([`Sharing`]). Fairness, the largest difference and the
//! slowest flow are of these. Leaves out: airtime that the access point
//! uses for a station.

use airtcp_scenario::Resolved;
use airtcp_sim::results::{FlowResult, Replication, Sharing, StationResult, jain_index};

use crate::document::schemes::{SchemeRun, StationRun};

/// Numbers of the flows that compete.
pub(crate) fn competing(plan: &Resolved) -> Vec<usize> {
    Sharing::of(plan).flows
}

/// The numbers of a replication.
pub(crate) fn observe(replication: &Replication, competing: &[usize]) -> SchemeRun {
    let flows = competing.iter().filter_map(|i| replication.flows.get(*i));
    let goodputs: Vec<f64> = flows.map(|flow| flow.goodput_bps).collect();
    let cells = || replication.cells.iter();
    let access_points: Vec<&StationResult> = cells().filter_map(|c| c.stations.first()).collect();
    let stations: Vec<&StationResult> = cells().flat_map(|c| c.stations.iter().skip(1)).collect();
    let all = || cells().flat_map(|c| &c.stations);
    let airtime: Vec<f64> = stations.iter().map(|s| s.airtime_share).collect();
    let (tcp_acks, acks_lost) = frames(all(), "tcp_ack");
    let (data_frames, data_lost) = frames(all(), "data");
    let (packets, packets_lost) = residual(all());
    let exchange = |of: fn(&FlowResult) -> Option<f64>| mean(replication.flows.iter().map(of));
    SchemeRun {
        variant: String::new(),
        replication: replication.replication,
        total_goodput_bps: replication.total_goodput_bps,
        jain_index: replication.jain_index,
        jain_index_up: replication.jain_index_up,
        jain_index_down: replication.jain_index_down,
        slowest_flow_bps: goodputs.iter().copied().reduce(f64::min),
        max_difference_bps: replication.max_difference_bps,
        airtime_jain_index: if airtime.len() > 1 { jain_index(&airtime) } else { None },
        tcp_acks,
        ack_error: share(acks_lost, tcp_acks),
        data_frames,
        data_error: share(data_lost, data_frames),
        packets,
        residual_loss: share(packets_lost, packets),
        access_point_queue_delay_s: mean(access_points.iter().map(|s| s.queue_delay_mean_s)),
        access_point_service_s: mean(access_points.iter().map(|s| s.service_mean_s)),
        station_queue_delay_s: mean(stations.iter().map(|s| s.queue_delay_mean_s)),
        station_service_s: mean(stations.iter().map(|s| s.service_mean_s)),
        exchange_mean_s: exchange(|f| f.exchange_mean_s),
        exchange_p50_s: exchange(|f| f.exchange_p50_s),
        exchange_p95_s: exchange(|f| f.exchange_p95_s),
        exchange_p99_s: exchange(|f| f.exchange_p99_s),
        stations: all().map(station).collect(),
    }
}

fn station(station: &StationResult) -> StationRun {
    StationRun {
        goodput_bps: station.goodput_from_bps + station.goodput_to_bps,
        airtime_share: station.airtime_share,
    }
}

/// The mean of those that there are.
fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let values: Vec<f64> = values.flatten().collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn share(part: f64, of: f64) -> Option<f64> {
    (of > 0.0).then(|| part / of)
}

/// Frames of a class, sent and lost on the air.
fn frames<'a>(stations: impl Iterator<Item = &'a StationResult>, class: &str) -> (f64, f64) {
    let found = stations.filter_map(|station| station.frames.get(class));
    found.fold((0.0, 0.0), |(sent, lost), frames| {
        (sent + frames.sent as f64, lost + frames.lost.values().sum::<u64>() as f64)
    })
}

/// Packets whose part at a station has ended, and those of them that were lost for good. A result counts
/// the lost ones; all of them follow from the share, or without any loss from the frames and their attempts.
fn residual<'a>(stations: impl Iterator<Item = &'a StationResult>) -> (f64, f64) {
    stations.fold((0.0, 0.0), |(packets, lost), station| {
        let reordered = station.reorder_drops.unwrap_or_default();
        let gone = (station.retry_drops + reordered + station.lifetime_drops) as f64;
        let sent: u64 = ["data", "tcp_ack"]
            .iter()
            .filter_map(|class| station.frames.get(*class))
            .map(|frames| frames.sent)
            .sum();
        let ended = match (station.residual_loss, station.attempts_mean) {
            (Some(share), _) if share > 0.0 => gone / share,
            (Some(_), Some(attempts)) => sent as f64 / attempts,
            _ => 0.0,
        };
        (packets + ended, lost + gone)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(flows: &str) -> Resolved {
        let text = format!(
            "duration = \"1 s\"\n[[cells]]\nlayout = {{ kind = \"star\", stations = 2, radius_m = 5 }}\n{flows}"
        );
        airtcp_scenario::read(&text, "", &[]).unwrap().resolve().unwrap()
    }

    #[test]
    fn flows_that_take_all_they_can_get_compete() {
        let (bulk, voice) = (
            "[[flows]]\ncount = 2\nfrom = \"sta*\"\nto = \"ap\"\n",
            "[[flows]]\nname = \"v\"\nfrom = \"sta0\"\nto = \"ap\"\ntransport = \"udp\"\n\
             app = { kind = \"constant-rate\", rate = \"64 kb/s\" }\n",
        );
        assert_eq!(competing(&plan(&format!("{voice}{bulk}"))), [1, 2]);
        assert_eq!(competing(&plan(voice)), [0]);
    }

    /// Conservation: shares of the run against the counters of its stations.
    #[test]
    fn shares_follow_from_the_counters() {
        let plan = plan("[[flows]]\ncount = 2\nfrom = \"sta*\"\nto = \"ap\"\n");
        let stop = airtcp_sim::parallel::Stop::default();
        let load = |name: &str| Err(name.to_owned());
        let done = airtcp_sim::run_replication(&plan, 0, &load, &stop);
        let replication = done.unwrap().unwrap();
        let run = observe(&replication, &competing(&plan));
        let stations = &replication.cells[0].stations;
        let sent: u64 = stations.iter().map(|s| s.frames.get("data").map_or(0, |f| f.sent)).sum();
        assert!(sent > 100 && (run.data_frames - sent as f64).abs() < 0.5);
        let goodput: f64 = replication.flows.iter().map(|f| f.goodput_bps).sum();
        assert!((run.total_goodput_bps / goodput - 1.0).abs() < 1e-9);
        // Every flow ends at the access point.
        assert!((run.stations[0].goodput_bps / goodput - 1.0).abs() < 1e-9);
        assert!((run.stations[1].goodput_bps + run.stations[2].goodput_bps) / goodput > 0.999);
        let least = replication.flows.iter().map(|f| f.goodput_bps).fold(f64::MAX, f64::min);
        assert_eq!(run.slowest_flow_bps, Some(least));
        assert!(run.packets > 0.0 && run.exchange_p95_s.is_none());
    }
}

//! Connections of files whose packets have no times (simple packet blocks of pcapng): what is counted
//! stands, and what is measured in time is left out.

use crate::tcp::LimitShares;
use crate::tcp::connections::Report;
use crate::tcp::report::{ConnectionReport, DirectionReport, RttReport};

/// Leaves out what is measured in time.
pub(crate) fn without_times(report: &mut Report) {
    report.connections.iter_mut().for_each(connection);
}

fn connection(connection: &mut ConnectionReport) {
    connection.duration_s = 0.0;
    if !connection.vantage_told {
        "unknown".clone_into(&mut connection.vantage);
    }
    connection.directions.iter_mut().for_each(direction);
}

fn direction(direction: &mut DirectionReport) {
    direction.rtt_s = RttReport::default();
    direction.srtt_s = None;
    direction.srtt_mean_s = None;
    direction.handshake_rtt_s = None;
    direction.transfer_s = None;
    direction.goodput_bps = None;
    direction.cwnd_bytes = None;
    direction.loss_clusters = None;
    let window = &mut direction.receive_window;
    window.bound_bps = None;
    window.bound_by_goodput = None;
    window.largest_bps = None;
    window.is_exceeded = false;
    direction.limited_by = LimitShares::default();
}

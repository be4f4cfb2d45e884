//! What is reported of links and stations over time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::intervals::{Intervals, LinkCount};

/// The attempts of a link in an interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AttemptsPoint {
    /// Start of the interval, in s since 1970-01-01.
    pub time_s: f64,
    /// Captured attempts.
    pub attempts: u64,
    /// Those whose acknowledgement was captured.
    pub acknowledged: u64,
    /// Mean rate of the attempts in bit/s.
    pub rate_mean_bps: Option<f64>,
    /// Mean signal at the sniffer in dBm.
    pub signal_mean_dbm: Option<f64>,
}

/// The airtime of a station in an interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AirtimePoint {
    /// Start of the interval, in s since 1970-01-01.
    pub time_s: f64,
    /// Airtime of the frames that were captured in it, in s.
    pub airtime_s: f64,
}

/// The attempts of a link in intervals of a length.
pub(super) fn attempts(found: &mut Intervals<LinkCount>, width_ns: u64) -> Vec<AttemptsPoint> {
    found.widen(width_ns);
    let mean = |(count, sum): (u64, f64)| (count > 0).then(|| sum / count as f64);
    let point = |(time_ns, count): (u64, LinkCount)| AttemptsPoint {
        time_s: seconds(time_ns),
        attempts: count.attempts,
        acknowledged: count.acked,
        rate_mean_bps: mean(count.rated),
        signal_mean_dbm: mean(count.heard),
    };
    found.iter().filter(|(_, count)| count.attempts > 0).map(point).collect()
}

/// The airtime of a station in intervals of a length.
pub(super) fn airtime(found: &Intervals<u64>, width_ns: u64) -> Vec<AirtimePoint> {
    let mut found = found.clone();
    found.widen(width_ns);
    let point = |(time_ns, airtime_ns)| AirtimePoint {
        time_s: seconds(time_ns),
        airtime_s: seconds(airtime_ns),
    };
    found.iter().map(point).collect()
}

/// Seconds of a time in ns.
fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

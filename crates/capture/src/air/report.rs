//! What is reported of the air. The names here are the documented, versioned JSON format.

use airtcp_wire::ieee80211::Mac;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::times::Times;

use super::beacons::Beacons;
use super::estimate::{Estimate, estimate};
pub use super::expected::{ExpectedReport, WeightedGoodput};
use super::expected::{at_rate, expected};
pub use super::hidden::{OverlapLosses, SensingPair, SensingReport};
use super::link::Link;
pub use super::over_time::{AirtimePoint, AttemptsPoint};
pub use super::periods::{LossPeriod, Pattern};
use super::signal::Signal;
use super::stations::Sent;
use super::tally::{MAX_CHAIN, Tally};

/// The data frames from a transmitter to a receiver. An attempt is one transmission of a packet; the
/// attempts of a packet have the same sequence number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LinkReport {
    /// Address of the transmitter.
    pub transmitter: String,
    /// Address of the receiver. A group's frames are not acknowledged and have no losses here.
    pub receiver: String,
    /// Number of the point in `points`, if the files were captured at several points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<u32>,
    /// Captured attempts.
    pub attempts: u64,
    /// Packets of which at least one attempt was captured.
    pub packets: u64,
    /// Share of the attempts without acknowledgement, corrected for what the sniffer missed.
    pub raw_loss: Option<f64>,
    /// Share of the packets without acknowledgement for any attempt, corrected likewise.
    pub residual_loss: Option<f64>,
    /// Attempts a packet: captured attempts by captured first attempts.
    pub mean_attempts: Option<f64>,
    /// From the start of the first attempt to the end of the acknowledgement, of packets of which both
    /// were captured.
    pub latency_s: DurationReport,
    /// Attempts that the sniffer did not capture (estimated).
    pub sniffer_misses: u64,
    /// What the sniffer missed.
    pub sniffer: SnifferReport,
    /// Rates of the attempts, from the lowest to the highest.
    pub rates: Vec<RateReport>,
    /// The goodput that TCP could have at these rates. `null` without a rate of 802.11a, b or g.
    pub expected_goodput: Option<ExpectedReport>,
    /// First attempts at a higher rate than the first attempt of the packet before.
    pub rate_increases: u64,
    /// First attempts at a lower rate than the first attempt of the packet before.
    pub rate_decreases: u64,
    /// Periods of the losses, if they were looked for: those of microwave ovens and of Bluetooth voice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loss_periods: Vec<LossPeriod>,
    /// Packets with one, two, ... attempts, also those that a later retry or acknowledgement shows; the
    /// 64th entry holds those with 64 or more.
    pub packets_by_attempts: Vec<u64>,
    /// Times between consecutive captured attempts of a packet.
    pub inter_attempt_s: DurationReport,
    /// Retries of attempts whose acknowledgement was captured: the transmitter did not receive it. The
    /// acknowledged attempts count as successful.
    pub retries_after_ack: u64,
    /// Attempts that were part of an A-MPDU.
    pub ampdu_attempts: u64,
    /// Bytes of all attempts, from the 802.11 header on.
    pub bytes: u64,
    /// Signal at the sniffer.
    pub signal: SignalReport,
    /// The attempts in intervals of `air.interval_s`, of the 64 links with the most attempts. Intervals without
    /// attempts are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub over_time: Vec<AttemptsPoint>,
    /// Mean noise at the sniffer in dBm, if the driver reports it.
    pub noise_mean_dbm: Option<f64>,
    /// Centre frequency of the channel of the last attempt in MHz.
    pub frequency_mhz: Option<u16>,
    /// Time of the first attempt, in s since 1970-01-01.
    pub start_s: f64,
    /// Time from the first to the last attempt, in s.
    pub duration_s: f64,
}

/// Durations, in s.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DurationReport {
    /// Number of samples.
    pub samples: u64,
    /// Mean.
    pub mean: Option<f64>,
    /// Median, within 0.8 %.
    pub p50: Option<f64>,
    /// 90th percentile, within 0.8 %.
    pub p90: Option<f64>,
    /// 99th percentile, within 0.8 %.
    pub p99: Option<f64>,
}

/// What the sniffer missed of a link.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SnifferReport {
    /// Share of the attempts that were not captured (estimated).
    pub attempt_miss_share: Option<f64>,
    /// Share of the acknowledgements that were not captured (estimated).
    pub ack_miss_share: Option<f64>,
    /// Acknowledgements of attempts that were not captured.
    pub acks_without_data: u64,
    /// Packets whose first captured attempt has the retry bit.
    pub first_attempts_missed: u64,
    /// Packets of which no attempt was captured, by gaps in the numbers of QoS data.
    pub packets_missed: u64,
    /// Last attempts without acknowledgement that no retry follows.
    pub unanswered: u64,
    /// Attempts at the end of the capture, of which the fate is not known; no loss counts them.
    pub undecided: u64,
    /// Captured attempts with a wrong frame check sequence; they count as attempts.
    pub damaged: u64,
    /// Attempts that a second interface captured too; they count once.
    pub copies: u64,
}

/// The attempts at one rate.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RateReport {
    /// Rate in bit/s; `null` if the capture does not hold it.
    pub rate_bps: Option<u64>,
    /// Captured attempts.
    pub attempts: u64,
    /// Share of the captured attempts of the link.
    pub share: f64,
    /// Share of them without acknowledgement.
    pub raw_loss: Option<f64>,
    /// Goodput that TCP could have at this rate without losses and backoff, in bit/s (802.11a, b, g).
    pub expected_goodput_bps: Option<f64>,
}

/// Signal levels at the sniffer, in dBm.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SignalReport {
    /// Frames with a signal level.
    pub frames: u64,
    /// Mean in dBm.
    pub mean_dbm: Option<f64>,
    /// 10th percentile in dBm.
    pub p10_dbm: Option<i8>,
    /// 90th percentile in dBm.
    pub p90_dbm: Option<i8>,
    /// Means over intervals of the same length, at most 64.
    pub over_time: Vec<SignalPoint>,
}

/// Signal in an interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SignalPoint {
    /// Start of the interval, in s since 1970-01-01.
    pub time_s: f64,
    /// Frames with a signal level.
    pub frames: u64,
    /// Their mean in dBm.
    pub mean_dbm: f64,
}

/// All frames of 802.11.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AirReport {
    /// Frames by kind.
    pub frames: FrameCounts,
    /// Time from the first to the last frame, in s.
    pub duration_s: f64,
    /// Length of the intervals of what is counted over time, in s: so long that no link and no transmitter has
    /// more than 128 intervals with frames.
    pub interval_s: f64,
    /// Transmitters, the one with the most airtime first.
    pub stations: Vec<StationReport>,
    /// Airtime of frames without known transmitter, in s.
    pub unattributed_airtime_s: f64,
    /// Transmitters of beacons.
    pub beacons: Vec<BeaconReport>,
    /// Stations that do not hear each other. `null` without a radio's clock that is exact within 4 us, or
    /// with fewer than 50 acknowledgements that follow frames of known duration.
    pub carrier_sensing: Option<SensingReport>,
    /// Links that were ended early to bound the memory; a link that comes back is reported again.
    pub evicted_links: u64,
    /// Links that were not reported, to bound the memory.
    pub omitted_links: u64,
}

/// Frames by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FrameCounts {
    /// Data with a body.
    pub data: u64,
    /// Data frames without body.
    pub null_data: u64,
    /// Acknowledgements.
    pub ack: u64,
    /// Block acknowledgements.
    pub block_ack: u64,
    /// Block acknowledgements of a kind that airtcp does not read.
    pub block_ack_unread: u64,
    /// Requests for block acknowledgements.
    pub block_ack_request: u64,
    /// Requests to send.
    pub rts: u64,
    /// Clear to send.
    pub cts: u64,
    /// Ends of contention-free periods.
    pub cf_end: u64,
    /// Requests of sleeping stations.
    pub ps_poll: u64,
    /// Other control frames.
    pub other_control: u64,
    /// Beacons.
    pub beacon: u64,
    /// Management frames other than beacons.
    pub other_management: u64,
    /// Frames of the extension type.
    pub extension: u64,
    /// Data and management with the retry bit.
    pub retries: u64,
    /// Encrypted data.
    pub protected: u64,
    /// Frames of any kind with a wrong frame check sequence, by the radio header.
    pub damaged: u64,
    /// Frames whose headers are malformed or cut off.
    pub unreadable: u64,
}

/// A transmitter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StationReport {
    /// Its address.
    pub address: String,
    /// Frames.
    pub frames: u64,
    /// Frames with the retry bit.
    pub retries: u64,
    /// Airtime of its captured frames in s, from lengths and rates.
    pub airtime_s: f64,
    /// Airtime by the duration of the capture.
    pub airtime_share: Option<f64>,
    /// Airtime in intervals of `interval_s`, of the 64 transmitters with the most airtime. Intervals without
    /// frames are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub over_time: Vec<AirtimePoint>,
}

/// The beacons of a transmitter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BeaconReport {
    /// Its address.
    pub transmitter: String,
    /// Captured beacons.
    pub count: u64,
    /// The interval that the beacons announce, in s.
    pub interval_s: Option<f64>,
    /// Share of the expected beacons that was not captured: missed by the sniffer, damaged, or not
    /// sent. Gaps of more than 60 s are left out.
    pub missing_share: Option<f64>,
    /// Longest time between two captured beacons, in s.
    pub longest_gap_s: Option<f64>,
}

/// Seconds of a time in ns.
pub(crate) fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

impl DurationReport {
    pub(crate) fn of(times: &Times) -> Self {
        let quantile = |share| times.quantile_ns(share).map(|ns| ns / 1e9);
        Self {
            samples: times.count(),
            mean: times.mean_ns().map(|ns| ns / 1e9),
            p50: quantile(0.5),
            p90: quantile(0.9),
            p99: quantile(0.99),
        }
    }
}

impl SignalReport {
    fn of(signal: &Signal) -> Self {
        let point = |(ns, frames, mean_dbm)| SignalPoint { time_s: seconds(ns), frames, mean_dbm };
        Self {
            frames: signal.frames(),
            mean_dbm: signal.mean(),
            p10_dbm: signal.quantile(0.1),
            p90_dbm: signal.quantile(0.9),
            over_time: signal.over_time().map(point).collect(),
        }
    }
}

impl SnifferReport {
    fn of(tally: &Tally, found: &Estimate, is_group: bool) -> Self {
        let total = tally.total();
        let one = |share: Option<f64>| share.filter(|_| !is_group);
        Self {
            attempt_miss_share: one(found.attempt_miss),
            ack_miss_share: one(found.ack_miss),
            acks_without_data: tally.acks_without_data,
            first_attempts_missed: tally.began_with_retry,
            packets_missed: tally.gaps,
            unanswered: if is_group { 0 } else { total.unanswered },
            undecided: if is_group { 0 } else { total.undecided },
            damaged: tally.damaged,
            copies: tally.copies,
        }
    }
}

impl LinkReport {
    /// The report of a link. `reverse_miss` is the share of missed attempts in the other direction.
    pub(super) fn of(ends: (Mac, Mac), link: &Link, reverse_miss: Option<f64>) -> Self {
        let tally = &link.tally;
        let total = tally.total();
        let is_group = ends.1.is_group();
        let found = if is_group { Estimate::default() } else { estimate(tally, reverse_miss) };
        let rates = tally.rates.iter().map(|(rate, count)| RateReport {
            rate_bps: (*rate > 0).then_some(*rate),
            attempts: count.attempts,
            share: count.attempts as f64 / total.attempts.max(1) as f64,
            raw_loss: found.raw_loss.and_then(|_| found.raw_loss_at(count)),
            expected_goodput_bps: at_rate(*rate),
        });
        let by_rate: Vec<(u64, u64)> =
            tally.rates.iter().map(|(rate, count)| (*rate, count.attempts)).collect();
        let most = tally.chains.keys().next_back().copied().unwrap_or(0).min(MAX_CHAIN);
        let with = |attempts| tally.chains.get(&attempts).map_or(0, |chain| chain.packets);
        Self {
            transmitter: ends.0.to_string(),
            receiver: ends.1.to_string(),
            point: None,
            attempts: total.attempts,
            packets: tally.packets,
            raw_loss: found.raw_loss,
            residual_loss: found.residual_loss,
            mean_attempts: found.mean_attempts,
            latency_s: DurationReport::of(&tally.latency_ns),
            sniffer_misses: whole(found.missed),
            sniffer: SnifferReport::of(tally, &found, is_group),
            rates: rates.collect(),
            expected_goodput: expected(&by_rate, found.raw_loss),
            rate_increases: tally.rate_moves.0,
            rate_decreases: tally.rate_moves.1,
            loss_periods: Vec::new(),
            packets_by_attempts: (1..=most).map(with).collect(),
            inter_attempt_s: DurationReport::of(&tally.intervals_ns),
            retries_after_ack: tally.retries_after_ack,
            ampdu_attempts: tally.in_ampdu,
            bytes: tally.bytes,
            signal: SignalReport::of(&tally.signal),
            over_time: Vec::new(),
            noise_mean_dbm: tally.noise.get(),
            frequency_mhz: tally.frequency_mhz,
            start_s: seconds(link.first_ns),
            duration_s: seconds(link.last_ns.saturating_sub(link.first_ns)),
        }
    }
}

/// The nearest whole number.
fn whole(count: f64) -> u64 {
    airtcp_units::Saturate::saturate(count.round())
}

impl StationReport {
    /// The report of a transmitter.
    pub(super) fn of(
        address: Mac,
        sent: &Sent,
        duration_ns: u64,
        over_time: Vec<AirtimePoint>,
    ) -> Self {
        Self {
            address: address.to_string(),
            frames: sent.frames,
            retries: sent.retries,
            airtime_s: seconds(sent.airtime_ns),
            airtime_share: (duration_ns > 0).then(|| sent.airtime_ns as f64 / duration_ns as f64),
            over_time,
        }
    }
}

impl BeaconReport {
    pub(super) fn of(transmitter: Mac, beacons: &Beacons) -> Self {
        Self {
            transmitter: transmitter.to_string(),
            count: beacons.count,
            interval_s: (beacons.interval_ns > 0).then(|| seconds(beacons.interval_ns)),
            missing_share: beacons.missing_share(),
            longest_gap_s: (beacons.count > 1).then(|| seconds(beacons.longest_gap_ns)),
        }
    }
}

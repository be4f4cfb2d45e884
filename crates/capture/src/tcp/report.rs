//! What is reported of a connection. The names here are the documented, versioned JSON format.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::causality::EarlyAcks;
use super::clusters::{Loss, LossClusters};
use super::connection::Connection;
use super::counters::{Counters, Retransmission};
use super::direction::Direction;
use super::events::{RetransmissionEvent, events};
use super::limits::LimitShares;
use super::log::Log;
use super::series::Series;
use super::timeouts::TimeoutCounts;
use super::vantage::{CLIENT, SERVER};
use super::window::{CwndReport, ReceiveWindow};
use crate::times::Times;

/// Round trips of a transfer whose goodput a window bounds.
const MANY_RTTS: f64 = 4.0;

/// A connection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConnectionReport {
    /// Address and port of the end that opened it.
    pub client: String,
    /// Address and port of the other end.
    pub server: String,
    /// True if a SYN shows which end is the client; otherwise the higher port is taken.
    pub client_known: bool,
    /// Where the capture was taken: `client`, `server`, `middle` or `unknown`.
    pub vantage: String,
    /// True if the user told it; otherwise round-trip times show it.
    pub vantage_told: bool,
    /// Number of the point in `points`, if the files were captured at several points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<u32>,
    /// Time of its first packet, in s since 1970-01-01.
    pub start_s: f64,
    /// Time from its first to its last packet, in s.
    pub duration_s: f64,
    /// Packets of both directions.
    pub packets: u64,
    /// Packets without payload (ACKs, SYN, FIN, RST) that the capture holds twice, left out of all other
    /// numbers.
    pub copied_acks: u64,
    /// ACKs that the capture holds before their data; none if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub early_acks: Option<EarlyAcks>,
    /// Options of the handshake, of the client and of the server.
    pub handshake: [HandshakeReport; 2],
    /// The data of the client, then of the server.
    pub directions: Vec<DirectionReport>,
}

/// What one end offered in the handshake.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HandshakeReport {
    /// Maximum segment size in bytes.
    pub mss: Option<u16>,
    /// Shift of the window.
    pub window_scale: Option<u8>,
    /// SACK permitted.
    pub sack_permitted: bool,
    /// Timestamps.
    pub timestamps: bool,
}

/// The data of one end, and what the other end's ACKs say of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DirectionReport {
    /// Address and port of the sender.
    pub from: String,
    /// Packets of the sender.
    pub packets: u64,
    /// Packets with payload.
    pub data_segments: u64,
    /// Bytes of payload, every copy counted.
    pub payload_bytes: u64,
    /// Bytes of payload, each counted once.
    pub unique_bytes: u64,
    /// Segments that were sent again.
    pub retransmitted_segments: u64,
    /// Bytes that were sent again.
    pub retransmitted_bytes: u64,
    /// Segments that were sent again, by cause.
    pub retransmissions: RetransmissionCounts,
    /// Segments that were sent again although a copy had arrived.
    pub spurious_retransmissions: u64,
    /// The same, by what shows it; one segment can have several.
    pub spurious_by: SpuriousCounts,
    /// The same, by the set of everything that shows it, such as `dsack+timestamps`: where the tests agree.
    pub spurious_agreement: BTreeMap<String, u64>,
    /// Segments that others overtook.
    pub out_of_order: u64,
    /// Segments with payload that the network or the capture duplicated.
    pub network_duplicates: u64,
    /// Segments with payload that the capture holds twice, of several points or interfaces, left out of all
    /// other numbers.
    pub copied_segments: u64,
    /// Segments that were acknowledged and are not in the capture (estimated from their bytes).
    pub capture_losses: u64,
    /// Duplicate ACKs for these data (RFC 5681 section 2).
    pub duplicate_acks: u64,
    /// ACKs with new SACK blocks that do not advance (duplicate ACKs of RFC 6675).
    pub duplicate_acks_sack: u64,
    /// ACKs that report data received twice (RFC 2883).
    pub dsacks: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Timeouts by why they were needed.
    pub timeout_causes: TimeoutCounts,
    /// Recoveries by fast retransmit, SACK or RACK.
    pub recoveries: u64,
    /// Times at which the receiver closed its window.
    pub zero_windows: u64,
    /// ACKs with a window of 0, those that answer probes included.
    #[serde(default)]
    pub zero_window_acks: u64,
    /// Seconds from the ACK that closed the receiver's window to the last packet of the connection, if no ACK opened it
    /// again; null if it is open at the end, or all data to the FIN were acknowledged.
    #[serde(default)]
    pub closed_to_end_s: Option<f64>,
    /// Probes of a closed window (RFC 9293 section 3.8.6.1), with one byte or none. They are no data
    /// segments, and their bytes are data only if the receiver took them.
    #[serde(default)]
    pub window_probes: u64,
    /// Keep-alives (RFC 9293 section 3.8.4), with one byte or none.
    pub keep_alives: u64,
    /// Bytes of a SYN (TCP Fast Open, RFC 7413) that the other end did not take. They are sent once more as
    /// data, and are not counted as sent again.
    #[serde(default)]
    pub early_refused_bytes: u64,
    /// SYNs sent again.
    pub syn_retransmissions: u64,
    /// FINs sent again.
    pub fin_retransmissions: u64,
    /// Packets marked with congestion experienced (RFC 3168).
    pub ecn_marked: u64,
    /// ACKs of the other end that echo congestion (RFC 3168); none with accurate feedback.
    pub ecn_echoes: u64,
    /// Packets with congestion experienced that the other end counted in the field ACE (RFC 9768), which counts
    /// modulo 8 between two ACKs; none without accurate feedback.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accecn_marked: Option<u64>,
    /// Largest segment in bytes.
    pub largest_segment_bytes: u32,
    /// Most bytes in flight: sent and not yet acknowledged, those in SACK blocks included.
    pub largest_flight_bytes: u64,
    /// The same without those in SACK blocks.
    pub largest_outstanding_bytes: u64,
    /// The congestion window, if the capture was taken at the sender and the window limited it.
    pub cwnd_bytes: Option<CwndReport>,
    /// The window of the receiver.
    pub receive_window: ReceiveWindow,
    /// Round-trip times.
    pub rtt_s: RttReport,
    /// Smoothed round-trip time at the end (RFC 6298).
    pub srtt_s: Option<f64>,
    /// Mean of the smoothed round-trip time before each ACK, as a kernel's trace has it.
    pub srtt_mean_s: Option<f64>,
    /// Round-trip time of the whole path in the handshake, from the SYN to its third step, wherever the
    /// capture was taken; none if its steps are not the first three packets.
    pub handshake_rtt_s: Option<f64>,
    /// Shares of the time between the first data and the last ACK, by what limited the sender.
    pub limited_by: LimitShares,
    /// Time from the first data to the last ACK of data, or to the last data if that is later, in s; none
    /// without data.
    pub transfer_s: Option<f64>,
    /// Acknowledged bytes by the time from the first data to the last ACK of data, in bit/s; without ACKs, unique bytes
    /// by the time to the last data. None if there is a single segment or no time.
    pub goodput_bps: Option<f64>,
    /// Ranges of bytes that were forgotten because too many were in flight; then the counts are low.
    pub forgotten_ranges: u64,
    /// The losses over time; none without losses.
    pub loss_clusters: Option<Box<LossClusters>>,
    /// The segments that were sent again. Documents have them in a table of their own.
    #[serde(skip)]
    pub events: Vec<RetransmissionEvent>,
    /// Everything over time, if it was recorded.
    #[serde(skip)]
    pub series: Option<Box<Series>>,
    /// Every segment, if they were kept.
    #[serde(skip)]
    pub log: Option<Box<Log>>,
}

/// Retransmissions by cause.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RetransmissionCounts {
    /// Fast retransmit, or recovery by SACK or RACK.
    pub fast: u64,
    /// Retransmission timeout.
    pub timeout: u64,
    /// Sent again after a timeout, in slow start.
    pub after_timeout: u64,
    /// Tail-loss probe.
    pub tail_loss_probe: u64,
    /// The capture does not tell.
    pub unknown: u64,
}

impl RetransmissionCounts {
    /// From the counts in the order of the causes.
    const fn of([fast, timeout, after_timeout, tail_loss_probe, unknown]: [u64; 5]) -> Self {
        Self { fast, timeout, after_timeout, tail_loss_probe, unknown }
    }
}

/// Spurious retransmissions by what shows them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpuriousCounts {
    /// Duplicate SACK (RFC 2883).
    pub dsack: u64,
    /// Timestamps (Eifel, RFC 3522).
    pub timestamps: u64,
    /// Acknowledged sooner than any round trip.
    pub early_ack: u64,
    /// F-RTO (RFC 5682).
    pub frto: u64,
    /// An earlier copy passed the place of the capture.
    pub seen_twice: u64,
}

/// Round-trip times, in s.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RttReport {
    /// Number of samples.
    pub samples: u64,
    /// Smallest.
    pub min: Option<f64>,
    /// Mean.
    pub mean: Option<f64>,
    /// Median.
    pub p50: Option<f64>,
    /// 95th percentile.
    pub p95: Option<f64>,
    /// Largest.
    pub max: Option<f64>,
}

/// Seconds of a time in ns.
fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

impl RttReport {
    fn of(times: &Times) -> Self {
        Self {
            samples: times.count(),
            min: times.min_ns().map(seconds),
            mean: times.mean_ns().map(|ns| ns / 1e9),
            p50: times.quantile_ns(0.5).map(|ns| ns / 1e9),
            p95: times.quantile_ns(0.95).map(|ns| ns / 1e9),
            max: times.max_ns().map(seconds),
        }
    }
}

impl ConnectionReport {
    pub(super) fn of(connection: &Connection) -> Self {
        let handshake = connection.ends.each_ref().map(|end| HandshakeReport {
            mss: end.mss,
            window_scale: end.window_scale,
            sack_permitted: end.sack_permitted,
            timestamps: end.timestamps,
        });
        let [client, server] = connection.ends.each_ref().map(|end| end.endpoint.to_string());
        let directions = [(CLIENT, &client), (SERVER, &server)];
        let directions = directions.map(|(from, name)| DirectionReport::of(connection, from, name));
        Self {
            client,
            server,
            client_known: connection.client_known,
            vantage: connection.vantage().to_owned(),
            vantage_told: connection.by_user,
            point: None,
            start_s: seconds(connection.start_ns),
            duration_s: seconds(connection.last_ns - connection.start_ns),
            packets: connection.packets,
            copied_acks: connection.copied_acks,
            early_acks: connection.early_acks(),
            handshake,
            directions: directions.into(),
        }
    }

    /// Bytes of both directions, each counted once.
    pub fn bytes(&self) -> u64 {
        self.directions.iter().map(|direction| direction.unique_bytes).sum()
    }

    /// The order of the first packets.
    pub(super) fn earlier_first(&self, other: &Self) -> Ordering {
        let by_ends =
            || self.client.cmp(&other.client).then_with(|| self.server.cmp(&other.server));
        self.start_s.total_cmp(&other.start_s).then_with(by_ends)
    }

    /// The order of the bytes, the most first; of equal ones, that of the first packets.
    pub(super) fn larger_first(&self, other: &Self) -> Ordering {
        let by_time = || self.earlier_first(other).then_with(|| self.point.cmp(&other.point));
        other.bytes().cmp(&self.bytes()).then_with(by_time)
    }
}

impl DirectionReport {
    #[allow(clippy::too_many_lines, reason = "a line for each field")]
    fn of(connection: &Connection, from: usize, name: &str) -> Self {
        let direction = &connection.directions[from];
        let counters = &direction.counters;
        let [dsack, timestamps, early_ack, frto, seen_twice] = counters.evidence;
        let goodput_bps = goodput(direction);
        let rtt_s = RttReport::of(&direction.rtt);
        // Round trips are seen from the capture: the way to the sender and back is missing.
        let away_ns = connection.ends[from].half_ns.filter(|_| !connection.has_two_clocks);
        let away_ns = away_ns.unwrap_or(0);
        let whole = |rtt: Option<f64>| rtt.map(|s| s + seconds(away_ns));
        Self {
            from: name.to_owned(),
            packets: counters.packets,
            data_segments: counters.data_segments,
            payload_bytes: counters.payload_bytes,
            unique_bytes: counters.unique_bytes,
            retransmitted_segments: counters.retransmitted_segments,
            retransmitted_bytes: counters.retransmitted_bytes,
            retransmissions: RetransmissionCounts::of(counters.causes),
            spurious_retransmissions: counters.spurious,
            spurious_by: SpuriousCounts { dsack, timestamps, early_ack, frto, seen_twice },
            spurious_agreement: agreement(counters),
            out_of_order: counters.out_of_order,
            network_duplicates: counters.network_duplicates - counters.copied_segments,
            copied_segments: counters.copied_segments,
            capture_losses: counters.capture_losses,
            duplicate_acks: counters.duplicate_acks,
            duplicate_acks_sack: counters.duplicate_acks_sack,
            dsacks: counters.dsacks,
            timeouts: direction.timeouts(),
            timeout_causes: TimeoutCounts::of(
                counters.kept.iter().filter_map(Retransmission::timeout),
            ),
            recoveries: direction.recoveries(),
            zero_windows: counters.zero_windows,
            zero_window_acks: counters.zero_window_acks,
            closed_to_end_s: direction
                .closed_since_ns()
                .map(|since| seconds(connection.last_ns.saturating_sub(since))),
            window_probes: counters.window_probes,
            keep_alives: counters.keep_alives,
            early_refused_bytes: counters.early_refused_bytes,
            syn_retransmissions: counters.syn_retransmissions,
            fin_retransmissions: counters.fin_retransmissions,
            ecn_marked: connection.ends[from].marked,
            ecn_echoes: connection.ends[1 - from].echoes,
            accecn_marked: connection.accurate.counted_by(1 - from),
            largest_segment_bytes: direction.largest,
            largest_flight_bytes: counters.largest_flight,
            largest_outstanding_bytes: counters.largest_outstanding,
            cwnd_bytes: counters.windows.cwnd(),
            receive_window: counters.windows.received(
                [rtt_s.mean, rtt_s.min].map(whole),
                goodput_bps,
                is_long(counters, whole(rtt_s.min)),
            ),
            rtt_s,
            srtt_s: direction.srtt_ns().map(seconds),
            srtt_mean_s: counters.srtt_mean_ns().map(|ns| ns / 1e9),
            handshake_rtt_s: connection.handshake_ns.map(seconds),
            // Without an ACK nobody knows what the sender waited for.
            limited_by: match counters.covering_acks {
                0 => LimitShares::default(),
                _ => LimitShares::of(direction.limits.shares()),
            },
            transfer_s: counters.transfer_ns().map(seconds),
            goodput_bps,
            forgotten_ranges: direction.forgotten(),
            loss_clusters: clusters(direction, away_ns).map(Box::new),
            events: events(counters),
            series: direction.judged_series(),
            log: direction.log(),
        }
    }
}

/// True if a transfer takes several of these round trips.
fn is_long(counters: &Counters, rtt: Option<f64>) -> bool {
    let transfer = counters.transfer_ns().map(seconds);
    transfer.zip(rtt).is_some_and(|(transfer, rtt)| transfer >= MANY_RTTS * rtt)
}

/// Spurious retransmissions by the set of what shows them.
fn agreement(counters: &Counters) -> BTreeMap<String, u64> {
    let mut sets = BTreeMap::new();
    for evidence in counters.kept.iter().map(|sent| sent.evidence).filter(|e| e.is_spurious()) {
        *sets.entry(evidence.names().join("+")).or_default() += 1;
    }
    sets
}

fn clusters(direction: &Direction, away_ns: u64) -> Option<LossClusters> {
    let lost = direction.counters.kept.iter().filter(|sent| !sent.evidence.is_spurious());
    let losses: Vec<Loss> =
        lost.map(|sent| Loss { time_ns: sent.time_ns, segment: sent.segment }).collect();
    LossClusters::of(&losses, direction.srtt_ns().map(|ns| ns.saturating_add(away_ns)))
}

/// A capture that ends early has data that nobody acknowledged: it may still be in a queue.
fn goodput(direction: &Direction) -> Option<f64> {
    let counters = &direction.counters;
    let acknowledged = counters.unique_bytes.saturating_sub(direction.unacknowledged());
    let (bytes, last_ns) = match counters.last_ack_ns {
        Some(last_ns) if acknowledged > 0 => (acknowledged, last_ns),
        _ => (counters.unique_bytes, counters.last_data_ns?),
    };
    let time = last_ns.checked_sub(counters.first_data_ns?)?;
    (time > 0 && counters.data_segments > 1).then(|| bytes as f64 * 8.0 / seconds(time))
}

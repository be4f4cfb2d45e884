//! Inputs of a congestion law. Sizes in bytes.
//!
//! Delivery-rate samples follow draft-cheng-iccrg-delivery-rate-estimation and section 4.1 of
//! draft-ietf-ccwg-bbr, which adds the data in flight and the losses. `tcp/rate.rs` of the
//! transport crate takes them.

use airtcp_units::{BitRate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Growth, SlowStartKind};

/// Rules of a law where Linux differs from the document that specifies the law.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LawRules {
    /// Rules of the document.
    #[default]
    Documents,
    /// Rules of Linux.
    Linux,
}

/// Parameters of a law at the start of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LawParams {
    /// Largest payload of a segment.
    pub mss: u32,
    /// Initial window.
    pub initial_window: u64,
    /// Initial slow-start threshold; `u64::MAX` for none.
    pub initial_ssthresh: u64,
    /// Upper bound of the window; `u64::MAX` for none.
    pub max_cwnd: u64,
    /// Maximum growth per ACK in slow start, in segments (RFC 3465 `L`).
    pub abc_limit: u32,
    /// Halve the window instead of FlightSize to obtain the threshold.
    pub half_of_cwnd: bool,
    /// Round the threshold down to whole segments at a reduction; the window keeps the fraction.
    pub ssthresh_in_segments: bool,
    /// SACK reports losses: more than one per round trip can be seen.
    pub selective_acks: bool,
    /// Smoothed round-trip time, if the handshake gave a sample.
    pub srtt: Option<Span>,
    /// Seed of a law's random numbers, from which a counter derives them. It is the initial
    /// sequence number: different for each connection, the same in each run.
    pub seed: u64,
    /// Which slow start.
    pub slow_start: SlowStartKind,
    /// Segments are paced even if the law does not ask for it.
    pub paced: bool,
    /// Rules that hold where the law's own parameters do not set them.
    pub rules: LawRules,
}

impl LawParams {
    /// Growth of a law that has Reno's additive increase but no key for it: per ACK (RFC 5681
    /// equation 3), or by acknowledged bytes under Linux's rules (`tcp_cong_avoid_ai` since 4.0).
    pub const fn growth(&self) -> Growth {
        match self.rules {
            LawRules::Documents => Growth::PerAck,
            LawRules::Linux => Growth::Bytes,
        }
    }
}

impl Default for LawParams {
    /// Before the first [`start`](super::CongestionControl::start): segments of one byte, no bounds.
    fn default() -> Self {
        Self {
            mss: 1,
            initial_window: 1,
            initial_ssthresh: u64::MAX,
            max_cwnd: u64::MAX,
            abc_limit: 1,
            half_of_cwnd: false,
            ssthresh_in_segments: false,
            selective_acks: false,
            srtt: None,
            seed: 0,
            slow_start: SlowStartKind::Standard,
            paced: false,
            rules: LawRules::Documents,
        }
    }
}

/// A data segment was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sent {
    /// Payload of the segment.
    pub bytes: u64,
    /// Data in the network including the segment (RFC 6675 `pipe`).
    pub pipe: u64,
    /// True if the segment was sent before.
    pub retransmission: bool,
}

/// Delivery rate over about one round trip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RateSample {
    /// Bytes delivered in the interval.
    pub delivered: u64,
    /// Length of the interval: the longer of its send phase and its ACK phase.
    pub interval: Span,
    /// Bytes that the connection had delivered when the interval began. `delivered` counts from
    /// there, and a law can count round trips with it.
    pub prior_delivered: u64,
    /// True if the sender ran out of data in the interval: the path may be faster than this.
    pub app_limited: bool,
    /// Data in the network just after the acknowledged segment left, including the segment.
    pub tx_in_flight: u64,
    /// Bytes judged lost between then and now.
    pub lost: u64,
}

/// A segment was judged lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lost {
    /// Stream offset of the segment's first byte: it separates runs of losses.
    pub start: u64,
    /// Sequence space of the segment.
    pub bytes: u64,
    /// Data in the network just after the segment left, including the segment.
    pub tx_in_flight: u64,
    /// Bytes judged lost since the segment left, including the segment.
    pub lost: u64,
    /// True if the segment left after the sender had run out of data.
    pub app_limited: bool,
    /// Bytes that the connection has delivered in total.
    pub total_delivered: u64,
}

impl RateSample {
    /// The rate in bits per second; `None` if the interval is too short.
    pub fn rate(&self) -> Option<BitRate> {
        if self.interval == Span::ZERO {
            return None;
        }
        let bits_ns = u128::from(self.delivered) * 8_000_000_000;
        let bps = bits_ns / u128::from(self.interval.0);
        BitRate::new(u64::try_from(bps).unwrap_or(u64::MAX))
    }
}

/// Content of one acknowledgement and the sender's state after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AckSample {
    /// Bytes newly acknowledged cumulatively; 0 for a duplicate.
    pub acked: u64,
    /// Bytes that the ACK is the first to acknowledge or SACK.
    pub delivered: u64,
    /// Bytes newly judged lost.
    pub lost: u64,
    /// Data in the network after this ACK: RFC 6675 `pipe`; without SACK the outstanding data less
    /// a segment for every duplicate.
    pub pipe: u64,
    /// Data in the network before this ACK.
    pub prior_pipe: u64,
    /// Bytes that the connection has delivered in total.
    pub total_delivered: u64,
    /// Bytes that the connection has judged lost in total.
    pub total_lost: u64,
    /// Stream offset up to which everything is acknowledged. With [`sent_up_to`](Self::sent_up_to),
    /// a law can count round trips.
    pub acked_up_to: u64,
    /// Stream offset up to which data was sent.
    pub sent_up_to: u64,
    /// Round-trip time of the most recently sent segment among those acknowledged; `None` if all of
    /// them were retransmitted.
    pub rtt: Option<Span>,
    /// Smoothed round-trip time (RFC 6298); `None` before the first sample.
    pub srtt: Option<Span>,
    /// Smallest round-trip time of the connection; `None` before the first sample.
    pub min_rtt: Option<Span>,
    /// Delivery rate, if this ACK delivered data and the interval is valid.
    pub rate: Option<RateSample>,
    /// True if the window, not the application or the peer, limited sending when the acknowledged
    /// data left. If false, the window must not grow.
    pub cwnd_limited: bool,
    /// True in fast recovery, including the ACK that ends it, and while PRR spreads the response to
    /// a mark: the recovery then sets the window.
    pub in_fast_recovery: bool,
    /// True on the ACK that ends a fast recovery.
    pub ends_recovery: bool,
    /// True if the sender is still repairing losses after this ACK: in fast recovery, or in the
    /// slow start after a timeout.
    pub in_recovery: bool,
    /// True if the ACK echoes a congestion mark that no timeout has answered. The window must not
    /// grow on it (RFC 3168 section 6.1.2).
    pub ece: bool,
    /// Bytes that the ACK newly reports as marked, as whole segments; 0 without accurate ECN feedback (RFC 9768). Marks
    /// that earlier ACKs could not report are among them, so that they may exceed [`delivered`](Self::delivered).
    pub marked: u64,
}

impl AckSample {
    /// True if the recovery sets the window on this ACK, so that the law must not change it. By
    /// Linux's rules, the ACK that ends the recovery is no longer part of it.
    pub const fn is_recovering(&self, rules: LawRules) -> bool {
        self.in_fast_recovery && !(self.ends_recovery && matches!(rules, LawRules::Linux))
    }

    /// The cumulatively acknowledged bytes that were not SACKed before, but at least one segment of
    /// `mss` if so many bytes are acknowledged.
    pub fn newly_arrived(&self, mss: u64) -> u64 {
        self.acked.min(self.delivered.max(mss))
    }
}

/// Why a congestion episode began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CongestionKind {
    /// Loss detected by duplicate or selective acknowledgements.
    FastRetransmit,
    /// The retransmission timer expired.
    Rto,
    /// The receiver echoed a congestion mark.
    EcnCe,
    /// The retransmission timer expired again for data that it had already retransmitted: the
    /// threshold stays (RFC 5681 section 3.1).
    Persistent,
}

/// A congestion episode began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Congestion {
    /// Cause of the episode.
    pub kind: CongestionKind,
    /// Outstanding data without the segments of limited transmit (RFC 5681 FlightSize).
    pub flight: u64,
    /// True if the loss recovery is Tahoe, which has no fast recovery: the window restarts at one
    /// segment for any kind of episode.
    pub restart: bool,
}

/// Sending starts again after a pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Idle {
    /// Time since the last data segment left.
    pub idle: Span,
    /// Present retransmission timeout.
    pub rto: Span,
    /// True if the connection is configured to restart from the initial window when
    /// `idle > rto` (RFC 5681 section 4.1).
    pub restart: bool,
    /// True if the application caused the pause, since it had nothing to send.
    pub app_limited: bool,
}

/// State of a law.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LawState {
    /// Exponential growth below the threshold.
    SlowStart,
    /// Slow growth above the threshold.
    Avoidance,
    /// Another phase, by name.
    Other(&'static str),
}

//! What a congestion law is told. Sizes in bytes.
//!
//! Delivery-rate samples follow draft-cheng-iccrg-delivery-rate-estimation and section 4.1 of
//! draft-ietf-ccwg-bbr, which adds what was in flight and what was lost; `tcp/rate.rs` of the
//! transport crate says how they are taken.

use airtcp_units::{BitRate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Growth, SlowStartKind};

/// Whose rules laws follow where Linux departs from the document that a law is named after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LawRules {
    /// Those of the document.
    #[default]
    Documents,
    /// Linux's.
    Linux,
}

/// What a law starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LawParams {
    /// Largest payload of a segment.
    pub mss: u32,
    /// Initial window.
    pub initial_window: u64,
    /// Initial slow-start threshold; `u64::MAX` for none.
    pub initial_ssthresh: u64,
    /// The window is never raised above this; `u64::MAX` for no bound.
    pub max_cwnd: u64,
    /// Most segments by which one ACK may raise the window in slow start (RFC 3465 `L`).
    pub abc_limit: u32,
    /// Take the half that becomes the threshold from the window instead of FlightSize.
    pub half_of_cwnd: bool,
    /// A reduction leaves a threshold of whole segments; the window keeps the fraction.
    pub ssthresh_in_segments: bool,
    /// Losses are told by selective acknowledgements: more than one a round trip can be seen.
    pub selective_acks: bool,
    /// Smoothed round-trip time, if the handshake gave a sample.
    pub srtt: Option<Span>,
    /// Where a law that draws numbers takes them from, with a counter of its own: a different
    /// one for each connection, the same in each run. It is the initial sequence number.
    pub seed: u64,
    /// Which slow start.
    pub slow_start: SlowStartKind,
    /// Segments are paced whether or not the law asks for it.
    pub paced: bool,
    /// Whose rules hold where a law's own parameters leave it open.
    pub rules: LawRules,
}

impl LawParams {
    /// How a law grows that has Reno's additive increase and no key for it: per ACK (RFC 5681
    /// equation 3), by Linux's rules with what is acknowledged (`tcp_cong_avoid_ai` since 4.0).
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

/// A data segment left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sent {
    /// Its payload.
    pub bytes: u64,
    /// Data in the network with it (RFC 6675 `pipe`).
    pub pipe: u64,
    /// True if it was sent before.
    pub retransmission: bool,
}

/// How fast data was delivered over about one round trip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RateSample {
    /// Bytes delivered in the interval.
    pub delivered: u64,
    /// Length of the interval: the longer of its send and its ACK phase.
    pub interval: Span,
    /// Bytes the connection had delivered when the interval began: `delivered` counts from it,
    /// and round trips can be told by it.
    pub prior_delivered: u64,
    /// True if the sender ran out of data in it: the path may be faster than this.
    pub app_limited: bool,
    /// Data in the network when the segment acknowledged had just left, with it.
    pub tx_in_flight: u64,
    /// Bytes judged lost between then and now.
    pub lost: u64,
}

/// A segment was judged lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lost {
    /// Stream offset of its first byte: runs of losses can be told apart by it.
    pub start: u64,
    /// Its sequence space.
    pub bytes: u64,
    /// Data in the network when it had just left, with it.
    pub tx_in_flight: u64,
    /// Bytes judged lost since it left, with it.
    pub lost: u64,
    /// True if it left after the sender had run out of data.
    pub app_limited: bool,
    /// Bytes the connection has delivered in all.
    pub total_delivered: u64,
}

impl RateSample {
    /// The rate in bits per second; `None` if the interval is too short to tell.
    pub fn rate(&self) -> Option<BitRate> {
        if self.interval == Span::ZERO {
            return None;
        }
        let bits_ns = u128::from(self.delivered) * 8_000_000_000;
        let bps = bits_ns / u128::from(self.interval.0);
        BitRate::new(u64::try_from(bps).unwrap_or(u64::MAX))
    }
}

/// What one acknowledgement told the sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AckSample {
    /// Bytes newly acknowledged cumulatively; 0 for a duplicate.
    pub acked: u64,
    /// Bytes newly known to have arrived: acknowledged or SACKed for the first time.
    pub delivered: u64,
    /// Bytes newly judged lost.
    pub lost: u64,
    /// Data in the network after this ACK: RFC 6675 `pipe`; without selective acknowledgements
    /// what is outstanding less a segment for every duplicate.
    pub pipe: u64,
    /// Data in the network before it.
    pub prior_pipe: u64,
    /// Bytes the connection has delivered in all.
    pub total_delivered: u64,
    /// Bytes the connection has judged lost in all.
    pub total_lost: u64,
    /// Stream offset up to which everything is acknowledged; with [`sent_up_to`](Self::sent_up_to)
    /// a law can mark round trips.
    pub acked_up_to: u64,
    /// Stream offset up to which data was sent.
    pub sent_up_to: u64,
    /// Round-trip time of the segment most recently sent among those acknowledged; `None` if
    /// only retransmitted ones were.
    pub rtt: Option<Span>,
    /// Smoothed round-trip time (RFC 6298), once there is one.
    pub srtt: Option<Span>,
    /// Smallest round-trip time of the connection, once there is one.
    pub min_rtt: Option<Span>,
    /// Delivery rate, if this ACK delivered anything and the interval is meaningful.
    pub rate: Option<RateSample>,
    /// True if the window, not the application or the peer, limited sending when the
    /// acknowledged data left. Without it the window must not grow.
    pub cwnd_limited: bool,
    /// True in fast recovery, including on the ACK that ends it, and while the answer to a mark is
    /// being spread: the window is the recovery's.
    pub in_fast_recovery: bool,
    /// True on the ACK that ends a fast recovery.
    pub ends_recovery: bool,
    /// True if losses are still being repaired after this ACK: in fast recovery, or in the slow
    /// start through what a timeout lost.
    pub in_recovery: bool,
    /// True if the ACK echoes a congestion mark that no timeout has answered. The window must not
    /// grow on it (RFC 3168 section 6.1.2).
    pub ece: bool,
}

impl AckSample {
    /// True if the recovery sets the window on this ACK, so that a law such as Reno's leaves it alone.
    /// By Linux's rules the recovery is over when the law sees the ACK that ends it.
    pub const fn is_recovering(&self, rules: LawRules) -> bool {
        self.in_fast_recovery && !(self.ends_recovery && matches!(rules, LawRules::Linux))
    }

    /// Of the bytes acknowledged cumulatively those that were not reported before, and up to a
    /// segment of `mss` in any case.
    pub fn fresh(&self, mss: u64) -> u64 {
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
    /// The retransmission timer expired again for data it had already retransmitted: the
    /// threshold is held (RFC 5681 section 3.1).
    Persistent,
}

/// A congestion episode began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Congestion {
    /// Why.
    pub kind: CongestionKind,
    /// Data outstanding, without what limited transmit added (RFC 5681 FlightSize).
    pub flight: u64,
    /// True if the recovery has no fast recovery and the window must restart at one segment
    /// whatever the kind (Tahoe).
    pub restart: bool,
}

/// Sending starts again after a pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Idle {
    /// Time since the last data segment left.
    pub idle: Span,
    /// Retransmission timeout at present.
    pub rto: Span,
    /// True if the connection is configured to restart from the initial window when
    /// `idle > rto` (RFC 5681 section 4.1).
    pub restart: bool,
    /// True if the pause was the application's: there was nothing to send.
    pub app_limited: bool,
}

/// Something the layer below knows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LinkHint {
    /// The link went down: losses say nothing about congestion.
    Down,
    /// The link is up again.
    Up,
    /// Its rate became this.
    Rate(BitRate),
    /// Share of packets now lost to corruption.
    Corruption(f64),
}

/// What a law is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LawState {
    /// Exponential growth below the threshold.
    SlowStart,
    /// Looking for more capacity slowly.
    Avoidance,
    /// A phase of its own, by name.
    Other(&'static str),
}

//! What can be chosen between in [`TcpConfig`](super::TcpConfig), where the choice has no file of
//! its own under `recovery/`.

use airtcp_probe::Entry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is retransmitted when, and what counts as a congestion episode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Recovery {
    /// Fast retransmit, then slow start from one segment.
    Tahoe,
    /// Fast recovery that ends with the first new ACK.
    Reno,
    /// Fast recovery that repairs one hole per round trip.
    NewReno,
    /// Recovery from the SACK scoreboard.
    Sack,
    /// Recovery from SACK as ns-2's `sack1` sender does it.
    #[serde(rename = "sack-ns2")]
    SackNs2,
}

impl Recovery {
    /// The recoveries, for listing.
    pub const ENTRIES: &'static [Entry] = &[
        recovery("tahoe", "Fast retransmit, then slow start from one segment", "Jacobson 1988"),
        recovery(
            "reno",
            "Fast recovery that ends with the first new acknowledgement",
            "RFC 5681 section 3.2",
        ),
        recovery("newreno", "Fast recovery that repairs one hole per round trip", "RFC 6582"),
        recovery(
            "sack",
            "Recovery from the scoreboard of selective acknowledgements",
            "RFC 6675; RFC 2018",
        ),
        recovery(
            "sack-ns2",
            "Recovery from selective acknowledgements as in ns-2's Sack1",
            "ns-2.35; Fall, Floyd 1996",
        ),
    ];
}

const fn recovery(name: &'static str, description: &'static str, source: &'static str) -> Entry {
    Entry { family: "recovery", name, description, source }
}

/// Which partial acknowledgements restart the retransmission timer (RFC 6582 section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PartialAckTimer {
    /// Only the first of a recovery: many losses in a window end in a timeout.
    Impatient,
    /// Every one: many losses are repaired one per round trip.
    SlowButSteady,
}

/// The window when NewReno's recovery ends (RFC 6582 section 3.2 step 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RecoveryExit {
    /// `ssthresh`.
    Ssthresh,
    /// `min(ssthresh, max(FlightSize, MSS) + MSS)`: no burst when little is outstanding.
    Flight,
}

/// Which segments measure the round-trip time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RttSampling {
    /// One segment at a time, as RFC 6298 section 3 asks at least.
    OnePerRoundTrip,
    /// Every ACK of data sent once.
    EveryAck,
}

/// What ends exponential back-off of the retransmission timer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BackoffReset {
    /// A fresh round-trip sample (RFC 6298 sections 3 and 5, Karn's algorithm).
    Sample,
    /// Any acknowledgement of new data, as Linux does.
    NewAck,
}

/// What the lower bound of the timeout bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RtoMinRule {
    /// The timeout itself (RFC 6298 2.4).
    Total,
    /// Its variance term, so that the timeout is at least `srtt + rto_min`, as Linux does.
    Variance,
}

/// What a receiver does with segments beyond the next expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reassembly {
    /// It keeps them.
    Buffering,
    /// It drops them; the sender has to go back.
    GoBackN,
}

/// Whether segments are spread in time or leave as the window allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Pacing {
    /// At the rate the congestion law asks for; laws that ask for none are not paced.
    Law,
    /// Never, also if the law asks for it.
    Off,
    /// At the law's rate, or else at 1.2 times (in slow start 2 times) the window per smoothed
    /// round-trip time, as Linux's `fq` does.
    Cwnd,
}

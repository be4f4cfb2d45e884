//! Values of the keys of [`TcpConfig`](super::TcpConfig) that select a variant.

use airtcp_probe::Entry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tcp::recoveries::recoveries;

macro_rules! choice {
    ($(#[doc = $doc:literal] $name:literal $kind:ident(sack: $sack:literal) from $source:literal;)+) => {
        /// Which segment is retransmitted and when, and what counts as a congestion episode.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub enum Recovery {
            $(#[doc = $doc] #[serde(rename = $name)] $kind,)+
        }

        impl Recovery {
            /// The recoveries for `airtcp list`.
            pub const ENTRIES: &'static [Entry] = &[$(Entry {
                family: "recovery",
                name: $name,
                description: $doc.trim_ascii(),
                source: $source,
            },)+];

            /// All recoveries.
            pub const ALL: &'static [Self] = &[$(Self::$kind),+];

            /// The recovery of this name.
            pub(crate) fn named(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$kind),)+ _ => None }
            }

            /// Whether the recovery uses selective acknowledgements.
            pub(crate) const fn is_selective(self) -> bool {
                match self { $(Self::$kind => $sack,)+ }
            }
        }
    };
}

recoveries!(choice);

/// Which partial acknowledgements restart the retransmission timer (RFC 6582 section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PartialAckTimer {
    /// Only the first of a recovery: many losses in a window end in a timeout.
    Impatient,
    /// Every one: the sender repairs one loss per round trip.
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
    /// One segment at a time, the minimum of RFC 6298 section 3.
    OnePerRoundTrip,
    /// Every ACK of data sent once.
    EveryAck,
    /// Every ACK of data sent once, and else every first SACK of such data, as Linux does. A SACK that comes
    /// late because earlier ACKs were lost raises the timeout.
    EveryReport,
}

/// What ends the exponential back-off of the retransmission timer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BackoffReset {
    /// A new round-trip sample (RFC 6298 sections 3 and 5, Karn's algorithm).
    Sample,
    /// Any acknowledgement of new data, as Linux does.
    NewAck,
}

/// The term to which the lower bound of the timeout applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RtoMinRule {
    /// The timeout itself (RFC 6298 2.4).
    Total,
    /// Its variance term, so that the timeout is at least `srtt + rto_min`.
    Variance,
    /// As `variance`, and the variance term is the largest of each round trip and falls by a quarter of the difference
    /// once a round trip (`tcp_rtt_estimator` of Linux).
    Linux,
}

/// How a receiver treats segments beyond the next expected byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reassembly {
    /// It buffers them.
    Buffering,
    /// It drops them; the sender must retransmit them.
    GoBackN,
}

/// Whether the sender paces segments or sends them as the window allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Pacing {
    /// At the rate of the congestion law; laws without a rate are not paced.
    Law,
    /// Never, even if the law gives a rate.
    Off,
    /// At the law's rate, otherwise at 1.2 times (in slow start 2 times) the window per smoothed
    /// round-trip time, as Linux's `fq` does.
    Cwnd,
}

/// The variant of early retransmit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EarlyRetransmit {
    /// None.
    #[default]
    Off,
    /// Segment-based (RFC 5827 section 3.2).
    Segments,
    /// Byte-based (section 3.1).
    Bytes,
}

/// The heuristic of RFC 6582 section 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CarefulHeuristic {
    /// None.
    #[default]
    None,
    /// The ACK heuristic (RFC 6582 section 4.1).
    Ack,
    /// The timestamp heuristic (section 4.2).
    Timestamp,
}

/// How fast recovery spreads the reduction of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RateReduction {
    /// Not at all: the law's window applies at once (RFC 5681, RFC 6675).
    #[default]
    None,
    /// Proportional Rate Reduction, RFC 9937.
    Prr,
    /// Proportional Rate Reduction of RFC 6937.
    #[serde(rename = "prr-rfc6937")]
    PrrRfc6937,
}

/// Growth bound of PRR when less than the target is in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PrrBound {
    /// The conservative bound, and the slow-start bound on a `SafeACK` (RFC 9937 section 6.2).
    SafeAck,
    /// The slow-start reduction bound: one segment more than was delivered.
    Ssrb,
    /// The conservative reduction bound: not more than was delivered.
    Crb,
}

/// Which losses reduce the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LossResponse {
    /// All losses (RFC 5681).
    #[default]
    Always,
    /// None that was found without a timeout: only congestion marks and timeouts reduce the window.
    EcnOnly,
    /// Losses that relative one-way trip times classify as congestion, and all that a timeout found
    /// (TP-LDA).
    TpLda,
}

/// Whether the layer below reports its losses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LossNotification {
    /// No reports.
    #[default]
    None,
    /// Every packet that a link corrupted is reported, and no other.
    Oracle,
}

/// ECN field of new data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ect {
    /// ECT(0): a mark is as much as a loss (RFC 3168).
    #[default]
    Ect0,
    /// ECT(1): the sender answers the share of marked packets (RFC 9331).
    Ect1,
}

impl Ect {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(super) fn is_default(&self) -> bool {
        *self == Self::Ect0
    }
}

/// The variant of F-RTO.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Frto {
    /// None.
    #[default]
    Off,
    /// RFC 5682: the basic algorithm, or with SACK the enhanced one.
    Rfc5682,
    /// Linux's: RFC 5682, and with SACK also evidence from the first ACK and after repeated
    /// timeouts.
    Linux,
}

/// Response to a spurious recovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SpuriousResponse {
    /// Restore window and threshold (Linux).
    #[default]
    Undo,
    /// The Eifel response after timeouts (RFC 4015), otherwise as `undo`.
    Eifel,
    /// The window stays reduced; only the recovery ends (RFC 5682 section 4).
    Keep,
}

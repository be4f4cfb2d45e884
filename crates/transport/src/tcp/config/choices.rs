//! What can be chosen between in [`TcpConfig`](super::TcpConfig).

use airtcp_probe::Entry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tcp::recoveries::recoveries;

macro_rules! choice {
    ($(#[doc = $doc:literal] $name:literal $kind:ident(sack: $sack:literal) from $source:literal;)+) => {
        /// What is retransmitted when, and what counts as a congestion episode.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub enum Recovery {
            $(#[doc = $doc] #[serde(rename = $name)] $kind,)+
        }

        impl Recovery {
            /// The recoveries, for listing.
            pub const ENTRIES: &'static [Entry] = &[$(Entry {
                family: "recovery",
                name: $name,
                description: $doc.trim_ascii(),
                source: $source,
            },)+];

            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$kind),+];

            /// The one of this name.
            pub(crate) fn named(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$kind),)+ _ => None }
            }

            /// Whether it works from selective acknowledgements.
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

/// Which early retransmit.
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

/// Which heuristic.
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

/// What spreads the reduction of the window over fast recovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RateReduction {
    /// Nothing: the window is the law's at once (RFC 5681, RFC 6675).
    #[default]
    None,
    /// Proportional Rate Reduction, RFC 9937.
    Prr,
    /// Proportional Rate Reduction as RFC 6937 had it.
    #[serde(rename = "prr-rfc6937")]
    PrrRfc6937,
}

/// How fast PRR catches up once less is in flight than the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PrrBound {
    /// The conservative bound, and the slow-start bound on a `SafeACK` (RFC 9937 section 6.2).
    SafeAck,
    /// The slow-start reduction bound: a segment more than was delivered.
    Ssrb,
    /// The conservative reduction bound: no more than was delivered.
    Crb,
}

/// Which losses reduce the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LossResponse {
    /// All (RFC 5681).
    #[default]
    Always,
    /// None that was found without a timeout: only congestion marks and timeouts reduce it.
    EcnOnly,
    /// Those that relative one-way trip times say were congestion, and all that a timeout found
    /// (TP-LDA).
    TpLda,
}

/// Whether the layer below names what it lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LossNotification {
    /// No.
    #[default]
    None,
    /// Every packet that a link corrupted, and no other.
    Oracle,
}

/// Which F-RTO.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Frto {
    /// None.
    #[default]
    Off,
    /// RFC 5682: the basic algorithm, or with SACK the enhanced one.
    Rfc5682,
    /// As Linux: RFC 5682, and with SACK also evidence from the first ACK and after repeated
    /// timeouts.
    Linux,
}

/// What follows when a recovery turns out to have been unnecessary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SpuriousResponse {
    /// Window and threshold are as before (Linux).
    #[default]
    Undo,
    /// The Eifel response after timeouts (RFC 4015), as `undo` otherwise.
    Eifel,
    /// The window stays reduced, only the repair ends (RFC 5682 section 4).
    Keep,
}

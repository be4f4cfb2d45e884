//! Why the sender had to wait for its timer, as far as a capture of a host shows it.
//!
//! Fast retransmit needs three duplicate ACKs (RFC 5681 section 3.2), so three segments that arrive
//! behind the lost one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Duplicate ACKs that start a fast retransmit (RFC 5681 section 3.2).
const DUPLICATES: usize = 3;

/// Why a timeout was needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimeoutCause {
    /// A copy had arrived: the ACK was late or lost.
    Spurious,
    /// The segment had been sent again before, and that copy did not help either.
    LostRetransmission,
    /// Fewer than three segments were sent after it: three duplicate ACKs could not come.
    Tail,
    /// Three or more were sent after it, and no sign of their arrival came back.
    WholeFlight,
    /// Signs of arrival came, but fewer than three.
    FewDuplicateAcks,
    /// Three or more came, and the sender did not retransmit.
    Other,
}

impl TimeoutCause {
    /// Its name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Spurious => "spurious",
            Self::LostRetransmission => "lost_retransmission",
            Self::Tail => "tail",
            Self::WholeFlight => "whole_flight",
            Self::FewDuplicateAcks => "few_duplicate_acks",
            Self::Other => "other",
        }
    }
}

/// What is known of a segment when its timer expires.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expired {
    /// It was sent again before, other than as a probe.
    pub(super) again: bool,
    /// Segments that were sent after it.
    pub(super) behind: usize,
    /// Signs that segments behind it arrived: duplicate ACKs, or segments in SACK blocks.
    pub(super) signs: usize,
}

impl Expired {
    /// The cause, unless the timeout proves spurious.
    pub(super) const fn cause(self) -> TimeoutCause {
        if self.again {
            TimeoutCause::LostRetransmission
        } else if self.behind < DUPLICATES {
            TimeoutCause::Tail
        } else if self.signs == 0 {
            TimeoutCause::WholeFlight
        } else if self.signs < DUPLICATES {
            TimeoutCause::FewDuplicateAcks
        } else {
            TimeoutCause::Other
        }
    }
}

/// Timeouts by why they were needed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TimeoutCounts {
    /// A copy had arrived: the ACK was late or lost.
    pub spurious: u64,
    /// The segment had been sent again before, and that copy was lost too.
    pub lost_retransmission: u64,
    /// Fewer than three segments were sent after it.
    pub tail: u64,
    /// Three or more were sent after it, and no sign of their arrival came back.
    pub whole_flight: u64,
    /// One or two signs of arrival came.
    pub few_duplicate_acks: u64,
    /// Three or more came, and the sender did not retransmit.
    pub other: u64,
}

impl TimeoutCounts {
    pub(super) fn of(causes: impl Iterator<Item = TimeoutCause>) -> Self {
        let mut counts = Self::default();
        for cause in causes {
            *match cause {
                TimeoutCause::Spurious => &mut counts.spurious,
                TimeoutCause::LostRetransmission => &mut counts.lost_retransmission,
                TimeoutCause::Tail => &mut counts.tail,
                TimeoutCause::WholeFlight => &mut counts.whole_flight,
                TimeoutCause::FewDuplicateAcks => &mut counts.few_duplicate_acks,
                TimeoutCause::Other => &mut counts.other,
            } += 1;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_by_what_was_sent_and_what_came_back() {
        let cause = |again, behind, signs| Expired { again, behind, signs }.cause();
        assert_eq!(cause(true, 20, 9), TimeoutCause::LostRetransmission);
        assert_eq!(cause(false, 2, 2), TimeoutCause::Tail);
        assert_eq!(cause(false, 3, 0), TimeoutCause::WholeFlight);
        assert_eq!(cause(false, 3, 2), TimeoutCause::FewDuplicateAcks);
        assert_eq!(cause(false, 9, 3), TimeoutCause::Other);
        let counts = TimeoutCounts::of([TimeoutCause::Tail, TimeoutCause::Tail].into_iter());
        assert_eq!(counts, TimeoutCounts { tail: 2, ..TimeoutCounts::default() });
    }
}

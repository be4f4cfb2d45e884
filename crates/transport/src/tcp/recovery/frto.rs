//! F-RTO: spurious timeouts found out without any option, RFC 5682.
//!
//! After a timeout only the first segment is sent again. If its ACK advances the window but not to
//! the end, two new segments go instead of retransmissions; if the next ACK advances again, it was
//! caused by originals, and the timeout was spurious.
//!
//! ```text
//! step                          without SACK (section 2.1)          with SACK (section 3.1)
//! 2  duplicate                  real                                stay
//!    ACK of all outstanding     real                                real, cwnd <= 2 MSS
//!    ACK of less than step 1's  real                                -
//!    ACK of more, new data      two new segments, step 3            the same
//!    ACK of more, none to send  real                                the same
//! 3  duplicate                  real, cwnd <= 3 MSS                 real unless it SACKs older data
//!    beyond what was outstanding -                                  real, cwnd <= 3 MSS
//!    ACK of new data            spurious                            spurious, also by SACK
//! ```
//!
//! It is not begun in a recovery that runs already. [`Frto::Linux`] adds what Linux does with
//! SACK: data never sent again that is reported for the first time after the timeout shows at
//! once that the timeout was spurious; and repeated timeouts begin it anew.
//!
//! [choice] Whether the scoreboard is cleared by the timeout is `keep_sack_after_rto`, not
//! section 3.1 step 1. Nagle's algorithm is not overridden in step 2, and Appendix A (limits by
//! the receiver's window) is left out. Without SACK the duplicates for the two new segments make
//! room for retransmissions, so that a real loss is repaired as fast as conventionally. Bytes.

use airtcp_units::Nanos;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::undo::Evidence;
use crate::tcp::config::{Recovery, TcpConfig};
use crate::tcp::scoreboard::SentSegment;
use crate::tcp::sender::Sender;
use airtcp_congestion::CongestionControl;

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

/// New segments sent in step 2.
const NEW_SEGMENTS: u32 = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Step {
    /// Not running.
    #[default]
    Off,
    /// Step 1 is done: waiting for the ACK of the retransmission, which ends here.
    Resent(u64),
    /// Step 2b is done: this many new segments may still go.
    New(u32),
}

/// What may leave while F-RTO runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gate {
    /// Whatever recovery says.
    Open,
    /// Nothing.
    Shut,
    /// New data only.
    New,
}

/// State of the algorithm.
#[derive(Debug, Clone, Default)]
pub(crate) struct FrtoState {
    step: Step,
    /// Bytes of new data sent in step 2 that duplicates may still show to have arrived, and what
    /// they have shown.
    unseen: u64,
    credit: u64,
}

impl FrtoState {
    /// The timeout counts as real, or as spurious: either way it is decided.
    pub(super) const fn stop(&mut self) {
        self.step = Step::Off;
        self.unseen = 0;
        self.credit = 0;
    }

    /// What duplicates add to the window of the slow start after a real timeout.
    pub(super) const fn credit(&self) -> u64 {
        self.credit
    }

    /// Without SACK: one more segment has left the network.
    pub(super) fn on_duplicate(&mut self, mss: u64) {
        if self.step == Step::Off {
            let seen = self.unseen.min(mss);
            self.unseen -= seen;
            self.credit += seen;
        }
    }
}

impl Sender {
    /// Step 1; `open` if no recovery ran before, `again` if the timer expired for the same segment
    /// again. What was outstanding is given up already.
    /// `kept` says whether SACK information outlived the timeout.
    pub(super) fn frto_begin(
        &mut self,
        (open, again, kept): (bool, bool, bool),
        config: &TcpConfig,
    ) {
        self.recovery.detection.frto.stop();
        let begins = match config.frto {
            Frto::Off => false,
            Frto::Rfc5682 => open,
            Frto::Linux => open || again,
        };
        if begins && self.recovery.detection.episode.is_some() {
            let end = self.board.front().map_or(self.nxt, SentSegment::end);
            self.recovery.detection.frto.step = Step::Resent(end);
            let sack = self.recovery.discipline == Recovery::Sack;
            let early = config.frto == Frto::Linux && sack && kept;
            self.board.watch(if early { self.nxt } else { 0 });
        }
    }

    /// Steps 2 and 3.
    pub(super) fn frto_detects(&mut self, now: Nanos, ack: &Evidence, config: &TcpConfig) -> bool {
        let sack = self.recovery.discipline == Recovery::Sack;
        let step = self.recovery.detection.frto.step;
        if step == Step::Off {
            return false;
        }
        if self.board.watched() {
            return true;
        }
        match step {
            Step::Off => false,
            Step::Resent(end) => {
                if ack.acked > 0 {
                    let all = self.una >= self.nxt || (!sack && self.una < end);
                    if all && sack {
                        self.law.limit_cwnd(2 * u64::from(self.mss));
                    }
                    let goes_on = !all && self.has_new_data(now, config);
                    self.recovery.recover = self.nxt;
                    let frto = &mut self.recovery.detection.frto;
                    frto.step = if goes_on { Step::New(NEW_SEGMENTS) } else { Step::Off };
                } else if ack.duplicate && !sack {
                    self.recovery.detection.frto.step = Step::Off;
                }
                false
            }
            Step::New(_) => {
                let recover = self.recovery.recover;
                let beyond = sack
                    && (self.una > recover
                        || self.board.highest_sacked().is_some_and(|high| high > recover));
                if !beyond && (ack.acked > 0 || (sack && ack.news)) {
                    return true;
                }
                if beyond || ack.duplicate {
                    self.law.limit_cwnd(3 * u64::from(self.mss));
                    let frto = &mut self.recovery.detection.frto;
                    frto.step = Step::Off;
                    frto.unseen = if sack { 0 } else { self.nxt - recover };
                }
                false
            }
        }
    }

    /// What may leave now.
    #[inline]
    pub(crate) fn frto_gate(&self) -> Gate {
        match self.recovery.detection.frto.step {
            Step::Off => Gate::Open,
            Step::Resent(_) if self.recovery.timed_out => Gate::Open,
            Step::New(left) if left > 0 => Gate::New,
            Step::Resent(_) | Step::New(_) => Gate::Shut,
        }
    }

    /// A new segment left.
    #[inline]
    pub(crate) fn frto_on_new(&mut self) {
        if let Step::New(left) = &mut self.recovery.detection.frto.step {
            *left = left.saturating_sub(1);
        }
    }
}

//! Retransmissions that were not needed, by what later ACKs say.
//!
//! | evidence | rule |
//! |---|---|
//! | dsack | an ACK reports the segment as received twice (RFC 2883) |
//! | timestamps | the first ACK for the segment echoes a timestamp from before the retransmission (Eifel, RFC 3522) |
//! | early ack | the segment is acknowledged sooner after the retransmission than any round trip |
//! | frto | after a timeout, an ACK covers data that was sent once, but not everything sent before it (RFC 5682) |
//! | seen twice | the capture holds an earlier copy, and was taken behind the losses |

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cause::Cause;
use super::sequence::later;

/// What shows that a retransmission was not needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// Duplicate SACK (RFC 2883).
    pub dsack: bool,
    /// Timestamps (Eifel, RFC 3522).
    pub timestamps: bool,
    /// Acknowledged sooner than any round trip.
    pub early_ack: bool,
    /// F-RTO (RFC 5682).
    pub frto: bool,
    /// An earlier copy passed the place of the capture.
    pub seen_twice: bool,
}

impl Evidence {
    /// The names of what shows it.
    pub(crate) fn names(self) -> Vec<&'static str> {
        let all = [
            (self.dsack, "dsack"),
            (self.timestamps, "timestamps"),
            (self.early_ack, "early_ack"),
            (self.frto, "frto"),
            (self.seen_twice, "seen_twice"),
        ];
        all.iter().filter(|(shows, _)| *shows).map(|(_, name)| *name).collect()
    }

    /// True if any evidence shows it.
    pub const fn is_spurious(self) -> bool {
        self.dsack || self.timestamps || self.early_ack || self.frto || self.seen_twice
    }
}

/// Most retransmissions of a direction that wait for evidence.
const MAX_WAITING: usize = 4096;

/// A retransmission whose evidence is still open.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiting {
    /// Its number among the retransmissions of the direction.
    pub(super) number: usize,
    pub(super) start: u64,
    pub(super) end: u64,
    /// The byte after the last one sent before it.
    pub(super) next: u64,
    pub(super) time_ns: u64,
    pub(super) stamp: Option<u32>,
    pub(super) cause: Cause,
    pub(super) evidence: Evidence,
    /// True once an ACK has covered it: only DSACK can still come.
    pub(super) acknowledged: bool,
}

/// An ACK, as far as evidence needs it.
#[derive(Debug, Clone, Copy)]
pub(super) struct AckSeen {
    pub(super) time_ns: u64,
    /// First byte in flight before and after it.
    pub(super) before: u64,
    pub(super) una: u64,
    pub(super) echo: Option<u32>,
    /// Least time from the capture to the receiver and back.
    pub(super) least_rtt_ns: Option<u64>,
    /// True if it covers data that was sent once and not yet selectively acknowledged, beyond the
    /// first segment.
    pub(super) covers_original: bool,
}

/// An ACK this share of the least round trip after a retransmission was caused by an earlier copy.
const EARLY: f64 = 0.8;

/// The retransmissions of a direction whose evidence is still open.
#[derive(Debug, Clone, Default)]
pub(super) struct Judge {
    waiting: VecDeque<Waiting>,
    /// Number of those that are not acknowledged: only for them can an ACK be evidence.
    uncovered: usize,
    /// Timestamp of the first retransmission of the present recovery.
    first_stamp: Option<u32>,
    /// Its number.
    begun: usize,
}

impl Judge {
    /// Adds a retransmission; `begins` if it begins a recovery.
    pub(super) fn push(&mut self, retransmission: Waiting, begins: bool) {
        if begins {
            self.first_stamp = retransmission.stamp;
            self.begun = retransmission.number;
        }
        if self.waiting.len() >= MAX_WAITING
            && let Some(forgotten) = self.waiting.pop_front()
        {
            self.uncovered -= usize::from(!forgotten.acknowledged);
        }
        self.uncovered += usize::from(!retransmission.acknowledged);
        self.waiting.push_back(retransmission);
    }

    /// Takes an ACK into account. Reports each change, and returns true if the sender learns that the last
    /// timeout or recovery was spurious: of a recovery, by the timestamp of an original (RFC 4015).
    pub(super) fn on_ack(&mut self, ack: &AckSeen, mut changed: impl FnMut(&Waiting)) -> bool {
        if self.uncovered == 0 {
            return false;
        }
        let mut undone = false;
        for waiting in &mut self.waiting {
            if waiting.acknowledged || waiting.start >= ack.una {
                continue;
            }
            let evidence = waiting.evidence;
            // Only an ACK that fills the hole at the left edge echoes the segment that filled it.
            let at_left_edge = waiting.start <= ack.before && ack.before < waiting.end;
            if at_left_edge
                && let (Some(echo), Some(stamp)) = (ack.echo, waiting.stamp)
                && later(stamp, echo)
            {
                waiting.evidence.timestamps = true;
            }
            let since = ack.time_ns.saturating_sub(waiting.time_ns) as f64;
            if at_left_edge && ack.least_rtt_ns.is_some_and(|rtt| since < EARLY * rtt as f64) {
                waiting.evidence.early_ack = true;
            }
            let after_timeout = waiting.cause == Cause::Timeout;
            // A sender undoes a timeout if the ACK is for something that it sent before all repairs.
            let precedes_all = match (ack.echo, self.first_stamp) {
                (Some(echo), Some(first)) => later(first, echo),
                _ => true,
            };
            let part = waiting.end < ack.una && ack.una < waiting.next;
            if at_left_edge && after_timeout && part && ack.covers_original {
                waiting.evidence.frto = true;
            }
            if waiting.end <= ack.una {
                waiting.acknowledged = true;
                self.uncovered -= 1;
            }
            if waiting.evidence != evidence {
                let by_stamp = waiting.evidence.timestamps && precedes_all;
                undone |= (after_timeout && precedes_all) || by_stamp;
                changed(waiting);
            }
        }
        undone
    }

    /// A duplicate SACK for `start..end`. Marks the last retransmission that can have caused it. True if all
    /// retransmissions since the timeout or the recovery began have one: the sender learns that it was spurious (RFC
    /// 3708 section 2).
    pub(super) fn on_dsack(
        &mut self,
        start: u64,
        end: u64,
        sent_before_ns: u64,
        mut changed: impl FnMut(&Waiting),
    ) -> bool {
        let caused = |w: &&mut Waiting| {
            w.start < end && start < w.end && !w.evidence.dsack && w.time_ns <= sent_before_ns
        };
        let Some(waiting) = self.waiting.iter_mut().rev().find(caused) else { return false };
        waiting.evidence.dsack = true;
        changed(waiting);
        let mut present = self.waiting.iter().rev().take_while(|w| w.number >= self.begun);
        present.all(|w| w.evidence.dsack)
    }

    /// Forgets retransmissions that an ACK covered long ago.
    pub(super) fn forget_before(&mut self, time_ns: u64) {
        while self.waiting.front().is_some_and(|w| w.acknowledged && w.time_ns < time_ns) {
            self.waiting.pop_front();
        }
    }
}

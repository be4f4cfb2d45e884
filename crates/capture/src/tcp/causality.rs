//! ACKs that a capture holds before the data that they acknowledge.
//!
//! At no point of a path does an ACK precede its data. A capture can hold them in this order if several receive
//! queues, interfaces or captures with clocks of their own wrote it. The packets of an end then wait here,
//! from such an ACK on, until what it acknowledges has come, and take the time of that packet.
//!
//! | what an ACK waits for | until |
//! |---|---|
//! | the bytes that it acknowledges, by its number and its SACK blocks | the other end's segments have reached them |
//! | the longest time by which ACKs were early, once half of the ACKs for data were early: the clocks differ | the capture reaches that time |
//! | the timestamp that it echoes, once other ACKs have proved to be early | a segment has it (RFC 7323 section 4) |
//!
//! A capture can also lack the data. Then data behind them show it, or the wait ends after 3 s, and the packets
//! are taken in the order of the capture. What fills the hole can also be a second copy of data that the
//! capture lacks: [`Proof`] tells.

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dissect::Segment;
use crate::times::Times;

/// Longest time that an ACK waits.
const LONGEST_NS: u64 = 3_000_000_000;
/// Data this long behind their ACK may have been sent again, if nothing proves that they were not: common
/// senders have no shorter timeout.
const UNPROVED_NS: u64 = 100_000_000;
/// Packets that wait at a time, before and after some ACKs have proved to be early.
const FEW: usize = 512;
const MANY: usize = 4096;
/// ACKs that prove that others are early.
pub(super) const PROVED: u64 = 4;
/// Waits in vain after which no ACK waits.
const VAIN: u64 = 8;
/// Share of the ACKs for data that come early if two clocks, or two delays, were merged.
const MERGED_SHARE: f64 = 0.5;

/// A packet that waits.
#[derive(Debug, Clone)]
pub(super) struct Held {
    pub(super) segment: Segment,
    /// True if it came before what it acknowledges; others wait behind such a packet.
    pub(super) is_early: bool,
    /// When what it acknowledges had come.
    pub(super) met_ns: Option<u64>,
}

/// What the identifications and timestamps say of data that came behind their ACK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Proof {
    /// They were sent once.
    Original,
    /// Another packet was sent before them that the capture lacks: it had the same data.
    Again,
    None,
}

/// The packets of an end that wait, and what was learnt of others.
#[derive(Debug, Clone, Default)]
pub(super) struct Causality {
    /// Whose packets wait.
    pub(super) from: usize,
    queue: VecDeque<Held>,
    /// The first so many of them have met what they acknowledge.
    met: usize,
    /// When the first of them came.
    since_ns: u64,
    /// Time from an ACK to its data, by the end that sent the ACKs.
    pub(super) lags: [Times; 2],
    vain: u64,
}

impl Causality {
    pub(super) fn is_waiting(&self) -> bool {
        !self.queue.is_empty()
    }

    fn proved(&self) -> u64 {
        self.lags.iter().map(Times::count).sum()
    }

    /// True if some ACKs have proved to be early.
    pub(super) fn is_proved(&self) -> bool {
        self.proved() >= PROVED
    }

    /// True if ACKs have waited in vain: the capture lacks packets.
    pub(super) fn is_vain(&self) -> bool {
        self.vain >= VAIN && self.vain > self.proved()
    }

    /// By how much the packets of an end are early, if nearly all `acks` for data are.
    pub(super) fn skew_ns(&self, from: usize, acks: u64) -> Option<u64> {
        self.lags[from].max_ns().filter(|_| self.is_merged(from, acks))
    }

    pub(super) fn is_overdue(&self, now: u64) -> bool {
        self.is_waiting() && now.saturating_sub(self.since_ns) > LONGEST_NS
    }

    pub(super) fn has_room(&self) -> bool {
        self.queue.len() < if self.is_proved() { MANY } else { FEW }
    }

    pub(super) fn hold(&mut self, from: usize, segment: &Segment, is_early: bool) {
        if self.queue.is_empty() {
            self.from = from;
            self.since_ns = segment.time_ns;
        }
        self.queue.push_back(Held { segment: segment.clone(), is_early, met_ns: None });
    }

    /// The last packet that waits.
    pub(super) fn back(&self) -> Option<&Held> {
        self.queue.back()
    }

    pub(super) fn front(&self) -> Option<&Held> {
        self.queue.front()
    }

    pub(super) fn pop(&mut self) -> Option<Held> {
        let held = self.queue.pop_front();
        self.met = self.met.saturating_sub(1);
        if let Some(next) = self.queue.front() {
            self.since_ns = next.segment.time_ns;
        }
        held
    }

    /// Notes at `now` which packets have met what they acknowledge.
    pub(super) fn meet(&mut self, now: u64, has_come: impl Fn(&Segment) -> bool) {
        while let Some(held) = self.queue.get_mut(self.met).filter(|held| has_come(&held.segment)) {
            held.met_ns = Some(now);
            self.met += 1;
            if held.is_early {
                self.lags[self.from].add(now.saturating_sub(held.segment.time_ns));
            }
        }
    }

    /// A wait was in vain.
    pub(super) const fn in_vain(&mut self, times: u64) {
        self.vain += times;
    }

    /// True if data that come `lag_ns` behind their ACK were sent once. Without a proof, a capture that lacks
    /// other packets, `lost` of them data of this direction, probably lacks the first copy as well.
    pub(super) fn is_original(&self, lag_ns: u64, proof: Proof, lost: u64) -> bool {
        let known = self.lags[self.from].max_ns().filter(|_| self.is_proved());
        match proof {
            Proof::Original => true,
            Proof::Again => false,
            Proof::None => {
                let is_whole = self.vain.saturating_add(lost) <= self.proved();
                is_whole && lag_ns < UNPROVED_NS.max(known.map_or(0, |ns| ns + ns / 2))
            }
        }
    }

    /// True if nearly all of the `acks` for data that this end sent were early: two clocks, or two delays, were
    /// merged.
    pub(super) fn is_merged(&self, from: usize, acks: u64) -> bool {
        let early = self.lags[from].count();
        early >= PROVED && early as f64 >= MERGED_SHARE * acks as f64
    }
}

/// ACKs that the capture holds before their data. They were put in order: nothing is counted as sent again because
/// of it, and these ACKs give no round-trip times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EarlyAcks {
    /// Address and port of the end that sent the ACKs.
    pub from: String,
    /// ACKs before their data, and data behind their ACKs.
    pub count: u64,
    /// Median of the time from an ACK to its data, in s.
    pub lag_p50_s: Option<f64>,
    /// Longest time from an ACK to its data, in s. By so much at least the clocks or the delays of the two
    /// directions differ.
    pub lag_max_s: f64,
    /// If two clocks were merged: the most by which they differ, in s. It is the shortest round trip from that
    /// end to the other, which holds the difference.
    pub skew_at_most_s: Option<f64>,
    /// True if half of the ACKs for data or more came early: two clocks, or two delays, were merged. No times between the
    /// two ends are given then.
    pub two_clocks: bool,
}

//! A packet on a link: its attempts so far, and the fate of the last one.

use super::clock::Instant;
use super::tally::{MAX_CHAIN, Tally};

/// A captured attempt to send a packet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attempt {
    /// Sequence number.
    pub(super) sequence: u16,
    /// The retry bit.
    pub(super) retry: bool,
    /// When it was captured.
    pub(super) at: Instant,
    /// Rate in bit/s; 0 if unknown.
    pub(super) rate: u64,
    /// Time from the start of the transmission to the timestamp by the radio's clock, in ns.
    pub(super) preamble_ns: u64,
    /// Time of the whole transmission, in ns; 0 if unknown.
    pub(super) airtime_ns: u64,
    /// The number of its A-MPDU.
    pub(super) ampdu: Option<u32>,
}

/// What is known of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Fate {
    /// No acknowledgement was captured.
    #[default]
    Unanswered,
    /// Acknowledged.
    Acked,
    /// A block acknowledgement covers it and says that it did not arrive.
    Refused,
}

/// A packet that is followed.
#[derive(Debug, Clone)]
pub(super) struct Packet {
    first: Attempt,
    /// The last captured attempt.
    pub(super) last: Attempt,
    /// Captured attempts.
    attempts: u16,
    /// Fate of the last captured attempt.
    pub(super) fate: Fate,
    /// An attempt was acknowledged.
    delivered: bool,
    has_retry: bool,
    /// An attempt after the last captured one was acknowledged.
    pub(super) arrived_unseen: bool,
    /// Number of the burst of the last attempt.
    pub(super) burst: u64,
    /// Its payload was passed on.
    pub(super) is_passed_on: bool,
}

impl Packet {
    /// A packet by its first captured attempt.
    pub(super) fn new(attempt: &Attempt, burst: u64, tally: &mut Tally) -> Self {
        tally.packets += 1;
        if attempt.retry {
            tally.began_with_retry += 1;
            tally.with_retry += 1;
        } else {
            tally.firsts += 1;
            tally.on_first_rate(attempt.rate);
        }
        tally.rate(attempt.rate).attempts += 1;
        Self {
            first: *attempt,
            last: *attempt,
            attempts: 1,
            fate: Fate::Unanswered,
            delivered: false,
            has_retry: attempt.retry,
            arrived_unseen: false,
            burst,
            is_passed_on: false,
        }
    }

    /// Takes a retry.
    pub(super) fn on_retry(&mut self, attempt: &Attempt, burst: u64, tally: &mut Tally) {
        if !self.has_retry {
            self.has_retry = true;
            tally.with_retry += 1;
        }
        tally.retries_after_ack += u64::from(self.fate == Fate::Acked);
        tally.intervals_ns.add(attempt.at.since(&self.last.at).ns);
        tally.rate(attempt.rate).attempts += 1;
        self.last = *attempt;
        self.attempts = self.attempts.saturating_add(1);
        self.fate = Fate::Unanswered;
        self.arrived_unseen = false;
        self.burst = burst;
    }

    /// The last attempt was acknowledged. `ack_ns` is the time that the acknowledgement takes from its
    /// first bit on.
    pub(super) fn on_ack(&mut self, at: &Instant, ack_ns: u64, tally: &mut Tally) {
        if self.fate != Fate::Unanswered {
            return;
        }
        self.fate = Fate::Acked;
        tally.rate(self.last.rate).acked += 1;
        tally.firsts_acked += u64::from(self.is_first());
        if !self.delivered && !self.first.retry {
            let elapsed = at.since(&self.first.at);
            // Hosts stamp the end of a frame, radios its first bit.
            let more = if elapsed.by_radio {
                self.first.preamble_ns + ack_ns
            } else {
                self.first.airtime_ns
            };
            if self.first.airtime_ns > 0 {
                tally.latency_ns.add(elapsed.ns.saturating_add(more));
            }
        }
        self.delivered = true;
    }

    /// True if the last captured attempt is the first one.
    const fn is_first(&self) -> bool {
        self.attempts == 1 && !self.first.retry
    }

    /// Captured attempts, the first one if a retry shows it, and the last one if its acknowledgement
    /// shows it.
    fn known_attempts(&self) -> u16 {
        let hidden = u16::from(self.first.retry) + u16::from(self.arrived_unseen);
        self.attempts.saturating_add(hidden)
    }

    /// Counts a packet that is over. `is_decided` is false if the capture ends before the next packet
    /// shows whether a retry follows.
    pub(super) fn close(&self, is_decided: bool, tally: &mut Tally) {
        if self.fate == Fate::Unanswered && !self.arrived_unseen && !is_decided {
            tally.rate(self.last.rate).undecided += 1;
            return;
        }
        let is_first = self.is_first();
        let attempts = self.known_attempts().min(MAX_CHAIN);
        let mut chain = tally.chains.get(&attempts).copied().unwrap_or_default();
        chain.packets += 1;
        match self.fate {
            Fate::Acked => chain.acked += 1,
            _ if self.arrived_unseen => {}
            Fate::Unanswered => {
                tally.rate(self.last.rate).unanswered += 1;
                tally.firsts_unanswered += u64::from(is_first);
                chain.unanswered += u64::from(!self.delivered);
            }
            Fate::Refused => chain.refused += u64::from(!self.delivered),
        }
        tally.chains.insert(attempts, chain);
    }
}

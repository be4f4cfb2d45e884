//! A packet on a link: its attempts so far, and the fate of the last one.

use super::clock::Instant;
use super::intervals::LinkCount;
use super::log::{AttemptFate, LoggedAttempt, LoggedPacket, PacketFate};
use super::tally::{MAX_CHAIN, Tally};
use crate::identity::Identity;

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
    /// Its signal at the sniffer.
    pub(super) signal_dbm: Option<i8>,
}

impl Attempt {
    /// Counts the attempt at its rate and at its time.
    fn count(&self, tally: &mut Tally) {
        tally.rate(self.rate).attempts += 1;
        let dbm = self.signal_dbm.map(f64::from);
        let attempts = LinkCount {
            attempts: 1,
            acked: 0,
            rated: (u64::from(self.rate > 0), self.rate as f64),
            heard: (u64::from(dbm.is_some()), dbm.unwrap_or_default()),
        };
        tally.over_time.add(self.at.host_ns, attempts);
    }
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
    /// Present if packets are kept one by one.
    pub(super) kept: Option<Box<KeptPacket>>,
}

/// What is known of a packet that is kept.
#[derive(Debug, Clone, Default)]
pub(super) struct KeptPacket {
    /// The TCP segments in it.
    pub(super) identities: Vec<Identity>,
    /// Number of the packet on the link.
    number: u64,
    /// Timestamp of the first acknowledgement, and the latency, in ns; 0 if not known.
    acked_ns: u64,
    latency_ns: u64,
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
        attempt.count(tally);
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
            kept: tally
                .log
                .is_some()
                .then(|| Box::new(KeptPacket { number: tally.packets, ..KeptPacket::default() })),
        }
    }

    /// Takes a retry.
    pub(super) fn on_retry(&mut self, attempt: &Attempt, burst: u64, tally: &mut Tally) {
        if !self.has_retry {
            self.has_retry = true;
            tally.with_retry += 1;
        }
        tally.retries_after_ack += u64::from(self.fate == Fate::Acked);
        self.log_attempts(true, tally);
        let elapsed = attempt.at.since(&self.last.at);
        if elapsed.steps_ns == 0 {
            tally.intervals_ns.add(elapsed.ns);
        }
        attempt.count(tally);
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
        if let Some(kept) = self.kept.as_mut().filter(|_| !self.delivered) {
            kept.acked_ns = at.host_ns;
        }
        tally.rate(self.last.rate).acked += 1;
        tally.over_time.add(self.last.at.host_ns, LinkCount { acked: 1, ..LinkCount::default() });
        tally.firsts_acked += u64::from(self.is_first());
        if !self.delivered && !self.first.retry {
            let elapsed = at.since(&self.first.at);
            // Hosts stamp the end of a frame, radios its first bit.
            let more = if elapsed.by_radio {
                self.first.preamble_ns + ack_ns
            } else {
                self.first.airtime_ns
            };
            if self.first.airtime_ns > 0 && elapsed.steps_ns == 0 {
                let latency_ns = elapsed.ns.saturating_add(more);
                tally.latency_ns.add(latency_ns);
                if let Some(kept) = &mut self.kept {
                    kept.latency_ns = latency_ns;
                }
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
            self.log_packet(PacketFate::Undecided, tally);
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
        if tally.log.is_some() {
            self.log_attempts(false, tally);
            let fate = match self.fate {
                _ if self.delivered || self.arrived_unseen => PacketFate::Delivered,
                Fate::Refused => PacketFate::Refused,
                _ => PacketFate::Unanswered,
            };
            self.log_packet(fate, tally);
        }
    }

    /// Keeps the last captured attempt, and those beside it that only other frames show.
    fn log_attempts(&self, is_repeated: bool, tally: &mut Tally) {
        let (Some(log), Some(kept)) = (&mut tally.log, &self.kept) else { return };
        let hidden = u16::from(self.first.retry);
        let at = |time_ns, ordinal, fate, is_hidden| LoggedAttempt {
            time_ns,
            packet: kept.number,
            ordinal,
            fate,
            is_hidden,
        };
        if self.attempts == 1 && self.first.retry {
            log.attempt(at(self.first.at.host_ns, 1, AttemptFate::Lost, true));
        }
        let fate = match self.fate {
            Fate::Acked => AttemptFate::Delivered,
            Fate::Unanswered if !is_repeated && !self.arrived_unseen => AttemptFate::Unanswered,
            _ => AttemptFate::Lost,
        };
        let ordinal = self.attempts.saturating_add(hidden);
        log.attempt(at(self.last.at.host_ns, ordinal, fate, false));
        if self.arrived_unseen && !is_repeated {
            let next = ordinal.saturating_add(1);
            log.attempt(at(self.last.at.host_ns, next, AttemptFate::Delivered, true));
        }
    }

    /// Keeps the packet, once for each TCP segment in it.
    fn log_packet(&self, fate: PacketFate, tally: &mut Tally) {
        let (Some(log), Some(kept)) = (&mut tally.log, &self.kept) else { return };
        let first_ns = self.first.at.host_ns;
        let packet = LoggedPacket {
            identity: None,
            first_ns,
            start_ns: first_ns.saturating_sub(self.first.airtime_ns),
            last_ns: self.last.at.host_ns,
            acked_ns: kept.acked_ns,
            latency_ns: kept.latency_ns,
            attempts: self.known_attempts(),
            has_first: !self.first.retry,
            fate,
        };
        if kept.identities.is_empty() {
            log.packet(packet);
        }
        for identity in &kept.identities {
            log.packet(LoggedPacket { identity: Some(*identity), ..packet });
        }
    }
}

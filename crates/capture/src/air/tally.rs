//! What is counted for a link from a transmitter to a receiver.

use std::collections::BTreeMap;

use crate::times::Times;

use super::intervals::{Intervals, LinkCount};
use super::log::Log;
use super::signal::{Mean, Signal};

/// Packets with more attempts are counted with those of this many.
pub(super) const MAX_CHAIN: u16 = 64;

/// Attempts at one rate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RateCount {
    /// All captured attempts.
    pub(super) attempts: u64,
    /// Attempts whose acknowledgement was captured.
    pub(super) acked: u64,
    /// Attempts without acknowledgement that no retry follows.
    pub(super) unanswered: u64,
    /// Attempts of which the end of the capture hides what follows.
    pub(super) undecided: u64,
}

/// Packets by how their last captured attempt ended, for one number of attempts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ChainCount {
    /// All packets.
    pub(super) packets: u64,
    /// With an acknowledgement.
    pub(super) acked: u64,
    /// Without an acknowledgement for any attempt.
    pub(super) unanswered: u64,
    /// A block acknowledgement says that the last attempt did not arrive.
    pub(super) refused: u64,
}

/// Counters of a link.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    /// By the rate in bit/s; 0 stands for an unknown rate.
    pub(super) rates: BTreeMap<u64, RateCount>,
    /// By the number of attempts that are known of.
    pub(super) chains: BTreeMap<u16, ChainCount>,
    /// Packets of which an attempt was captured.
    pub(super) packets: u64,
    /// Captured first attempts: those without the retry bit.
    pub(super) firsts: u64,
    /// First attempts whose acknowledgement was captured.
    pub(super) firsts_acked: u64,
    /// First attempts without acknowledgement that no retry follows.
    pub(super) firsts_unanswered: u64,
    /// Packets of which a retry was captured.
    pub(super) with_retry: u64,
    /// Packets whose first captured attempt is a retry.
    pub(super) began_with_retry: u64,
    /// Acknowledgements of attempts that were not captured.
    pub(super) acks_without_data: u64,
    /// Packets of which no attempt was captured, by gaps in the sequence numbers.
    pub(super) gaps: u64,
    /// Attempts with a wrong frame check sequence.
    pub(super) damaged: u64,
    /// Attempts that another interface had captured already.
    pub(super) copies: u64,
    /// Retries of attempts whose acknowledgement was captured.
    pub(super) retries_after_ack: u64,
    /// Attempts within A-MPDUs.
    pub(super) in_ampdu: u64,
    /// Bytes of all attempts.
    pub(super) bytes: u64,
    /// First attempts at a higher, and at a lower rate than the one before.
    pub(super) rate_moves: (u64, u64),
    /// Rate of the last first attempt.
    pub(super) last_rate: Option<u64>,
    /// First attempt to acknowledgement, in ns.
    pub(super) latency_ns: Times,
    /// Between consecutive attempts of a packet, in ns.
    pub(super) intervals_ns: Times,
    /// Signal of the captured attempts.
    pub(super) signal: Signal,
    /// Attempts over time.
    pub(super) over_time: Intervals<LinkCount>,
    /// Noise of the captured attempts in dBm.
    pub(super) noise: Mean,
    /// Channel of the last attempt.
    pub(super) frequency_mhz: Option<u16>,
    /// Packets and attempts one by one, if they are asked for.
    pub(super) log: Option<Box<Log>>,
}

impl Tally {
    /// All rates together.
    pub(super) fn total(&self) -> RateCount {
        self.rates.values().fold(RateCount::default(), |sum, rate| RateCount {
            attempts: sum.attempts + rate.attempts,
            acked: sum.acked + rate.acked,
            unanswered: sum.unanswered + rate.unanswered,
            undecided: sum.undecided + rate.undecided,
        })
    }

    /// The counters of a rate.
    pub(super) fn rate(&mut self, rate: u64) -> &mut RateCount {
        self.rates.entry(rate).or_default()
    }

    /// Follows the rates of first attempts.
    pub(super) fn on_first_rate(&mut self, rate: u64) {
        if rate == 0 {
            return;
        }
        let before = self.last_rate.replace(rate).unwrap_or(rate);
        self.rate_moves.0 += u64::from(rate > before);
        self.rate_moves.1 += u64::from(rate < before);
    }
}

//! Packets and attempts of a link, kept one by one for delivery traces and joined captures.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use airtcp_wire::ieee80211::Mac;

use crate::identity::Identity;

/// Attempts and packets of all links that are kept, together.
const MAX_KEPT: u64 = 1 << 21;

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AttemptFate {
    /// Acknowledged.
    Delivered,
    /// The packet was sent again, or a block acknowledgement says that it did not arrive.
    Lost,
    /// The last attempt of its packet, without captured acknowledgement.
    Unanswered,
}

/// An attempt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LoggedAttempt {
    /// Timestamp in the capture, in ns.
    pub(crate) time_ns: u64,
    /// Number of its packet on the link.
    pub(crate) packet: u64,
    /// Its number within the packet, from 1.
    pub(crate) ordinal: u16,
    pub(crate) fate: AttemptFate,
    /// The sniffer did not capture it; another frame shows it.
    pub(crate) is_hidden: bool,
}

/// How a packet ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum PacketFate {
    /// An attempt was acknowledged.
    Delivered,
    /// The last attempt has no captured acknowledgement.
    #[default]
    Unanswered,
    /// A block acknowledgement says that the last attempt did not arrive.
    Refused,
    /// The capture ends before it shows what follows.
    Undecided,
}

/// A packet of which at least one attempt was captured.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LoggedPacket {
    /// The TCP segment in it.
    pub(crate) identity: Option<Identity>,
    /// Timestamp of the first captured attempt, in ns.
    pub(crate) first_ns: u64,
    /// Start of the first captured attempt, in ns: before the timestamp by its airtime.
    pub(crate) start_ns: u64,
    /// Timestamp of the last captured attempt.
    pub(crate) last_ns: u64,
    /// Timestamp of the acknowledgement; 0 if none was captured.
    pub(crate) acked_ns: u64,
    /// Start of the first attempt to the end of the acknowledgement, in ns; 0 if one was not captured.
    pub(crate) latency_ns: u64,
    /// Known attempts.
    pub(crate) attempts: u16,
    /// The first attempt was captured.
    pub(crate) has_first: bool,
    pub(crate) fate: PacketFate,
}

/// How many entries are kept so far, over all links.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kept(Arc<AtomicU64>);

impl Kept {
    fn take(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) < MAX_KEPT
    }
}

/// The log of a link.
#[derive(Debug, Clone, Default)]
pub(crate) struct Log {
    pub(crate) attempts: Vec<LoggedAttempt>,
    pub(crate) packets: Vec<LoggedPacket>,
    /// Entries that were left out to bound the memory.
    pub(crate) omitted: u64,
    kept: Kept,
}

impl Log {
    pub(crate) fn new(kept: Kept) -> Self {
        Self { kept, ..Self::default() }
    }

    pub(super) fn attempt(&mut self, attempt: LoggedAttempt) {
        if self.kept.take() {
            self.attempts.push(attempt);
        } else {
            self.omitted += 1;
        }
    }

    pub(super) fn packet(&mut self, packet: LoggedPacket) {
        if self.kept.take() {
            self.packets.push(packet);
        } else {
            self.omitted += 1;
        }
    }

    /// Number of attempts above which an unanswered packet was given up. At or below it, an unanswered
    /// packet was delivered, as the sender did not repeat it, and its acknowledgement was not captured.
    pub(crate) fn given_up_above(&self) -> u16 {
        self.packets.iter().map(|packet| packet.attempts).max().unwrap_or(0) / 2
    }
}

/// The log of a link with its ends.
#[derive(Debug, Clone)]
pub(crate) struct LinkLog {
    pub(crate) transmitter: Mac,
    pub(crate) receiver: Mac,
    pub(crate) log: Log,
}

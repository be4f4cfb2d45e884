//! Transmissions of data: every copy of every segment, when it was sent, and what became of it.
//!
//! The connections between two hosts share the queue, so their transmissions are one list. Segments that the sender's
//! host joined (TSO) are cut into packets of the segment size, all sent at the same time.
//!
//! A *trigger* is the last-sent transmission that an ACK newly reports, if it was sent after all reported before: only
//! triggers have exact arrival times.

use std::collections::BTreeMap;

use super::acks::AckLoss;

/// What became of a transmission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It was acknowledged.
    Delivered,
    /// It was never acknowledged, and sent again.
    Lost,
    /// Another copy had arrived, or arrived first.
    Needless,
    /// The capture does not show it.
    Unknown,
}

impl Fate {
    /// Its name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Lost => "lost",
            Self::Needless => "needless",
            Self::Unknown => "unknown",
        }
    }
}

/// A copy of a segment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transmission {
    /// Time since the first transmission.
    pub sent_s: f64,
    /// Its connection among those of the two hosts.
    pub connection: usize,
    /// First byte of its segment in the stream.
    pub segment: u64,
    /// Bytes of the IP packet.
    pub bytes: f64,
    /// Bytes of payload.
    pub payload: f64,
    /// What became of it.
    pub fate: Fate,
    /// When the first ACK or SACK block for it came.
    pub acked_s: Option<f64>,
    /// True if its ACK shows exactly when it arrived.
    pub is_trigger: bool,
    /// True if the receiver did not delay this ACK.
    pub is_immediate: bool,
    /// True if it arrived after one that was sent later.
    pub is_late: bool,
}

impl Transmission {
    /// Time until it was acknowledged.
    pub(super) fn rtt_s(&self) -> Option<f64> {
        Some(self.acked_s? - self.sent_s)
    }
}

/// An ACK that shows when a packet arrived: its connection, the packet's round-trip time, its arrival and its timestamp.
#[derive(Debug, Clone, Copy)]
pub struct Stamped {
    /// Its connection among those of the two hosts.
    pub connection: usize,
    /// Round-trip time of the packet that it reports.
    pub rtt_s: f64,
    /// When it arrived.
    pub at_s: f64,
    /// The receiver's timestamp.
    pub stamp: u32,
}

/// A moment at which the application had written nothing more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pause {
    /// Time since the first segment of the connection.
    pub since_start_s: f64,
    /// Bytes that were sent before.
    pub bytes: f64,
}

/// The transmissions of the connections between two hosts.
#[derive(Debug, Default)]
pub struct Transmissions {
    /// In the order of sending.
    pub list: Vec<Transmission>,
    /// Time of the first one, in ns since 1970-01-01.
    pub origin_ns: u64,
    /// Least round-trip time.
    pub least_rtt_s: f64,
    /// Copies that only a DSACK shows to have arrived.
    pub shown_by_dsack: u64,
    /// True if an ACK had a SACK block.
    pub has_sack: bool,
    /// Moments at which the application had written nothing more.
    pub pauses: Vec<Pause>,
    /// ACKs of triggers with timestamps.
    pub stamped: Vec<Stamped>,
    /// ACKs that were lost on their way.
    pub ack_loss: Option<AckLoss>,
    /// True if not all of the transfer was kept.
    pub is_cut: bool,
}

impl Transmissions {
    /// Places of the triggers.
    pub fn triggers(&self) -> Vec<usize> {
        (0..self.list.len()).filter(|i| self.list[*i].is_trigger).collect()
    }

    /// Time from the first to the last transmission.
    pub fn duration_s(&self) -> f64 {
        self.list.last().map_or(0.0, |last| last.sent_s)
    }

    /// Median length of the packets in bytes.
    pub fn usual_bytes(&self) -> f64 {
        let mut bytes: Vec<f64> = self.list.iter().map(|sent| sent.bytes).collect();
        bytes.sort_unstable_by(f64::total_cmp);
        bytes.get(bytes.len() / 2).copied().unwrap_or(1500.0)
    }

    /// Least round-trip time of triggers; `handshake_s` is that of the handshake.
    ///
    /// Where the queue never empties, only the first packet finds none. The least time of a whole packet is then
    /// that of the path, and no outlier if the handshake, whose packets are shorter, took no longer.
    pub(super) fn least_of_triggers_s(&self, handshake_s: Option<f64>) -> f64 {
        let triggers = || self.list.iter().filter(|sent| sent.is_trigger);
        let usual = third_least(triggers());
        let whole = self.list.iter().map(|sent| sent.payload).fold(0.0, f64::max);
        let times = triggers().filter(|sent| sent.payload >= whole).filter_map(Transmission::rtt_s);
        let first = times.min_by(f64::total_cmp);
        first.filter(|least| handshake_s.is_some_and(|rtt| rtt <= *least)).unwrap_or(usual)
    }

    /// Least round-trip time of segments that were sent once.
    pub(super) fn least_once_s(&self) -> f64 {
        let mut copies: BTreeMap<(usize, u64), u32> = BTreeMap::new();
        for sent in &self.list {
            *copies.entry((sent.connection, sent.segment)).or_default() += 1;
        }
        third_least(self.list.iter().filter(|t| copies[&(t.connection, t.segment)] == 1))
    }
}

/// Third smallest round-trip time: one or two outliers do not decide it.
fn third_least<'a>(sent: impl Iterator<Item = &'a Transmission>) -> f64 {
    let mut all: Vec<f64> = sent.filter_map(Transmission::rtt_s).collect();
    all.sort_unstable_by(f64::total_cmp);
    all.get(2.min(all.len().saturating_sub(1))).copied().unwrap_or(0.0)
}

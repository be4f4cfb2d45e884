//! Every data segment of a direction, and every ACK for it, in the order of the capture: the material from which
//! [`crate::bottleneck`] measures the link.
//!
//! Nothing is kept unless [`super::TrackerLimits::log`] asks for it. All logs of a tracker share one limit of records.
//! A log that meets the limit ends there, so that it holds the beginning of its transfer without a gap.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::sequence::unwrap;
use crate::dissect::{Flags, Segment};

/// A data segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SentRecord {
    /// Time in ns since 1970-01-01.
    pub time_ns: u64,
    /// Place of its first byte in the stream, without wrap.
    pub start: u64,
    /// Bytes of payload.
    pub length: u32,
}

/// An ACK.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AckRecord {
    /// Time in ns since 1970-01-01.
    pub time_ns: u64,
    /// The first byte that it does not acknowledge.
    pub ack: u64,
    /// Number of data segments before it in the capture.
    pub sent_before: usize,
    /// Identification of its IPv4 header.
    pub ip_id: Option<u16>,
    /// Its timestamp (RFC 7323).
    pub stamp: Option<u32>,
    /// Its SACK blocks, in the list of the log.
    blocks: Range<usize>,
    /// True if the first block reports data received twice (RFC 2883).
    pub duplicate: bool,
}

/// The log of a direction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Log {
    /// Data segments, without copies that the network or the capture made.
    pub sent: Vec<SentRecord>,
    /// ACKs for them.
    pub acks: Vec<AckRecord>,
    blocks: Vec<(u64, u64)>,
    /// True if the limit of records ended it.
    pub is_cut: bool,
}

impl Log {
    /// First byte and end of each SACK block of an ACK.
    pub fn blocks(&self, ack: &AckRecord) -> &[(u64, u64)] {
        &self.blocks[ack.blocks.clone()]
    }
}

#[cfg(test)]
impl Log {
    pub(crate) fn push_sent(&mut self, time_ns: u64, start: u64, length: u32) {
        self.sent.push(SentRecord { time_ns, start, length });
    }

    pub(crate) fn push_ack(
        &mut self,
        time_ns: u64,
        ack: u64,
        blocks: &[(u64, u64)],
        duplicate: bool,
    ) {
        let begin = self.blocks.len();
        self.blocks.extend_from_slice(blocks);
        let (sent_before, blocks) = (self.sent.len(), begin..self.blocks.len());
        self.acks.push(AckRecord {
            time_ns,
            ack,
            sent_before,
            ip_id: None,
            stamp: None,
            blocks,
            duplicate,
        });
    }
}

/// Records that all logs of a tracker may still take.
#[derive(Debug, Clone)]
pub(super) struct Budget(Arc<AtomicUsize>);

impl Budget {
    pub(super) fn new(records: usize) -> Self {
        Self(Arc::new(AtomicUsize::new(records)))
    }

    fn take(&self, records: usize) -> bool {
        let less = |left: usize| left.checked_sub(records);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }
}

/// Writes the log of a direction.
#[derive(Debug)]
pub(super) struct Recorder {
    pub(super) log: Log,
    budget: Budget,
}

/// The copy that a report before the end is made of needs no log.
impl Clone for Recorder {
    fn clone(&self) -> Self {
        Self::new(self.budget.clone())
    }
}

impl Recorder {
    pub(super) fn new(budget: Budget) -> Self {
        Self { log: Log::default(), budget }
    }

    pub(super) fn sent(&mut self, segment: &Segment, start: u64) {
        if self.has_room(1) {
            let (time_ns, length) = (segment.time_ns, segment.payload);
            self.log.sent.push(SentRecord { time_ns, start, length });
        }
    }

    /// An ACK, where `una` is near the bytes of its blocks.
    pub(super) fn ack(&mut self, segment: &Segment, ack: u64, una: u64) {
        let blocks = &segment.options.sack;
        if segment.flags.has(Flags::SYN) || !self.has_room(1 + blocks.len()) {
            return;
        }
        let range = |(left, right): (u32, u32)| (unwrap(una, left), unwrap(una, right));
        let log = &mut self.log;
        let begin = log.blocks.len();
        log.blocks.extend(blocks.iter().map(|block| range(*block)));
        let own = &log.blocks[begin..];
        let within = |outer: &(u64, u64)| outer.0 <= own[0].0 && own[0].1 <= outer.1;
        let duplicate = !own.is_empty() && (own[0].1 <= ack || own.get(1).is_some_and(within));
        log.acks.push(AckRecord {
            time_ns: segment.time_ns,
            ack,
            sent_before: log.sent.len(),
            ip_id: segment.ip_id,
            stamp: segment.options.timestamps.map(|(value, _)| value),
            blocks: begin..log.blocks.len(),
            duplicate,
        });
    }

    fn has_room(&mut self, records: usize) -> bool {
        self.log.is_cut |= !self.log.is_cut && !self.budget.take(records);
        !self.log.is_cut
    }
}

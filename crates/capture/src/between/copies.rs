//! Which segments of a sender reached the other point.
//!
//! A segment that arrived is the copy with its TCP header and its identification of the IP header. Where
//! these do not tell, it is the last copy of its bytes that was sent before it and has not arrived yet.
//! Network cards cut segments and put
//! them together between the points, so bytes are compared, not segments.

use std::collections::BTreeMap;

use super::stretch::{Stretch, take_common};
use crate::identity::Identity;
use crate::join::hosts::HostPacket;
use crate::tcp::sequence::unwrap;

/// A segment with payload, at the point nearer to its sender.
#[derive(Debug)]
pub(super) struct Copy {
    pub(super) time_ns: u64,
    pub(super) identity: Identity,
    /// Its bytes in the stream.
    pub(super) bytes: Stretch,
    /// Those that did not reach the other point.
    pub(super) missing: Vec<Stretch>,
    /// Those that did.
    pub(super) arrived: Vec<Stretch>,
    /// Time on its way in ns, if it arrived as it was sent.
    pub(super) delay: Option<f64>,
}

/// All copies of a sender's data.
#[derive(Debug, Default)]
pub(super) struct Copies {
    pub(super) sent: Vec<Copy>,
    /// Numbers of the segments by their first bytes.
    by_start: BTreeMap<u64, Vec<usize>>,
    longest: u64,
    next: u64,
    pub(super) duplicated: u64,
    pub(super) not_seen_sent: u64,
}

/// How much earlier than it was sent a segment may seem to arrive, beyond the uncertainty of the clocks.
const SLACK_NS: f64 = 100_000.0;
/// Segments of the sender that one that arrives can be made of, and copies of each: bounds of the time.
const MAX_STARTS: usize = 256;
const MAX_COPIES: usize = 16;

impl Copies {
    /// The segments of a sender, in the order of their times.
    pub(super) fn new<'a>(sent: impl Iterator<Item = &'a HostPacket>) -> Self {
        let mut copies = Self::default();
        for packet in sent.filter(|packet| packet.identity.payload > 0) {
            if copies.sent.is_empty() {
                // Positions in the stream; sequence numbers wrap.
                copies.next = (1 << 32) + u64::from(packet.identity.sequence);
            }
            let bytes = copies.bytes(packet.identity);
            copies.next = copies.next.max(bytes.1);
            copies.longest = copies.longest.max(bytes.1 - bytes.0);
            copies.by_start.entry(bytes.0).or_default().push(copies.sent.len());
            copies.sent.push(Copy {
                time_ns: packet.time_ns,
                identity: packet.identity,
                bytes,
                missing: vec![bytes],
                arrived: Vec::new(),
                delay: None,
            });
        }
        // Arrivals are followed from the beginning again.
        copies.next = copies.sent.first().map_or(0, |copy| copy.bytes.0);
        copies
    }

    fn bytes(&self, identity: Identity) -> Stretch {
        let start = unwrap(self.next, identity.sequence);
        (start, start + u64::from(identity.payload))
    }

    /// Takes a segment that arrived. `delay` gives the time in ns since something was sent.
    pub(super) fn arrive(&mut self, identity: Identity, slack_ns: f64, delay: impl Fn(u64) -> f64) {
        let bytes = self.bytes(identity);
        self.next = self.next.max(bytes.1);
        let in_time = |n: &usize| delay(self.sent[*n].time_ns) >= -slack_ns - SLACK_NS;
        let near = self.by_start.range(bytes.0.saturating_sub(self.longest)..bytes.1).rev();
        let (mut candidates, mut is_known) = (Vec::new(), false);
        for (_, numbers) in near.take(MAX_STARTS) {
            let holds = |n: &&usize| self.sent[**n].bytes.1 > bytes.0;
            let sent = numbers.partition_point(in_time);
            is_known |= numbers.iter().take(1).any(|n| holds(&n));
            let last = numbers.get(sent.saturating_sub(MAX_COPIES)..sent);
            candidates.extend(last.into_iter().flatten().filter(holds).copied());
        }
        if !is_known && candidates.is_empty() {
            self.not_seen_sent += 1;
            return;
        }
        // Copies with the same header fields, and of these the one with the same identification.
        let same: Vec<usize> = candidates
            .iter()
            .copied()
            .filter(|n| self.sent[*n].identity.key == identity.key)
            .collect();
        let is_it =
            |n: &usize| identity.ip_id > 0 && self.sent[*n].identity.ip_id == identity.ip_id;
        if let Some(one) = same.iter().copied().find(is_it) {
            candidates = vec![one];
        } else if !same.is_empty() {
            candidates = same;
        }
        // The last one first.
        candidates.sort_unstable_by(|a, b| b.cmp(a));
        let mut rest = vec![bytes];
        for number in candidates {
            let copy = &mut self.sent[number];
            let common = take_common(&mut rest, &mut copy.missing);
            if copy.bytes == bytes && common.len() == 1 && common[0] == bytes {
                copy.delay = Some(delay(copy.time_ns).max(0.0));
            }
            copy.arrived.extend(common);
            if rest.is_empty() {
                return;
            }
        }
        self.duplicated += u64::from(rest == [bytes]);
    }
}

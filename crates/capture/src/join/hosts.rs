//! The TCP segments of a host's capture, one by one.

use std::collections::BTreeMap;

use crate::dissect::{Endpoint, Segment};
use crate::identity::{Identity, pair};

/// Segments of a capture that are kept; later ones are only counted.
const MAX_KEPT: usize = 1 << 20;

/// A segment in the capture of a host.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HostPacket {
    /// Timestamp in ns since 1970-01-01, by the host's clock.
    pub(crate) time_ns: u64,
    pub(crate) identity: Identity,
}

/// The segments of a capture.
#[derive(Debug, Default)]
pub(crate) struct HostLog {
    pub(crate) packets: Vec<HostPacket>,
    /// The ends of each pair, in the direction of its segments.
    pub(crate) pairs: BTreeMap<u64, (Endpoint, Endpoint)>,
    /// Segments that were left out to bound the memory.
    pub(crate) omitted: u64,
}

impl HostLog {
    /// Takes a segment.
    pub(crate) fn add(&mut self, segment: &Segment) {
        if self.packets.len() >= MAX_KEPT {
            self.omitted += 1;
            return;
        }
        let identity = Identity::of(segment);
        if self.packets.last().is_none_or(|last| last.identity.pair != identity.pair) {
            self.pairs.entry(identity.pair).or_insert((segment.from, segment.to));
        }
        self.packets.push(HostPacket { time_ns: segment.time_ns, identity });
    }

    /// The pair of the other direction.
    pub(crate) fn reverse(&self, of: u64) -> Option<u64> {
        let (from, to) = self.pairs.get(&of)?;
        Some(pair(*to, *from))
    }

    /// The pair with these names.
    pub(crate) fn pair_named(&self, from: &str, to: &str) -> Option<u64> {
        let is_it = |(a, b): &(Endpoint, Endpoint)| a.to_string() == from && b.to_string() == to;
        self.pairs.iter().find(|(_, ends)| is_it(ends)).map(|(pair, _)| *pair)
    }
}

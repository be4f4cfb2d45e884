//! The part of a packet that a frame carries: the whole packet, or a fragment.

use airtcp_units::Narrow;

use super::{Rules, data_bytes};
use crate::node::NodeId;

/// Maximum number of fragments of a packet (clause 8.2.4.4.3: four bits).
const MAX_FRAGMENTS: u32 = 16;

/// The part of a packet that a frame carries. Lengths are in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// Number of the fragment, from 0.
    pub(crate) number: u8,
    /// Number of fragments.
    count: u8,
    /// MAC header and FCS.
    header: u32,
    /// Body of each fragment but the last.
    body: u32,
    /// Bodies of all fragments together.
    all: u32,
}

impl Part {
    /// The first fragment of a packet whose unfragmented frame has `bytes`.
    pub(crate) fn first(bytes: u32, rules: &Rules, to: NodeId) -> Self {
        let header = data_bytes(0, rules.has_qos_control()) - 8;
        let all = bytes.saturating_sub(header);
        let threshold = rules.mac.fragmentation_threshold.map(|t| t.0);
        match threshold {
            Some(limit) if to != NodeId::BROADCAST && u64::from(bytes) > limit => {
                let body = (u32::narrow(limit) - header) & !1;
                // At the minimum threshold no packet needs more than 16.
                let count = all.div_ceil(body).min(MAX_FRAGMENTS);
                Self { number: 0, count: u8::narrow(count), header, body, all }
            }
            _ => Self::whole(bytes, rules),
        }
    }

    /// The whole of a frame of `bytes`.
    #[inline]
    pub(crate) fn whole(bytes: u32, rules: &Rules) -> Self {
        let header = data_bytes(0, rules.has_qos_control()) - 8;
        let all = bytes.saturating_sub(header);
        Self { number: 0, count: 1, header, body: all, all }
    }

    /// Length of its frame.
    #[inline]
    pub(crate) const fn bytes(self) -> u32 {
        if self.has_next() {
            return self.header + self.body;
        }
        self.header + self.all - self.body * (self.count as u32 - 1)
    }

    /// Total length of the frames of all fragments.
    #[inline]
    pub(crate) const fn bytes_of_all(self) -> u32 {
        self.all + self.header * self.count as u32
    }

    /// True if another fragment follows.
    #[inline]
    pub(crate) const fn has_next(self) -> bool {
        self.number + 1 < self.count
    }

    pub(crate) fn next(self) -> Option<Self> {
        self.has_next().then(|| Self { number: self.number + 1, ..self })
    }
}

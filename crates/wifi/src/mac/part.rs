//! Which part of a packet a frame carries: all of it, or a fragment.

use airtcp_units::Narrow;

use super::{NodeId, Rules, data_bytes};

/// Most fragments of a packet (clause 8.2.4.4.3: four bits).
const MAX_FRAGMENTS: u32 = 16;

/// Which part of a packet a frame carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// Number of the fragment, from 0.
    pub(crate) number: u8,
    of: u8,
    /// MAC header and FCS.
    header: u32,
    /// What each fragment but the last carries.
    body: u32,
    /// What all carry together.
    all: u32,
}

impl Part {
    /// The first fragment of a packet whose one frame would have `bytes`.
    pub(crate) fn first(bytes: u32, rules: &Rules, to: NodeId) -> Self {
        let header = data_bytes(0, rules.qos()) - 8;
        let all = bytes.saturating_sub(header);
        let threshold = rules.mac.fragmentation_threshold.map(|t| t.0);
        match threshold {
            Some(limit) if to != NodeId::BROADCAST && u64::from(bytes) > limit => {
                let body = (u32::narrow(limit) - header) & !1;
                // No packet needs more than 16 of the least.
                let of = all.div_ceil(body).min(MAX_FRAGMENTS);
                Self { number: 0, of: u8::narrow(of), header, body, all }
            }
            _ => Self::whole(bytes, rules),
        }
    }

    /// All of a frame of `bytes`.
    pub(crate) fn whole(bytes: u32, rules: &Rules) -> Self {
        let header = data_bytes(0, rules.qos()) - 8;
        let all = bytes.saturating_sub(header);
        Self { number: 0, of: 1, header, body: all, all }
    }

    /// Length of its frame.
    pub(crate) const fn bytes(self) -> u32 {
        if self.has_next() {
            return self.header + self.body;
        }
        self.header + self.all - self.body * (self.of as u32 - 1)
    }

    /// Length of the frames of all fragments together.
    pub(crate) const fn bytes_of_all(self) -> u32 {
        self.all + self.header * self.of as u32
    }

    /// Whether another follows.
    pub(crate) const fn has_next(self) -> bool {
        self.number + 1 < self.of
    }

    pub(crate) fn next(self) -> Option<Self> {
        self.has_next().then(|| Self { number: self.number + 1, ..self })
    }
}

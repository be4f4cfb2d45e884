//! A frame on the air.

use airtcp_units::{Nanos, Narrow, Span};

use super::fate::Fate;
use super::occupied::Occupied;
use crate::interference::Exposure;
use crate::mac::{Frame, Kind, data_bytes};
use crate::phy::{Mode, Width};

/// A frame on the air, with the events at its receiver so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Transmission {
    pub(crate) frame: Frame,
    pub(crate) started: Nanos,
    /// End of preamble and PLCP header.
    pub(crate) body: Nanos,
    pub(crate) ends: Nanos,
    /// Bits of the body, service and tail bits included.
    pub(crate) bits: u64,
    /// The band that it occupies.
    pub(crate) band: Occupied,
    /// Bits of preamble and PLCP header.
    pub(crate) plcp: u64,
    /// The flow that it belongs to.
    pub(crate) flow: Option<u32>,
    /// Number of the transmission among those of its cell.
    pub(crate) ordinal: u64,
    /// Factor on the power of its sender.
    pub(crate) gain: f64,
    /// Width of that band.
    pub(crate) width: Width,
    /// Events at its receiver.
    pub(crate) fate: Fate,
}

impl Transmission {
    /// When the bytes from the first of the PSDU to the second, which is not included, are on the air.
    pub(super) fn times(&self, (first, end): (u32, u32)) -> (Nanos, Nanos) {
        let length = u128::from(self.ends.since(self.body).0);
        // 16 service bits come first.
        let time = |byte: u32| {
            let passed = length * (16 + 8 * u128::from(byte)) / u128::from(self.bits.max(1));
            self.body + Span(u64::narrow(passed))
        };
        (time(first), time(end))
    }

    /// True if as many bytes of the PSDU are on the air before it ends.
    #[inline]
    pub(super) fn holds(&self, bytes: u32) -> bool {
        16 + 8 * u64::from(bytes) <= self.bits
    }

    /// True if a receiver decodes each MPDU, or each user's part, by itself.
    #[inline]
    pub(super) const fn is_judged_in_parts(&self) -> bool {
        self.frame.multi_user.is_some() || self.frame.subframes > 1
    }

    /// The part of a multi-user PPDU in a resource unit, as a transmission of its own.
    pub(super) fn part(&self, mode: Mode) -> Self {
        let bits = self.frame.multi_user.map_or(self.bits, |times| times.bits(mode));
        Self { frame: Frame { mode, ..self.frame }, bits, ..*self }
    }

    /// What an interferer sees of it at a station.
    pub(super) fn exposure(&self, station: usize, qos: bool) -> Exposure {
        let packet = self.frame.mpdu_bytes().saturating_sub(data_bytes(0, qos));
        let payload = match self.frame.kind {
            Kind::Data => self.frame.mode.rate().time_for(u64::from(packet)),
            _ => Span::ZERO,
        };
        Exposure { station, from: self.started, to: self.ends, payload }
    }
}

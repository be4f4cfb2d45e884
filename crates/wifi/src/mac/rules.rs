//! Timing and medium access rules that all stations of a cell share.

use airtcp_units::Span;

use super::{AccessMethod, Aggregation, BackoffDecrement, Class, MacConfig};
use crate::phy::{Mode, Timing};

/// Timing and medium access of a cell.
#[derive(Debug, Clone)]
pub(crate) struct Rules {
    pub(crate) timing: Timing,
    pub(crate) mac: MacConfig,
    /// Rules of aggregation; `None` without aggregation.
    pub(crate) aggregation: Option<Aggregation>,
}

impl Rules {
    /// EIFS - DIFS, which a frame that could not be decoded adds to the next inter-frame space; 0
    /// without EIFS.
    #[inline]
    pub(crate) fn eifs_extra(&self) -> Span {
        if self.mac.eifs { self.timing.eifs_extra() } else { Span::ZERO }
    }

    /// True if a back-off counts the slot in which the medium becomes busy.
    #[inline]
    pub(crate) fn counts_at_start(&self) -> bool {
        match self.mac.backoff_decrement {
            Some(rule) => rule == BackoffDecrement::SlotStart,
            None => self.qos(),
        }
    }

    pub(crate) fn qos(&self) -> bool {
        self.mac.access == AccessMethod::Edca
    }

    /// Bytes of the BlockAck that answers a frame in `mode`.
    pub(crate) fn block_ack_bytes(&self, mode: Mode) -> u32 {
        self.aggregation.map_or(0, |aggregation| aggregation.block_ack_bytes(mode))
    }

    /// Time on the air of the BlockAck that answers a frame in `mode`.
    pub(crate) fn block_ack_time(&self, mode: Mode) -> Span {
        self.timing.frame(self.timing.answer_mode(mode), self.block_ack_bytes(mode))
    }

    /// True if data frames have a QoS control field.
    #[inline]
    pub(crate) fn has_qos_control(&self) -> bool {
        self.qos() || self.timing.standard.has_mcs()
    }

    /// True if RTS and CTS precede a data frame of `bytes`.
    #[inline]
    pub(crate) fn wants_rts(&self, bytes: u32) -> bool {
        self.mac.rts_threshold.is_some_and(|limit| u64::from(bytes) > limit.0)
    }

    /// Attempts of a frame of a class without RTS, and of its RTS.
    #[inline]
    pub(crate) fn attempts(&self, class: Class) -> u32 {
        let own = self.mac.ablation.and_then(|ablation| ablation.attempts(class));
        own.unwrap_or(self.mac.attempts)
    }

    /// True if TCP ACKs are never lost on the air.
    pub(crate) fn has_ack_oracle(&self) -> bool {
        self.mac.ablation.is_some_and(|ablation| ablation.ack_oracle)
    }
}

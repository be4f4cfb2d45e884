//! What every station of a cell goes by.

use airtcp_units::Span;

use super::{AccessMethod, BackoffDecrement, Class, MacConfig};
use crate::phy::Timing;

/// Times and medium access of a cell.
#[derive(Debug, Clone)]
pub(crate) struct Rules {
    pub(crate) timing: Timing,
    pub(crate) mac: MacConfig,
}

impl Rules {
    /// What a bad frame adds to the next inter-frame space.
    pub(crate) fn eifs_extra(&self) -> Span {
        if self.mac.eifs { self.timing.eifs_extra() } else { Span::ZERO }
    }

    /// Whether the slot in which the medium becomes busy counts.
    pub(crate) fn counts_at_start(&self) -> bool {
        match self.mac.backoff_decrement {
            Some(rule) => rule == BackoffDecrement::SlotStart,
            None => self.qos(),
        }
    }

    pub(crate) fn qos(&self) -> bool {
        self.mac.access == AccessMethod::Edca
    }

    /// Whether a data frame of `bytes` is preceded by RTS and CTS.
    pub(crate) fn wants_rts(&self, bytes: u32) -> bool {
        self.mac.rts_threshold.is_some_and(|limit| u64::from(bytes) > limit.0)
    }

    /// Attempts of a frame of a class without RTS, and of its RTS.
    pub(crate) fn attempts(&self, class: Class) -> u32 {
        let own = self.mac.ablation.and_then(|ablation| ablation.attempts(class));
        own.unwrap_or(self.mac.attempts)
    }

    /// Whether TCP ACKs are never lost on the air.
    pub(crate) fn has_ack_oracle(&self) -> bool {
        self.mac.ablation.is_some_and(|ablation| ablation.ack_oracle)
    }
}

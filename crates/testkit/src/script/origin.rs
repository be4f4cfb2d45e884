//! Sequence numbers and times in scripts.

use std::fmt;

use airtcp_packet::Seq;
use airtcp_units::{LowBits, Nanos};

/// Origins of the two sequence spaces.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origins {
    pub(super) ours: Origin,
    pub(super) peer: Origin,
}

/// Sequence number of a SYN, on the wire and in the script.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin {
    pub(super) wire: Seq,
    pub(super) script: i64,
}

impl Origin {
    /// Converts a number of the script to the wire.
    pub(super) fn to_wire(self, number: i64) -> Seq {
        Seq(self.wire.0.wrapping_add(u32::low_bits(number.wrapping_sub(self.script))))
    }

    /// Converts a number on the wire, within 2^31 of the SYN, to the script.
    pub(super) fn to_script(self, seq: Seq) -> i64 {
        self.script + i64::from(seq.distance_from(self.wire))
    }
}

/// A time in seconds, with at least three decimals.
pub(super) struct Seconds(pub(super) Nanos);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (secs, ns) = (self.0.0 / 1_000_000_000, self.0.0 % 1_000_000_000);
        let digits = format!("{ns:09}");
        let kept = digits.trim_end_matches('0').len().max(3);
        write!(f, "{secs}.{}", &digits[..kept])
    }
}

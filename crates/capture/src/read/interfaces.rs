//! Interfaces of a capture: link type, and the resolution of timestamps.

/// Nanoseconds per second.
const SECOND: u64 = 1_000_000_000;

/// Most interfaces of a file; the rest are counted as damage.
pub(super) const MAX_INTERFACES: usize = 65_536;

/// One interface of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Interface {
    /// Link type (number of the registry at tcpdump.org).
    pub(super) link_type: u16,
    /// Units of a timestamp per second.
    per_second: u64,
    /// Seconds to add to a timestamp.
    offset: i64,
    /// Most bytes of a packet that were captured.
    longest: u32,
}

impl Interface {
    /// Resolution as units per second, and an offset in seconds.
    pub(super) const fn new(link_type: u16, per_second: u64, offset: i64) -> Self {
        let per_second = if per_second == 0 { 1_000_000 } else { per_second };
        Self { link_type, per_second, offset, longest: u32::MAX }
    }

    /// The same with at most `longest` bytes of a packet; 0 stands for all.
    pub(super) const fn with_longest(self, longest: u32) -> Self {
        Self { longest: if longest == 0 { u32::MAX } else { longest }, ..self }
    }

    /// Most bytes of a packet that were captured.
    pub(super) const fn longest(&self) -> u32 {
        self.longest
    }

    /// Units of a timestamp per second.
    pub(super) const fn per_second(&self) -> u64 {
        self.per_second
    }

    /// Time in nanoseconds since the epoch, of seconds, and of units that are whole nanoseconds.
    pub(super) fn time_of(&self, seconds: u32, units: u32) -> u64 {
        u64::from(seconds) * SECOND + u64::from(units) * (SECOND / self.per_second)
    }

    /// Time in nanoseconds since the epoch, of a timestamp in units; bounded to what 64 bits hold.
    pub(super) fn time_ns(&self, ticks: u64) -> u64 {
        // What nearly all files have, without divisions of 128 bits.
        if self.offset == 0 && SECOND.is_multiple_of(self.per_second) {
            return ticks.saturating_mul(SECOND / self.per_second);
        }
        let seconds = ticks / self.per_second;
        let rest = ticks % self.per_second;
        let fraction = u128::from(rest) * u128::from(SECOND) / u128::from(self.per_second);
        let whole = i128::from(seconds) + i128::from(self.offset);
        let ns = whole * i128::from(SECOND) + i128::try_from(fraction).unwrap_or(0);
        u64::try_from(ns.max(0)).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolutions() {
        assert_eq!(Interface::new(1, 1_000_000, 0).time_ns(1_500_000), 1_500_000_000);
        assert_eq!(Interface::new(1, SECOND, 2).time_ns(5), 2_000_000_005);
        // Powers of two (pcapng if_tsresol with its top bit set).
        assert_eq!(Interface::new(1, 1 << 32, 0).time_ns(1 << 31), 500_000_000);
        assert_eq!(Interface::new(1, 1, -10).time_ns(3), 0);
        assert_eq!(Interface::new(1, 1, i64::MAX).time_ns(u64::MAX), u64::MAX);
    }
}

//! When a frame was captured, by the host's clock and by the radio's.

/// Longest disagreement of both clocks over an interval: beyond it the radio's clock was reset.
const CLOCKS_AGREE_NS: u64 = 100_000_000;

/// The time of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Instant {
    /// Timestamp of the capture, in ns since 1970-01-01.
    pub(super) host_ns: u64,
    /// Clock of the radio in µs: the first bit of the frame.
    pub(super) tsft_us: Option<u64>,
    /// The interface of the capture, with its own clock.
    pub(super) interface: u32,
    /// The steps of the clock in ns, if they are longer than SIFS; 0 otherwise.
    pub(super) steps_ns: u64,
}

/// An interval between two frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Elapsed {
    /// Its length in ns; 0 if the second frame is not later.
    pub(super) ns: u64,
    /// True if the radio's clock measured it.
    pub(super) by_radio: bool,
    /// The steps of the clock in ns, if they are longer than SIFS; 0 otherwise.
    pub(super) steps_ns: u64,
}

impl Instant {
    /// The interval since an earlier frame: by the radio's clock if both frames have it.
    pub(super) fn since(&self, earlier: &Self) -> Elapsed {
        let host = self.host_ns.saturating_sub(earlier.host_ns);
        let radio = match (self.tsft_us, earlier.tsft_us) {
            (Some(now), Some(then)) if self.interface == earlier.interface => {
                now.checked_sub(then).and_then(|us| us.checked_mul(1000))
            }
            _ => None,
        };
        let steps_ns = self.steps_ns.max(earlier.steps_ns);
        match radio.filter(|ns| ns.abs_diff(host) < CLOCKS_AGREE_NS) {
            Some(ns) => Elapsed { ns, by_radio: true, steps_ns },
            None => Elapsed { ns: host, by_radio: false, steps_ns },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_radio_clock_is_preferred_unless_it_was_reset() {
        let at =
            |ms: u64, us| Instant { host_ns: ms * 1_000_000, tsft_us: us, ..Instant::default() };
        let since = |b: Instant, a: Instant| (b.since(&a).ns, b.since(&a).by_radio);
        assert_eq!(since(at(3, Some(2500)), at(1, Some(100))), (2_400_000, true));
        assert_eq!(since(at(3, None), at(1, Some(100))), (2_000_000, false));
        assert_eq!(since(at(3, Some(u64::MAX)), at(1, Some(100))), (2_000_000, false));
        assert_eq!(since(at(3, Some(5)), at(1, Some(100))), (2_000_000, false));
        let other = Instant { interface: 1, ..at(1, Some(100)) };
        assert_eq!(since(at(3, Some(2500)), other), (2_000_000, false));
    }
}

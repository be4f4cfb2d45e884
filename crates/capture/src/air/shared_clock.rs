//! One clock for the radios of a capture: frames that two of them captured align their clocks.

use std::collections::BTreeMap;

use airtcp_wire::ieee80211::Mac;

use super::clock::Instant;

/// Radios that are aligned.
const MAX_RADIOS: usize = 16;
/// Two radios capture a frame at most this far apart by the host's clock.
const COPY_NS: u64 = 10_000_000;

/// What identifies a first attempt: transmitter, sequence number, fragment number.
pub(super) type FirstAttempt = (Mac, u16, u8);

/// What is known of a radio.
#[derive(Debug, Clone, Copy)]
struct Radio {
    /// What its clock lacks to the common one, in µs.
    offset_us: Option<i64>,
    /// Its last first attempt: which, by its clock in µs, by the host's in ns.
    last: Option<(FirstAttempt, i64, u64)>,
}

/// The clocks of the radios.
#[derive(Debug, Clone, Default)]
pub(super) struct SharedClock {
    /// The radio whose clock is the common one: the first.
    reference: Option<u32>,
    radios: BTreeMap<u32, Radio>,
}

impl SharedClock {
    /// The timestamp of a frame by the common clock in ns. `None` if the radio has no clock, or if no
    /// frame has aligned it yet. `first` identifies a first attempt, which aligns clocks.
    pub(super) fn common_ns(&mut self, at: &Instant, first: Option<FirstAttempt>) -> Option<i64> {
        let us = i64::try_from(at.tsft_us?).ok()?;
        let is_reference = *self.reference.get_or_insert(at.interface) == at.interface;
        let is_full = self.radios.len() >= MAX_RADIOS;
        let mut radio = match self.radios.get(&at.interface) {
            Some(radio) => *radio,
            None if is_full => return None,
            None => Radio { offset_us: is_reference.then_some(0), last: None },
        };
        if let Some(first) = first {
            radio.last = Some((first, us, at.host_ns));
            self.align(at, first, us, &mut radio);
        }
        self.radios.insert(at.interface, radio);
        us.checked_add(radio.offset_us?)?.checked_mul(1000)
    }

    /// Aligns a radio with the others that captured the same first attempt.
    fn align(&mut self, at: &Instant, first: FirstAttempt, us: i64, radio: &mut Radio) {
        for (interface, other) in &mut self.radios {
            let Some((seen, other_us, host_ns)) = other.last else { continue };
            if *interface == at.interface || seen != first || host_ns.abs_diff(at.host_ns) > COPY_NS
            {
                continue;
            }
            if self.reference == Some(at.interface) {
                other.offset_us = us.checked_sub(other_us);
            } else if let Some(offset) = other.offset_us {
                radio.offset_us = other_us.checked_add(offset).and_then(|t| t.checked_sub(us));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_of_two_radios_aligns_their_clocks() {
        let mut clock = SharedClock::default();
        let at = |interface, us, host_us: u64| Instant {
            host_ns: host_us * 1000,
            tsft_us: Some(us),
            interface,
            ..Instant::default()
        };
        let frame = |number| Some((Mac([2; 6]), number, 0));
        assert_eq!(clock.common_ns(&at(0, 1000, 0), frame(1)), Some(1_000_000));
        // The other radio has captured no common frame yet.
        assert_eq!(clock.common_ns(&at(1, 70_000, 50), frame(7)), None);
        assert_eq!(clock.common_ns(&at(1, 71_000, 1050), frame(8)), None);
        // The frame that both captured: first by the other radio, then by the reference.
        assert_eq!(clock.common_ns(&at(0, 2010, 1052), frame(8)), Some(2_010_000));
        assert_eq!(clock.common_ns(&at(1, 71_100, 1150), None), Some(2_110_000));
        // The other one drifts.
        assert_eq!(clock.common_ns(&at(0, 3000, 2000), frame(9)), Some(3_000_000));
        assert_eq!(clock.common_ns(&at(1, 72_001, 2010), frame(9)), Some(3_000_000));
        // The same number a while later is another frame.
        assert_eq!(clock.common_ns(&at(1, 92_001, 22_000), frame(9)), Some(23_000_000));
        assert_eq!(clock.common_ns(&Instant { tsft_us: None, ..at(0, 0, 0) }, None), None);
    }
}

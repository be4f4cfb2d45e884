//! Beacons: those that are missing, and the longest gap.

use std::collections::BTreeMap;

use airtcp_wire::ieee80211::Mac;

use super::clock::Instant;

/// Most transmitters of beacons.
const MAX_TRANSMITTERS: usize = 4096;
/// A unit of the beacon interval, in ns.
const TIME_UNIT_NS: u64 = 1_024_000;
/// A longer gap is an absence of the sniffer or of the access point; its beacons do not count as
/// missing.
const MAX_GAP_NS: u64 = 60_000_000_000;

/// The beacons of a transmitter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Beacons {
    /// Captured beacons.
    pub(super) count: u64,
    /// The announced interval in ns; 0 if unknown.
    pub(super) interval_ns: u64,
    /// Beacons that would have been captured without any gap.
    pub(super) expected: u64,
    /// Longest time between two beacons, in ns.
    pub(super) longest_gap_ns: u64,
    last: Instant,
}

impl Beacons {
    /// Share of the expected beacons that was not captured.
    pub(super) fn missing_share(&self) -> Option<f64> {
        let missing = self.expected.saturating_sub(self.count);
        (self.expected > 1).then(|| missing as f64 / self.expected as f64)
    }
}

/// The beacons of all transmitters.
#[derive(Debug, Clone, Default)]
pub(super) struct AllBeacons {
    by_address: BTreeMap<Mac, Beacons>,
}

impl AllBeacons {
    /// Adds a beacon with its announced interval in units of 1024 µs.
    pub(super) fn add(&mut self, transmitter: Mac, at: &Instant, interval: Option<u16>) {
        if self.by_address.len() >= MAX_TRANSMITTERS && !self.by_address.contains_key(&transmitter)
        {
            return;
        }
        let beacons = self.by_address.entry(transmitter).or_default();
        if let Some(units) = interval {
            beacons.interval_ns = u64::from(units) * TIME_UNIT_NS;
        }
        let gap = at.since(&beacons.last).ns;
        if beacons.count == 0 || gap > MAX_GAP_NS || beacons.interval_ns == 0 {
            beacons.expected += 1;
        } else {
            // The nearest number of intervals. Two beacons within half an interval count as one each.
            let steps = (gap + beacons.interval_ns / 2) / beacons.interval_ns;
            beacons.expected += steps.max(1);
        }
        if beacons.count > 0 {
            beacons.longest_gap_ns = beacons.longest_gap_ns.max(gap);
        }
        beacons.count += 1;
        beacons.last = *at;
    }

    /// All transmitters.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Mac, &Beacons)> {
        self.by_address.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_between_beacons() {
        let mut all = AllBeacons::default();
        let mac = Mac([2, 0, 0, 0, 0, 1]);
        for number in [0u64, 1, 2, 5, 6, 9] {
            // 102.4 ms each, up to 2 ms late.
            let host_ns = 1_000_000_000 + number * 102_400_000 + number % 3 * 1_000_000;
            all.add(mac, &Instant { host_ns, ..Instant::default() }, Some(100));
        }
        let (_, beacons) = all.iter().next().unwrap();
        assert_eq!((beacons.count, beacons.expected), (6, 10));
        assert_eq!(beacons.missing_share(), Some(0.4));
        assert!(beacons.longest_gap_ns.abs_diff(307_200_000) < 3_000_000);
    }
}

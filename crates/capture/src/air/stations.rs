//! Transmitters: frames and airtime.

use std::collections::BTreeMap;

use airtcp_wire::ieee80211::Mac;

use super::intervals::Intervals;

/// Most transmitters that are counted one by one.
const MAX_STATIONS: usize = 16_384;

/// What a transmitter has sent.
#[derive(Debug, Clone, Default)]
pub(super) struct Sent {
    /// Frames.
    pub(super) frames: u64,
    /// Frames with the retry bit.
    pub(super) retries: u64,
    /// Airtime in ns.
    pub(super) airtime_ns: u64,
    /// Airtime in ns over time.
    pub(super) over_time: Intervals<u64>,
}

/// All transmitters.
#[derive(Debug, Clone, Default)]
pub(super) struct Stations {
    by_address: BTreeMap<Mac, Sent>,
    /// Frames whose transmitter is not known, or that are beyond the limit.
    others: Sent,
}

impl Stations {
    /// Adds a frame.
    pub(super) fn add(
        &mut self,
        transmitter: Option<Mac>,
        retry: bool,
        airtime_ns: u64,
        host_ns: u64,
    ) {
        let is_full = self.by_address.len() >= MAX_STATIONS;
        let sent = match transmitter {
            Some(mac) if !is_full || self.by_address.contains_key(&mac) => {
                self.by_address.entry(mac).or_default()
            }
            _ => &mut self.others,
        };
        sent.frames += 1;
        sent.retries += u64::from(retry);
        sent.airtime_ns = sent.airtime_ns.saturating_add(airtime_ns);
        sent.over_time.add(host_ns, airtime_ns);
    }

    /// The transmitters that are counted one by one.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Mac, &Sent)> {
        self.by_address.iter()
    }

    /// All frames without known transmitter.
    pub(super) const fn others(&self) -> &Sent {
        &self.others
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_addresses_stays_bounded() {
        let mut stations = Stations::default();
        for number in 0..20_000u32 {
            let [a, b, c, d] = number.to_be_bytes();
            stations.add(Some(Mac([2, 0, a, b, c, d])), false, 10, 0);
        }
        stations.add(Some(Mac([2, 0, 0, 0, 0, 0])), true, 10, 0);
        stations.add(None, false, 10, 0);
        assert_eq!(stations.iter().count(), MAX_STATIONS);
        assert_eq!(stations.others().frames, 20_001 - 16_384);
        assert_eq!(stations.iter().next().unwrap().1.airtime_ns, 20);
    }
}

//! Which packets have a key, and which cover a sequence number.

use std::collections::BTreeMap;

use airtcp_units::Narrow as _;

use crate::identity::Identity;

/// Longest segment, super-segments of a network card included.
const MAX_PAYLOAD: u32 = 1 << 18;

/// Packets by their keys.
#[derive(Debug, Default)]
pub(super) struct Keys(Vec<(u64, u32)>);

impl Keys {
    /// From the keys of packets, in the order of their numbers.
    pub(super) fn new(keys: impl Iterator<Item = u64>) -> Self {
        let mut all: Vec<(u64, u32)> = keys.zip(0u32..).collect();
        all.sort_unstable();
        Self(all)
    }

    /// Numbers of the packets with a key, ascending.
    pub(super) fn of(&self, key: u64) -> impl Iterator<Item = usize> + '_ {
        let from = self.0.partition_point(|(other, _)| *other < key);
        let rest = self.0.iter().skip(from);
        rest.take_while(move |(other, _)| *other == key).map(|(_, number)| *number as usize)
    }

    /// Each key once, with the numbers of its packets.
    pub(super) fn groups(&self) -> impl Iterator<Item = (u64, Vec<usize>)> + '_ {
        let same = |a: &(u64, u32), b: &(u64, u32)| a.0 == b.0;
        let numbers = |group: &[(u64, u32)]| group.iter().map(|(_, n)| *n as usize).collect();
        self.0.chunk_by(same).map(move |group| (group[0].0, numbers(group)))
    }
}

/// Segments with payload by their sequence numbers.
#[derive(Debug, Default)]
pub(super) struct Ranges {
    by_pair: BTreeMap<u64, Vec<(u32, u32, u32)>>,
}

impl Ranges {
    /// From the identities of packets, in the order of their numbers.
    pub(super) fn new<'a>(identities: impl Iterator<Item = &'a Identity>) -> Self {
        let mut by_pair: BTreeMap<u64, Vec<(u32, u32, u32)>> = BTreeMap::new();
        for (number, identity) in identities.enumerate() {
            if identity.payload > 0 {
                let range = (identity.sequence, u32::narrow(number), identity.payload);
                by_pair.entry(identity.pair).or_default().push(range);
            }
        }
        for ranges in by_pair.values_mut() {
            ranges.sort_unstable();
        }
        Self { by_pair }
    }

    /// Numbers of the packets of a pair that hold the byte `sequence`, ascending.
    pub(super) fn covering(&self, pair: u64, sequence: u32) -> Vec<usize> {
        let Some(ranges) = self.by_pair.get(&pair) else { return Vec::new() };
        let least = sequence.wrapping_sub(MAX_PAYLOAD);
        let holds =
            |(start, _, payload): &&(u32, u32, u32)| sequence.wrapping_sub(*start) < *payload;
        let between = |low: u32, high: u32| {
            let from = ranges.partition_point(|range| range.0 < low);
            let to = ranges.partition_point(|range| range.0 <= high);
            ranges[from..to].iter().filter(holds)
        };
        // The numbers wrap at their end.
        let found: Vec<&(u32, u32, u32)> = if least <= sequence {
            between(least, sequence).collect()
        } else {
            between(least, u32::MAX).chain(between(0, sequence)).collect()
        };
        let mut numbers: Vec<usize> = found.into_iter().map(|(_, n, _)| *n as usize).collect();
        numbers.sort_unstable();
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_ranges() {
        let keys = Keys::new([5, 3, 5].into_iter());
        assert_eq!(keys.of(5).collect::<Vec<_>>(), [0, 2]);
        assert_eq!(keys.of(4).count(), 0);
        assert_eq!(keys.groups().count(), 2);
        let range =
            |sequence, payload| Identity { pair: 1, sequence, payload, ..Identity::default() };
        let all = [range(u32::MAX - 99, 200), range(0, 50), range(100, 100), range(100, 0)];
        let ranges = Ranges::new(all.iter());
        assert_eq!(ranges.covering(1, 20), [0, 1]);
        assert_eq!(ranges.covering(1, u32::MAX), [0]);
        assert_eq!(ranges.covering(1, 100), [2]);
        assert!(ranges.covering(1, 200).is_empty() && ranges.covering(2, 20).is_empty());
    }
}

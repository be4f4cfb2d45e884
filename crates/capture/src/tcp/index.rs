//! Where the connection of a segment is: a hash table of places.
//!
//! The hash has a key of its own in each run, so that no traffic can be made that fills one chain. Nothing
//! depends on its values: the table is never listed.

use std::hash::{BuildHasher as _, RandomState};

use airtcp_units::LowBits as _;

use crate::dissect::Endpoint;

/// The two ends of a connection, the lower one first.
pub(super) type Key = (Endpoint, Endpoint);

/// Stands for no place.
const NONE: usize = usize::MAX;
/// Places that are found without the hash, by a part of their keys.
const CACHED: usize = 4096;
/// Most chains.
const MAX_CHAINS: usize = 1 << 20;

/// A place: its key, its chain, and the next place of that.
#[derive(Debug, Clone, Copy)]
struct Entry {
    key: Key,
    chain: usize,
    next: usize,
    used: bool,
}

/// Places by keys.
#[derive(Debug, Clone)]
pub(super) struct Index {
    hasher: RandomState,
    chains: Box<[usize]>,
    cache: Box<[usize]>,
    entries: Vec<Entry>,
    free: Vec<usize>,
    /// The key that was looked for in vain last, and its chain.
    missed: Option<(Key, usize)>,
}

impl Index {
    /// An index for about `expected` keys.
    pub(super) fn new(expected: usize) -> Self {
        let chains = expected.clamp(1, MAX_CHAINS).next_power_of_two();
        Self {
            hasher: RandomState::new(),
            chains: vec![NONE; chains].into(),
            cache: vec![NONE; CACHED].into(),
            entries: Vec::new(),
            free: Vec::new(),
            missed: None,
        }
    }

    /// The place of a key.
    #[inline]
    pub(super) fn find(&mut self, key: &Key) -> Option<usize> {
        let cached = cache_place(key);
        let place = self.cache[cached];
        if self.entries.get(place).is_some_and(|entry| entry.used && entry.key == *key) {
            return Some(place);
        }
        let found = self.search(key)?;
        self.cache[cached] = found;
        Some(found)
    }

    #[inline(never)]
    fn search(&mut self, key: &Key) -> Option<usize> {
        let chain = self.chain(key);
        let mut place = self.chains[chain];
        while let Some(entry) = self.entries.get(place) {
            if entry.key == *key {
                return Some(place);
            }
            place = entry.next;
        }
        self.missed = Some((*key, chain));
        None
    }

    fn chain(&self, (a, b): &Key) -> usize {
        let ports = u64::from(a.port) << 16 | u64::from(b.port);
        let [a, b] = [a, b].map(|end| end.address.halves());
        let all = [a[0], a[1], b[0], b[1], ports];
        usize::low_bits(self.hasher.hash_one(all)) & (self.chains.len() - 1)
    }

    /// Adds a key that is not there. Its place, the lowest that was never used or the last one that was
    /// freed.
    pub(super) fn add(&mut self, key: Key) -> usize {
        let missed = self.missed.take().filter(|(missed, _)| *missed == key);
        let chain = missed.map_or_else(|| self.chain(&key), |(_, chain)| chain);
        let entry = Entry { key, chain, next: self.chains[chain], used: true };
        let place = self.free.pop().unwrap_or(self.entries.len());
        match self.entries.get_mut(place) {
            Some(known) => *known = entry,
            None => self.entries.push(entry),
        }
        self.chains[chain] = place;
        self.cache[cache_place(&key)] = place;
        place
    }

    /// Removes the key of a place.
    pub(super) fn remove(&mut self, place: usize) {
        let Entry { chain, next, .. } = self.entries[place];
        let mut at = self.chains[chain];
        if at == place {
            self.chains[chain] = next;
        } else {
            while self.entries[at].next != place {
                at = self.entries[at].next;
            }
            self.entries[at].next = next;
        }
        self.entries[place].used = false;
        self.free.push(place);
    }

    /// Number of keys.
    pub(super) fn len(&self) -> usize {
        self.entries.len() - self.free.len()
    }
}

/// Place of a key in the cache: the low bits of addresses and ports, mixed. Keys can share it.
#[inline]
fn cache_place(key: &Key) -> usize {
    /// An odd number whose bits look random (2^64 by the golden ratio).
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let (a, b) = (key.0, key.1);
    let ports = u64::from(a.port) << 16 | u64::from(b.port);
    let mixed = (a.address.low().wrapping_mul(MIX) ^ b.address.low()).wrapping_mul(MIX) ^ ports;
    usize::low_bits(mixed.wrapping_mul(MIX) >> 52) % CACHED
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dissect::Address;

    fn key(n: u32) -> Key {
        let address = Address::v4((n / 4).to_be_bytes());
        let port = u16::try_from(n % 4).unwrap();
        (Endpoint { address, port }, Endpoint { address, port: 9 })
    }

    /// Keys come and go in an index with two chains as in a list.
    #[test]
    fn keys_are_found_until_they_are_removed() {
        let mut index = Index::new(2);
        let mut places = vec![None; 3000];
        for round in 0..9000u32 {
            let n = round.wrapping_mul(2_654_435_761) % 3000;
            let slot = &mut places[n as usize];
            assert_eq!(index.find(&key(n)), *slot, "{n}");
            *slot = match *slot {
                None => Some(index.add(key(n))),
                Some(place) => {
                    index.remove(place);
                    None
                }
            };
        }
        assert_eq!(index.len(), places.iter().flatten().count());
        for (n, place) in (0..).zip(&places) {
            assert_eq!(index.find(&key(n)), *place, "{n}");
        }
    }
}

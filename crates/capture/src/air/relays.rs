//! TCP segments that pass several hops on the air, as from station to station through an access point:
//! only the first transmission of each belongs to the TCP analysis.
//!
//! The copies of a segment have the same addresses, ports, numbers, flags, window and options. A copy
//! of a second transmitter is a relay, unless this transmitter has sent it more often than the others:
//! then the sender has repeated it.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use airtcp_wire::ieee80211::Mac;

/// Segments that are kept; the oldest is forgotten when there are more.
const MAX_SEGMENTS: usize = 8192;
/// Transmitters of one segment that are told apart.
const MAX_TRANSMITTERS: usize = 16;
/// Longest time between two hops.
const MAX_GAP_NS: u64 = 1_000_000_000;

#[derive(Debug, Clone, Default)]
struct Copies {
    last_ns: u64,
    by_transmitter: Vec<(Mac, u32)>,
}

/// The segments of the last second.
#[derive(Debug, Clone, Default)]
pub(super) struct Relays {
    copies: BTreeMap<u64, Copies>,
    order: VecDeque<u64>,
}

impl Relays {
    /// True if a TCP segment has passed an earlier hop. `ip` begins with its IP header.
    pub(super) fn is_relayed(&mut self, transmitter: Mac, ip: &[u8], now_ns: u64) -> bool {
        let Some(key) = key(ip) else { return false };
        if !self.copies.contains_key(&key) {
            if self.order.len() == MAX_SEGMENTS
                && let Some(oldest) = self.order.pop_front()
            {
                self.copies.remove(&oldest);
            }
            self.order.push_back(key);
        }
        let copies = self.copies.entry(key).or_default();
        if now_ns.saturating_sub(copies.last_ns) > MAX_GAP_NS {
            copies.by_transmitter.clear();
        }
        copies.last_ns = now_ns;
        let others = copies.by_transmitter.iter().filter(|(other, _)| *other != transmitter);
        let most = others.map(|(_, count)| *count).max().unwrap_or(0);
        let own = copies.by_transmitter.iter_mut().find(|(known, _)| *known == transmitter);
        let count = if let Some((_, count)) = own {
            *count += 1;
            *count
        } else {
            if copies.by_transmitter.len() < MAX_TRANSMITTERS {
                copies.by_transmitter.push((transmitter, 1));
            }
            1
        };
        count <= most
    }
}

/// What the copies of a TCP segment have in common: addresses, length, and the TCP header without its
/// checksum.
fn key(ip: &[u8]) -> Option<u64> {
    let (addresses, length, tcp) = match ip.first()? >> 4 {
        4 if ip.get(9) == Some(&6) => {
            let header = usize::from(ip[0] & 15) * 4;
            (ip.get(12..20)?, ip.get(2..4)?, ip.get(header..)?)
        }
        6 if ip.get(6) == Some(&6) => (ip.get(8..40)?, ip.get(4..6)?, ip.get(40..)?),
        _ => return None,
    };
    let header = usize::from(tcp.get(12)? >> 4) * 4;
    let options = tcp.get(20..header.min(tcp.len())).unwrap_or_default();
    let mut hasher = DefaultHasher::new();
    (addresses, length, tcp.get(..16)?, options).hash(&mut hasher);
    Some(hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(sequence: u8) -> Vec<u8> {
        let mut ip = vec![0x45, 0, 0, 40, 0, 1, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
        ip.extend([0, 80, 1, 0, 0, 0, 0, sequence, 0, 0, 0, 0, 0x50, 0x10, 1, 0, 0, 0, 0, 0]);
        ip
    }

    #[test]
    fn relays_and_repetitions_are_told_apart() {
        let (sender, relay) = (Mac([2, 0, 0, 0, 0, 1]), Mac([2, 0, 0, 0, 0, 2]));
        let mut relays = Relays::default();
        let mut next =
            |from, sequence, ms: u64| relays.is_relayed(from, &packet(sequence), ms * 1_000_000);
        assert!(!next(sender, 1, 0));
        assert!(next(relay, 1, 1));
        // The sender repeats the segment, and the relay passes it on again.
        assert!(!next(sender, 1, 100));
        assert!(next(relay, 1, 101));
        // The hop before was not captured.
        assert!(!next(relay, 2, 102));
        // After a second it is another segment.
        assert!(!next(relay, 1, 2000));
        // Neither TCP nor whole.
        assert!(!relays.is_relayed(relay, &[0x45; 12], 0));
    }
}

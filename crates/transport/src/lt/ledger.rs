//! The sent packets by packet number: arrived, lost, or in the network.
//!
//! A packet is lost once `dup_thresh` packets sent after it have arrived (RFC 6675 `IsLost` with
//! packets in place of segments), or after a timeout. Each packet number is used once, so every
//! answer gives a round-trip time, and a packet that arrives after it was judged lost is
//! recognised. The ledger keeps packets while feedback can report them. Bytes of payload.

use std::collections::VecDeque;

use airtcp_units::Nanos;

use crate::tcp::Snapshot;
use airtcp_packet::ack_bitmap::{AckBitmap, BITMAP_LEN, NewlyAcked};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Flying,
    Arrived,
    Lost,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Sent {
    /// Block and index of the packet's symbol.
    pub(crate) block: u64,
    pub(crate) at: Nanos,
    /// Bytes sent up to the end of the packet, over all packets.
    pub(crate) end: u64,
    pub(crate) rate: Snapshot,
    pub(crate) len: u16,
    pub(crate) index: u8,
    pub(crate) fate: Fate,
    /// Sent ECN-capable.
    pub(crate) capable: bool,
}

#[derive(Debug)]
pub(crate) struct Ledger {
    sent: VecDeque<Sent>,
    /// Number of the first packet kept.
    first: u64,
    /// All packets below this are judged.
    judged: u64,
    acked: AckBitmap,
    dup_thresh: u32,
    pipe: u64,
    flying: u64,
}

impl Ledger {
    pub(crate) fn new(dup_thresh: u32) -> Self {
        Self {
            sent: VecDeque::new(),
            first: 0,
            judged: 0,
            acked: AckBitmap::default(),
            dup_thresh: dup_thresh.max(1),
            pipe: 0,
            flying: 0,
        }
    }

    pub(crate) fn next(&self) -> u64 {
        self.first + self.sent.len() as u64
    }

    /// Bytes in the network.
    pub(crate) const fn pipe(&self) -> u64 {
        self.pipe
    }

    /// True if nothing is in the network.
    pub(crate) const fn is_quiet(&self) -> bool {
        self.flying == 0
    }

    pub(crate) const fn flying(&self) -> u64 {
        self.flying
    }

    pub(crate) fn send(&mut self, packet: Sent) {
        self.pipe += u64::from(packet.len);
        self.flying += 1;
        self.sent.push_back(packet);
    }

    fn get_mut(&mut self, number: u64) -> Option<&mut Sent> {
        self.sent.get_mut(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }

    /// Takes the bits of feedback up to packet `greatest`, which must have been sent.
    pub(crate) fn update(&mut self, greatest: u64, bits: u128) -> NewlyAcked {
        self.acked.update(greatest, bits)
    }

    /// A packet has arrived. Returns it, and whether it was judged lost; `None` if its arrival was
    /// known or it is no longer kept.
    #[inline]
    pub(crate) fn arrived(&mut self, number: u64) -> Option<(&Sent, bool)> {
        let i = usize::try_from(number.checked_sub(self.first)?).ok()?;
        let packet = self.sent.get_mut(i)?;
        let was_lost = match packet.fate {
            Fate::Arrived => return None,
            Fate::Flying => {
                self.pipe -= u64::from(packet.len);
                self.flying -= 1;
                false
            }
            Fate::Lost => true,
        };
        packet.fate = Fate::Arrived;
        Some((packet, was_lost))
    }

    fn land(&mut self, len: u16) {
        self.pipe -= u64::from(len);
        self.flying -= 1;
    }

    /// Marks the next packet lost that later arrivals show to be lost, and returns it; `edge` is
    /// that of [`edge`](Self::edge).
    #[inline]
    pub(crate) fn next_lost(&mut self, edge: u64) -> Option<Sent> {
        let lost = self.lose_before(edge);
        if lost.is_none() {
            self.forget();
        }
        lost
    }

    /// Packets below this number have `dup_thresh` later ones that arrived.
    #[inline]
    pub(crate) fn edge(&self) -> u64 {
        let mut bits = self.acked.known();
        // The usual case: none of the last packets is missing.
        if bits.trailing_ones() >= self.dup_thresh {
            return self.acked.up_to().saturating_sub(u64::from(self.dup_thresh));
        }
        for _ in 1..self.dup_thresh {
            bits &= bits.wrapping_sub(1);
        }
        let place = u64::from(bits.trailing_zeros());
        if bits == 0 { 0 } else { self.acked.up_to().saturating_sub(1 + place) }
    }

    /// Feedback no longer reports packets below this number.
    pub(crate) fn reach(&self) -> u64 {
        self.acked.up_to().saturating_sub(u64::from(BITMAP_LEN))
    }

    /// All packets below this are judged: after [`next_lost`](Self::next_lost), one more than the
    /// number of the returned packet.
    pub(crate) const fn judged(&self) -> u64 {
        self.judged
    }

    /// A timeout marks the next packet in the network lost, and returns it.
    pub(crate) fn give_up(&mut self) -> Option<Sent> {
        self.lose_before(self.next())
    }

    /// Marks the next packet lost that is below `edge`, not judged and not known to have arrived;
    /// returns it.
    #[inline]
    fn lose_before(&mut self, edge: u64) -> Option<Sent> {
        while self.judged < edge {
            let number = self.judged;
            self.judged += 1;
            let Some(packet) = self.get_mut(number) else { continue };
            if packet.fate == Fate::Flying {
                packet.fate = Fate::Lost;
                let packet = *packet;
                self.land(packet.len);
                return Some(packet);
            }
        }
        None
    }

    /// Drops packets that are judged and beyond the reach of feedback.
    fn forget(&mut self) {
        let limit = self.judged.min(self.reach());
        while self.first < limit {
            self.sent.pop_front();
            self.first += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger(packets: u64) -> Ledger {
        let mut ledger = Ledger::new(3);
        for n in 0..packets {
            ledger.send(Sent {
                block: n,
                at: Nanos(n),
                end: 0,
                rate: Snapshot::default(),
                len: 100,
                index: 0,
                fate: Fate::Flying,
                capable: false,
            });
        }
        ledger
    }

    fn lost(ledger: &mut Ledger) -> Vec<u64> {
        let edge = ledger.edge();
        std::iter::from_fn(|| ledger.next_lost(edge).map(|p| p.block)).collect()
    }

    fn hear(ledger: &mut Ledger, greatest: u64, arrived: &[u64]) -> Vec<u64> {
        let bits = arrived.iter().fold(0, |bits, n| bits | 1 << (greatest - n));
        let news: Vec<u64> = ledger.update(greatest, bits).collect();
        for n in &news {
            ledger.arrived(*n);
        }
        news
    }

    /// Three later arrivals make a loss.
    #[test]
    fn three_later_ones() {
        let mut l = ledger(10);
        assert_eq!(hear(&mut l, 3, &[2, 3]), [2, 3]);
        assert_eq!(lost(&mut l), Vec::<u64>::new());
        assert_eq!(hear(&mut l, 5, &[2, 3, 5]), [5]);
        assert_eq!(lost(&mut l), [0, 1], "2, 3 and 5 have arrived after them");
        assert_eq!((l.pipe(), l.is_quiet()), (500, false));
        // Feedback that was overtaken reports one packet that was judged lost.
        assert_eq!(hear(&mut l, 4, &[1, 2, 3, 4]), [1, 4]);
        assert_eq!(l.sent[1].fate, Fate::Arrived);
        assert_eq!(lost(&mut l), Vec::<u64>::new());
        assert_eq!(l.pipe(), 400, "6 to 9");
        assert_eq!(std::iter::from_fn(|| l.give_up()).count(), 4);
        assert!(l.is_quiet() && l.pipe() == 0);
    }

    #[test]
    fn packets_out_of_reach_are_dropped() {
        let mut l = ledger(1000);
        for n in 0..1000 {
            if n % 2 == 1 {
                let bits = 0x5555_5555_5555_5555_5555_5555_5555_5555;
                for n in l.update(n, bits) {
                    l.arrived(n);
                }
                lost(&mut l);
                assert!(l.sent.len() as u64 <= 1000 - n + u64::from(BITMAP_LEN));
            }
        }
        assert_eq!(l.judged, 995);
        assert_eq!(l.pipe(), 200, "996 and 998");
    }

    /// Compares any feedback with a record of all reports.
    #[test]
    fn nothing_is_reported_twice() {
        use std::collections::BTreeSet;
        let mut l = ledger(300);
        let (mut told, mut x) = (BTreeSet::new(), 7u64);
        for _ in 0..2000 {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let greatest = (x >> 33) % 300;
            let bits = u128::from(x) << 64 | u128::from(x.rotate_left(17));
            for n in l.update(greatest, bits) {
                if l.arrived(n).is_some() {
                    assert!(told.insert(n), "{n} twice");
                }
            }
            lost(&mut l);
            let flying = l.sent.iter().filter(|p| p.fate == Fate::Flying);
            assert_eq!(l.pipe(), flying.map(|p| u64::from(p.len)).sum::<u64>());
        }
    }
}

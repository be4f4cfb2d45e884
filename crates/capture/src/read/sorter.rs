//! Puts packets in the order of their times, within a bounded window.
//!
//! Captures of several queues or interfaces can have neighbours in the wrong order. A packet waits
//! until one arrives that is a second later, or until the waiting packets have 16 MiB.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use super::packet::Packet;

/// Longest time that a packet can be too late.
const WINDOW_NS: u64 = 1_000_000_000;
/// Most bytes that wait.
const MAX_BYTES: usize = 1 << 24;

/// A packet that waits.
struct Held {
    time_ns: u64,
    is_timed: bool,
    /// Its number in the file: packets of one time keep their order.
    number: u64,
    link_type: u16,
    interface: u32,
    wire_len: u32,
    data: Box<[u8]>,
}

impl Held {
    const fn packet(&self) -> Packet<'_> {
        Packet {
            time_ns: self.time_ns,
            is_timed: self.is_timed,
            link_type: self.link_type,
            interface: self.interface,
            wire_len: self.wire_len,
            data: &self.data,
        }
    }

    fn bytes(&self) -> usize {
        self.data.len() + size_of::<Self>()
    }
}

impl PartialEq for Held {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Held {}

impl PartialOrd for Held {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Held {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.time_ns, self.number).cmp(&(other.time_ns, other.number))
    }
}

/// Sorts packets.
#[derive(Default)]
pub struct Sorter {
    waiting: BinaryHeap<Reverse<Held>>,
    bytes: usize,
    number: u64,
    newest_ns: u64,
    last_ns: u64,
    late: u64,
}

impl Sorter {
    /// Takes a packet of the file, and passes those to `sink` that have waited long enough.
    pub fn push(
        &mut self,
        packet: &Packet<'_>,
        sink: impl FnMut(&Packet<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let held = Held {
            time_ns: packet.time_ns,
            is_timed: packet.is_timed,
            number: self.number,
            link_type: packet.link_type,
            interface: packet.interface,
            wire_len: packet.wire_len,
            data: packet.data.into(),
        };
        self.number += 1;
        self.bytes += held.bytes();
        self.newest_ns = self.newest_ns.max(held.time_ns);
        self.waiting.push(Reverse(held));
        self.release(self.newest_ns.saturating_sub(WINDOW_NS), MAX_BYTES, sink)
    }

    /// Passes all packets that wait to `sink`.
    pub fn finish(&mut self, sink: impl FnMut(&Packet<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
        self.release(u64::MAX, 0, sink)
    }

    /// Passes packets from before a time, and as many that at most `bytes` wait.
    fn release(
        &mut self,
        before_ns: u64,
        bytes: usize,
        mut sink: impl FnMut(&Packet<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        while self.bytes > bytes
            || self.waiting.peek().is_some_and(|Reverse(held)| held.time_ns < before_ns)
        {
            let Some(Reverse(held)) = self.waiting.pop() else { break };
            self.bytes -= held.bytes();
            self.late += u64::from(held.time_ns < self.last_ns);
            self.last_ns = held.time_ns;
            sink(&held.packet())?;
        }
        ControlFlow::Continue(())
    }

    /// Packets that were passed on after a later one: they came too late to be sorted.
    pub const fn late(&self) -> u64 {
        self.late
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(times: &[u64], size: usize) -> (Vec<u64>, u64) {
        let data = vec![0; size];
        let mut found = Vec::new();
        let mut sorter = Sorter::default();
        let mut sink = |packet: &Packet<'_>| {
            found.push(packet.time_ns);
            ControlFlow::Continue(())
        };
        for time_ns in times {
            let packet = Packet {
                time_ns: *time_ns,
                is_timed: true,
                link_type: 1,
                interface: 0,
                wire_len: 0,
                data: &data,
            };
            assert!(sorter.push(&packet, &mut sink).is_continue());
            assert!(sorter.bytes <= MAX_BYTES);
        }
        assert!(sorter.finish(&mut sink).is_continue());
        (found, sorter.late())
    }

    #[test]
    fn packets_within_the_window_are_sorted_and_no_other() {
        let second = WINDOW_NS;
        assert_eq!(sorted(&[5, 3, 4, 9, 7], 1), (vec![3, 4, 5, 7, 9], 0));
        let late = [10 * second, 9 * second + 1, 11 * second, 7 * second];
        let found = vec![9 * second + 1, 7 * second, 10 * second, 11 * second];
        assert_eq!(sorted(&late, 1), (found, 1));
    }

    #[test]
    fn the_waiting_packets_have_bounded_memory() {
        let times: Vec<u64> = (0..100).rev().collect();
        let (found, late) = sorted(&times, 1 << 20);
        assert!(found.len() == 100 && late > 80, "{late}");
    }
}

//! A line of packets with `CoDel` (RFC 8289: target 5 ms, interval 100 ms).

use std::collections::VecDeque;

use airtcp_packet::Segment;

const TARGET: u64 = 5_000_000;
const INTERVAL: u64 = 100_000_000;

/// A packet in a queue: its flow, and the time of its arrival in ns.
pub(crate) type Item = (usize, Segment, u64);

#[derive(Default)]
pub(crate) struct Line {
    pub(crate) items: VecDeque<Item>,
    pub(crate) bytes: u64,
    first_above: u64,
    drop_next: u64,
    count: u32,
    last_count: u32,
    dropping: bool,
}

impl Line {
    pub(crate) fn push(&mut self, item: Item) {
        self.bytes += u64::from(item.1.wire_len());
        self.items.push_back(item);
    }

    pub(crate) fn pop(&mut self) -> Option<Item> {
        let item = self.items.pop_front()?;
        self.bytes -= u64::from(item.1.wire_len());
        Some(item)
    }

    /// The next packet, and whether the delay has been above the target for an interval.
    fn take(&mut self, now: u64) -> Option<(Item, bool)> {
        let item = self.pop()?;
        let above = if now - item.2 < TARGET || self.bytes <= 1500 {
            self.first_above = 0;
            false
        } else if self.first_above == 0 {
            self.first_above = now + INTERVAL;
            false
        } else {
            now >= self.first_above
        };
        Some((item, above))
    }

    fn law(from: u64, count: u32) -> u64 {
        from + (INTERVAL as f64 / f64::from(count).sqrt()) as u64
    }

    /// The next packet to send; the dropped ones go to `dropped`.
    pub(crate) fn next(&mut self, now: u64, mut dropped: impl FnMut(Item)) -> Option<Item> {
        let mut taken = self.take(now);
        if self.dropping {
            if !taken.as_ref().is_some_and(|t| t.1) {
                self.dropping = false;
            }
            while self.dropping && now >= self.drop_next {
                if let Some((item, _)) = taken {
                    dropped(item);
                }
                self.count += 1;
                taken = self.take(now);
                if taken.as_ref().is_some_and(|t| t.1) {
                    self.drop_next = Self::law(self.drop_next, self.count);
                } else {
                    self.dropping = false;
                }
            }
        } else if let Some((item, true)) = taken {
            dropped(item);
            taken = self.take(now);
            self.dropping = true;
            let recent = now.saturating_sub(self.drop_next) < 16 * INTERVAL;
            let delta = self.count - self.last_count;
            self.count = if delta > 1 && recent { delta } else { 1 };
            self.drop_next = Self::law(now, self.count);
            self.last_count = self.count;
        }
        taken.map(|t| t.0)
    }
}

//! The payload that has arrived at an end, recorded apart from the receiver under test.

use std::collections::BTreeMap;

use airtcp_packet::{Flags, Segment, Seq};

/// A record of the payload that has arrived, kept apart from the receiver under test.
#[derive(Debug)]
pub(crate) struct Arrived {
    iss: Seq,
    /// Offset behind the SYN up to which there is no gap.
    next: u64,
    /// Ranges beyond, start to end; they may overlap.
    beyond: BTreeMap<u64, u64>,
}

impl Arrived {
    pub(crate) const fn new(iss: Seq) -> Self {
        Self { iss, next: 1, beyond: BTreeMap::new() }
    }

    pub(crate) const fn in_order(&self) -> u64 {
        self.next - 1
    }

    pub(crate) fn take(&mut self, segment: &Segment) {
        if segment.len == 0 || segment.flags.has(Flags::SYN) {
            return;
        }
        let Some(start) = segment.seq.unwrap_near(self.iss, self.next) else { return };
        let end = start + u64::from(segment.len);
        let longest = self.beyond.entry(start).or_insert(end);
        *longest = end.max(*longest);
        while let Some((&start, &end)) = self.beyond.first_key_value() {
            if start > self.next {
                break;
            }
            self.next = self.next.max(end);
            self.beyond.pop_first();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_closes_gaps() {
        let mut record = Arrived::new(Seq(u32::MAX));
        let mut take = |seq: u32, len: u16| {
            let mut segment = Segment::tcp(Flags::ACK, Seq(seq));
            segment.len = len;
            record.take(&segment);
            record.in_order()
        };
        assert_eq!(take(0, 10), 10);
        assert_eq!(take(20, 10), 10);
        assert_eq!(take(15, 3), 10);
        assert_eq!(take(0, 10), 10);
        assert_eq!(take(10, 5), 18);
        assert_eq!(take(17, 4), 30);
    }
}

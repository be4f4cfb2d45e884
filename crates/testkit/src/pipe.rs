//! One direction of a path with faults as bit masks: bit `n` of a mask is packet `n`.
//!
//! Packets from number 64 on have no faults, so a transfer always ends. Leaves out rate and queue (see the
//! `link` crate). Times in nanoseconds.

use airtcp_units::Span;

/// One direction of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pipe {
    /// Time from sending to arrival.
    pub delay: Span,
    /// Packets that never arrive.
    pub lost: u64,
    /// Packets that arrive twice, the second time later by `late_by`.
    pub duplicated: u64,
    /// Packets that later ones may overtake.
    pub late: u64,
    /// Extra delay of late packets and duplicates.
    pub late_by: Span,
}

impl Pipe {
    /// A pipe without faults.
    pub const fn new(delay: Span) -> Self {
        Self { delay, lost: 0, duplicated: 0, late: 0, late_by: Span::ZERO }
    }

    /// Delays of the copies of packet number `n`, counted from 0.
    pub fn copies(&self, n: u64) -> impl Iterator<Item = Span> + use<> {
        let hit = |mask: u64| n < 64 && mask >> n & 1 == 1;
        let slow = self.delay + self.late_by;
        let first = if hit(self.late) { slow } else { self.delay };
        let second = hit(self.duplicated).then_some(slow);
        let lost = hit(self.lost);
        [Some(first), second].into_iter().flatten().filter(move |_| !lost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_count_from_the_first_packet() {
        let pipe = Pipe {
            lost: 0b0001,
            late: 0b0010,
            duplicated: 0b0100,
            late_by: Span(5),
            ..Pipe::new(Span(10))
        };
        let arrivals: Vec<Vec<u64>> =
            (0..5).map(|n| pipe.copies(n).map(|s| s.0).collect()).collect();
        assert_eq!(arrivals, [vec![], vec![15], vec![10, 15], vec![10], vec![10]]);
        let all = Pipe { lost: u64::MAX, ..pipe };
        assert_eq!(all.copies(63).count(), 0);
        assert_eq!(all.copies(64).count(), 1, "packet 64 is beyond every mask");
    }
}

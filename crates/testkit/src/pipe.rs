//! One direction of a path whose faults are bit masks: bit `n` of a mask is the `n`-th packet.
//!
//! A mask is the most readable way to say "lose packets 3, 4 and 9", and since packets from the
//! 64th on are never touched, whatever the masks say, a transfer over it must end. Models no
//! rate and no queue (see the `link` crate for those). Times in nanoseconds.

use airtcp_units::Span;

/// One direction of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pipe {
    /// Time from sending to arrival.
    pub delay: Span,
    /// Packets that never arrive.
    pub lost: u64,
    /// Packets that arrive twice, the second time as late as a late one.
    pub duplicated: u64,
    /// Packets that later ones may overtake.
    pub late: u64,
    /// How much longer late packets and duplicates take.
    pub late_by: Span,
}

impl Pipe {
    /// A pipe that only takes time.
    pub const fn new(delay: Span) -> Self {
        Self { delay, lost: 0, duplicated: 0, late: 0, late_by: Span::ZERO }
    }

    /// How long after sending each copy of packet number `n`, counted from 0, arrives.
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

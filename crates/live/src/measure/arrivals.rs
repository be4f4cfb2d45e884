//! What an end received of the probes that the other sent in a phase.

use airtcp_units::Narrow as _;

/// Bytes of an arrival in a report: number and time, 4 each.
pub(super) const RECORD: usize = 8;

/// A probe that arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Arrival {
    /// Its number.
    pub(super) number: u32,
    /// When it arrived, in 100 ns of this end's clock since the measurement began.
    pub(super) at: u32,
    /// When it was sent, in 100 ns of the other end's.
    pub(super) sent: u32,
}

/// The first arrival of each probe, in order of arrival.
#[derive(Debug, Clone, Default)]
pub(super) struct Arrivals {
    seen: Vec<bool>,
    list: Vec<Arrival>,
    /// Probes that arrived again.
    pub(super) duplicates: u32,
}

impl Arrivals {
    /// For so many probes; others are ignored.
    pub(super) fn of(probes: u32) -> Self {
        let seen = vec![false; usize::narrow(probes)];
        Self { seen, list: Vec::new(), duplicates: 0 }
    }

    /// A probe arrived.
    pub(super) fn add(&mut self, arrival: Arrival) {
        match self.seen.get_mut(usize::narrow(arrival.number)) {
            Some(seen) if *seen => self.duplicates = self.duplicates.saturating_add(1),
            Some(seen) => {
                *seen = true;
                self.list.push(arrival);
            }
            None => {}
        }
    }

    /// In order of arrival.
    pub(super) fn list(&self) -> &[Arrival] {
        &self.list
    }

    /// Some of them as bytes of a report.
    pub(super) fn records(of: &[Arrival]) -> Vec<u8> {
        of.iter().flat_map(|a| [a.number.to_be_bytes(), a.at.to_be_bytes()]).flatten().collect()
    }

    /// From the bytes of a report, and the times of sending that this end knows.
    pub(super) fn read(records: &[u8], sent: &[u32], duplicates: u32) -> Self {
        let mut this = Self::of(u32::narrow(sent.len()));
        for record in records.as_chunks::<RECORD>().0 {
            let [a, b, c, d, rest @ ..] = *record;
            let number = u32::from_be_bytes([a, b, c, d]);
            if let Some(sent) = sent.get(usize::narrow(number)) {
                this.add(Arrival { number, at: u32::from_be_bytes(rest), sent: *sent });
            }
        }
        this.duplicates = duplicates;
        this
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_arrival_of_each_probe_counts() {
        let mut here = Arrivals::of(3);
        for (number, at) in [(2, 10), (0, 11), (2, 12), (3, 13), (u32::MAX, 14)] {
            here.add(Arrival { number, at, sent: 1 });
        }
        let numbers: Vec<_> = here.list().iter().map(|a| (a.number, a.at)).collect();
        assert_eq!((numbers, here.duplicates), (vec![(2, 10), (0, 11)], 1));
        let there = Arrivals::read(&Arrivals::records(here.list()), &[1, 1, 1], 1);
        assert_eq!((there.list(), there.duplicates), (here.list(), 1));
        // A report that is no report.
        let odd = Arrivals::read(&[0xff; 29], &[1], 0);
        assert!(odd.list().is_empty());
    }
}

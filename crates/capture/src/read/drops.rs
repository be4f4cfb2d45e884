//! Packets that the capturing system dropped, by the counts in the file (interface statistics blocks).
//!
//! A count is that since the capture began, so the packets between two counts were dropped in the time between them. Some
//! programs count each second, others once at the end.

use airtcp_wire::pcapng::Statistics;

/// Most stretches of time that are kept. What is dropped later extends the last one.
const MOST: usize = 256;

/// Packets that were dropped in a stretch of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dropped {
    /// When it began, in ns since 1970-01-01.
    pub from_ns: u64,
    /// When it ended.
    pub to_ns: u64,
    /// The packets.
    pub packets: u64,
}

/// The counts of an interface so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counted {
    dropped: u64,
    at_ns: Option<u64>,
}

impl Counted {
    /// Nothing yet.
    pub(super) const NONE: Self = Self { dropped: 0, at_ns: None };

    /// Takes a count at a time. `first_ns` is that of the first packet.
    pub(super) fn take(
        &mut self,
        count: &Statistics,
        at_ns: u64,
        first_ns: Option<u64>,
    ) -> Option<Dropped> {
        let total = count.dropped.unwrap_or(0).saturating_add(count.dropped_by_system.unwrap_or(0));
        // A smaller count than before is that of another capture.
        let packets = if total >= self.dropped { total - self.dropped } else { total };
        self.dropped = total;
        let from_ns = self.at_ns.replace(at_ns).or(first_ns).unwrap_or(at_ns).min(at_ns);
        (packets > 0).then_some(Dropped { from_ns, to_ns: at_ns, packets })
    }
}

/// Adds a stretch to others; those that touch are one.
pub(super) fn add(all: &mut Vec<Dropped>, next: Dropped) {
    let is_full = all.len() >= MOST;
    match all.last_mut() {
        Some(last) if last.to_ns == next.from_ns || is_full => {
            last.from_ns = last.from_ns.min(next.from_ns);
            last.to_ns = last.to_ns.max(next.to_ns);
            last.packets = last.packets.saturating_add(next.packets);
        }
        _ => all.push(next),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_are_those_between_two_counts() {
        let mut counted = Counted::NONE;
        let mut all = Vec::new();
        let counts = [(10, 0), (20, 3), (30, 5), (40, 5), (50, 6), (60, 2)];
        for (at_ns, total) in counts {
            let count = Statistics { dropped: Some(total), ..Statistics::default() };
            if let Some(dropped) = counted.take(&count, at_ns, Some(4)) {
                add(&mut all, dropped);
            }
        }
        let stretch = |from_ns, to_ns, packets| Dropped { from_ns, to_ns, packets };
        assert_eq!(all, [stretch(10, 30, 5), stretch(40, 60, 3)]);
        // One count at the end is that of the whole capture.
        let count = Statistics { dropped_by_system: Some(7), ..Statistics::default() };
        let mut counted = Counted::NONE;
        let whole = counted.take(&count, 90, Some(4));
        assert_eq!(whole, Some(stretch(4, 90, 7)));
    }
}

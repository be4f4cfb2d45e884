//! A report of the server, fetched in parts: those that are lost are asked for again.

use airtcp_units::Narrow as _;

use super::arrivals::RECORD;
use super::message::{Chunk, RECORDS, ToServer};
use super::plan::{MS, Phase};

/// Parts that are asked for before the first of them came.
const WINDOW: usize = 32;
/// The most parts that are believed.
const MOST: u32 = 1 << 14;

/// What a server says of a phase.
#[derive(Debug, Clone, Default)]
pub(super) struct Report {
    /// Probes that it sent.
    pub(super) sent: u32,
    /// Times that it stood still.
    pub(super) pauses: u32,
    /// Probes that it received again.
    pub(super) duplicates: u32,
    /// Probes a second of the bursts that it sent; 0 if it is not known.
    pub(super) pace: u32,
    /// Its records.
    pub(super) records: Vec<u8>,
    /// Whether records at the end are missing.
    pub(super) is_cut: bool,
}

/// A report on its way.
#[derive(Debug)]
pub(super) struct Fetch {
    pub(super) phase: Phase,
    /// Parts, and when each was asked for.
    parts: Vec<(Option<Vec<u8>>, i64)>,
    head: Option<Report>,
    next: i64,
    every: i64,
    again: i64,
}

impl Fetch {
    /// Begins to fetch. `every` is the time between two questions, `round_trip` that of the path.
    pub(super) fn new(phase: Phase, now: i64, every: i64, round_trip: i64) -> Self {
        let again = 2 * round_trip + 100 * MS;
        Self { phase, parts: vec![(None, i64::MIN)], head: None, next: now, every, again }
    }

    /// When the next part is asked for.
    pub(super) fn next(&self) -> i64 {
        self.next
    }

    /// The next question.
    pub(super) fn take(&mut self, now: i64) -> Option<ToServer> {
        if now < self.next {
            return None;
        }
        self.next = now + self.every;
        let waits = |at: i64| at > now - self.again;
        let under_way = self.parts.iter().filter(|(part, at)| part.is_none() && waits(*at)).count();
        if under_way >= WINDOW {
            return None;
        }
        let open = self.parts.iter().position(|(part, at)| part.is_none() && !waits(*at))?;
        self.parts[open].1 = now;
        Some(ToServer::Ask { phase: self.phase, chunk: u32::narrow(open) })
    }

    /// A part came. Parts of a phase that is not over at the server are asked for again later.
    pub(super) fn add(&mut self, now: i64, chunk: Chunk) {
        if chunk.phase != self.phase || chunk.of == 0 || chunk.of > MOST {
            return;
        }
        if chunk.over == 0 {
            self.next = self.next.max(now + 50 * MS);
            if let Some(part) = self.parts.get_mut(usize::narrow(chunk.number)) {
                part.1 = i64::MIN;
            }
            return;
        }
        let Chunk { sent, pauses, duplicates, pace, .. } = chunk;
        let head = || Report { sent, pauses, duplicates, pace, ..Report::default() };
        self.head.get_or_insert_with(head);
        let count = usize::narrow(chunk.of);
        if self.parts.len() < count {
            self.parts.resize(count, (None, i64::MIN));
        }
        if let Some(part) = self.parts.get_mut(usize::narrow(chunk.number)) {
            part.0.get_or_insert(chunk.records);
        }
    }

    /// Whether all parts came.
    pub(super) fn is_whole(&self) -> bool {
        self.head.is_some() && self.parts.iter().all(|(part, _)| part.is_some())
    }

    /// What came, up to the first part that did not.
    pub(super) fn report(&self) -> Option<Report> {
        let mut report = self.head.clone()?;
        report.is_cut = !self.is_whole();
        let first = self.parts.iter().map_while(|(part, _)| part.as_deref());
        report.records = first.flatten().copied().collect();
        Some(report)
    }
}

/// The time between two questions, so that reports take no more of the path than trains of this rate.
pub(super) fn pace(rate: u32) -> i64 {
    let records = i64::narrow(RECORDS / RECORD);
    // A part has as many bytes as so many probes of a train.
    let probes = records / 10;
    (probes * 1_000 * MS / i64::from(rate.max(1))).clamp(MS, 50 * MS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(number: u32, of: u32, over: u32) -> Chunk {
        let records = vec![u8::narrow(number); 3];
        let (phase, sent, pauses, duplicates, pace) = (Phase::Train, 9, 0, 1, 0);
        Chunk { phase, number, of, sent, pauses, duplicates, pace, over, records }
    }

    #[test]
    fn lost_parts_are_asked_for_again() {
        let mut fetch = Fetch::new(Phase::Train, 0, MS, 0);
        let ask = |n| Some(ToServer::Ask { phase: Phase::Train, chunk: n });
        assert_eq!(fetch.take(0), ask(0));
        assert_eq!(fetch.take(0), None);
        // Not over yet: the same again.
        fetch.add(MS, chunk(0, 1, 0));
        assert_eq!(fetch.take(51 * MS), ask(0));
        fetch.add(52 * MS, chunk(0, 3, 1));
        assert_eq!((fetch.take(53 * MS), fetch.take(54 * MS)), (ask(1), ask(2)));
        fetch.add(55 * MS, chunk(2, 3, 1));
        assert!(!fetch.is_whole());
        assert_eq!(fetch.take(55 * MS), None);
        assert_eq!(fetch.take(160 * MS), ask(1));
        fetch.add(161 * MS, chunk(1, 3, 1));
        assert!(fetch.is_whole());
        assert_eq!(fetch.report().unwrap().records, [0, 0, 0, 1, 1, 1, 2, 2, 2]);
        // One that has more parts than any report, or none, changes nothing.
        fetch.add(0, chunk(7, u32::MAX, 1));
        fetch.add(0, chunk(0, 0, 1));
        assert!(fetch.is_whole());
    }

    #[test]
    fn questions_keep_the_rate_of_the_train() {
        assert_eq!((pace(1_000), pace(10_000), pace(1)), (14 * MS, 14 * MS / 10, 50 * MS));
    }
}

//! When an end sends the probes of a phase.
//!
//! A process that stood still does not send at once what it missed: the burst would fill the queue that is measured. The
//! rest of the schedule moves, and the pause is counted.

use airtcp_units::Narrow as _;

use super::plan::{BURST, BURST_EVERY, MS, Phase, Plan, SECOND};

/// A process that is so late stood still.
const PAUSE: i64 = 20 * MS;

/// Probes that are sent at once tell how fast this end can send.
const ENOUGH: usize = 8;

/// How fast this end sends the probes of bursts.
#[derive(Debug, Clone, Default)]
pub(super) struct Pace(Vec<u32>);

impl Pace {
    /// So many were sent at once, in so many ns.
    pub(super) fn add(&mut self, count: usize, took: i64) {
        if count >= ENOUGH && took > 0 {
            let count = i64::narrow(count);
            self.0.push(u32::try_from(count * SECOND / took).unwrap_or(u32::MAX));
        }
    }

    /// Probes a second, the median; 0 if it is not known.
    pub(super) fn usual(&self) -> u32 {
        let mut all = self.0.clone();
        all.sort_unstable();
        all.get(all.len() / 2).copied().unwrap_or(0)
    }
}

/// The schedule of a phase, and how far it got.
#[derive(Debug, Clone)]
pub(super) struct Sending {
    phase: Phase,
    begin: i64,
    rate: i64,
    probes: u32,
    next: u32,
    /// Times that the process stood still.
    pub(super) pauses: u32,
}

impl Sending {
    /// Sends from `begin` on.
    pub(super) fn new(plan: &Plan, phase: Phase, begin: i64) -> Self {
        let rate = i64::from(plan.rate.max(1));
        Self { phase, begin, rate, probes: plan.probes(phase), next: 0, pauses: 0 }
    }

    /// Probes that were sent.
    pub(super) fn sent(&self) -> u32 {
        self.next
    }

    /// When the next probe is due, if there is one.
    pub(super) fn due(&self) -> Option<i64> {
        let next = i64::from(self.next);
        let after = match self.phase {
            Phase::Train => next * SECOND / self.rate,
            _ => next / i64::from(BURST) * BURST_EVERY,
        };
        (self.next < self.probes).then_some(self.begin + after)
    }

    /// The number of a probe that is sent now, if one is due.
    pub(super) fn take(&mut self, now: i64) -> Option<u32> {
        let late = now - self.due().filter(|due| *due <= now)?;
        if late > PAUSE && (self.phase == Phase::Train || self.next.is_multiple_of(BURST)) {
            self.begin += late;
            self.pauses += 1;
        }
        self.next += 1;
        Some(self.next - 1)
    }

    /// Sends no more.
    pub(super) fn stop(&mut self) {
        self.probes = self.next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sending(phase: Phase) -> Sending {
        Sending::new(&Plan::of(60.0, 1_000), phase, 5)
    }

    #[test]
    fn a_train_has_a_probe_a_millisecond() {
        let mut train = sending(Phase::Train);
        assert_eq!(train.take(4), None);
        assert_eq!(train.take(5), Some(0));
        assert_eq!(train.take(5), None);
        assert_eq!(train.due(), Some(5 + MS));
        // Some late: the times of those behind stay.
        let sent: Vec<u32> = std::iter::from_fn(|| train.take(5 + 10 * MS)).collect();
        assert_eq!(sent, (1..=10).collect::<Vec<_>>());
        assert_eq!((train.due(), train.pauses), (Some(5 + 11 * MS), 0));
    }

    #[test]
    fn what_a_pause_missed_is_not_sent_at_once() {
        let mut train = sending(Phase::Train);
        assert_eq!(train.take(5 + 100 * MS), Some(0));
        assert_eq!(train.take(5 + 100 * MS), None);
        assert_eq!((train.due(), train.pauses), (Some(5 + 101 * MS), 1));
    }

    #[test]
    fn bursts_are_a_tenth_of_a_second_apart() {
        let mut bursts = sending(Phase::BurstsUp);
        let first = std::iter::from_fn(|| bursts.take(5)).count();
        assert_eq!((first, bursts.due()), (32, Some(5 + 100 * MS)));
        let rest =
            (0..100).map(|n| std::iter::from_fn(|| bursts.take(5 + n * BURST_EVERY)).count());
        assert_eq!((rest.sum::<usize>(), bursts.due(), bursts.pauses), (19 * 32, None, 0));
    }

    #[test]
    fn the_pace_is_that_of_bursts() {
        let mut pace = Pace::default();
        assert_eq!(pace.usual(), 0);
        for (count, took) in [(1, 1_000), (32, 64_000), (32, 96_000), (32, 6_400_000), (32, 0)] {
            pace.add(count, took);
        }
        assert_eq!(pace.usual(), 333_333);
    }

    #[test]
    fn a_phase_that_stops_has_sent_what_it_sent() {
        let mut train = sending(Phase::Train);
        train.take(5);
        train.stop();
        assert_eq!((train.due(), train.sent()), (None, 1));
    }
}

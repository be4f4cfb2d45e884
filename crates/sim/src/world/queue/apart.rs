//! A few machines beside the entries of the event queue, for which each event sets the next one: links whose arrivals are
//! known ahead (`world/ahead.rs`). Setting such a time is one store, and the earliest of them is found by comparing all.
//!
//! The order is that of entries: by time, then by the key of the machine at that time ([`Owner::key`]), which only
//! machines at one instant need.
//!
//! [`Owner::key`]: super::Owner

use airtcp_units::{Nanos, Narrow};

use super::{Apart, EventQueue, MachineId, Place};

/// Maximum number of machines apart. With more, entries are faster.
const FEW_APART: usize = 8;

impl EventQueue {
    /// Keeps machines that have no time yet apart from now on, each with a number that is its owner's; none if they are too
    /// many. Their times are then set by [`set_apart`](Self::set_apart).
    pub(crate) fn keep_apart(&mut self, machines: &[(MachineId, u32)]) -> Vec<Place> {
        debug_assert!(self.apart.is_empty(), "a second call");
        if machines.len() > FEW_APART {
            return Vec::new();
        }
        debug_assert!(
            machines.iter().all(|(m, _)| self.owners[m.0 as usize].entered == Nanos::NEVER),
            "a machine has an entry"
        );
        let apart = |&(MachineId(machine), of)| Apart { time: Nanos::NEVER, machine, of };
        self.apart = machines.iter().map(apart).collect();
        (0..machines.len()).map(|place| Place(u32::narrow(place))).collect()
    }

    /// Sets the next time of a machine apart; [`Nanos::NEVER`] for none.
    #[inline]
    pub(crate) fn set_apart(&mut self, place: Place, at: Nanos) {
        if let Some(apart) = self.apart.get_mut(place.0 as usize) {
            apart.time = at;
        }
    }

    /// The earliest of the machines apart, and its number among them.
    #[inline]
    pub(super) fn first_apart(&self) -> Option<(usize, Apart)> {
        let mut all = self.apart.iter().copied().enumerate();
        let mut first = all.next()?;
        for other in all {
            let earlier = other.1.time < first.1.time;
            if earlier || other.1.time == first.1.time && self.wins_tie(other.1, first.1) {
                first = other;
            }
        }
        Some(first)
    }

    /// Whether a machine comes before another at the time of both.
    #[cold]
    fn wins_tie(&self, one: Apart, other: Apart) -> bool {
        self.order_apart(one) < self.order_apart(other)
    }

    /// Place in the order of entries.
    #[inline]
    pub(super) fn order_apart(&self, apart: Apart) -> u128 {
        let key = self.owners[apart.machine as usize].key(apart.time);
        u128::from(apart.time.0) << 64 | u128::from(key)
    }

    /// Takes a machine apart if its time is not after `until`.
    #[inline]
    pub(super) fn take_apart(
        &mut self,
        (number, apart): (usize, Apart),
        until: Nanos,
    ) -> Option<(Nanos, MachineId)> {
        if apart.time > until || apart.time == Nanos::NEVER {
            return None;
        }
        self.apart[number].time = Nanos::NEVER;
        self.running = (MachineId(apart.machine), apart.time);
        Some(self.running).map(|(machine, time)| (time, machine))
    }

    /// Takes the earliest machine apart if it comes before all entries and not after `until`, and returns its time and the
    /// number that its owner gave it. If not, and sometimes even then, [`pop`](Self::pop) finds the next machine.
    #[inline]
    pub(crate) fn pop_apart(&mut self, until: Nanos) -> Option<(Nanos, u32)> {
        let (number, apart) = self.first_apart()?;
        // No machine is due before the time of its entry.
        let is_first = !self.vacant && self.first().is_none_or(|top| apart.time < top.time);
        if !is_first || apart.time > until || apart.time == Nanos::NEVER {
            return None;
        }
        self.apart[number].time = Nanos::NEVER;
        self.running = (MachineId(apart.machine), apart.time);
        Some((apart.time, apart.of))
    }

    /// True if no machine apart has a time until `now`.
    #[inline]
    pub(super) fn is_quiet_apart(&self, now: Nanos) -> bool {
        self.apart.iter().all(|apart| apart.time > now)
    }
}

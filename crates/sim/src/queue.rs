//! The event queue: a 4-ary implicit heap with one live entry per machine and soft deadlines.
//!
//! A machine asks for one time, its next timer. Moving that time *later* only overwrites the
//! stored value; the entry stays where it is and is put back when it surfaces too early.
//! Moving it *earlier* sifts the entry up. TCP pushes its retransmission timer back with every
//! acknowledgement, so this is the common case and costs one store.
//!
//! Order at one instant is part of the model, not an accident: first by [`Phase`], then by a
//! tie-break drawn from the run's seed, the machine's own name and its own count of events, so
//! that no result depends on the order in which machines were created.

use airtcp_units::Nanos;

/// What kind of thing happens, in the order in which things of one instant happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Phase {
    /// Transmissions end and packets arrive.
    Arrival = 0,
    /// Timers of endpoints, and access decisions.
    Timer = 1,
    /// Transmissions start and become audible.
    Start = 2,
    /// Applications act.
    Application = 3,
    /// Periodic samples are taken, of the state everything else has left.
    Sample = 4,
}

/// A machine's place in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MachineId(pub u32);

#[derive(Debug, Clone, Copy)]
struct Entry {
    time: Nanos,
    /// Phase in the top bits, tie-break below.
    key: u64,
    machine: u32,
}

impl Entry {
    /// Time and key as one number: compared without a branch.
    const fn order(&self) -> u128 {
        (self.time.0 as u128) << 64 | self.key as u128
    }

    const fn before(&self, other: &Self) -> bool {
        self.order() < other.order()
    }
}

#[derive(Debug, Clone, Copy)]
struct Owner {
    due: Nanos,
    position: u32,
    phase: Phase,
    salt: u64,
    ordinal: u64,
}

const ABSENT: u32 = u32::MAX;
const ARITY: usize = 4;

/// The queue. See the module's text for how it works.
#[derive(Debug, Default)]
pub struct EventQueue {
    heap: Vec<Entry>,
    owners: Vec<Owner>,
}

impl EventQueue {
    /// An empty queue.
    pub const fn new() -> Self {
        Self { heap: Vec::new(), owners: Vec::new() }
    }

    /// Registers a machine. `salt` is a number drawn from the seed and the machine's name.
    pub fn register(&mut self, phase: Phase, salt: u64) -> MachineId {
        let id = self.owners.len() as u32;
        self.owners.push(Owner { due: Nanos::NEVER, position: ABSENT, phase, salt, ordinal: 0 });
        MachineId(id)
    }

    /// Says when a machine wants to run next; [`Nanos::NEVER`] for not at all.
    pub fn set(&mut self, machine: MachineId, at: Nanos) {
        let owner = &mut self.owners[machine.0 as usize];
        owner.due = at;
        if owner.position == ABSENT {
            if at != Nanos::NEVER {
                let entry = Self::entry(owner, machine.0, at);
                self.heap.push(entry);
                self.sift_up(self.heap.len() - 1);
            }
        } else if at < self.heap[owner.position as usize].time {
            let position = owner.position as usize;
            self.heap[position] = Self::entry(owner, machine.0, at);
            self.sift_up(position);
        }
    }

    /// Time of the next event, without taking it.
    pub fn next_time(&mut self) -> Nanos {
        self.settle();
        self.heap.first().map_or(Nanos::NEVER, |e| e.time)
    }

    /// Whether nothing is left for `now`; sometimes false where nothing is.
    pub fn is_quiet(&self, now: Nanos) -> bool {
        self.heap.first().is_none_or(|e| e.time > now)
    }

    /// Takes the next machine to run, if its time is not after `until`.
    pub fn pop(&mut self, until: Nanos) -> Option<(Nanos, MachineId)> {
        self.settle();
        let top = *self.heap.first()?;
        if top.time > until {
            return None;
        }
        self.owners[top.machine as usize].due = Nanos::NEVER;
        self.remove_top();
        Some((top.time, MachineId(top.machine)))
    }

    /// Number of live entries: never more than there are machines.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// True if no machine waits.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    fn entry(owner: &mut Owner, machine: u32, time: Nanos) -> Entry {
        owner.ordinal += 1;
        let tie =
            scramble(owner.salt.wrapping_add(owner.ordinal.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        Entry { time, key: (owner.phase as u64) << 61 | tie >> 3, machine }
    }

    /// Puts back entries whose machine has meanwhile moved its deadline later.
    fn settle(&mut self) {
        while let Some(top) = self.heap.first() {
            let (machine, time) = (top.machine, top.time);
            let owner = &mut self.owners[machine as usize];
            if owner.due <= time {
                return;
            }
            if owner.due == Nanos::NEVER {
                self.remove_top();
            } else {
                let due = owner.due;
                self.heap[0] = Self::entry(owner, machine, due);
                self.sift_down(0);
            }
        }
    }

    fn remove_top(&mut self) {
        let top = self.heap.swap_remove(0);
        self.owners[top.machine as usize].position = ABSENT;
        if !self.heap.is_empty() {
            self.sift_down(0);
        }
    }

    fn place(&mut self, position: usize, entry: Entry) {
        self.heap[position] = entry;
        self.owners[entry.machine as usize].position = position as u32;
    }

    fn sift_up(&mut self, mut position: usize) {
        let entry = self.heap[position];
        while position > 0 {
            let parent = (position - 1) / ARITY;
            if !entry.before(&self.heap[parent]) {
                break;
            }
            self.place(position, self.heap[parent]);
            position = parent;
        }
        self.place(position, entry);
    }

    fn sift_down(&mut self, mut position: usize) {
        let entry = self.heap[position];
        loop {
            let first = position * ARITY + 1;
            if first >= self.heap.len() {
                break;
            }
            let last = (first + ARITY).min(self.heap.len());
            let mut least = first;
            let mut order = self.heap[first].order();
            for (child, other) in (first..last).zip(&self.heap[first..last]).skip(1) {
                if other.order() < order {
                    (least, order) = (child, other.order());
                }
            }
            if order >= entry.order() {
                break;
            }
            self.place(position, self.heap[least]);
            position = least;
        }
        self.place(position, entry);
    }
}

const fn scramble(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn phases_order_one_instant() {
        let mut q = EventQueue::new();
        let phases =
            [Phase::Sample, Phase::Timer, Phase::Application, Phase::Arrival, Phase::Start];
        for (i, phase) in phases.into_iter().enumerate() {
            let m = q.register(phase, i as u64);
            q.set(m, Nanos(5));
        }
        let order: Vec<u32> =
            std::iter::from_fn(|| q.pop(Nanos::NEVER)).map(|(_, m)| m.0).collect();
        assert_eq!(order, [3, 1, 4, 2, 0]);
    }

    #[test]
    fn ties_do_not_depend_on_creation_order() {
        let order = |salts: &[u64]| {
            let mut q = EventQueue::new();
            for &salt in salts {
                let m = q.register(Phase::Timer, salt);
                q.set(m, Nanos(5));
            }
            std::iter::from_fn(|| q.pop(Nanos::NEVER))
                .map(|(_, m)| salts[m.0 as usize])
                .collect::<Vec<_>>()
        };
        assert_eq!(order(&[10, 20, 30, 40]), order(&[40, 10, 30, 20]));
    }

    #[test]
    fn pushing_a_timer_back_leaves_one_entry() {
        let mut q = EventQueue::new();
        let m = q.register(Phase::Timer, 1);
        for t in 1..1000 {
            q.set(m, Nanos(t));
            assert_eq!(q.len(), 1);
        }
        assert_eq!(q.pop(Nanos(998)), None);
        assert_eq!(q.pop(Nanos(999)), Some((Nanos(999), m)));
        assert!(q.is_empty());
    }

    proptest! {
        /// Against the obvious implementation: a table of deadlines, scanned for the least.
        #[test]
        fn same_as_a_table(ops in proptest::collection::vec((0u32..12, 0u64..60), 1..400)) {
            let mut q = EventQueue::new();
            let mut table = [u64::MAX; 12];
            for i in 0..12u64 {
                q.register(Phase::Timer, i);
            }
            let mut now = 0;
            for (who, delay) in ops {
                if delay < 20 {
                    let least = table.iter().copied().min().unwrap();
                    prop_assert_eq!(q.next_time().0, least);
                    if let Some((at, m)) = q.pop(Nanos(u64::MAX - 1)) {
                        prop_assert_eq!(at.0, least);
                        prop_assert_eq!(table[m.0 as usize], least);
                        table[m.0 as usize] = u64::MAX;
                        now = at.0;
                    } else {
                        prop_assert_eq!(least, u64::MAX);
                    }
                } else {
                    let at = if delay == 59 { u64::MAX } else { now + delay - 20 };
                    table[who as usize] = at;
                    q.set(MachineId(who), Nanos(at));
                }
            }
        }
    }
}

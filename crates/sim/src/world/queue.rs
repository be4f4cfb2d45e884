//! The event queue: one live entry per machine and soft deadlines, in a 4-ary implicit heap or, for few
//! machines, in a sorted list.
//!
//! Each machine has one time, its next timer. Moving the time *later* only overwrites the stored value; when
//! the entry surfaces too early, it is put back. Moving it *earlier* sifts the entry up. TCP moves its
//! retransmission timer later with every acknowledgement, so the common case costs one store.
//!
//! The order at one instant is part of the model: first by [`Phase`], then by a tie-break drawn from the
//! run's seed, the machine's name and the instant. No result depends on the order in which machines were
//! created, or on how many entries a machine needed until then.

mod apart;

use airtcp_units::{Nanos, Narrow};

/// Kind of event, in the order of processing at one instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Phase {
    /// Transmissions end and packets arrive.
    Arrival = 0,
    /// Timers of endpoints, and access decisions.
    Timer = 1,
    /// Transmissions start and become audible.
    Start = 2,
    /// Applications act.
    Application = 3,
}

/// Number of a machine in the queue.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MachineId(pub(crate) u32);

#[derive(Debug, Clone, Copy)]
struct Entry {
    time: Nanos,
    /// Phase in the top bits, tie-break below.
    key: u64,
    machine: u32,
}

impl Entry {
    /// Time and key as one number: compared without a branch.
    #[inline]
    const fn order(&self) -> u128 {
        (self.time.0 as u128) << 64 | self.key as u128
    }

    #[inline]
    const fn before(&self, other: &Self) -> bool {
        self.order() < other.order()
    }
}

/// A machine without an entry (`queue/apart.rs`) and its next time, [`Nanos::NEVER`] for none.
#[derive(Debug, Clone, Copy)]
struct Apart {
    time: Nanos,
    machine: u32,
    /// What it is to its owner.
    of: u32,
}

/// Place of a machine among those without an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place(u32);

#[derive(Debug, Clone, Copy)]
struct Owner {
    due: Nanos,
    /// Time of its entry, [`Nanos::NEVER`] if it has none.
    entered: Nanos,
    /// Position of its entry, if it has one.
    position: u32,
    phase: Phase,
    salt: u64,
}

impl Owner {
    /// Place among the entries at this time.
    #[inline]
    const fn key(&self, time: Nanos) -> u64 {
        let tie = scramble(self.salt.wrapping_add(time.0.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        (self.phase as u64) << 61 | tie >> 3
    }
}

const ARITY: usize = 4;

/// Maximum number of machines for the sorted list, which is then faster than the heap. A link with three
/// flows has fourteen.
const FEW: usize = 16;

/// The event queue.
#[derive(Debug, Default)]
pub(crate) struct EventQueue {
    /// The list, with the first entry at its end, or the heap.
    heap: Vec<Entry>,
    owners: Vec<Owner>,
    /// True if the first entry of the heap was taken and its position is vacant. The running machine usually
    /// sets its next time, and its entry then fills the position with one pass down the heap instead of two.
    vacant: bool,
    /// The running machine and its time.
    running: (MachineId, Nanos),
    /// Machines without entries; see `queue/apart.rs`.
    apart: Vec<Apart>,
}

impl EventQueue {
    /// An empty queue.
    pub(crate) const fn new() -> Self {
        Self {
            heap: Vec::new(),
            owners: Vec::new(),
            vacant: false,
            running: (MachineId(0), Nanos::ZERO),
            apart: Vec::new(),
        }
    }

    /// Registers a machine. `salt` is a number drawn from the seed and the machine's name.
    pub(crate) fn register(&mut self, phase: Phase, salt: u64) -> MachineId {
        let id = u32::narrow(self.owners.len());
        let (due, entered) = (Nanos::NEVER, Nanos::NEVER);
        self.owners.push(Owner { due, entered, position: 0, phase, salt });
        if self.owners.len() == FEW + 1 {
            for entry in std::mem::take(&mut self.heap) {
                self.heap.push(entry);
                self.sift_up(self.heap.len() - 1, entry);
            }
        }
        MachineId(id)
    }

    /// Sets the next time of a machine; [`Nanos::NEVER`] for none.
    #[inline]
    pub(crate) fn set(&mut self, machine: MachineId, at: Nanos) {
        let owner = &mut self.owners[machine.0 as usize];
        owner.due = at;
        if at < owner.entered {
            self.enter(machine.0);
        }
    }

    /// Adds an entry for a machine, or moves its entry earlier.
    fn enter(&mut self, machine: u32) {
        let owner = &mut self.owners[machine as usize];
        let is_new = owner.entered == Nanos::NEVER;
        let entry = Self::entry(owner, machine);
        if self.is_list() {
            self.list(entry, is_new);
        } else if !is_new {
            self.fill();
            let position = self.owners[machine as usize].position as usize;
            self.sift_up(position, entry);
        } else if self.vacant {
            self.vacant = false;
            self.sift_down(entry);
        } else {
            self.heap.push(entry);
            self.sift_up(self.heap.len() - 1, entry);
        }
    }

    /// Inserts an entry into the list, or moves its machine's entry earlier.
    fn list(&mut self, entry: Entry, is_new: bool) {
        let list = &mut self.heap;
        if !is_new && let Some(mut i) = list.iter().position(|e| e.machine == entry.machine) {
            while let Some(next) = list.get(i + 1).copied().filter(|next| entry.before(next)) {
                list[i] = next;
                i += 1;
            }
            list[i] = entry;
            return;
        }
        let mut i = list.len();
        list.push(entry);
        while i > 0 && list[i - 1].before(&entry) {
            list[i] = list[i - 1];
            i -= 1;
        }
        list[i] = entry;
    }

    #[inline]
    const fn is_list(&self) -> bool {
        self.owners.len() <= FEW
    }

    /// The first entry, unless its position in the heap is vacant.
    #[inline]
    fn first(&self) -> Option<&Entry> {
        if self.is_list() { self.heap.last() } else { self.heap.first() }
    }

    /// True only if nothing is left until `now`; may be false even then.
    #[inline]
    pub(crate) fn is_quiet(&self, now: Nanos) -> bool {
        if !self.is_quiet_apart(now) {
            return false;
        }
        if !self.vacant {
            return self.first().is_none_or(|e| e.time > now);
        }
        self.heap.iter().skip(1).take(ARITY).all(|e| e.time > now)
    }

    /// Takes the next machine if its time is not after `until`.
    #[inline]
    pub(crate) fn pop(&mut self, until: Nanos) -> Option<(Nanos, MachineId)> {
        if let Some(first) = self.first_apart() {
            return self.pop_with(first, until);
        }
        self.settle();
        self.pop_entry(until)
    }

    /// Takes the next machine, which is either `first` of those apart or the first entry.
    #[inline]
    fn pop_with(&mut self, first: (usize, Apart), until: Nanos) -> Option<(Nanos, MachineId)> {
        // No machine is due before the time of its entry.
        if !self.vacant && self.first().is_none_or(|top| first.1.time < top.time) {
            return self.take_apart(first, until);
        }
        self.settle();
        if self.first().is_none_or(|top| self.order_apart(first.1) < top.order()) {
            return self.take_apart(first, until);
        }
        self.pop_entry(until)
    }

    /// Takes the machine of the first entry if its time is not after `until`.
    #[inline]
    fn pop_entry(&mut self, until: Nanos) -> Option<(Nanos, MachineId)> {
        let top = self.first()?;
        let (time, machine) = (top.time, top.machine);
        if time > until {
            return None;
        }
        self.running = (MachineId(machine), time);
        self.owners[machine as usize].due = Nanos::NEVER;
        self.take_first(machine);
        Some((time, MachineId(machine)))
    }

    /// Time of the next machine, if any has one.
    pub(crate) fn peek(&mut self) -> Option<Nanos> {
        self.settle();
        let entry = self.first().map(|entry| entry.time);
        let apart = self.first_apart().map(|(_, apart)| apart.time);
        let apart = apart.filter(|time| *time != Nanos::NEVER);
        entry.into_iter().chain(apart).min()
    }

    /// Takes the first entry, which is `machine`'s.
    #[inline]
    fn take_first(&mut self, machine: u32) {
        self.owners[machine as usize].entered = Nanos::NEVER;
        if self.is_list() {
            self.heap.pop();
        } else {
            self.vacant = true;
        }
    }

    /// A new entry for a machine's time.
    fn entry(owner: &mut Owner, machine: u32) -> Entry {
        owner.entered = owner.due;
        Entry { time: owner.due, key: owner.key(owner.due), machine }
    }

    /// True if an entry of `machine` at the time of the running one comes before the running one.
    pub(crate) fn comes_before(&self, machine: MachineId) -> bool {
        let (running, now) = self.running;
        let key = |machine: MachineId| self.owners[machine.0 as usize].key(now);
        key(machine) < key(running)
    }

    /// Lets the running machine run on at `at`, without an entry, if its entry would be the next to be taken. May
    /// refuse even then.
    #[inline]
    pub(crate) fn runs_on(&mut self, machine: MachineId, at: Nanos) -> bool {
        let next = self.is_quiet(at);
        if next {
            self.running = (machine, at);
        }
        next
    }

    /// Fills the vacant position, and puts back entries whose machine has moved its deadline later.
    #[inline]
    pub(crate) fn settle(&mut self) {
        loop {
            if self.vacant {
                self.fill();
            }
            let Some(top) = self.first() else { return };
            let (machine, time) = (top.machine, top.time);
            let owner = &mut self.owners[machine as usize];
            if owner.due <= time {
                return;
            }
            if owner.due == Nanos::NEVER {
                self.take_first(machine);
                continue;
            }
            let entry = Self::entry(owner, machine);
            if self.is_list() {
                self.heap.pop();
                self.list(entry, true);
            } else {
                self.sift_down(entry);
            }
        }
    }

    /// Fills the position of the first entry if it is vacant.
    fn fill(&mut self) {
        if self.vacant {
            self.vacant = false;
            if let Some(last) = self.heap.pop()
                && !self.heap.is_empty()
            {
                self.sift_down(last);
            }
        }
    }

    fn place(&mut self, position: usize, entry: Entry) {
        self.heap[position] = entry;
        self.owners[entry.machine as usize].position = u32::narrow(position);
    }

    /// Puts an entry at `position`, replacing the one there, or further up.
    fn sift_up(&mut self, mut position: usize, entry: Entry) {
        while position > 0 {
            let parent = (position - 1) / ARITY;
            let above = self.heap[parent];
            if !entry.before(&above) {
                break;
            }
            self.place(position, above);
            position = parent;
        }
        self.place(position, entry);
    }

    /// Puts an entry at the top, replacing the first, or further down.
    fn sift_down(&mut self, entry: Entry) {
        let mut position = 0;
        loop {
            let first = position * ARITY + 1;
            let Some(below) = self.heap.get(first..) else { break };
            let mut below = below.iter().take(ARITY).enumerate();
            let Some((_, mut least)) = below.next() else { break };
            let (mut child, mut order) = (0, least.order());
            for (i, other) in below {
                if other.order() < order {
                    (child, order, least) = (i, other.order(), other);
                }
            }
            if order >= entry.order() {
                break;
            }
            let least = *least;
            self.place(position, least);
            position = first + child;
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
mod tests;

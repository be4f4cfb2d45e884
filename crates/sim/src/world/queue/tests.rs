//! Order, ties and deadlines of the event queue, and a comparison of its two forms.

use super::*;
use airtcp_units::Span;
use proptest::prelude::*;

impl EventQueue {
    /// Time of the next event, without taking it.
    fn next_time(&mut self) -> Nanos {
        self.settle();
        self.first().map_or(Nanos::NEVER, |e| e.time)
    }

    /// Number of live entries: never more than there are machines.
    fn len(&self) -> usize {
        self.heap.len() - usize::from(self.vacant)
    }
}

#[test]
fn phases_order_one_instant() {
    let mut q = EventQueue::new();
    let phases = [Phase::Timer, Phase::Application, Phase::Arrival, Phase::Start];
    for (i, phase) in phases.into_iter().enumerate() {
        let m = q.register(phase, i as u64);
        q.set(m, Nanos(5));
    }
    let order: Vec<u32> = std::iter::from_fn(|| q.pop(Nanos::NEVER)).map(|(_, m)| m.0).collect();
    assert_eq!(order, [2, 0, 3, 1]);
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
    assert_eq!(q.len(), 0);
}

proptest! {
    /// A machine runs on only where its entry would be the next to be taken, and its place in an instant is known
    /// without an entry. With few machines (list) and with many (heap).
    #[test]
    fn running_on_keeps_the_order(
        many: bool,
        times in prop::collection::vec(0u64..4, 40),
        again in 0u64..5,
    ) {
        let machines = if many { 40 } else { 10 };
        let filled = || {
            let mut q = EventQueue::new();
            for (salt, time) in times.iter().enumerate().take(machines) {
                let phase = [Phase::Arrival, Phase::Timer][salt % 2];
                let m = q.register(phase, salt as u64);
                q.set(m, Nanos(*time));
            }
            q
        };
        let all: Vec<_> = std::iter::from_fn({
            let mut q = filled();
            move || q.pop(Nanos::NEVER)
        }).collect();
        let mut q = filled();
        for (place, (now, m)) in all.iter().enumerate() {
            prop_assert_eq!(q.pop(Nanos::NEVER), Some((*now, *m)));
            for (other, (time, machine)) in all.iter().enumerate() {
                if time == now {
                    prop_assert_eq!(q.comes_before(*machine), other < place);
                }
            }
            let next = *now + Span(again);
            if q.runs_on(*m, next) {
                prop_assert!(all.get(place + 1).is_none_or(|(time, _)| *time > next));
            }
        }
    }

    /// A queue that grows while it is in use, and one with few machines: the order of machines, also at one
    /// instant, does not depend on their number.
    #[test]
    fn list_and_heap_give_the_same_order(
        late in 0usize..200,
        ops in proptest::collection::vec((0..u32::narrow(FEW), 0u64..40), 1..200),
    ) {
        let (mut few, mut many) = (EventQueue::new(), EventQueue::new());
        for i in 0..FEW as u64 {
            few.register(Phase::Timer, i);
            many.register(Phase::Timer, i);
        }
        let mut now = 0;
        for (n, (who, delay)) in ops.into_iter().enumerate() {
            if n == late {
                many.register(Phase::Timer, 99);
            }
            if delay < 15 {
                let until = Nanos(now + delay);
                let next = few.pop(until);
                prop_assert_eq!(next, many.pop(until));
                now = next.map_or(now, |(at, _)| at.0);
            } else {
                // Few different times, so that many machines are due at once.
                let at = if delay == 39 { Nanos::NEVER } else { Nanos(now + delay / 5 - 3) };
                few.set(MachineId(who), at);
                many.set(MachineId(who), at);
            }
            prop_assert_eq!(few.len(), many.len());
            prop_assert_eq!(few.is_quiet(Nanos(now)), many.is_quiet(Nanos(now)));
        }
    }

    /// Machines apart are taken where their entries would be, also at one instant, beside a list and beside a heap.
    #[test]
    fn machines_apart_keep_the_order(
        many: bool,
        apart in 1..FEW,
        ops in proptest::collection::vec((0..u32::narrow(FEW), 0u64..40), 1..300),
    ) {
        let (mut entries, mut mixed) = (EventQueue::new(), EventQueue::new());
        for i in 0..if many { 3 * FEW as u64 } else { FEW as u64 } {
            let phase = [Phase::Arrival, Phase::Timer][usize::from(i % 3 > 0)];
            entries.register(phase, i);
            mixed.register(phase, i);
        }
        let machines: Vec<(MachineId, u32)> =
            (0..u32::narrow(apart)).map(|i| (MachineId(i), i + 100)).collect();
        let places = mixed.keep_apart(&machines);
        prop_assert_eq!(places.len(), if apart > 8 { 0 } else { apart });
        let mut now = 0;
        for (who, delay) in ops {
            if delay < 15 {
                let until = Nanos(now + delay);
                let next = entries.pop(until);
                let first = mixed.pop_apart(until).map(|(at, of)| (at, MachineId(of - 100)));
                prop_assert_eq!(next, first.or_else(|| mixed.pop(until)));
                now = next.map_or(now, |(at, _)| at.0);
                if next.is_some() {
                    for other in 0..FEW {
                        let other = MachineId(u32::narrow(other));
                        prop_assert_eq!(entries.comes_before(other), mixed.comes_before(other));
                    }
                }
            } else {
                let at = if delay == 39 { Nanos::NEVER } else { Nanos(now + delay / 5 - 3) };
                entries.set(MachineId(who), at);
                match places.get(who as usize) {
                    Some(place) => mixed.set_apart(*place, at),
                    None => mixed.set(MachineId(who), at),
                }
            }
            prop_assert_eq!(entries.peek(), mixed.peek());
            let next = mixed.peek();
            prop_assert!(!mixed.is_quiet(Nanos(now)) || next.is_none_or(|at| at.0 > now));
        }
    }

    /// Compares the queue with a table of deadlines that is scanned for the minimum.
    #[test]
    fn same_as_a_table(
        machines in 1..3 * FEW,
        ops in proptest::collection::vec((0..u32::narrow(3 * FEW), 0u64..60), 1..400),
    ) {
        let mut q = EventQueue::new();
        let mut table = vec![u64::MAX; machines];
        for i in 0..machines as u64 {
            q.register(Phase::Timer, i);
        }
        let mut now = 0;
        for (who, delay) in ops {
            let who = who % u32::narrow(machines);
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
            // A machine without a deadline may keep its entry, so there may be more entries.
            let waiting = table.iter().filter(|at| **at != u64::MAX);
            prop_assert!(q.len() >= waiting.clone().count());
            prop_assert!(!q.is_quiet(Nanos(now)) || waiting.clone().all(|at| *at > now));
        }
    }
}

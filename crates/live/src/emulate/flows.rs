//! The flows between two ports, each with a number of its own in the model.
//!
//! The model's queues tell packets apart by the number of their flow, and the ACK filter drops an ACK that a newer one of
//! its flow replaces: two flows must never share a number. So the table is exact. When it is full, a new flow takes the
//! number of the one that was silent for longest, if none of its packets is on the way; else it has number 0, whose packets
//! are raw and which no filter touches.

use std::collections::{BTreeMap, BTreeSet};

use airtcp_units::Narrow;

use super::frame::Tuple;

/// Flows between two ports that have a number, one more than the last number.
pub const SLOTS: u32 = 4_096;

/// The table of two ports.
#[derive(Debug, Default)]
pub(super) struct Flows {
    numbers: BTreeMap<Tuple, u32>,
    /// By number less one.
    slots: Vec<Slot>,
    /// When each number was last used, and the number.
    order: BTreeSet<(u64, u32)>,
    uses: u64,
}

#[derive(Debug)]
struct Slot {
    tuple: Tuple,
    used: u64,
    under_way: u32,
}

impl Flows {
    /// The number of a flow, in which both directions are one; 0 if there is none for it.
    pub(super) fn number(&mut self, mut tuple: Tuple) -> u32 {
        tuple.ends.sort_unstable();
        self.uses += 1;
        let number = match self.numbers.get(&tuple) {
            Some(number) => *number,
            None => match self.free(tuple) {
                Some(number) => number,
                None => return 0,
            },
        };
        let slot = &mut self.slots[number as usize - 1];
        self.order.remove(&(slot.used, number));
        slot.used = self.uses;
        self.order.insert((slot.used, number));
        number
    }

    /// A number for a new flow.
    fn free(&mut self, tuple: Tuple) -> Option<u32> {
        let number = if self.slots.len() + 1 < SLOTS as usize {
            self.slots.push(Slot { tuple, used: self.uses, under_way: 0 });
            u32::narrow(self.slots.len())
        } else {
            let (_, oldest) = *self.order.first()?;
            let slot = &mut self.slots[oldest as usize - 1];
            if slot.under_way > 0 {
                return None;
            }
            self.numbers.remove(&slot.tuple);
            slot.tuple = tuple;
            oldest
        };
        self.numbers.insert(tuple, number);
        Some(number)
    }

    /// A packet of this flow is on the way.
    pub(super) fn enter(&mut self, number: u32) {
        if let Some(slot) = self.slot(number) {
            slot.under_way += 1;
        }
    }

    /// A packet of this flow is no longer on the way.
    pub(super) fn leave(&mut self, number: u32) {
        if let Some(slot) = self.slot(number) {
            slot.under_way = slot.under_way.saturating_sub(1);
        }
    }

    fn slot(&mut self, number: u32) -> Option<&mut Slot> {
        self.slots.get_mut((number as usize).checked_sub(1)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tuple(n: u32) -> Tuple {
        let [a, b, c, d] = n.to_be_bytes();
        let mut address = [0; 16];
        address[..4].copy_from_slice(&[a, b, c, d]);
        Tuple { protocol: 6, ends: [(address, 1), ([1; 16], 2)] }
    }

    #[test]
    fn numbers_are_never_shared() {
        let mut flows = Flows::default();
        for n in 1..SLOTS {
            assert_eq!(flows.number(tuple(n)), n);
        }
        let mut back = tuple(5);
        back.ends.reverse();
        assert_eq!(flows.number(back), 5, "both directions are one flow");
        flows.enter(1);
        assert_eq!(flows.number(tuple(SLOTS)), 0, "a packet of the oldest flow is on the way");
        flows.leave(1);
        assert_eq!(flows.number(tuple(SLOTS)), 1);
        assert_eq!(flows.number(tuple(1)), 2, "the next one that is silent");
        assert_eq!(flows.number(tuple(5)), 5);
    }
}

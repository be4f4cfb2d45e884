//! Packets in the order of their arrival, of which the first one for a receiver can leave before the others.
//!
//! The receivers are known only where the owner names them ([`LinkInfo::by_receiver`]). Elsewhere all packets have the
//! same one. A search goes on where the last one for the same receiver has ended, so that an aggregate looks at each
//! packet once.

use std::collections::VecDeque;

use crate::LinkInfo;

/// A list of packets, each with its receiver.
#[derive(Debug)]
pub(crate) struct Arrivals<T> {
    list: VecDeque<(T, u32)>,
    /// By endpoint, the receiver of its packets; empty if all have the same one.
    receivers: Vec<u32>,
    /// A receiver, and the number of packets at the front that are for others.
    sought: Option<(u32, usize)>,
}

impl<T> Default for Arrivals<T> {
    fn default() -> Self {
        Self { list: VecDeque::new(), receivers: Vec::new(), sought: None }
    }
}

impl<T> Arrivals<T> {
    /// Takes the receivers, if the owner names them.
    pub(crate) fn on_link(&mut self, link: &LinkInfo<'_>) {
        if link.by_receiver {
            self.receivers = (link.receivers)();
        }
    }

    /// Adds a packet; `endpoint` gives the one to which it goes.
    #[inline]
    pub(crate) fn push_back(&mut self, item: T, endpoint: impl FnOnce() -> usize) {
        let known = (!self.receivers.is_empty()).then(|| self.receivers.get(endpoint()).copied());
        self.list.push_back((item, known.map_or(0, |known| known.unwrap_or(u32::MAX))));
    }

    #[inline]
    pub(crate) fn pop_front(&mut self) -> Option<T> {
        let (item, _) = self.list.pop_front()?;
        self.shift(0);
        Some(item)
    }

    /// Place of the first packet for a receiver.
    pub(crate) fn find(&mut self, receiver: u32) -> Option<usize> {
        let from = self.sought.filter(|(known, _)| *known == receiver).map_or(0, |(_, from)| from);
        let found = self.list.range(from..).position(|(_, to)| *to == receiver);
        self.sought = Some((receiver, found.map_or(self.list.len(), |found| from + found)));
        found.map(|found| from + found)
    }

    /// Place of the last packet that meets a condition.
    pub(crate) fn rfind(&self, meets: impl Fn(&T) -> bool) -> Option<usize> {
        self.list.iter().rposition(|(item, _)| meets(item))
    }

    pub(crate) fn get(&self, place: usize) -> Option<&T> {
        self.list.get(place).map(|(item, _)| item)
    }

    pub(crate) fn remove(&mut self, place: usize) -> Option<T> {
        let (item, _) = self.list.remove(place)?;
        self.shift(place);
        Some(item)
    }

    /// Puts a packet for a receiver at a place.
    pub(crate) fn insert(&mut self, place: usize, item: T, receiver: u32) {
        self.list.insert(place, (item, receiver));
        self.sought = None;
    }

    /// Records that the packet at `place` has left.
    #[inline]
    fn shift(&mut self, place: usize) {
        if let Some((_, from)) = self.sought.as_mut().filter(|(_, from)| place < *from) {
            *from -= 1;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A search that goes on where the last one ended finds what a search from the front finds.
        #[test]
        fn searches_agree_with_a_plain_list(ops in proptest::collection::vec((0u8..5, 0u32..3), 0..200)) {
            let mut list = Arrivals { receivers: vec![0, 1, 2], ..Arrivals::default() };
            let mut plain: Vec<(usize, u32)> = Vec::new();
            for (number, (op, receiver)) in ops.into_iter().enumerate() {
                let place = plain.iter().position(|(_, to)| *to == receiver);
                match op {
                    0 | 1 => {
                        list.push_back(number, || receiver as usize);
                        plain.push((number, receiver));
                    }
                    2 => {
                        let first = (!plain.is_empty()).then(|| plain.remove(0).0);
                        prop_assert_eq!(list.pop_front(), first);
                    }
                    3 => {
                        prop_assert_eq!(list.find(receiver), place);
                        let taken = place.and_then(|place| list.remove(place));
                        prop_assert_eq!(taken, place.map(|place| plain.remove(place).0));
                    }
                    _ => {
                        prop_assert_eq!(list.find(receiver), place);
                        if let Some(place) = place {
                            list.insert(place, number, receiver);
                            plain.insert(place, (number, receiver));
                        }
                    }
                }
                prop_assert_eq!(list.list.len(), plain.len());
            }
        }
    }
}

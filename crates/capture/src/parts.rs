//! Which interfaces of a file are points of their own.
//!
//! A file of several interfaces (pcapng) can hold a packet once at each interface that the packet passed, as those of
//! a bridge or the two ports of an emulated link: these are several points of the path. Or its interfaces have different
//! packets, as the two taps of a full-duplex line, the members of a bond, or networks that are not joined: together
//! they are one point. What tells them apart is whether the packets of a connection stand at both. Interfaces
//! that no connection shares stay together.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use arrayvec::ArrayVec;

use crate::dissect::Segment;
use crate::identity::{Identity, pair};

/// Packets that are remembered, to be found at another interface.
const REMEMBERED: usize = 1 << 16;
/// Connections whose packets are compared.
const CONNECTIONS: usize = 1 << 12;
/// Interfaces at which a packet or a connection is looked for.
const PLACES: usize = 8;
/// Common packets that show that a connection passed two interfaces, and their least share.
const COMMON: u32 = 5;
const COMMON_SHARE: u32 = 4;
/// Most points of a file. The interfaces beyond are at the last one.
const MOST: u8 = 32;

/// The points of a file, each with some of its interfaces. The default is one point.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Parts {
    /// The point of each interface.
    of: Vec<u8>,
    /// The names of the interfaces of each point.
    names: Vec<Vec<String>>,
}

impl Parts {
    /// The point of an interface.
    #[inline]
    pub(crate) fn of(&self, interface: u32) -> usize {
        self.of.get(interface as usize).copied().unwrap_or(0).into()
    }

    /// The number of points.
    pub(crate) fn count(&self) -> usize {
        self.names.len().max(1)
    }

    /// The interfaces of a point, by their names; none if there is only one point.
    pub(crate) fn names(&self, point: usize) -> &[String] {
        self.names.get(point).map_or(&[], |names| names)
    }

    /// The interfaces of each point as a text; none if there is only one point.
    pub(crate) fn all_names(&self) -> Vec<String> {
        self.names.iter().map(|names| names.join("+")).collect()
    }
}

/// Packets of a connection by their interfaces.
#[derive(Debug, Default)]
struct Shared {
    seen: ArrayVec<(u32, u32), PLACES>,
    common: BTreeMap<(u32, u32), u32>,
}

impl Shared {
    fn see(&mut self, interface: u32) {
        match self.seen.iter_mut().find(|(known, _)| *known == interface) {
            Some((_, count)) => *count += 1,
            None => {
                let _ = self.seen.try_push((interface, 1));
            }
        }
    }

    /// The pairs of interfaces that the connection passed.
    fn pairs(&self) -> impl Iterator<Item = (u32, u32)> {
        let count = |interface: u32| {
            self.seen.iter().find(|(known, _)| *known == interface).map_or(0, |(_, count)| *count)
        };
        let is_passed = move |((a, b), common): (&(u32, u32), &u32)| {
            let fewer = count(*a).min(count(*b));
            (*common >= COMMON && common.saturating_mul(COMMON_SHARE) >= fewer).then_some((*a, *b))
        };
        self.common.iter().filter_map(is_passed)
    }
}

/// What the packets of a file show of its interfaces.
#[derive(Debug, Default)]
pub(crate) struct Overlap {
    /// The interface of the packet before.
    before: Option<u32>,
    /// All interfaces.
    seen: BTreeSet<u32>,
    recent: BTreeMap<(u64, u16), ArrayVec<u32, PLACES>>,
    order: VecDeque<(u64, u16)>,
    connections: BTreeMap<u64, Shared>,
}

impl Overlap {
    /// Takes a segment and the number of its interface. Those in frames of 802.11 do not count: several radios are one
    /// capture of the air.
    #[inline]
    pub(crate) fn take(&mut self, interface: u32, segment: &Segment) {
        if segment.of_air {
            return;
        }
        if self.before != Some(interface) {
            self.before = Some(interface);
            self.seen.insert(interface);
        }
        if self.seen.len() > 1 {
            self.compare(interface, segment);
        }
    }

    #[inline(never)]
    fn compare(&mut self, interface: u32, segment: &Segment) {
        let identity = Identity::of(segment);
        // The same in both directions.
        let connection = identity.pair ^ pair(segment.to, segment.from);
        if self.connections.len() >= CONNECTIONS && !self.connections.contains_key(&connection) {
            return;
        }
        let shared = self.connections.entry(connection).or_default();
        shared.see(interface);
        let key = (identity.key, identity.ip_id);
        let places = self.recent.entry(key).or_default();
        if places.is_empty() {
            self.order.push_back(key);
        }
        if places.contains(&interface) {
            return;
        }
        for other in &*places {
            let both = (interface.min(*other), interface.max(*other));
            *shared.common.entry(both).or_default() += 1;
        }
        let _ = places.try_push(interface);
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.recent.remove(&oldest);
        }
    }

    /// The points: each interface is at the first one none of whose interfaces shares a connection with it. `names`
    /// has the names of the interfaces.
    pub(crate) fn parts(&self, names: &[String]) -> Parts {
        let passed: BTreeSet<(u32, u32)> =
            self.connections.values().flat_map(Shared::pairs).collect();
        let Some(last) = passed.iter().map(|(_, b)| *b).max() else { return Parts::default() };
        let mut of: Vec<u8> = Vec::new();
        for interface in 0..=last {
            let taken: BTreeSet<u8> = passed
                .iter()
                .filter(|(_, b)| *b == interface)
                .filter_map(|(a, _)| of.get(*a as usize).copied())
                .collect();
            let free = (0..MOST).find(|part| !taken.contains(part));
            of.push(free.unwrap_or(MOST - 1));
        }
        let count = of.iter().max().map_or(1, |last| usize::from(*last) + 1);
        let mut parts = Parts { of, names: vec![Vec::new(); count] };
        for interface in &self.seen {
            let name = names.get(*interface as usize).cloned().unwrap_or_default();
            let point = parts.of(*interface);
            parts.names[point].push(name);
        }
        parts
    }
}

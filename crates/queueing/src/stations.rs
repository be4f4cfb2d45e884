//! Queues by station: which station a packet goes to, whose turn it is, and which queue is the longest.
//!
//! A station is a receiver of the owner's packets. Packets to endpoints without a known station share one.

use std::collections::{BTreeMap, VecDeque};

use airtcp_probe::{PoolCx, Probe};
use airtcp_units::{Nanos, Narrow};

use crate::fifo::Ledger;
use crate::flows::FlowQueues;

/// Number of the station that receivers without a number share.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// Something of each station.
#[derive(Debug)]
pub(crate) struct Stations<T> {
    /// By endpoint, the number of its station.
    receivers: Vec<u32>,
    /// By number of a station, its place in `list`.
    places: BTreeMap<u32, u32>,
    list: Vec<T>,
    /// By place, the number of the station.
    numbers: Vec<u32>,
}

impl<T> Default for Stations<T> {
    fn default() -> Self {
        Self {
            receivers: Vec::new(),
            places: BTreeMap::new(),
            list: Vec::new(),
            numbers: Vec::new(),
        }
    }
}

impl<T> Stations<T> {
    /// Takes the numbers of the stations, by endpoint.
    pub(crate) fn set_receivers(&mut self, receivers: Vec<u32>) {
        self.receivers = receivers;
    }

    /// Place of the station of an endpoint; `new` makes what a station begins with.
    pub(crate) fn of(&mut self, endpoint: usize, new: impl FnOnce() -> T) -> usize {
        let number = self.receivers.get(endpoint).copied().unwrap_or(UNKNOWN);
        let next = self.list.len();
        let place = *self.places.entry(number).or_insert(u32::narrow(next)) as usize;
        if place == next {
            self.list.push(new());
            self.numbers.push(number);
        }
        place
    }

    /// Place of a station to which a packet went already.
    pub(crate) fn place(&self, receiver: u32) -> Option<usize> {
        self.places.get(&receiver).map(|place| *place as usize)
    }

    /// Number of the station at a place.
    pub(crate) fn number(&self, place: usize) -> u32 {
        self.numbers[place]
    }

    /// What the station at a place has.
    pub(crate) fn at(&mut self, place: usize) -> &mut T {
        &mut self.list[place]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.list.iter()
    }

    /// Numbers of the stations that meet a condition.
    pub(crate) fn numbers(&self, meets: impl Fn(&T) -> bool) -> Vec<u32> {
        let met = self.places.iter().filter(|(_, place)| meets(&self.list[**place as usize]));
        met.map(|(receiver, _)| *receiver).collect()
    }
}

impl Stations<FlowQueues> {
    /// Makes room for a packet of `len` bytes of flow `own` of `station`: the longest flow of all stations loses
    /// half of its bytes. Returns false if the packet itself must be dropped.
    pub(crate) fn make_room<P: Probe>(
        &mut self,
        now: Nanos,
        (station, own): (usize, usize),
        len: u32,
        ledger: &mut Ledger,
        cx: &mut PoolCx<'_, P>,
    ) -> bool {
        let longest = self.list.iter().enumerate().filter_map(|(i, flows)| {
            let (bytes, flow) = flows.longest((i == station).then_some((own, len)))?;
            Some((bytes, usize::MAX - i, flow))
        });
        let Some((bytes, from_last, flow)) = longest.max() else { return true };
        let place = usize::MAX - from_last;
        let shortened = self.list[place].shorten(now, flow, bytes, ledger, cx);
        shortened || (place, flow) != (station, own)
    }
}

/// Round robin: a station joins the end, and its turn is over when it has been served once.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    list: VecDeque<u32>,
    /// By place, true if the station is in the list.
    listed: Vec<bool>,
}

impl Turns {
    /// Puts a station at the end, unless it waits already.
    pub(crate) fn join(&mut self, place: usize) {
        if place >= self.listed.len() {
            self.listed.resize(place + 1, false);
        }
        if !std::mem::replace(&mut self.listed[place], true) {
            self.list.push_back(u32::narrow(place));
        }
    }

    /// Takes the station whose turn it is.
    pub(crate) fn next(&mut self) -> Option<usize> {
        let place = self.list.pop_front()? as usize;
        self.listed[place] = false;
        Some(place)
    }
}

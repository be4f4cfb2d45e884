//! What happens to the records of real packets, as the probe hears it.
//!
//! The driver says which packet enters next. Its key goes with the record from place to place in the pool, also to a copy
//! that a link makes, and every end is kept in order until the driver takes it.

use std::collections::VecDeque;

use airtcp_packet::{Ecn, EndpointId, PacketId};
use airtcp_probe::{DropReason, Event, EventSource, Probe};
use airtcp_units::Nanos;

/// What happened to a real packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Left { to: EndpointId, ecn: Ecn },
    Dropped { source: EventSource, part: u32, reason: DropReason },
    Copied,
}

/// An end of a real packet, or of its copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) key: u32,
    pub(super) at: Nanos,
    pub(super) what: What,
}

/// The probe of an emulation.
#[derive(Debug, Default)]
pub struct Tracker {
    entering: Option<u32>,
    /// By place in the pool, the key of the real packet there.
    keys: Vec<Option<u32>>,
    outcomes: VecDeque<Outcome>,
}

impl Tracker {
    /// The next packet that enters has this key.
    pub(super) const fn expect(&mut self, key: u32) {
        self.entering = Some(key);
    }

    pub(super) fn take(&mut self) -> Option<Outcome> {
        self.outcomes.pop_front()
    }

    fn key(&self, packet: PacketId) -> Option<u32> {
        self.keys.get(packet.index() as usize).copied().flatten()
    }

    fn set(&mut self, packet: PacketId, key: Option<u32>) {
        let place = packet.index() as usize;
        if self.keys.len() <= place {
            self.keys.resize(place + 1, None);
        }
        self.keys[place] = key;
    }

    fn end(&mut self, at: Nanos, packet: PacketId, what: What) {
        if let Some(key) = self.key(packet) {
            self.set(packet, None);
            self.outcomes.push_back(Outcome { key, at, what });
        }
    }
}

impl Probe for Tracker {
    const ON: bool = true;

    fn record(&mut self, now: Nanos, source: EventSource, event: &Event) {
        match *event {
            Event::Entered { packet } => {
                let key = self.entering.take();
                self.set(packet, key);
            }
            Event::Left { packet, segment } => {
                if let EventSource::Endpoint(to) = source {
                    self.end(now, packet, What::Left { to, ecn: segment.ecn });
                }
            }
            Event::Dropped { packet, reason, part } => {
                self.end(now, packet, What::Dropped { source, part, reason });
            }
            Event::Copied { packet, of } => {
                if let Some(key) = self.key(of) {
                    self.set(packet, Some(key));
                    self.outcomes.push_back(Outcome { key, at: now, what: What::Copied });
                }
            }
            _ => {}
        }
    }
}

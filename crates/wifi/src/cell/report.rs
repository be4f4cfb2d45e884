//! What each station did on the air, in counts.

use airtcp_units::{Nanos, Span};

use super::fate::Loss;
use crate::mac::{Category, Class, Ended, Finished, Frame, Kind, NodeId};
use crate::phy::Mode;

const CLASSES: usize = Class::ALL.len();
const CATEGORIES: usize = Category::ALL.len();

/// What became of the data frames that a station sent at one rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ModeCounts {
    /// Frames sent.
    pub sent: u64,
    /// Of these, not decoded by the station they were for.
    pub lost: u64,
}

/// What became of the packets of one access category of a station (under DCF all are of the first).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CategoryCounts {
    /// Data frames sent.
    pub sent: u64,
    /// Of these, not decoded by the station they were for.
    pub lost: u64,
    /// Time that they and the RTS before them took on the air, in ns.
    pub airtime_ns: u64,
    /// Packets whose frame was acknowledged.
    pub acknowledged: u64,
    /// Packets given up after the last attempt, whether the other end has them or not.
    pub given_up: u64,
    /// Packets whose attempts have ended and that the other end does not have: all but a few of those
    /// given up. (A few of those acknowledged were taken for a repetition of an earlier packet.)
    pub dropped: u64,
    /// Packets that became too old, whether the other end has them or not.
    pub expired: u64,
    /// Of these, the ones the other end does not have.
    pub expired_lost: u64,
    /// Data frames sent for packets that were acknowledged.
    pub attempts: u64,
    /// Sum of the times from reaching the head of the queue to the end of the exchange, in ns.
    pub service_ns: u64,
    /// Sum over the acknowledged packets of the times from the beginning of the first attempt to the
    /// end of the acknowledgement, in ns.
    pub latency_ns: u64,
}

/// What became of the frames of one class that a station sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClassCounts {
    /// Frames sent, counted when they end.
    pub sent: u64,
    /// Time they took on the air, in ns.
    pub airtime_ns: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Decoded by the station they were for.
    pub decoded: u64,
    /// Lost because that station was sending.
    pub transmitter_side: u64,
    /// Lost to an overlap at that station, by the class of the strongest frame beside it.
    pub collided: [u64; CLASSES],
    /// Lost because that station went over to a stronger frame.
    pub captured: u64,
    /// Lost to an interferer.
    pub interferer: u64,
    /// Lost with no other frame involved.
    pub noise: u64,
}

/// What a station did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StationStats {
    /// By class, in the order of [`Class::ALL`].
    pub classes: [ClassCounts; CLASSES],
    /// Packets whose frame was acknowledged.
    pub acknowledged: u64,
    /// Packets given up after the last attempt, whether the other end has them or not.
    pub given_up: u64,
    /// Packets whose attempts have ended and that the other end does not have: all but a few of those
    /// given up. (A few of those acknowledged were taken for a repetition of an earlier packet.)
    pub dropped: u64,
    /// Packets dropped because the station they were for is not associated.
    pub refused: u64,
    /// Sum of the times from reaching the head of the queue to the end of the exchange, in ns.
    pub service_ns: u64,
    /// The longest of these times, in ns.
    pub service_max_ns: u64,
    /// Data frames sent for packets that were acknowledged.
    pub attempts: u64,
    /// The same by access category, lowest priority first.
    pub categories: [CategoryCounts; CATEGORIES],
    /// Data frames by rate, in the order of [`Mode::index`].
    pub modes: [ModeCounts; Mode::COUNT],
}

impl StationStats {
    /// Counts of a class.
    pub const fn class(&self, class: Class) -> &ClassCounts {
        &self.classes[class as usize]
    }

    /// Counts of all categories together.
    pub fn all(&self) -> CategoryCounts {
        let sum = |of: fn(&CategoryCounts) -> u64| self.categories.iter().map(of).sum();
        CategoryCounts {
            sent: sum(|c| c.sent),
            lost: sum(|c| c.lost),
            airtime_ns: sum(|c| c.airtime_ns),
            acknowledged: self.acknowledged,
            given_up: self.given_up,
            dropped: self.dropped,
            expired: sum(|c| c.expired),
            expired_lost: sum(|c| c.expired_lost),
            attempts: self.attempts,
            service_ns: self.service_ns,
            latency_ns: sum(|c| c.latency_ns),
        }
    }

    /// A frame was on the air for `time`.
    pub(crate) fn on_air(&mut self, frame: &Frame, time: Span) {
        self.classes[frame.class as usize].airtime_ns += time.0;
        if matches!(frame.kind, Kind::Data | Kind::Rts)
            // Management frames have a category of their own, after these.
            && let Some(category) = self.categories.get_mut(usize::from(frame.category))
        {
            category.airtime_ns += time.0;
        }
    }

    pub(crate) fn on_sent(&mut self, frame: &Frame, length: Span) {
        self.on_air(frame, length);
        let class = &mut self.classes[frame.class as usize];
        class.sent += 1;
        class.bytes += u64::from(frame.bytes);
        if frame.kind == Kind::Data {
            self.categories[usize::from(frame.category)].sent += 1;
            self.modes[frame.mode.index()].sent += 1;
        }
    }

    pub(crate) const fn on_decoded(&mut self, frame: &Frame) {
        self.classes[frame.class as usize].decoded += 1;
    }

    pub(crate) fn on_lost(&mut self, frame: &Frame, loss: Loss) {
        let class = &mut self.classes[frame.class as usize];
        match loss {
            Loss::TransmitterSide => class.transmitter_side += 1,
            Loss::Collision(other) => class.collided[other as usize] += 1,
            Loss::Captured(_) => class.captured += 1,
            Loss::Interferer => class.interferer += 1,
            Loss::Noise => class.noise += 1,
        }
        if frame.kind == Kind::Data {
            self.categories[usize::from(frame.category)].lost += 1;
            self.modes[frame.mode.index()].lost += 1;
        }
    }

    pub(crate) fn on_finished(&mut self, done: &Finished, now: Nanos) {
        let category = &mut self.categories[usize::from(done.category)];
        if done.ending == Ended::Expired {
            category.expired += 1;
            return;
        }
        let service = now.since(done.mpdu.since).0;
        self.service_ns += service;
        self.service_max_ns = self.service_max_ns.max(service);
        category.service_ns += service;
        if done.ending == Ended::Acknowledged {
            let attempts = u64::from(done.mpdu.sent);
            self.acknowledged += 1;
            category.acknowledged += 1;
            self.attempts += attempts;
            category.attempts += attempts;
            category.latency_ns += now.since(done.mpdu.begun).0;
        } else {
            self.given_up += 1;
            category.given_up += 1;
        }
    }

    /// A packet whose attempts have ended and that the other end does not have.
    pub(crate) fn on_dropped(&mut self, category: u8) {
        self.dropped += 1;
        self.categories[usize::from(category)].dropped += 1;
    }

    /// A packet too old that never came to the head of its category.
    pub(crate) const fn on_expired(&mut self, category: usize) {
        self.categories[category].expired += 1;
        self.categories[category].expired_lost += 1;
    }

    /// A packet too old at the head that the other end does not have.
    pub(crate) fn on_expired_lost(&mut self, category: u8) {
        self.categories[usize::from(category)].expired_lost += 1;
    }
}

/// What flows have on the air. A frame belongs to the flow of the packet that its exchange is about:
/// the one at the head of the category of the station whose exchange it is.
#[derive(Debug)]
pub(crate) struct FlowShares {
    /// By station and category, the flow of the packet at the head, or of the last one there.
    heads: Vec<[u32; CATEGORIES]>,
    bits: Vec<u64>,
}

impl FlowShares {
    pub(crate) fn new(stations: usize) -> Self {
        // No flow until a packet comes: what management puts on the air belongs to none.
        Self { heads: vec![[u32::MAX; CATEGORIES]; stations], bits: Vec::new() }
    }

    /// A packet comes to the head of a category.
    pub(crate) fn on_head(&mut self, station: NodeId, category: usize, flow: u32) {
        self.heads[station.index()][category] = flow;
        if self.bits.len() <= flow as usize {
            self.bits.resize(flow as usize + 1, 0);
        }
    }

    /// The flow that a frame which begins belongs to, if it is any's.
    pub(crate) fn owner(&self, frame: &Frame) -> Option<u32> {
        let owner = match frame.kind {
            Kind::Data | Kind::Rts => frame.from,
            Kind::Ack | Kind::Cts => frame.to,
            Kind::Beacon | Kind::Management => return None,
        };
        // RTS and answers of management are nobody's.
        let head = |h: &[u32; CATEGORIES]| h.get(usize::from(frame.category)).copied();
        self.heads.get(owner.index()).and_then(head)
    }

    /// A frame of a flow has been sent.
    pub(crate) fn on_sent(&mut self, flow: Option<u32>, bits: u64) {
        if let Some(count) = flow.and_then(|flow| self.bits.get_mut(flow as usize)) {
            *count += bits;
        }
    }

    /// Bits sent on behalf of a flow.
    pub(crate) fn bits(&self, flow: u32) -> u64 {
        self.bits.get(flow as usize).copied().unwrap_or_default()
    }
}

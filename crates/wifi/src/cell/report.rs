//! Counters of each station on the air.

use airtcp_units::{Nanos, Span};

use super::fate::Loss;
use crate::mac::{CATEGORIES, Class, Completion, Finished, Frame, Kind, Rider};
use crate::node::NodeId;
use crate::phy::PerMode;

const CLASSES: usize = Class::ALL.len();

/// Outcomes of the data frames that a station sent at one rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ModeCounts {
    /// Frames sent.
    pub sent: u64,
    /// Data frames not decoded by their receiver.
    pub lost: u64,
}

/// Outcomes of the packets of one access category of a station (under DCF, of category 0).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CategoryCounts {
    /// Data frames sent.
    pub sent: u64,
    /// Data frames not decoded by their receiver.
    pub lost: u64,
    /// Airtime of these frames and their RTS, in ns.
    pub airtime_ns: u64,
    /// Packets whose frame was acknowledged.
    pub acknowledged: u64,
    /// Packets dropped by the sender at the retry limit, whether or not the receiver got them.
    pub given_up: u64,
    /// Packets lost after their last attempt: the receiver did not get them. (Includes a few
    /// acknowledged packets that the receiver mistook for duplicates.)
    pub dropped: u64,
    /// Those of them that the receiver decoded and discarded, because it had stopped waiting for them.
    pub outdated: u64,
    /// Packets whose lifetime expired, whether or not the receiver got them.
    pub expired: u64,
    /// Expired packets that the receiver did not get.
    pub expired_lost: u64,
    /// Data frames sent for acknowledged packets.
    pub attempts: u64,
    /// Aggregates (A-MPDUs with two or more MPDUs) sent. Each of their MPDUs counts as a data frame.
    pub aggregates: u64,
    /// MPDUs of these aggregates.
    pub aggregated: u64,
    /// Sum of the service times, from the head of the queue to the end of the exchange, in ns.
    pub service_ns: u64,
    /// Sum over acknowledged packets of the time from the start of the first attempt to the end of
    /// the acknowledgement, in ns.
    pub latency_ns: u64,
}

/// Outcomes of the frames of one class that a station sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClassCounts {
    /// Frames sent, counted when they end.
    pub sent: u64,
    /// Airtime, in ns.
    pub airtime_ns: u64,
    /// Bytes of these frames.
    pub bytes: u64,
    /// Frames decoded by their receiver.
    pub decoded: u64,
    /// Frames lost because the receiver was transmitting.
    pub transmitter_side: u64,
    /// Frames lost to an overlap at the receiver, by the class of the strongest overlapping frame.
    pub collided: [u64; CLASSES],
    /// Frames lost because the receiver switched to a stronger frame.
    pub captured: u64,
    /// Frames lost to an interferer.
    pub interferer: u64,
    /// Frames lost without an overlap or interferer.
    pub noise: u64,
}

/// Counters of a station.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StationStats {
    /// By class, in the order of [`Class::ALL`].
    pub classes: [ClassCounts; CLASSES],
    /// Packets whose frame was acknowledged.
    pub acknowledged: u64,
    /// Packets dropped by the sender at the retry limit, whether or not the receiver got them.
    pub given_up: u64,
    /// Packets lost after their last attempt: the receiver did not get them. (Includes a few
    /// acknowledged packets that the receiver mistook for duplicates.)
    pub dropped: u64,
    /// Packets dropped because their receiver was not associated.
    pub refused: u64,
    /// Sum of the service times, from the head of the queue to the end of the exchange, in ns.
    pub service_ns: u64,
    /// Maximum service time, in ns.
    pub service_max_ns: u64,
    /// Data frames sent for acknowledged packets.
    pub attempts: u64,
    /// Counters by access category, lowest priority first.
    pub categories: [CategoryCounts; CATEGORIES],
    /// Data frames by rate.
    pub modes: PerMode<ModeCounts>,
    /// Multi-user PPDUs with data.
    pub mu_frames: u64,
    /// Airtime of data frames for it, in ns: all attempts, and of an HE MU PPDU an equal part for each of its stations.
    pub received_airtime_ns: u64,
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
            outdated: sum(|c| c.outdated),
            expired: sum(|c| c.expired),
            expired_lost: sum(|c| c.expired_lost),
            attempts: self.attempts,
            aggregates: sum(|c| c.aggregates),
            aggregated: sum(|c| c.aggregated),
            service_ns: self.service_ns,
            latency_ns: sum(|c| c.latency_ns),
        }
    }

    /// Replaces each time, in ns.
    pub(super) fn map_times(&mut self, map: impl Fn(u64) -> u64) {
        let in_all = self.classes.iter_mut().map(|class| &mut class.airtime_ns);
        let by_category = self.categories.iter_mut();
        let by_category =
            by_category.flat_map(|c| [&mut c.airtime_ns, &mut c.service_ns, &mut c.latency_ns]);
        let own = [&mut self.service_ns, &mut self.service_max_ns, &mut self.received_airtime_ns];
        in_all.chain(by_category).chain(own).for_each(|ns| *ns = map(*ns));
    }

    /// Counts a frame with an airtime of `time`.
    #[inline]
    pub(crate) fn on_air(&mut self, frame: &Frame, time: Span) {
        let time = frame.own_time(time);
        self.classes[frame.class as usize].airtime_ns += time.0;
        if matches!(
            frame.kind,
            Kind::Data | Kind::Rts | Kind::BlockAckReq | Kind::MultiUser | Kind::Trigger
        )
            // Management frames have a category of their own, after these.
            && let Some(category) = self.categories.get_mut(usize::from(frame.category))
        {
            category.airtime_ns += time.0;
        }
    }

    #[inline]
    pub(crate) fn on_sent(&mut self, frame: &Frame, length: Span) {
        self.on_air(frame, length);
        if frame.multi_user.is_some() && frame.is_judged_by_mpdu() {
            // The MPDUs count each by itself.
            return;
        }
        if frame.subframes > 1 {
            let category = &mut self.categories[usize::from(frame.category)];
            category.aggregates += 1;
            category.aggregated += u64::from(frame.subframes);
            return;
        }
        let class = &mut self.classes[frame.class as usize];
        class.sent += 1;
        class.bytes += u64::from(frame.mpdu_bytes());
        if frame.kind == Kind::Data {
            self.categories[usize::from(frame.category)].sent += 1;
            self.modes.get_mut(frame.mode).sent += 1;
        }
    }

    /// Counts the A-MPDU of `mpdus` MPDUs that a multi-user PPDU carries for one station.
    pub(crate) fn on_user(&mut self, frame: &Frame, mpdus: usize) {
        if mpdus > 1 {
            let category = &mut self.categories[usize::from(frame.category)];
            category.aggregates += 1;
            category.aggregated += mpdus as u64;
        }
    }

    /// Counts `count` MPDUs of `bytes` each that were sent in an aggregate, and why they were lost, if they were.
    pub(crate) fn on_subframes(
        &mut self,
        frame: &Frame,
        (own, bytes): (Class, u32),
        loss: Option<Loss>,
        count: u64,
    ) {
        let kind = if own == Class::BlockAckReq { Kind::BlockAckReq } else { Kind::Data };
        let class = &mut self.classes[own as usize];
        class.sent += count;
        class.bytes += u64::from(bytes) * count;
        if kind == Kind::Data {
            self.categories[usize::from(frame.category)].sent += count;
            self.modes.get_mut(frame.mode).sent += count;
        }
        match loss {
            None => self.classes[own as usize].decoded += count,
            Some(loss) => self.on_all_lost(&Frame { kind, class: own, ..*frame }, loss, count),
        }
    }

    #[inline]
    pub(crate) const fn on_decoded(&mut self, frame: &Frame) {
        self.classes[frame.class as usize].decoded += 1;
    }

    pub(crate) fn on_lost(&mut self, frame: &Frame, loss: Loss) {
        self.on_all_lost(frame, loss, 1);
    }

    /// Counts `count` frames that were lost for one reason.
    fn on_all_lost(&mut self, frame: &Frame, loss: Loss, count: u64) {
        let class = &mut self.classes[frame.class as usize];
        match loss {
            Loss::TransmitterSide => class.transmitter_side += count,
            Loss::Collision(other) => class.collided[other as usize] += count,
            Loss::Captured(_) => class.captured += count,
            Loss::Interferer => class.interferer += count,
            Loss::Noise => class.noise += count,
        }
        if frame.kind == Kind::Data {
            self.categories[usize::from(frame.category)].lost += count;
            self.modes.get_mut(frame.mode).lost += count;
        }
    }

    #[inline]
    pub(crate) fn on_finished(&mut self, done: &Finished, now: Nanos) {
        let category = &mut self.categories[usize::from(done.category)];
        if done.completion == Completion::Expired {
            category.expired += 1;
            return;
        }
        let service = now.since(done.mpdu.head_since).0;
        self.service_ns += service;
        self.service_max_ns = self.service_max_ns.max(service);
        category.service_ns += service;
        if done.completion == Completion::Acknowledged {
            let attempts = u64::from(done.mpdu.all_transmissions);
            self.acknowledged += 1;
            category.acknowledged += 1;
            self.attempts += attempts;
            category.attempts += attempts;
            category.latency_ns += now.since(done.mpdu.first_attempt).0;
        } else {
            self.given_up += 1;
            category.given_up += 1;
        }
    }

    /// Counts a packet lost after its last attempt.
    pub(crate) fn on_dropped(&mut self, category: u8) {
        self.dropped += 1;
        self.categories[usize::from(category)].dropped += 1;
    }

    /// Counts a packet that the receiver discarded as an old one.
    pub(crate) fn on_outdated(&mut self, category: u8) {
        self.on_dropped(category);
        self.categories[usize::from(category)].outdated += 1;
    }

    /// Counts a packet that expired before it reached the head of its category.
    pub(crate) const fn on_expired(&mut self, category: usize) {
        self.categories[category].expired += 1;
        self.categories[category].expired_lost += 1;
    }

    /// Counts a packet that expired at the head and that the receiver did not get.
    pub(crate) fn on_expired_lost(&mut self, category: u8) {
        self.categories[usize::from(category)].expired_lost += 1;
    }
}

/// Bits on the air by flow. A frame belongs to the flow of its exchange's packet: the packet at the
/// head of the category of the station that started the exchange.
#[derive(Debug)]
pub(crate) struct FlowShares {
    /// By station and category, the flow of the packet at the head, or of the last one there.
    heads: Vec<[u32; CATEGORIES]>,
    bits: Vec<u64>,
}

impl FlowShares {
    pub(crate) fn new(stations: usize) -> Self {
        // No flow before the first packet; management frames belong to no flow.
        Self { heads: vec![[u32::MAX; CATEGORIES]; stations], bits: Vec::new() }
    }

    /// Records the flow of a packet that comes to the head of a category.
    #[inline]
    pub(crate) fn on_head(&mut self, station: NodeId, category: usize, flow: u32) {
        self.heads[station.index()][category] = flow;
        if self.bits.len() <= flow as usize {
            self.bits.resize(flow as usize + 1, 0);
        }
    }

    /// Records the flow of a packet that joins an aggregate.
    #[inline]
    pub(crate) fn on_join(&mut self, flow: u32) {
        if self.bits.len() <= flow as usize {
            self.bits.resize(flow as usize + 1, 0);
        }
    }

    /// The flow of a frame, if any.
    #[inline]
    pub(crate) fn owner(&self, frame: &Frame) -> Option<u32> {
        let owner = match frame.kind {
            Kind::Data | Kind::Rts | Kind::BlockAckReq | Kind::MultiUser => frame.from,
            Kind::Ack | Kind::Cts | Kind::BlockAck => frame.to,
            Kind::Beacon | Kind::Management | Kind::Trigger | Kind::MultiBlockAck => return None,
        };
        // RTS and answers of management exchanges belong to no flow.
        let head = |h: &[u32; CATEGORIES]| h.get(usize::from(frame.category)).copied();
        self.heads.get(owner.index()).and_then(head)
    }

    /// Counts the bits of the packets of an MPDU behind the first one. Returns their sum.
    pub(crate) fn on_riders(&mut self, riders: &[Rider]) -> u64 {
        let bits = |rider: &Rider| 8 * u64::from(rider.bytes);
        for rider in riders {
            self.on_sent(Some(rider.flow), bits(rider));
        }
        riders.iter().map(bits).sum()
    }

    /// Counts the bits of a transmitted frame.
    #[inline]
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

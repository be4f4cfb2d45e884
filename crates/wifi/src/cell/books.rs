//! What is counted on a medium: frames and packets of each station, bits of each flow, times on the air.

use airtcp_packet::{PacketId, Pool};
use airtcp_units::{Delays, Nanos, Span};

use super::airtime::{AirtimeLedger, ExchangeAirtime};
use super::clock::Clock;
use super::completions::Completions;
use super::fate::Loss;
use super::given_up::{GivenUp, GivenUpLog};
use super::report::{FlowShares, StationStats};
use crate::mac::{CATEGORIES, Class, Completion, Finished, Frame, Kind, Mpdu, Rider};
use crate::node::NodeId;

/// The counters of a medium.
#[derive(Debug)]
pub(super) struct Books {
    stats: Vec<StationStats>,
    /// Service times of each station, by category.
    service_times: Vec<[Delays; CATEGORIES]>,
    shares: FlowShares,
    /// Airtime of exchanges, if a queue asks for it.
    airtime: Option<Box<AirtimeLedger>>,
    /// Packets that stations gave up, if a sender asked for notices.
    given_up: Option<Box<GivenUpLog>>,
    completions: Completions,
}

/// MPDUs of an A-MPDU in a row that are alike.
#[derive(Clone, Copy)]
struct Row {
    class: Class,
    bytes: u32,
    flow: u32,
    lost: bool,
    mpdus: u64,
    /// Bits of the packets behind the first one of each.
    others: u64,
}

impl Row {
    /// True if another MPDU is like them.
    #[inline]
    fn is_like(&self, mpdu: &Mpdu, lost: bool) -> bool {
        (self.class, self.bytes, self.flow, self.lost) == (mpdu.class, mpdu.bytes, mpdu.flow, lost)
    }
}

/// Packets: from the head of a category to the end of their exchange.
impl Books {
    pub(super) fn new(stations: usize) -> Self {
        Self {
            stats: vec![StationStats::default(); stations],
            service_times: vec![Default::default(); stations],
            shares: FlowShares::new(stations),
            airtime: None,
            given_up: None,
            completions: Completions::default(),
        }
    }

    /// Counts the airtime of exchanges from now on.
    pub(super) fn measure_airtime(&mut self) {
        self.airtime = Some(Box::new(AirtimeLedger::new(self.stats.len())));
    }

    /// Records the data packets that stations give up, of the endpoints in `senders`, from now on.
    pub(super) fn record_given_up(&mut self, senders: Vec<bool>) {
        self.given_up = Some(Box::new(GivenUpLog::new(senders, self.stats.len())));
    }

    /// A packet of a flow comes to the head of a category.
    #[inline]
    pub(super) fn on_head(&mut self, station: NodeId, category: usize, flow: u32) {
        self.shares.on_head(station, category, flow);
    }

    /// A packet of a flow joins an aggregate.
    #[inline]
    pub(super) fn on_join(&mut self, flow: u32) {
        self.shares.on_join(flow);
    }

    /// A packet at the head or in an aggregate has a sequence number; `place` is its category, receiver and
    /// number.
    #[inline]
    pub(super) fn on_numbered(
        &mut self,
        station: NodeId,
        place: (usize, NodeId, u16),
        packet: PacketId,
        pool: &mut Pool,
    ) {
        if let Some(log) = &mut self.given_up {
            log.on_head(station, place, pool.get(packet));
        }
        self.completions.on_head(station, place, packet, pool);
    }

    /// A station drops a packet whose receiver is not associated with it.
    pub(super) fn on_refused(&mut self, station: NodeId) {
        self.stats[station.index()].refused += 1;
    }

    /// A packet expired before it reached the head of its category.
    pub(super) fn on_expired(&mut self, station: NodeId, category: usize) {
        self.stats[station.index()].on_expired(category);
    }

    /// A receiver discards a packet of a station as an old one.
    pub(super) fn on_outdated(&mut self, sender: NodeId, category: u8) {
        self.stats[sender.index()].on_outdated(category);
    }

    /// A station has finished a packet.
    #[inline]
    pub(super) fn on_finished(
        &mut self,
        now: Nanos,
        station: NodeId,
        done: &Finished,
        clock: Clock,
        pool: &mut Pool,
    ) {
        let i = station.index();
        self.stats[i].on_finished(done, now);
        if done.completion != Completion::Expired {
            let service = clock.span(now.since(done.mpdu.head_since));
            self.service_times[i][usize::from(done.category)].add(service);
        }
        if let Some(airtime) = &mut self.airtime {
            airtime.on_finished(station, done);
        }
        if let Some(log) = &mut self.given_up {
            log.on_finished(station, done);
        }
        self.completions.on_finished(station, done, pool);
    }

    /// What an exchange of a station leaves waits for another turn of its receiver.
    pub(super) fn on_parked(&mut self, station: NodeId, category: usize, to: NodeId) {
        if let Some(airtime) = &mut self.airtime {
            airtime.on_parked(station, category, to);
        }
    }

    /// The receiver of a finished packet did not get it.
    pub(super) fn on_missing(&mut self, station: NodeId, done: &Finished) {
        let stats = &mut self.stats[station.index()];
        if done.completion == Completion::Expired {
            stats.on_expired_lost(done.category);
        } else {
            stats.on_dropped(done.category);
        }
    }
}

/// Frames: from their start to their end.
impl Books {
    /// A frame begins that takes `length`. Returns the flow that it belongs to, if any.
    #[inline]
    pub(super) fn on_start(&mut self, frame: &Frame, length: Span) -> Option<u32> {
        if let Some(airtime) = &mut self.airtime {
            airtime.on_start(frame, frame.own_time(length));
        }
        self.shares.owner(frame)
    }

    /// An HE MU PPDU for these stations begins.
    pub(super) fn on_multi_user(
        &mut self,
        frame: &Frame,
        users: impl ExactSizeIterator<Item = NodeId>,
    ) {
        if let Some(airtime) = &mut self.airtime {
            airtime.on_multi_user(frame, users);
        }
    }

    /// A receiver has decoded a frame.
    #[inline]
    pub(super) fn on_decoded(&mut self, frame: &Frame) {
        self.stats[frame.from.index()].on_decoded(frame);
    }

    /// A frame ends that took `length`, of which each of the stations in `users` had a part.
    #[inline]
    pub(super) fn on_sent(
        &mut self,
        frame: &Frame,
        length: Span,
        users: impl Iterator<Item = (u32, Span)>,
    ) {
        self.stats[frame.from.index()].on_sent(frame, length);
        if frame.kind == Kind::Data
            && let Some(stats) = self.stats.get_mut(frame.to.index())
        {
            stats.received_airtime_ns += frame.own_time(length).0;
        }
        for (user, part) in users {
            self.stats[user as usize].received_airtime_ns += part.0;
        }
    }

    /// A frame of `bits` in all ends that belongs to one flow, but for the packets behind the first of its MPDU.
    #[inline]
    pub(super) fn on_bits(&mut self, flow: Option<u32>, bits: u64, behind: &[Rider]) {
        let others = self.shares.on_riders(behind);
        self.shares.on_sent(flow, bits.saturating_sub(others));
    }

    /// A frame was lost.
    #[inline]
    pub(super) fn on_lost(&mut self, frame: &Frame, loss: Loss) {
        self.stats[frame.from.index()].on_lost(frame, loss);
    }

    /// A multi-user PPDU with data, or the part of a station in it, ends.
    pub(super) fn on_multi_user_end(&mut self, from: NodeId) {
        self.stats[from.index()].mu_frames += 1;
    }

    /// A multi-user PPDU ends that carried `mpdus` MPDUs for one station.
    pub(super) fn on_user(&mut self, frame: &Frame, mpdus: usize) {
        self.stats[frame.from.index()].on_user(frame, mpdus);
    }

    /// The MPDUs of an A-MPDU end, each with the packets behind its first: those that are not among the `decoded` ones
    /// are lost. Returns what remains of `bits` for the flow of the whole frame.
    #[inline]
    pub(super) fn on_mpdus<'a>(
        &mut self,
        frame: &Frame,
        mpdus: impl Iterator<Item = (&'a Mpdu, &'a [Rider])>,
        decoded: &[bool],
        loss: Loss,
        mut bits: u64,
    ) -> u64 {
        // MPDUs in a row that are alike count at once.
        let mut row: Option<Row> = None;
        for (number, (mpdu, riders)) in mpdus.enumerate() {
            let lost = decoded.get(number) != Some(&true);
            let others = self.shares.on_riders(riders);
            match &mut row {
                Some(row) if row.is_like(mpdu, lost) => {
                    row.mpdus += 1;
                    row.others += others;
                }
                _ => {
                    let (class, bytes, flow) = (mpdu.class, mpdu.bytes, mpdu.flow);
                    let new = Row { class, bytes, flow, lost, mpdus: 1, others };
                    bits = bits.saturating_sub(self.on_row(frame, row.replace(new), loss));
                }
            }
        }
        bits.saturating_sub(self.on_row(frame, row, loss))
    }

    /// MPDUs that are alike end. Returns their bits.
    fn on_row(&mut self, frame: &Frame, row: Option<Row>, loss: Loss) -> u64 {
        let Some(Row { class, bytes, flow, lost, mpdus, others }) = row else { return 0 };
        let stats = &mut self.stats[frame.from.index()];
        stats.on_subframes(frame, (class, bytes), lost.then_some(loss), mpdus);
        let own = 8 * u64::from(bytes) * mpdus;
        self.shares.on_sent(Some(flow), own - others);
        own
    }
}

/// What others ask.
impl Books {
    /// Counters of a station.
    pub(super) fn stats(&self, station: NodeId) -> &StationStats {
        &self.stats[station.index()]
    }

    /// Data frames of a station that were decoded.
    pub(super) fn decoded(&self, station: usize) -> u64 {
        self.stats[station].class(Class::Data).decoded
    }

    /// Service times of a station, by category.
    pub(super) fn service_times(&self, station: NodeId) -> &[Delays; CATEGORIES] {
        &self.service_times[station.index()]
    }

    /// Bits sent on behalf of a flow.
    pub(super) fn bits(&self, flow: u32) -> u64 {
        self.shares.bits(flow)
    }

    /// The next exchange that has finished, if airtime is counted.
    pub(super) fn take_airtime(&mut self) -> Option<ExchangeAirtime> {
        self.airtime.as_mut()?.take()
    }

    /// The next packet that a station gave up, if they are recorded.
    pub(super) fn take_given_up(&mut self) -> Option<GivenUp> {
        self.given_up.as_mut()?.take()
    }
}

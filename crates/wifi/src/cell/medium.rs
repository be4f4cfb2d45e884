//! The medium: stations of one cell or of several, their radios, and the air between them.

use airtcp_packet::PacketId;
use airtcp_probe::{DropReason, PoolCx, Probe};
use airtcp_units::{Delays, Nanos, Narrow, Span};

use super::agenda::Agenda;
use super::air::Air;
use super::airtime::ExchangeAirtime;
use super::alike::state::Alike;
use super::books::Books;
use super::cells::Cells;
use super::clock::{Clock, Clocked, Moment};
use super::ending::Ending;
use super::given_up::GivenUp;
use super::outbox::Outbox;
use super::packet::{Admitted, Delivery, Offered};
use super::radio::Radio;
use super::reach::Reach;
use super::reorder::ReorderBuffers;
use super::report::StationStats;
use super::transmission::Transmission;
use super::watched::Watch;
use crate::mac::{CATEGORIES, Completion, Kind, Station};
use crate::node::NodeId;
use crate::scheme::ControlCategory;

/// The stations of a cell, or of several that share a medium.
#[derive(Debug)]
pub struct Medium {
    /// Its clock: times within the medium are own times.
    pub(super) clock: Clock,
    pub(super) moment: Moment,
    pub(super) cells: Cells,
    pub(super) reach: Reach,
    pub(super) stations: Vec<Station>,
    pub(super) radios: Vec<Radio>,
    /// The stations that share one view of the medium.
    pub(super) alike: Alike,
    pub(super) air: Air,
    pub(super) agenda: Agenda,
    pub(super) outbox: Outbox,
    pub(super) touched: Vec<u32>,
    pub(super) over: Vec<(u32, Transmission)>,
    pub(super) watched: Watch,
    pub(super) ending: Ending,
    /// By station, the access category of TCP packets without payload.
    pub(super) controls: Vec<ControlCategory>,
    pub(super) books: Books,
    /// Packets that receivers hold back; `None` without aggregation.
    pub(super) reorder: Option<Box<ReorderBuffers>>,
}

impl Medium {
    /// Number of stations.
    pub fn len(&self) -> usize {
        self.stations.len()
    }

    /// True without stations.
    pub fn is_empty(&self) -> bool {
        self.stations.is_empty()
    }

    /// True if a station's access category can take its next packet.
    pub fn is_ready(&self, station: NodeId, category: usize) -> bool {
        self.stations[station.index()].is_ready(category)
    }

    /// Access category of TCP packets without payload at a station.
    pub fn control_category(&self, station: NodeId) -> ControlCategory {
        self.controls[station.index()]
    }

    /// The packet at the head of a station's access category, until its receiver has it.
    pub fn head(&self, station: NodeId, category: usize) -> Option<PacketId> {
        self.stations[station.index()].head_packet(category)
    }

    /// True if the receiver has the packet at the head of a station's access category, and the sender
    /// has not finished the exchange.
    pub fn is_received(&self, station: NodeId, category: usize) -> bool {
        self.stations[station.index()].is_head_received(category)
    }

    /// True if packets of a station's access category expire.
    pub fn has_lifetime(&self, station: NodeId, category: usize) -> bool {
        self.stations[station.index()].has_lifetime(category)
    }

    /// Gives a station the next packet of a category that is ready. An access point drops packets
    /// to stations that are not associated with it. Every station drops expired packets.
    pub fn offer<P: Probe>(
        &mut self,
        now: Nanos,
        station: NodeId,
        offered: Offered,
        cx: &mut PoolCx<'_, P>,
    ) {
        let now = self.at_call(now);
        let mut probe = Clocked::new(cx.probe, self.clock);
        let cx = &mut PoolCx::new(&mut probe, cx.pool, cx.source);
        let offered = self.in_own_time(offered);
        let Offered { packet, to, category, .. } = offered;
        let Some(Admitted { class, bytes, expires, flow }) = self.admit(now, station, offered, cx)
        else {
            return;
        };
        if self.stations[station.index()].hooks.is_some()
            && self.drops_early(now, station, packet, cx)
        {
            return;
        }
        self.books.on_head(station, category, flow);
        self.leave_if_shared(station);
        self.report_finished_backoff(now, station, category, cx);
        let rules = &self.cells.of(station.index()).rules;
        let sender = &mut self.stations[station.index()];
        sender.offer(now, category, packet, to, class, bytes, expires, flow, rules);
        if let Some(sequence) = sender.head(category).map(|head| head.sequence) {
            self.books.on_numbered(station, (category, to, sequence), packet, cx.pool);
        }
        self.refresh(station.0);
    }

    /// A packet whose time of arrival is an own time.
    #[inline]
    pub(super) fn in_own_time(&self, offered: Offered) -> Offered {
        Offered { entered: self.clock.own_from(offered.entered), ..offered }
    }

    /// Ends the transmissions that end at this instant, all together.
    pub fn on_ends<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) {
        let now = self.at_event(now);
        let mut probe = Clocked::new(cx.probe, self.clock);
        let cx = &mut PoolCx::new(&mut probe, cx.pool, cx.source);
        let watched = self.watch(now, cx);
        self.end(now, cx);
        if watched {
            self.report_access_states(now, cx);
        } else {
            self.alike.may_join();
        }
    }

    /// Lets the stations whose timer has expired decide what to send.
    pub fn on_timers<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) {
        let now = self.at_event(now);
        let mut probe = Clocked::new(cx.probe, self.clock);
        let cx = &mut PoolCx::new(&mut probe, cx.pool, cx.source);
        let watched = self.watch(now, cx);
        self.decide(now, cx);
        if watched {
            self.report_access_states(now, cx);
        }
    }

    /// Starts the transmissions decided at this instant, all together.
    pub fn on_starts<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) {
        let now = self.at_event(now);
        let mut probe = Clocked::new(cx.probe, self.clock);
        let cx = &mut PoolCx::new(&mut probe, cx.pool, cx.source);
        let watched = self.watch(now, cx);
        self.begin(now);
        if watched {
            self.report_access_states(now, cx);
        }
    }

    /// Time of the next end of a transmission or of an interferer that makes the medium busy.
    #[inline]
    pub fn next_end(&mut self) -> Nanos {
        if self.clock.is_run() { self.own_end() } else { self.next_events()[0] }
    }

    /// Own instant of the next end.
    pub(super) fn own_end(&self) -> Nanos {
        if self.alike.qualifies() {
            return self.air.next_end();
        }
        self.air.next_end().min(self.cells.next_interferer(false))
    }

    /// Time of the next station timer, start of an interferer that makes the medium busy, or frame
    /// detection.
    #[inline]
    pub fn next_timer(&mut self) -> Nanos {
        if self.clock.is_run() { self.own_timer() } else { self.next_events()[1] }
    }

    /// Own instant of the next timer.
    pub(super) fn own_timer(&mut self) -> Nanos {
        self.join_idle();
        let Self { agenda, alike, stations, cells, .. } = self;
        let next = agenda.next(&alike.apart, |i| stations[i].next_timer(&cells.of(i).rules));
        if self.alike.qualifies() {
            return next.min(self.alike.next_timer());
        }
        next.min(self.air.next_detection()).min(self.cells.next_interferer(true))
    }

    /// True if transmissions start at this instant.
    pub fn is_starting(&self) -> bool {
        !self.air.starting().is_empty()
    }

    /// The next packet received.
    pub fn poll(&mut self) -> Option<Delivery> {
        self.outbox.poll()
    }

    /// True if a station is ready for another packet and has not been taken yet.
    pub const fn has_ready(&self) -> bool {
        self.outbox.has_ready()
    }

    /// The next station that is ready for another packet.
    pub fn take_ready(&mut self) -> Option<NodeId> {
        self.outbox.take_ready()
    }

    /// Counts the airtime of exchanges from now on.
    pub fn measure_airtime(&mut self) {
        self.books.measure_airtime();
    }

    /// The next exchange that has finished, if airtime is counted.
    pub fn take_airtime(&mut self) -> Option<ExchangeAirtime> {
        let exchange = self.books.take_airtime()?;
        Some(ExchangeAirtime { airtime: self.clock.span(exchange.airtime), ..exchange })
    }

    /// Records the data packets that stations give up at the retry limit, from now on. `senders`
    /// contains, by endpoint, whether its packets are recorded.
    pub fn record_given_up(&mut self, senders: Vec<bool>) {
        self.books.record_given_up(senders);
    }

    /// The next packet that a station gave up, if they are recorded.
    pub fn take_given_up(&mut self) -> Option<GivenUp> {
        self.books.take_given_up()
    }

    /// Packets at the heads of the categories and behind them, and in the reorder buffers of receivers.
    pub fn in_flight(&self) -> u64 {
        let sending: u64 = self.stations.iter().map(Station::packets_held).sum();
        sending + self.reorder.as_ref().map_or(0, |buffers| buffers.held())
    }

    /// Bits sent for a flow since the start: data frames of both directions with every attempt,
    /// their RTS and CTS, and MAC acknowledgements, each with its PLCP preamble and header (see
    /// [`Timing::plcp_bits`](crate::phy::Timing::plcp_bits)).
    pub fn flow_bits(&self, flow: u32) -> u64 {
        self.books.bits(flow)
    }

    /// Counters of a station since the start. Their times are own times.
    pub fn stats(&self, station: NodeId) -> &StationStats {
        self.books.stats(station)
    }

    /// Times from the head of the queue to the end of the exchange since the start, by category; of packets
    /// that were acknowledged or dropped at the retry limit.
    pub fn service_times(&self, station: NodeId) -> &[Delays; CATEGORIES] {
        self.books.service_times(station)
    }

    /// Counters of a station until `now`, including the elapsed airtime of a current frame.
    pub fn stats_until(&self, station: NodeId, now: Nanos) -> StationStats {
        let now = self.at_query(now);
        let mut stats = self.books.stats(station).clone();
        for sent in self.air.iter().filter(|sent| sent.frame.from == station) {
            stats.on_air(&sent.frame, now.since(sent.started));
        }
        for sent in self.air.iter() {
            let (frame, time) = (&sent.frame, now.since(sent.started));
            if frame.kind == Kind::Data && frame.to == station {
                stats.received_airtime_ns += frame.own_time(time).0;
            } else if frame.kind == Kind::MultiUser {
                let parts = self.air.multi_user.parts(frame.from, time);
                let own = parts.filter(|(user, _)| *user == station.0).map(|(_, part)| part.0);
                stats.received_airtime_ns += own.sum::<u64>();
            }
        }
        if !self.clock.is_run() {
            stats.map_times(|ns| self.clock.span(Span(ns)).0);
        }
        stats
    }

    /// Time during which at least one station of a cell transmitted; `cell` is its number on the
    /// medium.
    pub fn busy_ns(&self, cell: usize, now: Nanos) -> u64 {
        self.clock.span(Span(self.cells.at(cell).busy_ns(self.at_query(now)))).0
    }

    /// Lets the stations whose timer has expired decide what to send.
    pub(super) fn decide<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) {
        if self.agenda.is_controlled(now) {
            self.control(now);
        }
        if self.reorder.is_some() {
            self.release_due(now);
        }
        self.leave_due(now);
        for place in 0..self.alike.apart.len() {
            let i = self.alike.apart[place] as usize;
            if self.deadline(i) > now {
                continue;
            }
            let rules = &self.cells.of(i).rules;
            if let Some(widths) = &mut self.stations[i].widths {
                let tuned = &self.cells.of(i).tuned;
                widths.set_idle(tuned.idle_width(now, rules.pifs(), &self.radios[i]));
            }
            let frame = self.stations[i].on_timer(now, rules);
            self.settle(now, i, cx);
            if let Some(frame) = frame {
                self.air.decide(frame);
                if self.stations[i].is_preparing() {
                    self.outbox.wants_filling(NodeId(u32::narrow(i)));
                }
                // Until the frame begins, at this instant, the station has no other.
                self.agenda.rest(i);
            } else {
                self.refresh(u32::narrow(i));
                if self.stations[i].multi_user.is_access_point() {
                    // A multi-user exchange that failed has finished no packet.
                    self.outbox.ready_again(NodeId(u32::narrow(i)));
                }
            }
        }
        if !self.alike.qualifies() {
            self.interferers_begin(now);
            self.ignore_others(now, cx);
            self.detect(now);
        }
    }

    /// Starts interferers that make the medium busy.
    pub(super) fn interferers_begin(&mut self, now: Nanos) {
        if self.cells.next_interferer(true) > now {
            return;
        }
        let mut touched = std::mem::take(&mut self.touched);
        self.cells.switch_interferers(now, true, &mut touched);
        for station in touched.drain(..) {
            self.sense(now, station as usize);
        }
        self.touched = touched;
    }

    /// A station has changed, and with it perhaps its deadline.
    #[inline]
    pub(super) fn refresh(&mut self, station: u32) {
        self.agenda.change(station as usize);
    }

    /// When a station with a view of its own acts next.
    #[inline]
    pub(super) fn deadline(&mut self, i: usize) -> Nanos {
        let Self { agenda, stations, cells, .. } = self;
        agenda.of(i, |i| stations[i].next_timer(&cells.of(i).rules))
    }

    /// Counts a station's finished exchanges, and removes dropped packets from the pool.
    #[inline]
    pub(super) fn settle<P: Probe>(&mut self, now: Nanos, i: usize, cx: &mut PoolCx<'_, P>) {
        if self.stations[i].has_news() {
            self.close(now, i, cx);
        }
    }

    #[inline(never)]
    fn close<P: Probe>(&mut self, now: Nanos, i: usize, cx: &mut PoolCx<'_, P>) {
        if self.stations[i].take_vacated() {
            self.outbox.ready_again(NodeId(u32::narrow(i)));
        }
        // Before the finished packets, so that the airtime of the exchange goes with what it leaves.
        while let Some((category, to)) = self.stations[i].take_parked() {
            self.books.on_parked(NodeId(u32::narrow(i)), category, to);
        }
        while let Some(done) = self.stations[i].take_finished() {
            let id = NodeId(u32::narrow(i));
            self.outbox.done_with_packet(id);
            let hooks = self.stations[i].hooks.as_mut();
            if let Some(red) = hooks.and_then(|hooks| hooks.link_red.as_mut())
                && done.completion != Completion::Expired
            {
                red.on_finished(&done.mpdu);
            }
            self.books.on_finished(now, id, &done, self.clock, cx.pool);
            let reason = match done.completion {
                // The packet was delivered, unless its receiver mistook its frame for a duplicate.
                Completion::Acknowledged => DropReason::Duplicate,
                Completion::GivenUp => DropReason::RetryLimit,
                Completion::Expired => DropReason::Lifetime,
            };
            if let Some(packet) = done.mpdu.packet {
                cx.discard(now, packet, reason, u32::narrow(i));
                self.books.on_missing(id, &done);
            }
        }
    }
}
